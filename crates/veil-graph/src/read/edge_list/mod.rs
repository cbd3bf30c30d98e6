//! A plain edge list: one text file, an edge per line.
//!
//! The first lines, except comments (`#` or `%`) and blank lines, decide three things:
//! - **separator**: the first of tab, comma, semicolon, blanks that gives two fields in each of
//!   them;
//! - **ids**: whole numbers if all of the first two columns are numbers, else texts;
//! - **header**: a known pair of column names such as `source,target`. A first line that is neither
//!   that nor certainly an edge (among numbers, two numbers; among texts, one whose ids occur
//!   again) is refused: it may name other columns.
//!
//! Nodes are numbered in the ascending order of their ids, numbers by value (they need not be
//! consecutive), texts by their bytes: the order of lines does not matter. Further columns
//! (weights, times) are ignored. The graph is undirected.

mod numbers;
mod table;
mod texts;

#[cfg(test)]
mod tests;

use std::path::Path;

use super::entries::Entries;
use super::error::{Place, ReadError};
use super::headers::ENDS;
use super::text::{Field, Line, OwnedLine, Text, parse_u64};
use crate::dataset::Dataset;
use crate::graph::{Direction, Graph, NodeId};
use crate::ids::NodeNames;
use crate::limits::MOST_NODES;

pub(super) const DESCRIBED: &str = "a file with an edge per line (.csv, .tsv, .txt, .edges, …, or .gz, .zst of these)";

const ENDINGS: [&str; 10] = ["csv", "tsv", "tab", "txt", "edges", "edgelist", "edge", "el", "links", "dat"];

/// The number of lines that decide the format.
const SAMPLE: usize = 1000;

/// Headers of tables of our folder format without edges.
const OUR_OTHER_TABLES: [&str; 6] =
    ["node,feature,value", "node,feature,sign", "node,label", "node,split", "label,name", "node,name"];

