//! Broken folders and broken edge lists: an error that names a file, or a data set; never a panic.

mod hostile;

use hostile::{Input, check, gzip};

const META: &[u8] = br#"{
 "format": 1, "name": "small", "nodes": 6, "edges": 5, "features": 4, "classes": 3, "feature_nonzeros": 5,
 "directed": false, "feature_range": [0, 2]
}
"#;
const EDGES: &[u8] = b"src,dst\n0,1\n0,2\n1,2\n2,3\n3,4\n";
const FEATURES: &[u8] = b"node,feature,value\n0,0,1\n0,3,0.25\n1,1,1e-3\n3,2,2\n4,0,1\n";
const LABELS: &[u8] = b"node,label\n0,0\n1,2\n2,1\n3,1\n4,0\n";
const SPLITS: &[u8] = b"node,split\n0,train\n1,val\n2,test\n";
const CLASSES: &[u8] = b"label,name\n0,none\n1,\"one, or so\"\n2,two\n";
const NODES: &[u8] = b"node,name\n0,10\n1,11\n2,20\n3,30\n4,31\n5,4000000000000\n";
const RELEASED: &[u8] = br#"{"nodes": 3, "features": 9, "classes": 2,
 "encoding": {"offset": 0.5, "scale": 2.25, "signs_per_node": 2}}"#;
const SIGNS: &[u8] = b"node,feature,sign\n0,1,1\n0,8,-1\n1,0,-1\n1,4,1\n2,2,1\n2,3,1\n";

#[test]
fn broken_folders_are_refused_with_a_file() {
    let packed = [EDGES, FEATURES].map(gzip);
    let inputs = [
        Input::folder(&[
            ("meta.json", META),
            ("edges.csv", EDGES),
            ("features.csv.gz", &packed[1]),
            ("labels.csv", LABELS),
            ("splits.csv", SPLITS),
            ("classes.csv", CLASSES),
            ("nodes.csv", NODES),
        ]),
        Input::folder(&[("edges.csv.gz", &packed[0]), ("features.csv", FEATURES), ("labels.csv", LABELS)]),
        Input::folder(&[("meta.json", RELEASED), ("features.csv", SIGNS), ("labels.csv", b"node,label\n0,1\n2,0\n")]),
    ];
    let outcome = check("folder", &inputs, 200);
    // Of a fault in a hundred some are none (a number that becomes another one); most must be seen.
    assert!(outcome.refused > outcome.read, "{outcome:?}");
}

#[test]
fn broken_edge_lists_are_refused_with_the_file() {
    let numbers = b"# a comment\nsrc,dst,weight\n0,1,0.5\n1,2,1\n2,900,3\n900,0,1\n7,1,1\n4294967296,2,1\n";
    let inputs = [
        Input::file("list.csv", numbers),
        Input::file("list.tsv.gz", &gzip(b"from\tto\r\n3\t4\r\n4\t5\r\n5\t3\r\n17\t3\r\n")),
        Input::file("names.txt", b"ann bob\nbob eve\neve ann\nadam eve\n"),
        Input::file("quoted.csv", b"source,target\n\"smith, a\",\"o\"\"hara\"\neve,\"smith, a\"\n"),
    ];
    let outcome = check("edge list", &inputs, 100);
    assert!(outcome.refused > outcome.read / 2, "{outcome:?}");
}
