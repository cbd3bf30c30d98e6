//! The gnn-benchmark layout: a small archive written by the test, the real one, and invalid ones.

use std::io::Write;
use std::time::Instant;

use super::*;
use crate::read::fixtures::small::{Arrays, benchmark as arrays};
use crate::read::fixtures::{f4, i4, i8, npy, npz, small};
use crate::read::tests::Folder;
use crate::testing::real_data;

fn replaced(name: &'static str, bytes: Vec<u8>) -> Arrays {
    small::replaced(arrays(), name, &bytes)
}

fn read_bytes(bytes: Vec<u8>) -> Result<Dataset, ReadError> {
    Folder::of([("small.npz", bytes)]).read()
}

fn message(arrays: &Arrays) -> String {
    let text = read_bytes(npz(arrays)).expect_err("should be refused").to_string();
    assert!(text.contains("small.npz"), "{text}");
    text
}

#[test]
fn a_small_archive_is_read() {
    let dataset = read_bytes(npz(&arrays())).unwrap();
    assert_eq!((dataset.name(), dataset.nodes(), dataset.graph().edges()), ("small", 4, 2));
    assert_eq!((dataset.dropped().self_loops, dataset.dropped().duplicates), (1, 1));
    let features = dataset.features().unwrap();
    assert_eq!((features.value(0, 0), features.value(0, 2), features.value(2, 1)), (0.5, 1.0, 2.0));
    let labels = dataset.labels().unwrap();
    assert_eq!(labels.iter().flatten().collect::<Vec<_>>(), [0, 1, 1, 0]);
    assert_eq!(labels.names().unwrap(), ["small", "big"]);
}

#[test]
fn dense_features_and_missing_parts_are_read() {
    let mut dense: Arrays = arrays().into_iter().filter(|(name, _)| name.starts_with("adj_")).collect();
    assert!(read_bytes(npz(&dense)).unwrap().features().is_none());
    dense.push(("attr_matrix", f4(&[4, 2], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])));
    let dataset = read_bytes(npz(&dense)).unwrap();
    assert_eq!(dataset.features().unwrap().value(3, 0), 6.0);
    assert!(dataset.labels().is_none());
    dense.pop();
    dense.push(("attr_matrix", f4(&[3, 1], &[0.0; 3])));
    assert!(message(&dense).contains("attr_matrix: 3 rows of features, but 4"));
    assert!(
        looks_like(&Entries::named(&["README", "amazon_cs.npz"])) && !looks_like(&Entries::named(&["a.npz", "b.npz"]))
    );
    assert!(
        !looks_like(&Entries::named(&["adj_full.npz"]))
            && !looks_like(&Entries::named(&["a.npy"]))
            && !looks_like(&Entries::named(&[]))
    );
}

#[test]
fn parts_that_do_not_fit_are_errors() {
    assert!(message(&replaced("adj_indices", i4(&[1, 0, 4, 3]))).contains("adj_indices[2]: node 4"));
    assert!(message(&replaced("adj_indices", i4(&[1, 0, -2, 3]))).contains("adj_indices[2]: found \"-2\""));
    assert!(message(&replaced("adj_indptr", i4(&[0, 1, 3, 2, 4]))).contains("adj_indptr[3]"));
    assert!(message(&replaced("adj_indptr", i4(&[0, 1, 3, 3, 5]))).contains("4 entries"));
    assert!(message(&replaced("adj_indptr", i4(&[0, 1]))).contains("2 offsets of rows, but 5"));
    assert!(message(&replaced("adj_shape", i8(&[4, 5]))).contains("not a square matrix"));
    assert!(message(&replaced("adj_shape", i8(&[4_000_000_000, 4_000_000_000]))).contains("4000000001"));
    assert!(message(&replaced("adj_shape", i8(&[i64::MAX, i64::MAX]))).contains("offsets"));
    assert!(message(&replaced("attr_shape", i8(&[4, 1 << 40]))).contains("feature columns"));
    assert!(message(&replaced("attr_indices", i4(&[2, 2, 1]))).contains("attr_indices: row 0 has duplicate column 2"));
    assert!(message(&replaced("attr_data", f4(&[3], &[1.0, f32::NAN, 1.0]))).contains("NaN"));
    assert!(message(&replaced("attr_data", f4(&[2], &[1.0, 1.0]))).contains("attr_indices"));
    assert!(message(&replaced("labels", i8(&[0, 1, 1, -1]))).contains("labels[3]"));
    assert!(message(&replaced("labels", i8(&[0, 1, 1, 4_000_000_000]))).contains("labels[3]: label 4000000000"));
    assert!(message(&replaced("labels", i8(&[0, 1, 1]))).contains("3 labels"));
    assert!(message(&replaced("labels", i8(&[0, 1, 1, 2]))).contains("2 class names for 3"));
    assert!(message(&replaced("class_names", npy("|O", &[1], &[0; 8]))).contains("Python objects"));
    assert!(message(&arrays()[1..2].to_vec()).contains("adj_shape: missing array"));
    assert!(read_bytes(b"PK, but no archive".to_vec()).unwrap_err().to_string().contains("small.npz"));
}