pub(super) fn looks_like(entries: &Entries) -> bool {
    let Some(name) = entries.names().first().filter(|_| entries.is_single_file()) else { return false };
    let name = name.to_ascii_lowercase();
    let name = [".gz", ".zst"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(&name);
    name.rsplit_once('.').is_none_or(|(_, ending)| ENDINGS.contains(&ending))
}

pub(super) fn read(entries: &Entries) -> Result<Dataset, ReadError> {
    let path = entries.root();
    let mut text = Text::open(path)?;
    let Some(form) = Form::of(&text)? else { return Err(nothing_in(text)) };
    if form.header {
        while text.take_line()?.is_some_and(|line| is_comment(&line.line())) {}
    }
    let numbered = match form.ids {
        Ids::Numbers => numbers::read(text, form.separator)?,
        Ids::Texts => texts::read(text, form.separator)?,
    };
    let Numbered { names, edges } = numbered;
    if edges.is_empty() {
        return Err(no_edge(path));
    }
    let nodes = u32::try_from(names.len()).ok().filter(|&nodes| u64::from(nodes) <= MOST_NODES);
    let nodes = nodes.ok_or_else(|| too_many_nodes(path))?;
    let built = Graph::from_edges(nodes, &edges, Direction::Undirected).map_err(ReadError::misfit(path))?;
    drop(edges);
    Dataset::new(entries.dataset_name(), built.graph, built.dropped).with_names(names).map_err(ReadError::misfit(path))
}

/// Edges between nodes 0, 1, …, and the names of nodes in the file.
struct Numbered {
    names: NodeNames,
    edges: Vec<(NodeId, NodeId)>,
}

/// The error for a first block without any possible edge.
fn nothing_in(mut text: Text) -> ReadError {
    loop {
        match text.take_line() {
            Ok(Some(line)) if is_comment(&line.line()) => {}
            Ok(_) => return no_edge(text.path()),
            Err(error) => return error,
        }
    }
}

fn no_edge(path: &Path) -> ReadError {
    ReadError::Unrecognised { path: path.to_owned(), problem: "the file has no edges".to_owned() }
}

fn too_many_nodes(path: &Path) -> ReadError {
    ReadError::TooLarge { place: Place::file(path), what: "the number of nodes".to_owned(), limit: MOST_NODES }
}

fn is_comment(line: &Line<'_>) -> bool {
    matches!(line.bytes().trim_ascii_start().first(), Some(b'#' | b'%'))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ids {
    Numbers,
    Texts,
}

/// The format, from the first lines.
struct Form {
    separator: u8,
    header: bool,
    ids: Ids,
}

impl Form {
    fn of(text: &Text) -> Result<Option<Form>, ReadError> {
        if text.peek_lines(1, |_| true).iter().any(|line| line.line().bytes().starts_with(b"%%MatrixMarket")) {
            let problem = "this is a Matrix Market file: its name must end in .mtx".to_owned();
            return Err(ReadError::Unrecognised { path: text.path().to_owned(), problem });
        }
        let sample = text.peek_lines(SAMPLE, |line| !is_comment(line));
        let Some((first, rest)) = sample.split_first() else { return Ok(None) };
        if OUR_OTHER_TABLES.iter().any(|header| first.line().bytes().trim_ascii() == header.as_bytes()) {
            let problem = "this is a table of our folder format: open its folder".to_owned();
            return Err(ReadError::Unrecognised { path: text.path().to_owned(), problem });
        }
        let separator = separator(&sample)?;
        let all = |lines: &[OwnedLine], test: fn(&[u8]) -> bool| {
            lines.iter().all(|line| ids(&line.line(), separator).is_some_and(|ids| ids.iter().all(|id| test(id))))
        };
        let first_is_edge = all(&sample[..1], is_number);
        let numbers = !rest.is_empty() && all(rest, is_number) || rest.is_empty() && first_is_edge;
        let header = is_known_header(first, separator);
        let is_edge = first_is_edge || !numbers && occurs_again(text, first, separator);
        if !header && !is_edge {
            return Err(unknown_header(text.path(), first, separator));
        }
        Ok(Some(Form { separator, header, ids: if numbers { Ids::Numbers } else { Ids::Texts } }))
    }
}

/// Whether one of the first two ids occurs in a later line of the first block: then the first line
/// is an edge like the others, and no header.
fn occurs_again(text: &Text, first: &OwnedLine, separator: u8) -> bool {
    let Some(known) = ids(&first.line(), separator) else { return false };
    let number = first.line().number();
    let names_one = |line: &Line<'_>| {
        let found = line.number() != number && !is_comment(line);
        found && ids(line, separator).is_some_and(|ids| ids.iter().any(|id| known.contains(id)))
    };
    !text.peek_lines(1, names_one).is_empty()
}

/// The first line may be a header: it is not read as an edge, nor are the others as edges between
/// whatever its first two columns are.
fn unknown_header(path: &Path, first: &OwnedLine, separator: u8) -> ReadError {
    let name = |field: Result<Field<'_>, ReadError>| {
        field.map_or_else(|_| String::new(), |it| String::from_utf8_lossy(it.bytes()).chars().take(40).collect())
    };
    let columns = first.line().fields(separator).take(20).map(name).collect();
    ReadError::UnknownHeader { path: path.to_owned(), line: first.line().number(), columns }
}

/// The first two fields of a line, if there are two and neither is empty.
fn ids(line: &Line<'_>, separator: u8) -> Option<[Vec<u8>; 2]> {
    let ids = line.at_least::<2>(separator).ok()?.map(|field| field.bytes().to_vec());
    ids.iter().all(|id| !id.is_empty()).then_some(ids)
}

/// The separator that fits every line; if none does, an error at the first line without two fields.
fn separator(sample: &[OwnedLine]) -> Result<u8, ReadError> {
    // Most lines rather than all, so that a single invalid line is reported as such.
    let fitting = |&separator: &u8| sample.iter().filter(|line| ids(&line.line(), separator).is_some()).count();
    let fits_all = |separator: &u8| fitting(separator) == sample.len();
    let fits_most = |separator: &u8| 2 * fitting(separator) > sample.len();
    let candidates = [b'\t', b',', b';', b' '];
    candidates
        .iter()
        .find(|&separator| fits_all(separator))
        .or_else(|| candidates.iter().find(|&separator| fits_most(separator)))
        .copied()
        .ok_or_else(|| sample[0].line().unexpected("two node ids, separated by a tab, a comma, a semicolon or blanks"))
}

/// Whether an id is written as a number, even an invalid one: in a file of numbers, -1 or NaN is an
/// error and not the name of a node.
fn is_number(id: &[u8]) -> bool {
    parse_u64(id).is_some() || std::str::from_utf8(id).is_ok_and(|id| id.parse::<f64>().is_ok())
}

fn is_known_header(line: &OwnedLine, separator: u8) -> bool {
    ids(&line.line(), separator).is_some_and(|[first, second]| {
        ENDS.iter().any(|[source, target]| {
            first.eq_ignore_ascii_case(source.as_bytes()) && second.eq_ignore_ascii_case(target.as_bytes())
        })
    })
}
