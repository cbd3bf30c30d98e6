//! Matrix Market: a square sparse matrix whose entries are edges.
//!
//! `%%MatrixMarket matrix coordinate FIELD SYMMETRY`, comments, a line with rows, columns and
//! entries, then an entry per line with its row and column from 1. Values (weights) are not read;
//! those that are zero are counted, as their entries are edges too. The graph is undirected. Its
//! size is that of the program that wrote it, so the nodes are collected.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::entries::Entries;
use super::error::{Place, ReadError};
use super::rows::{bytes_on_disk, collect};
use super::text::{OwnedLine, Text};
use crate::dataset::Dataset;
use crate::graph::{Direction, Dropped, Graph, NodeId};
use crate::limits::most_nodes;

pub(super) const DESCRIBED: &str = "a matrix in a file of Matrix Market (.mtx)";

/// The fields, and how many numbers an entry has besides its row and column.
const FIELDS: [(&str, usize); 5] = [("pattern", 0), ("real", 1), ("double", 1), ("integer", 1), ("complex", 2)];

pub(super) fn looks_like(entries: &Entries) -> bool {
    let fits = |name: &String| {
        let name = name.to_ascii_lowercase();
        [".mtx", ".mtx.gz", ".mtx.zst"].iter().any(|ending| name.ends_with(ending))
    };
    entries.is_single_file() && entries.names().iter().any(fits)
}

pub(super) fn read(entries: &Entries) -> Result<Dataset, ReadError> {
    let path = entries.root();
    let mut text = Text::open(path)?;
    let empty = || ReadError::format(Place::file(path), "the file ends before its entries");
    let numbers = field(&text.take_line()?.ok_or_else(empty)?)?;
    let sizes = loop {
        let line = text.take_line()?.ok_or_else(empty)?;
        if !line.line().bytes().trim_ascii_start().starts_with(b"%") {
            break line;
        }
    };
    let [rows, columns, declared] = sizes.line().exactly::<3>(b' ')?;
    let (side, entries_declared) = (rows.as_u64()?, declared.as_u64()?);
    if side != columns.as_u64()? || side == 0 {
        return Err(sizes.line().unexpected("a square matrix with at least one row"));
    }
    let limit = u64::from(most_nodes(bytes_on_disk([path])));
    if side > limit {
        let what = format!("the number of rows, {side},");
        return Err(ReadError::TooLarge { place: rows.place(), what, limit });
    }
    let nodes = side as u32;
    let zeros = AtomicUsize::new(0);
    let edges = collect(text, |line| {
        let mut fields = line.fields(b' ');
        let mut ends = [0 as NodeId; 2];
        for end in &mut ends {
            let field = fields.next().ok_or_else(|| line.unexpected("the row and the column of an entry"))??;
            // Rows and columns are counted from 1.
            let number = field.as_u64()?.checked_sub(1).filter(|&number| number < u64::from(nodes));
            *end = number.ok_or_else(|| field.unexpected(format!("a number from 1 to {nodes}")))? as NodeId;
        }
        let (mut values, mut zero) = (0, numbers > 0);
        for field in fields {
            zero = zero && field?.as_str()?.parse::<f64>().is_ok_and(|value| value == 0.0);
            values += 1;
        }
        if values != numbers {
            return Err(line.unexpected(format!("an entry of {} numbers", numbers + 2)));
        }
        zeros.fetch_add(usize::from(zero), Ordering::Relaxed);
        Ok((ends[0], ends[1]))
    })?;
    if edges.len() as u64 != entries_declared {
        let found = edges.len() as u64;
        return Err(ReadError::WrongCount {
            place: Place::file(path),
            what: "entries",
            found,
            declared: entries_declared,
        });
    }
    let built = Graph::from_edges(nodes, &edges, Direction::Undirected).map_err(ReadError::misfit(path))?;
    let dropped = Dropped { zeros: zeros.into_inner(), ..built.dropped };
    Ok(Dataset::new(entries.dataset_name(), built.graph, dropped))
}

/// How many numbers follow the row and the column of each entry, by the first line.
fn field(first: &OwnedLine) -> Result<usize, ReadError> {
    const EXPECTED: &str = "\"%%MatrixMarket matrix coordinate\", a field and a symmetry";
    let line = first.line();
    let text = std::str::from_utf8(line.bytes()).unwrap_or("").to_ascii_lowercase();
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let symmetries = ["general", "symmetric", "skew-symmetric", "hermitian"];
    match words.as_slice() {
        ["%%matrixmarket", "matrix", "array", ..] => {
            Err(line.unexpected("a sparse matrix (coordinate), not a dense one"))
        }
        ["%%matrixmarket", "matrix", "coordinate", field, symmetry] if symmetries.contains(symmetry) => {
            let found = FIELDS.iter().find(|(name, _)| name == field).map(|(_, numbers)| *numbers);
            found.ok_or_else(|| line.unexpected(EXPECTED))
        }
        _ => Err(line.unexpected(EXPECTED)),
    }
}

#[cfg(test)]
mod tests {
    use crate::read::tests::Folder;
    use crate::read::{Layout, open, recognise};

    const SMALL: &str =
        "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n4 4 3\n2 1 0.5\n3 2 1e3\n1 1 2\n";

    #[test]
    fn entries_are_edges() {
        let folder = Folder::of([("none", "")]);
        let path = folder.file("small.mtx", SMALL.as_bytes());
        assert_eq!(recognise(&path).unwrap(), Layout::MatrixMarket);
        let data = open(&path).unwrap();
        assert_eq!((data.nodes(), data.dropped().self_loops, data.declared().nodes), (4, 1, false));
        assert_eq!(data.graph().iter_edges().collect::<Vec<_>>(), [(0, 1), (1, 2)]);
    }

    #[test]
    fn entries_of_value_zero_are_edges_and_counted() {
        let folder = Folder::of([("none", "")]);
        let zeros = SMALL.replace(" 0.5", " 0").replace(" 1e3", " -0.0e5");
        let data = open(&folder.file("zeros.mtx", zeros.as_bytes())).unwrap();
        assert_eq!((data.graph().edges(), data.summary().zero_entries), (2, 2));
        assert!(data.warnings()[0].contains("2 entries of the matrix are stored with value 0"));
        let complex =
            SMALL.replace(" real", " complex").replace("0.5", "0 0").replace("1e3", "0 1").replace("1 1 2", "1 1 2 0");
        assert_eq!(open(&folder.file("complex.mtx", complex.as_bytes())).unwrap().dropped().zeros, 1);
        let pattern = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n";
        assert_eq!(open(&folder.file("pattern.mtx", pattern.as_bytes())).unwrap().dropped().zeros, 0);
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_place() {
        let folder = Folder::of([("none", "")]);
        for (from, to, says) in [
            ("coordinate", "array", "mtx:1: "),
            ("real", "imaginary", "mtx:1: "),
            ("4 4 3", "4 5 3", "square"),
            ("4 4 3", "4 4 2", "3 entries, but 2"),
            ("4 4 3", "400000000 400000000 3", "exceeds the limit"),
            ("3 2 1e3", "0 2 1e3", "mtx:5:1"),
            ("3 2 1e3", "5 2 1e3", "from 1 to 4"),
            ("3 2 1e3", "3 2", "3 numbers"),
        ] {
            let message = open(&folder.file("g.mtx", SMALL.replace(from, to).as_bytes())).unwrap_err().to_string();
            assert!(message.contains(says), "{to}: {message}");
        }
    }
}