/// The position of the uncompressed size of an array in the directory of an archive.
fn declared_size(archive: &[u8], name: &str) -> usize {
    let mut entries = archive.windows(4).enumerate().filter(|(_, bytes)| bytes == b"PK\x01\x02").map(|(at, _)| at);
    let found = entries.find(|at| archive[at + 46..].starts_with(name.as_bytes()));
    found.expect("the list names every array") + 24
}

#[test]
fn an_archive_with_wrong_sizes_is_refused() {
    for (size, says) in [(0xf000_0000u32, "cannot hold"), (70, "bytes"), (0, "cut off")] {
        for name in ["adj_indices", "adj_shape"] {
            let mut archive = npz(&arrays());
            let at = declared_size(&archive, name);
            archive[at..at + 4].copy_from_slice(&size.to_le_bytes());
            let text = read_bytes(archive).unwrap_err().to_string();
            assert!(text.contains(says) || text.contains("declare"), "{name} {size}: {text}");
        }
    }
}

#[test]
fn a_bomb_is_refused_before_it_is_unpacked() {
    // 272 MiB of zeros in 270 KB: more than 256 MiB, and more than 250 times the archive.
    let rows = 68 << 20;
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (name, bytes) in arrays().into_iter().filter(|(name, _)| name.starts_with("adj_")) {
        archive.start_file(format!("{name}.npy"), options).unwrap();
        archive.write_all(&bytes).unwrap();
    }
    archive.start_file("attr_matrix.npy", options).unwrap();
    archive.write_all(&npy("<f4", &[rows, 1], &[])).unwrap();
    let zeros = vec![0u8; 1 << 20];
    (0..rows / (1 << 18)).for_each(|_| archive.write_all(&zeros).unwrap());
    let archive = archive.finish().unwrap().into_inner();
    assert!(archive.len() < 1 << 20, "{}", archive.len());
    let start = Instant::now();
    let error = read_bytes(archive).unwrap_err();
    assert!(matches!(error, ReadError::TooLarge { limit: 268_435_456.., .. }), "{error}");
    assert!(start.elapsed().as_secs() < 60);
}

#[test]
fn amazon_computers_has_the_documented_counts() {
    let Some(path) = real_data("amazon_computers/raw") else { return };
    let dataset = crate::read::open(&path).unwrap();
    let summary = dataset.summary();
    assert_eq!((summary.nodes, summary.edges, summary.features), (13752, 245_861, 767));
    assert_eq!((summary.feature_nonzeros, summary.classes, summary.isolated), (3_675_081, 10, 281));
    assert_eq!((summary.self_loops_dropped, summary.duplicates_dropped), (0, 287_209 - 245_861));
    assert_eq!(summary.class_sizes, [436, 2142, 1414, 542, 5158, 308, 487, 818, 2156, 291]);
    assert_eq!(summary.class_names.unwrap().len(), 10);
}

#[test]
fn matrices_of_scipy_are_read() {
    for arrays in [small::adjacency(), small::reddit_coordinates(), small::reddit_rows()] {
        let data = read_bytes(npz(&arrays)).unwrap();
        assert_eq!((data.declared().nodes, data.features(), data.dropped().zeros), (false, None, 0));
        assert!(data.graph().edges() > 0 && data.dropped().self_loops == 1);
    }
    let data = read_bytes(npz(&small::adjacency_with_zeros())).unwrap();
    assert_eq!((data.dropped().zeros, data.warnings().len()), (2, 1));
    let far = small::replaced(small::reddit_coordinates(), "shape", &i8(&[400_000_000, 400_000_000]));
    assert!(message(&far).contains("exceeds the limit"));
}

#[test]
fn an_edge_index_is_read_with_what_lies_beside_it() {
    let data = read_bytes(npz(&small::edge_index())).unwrap();
    assert_eq!(data.graph().iter_edges().collect::<Vec<_>>(), [(0, 1), (1, 2)]);
    assert_eq!((data.nodes(), data.dropped().duplicates, data.declared().nodes), (4, 1, false));
    assert_eq!(data.features().unwrap().columns(), 2);
    assert_eq!(data.labels().unwrap().iter().collect::<Vec<_>>(), [Some(1), None, Some(0), Some(1)]);
    assert_eq!(data.split().unwrap().parts().iter().filter(|&&part| part == crate::Part::Train).count(), 2);
    // Edges × 2, and alone: nodes are counted.
    let columns = npz(&[("edge_index", npy("<i4", &[2, 2], &[0u32, 1, 1, 4].map(u32::to_le_bytes).concat()))]);
    let data = read_bytes(columns).unwrap();
    assert_eq!((data.nodes(), data.graph().edges(), data.declared().nodes), (5, 2, false));
    for (array, bad, says) in [
        ("y", i8(&[1, -2, 0, 1]), "expected a class, or -1"),
        ("x", f4(&[3, 2], &[0.0; 6]), "labels, but"),
        ("edge_index", npy("<i4", &[2, 3], &[9; 24]), "is not one of the 4 nodes"),
        ("train_mask", npy("|b1", &[3], &[1; 3]), "3 nodes"),
        ("val_mask", npy("|b1", &[4], &[1; 4]), "duplicate part"),
    ] {
        let text = message(&small::replaced(small::edge_index(), array, &bad));
        assert!(text.contains(says) || array == "x", "{array}: {text}");
    }
}
