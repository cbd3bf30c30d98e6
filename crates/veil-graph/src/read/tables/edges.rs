//! Edge tables: two columns of names, which become pairs of nodes.

use std::collections::HashMap;
use std::path::Path;

use rayon::prelude::*;

use super::super::error::{Place, ReadError};
use super::super::headers::ENDS;
use super::cells::{Cell, Cells};
use super::container::{Batch, Table};
use crate::graph::NodeId;
use crate::ids::NodeNames;
use crate::limits::MOST_NODES;

type Pairs = Vec<(NodeId, NodeId)>;

/// One end of an edge, and its column.
type End<'a> = (Cell<'a>, &'static str);

/// A callback for both ends of the edge in a row.
type Visit<'a> = dyn FnMut(&Batch<'_>, usize, [End<'_>; 2]) -> Result<(), ReadError> + 'a;

/// The two columns, if the table has them.
pub(super) fn ends(table: &Table) -> Option<[&'static str; 2]> {
    ENDS.into_iter().find(|ends| ends.iter().all(|end| table.find(&[end]).is_some()))
}

fn columns(table: &Table) -> Result<[&'static str; 2], ReadError> {
    ends(table).ok_or_else(|| {
        let found: Vec<&str> = table.schema().fields().iter().take(20).map(|field| field.name().as_str()).collect();
        let place = Place::part(table.path(), "columns");
        ReadError::unexpected(place, &found.join(","), "the columns src and dst (or source and target, from and to)")
    })
}

/// Visits both ends of every edge.
fn visit(table: &Table, each: &mut Visit<'_>) -> Result<(), ReadError> {
    let [from, to] = columns(table)?;
    table.batches(&[from, to], &mut |batch| {
        let (sources, targets) = (Cells::of(batch, from)?, Cells::of(batch, to)?);
        let missing = |row, column| ReadError::unexpected(batch.cell(row, column), "", "a node, but it is missing");
        for row in 0..batch.rows() {
            let source = sources.get(row).ok_or_else(|| missing(row, from))?;
            let target = targets.get(row).ok_or_else(|| missing(row, to))?;
            each(batch, row, [(source, from), (target, to)])?;
        }
        Ok(())
    })
}

/// The edges between known nodes.
pub(super) fn between(table: &Table, names: &NodeNames) -> Result<Pairs, ReadError> {
    let mut pairs = Vec::new();
    visit(table, &mut |batch, row, ends| {
        let mut pair = [0; 2];
        for (node, (cell, column)) in pair.iter_mut().zip(ends) {
            let found = match cell {
                Cell::Number(number) => names.numbered(number),
                Cell::Negative(number) => names.node(&number.to_string()),
                Cell::Text(text) => names.node(text),
            };
            *node = found.ok_or_else(|| ReadError::NoSuchNode {
                place: batch.cell(row, column),
                id: cell.shown().chars().take(60).collect(),
                nodes: names.len() as u32,
            })?;
        }
        pairs.push((pair[0], pair[1]));
        Ok(())
    })?;
    Ok(pairs)
}

/// An edge table without a node table: the nodes are those of the edges, in the order of their
/// numbers or texts.
pub(super) fn without_nodes(table: &Table) -> Result<(NodeNames, Pairs), ReadError> {
    let mut numbers: Vec<(u64, u64)> = Vec::new();
    let mut texts = Texts::new(table);
    let mut pairs = Vec::new();
    visit(table, &mut |batch, row, [(source, from), (target, to)]| match (source, target) {
        (Cell::Number(source), Cell::Number(target)) => {
            numbers.push((source, target));
            Ok(())
        }
        (Cell::Text(source), Cell::Text(target)) => {
            pairs.push((texts.node(source, || batch.cell(row, from))?, texts.node(target, || batch.cell(row, to))?));
            Ok(())
        }
        (Cell::Negative(_), _) => Err(negative(batch, row, source, from)),
        (_, Cell::Negative(_)) => Err(negative(batch, row, target, to)),
        _ => Err(ReadError::format(batch.part(to), "one end is a number, the other a text")),
    })?;
    if !texts.order.is_empty() {
        let repeated = |what| ReadError::Repeated { place: Place::file(table.path()), what };
        let names = NodeNames::sorted_texts(texts.order, &mut pairs).map_err(repeated)?;
        return Ok((names, pairs));
    }
    let mut distinct: Vec<u64> = numbers.iter().flat_map(|&(source, target)| [source, target]).collect();
    distinct.par_sort_unstable();
    distinct.dedup();
    check_count(table.path(), distinct.len())?;
    let names = NodeNames::from_ascending_numbers(distinct);
    let node = |number| names.numbered(number).unwrap_or(0);
    let pairs = numbers.par_iter().map(|&(source, target)| (node(source), node(target))).collect();
    Ok((names, pairs))
}

fn negative(batch: &Batch<'_>, row: usize, cell: Cell<'_>, column: &str) -> ReadError {
    ReadError::unexpected(batch.cell(row, column), &cell.shown(), "a node id that is not negative")
}

/// Checks the number of nodes against its limit.
pub(super) fn check_count(path: &Path, nodes: usize) -> Result<(), ReadError> {
    let limit = MOST_NODES;
    if nodes as u64 > limit {
        let what = "the number of nodes".to_owned();
        return Err(ReadError::TooLarge { place: Place::file(path), what, limit });
    }
    Ok(())
}

/// Texts that become nodes on first occurrence. The map is never iterated.
struct Texts {
    known: HashMap<String, NodeId>,
    order: Vec<String>,
    bytes: u64,
    budget: u64,
}

impl Texts {
    fn new(table: &Table) -> Texts {
        Texts { known: HashMap::new(), order: Vec::new(), bytes: 0, budget: table.text_budget() }
    }

    fn node(&mut self, text: &str, place: impl Fn() -> Place) -> Result<NodeId, ReadError> {
        if let Some(&node) = self.known.get(text) {
            return Ok(node);
        }
        self.bytes += text.len() as u64;
        if self.bytes > self.budget || self.order.len() as u64 >= MOST_NODES {
            let what = "the length of all names".to_owned();
            return Err(ReadError::TooLarge { place: place(), what, limit: self.budget });
        }
        let node = self.order.len() as NodeId;
        self.known.insert(text.to_owned(), node);
        self.order.push(text.to_owned());
        Ok(node)
    }
}
