use std::path::Path;

use crate::dataset::Dataset;
use crate::features::Features;
use crate::graph::Direction;
use crate::ids::NodeNames;
use crate::read::tests::Folder;
use crate::read::{ReadError, open};
use crate::split::Part;

const META: &str = r#"{"format": 1, "name": "small", "title": "ignored", "nodes": 5, "edges": 2, "features": 4,
 "classes": 3, "feature_nonzeros": 3, "feature_type": "real", "feature_range": [-1, 2]}"#;

/// A valid folder of five nodes, the last one isolated and without data.
const GOOD: [(&str, &str); 6] = [
    ("meta.json", META),
    ("edges.csv", "src,dst\n0,1\n2,3\n1,0\n3,3\n"),
    ("features.csv", "node,feature,value\n2,0,-0.5\n0,3,2\n0,1,1e-3\n1,1,0\n"),
    ("labels.csv", "node,label\r\n3,2\r\n0,1\r\n"),
    ("splits.csv", "node,split\n0,train\n3,test\n"),
    ("classes.csv", "label,name\n1,one\n0,\"zero, or nought\"\n2,two\n"),
];

fn read_with(changes: &[(&str, Option<&str>)]) -> Result<Dataset, ReadError> {
    let folder = Folder::of(GOOD);
    for (name, text) in changes {
        match text {
            Some(text) => folder.put(name, text),
            None => std::fs::remove_file(folder.path().join(name)).unwrap(),
        }
    }
    folder.read()
}

#[test]
fn a_folder_is_read_with_all_its_parts() {
    let dataset = read_with(&[]).unwrap();
    assert_eq!((dataset.name(), dataset.nodes(), dataset.graph().edges()), ("small", 5, 2));
    assert_eq!((dataset.dropped().self_loops, dataset.dropped().duplicates), (1, 1));
    assert_eq!(dataset.graph().direction(), Direction::Undirected);
    let features = dataset.features().unwrap();
    assert_eq!((features.rows(), features.columns(), features.nonzeros()), (5, 4, 3));
    assert_eq!(
        [(0, 3), (0, 1), (2, 0), (1, 1)].map(|(row, column)| features.value(row, column)),
        [2.0, 1e-3, -0.5, 0.0]
    );
    assert_eq!(dataset.feature_range(), Some((-1.0, 2.0)));
    let labels = dataset.labels().unwrap();
    assert_eq!(labels.iter().collect::<Vec<_>>(), [Some(1), None, None, Some(2), None]);
    assert_eq!(labels.names().unwrap(), ["zero, or nought", "one", "two"]);
    assert_eq!(dataset.split().unwrap().parts(), [Part::Train, Part::None, Part::None, Part::Test, Part::None]);
    assert_eq!(*dataset.names(), NodeNames::Range(5));
}

