use std::fs;

use super::super::fixtures::{npy, npz};
use super::*;

const GOOD_EDGES: &str = "node_id\tnode_id\n0\t2\n2\t0\n1\t1\n2\t1\n";
const GOOD_NODES: &str = "node_id\tfeature\tlabel\n2\t0,1,0,1\t3\n0\t0,0,0,0\t0\n1\t1,0,0,0\t1\n";

fn folder() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join(EDGES), GOOD_EDGES).unwrap();
    fs::write(home.path().join(NODES), GOOD_NODES).unwrap();
    home
}

#[test]
fn a_small_chameleon_is_read() {
    let home = folder();
    let data = crate::read::open(home.path()).unwrap();
    assert_eq!((data.nodes(), data.graph().edges()), (3, 2));
    assert_eq!((data.dropped().duplicates, data.dropped().self_loops), (1, 1));
    let wanted = Sparse::from_triples(3, 4, &[(1, 0, 1.0), (2, 1, 1.0), (2, 3, 1.0)]).unwrap();
    assert_eq!(data.features(), Some(&Features::Sparse(wanted)));
    assert_eq!(data.labels().unwrap().iter().collect::<Vec<_>>(), [Some(0), Some(1), Some(3)]);
    assert_eq!(data.labels().unwrap().classes(), 4);
}

const SPLIT: &str = "small_split_0.6_0.2_0.npz";

fn masks(masks: [&[u8]; 3]) -> Vec<u8> {
    let [train, val, test] = masks.map(|mask| npy("|u1", &[mask.len()], mask));
    npz(&[("train_mask", train), ("val_mask", val), ("test_mask", test)])
}

#[test]
fn the_first_split_is_read_from_its_masks() {
    let home = folder();
    let path = home.path().join(SPLIT);
    fs::write(home.path().join("small_split_0.6_0.2_1.npz"), b"not looked at").unwrap();
    fs::write(&path, masks([&[0, 1, 0], &[0, 0, 0], &[1, 0, 0]])).unwrap();
    let data = crate::read::open(home.path()).unwrap();
    assert_eq!(data.split().unwrap().parts(), [Part::Test, Part::Train, Part::None]);
    for (bad, wanted) in [
        (masks([&[0, 1], &[0, 0], &[1, 0]]), "2 entries of the mask, but 3 are declared"),
        (masks([&[0, 1, 0], &[0, 1, 0], &[1, 0, 0]]), "duplicate part of node 1"),
        (masks([&[0, 7, 0], &[0, 1, 0], &[1, 0, 0]]), "found \"7\", expected 0 or 1"),
    ] {
        fs::write(&path, bad).unwrap();
        let message = crate::read::open(home.path()).unwrap_err().to_string();
        assert!(message.starts_with(path.to_str().unwrap()) && message.contains(wanted), "{message}");
    }
}

#[test]
fn errors_name_file_line_and_column() {
    let home = folder();
    let check = |name: &str, bad: &str, wanted: &str| {
        let path = home.path().join(name);
        let good = fs::read(&path).unwrap();
        fs::write(&path, bad).unwrap();
        let message = read(&Entries::of(home.path()).unwrap()).unwrap_err().to_string();
        let message = message.strip_prefix(home.path().to_str().unwrap()).unwrap();
        assert!(message.starts_with(&format!("/{name}{wanted}")), "{message}");
        fs::write(&path, good).unwrap();
    };
    let nodes = |rows: &str| format!("node_id\tfeature\tlabel\n{rows}");
    check(EDGES, "a\tb\n", ":1: found \"a\\tb\", expected the header");
    check(EDGES, "node_id\tnode_id\n0\t1\n0\t3\n", ":3:2: node 3 is not one of the 3 nodes");
    check(NODES, &nodes("0\t1,0\n"), ":2: found \"0\\t1,0\", expected 3 fields");
    check(NODES, &nodes("0\t1,0\t0\n1\t1,x\t0\n"), ":3:2: found \"x\", expected a finite number as feature 1");
    check(NODES, &nodes("0\t1,0\t0\n1\t1,inf\t0\n"), ":3:2: found \"inf\"");
    check(NODES, &nodes("0\t1,0\t0\n1\t1\t0\n2\t1,1\t0\n"), ":3:2: 1 features, but 2 are declared");
    check(NODES, &nodes("0\t1,0\t-1\n"), ":2:3: found \"-1\"");
    check(NODES, &nodes("0\t1,0\t0\n2\t1,0\t0\n0\t1,0\t0\n"), ":4: duplicate line of node 0");
    fs::remove_file(home.path().join(NODES)).unwrap();
    let message = read(&Entries::of(home.path()).unwrap()).unwrap_err().to_string();
    assert!(message.contains("out1_node_feature_label.txt: missing"), "{message}");
}
