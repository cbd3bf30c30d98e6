//! The Reddit layout on small folders written by the tests.

use std::path::Path;

use super::*;
use crate::read::fixtures::{f4, i4, i8, npy, npz, put};

fn read_path(path: &Path) -> Result<Dataset, ReadError> {
    read(&Entries::of(path)?)
}

type Arrays = Vec<(&'static str, Vec<u8>)>;

fn data() -> Arrays {
    vec![
        ("feature", f4(&[3, 2], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0])),
        ("label", i8(&[1, 0, 1])),
        ("node_types", i8(&[1, 3, 2])),
        ("node_ids", npy("|O", &[3], b"pickled objects, never looked at")),
    ]
}

/// 0–1 in both directions, and 2 with a self loop.
fn coordinates() -> Arrays {
    vec![
        ("row", i4(&[0, 1, 2])),
        ("col", i4(&[1, 0, 2])),
        ("shape", i8(&[3, 3])),
        ("format", npy("|S3", &[], b"coo")),
        ("data", npy("|O", &[3], b"weights, never looked at")),
    ]
}

fn rows() -> Arrays {
    vec![("indptr", i4(&[0, 1, 2, 3])), ("indices", i4(&[1, 0, 2])), ("shape", i8(&[3, 3]))]
}

fn with(data: &Arrays, graph: &Arrays) -> Result<Dataset, ReadError> {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), [(DATA, npz(data)), (GRAPH, npz(graph))]);
    read_path(folder.path())
}

fn replaced(arrays: Arrays, name: &str, bytes: &[u8]) -> Arrays {
    arrays.into_iter().map(|(old, good)| if old == name { (old, bytes.to_vec()) } else { (old, good) }).collect()
}

#[test]
fn both_forms_of_the_graph_give_the_same_data_set() {
    let dataset = with(&data(), &coordinates()).unwrap();
    assert_eq!(dataset, with(&data(), &rows()).unwrap());
    assert_eq!(dataset.graph().iter_edges().collect::<Vec<_>>(), [(0, 1)]);
    assert_eq!((dataset.dropped().self_loops, dataset.dropped().duplicates), (1, 1));
    assert_eq!(dataset.features().unwrap().value(2, 0), 4.0);
    assert_eq!(dataset.labels().unwrap().iter().flatten().collect::<Vec<_>>(), [1, 0, 1]);
    assert_eq!(dataset.split().unwrap().parts(), [Part::Train, Part::Test, Part::Val]);
    assert!(looks_like(&Entries::named(&[DATA, GRAPH])) && !looks_like(&Entries::named(&[DATA])));
}

#[test]
fn errors_have_their_place() {
    let in_data = |name: &str, bytes: &[u8]| {
        let text = with(&replaced(data(), name, bytes), &coordinates()).expect_err("should be refused").to_string();
        assert!(text.contains(DATA), "{text}");
        text
    };
    let in_graph = |name: &str, bytes: &[u8]| {
        let text = with(&data(), &replaced(coordinates(), name, bytes)).expect_err("should be refused").to_string();
        assert!(text.contains(GRAPH), "{text}");
        text
    };
    assert!(in_data("node_types", &i8(&[1, 3, 4])).contains("node_types[2]"));
    assert!(in_data("node_types", &i8(&[1, 3])).contains("2 parts"));
    assert!(in_data("feature", &f4(&[2, 3], &[0.0; 6])).contains("2 rows of features, but 3"));
    assert!(in_data("feature", &f4(&[6], &[0.0; 6])).contains("expected a matrix"));
    assert!(
        in_data("feature", &f4(&[3, 2], &[0.0, 0.0, 0.0, f32::INFINITY, 0.0, 0.0]))
            .contains("feature, row 1, column 1")
    );
    assert!(in_data("label", &i8(&[1, 0, -1])).contains("label[2]"));
    assert!(in_data("label", &f4(&[3], &[0.0; 3])).contains("expected whole numbers"));
    assert!(in_graph("row", &i4(&[0, 1, 3])).contains("row[2]: node 3"));
    assert!(in_graph("col", &i4(&[0, 1])).contains("2 ends of links, but 3"));
    assert!(in_graph("shape", &i8(&[1 << 31, 1 << 31])).contains("nodes, but 3"));
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), [(DATA, npz(&data()))]);
    assert!(read_path(folder.path()).unwrap_err().to_string().contains("reddit_graph.npz: missing"));
}