#[test]
fn repetitions_are_kept_only_in_declared_reports() {
    let meta = |more: &str| format!(r#"{{"format": 1, "nodes": 5, "features": 4, "classes": 3{more}}}"#);
    let edges = ("edges.csv", Some("src,dst\n2,3\n0,4\n0,1\n0,4\n"));
    let read = |more: &str, edges| read_with(&[("meta.json", Some(meta(more).as_str())), edges]);
    let reports = read(r#", "directed": true, "repeated_edges": true, "edges": 4"#, edges).unwrap();
    assert_eq!((reports.graph().neighbours(0), reports.graph().edges()), (&[1, 4, 4][..], 4));
    assert_eq!(reports.dropped().duplicates, 0);
    let edges_of_a_graph = read(r#", "directed": true, "edges": 3"#, edges).unwrap();
    assert_eq!((edges_of_a_graph.graph().neighbours(0), edges_of_a_graph.dropped().duplicates), (&[1, 4][..], 1));
    for (more, edges, says) in [
        (r#", "repeated_edges": true"#, edges, "only directed edges"),
        (r#", "directed": true, "repeated_edges": true, "edges": 3"#, edges, "4"),
        (r#", "directed": true, "repeated_edges": true"#, ("edges.csv", Some("src,dst\n0,0\n")), "itself"),
    ] {
        let problem = read(more, edges).unwrap_err().to_string();
        assert!(problem.contains(says), "{problem}");
    }
}

#[test]
fn without_meta_the_counts_come_from_the_files() {
    let dataset = read_with(&[("meta.json", None), ("nodes.csv", Some("node,name\n0,a\n1,b\n3,c\n2,d\n"))]).unwrap();
    assert_eq!((dataset.nodes(), dataset.labels().unwrap().classes()), (4, 3));
    assert_eq!(dataset.features().unwrap().columns(), 4);
    assert_eq!((dataset.names().name(3).as_ref(), dataset.names().node("d")), ("c", Some(2)));
    let lone = read_with(&[("meta.json", None), ("labels.csv", Some("node,label\n41,0\n"))]).unwrap();
    assert_eq!(lone.nodes(), 42);
}

#[test]
fn names_that_are_numbers_stay_numbers() {
    let numbers = "node,name\n0,10\n1,20\n2,30\n3,40\n4,99999999999\n";
    let dataset = read_with(&[("nodes.csv", Some(numbers))]).unwrap();
    assert_eq!(*dataset.names(), NodeNames::Numbers(vec![10, 20, 30, 40, 99_999_999_999]));
    let zeros = "node,name\n0,010\n1,20\n2,30\n3,40\n4,50\n";
    assert_eq!(read_with(&[("nodes.csv", Some(zeros))]).unwrap().names().name(0), "010");
}

#[test]
fn a_released_folder_may_have_no_edges_and_signs_for_features() {
    let meta = r#"{"nodes": 2, "features": 9, "encoding": {"offset": 0.5, "scale": 2.0, "signs_per_node": 2}}"#;
    let signs = "node,feature,sign\n1,7,1\n0,8,-1\n1,2,-1\n0,0,+1\n";
    let changes = [
        ("meta.json", Some(meta)),
        ("edges.csv", None),
        ("features.csv", Some(signs)),
        ("labels.csv", None),
        ("splits.csv", None),
    ];
    let dataset = read_with(&changes).unwrap();
    assert_eq!((dataset.graph().edges(), dataset.nodes()), (0, 2));
    let Some(Features::Encoded(encoded)) = dataset.features() else { panic!("not encoded") };
    assert_eq!((encoded.per_row(), encoded.offset(), encoded.scale()), (2, 0.5, 2.0));
    assert_eq!(encoded.row(1).collect::<Vec<_>>(), [(2, -1.0), (7, 1.0)]);
    assert_eq!((dataset.labels().unwrap().classes(), dataset.labels().unwrap().known()), (3, 0));

    let broken = [
        ("node,feature,sign\n1,7,1\n", "features.csv: 1 signs, but 4 are declared"),
        ("node,feature,sign\n1,7,1\n1,8,-1\n1,2,-1\n0,0,1\n", "features.csv: node 0 does not have the 2 signs"),
        ("node,feature,sign\n1,7,1\n1,7,-1\n0,2,-1\n0,0,1\n", "features.csv: column of a report, ascending"),
        ("node,feature,sign\n1,7,2\n", "features.csv:2:3: found \"2\", expected 1 or -1"),
        ("node,feature,value\n1,7,1\n", "meta.json, encoding: an encoding is declared"),
    ];
    for (text, expected) in broken {
        let mut changes = changes;
        changes[2].1 = Some(text);
        let error = read_with(&changes).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn packed_tables_and_directed_edges_are_read() {
    use std::io::Write;
    let folder = tempfile::tempdir().unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"src,dst\n0,1\n1,0\n").unwrap();
    std::fs::write(folder.path().join("edges.csv.gz"), packed.finish().unwrap()).unwrap();
    std::fs::write(folder.path().join("meta.json"), r#"{"directed": true, "edges": 2}"#).unwrap();
    let dataset = open(folder.path()).unwrap();
    assert_eq!((dataset.graph().direction(), dataset.graph().edges()), (Direction::Directed, 2));
    assert_eq!(Some(dataset.name()), folder.path().file_name().and_then(|name| name.to_str()));
}

#[test]
fn errors_have_their_place() {
    let meta = |from: &str, to: &str| META.replace(from, to);
    let cases: Vec<(&str, String, &str)> = vec![
        ("edges.csv", "src,dst\n0,5\n".into(), "edges.csv:2:2: node 5 is not one of the 5 nodes"),
        ("edges.csv", "src,dst\n0,1\n-1,2\n".into(), "edges.csv:3:1: found \"-1\", expected the number of a node"),
        ("edges.csv", "src,dst\n0,1,2\n".into(), "edges.csv:2: found \"0,1,2\", expected 2 fields"),
        ("edges.csv", "from,to\n0,1\n".into(), "edges.csv:1: found \"from,to\", expected the header \"src,dst\""),
        ("edges.csv", String::new(), "edges.csv: the table is empty"),
        ("edges.csv", "src,dst\n0,1\n".into(), "edges.csv: 1 edges, but 2 are declared"),
        ("features.csv", "node,feature,value\n0,0,NaN\n".into(), "features.csv:2:3: found \"NaN\", expected a finite"),
        ("features.csv", "node,feature,value\n0,0,1e400\n".into(), "features.csv:2:3: found \"1e400\""),
        (
            "features.csv",
            "node,feature,value\n0,4,1\n".into(),
            "features.csv:2:2: found \"4\", expected a feature below 4",
        ),
        ("features.csv", "node,feature,value\n0,1,1\n0,1,1\n".into(), "features.csv: row 0 has duplicate column 1"),
        ("features.csv", "node,feature,value\n0,1,1\n".into(), "features.csv: 1 feature nonzeros, but 3 are declared"),
        ("features.csv", "node,feature,sign\n0,1,1\n".into(), "meta.json, encoding: missing"),
        ("features.npy", "x".into(), "features.npy"),
        ("labels.csv", "node,label\n0,1\n\n0,1\n".into(), "labels.csv:4: duplicate label of node 0"),
        ("labels.csv", "node,label\n0,3\n".into(), "labels.csv:2:2: found \"3\", expected a label below 3"),
        ("splits.csv", "node,split\n0,train\n0,val\n".into(), "splits.csv:3: duplicate split of node 0"),
        ("splits.csv", "node,split\n0,tset\n".into(), "splits.csv:2:2: found \"tset\", expected train"),
        ("classes.csv", "label,name\n0,a\n1,b\n".into(), "classes.csv: 2 class names, but 3 are declared"),
        ("classes.csv", "label,name\n0,a\n1,b\n1,c\n".into(), "classes.csv:4: duplicate name of class 1"),
        ("nodes.csv", "node,name\n0,a\n".into(), "nodes.csv: 1 names of nodes, but 5 are declared"),
        ("nodes.csv", "node,name\n0,a\n1,b\n2,a\n3,c\n4,d\n".into(), "nodes.csv: duplicate name \"a\""),
        ("nodes.csv", "node,name\n0,\"a\n".into(), "nodes.csv:2:2: found \"a\", expected a closing quote"),
        ("meta.json", "{\"nodes\": 5,\n \"edges\": -2}".into(), "meta.json:2:"),
        ("meta.json", meta("\"format\": 1", "\"format\": 2"), "meta.json, format: found \"2\", expected version 1"),
        ("meta.json", meta("\"nodes\": 5", "\"nodes\": 4000000000"), "meta.json, nodes: the number of nodes exceeds"),
        ("meta.json", meta("\"nodes\": 5", "\"nodes\": 3"), "edges.csv:3:2: node 3 is not one of the 3 nodes"),
        ("meta.json", meta("\"classes\": 3", "\"classes\": 4000000"), "meta.json, classes: the number of classes"),
        ("meta.json", meta("[-1, 2]", "[2, 2]"), "meta.json, feature_range"),
        ("meta.json", meta("[-1, 2]", "[0, 1]"), "meta.json, feature_range: the features lie between -0.5 and 2"),
        ("meta.json", "{\"nodes\": 0}".into(), "edges.csv:2:1: node 0 is not one of the 0 nodes"),
    ];
    for (file, text, expected) in cases {
        let error = read_with(&[(file, Some(&text))]).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}\nis not\n{expected}");
    }
    let error = read_with(&[("edges.csv", None)]).unwrap_err().to_string();
    assert!(error.contains("edges.csv: missing (meta.json declares 2 edges)"), "{error}");
}

#[test]
fn ten_million_isolated_nodes_are_allowed_and_no_more_without_bytes() {
    let read_meta = |meta: &str| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("meta.json"), meta).unwrap();
        open(folder.path())
    };
    assert_eq!(read_meta(r#"{"nodes": 10000000}"#).unwrap().nodes(), 10_000_000);
    assert!(matches!(read_meta(r#"{"nodes": 10000001}"#), Err(ReadError::TooLarge { limit: 10_000_000, .. })));
    assert!(read_meta("{}").unwrap_err().to_string().contains("the folder has no nodes"));
    let undeclared = tempfile::tempdir().unwrap();
    std::fs::write(undeclared.path().join("edges.csv"), "src,dst\n0,268435455\n").unwrap();
    assert!(matches!(open(Path::new(undeclared.path())), Err(ReadError::NoSuchNode { .. })));
}

#[test]
fn nodes_named_only_by_edges_are_not_declared() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("edges.csv"), "src,dst\n0,1\n").unwrap();
    assert!(!crate::read::open(folder.path()).unwrap().declared().nodes);
    // Writing counted numbers does not declare them.
    let copy = folder.path().join("copy");
    crate::write::write_folder(&crate::read::open(folder.path()).unwrap(), &copy).unwrap();
    assert!(!crate::read::open(&copy).unwrap().declared().nodes);
    std::fs::write(folder.path().join("meta.json"), r#"{"nodes": 2}"#).unwrap();
    assert!(crate::read::open(folder.path()).unwrap().declared().nodes);
}
