//! The files as other programs read them.

use std::io::Read;

use super::*;
use crate::graph::Dropped;

fn graph() -> Graph {
    Graph::from_edges(4, &[(2, 1), (0, 1), (3, 1)], Direction::Undirected).unwrap().graph
}

fn read(folder: &Path, name: &str) -> String {
    let bytes = std::fs::read(folder.join(name)).unwrap();
    if !name.ends_with(".gz") {
        return String::from_utf8(bytes).unwrap();
    }
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(bytes.as_slice()).read_to_string(&mut text).unwrap();
    text
}

fn meta(folder: &Path) -> serde_json::Value {
    serde_json::from_str(&read(folder, "meta.json")).unwrap()
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn every_part_has_its_file() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("out");
    let sparse = Sparse::from_triples(4, 3, &[(2, 1, 0.1), (0, 2, 1.0), (0, 0, 1.0)]).unwrap();
    let labels = Labels::new(2, [Some(1), None, Some(0), Some(1)]).unwrap();
    let dataset = Dataset::new("tiny", graph(), Dropped::default())
        .with_features(Features::Sparse(sparse))
        .and_then(|dataset| dataset.with_feature_range(0.0, 1.5))
        .and_then(|dataset| dataset.with_labels(labels.with_names(vec!["x".into(), "y, or z".into()]).unwrap()))
        .and_then(|dataset| dataset.with_split(Split::new(vec![Part::Train, Part::Val, Part::None, Part::Test])))
        .and_then(|dataset| {
            dataset.with_names(NodeNames::from_texts(["d", "c", "b", "a\"a"].map(String::from).to_vec()).unwrap())
        })
        .unwrap();
    write_folder(&dataset, &out).unwrap();

    assert_eq!(read(&out, "edges.csv"), "src,dst\n0,1\n1,2\n1,3\n");
    assert_eq!(read(&out, "features.csv.gz"), "node,feature,value\n0,0,1\n0,2,1\n2,1,0.1\n");
    assert_eq!(read(&out, "labels.csv"), "node,label\n0,1\n2,0\n3,1\n");
    assert_eq!(read(&out, "classes.csv"), "label,name\n0,x\n1,\"y, or z\"\n");
    assert_eq!(read(&out, "splits.csv"), "node,split\n0,train\n1,val\n3,test\n");
    assert_eq!(read(&out, "nodes.csv"), "node,name\n0,d\n1,c\n2,b\n3,\"a\"\"a\"\n");
    assert_eq!(
        meta(&out),
        serde_json::json!({
            "format": 1, "name": "tiny", "nodes": 4, "edges": 3, "directed": false, "features": 3,
            "feature_nonzeros": 3, "feature_type": "real", "feature_range": [0.0, 1.5], "classes": 2, "counted": ["nodes", "features", "classes"],
        })
    );
    assert!(matches!(write_folder(&dataset, &out), Err(WriteError::Exists { .. })));
}

#[test]
fn withheld_edges_do_not_look_like_no_edges() {
    let home = tempfile::tempdir().unwrap();
    let write = |name: &str, dataset: Dataset| {
        let out = home.path().join(name);
        write_folder(&dataset, &out).unwrap();
        assert_eq!(crate::read::open(&out).unwrap(), dataset);
        (files(&out), meta(&out))
    };
    let (files, meta) = write("withheld", Dataset::with_edges_withheld("tiny", 4));
    assert_eq!(files, ["meta.json"]);
    assert_eq!((&meta["edges_withheld"], meta.get("edges")), (&true.into(), None));
    let (files, meta) =
        write("empty", Dataset::new("tiny", Graph::empty(4, Direction::Undirected), Dropped::default()));
    assert_eq!(files, ["edges.csv", "meta.json"]);
    assert_eq!((meta.get("edges_withheld"), &meta["edges"]), (None, &0.into()));
}

#[test]
fn encoded_reports_are_signs_with_their_encoding() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("out");
    let encoded =
        Encoded::from_reports((4, 9, 1), (0.5, 4.25), vec![8, 0, 3, 4], vec![true, false, false, true]).unwrap();
    let dataset = Dataset::new("tiny", graph(), Dropped::default()).with_features(Features::Encoded(encoded)).unwrap();
    write_folder(&dataset, &out).unwrap();
    assert_eq!(read(&out, "features.csv.gz"), "node,feature,sign\n0,8,1\n1,0,-1\n2,3,-1\n3,4,1\n");
    let meta = meta(&out);
    assert_eq!(meta["feature_type"], "encoded");
    assert_eq!(meta["encoding"], serde_json::json!({"offset": 0.5, "scale": 4.25, "signs_per_node": 1}));
}

#[test]
fn dense_features_are_a_numpy_array() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("out");
    let matrix = Matrix::from_values(4, 2, vec![0.5, -1.0, 0.0, 3.0, 1.0, 2.0, 3.0, 4.0]).unwrap();
    let dataset = Dataset::new("tiny", graph(), Dropped::default()).with_features(Features::Dense(matrix)).unwrap();
    write_folder(&dataset, &out).unwrap();
    let bytes = std::fs::read(out.join("features.npy")).unwrap();
    assert_eq!(bytes[..8], *b"\x93NUMPY\x01\x00");
    let data = 10 + u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
    assert_eq!(data % 64, 0);
    assert_eq!(bytes[data - 1], b'\n');
    assert!(
        String::from_utf8_lossy(&bytes[10..data]).contains("'descr': '<f4', 'fortran_order': False, 'shape': (4, 2)")
    );
    assert_eq!((bytes.len() - data, &bytes[data..data + 4]), (32, 0.5f32.to_le_bytes().as_slice()));
    assert_eq!((&meta(&out)["feature_type"], &meta(&out)["feature_nonzeros"]), (&"real".into(), &7.into()));
}

#[test]
fn a_name_with_a_line_break_is_refused_and_nothing_is_written() {
    let home = tempfile::tempdir().unwrap();
    let names = NodeNames::from_texts(["a", "b", "c\nd", "e"].map(String::from).to_vec()).unwrap();
    let dataset = Dataset::new("tiny", graph(), Dropped::default()).with_names(names).unwrap();
    let error = write_folder(&dataset, &home.path().join("out")).unwrap_err();
    assert!(matches!(&error, WriteError::Content { .. }) && error.to_string().contains("line break"), "{error}");
    assert_eq!(files(home.path()), [""; 0]);
}
