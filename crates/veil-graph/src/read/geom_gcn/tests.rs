use super::*;
use crate::read::fixtures::npz;
use crate::read::fixtures::small::{self, GEOM_GCN};
use crate::read::tests::Folder;

#[test]
fn a_small_chameleon_is_read() {
    let data = Folder::of(GEOM_GCN).read().unwrap();
    assert_eq!((data.nodes(), data.graph().edges()), (3, 2));
    assert_eq!((data.dropped().duplicates, data.dropped().self_loops), (1, 1));
    let wanted = Sparse::from_triples(3, 4, &[(1, 0, 1.0), (2, 1, 1.0), (2, 3, 1.0)]).unwrap();
    assert_eq!(data.features(), Some(&Features::Sparse(wanted)));
    assert_eq!(data.labels().unwrap().iter().collect::<Vec<_>>(), [Some(0), Some(1), Some(3)]);
    assert_eq!(data.labels().unwrap().classes(), 4);
}

const SPLIT: &str = "small_split_0.6_0.2_0.npz";

fn masks(masks: [&[u8]; 3]) -> Vec<u8> {
    npz(&small::masks(masks))
}

#[test]
fn the_first_split_is_read_from_its_masks() {
    let home = Folder::of(GEOM_GCN);
    home.put("small_split_0.6_0.2_1.npz", "not looked at");
    home.put(SPLIT, masks([&[0, 1, 0], &[0, 0, 0], &[1, 0, 0]]));
    assert_eq!(home.read().unwrap().split().unwrap().parts(), [Part::Test, Part::Train, Part::None]);
    for (bad, wanted) in [
        (masks([&[0, 1], &[0, 0], &[1, 0]]), "2 entries of the mask, but 3 are declared"),
        (masks([&[0, 1, 0], &[0, 1, 0], &[1, 0, 0]]), "duplicate part of node 1"),
        (masks([&[0, 7, 0], &[0, 1, 0], &[1, 0, 0]]), "found \"7\", expected 0 or 1"),
    ] {
        let message = home.message_with(SPLIT, bad);
        assert!(message.contains(wanted), "{message}");
    }
}

#[test]
fn errors_name_file_line_and_column() {
    let home = Folder::of(GEOM_GCN);
    let check = |name: &str, bad: &str, wanted: &str| {
        let message = home.message_with(name, bad);
        assert!(message.starts_with(wanted), "{message}");
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
    std::fs::remove_file(home.path().join(NODES)).unwrap();
    let message = home.message(read(&home.entries()));
    assert!(message.contains("out1_node_feature_label.txt: missing"), "{message}");
}
