//! Recognition of layouts, and the real data sets.

use super::*;
use crate::dataset::Summary;
use crate::testing::real_data;

/// A folder of good files, which a test changes.
pub(in crate::read) struct Folder(tempfile::TempDir);

impl Folder {
    pub(in crate::read) fn of(files: impl IntoIterator<Item = (impl AsRef<str>, impl AsRef<[u8]>)>) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        files.into_iter().for_each(|(name, content)| folder.put(name, content));
        folder
    }

    pub(in crate::read) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(in crate::read) fn put(&self, name: impl AsRef<str>, content: impl AsRef<[u8]>) {
        let path = self.path().join(name.as_ref());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Writes a file, and returns its path.
    pub(in crate::read) fn file(&self, name: &str, content: &[u8]) -> std::path::PathBuf {
        self.put(name, content);
        self.path().join(name)
    }

    pub(in crate::read) fn entries(&self) -> Entries {
        Entries::of(self.path()).unwrap()
    }

    pub(in crate::read) fn read(&self) -> Result<Dataset, ReadError> {
        open(self.path())
    }

    /// An error of reading it, from the name of the file on.
    pub(in crate::read) fn message(&self, result: Result<Dataset, ReadError>) -> String {
        let message = result.expect_err("should be refused").to_string();
        let message = message.strip_prefix(self.path().to_str().unwrap()).expect("the file comes first");
        message.trim_start_matches('/').to_owned()
    }

    /// The error with another content of one file, which it names; then the file is as before.
    pub(in crate::read) fn message_with(&self, name: &str, bad: impl AsRef<[u8]>) -> String {
        let good = std::fs::read(self.path().join(name)).unwrap();
        self.put(name, bad);
        let message = self.message(self.read());
        assert!(message.starts_with(name), "{message}");
        self.put(name, good);
        message[name.len()..].to_owned()
    }
}

#[test]
fn the_shared_folders_have_the_counts_of_their_table() {
    // name; nodes, edges, isolated, features, nonzeros, classes; class sizes; split
    type Row = (&'static str, [usize; 6], &'static [usize], Option<[usize; 3]>);
    let table: [Row; 5] = [
        ("cora", [2708, 5278, 0, 1433, 49216, 7], &[351, 217, 418, 818, 426, 298, 180], Some([140, 500, 1000])),
        ("citeseer", [3327, 4552, 48, 3703, 105_165, 6], &[264, 590, 668, 701, 596, 508], Some([120, 500, 1000])),
        (
            "amazon_computers",
            [13752, 245_861, 281, 767, 3_675_081, 10],
            &[436, 2142, 1414, 542, 5158, 308, 487, 818, 2156, 291],
            None,
        ),
        ("twitch_de", [9498, 153_138, 0, 3170, 193_132, 2], &[3756, 5742], None),
        ("twitch_es", [4648, 59382, 0, 3170, 89798, 2], &[3288, 1360], None),
    ];
    for (name, counts, class_sizes, split) in table {
        let Some(path) = real_data(name) else { continue };
        assert_eq!(recognise(&path).unwrap(), Layout::Folder);
        let summary: Summary = open(&path).unwrap().summary();
        let found = [
            summary.nodes as usize,
            summary.edges,
            summary.isolated,
            summary.features,
            summary.feature_nonzeros,
            summary.classes as usize,
        ];
        assert_eq!((summary.name.as_str(), found), (name, counts));
        assert_eq!((summary.class_sizes.as_slice(), summary.split), (class_sizes, split), "{name}");
        assert_eq!((summary.self_loops_dropped, summary.duplicates_dropped), (0, 0), "{name}");
        assert_eq!(summary.class_names.is_some(), path.join("classes.csv").exists(), "{name}");

        // The same edges as a plain list, which lacks only the isolated nodes.
        let list = open(&path.join("edges.csv")).unwrap().summary();
        assert_eq!((list.nodes as usize + counts[2], list.edges, list.name.as_str()), (counts[0], counts[1], "edges"));
    }
}

#[test]
fn unknown_layouts_are_refused_with_a_list_of_known_ones() {
    let folder = tempfile::tempdir().unwrap();
    let error = open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("the folder is empty; known layouts are: "), "{error}");
    assert!(error.contains("a folder with any of edges.csv"), "{error}");
    for name in ["b.xyz", "a.doc"] {
        std::fs::write(folder.path().join(name), "x").unwrap();
    }
    std::fs::create_dir(folder.path().join("edges.csv")).unwrap();
    let error = open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("found a.doc, b.xyz, which is not a known layout; known layouts are: "), "{error}");
    assert!(matches!(recognise(&folder.path().join("b.xyz")), Err(ReadError::Unrecognised { .. })));
    assert!(matches!(open(&folder.path().join("nothing")), Err(ReadError::Io { .. })));
}

#[test]
fn a_table_with_and_without_gzip_is_ambiguous() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["edges.csv", "edges.csv.gz"] {
        std::fs::write(folder.path().join(name), "src,dst\n0,1\n").unwrap();
    }
    let error = open(folder.path()).unwrap_err().to_string();
    assert!(error.ends_with("edges.csv.gz: duplicate table edges"), "{error}");
}

#[test]
fn data_sets_are_named_after_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("friends.tsv.gz");
    std::fs::write(&file, "0\t1\n").unwrap();
    assert_eq!(open(&file).unwrap().name(), "friends");
    assert_eq!(Entries::of(folder.path()).unwrap().names(), ["friends.tsv.gz"]);
}

#[cfg(not(feature = "parquet"))]
#[test]
fn tables_without_the_feature_give_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edges.parquet");
    std::fs::write(&path, "PAR1").unwrap();
    for path in [path.as_path(), folder.path()] {
        assert!(matches!(open(path), Err(ReadError::MissingFeature { feature: "parquet", .. })));
        assert!(open(path).unwrap_err().to_string().contains("built without the cargo feature \"parquet\""));
    }
}
