use std::fs;
use std::io::Write;

use super::*;

const FILES: [(&str, &str); 7] = [
    ("raw/edge.csv", "0,1\n1,0\n1,2\n3,3\n"),
    ("raw/node-feat.csv", "0.5,-1\n1e-3,2\n0,0\n-0.25,3.5\n"),
    ("raw/node-label.csv", "2\n0\n0\n1\n"),
    ("raw/num-node-list.csv", "4\n"),
    ("split/time/train.csv", "0\n"),
    ("split/time/valid.csv", "2\n"),
    ("split/time/test.csv", "1\n"),
];

fn folder(gzip: bool) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    for (name, content) in FILES {
        let path = home.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if gzip {
            let file = fs::File::create(format!("{}.gz", path.display())).unwrap();
            let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::default());
            packed.write_all(content.as_bytes()).unwrap();
            packed.finish().unwrap();
        } else {
            fs::write(path, content).unwrap();
        }
    }
    home
}

#[test]
fn a_small_archive_is_read_from_the_folder_and_from_raw() {
    for gzip in [true, false] {
        let home = folder(gzip);
        let data = crate::read::open(home.path()).unwrap();
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
    let home = folder(false);
    let check = |name: &str, bad: &str, wanted: &str| {
        let path = home.path().join(name);
        let good = fs::read(&path).unwrap();
        fs::write(&path, bad).unwrap();
        let message = read(&Entries::of(home.path()).unwrap()).unwrap_err().to_string();
        let message = message.strip_prefix(home.path().to_str().unwrap()).unwrap();
        assert!(message.starts_with(&format!("/{name}{wanted}")), "{message}");
        fs::write(&path, good).unwrap();
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
    fs::remove_file(home.path().join("split/time/test.csv")).unwrap();
    let message = read(&Entries::of(home.path()).unwrap()).unwrap_err().to_string();
    assert!(message.contains("test.csv.gz: missing (a split has three parts)"), "{message}");
}
