//! Invalid inputs of every layout, through the common entry point: [`veil_graph::read::open`].
//!
//! `corpus` holds small valid inputs, `mutations` modifies them, and `harness` checks the
//! requirements on readers: no panic, and either a data set or an error that names a file or the
//! folder of the input. To add a layout: a valid input in `corpus`. For more mutations:
//! `VEIL_MUTATIONS=10000 cargo test -p veil-graph --test hostile`.

// A failed expectation fails the test.
#![allow(clippy::expect_used, clippy::panic)]

mod corpus;
#[path = "../../src/read/fixtures/mod.rs"]
#[allow(dead_code, clippy::unwrap_used)]
mod fixtures;
mod harness;
mod mutations;

use corpus::{Content, FAMILIES};
use harness::{Folder, check};
use rayon::prelude::*;

#[test]
fn mutated_inputs_are_read_or_refused_with_a_place() {
    FAMILIES.par_iter().for_each(|(_, inputs)| check(inputs()));
}

#[test]
fn there_are_enough_cases() {
    let inputs: usize = FAMILIES.iter().map(|(_, inputs)| inputs().len()).sum();
    assert!(harness::cases() < 100 || inputs as u64 * harness::cases() >= 1500);
}

/// The content of a column.
enum Column {
    /// A node, feature or class.
    Id,
    /// An integer that names a node.
    Name,
    /// A finite number.
    Value,
}

impl Column {
    fn bad(&self) -> &[&str] {
        match self {
            Column::Id => &["-1", "NaN", "inf", "1e400", "99999999999999999999", "4294967295", "x", ""],
            Column::Name => &["-1", "NaN", "inf", "1e400", "99999999999999999999"],
            Column::Value => &["NaN", "inf", "-inf", "1e400", "x", ""],
        }
    }
}

/// Input, file, lines before the first row, separator, and the columns of numbers.
type Table = (&'static str, &'static str, usize, char, &'static [(usize, Column)]);

/// Every number of every text table, replaced by an invalid one: the error names the file and the
/// line.
#[test]
fn invalid_numbers_are_refused_at_their_line() {
    use Column::{Id, Name, Value};
    let tables: [Table; 17] = [
        ("folder, sparse", "edges.csv", 1, ',', &[(0, Id), (1, Id)]),
        ("folder, sparse", "features.csv.gz", 1, ',', &[(0, Id), (1, Id), (2, Value)]),
        ("folder, sparse", "labels.csv", 1, ',', &[(0, Id), (1, Id)]),
        ("folder, sparse", "splits.csv", 1, ',', &[(0, Id)]),
        ("folder, sparse", "nodes.csv", 1, ',', &[(0, Id)]),
        ("folder, encoded", "features.csv", 1, ',', &[(0, Id), (1, Id), (2, Value)]),
        ("edge list, numbers", "list.csv", 2, ',', &[(0, Name), (1, Name)]),
        ("edge list, numbers, gzip", "list.tsv.gz", 1, '\t', &[(0, Name)]),
        ("MUSAE, JSON features", "XY_edges.csv", 1, ',', &[(0, Id), (1, Id)]),
        ("MUSAE, JSON features", "XY_target.csv", 1, ',', &[(5, Id)]),
        ("MUSAE, CSV features", "features.csv", 1, ',', &[(0, Id), (1, Id), (2, Value)]),
        ("MUSAE, CSV features", "target.csv", 1, ',', &[(0, Id), (1, Id)]),
        ("OGB", "raw/edge.csv", 0, ',', &[(0, Id), (1, Id)]),
        ("OGB, gzip", "raw/node-feat.csv.gz", 0, ',', &[(0, Value), (1, Value)]),
        ("OGB", "split/time/train.csv", 0, ',', &[(0, Id)]),
        ("Geom-GCN", "out1_graph_edges.txt", 1, '\t', &[(0, Id), (1, Id)]),
        ("Geom-GCN", "out1_node_feature_label.txt", 1, '\t', &[(0, Id), (2, Id)]),
    ];
    let inputs: Vec<_> = FAMILIES.iter().flat_map(|(_, inputs)| inputs()).collect();
    let mut count = 0;
    for (name, file, header, separator, columns) in tables {
        let input = inputs.iter().find(|input| input.name == name).expect("a known input");
        let place = input.files.iter().position(|(name, _)| name == file).expect("a known file");
        let (Content::Plain(good) | Content::Gzip(good)) = &input.files[place].1 else { panic!("{file} is no text") };
        let good = String::from_utf8(good.clone()).expect("a text");
        let mut folder = Folder::new(input);
        for (line, row) in good.lines().enumerate().skip(header) {
            for (column, kind) in columns {
                for bad in kind.bad() {
                    let mut cells: Vec<&str> = row.split(separator).collect();
                    cells[*column] = bad;
                    let changed = cells.join(&separator.to_string());
                    if changed.is_empty() {
                        // A blank line is skipped.
                        continue;
                    }
                    let mut lines: Vec<&str> = good.lines().collect();
                    lines[line] = &changed;
                    let mut broken = input.clone();
                    *broken.files[place].1.pieces()[0] = lines.join("\n").into_bytes();
                    let message = folder.open(&broken.packed()).expect_err(&format!("{name}, {file}: {changed:?}"));
                    let wanted = format!("{}:{}:", folder.file(file).display(), line + 1);
                    assert!(message.contains(&wanted), "{changed:?} is refused, but not at {wanted}\n{message}");
                    count += 1;
                }
            }
        }
    }
    println!("numbers that are none: {count} refused at their line");
}

/// Two labels for one node, in every layout that allows them.
#[test]
fn duplicate_labels_are_refused_at_their_line() {
    let inputs: Vec<_> = FAMILIES.iter().flat_map(|(_, inputs)| inputs()).collect();
    let cases = [
        ("folder, sparse", "labels.csv", "1,0\n", ":7"),
        ("folder, sparse", "splits.csv", "1,test\n", ":5"),
        ("MUSAE, JSON features", "XY_target.csv", "79,1,False,9,False,1\n", ":4"),
        ("MUSAE, CSV features", "target.csv", "0,1\n", ":4"),
        ("OGB", "split/time/test.csv", "0\n", ":2"),
        ("Geom-GCN", "out1_node_feature_label.txt", "1\t0,0,0,0\t1\n", ":5"),
    ];
    for (name, file, line, wanted) in cases {
        let mut broken = inputs.iter().find(|input| input.name == name).expect("a known input").clone();
        let mut folder = Folder::new(&broken);
        let place = broken.files.iter().position(|(name, _)| name == file).expect("a known file");
        broken.files[place].1.pieces()[0].extend(line.bytes());
        let message = folder.open(&broken.packed()).expect_err(file);
        assert!(message.contains(&format!("{file}{wanted}")) && message.contains("duplicate"), "{message}");
    }
}
