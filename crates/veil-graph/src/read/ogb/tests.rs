use super::*;
use crate::read::fixtures::gzip;
use crate::read::fixtures::small::OGB;
use crate::read::tests::Folder;

#[test]
fn a_small_archive_is_read_from_the_folder_and_from_raw() {
    let packed = OGB.map(|(name, content)| (format!("{name}.gz"), gzip(content.as_bytes())));
    for home in [Folder::of(OGB), Folder::of(packed)] {
        let data = home.read().unwrap();
        assert_eq!((data.nodes(), data.graph().edges()), (4, 2));
        assert_eq!((data.dropped().duplicates, data.dropped().self_loops), (1, 1));
        let wanted = Matrix::from_values(4, 2, vec![0.5, -1.0, 1e-3, 2.0, 0.0, 0.0, -0.25, 3.5]).unwrap();
        assert_eq!(data.features(), Some(&Features::Dense(wanted)));
        assert_eq!(data.labels().unwrap().iter().flatten().collect::<Vec<_>>(), [2, 0, 0, 1]);
        assert_eq!(data.split().unwrap().parts(), [Part::Train, Part::Test, Part::Val, Part::None]);
        assert_eq!(crate::read::open(&home.path().join("raw")).unwrap(), data);
    }
}

#[test]
fn errors_name_file_line_and_column() {
    let home = Folder::of(OGB);
    let check = |name: &str, bad: &str, wanted: &str| {
        let message = home.message_with(name, bad);
        assert!(message.starts_with(wanted), "{message}");
    };
    check("raw/edge.csv", "0,1\n1,4\n", ":2:2: node 4 is not one of the 4 nodes");
    check("raw/edge.csv", "0,1\n1\n", ":2: found \"1\", expected 2 fields");
    check("raw/node-feat.csv", "1,2\n3\n", ":2: 1 features, but 2 are declared");
    check("raw/node-feat.csv", "1,2\n3,NaN\n", ":2:2: found \"NaN\", expected a finite number");
    check("raw/node-feat.csv", "1,2\n3,4\n", ": 2 rows of features, but 4 are declared");
    check("raw/node-label.csv", "1\n2\n", ": 2 labels, but 4 are declared");
    check("raw/node-label.csv", "1\n2\n1\n1048576\n", ":4:1: found \"1048576\", expected a class below");
    check("raw/num-node-list.csv", "4\n4\n", ": 2 graphs, but 1 are declared");
    check("raw/num-node-list.csv", "4294967295\n", ":1:1: the number of nodes, for files of this size, exceeds");
    check("split/time/valid.csv", "2\n0\n", ":2:1: duplicate part of node 0");
    std::fs::remove_file(home.path().join("split/time/test.csv")).unwrap();
    let message = home.message(home.read());
    assert!(message.contains("test.csv.gz: missing (a split has three parts)"), "{message}");
}
