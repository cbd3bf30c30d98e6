//! The GraphSAINT layout on small folders written by the tests.

use super::*;
use crate::read::fixtures::small::{adjacency, graphsaint as files, replaced};
use crate::read::fixtures::{i4, i8, npy, npz};
use crate::read::tests::Folder;
use crate::split::Part;

fn with(name: &'static str, bytes: &[u8]) -> Result<Dataset, ReadError> {
    let folder = Folder::of(files());
    folder.put(name, bytes);
    folder.read()
}

fn message(name: &'static str, bytes: &[u8]) -> String {
    format!("{name}{}", Folder::of(files()).message_with(name, bytes))
}

#[test]
fn a_small_folder_is_read() {
    let dataset = with("README", b"").unwrap();
    assert_eq!(dataset.graph().iter_edges().collect::<Vec<_>>(), [(0, 1), (1, 2)]);
    assert_eq!((dataset.dropped().self_loops, dataset.dropped().duplicates), (1, 2));
    assert_eq!(dataset.features().unwrap().value(2, 1), 5.0);
    assert_eq!(dataset.labels().unwrap().iter().collect::<Vec<_>>(), [Some(2), Some(1), None, Some(0)]);
    assert_eq!(dataset.split().unwrap().parts(), [Part::Train, Part::Train, Part::Test, Part::Val]);
    assert!(looks_like(&Entries::named(&[
        "adj_full.npz",
        "adj_train.npz",
        "class_map.json",
        "feats.npy",
        "role.json"
    ])));
    assert!(!looks_like(&Entries::named(&["adj_full.npz"])));
}

#[test]
fn coordinates_are_read_as_well_as_rows() {
    let arrays = [
        ("row", i4(&[0, 2])),
        ("col", i4(&[1, 1])),
        ("format", npy("<U3", &[], &utf32("coo"))),
        ("shape", i8(&[4, 4])),
    ];
    let dataset = with("adj_full.npz", &npz(&arrays)).unwrap();
    assert_eq!(dataset.graph().iter_edges().collect::<Vec<_>>(), [(0, 1), (1, 2)]);
}

fn utf32(text: &str) -> Vec<u8> {
    text.chars().flat_map(|letter| (letter as u32).to_le_bytes()).collect()
}

#[test]
fn errors_have_their_place() {
    let classes = |text: &str| message("class_map.json", text.as_bytes());
    assert!(classes(r#"{"0": [1, 1]}"#).contains("several labels"));
    assert!(classes(r#"{"0": [0, 0]}"#).contains("no class"));
    assert!(classes(r#"{"0": [0, 2]}"#).contains("zeros and ones"));
    assert!(classes("{\"0\": 1,\n \"4\": 1}").contains("class_map.json:2:"));
    assert!(classes(r#"{"0": 1, "0": 1}"#).contains("duplicate"));
    assert!(classes(r#"{"0": -1}"#).contains("a class"));
    assert!(classes(r#"{"0": "a"}"#).contains("a class"));
    assert!(classes(r#"{"0": 1e99}"#).contains("a class"));
    assert!(classes(r#"{"0": 4294967295}"#).contains("too large"));
    assert!(classes(r#"{"0": 4294967294}"#).contains("exceeds"));
    assert!(classes(r#"{"0": 1"#).contains("EOF"));
    assert!(classes(r#"{"0": 1} x"#).contains("trailing"));
    assert!(classes("[1, 2]").contains("maps nodes to classes"));
    assert!(classes(&format!("{{\"0\": {}", "[".repeat(100_000))).contains(":1:"));
    let roles = |text: &str| message("role.json", text.as_bytes());
    assert!(roles(r#"{"tr": [0], "va": [0], "te": []}"#).contains("duplicate node 0"));
    assert!(roles(r#"{"tr": [0], "va": []}"#).contains("\"te\" is missing"));
    assert!(roles(r#"{"tr": [-1], "va": [], "te": []}"#).contains("node -1"));
    assert!(roles(r#"{"tr": [4], "va": [], "te": []}"#).contains("node 4"));
    assert!(roles(r#"{"tr": [0.5], "va": [], "te": []}"#).contains("0.5"));
    assert!(roles(r#"{"tr": [], "tr": [], "va": [], "te": []}"#).contains("duplicate"));
    assert!(roles(&format!("{{\"x\": {}", "[".repeat(100_000))).contains(":1:"));
    assert!(message("feats.npy", &npy("<f4", &[1 << 40, 0], &[])).contains("nodes"));
    assert!(message("feats.npy", &npy("<f4", &[4, 0], &[])).contains("no columns"));
    let adjacency = |name, bytes: Vec<u8>| message("adj_full.npz", &npz(&replaced(adjacency(), name, &bytes)));
    assert!(adjacency("shape", i8(&[5, 5])).contains("5 nodes, but 4"));
    assert!(adjacency("format", npy("|S3", &[], b"bsr")).contains("\"bsr\""));
    assert!(adjacency("indices", i4(&[1, 0, 2, 1, 4])).contains("indices[4]: node 4"));
    let folder = Folder::of(files().into_iter().take(3));
    assert!(folder.message(read(&folder.entries())).contains("role.json: missing"));
}
