//! Planetoid files: a small data set pickled by the test, the real ones, and hostile pickles.

use std::collections::BTreeSet;
use std::time::Instant;

use super::*;
use crate::read::fixtures::pickle::{Writer, one_hot, six_nodes};
use crate::read::open;
use crate::read::tests::Folder;
use crate::testing::real_data;

fn with(changes: &[(&'static str, Vec<u8>)]) -> Result<Dataset, ReadError> {
    let folder = Folder::of(six_nodes());
    changes.iter().for_each(|(name, bytes)| folder.put(name, bytes));
    folder.read()
}

fn message(name: &'static str, bytes: Vec<u8>) -> String {
    let text = with(&[(name, bytes)]).expect_err("should be refused").to_string();
    assert!(text.contains("ind.six."), "{text}");
    text
}

#[test]
fn a_small_data_set_is_assembled() {
    let dataset = with(&[]).unwrap();
    assert_eq!((dataset.name(), dataset.nodes()), ("six", 6));
    assert_eq!(dataset.graph().iter_edges().collect::<Vec<_>>(), [(0, 1), (1, 2), (3, 5)]);
    assert_eq!((dataset.dropped().self_loops, dataset.dropped().duplicates), (1, 3));
    let features = dataset.features().unwrap();
    assert_eq!((features.value(1, 1), features.value(1, 3)), (1.0, 1.0));
    assert_eq!((features.value(5, 2), features.value(3, 1), features.nonzeros()), (5.0, 3.0, 5));
    assert_eq!(dataset.labels().unwrap().iter().flatten().collect::<Vec<_>>(), [0, 1, 1, 0, 0, 1]);
    let split = dataset.split().unwrap();
    let nodes = |part| split.nodes(part).collect::<Vec<_>>();
    assert_eq!((nodes(Part::Train), nodes(Part::Val), nodes(Part::Test)), (vec![0], vec![1, 2], vec![3, 5]));
}

#[test]
fn a_path_may_name_the_folder_or_a_file() {
    let folder = Folder::of(six_nodes());
    for path in ["ind.six.graph", "ind.six.test.index"] {
        assert_eq!(open(&folder.path().join(path)).unwrap().nodes(), 6);
    }
    folder.put("ind.other.graph", "");
    let text = folder.read().unwrap_err().to_string();
    assert!(text.contains("other, six"), "{text}");
    assert!(open(&folder.path().join("ind.other.graph")).unwrap_err().to_string().contains("ind.other.allx: missing"));
    assert!(
        looks_like(&Entries::named(&["ind.six.graph"]))
            && looks_like(&Entries::named(&["README", "ind.six.test.index"]))
    );
    assert!(!looks_like(&Entries::named(&["ind.graph", "ind.txt", "x"])));
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    assert!(message("ind.six.test.index", b"5\n2\n".to_vec()).contains("test.index:2:1"));
    assert!(message("ind.six.test.index", b"5\n5\n".to_vec()).contains("duplicate"));
    assert!(message("ind.six.test.index", b"5\n".to_vec()).contains("2 rows of features, but 1"));
    assert!(message("ind.six.test.index", b"5\n4000000000\n".to_vec()).contains("4000000000"));
    assert!(message("ind.six.test.index", b"5\nx\n".to_vec()).contains("\"x\""));
    assert!(message("ind.six.test.index", b"5\n\xff\n".to_vec()).contains("UTF-8"));
    assert!(message("ind.six.ally", one_hot(&[0, 1], "<")).contains("2 labels, but 3"));
    assert!(message("ind.six.y", one_hot(&[0, 1, 1, 1], "<")).contains("4 training labels"));
    assert!(message("ind.six.ty", Writer::new().array("i1", "|", &[2, 2], &[1, 1, 0, 1]).end()).contains("row 0"));
    assert!(message("ind.six.ty", Writer::new().array("O8", "|", &[2, 2], &[0; 32]).end()).contains("Python objects"));
    assert!(message("ind.six.ty", Writer::new().array("i4", "<", &[-2, 2], &[0; 16]).end()).contains("\"-2\""));
    let csr = |shape, offsets: &[i32], indices: &[i32]| Writer::new().csr(shape, offsets, indices, &[1.0]).end();
    assert!(message("ind.six.tx", csr([2, 5], &[0, 1, 1], &[0])).contains("5 columns"));
    assert!(message("ind.six.tx", csr([2, 4], &[0, 2, 1], &[0])).contains("do not fit"));
    assert!(message("ind.six.tx", csr([2, 4], &[0, 1, 1], &[-1])).contains("\"-1\""));
    assert!(message("ind.six.tx", csr([2, 4], &[0, 1, 1], &[4])).contains("column 4"));
    assert!(message("ind.six.tx", csr([2, i32::MAX], &[0, 1, 1], &[4])).contains("feature columns"));
    assert!(message("ind.six.graph", Writer::new().graph(&[(0, &[6])]).end()).contains("node 6"));
    assert!(message("ind.six.graph", Writer::new().graph(&[(-1, &[0])]).end()).contains("node -1"));
    assert!(message("ind.six.graph", Writer::new().graph(&[(0, &[]), (0, &[])]).end()).contains("duplicate node 0"));
    assert!(message("ind.six.graph", Writer::new().int(1).end()).contains("found a whole number, expected a dict"));
}

#[test]
fn only_known_names_and_opcodes_run() {
    let graph = |bytes: &[u8]| message("ind.six.graph", bytes.to_vec());
    let text = graph(b"\x80\x02cposix\nsystem\nU\x02id\x85R.");
    assert!(text.contains("byte 2") && text.contains("\"posix\" \"system\""), "{text}");
    assert!(graph(b"\x80\x02c__builtin__\neval\n.").contains("eval"));
    assert!(graph(b"\x80\x02c__builtin__\ndict\n.").contains("dict"));
    assert!(graph(b"\x80\x02K\x01)R.").contains("not a name"));
    assert!(graph(b"\x80\x02cnumpy\ndtype\n)R.").contains("Dtype"));
    assert!(graph(b"\x80\x02ccollections\ndefaultdict\nccollections\ndefaultdict\n\x85R.").contains("DefaultDict"));
    assert!(graph(b"\x80\x02cnumpy\nndarray\n)\x81.").contains("not a csr_matrix"));
    // A state that is set twice could build cycles.
    assert!(graph(b"\x80\x02cscipy.sparse.csr\ncsr_matrix\n)\x81}b}b.").contains("accepts none"));
    for opcode in [b'i', b'o', b'P', b'Q', b'I', b'S', b'0', b'2', 0x82, 0x8c, 0x93, 0x92, 0x95] {
        let text = graph(&[0x80, 2, b'N', opcode, 0, 0]);
        assert!(text.contains("byte 3") && text.contains(&format!("{opcode:#04x}")), "{text}");
    }
    assert!(graph(b"\x80\x04.").contains("protocol 4"));
    assert!(graph(b"\x80\x02h\x07.").contains("unknown memo 7"));
    assert!(graph(b"\x80\x02.").contains("stack is empty"));
    assert!(graph(b"\x80\x02N(.").contains("stack is empty"), "a mark is a floor");
    assert!(graph(b"\x80\x02T\xff\xff\xff\xff.").contains("truncated"));
    assert!(graph(b"\x80\x02").contains("truncated"));
    assert!(graph(b"").contains("truncated"));
    assert!(graph(b"\x80\x02}(Nu.").contains("without a value"));
    assert!(graph(b"\x80\x02}Na.").contains("expected a list"));
    assert!(graph(b"\x80\x02\x8a\x09........ .").contains("9 bytes"));
    assert!(graph(b"\x80\x02Nt.").contains("no mark"));
}

#[test]
fn whole_numbers_of_any_width_are_read() {
    // The key of a node: 4 as a long of one byte, 0 as one of no bytes, −1 as one of two.
    let graph = |long: &[u8]| [b"\x80\x02}\x8a", long, b"](K\x01K\x02es."].concat();
    let has = |long, edge: (u32, u32)| {
        let dataset = with(&[("ind.six.graph", graph(long))]).unwrap();
        dataset.graph().has_edge(edge.0, edge.1)
    };
    assert!(has(b"\x01\x04", (4, 2)) && has(b"\x00", (0, 1)));
    assert!(message("ind.six.graph", graph(b"\x02\xff\xff")).contains("node -1"));
}

#[test]
fn deep_and_repetitive_pickles_are_harmless() {
    let start = Instant::now();
    // A million nested tuples.
    let deep = [b"\x80\x02N".as_slice(), &b"\x85".repeat(1_000_000), b"."].concat();
    assert!(message("ind.six.graph", deep).contains("expected a dict"));
    assert!(message("ind.six.graph", b"(".repeat(1_000_000)).contains("marks"));
    // Each list contains the previous one ten times: 10³⁰ members if they were copied.
    let mut laughs = b"\x80\x02]q\x00".to_vec();
    for level in 0..30u8 {
        laughs.extend([b']', b'q', level + 1, b'(']);
        (0..10).for_each(|_| laughs.extend([b'h', level]));
        laughs.push(b'e');
    }
    laughs.push(b'.');
    assert!(message("ind.six.graph", laughs).contains("expected a dict"));
    // One long list as the neighbours of every node.
    let long = [b"\x80\x02]q\x00(".as_slice(), &b"K\x00".repeat(10_000), b"eq\x00}("].concat();
    let keys: Vec<u8> = (0..6).flat_map(|node| [b'K', node, b'h', 0]).collect();
    let text = message("ind.six.graph", [long.as_slice(), &keys, b"u."].concat());
    assert!(text.contains("more links than the file has bytes"), "{text}");
    // A list that contains itself.
    assert!(message("ind.six.graph", b"\x80\x02]q\x00h\x00a.".to_vec()).contains("a list, expected a dict"));
    assert!(start.elapsed().as_secs() < 60);
}

/// The rows of a CSV file without quotes, as numbers; words become their index in `words`.
fn table(path: &Path, words: &[&str]) -> Vec<(u32, u32)> {
    let text = std::fs::read_to_string(path).unwrap();
    let number = |field: &str| {
        let word = words.iter().position(|word| *word == field).map(|place| place as u32);
        word.unwrap_or_else(|| field.parse().unwrap())
    };
    text.lines().skip(1).map(|line| line.split_once(',').unwrap()).map(|(a, b)| (number(a), number(b))).collect()
}

#[test]
fn cora_and_citeseer_equal_their_text_files() {
    for (name, nonzeros, loops, links) in [("cora", 49216, 0, 10858), ("citeseer", 105_165, 124, 9464)] {
        let Some(folder) = real_data(name) else { continue };
        let dataset = open(&folder.join("raw")).unwrap();
        assert_eq!(dataset.name(), name);
        let edges = table(&folder.join("edges.csv"), &[]);
        assert_eq!(dataset.graph().iter_edges().collect::<Vec<_>>(), edges);
        let labels = dataset.labels().unwrap().iter().flatten();
        assert_eq!((0..).zip(labels).collect::<Vec<(u32, u32)>>(), table(&folder.join("labels.csv"), &[]));
        let parts = dataset.split().unwrap().parts();
        let known = (0..).zip(parts).filter(|(_, part)| **part != Part::None).map(|(node, part)| (node, *part as u32));
        let splits = table(&folder.join("splits.csv"), &["train", "val", "test"]);
        assert_eq!(known.collect::<BTreeSet<_>>(), splits.into_iter().collect::<BTreeSet<_>>());
        assert_eq!(dataset.features().unwrap().nonzeros(), nonzeros);
        assert_eq!(dataset.dropped().self_loops, loops);
        assert_eq!(dataset.dropped().duplicates, links - loops - edges.len());
    }
}
