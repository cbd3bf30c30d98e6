//! Tables as people have them, and what they become.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, ListArray, RecordBatch, StringArray,
    types::Int32Type,
};

use super::*;
use crate::features::Features;
use crate::graph::Direction;
use crate::read::fixtures::gzip;
use crate::read::fixtures::small::{BARE_GRAPH_ML, GRAPH_ML, NODE_LINK};

const EDGES: &str = "\u{feff}follower,followee,since\r\nu2,u1,2020\r\nu1,\"u,3\",2021\r\nu1,u2,2020\r\nu2,u2,2019\r\n";
const USERS: &str = "user,age,country,pro,tags,plan,bio,born\r\n\
    u1,30,DE,yes,a|b,free,\"one, two\",2000-01-01\r\n\
    u2,,FR,no,b,paid,\"lines\nand \"\"quotes\"\"\",2001-01-01\r\n\
    \"u,3\",50,,yes,,,x,2002-01-01\r\n";

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn request(edges: Option<PathBuf>, nodes: Option<PathBuf>) -> Request {
    let ends = edges.as_ref().map(|_| ["follower", "followee"].map(str::to_owned));
    Request { edges, nodes, ends, ..Request::default() }
}

/// Edges and users with a label and these features.
fn users(home: &Home, users: &str, features: &[&str]) -> Request {
    Request {
        label: Some("plan".to_owned()),
        features: FeatureColumns::These(words(features)),
        ..request(Some(home.file("follows.csv", EDGES)), Some(home.file("users.csv", users)))
    }
}

fn row(data: &Dataset, name: &str) -> Vec<f32> {
    let features = data.features().unwrap();
    let node = data.names().node(name).unwrap() as usize;
    (0..features.columns() as u32).map(|column| features.value(node, column)).collect()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

#[test]
fn messy_csvs_become_a_data_set_and_everything_is_said() {
    let home = Home::new();
    let request = Request {
        ranges: vec![("age".to_owned(), 0.0, 100.0)],
        ..users(&home, USERS, &["age", "country", "pro", "tags"])
    };
    let Imported { dataset: data, report } = import(&request).unwrap();
    assert_eq!((data.name(), data.nodes(), data.graph().edges()), ("follows", 3, 2));
    assert_eq!((data.dropped().self_loops, data.dropped().duplicates), (1, 1));
    // age, age missing | DE, FR, country missing | pro | a, b, tags missing
    assert_eq!(row(&data, "u1"), [0.3, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0]);
    assert_eq!(row(&data, "u2"), [0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!(row(&data, "u,3"), [0.5, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0]);
    let labels = data.labels().unwrap();
    assert_eq!(labels.names().unwrap(), ["free", "paid"]);
    assert_eq!(labels.get(data.names().node("u,3").unwrap()), None);
    assert_eq!(data.feature_range(), Some((0.0, 1.0)));
    let declared = data.declared();
    assert_eq!((declared.nodes, declared.dimensions, declared.classes), (true, false, false));
    for (said, part) in [
        (&report.dropped, "column since"),
        (&report.dropped, "bio, born"),
        (&report.dropped, "1 duplicate edges"),
        (&report.dropped, "1 self loops"),
        (&report.guessed, "the id of a node is in column user"),
        (&report.guessed, "edges have no direction"),
        (&report.guessed, "country holds categories"),
        (&report.guessed, "tags holds lists"),
        (&report.given, "the range of the features, 0 to 1"),
        (&report.collected, "the categories of country"),
        (&report.collected, "the classes of plan"),
    ] {
        assert!(said.iter().any(|said| said.contains(part)), "{part:?} is missing in {said:?}");
    }
    let missing: Vec<(&str, usize)> = report.columns.iter().map(|it| (it.column.as_str(), it.missing)).collect();
    assert_eq!(missing, [("plan", 1), ("age", 1), ("country", 1), ("pro", 0), ("tags", 1)]);
}

#[test]
fn what_is_given_makes_every_fact_independent_of_the_data() {
    let home = Home::new();
    let list = |column: &str, given: &[&str]| (column.to_owned(), words(given));
    let request = Request {
        ranges: vec![("age".to_owned(), 0.0, 100.0)],
        categories: vec![list("country", &["FR", "*"]), list("tags", &["c", "b", "a"])],
        classes: Some(words(&["paid", "free", "other"])),
        missing: MissingValues::IndicatedIn(words(&["age", "country", "tags", "pro"])),
        direction: Some(Direction::Directed),
        ..users(&home, USERS, &["age", "country", "pro", "tags"])
    };
    let Imported { dataset: data, report } = import(&request).unwrap();
    let declared = data.declared();
    assert_eq!((declared.nodes, declared.dimensions, declared.classes), (true, true, true));
    assert_eq!((data.graph().direction(), data.graph().edges()), (Direction::Directed, 3));
    assert_eq!(row(&data, "u1"), [0.3, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0]);
    assert_eq!(data.labels().unwrap().get(data.names().node("u2").unwrap()), Some(0));
    assert!(report.collected.is_empty(), "{:?}", report.collected);
    // What is not given is refused, with its place.
    let refused = |request: Request| import(&request).unwrap_err().to_string();
    let short = Request { classes: Some(words(&["free"])), ..request.clone() };
    assert!(refused(short).contains("users.csv:3:6: \"paid\" is not among the given classes"));
    let few = Request { categories: vec![list("country", &["FR"])], ..request.clone() };
    assert!(refused(few).contains("users.csv:2:3: \"DE\" is not among the given categories"));
    let narrow = Request { ranges: vec![("age".to_owned(), 0.0, 40.0)], ..request.clone() };
    assert!(refused(narrow).contains("users.csv:5:2: 50 of column \"age\" is outside"));
    let strict = Request { missing: MissingValues::Refused, ..request };
    assert!(refused(strict).contains("column \"age\" has 1 missing values in 3 rows"));
}

#[test]
fn nothing_is_guessed_that_changes_what_the_data_mean() {
    let home = Home::new();
    let refused = |request: &Request| import(request).unwrap_err().to_string();
    // Unknown headers.
    let edges = Request { ends: None, ..request(Some(home.file("e.csv", EDGES)), None) };
    assert!(refused(&edges).contains("e.csv: which two columns are the ends of an edge? It has the columns follower"));
    let nodes = request(None, Some(home.file("n.csv", USERS.replace("user,", "account,"))));
    assert!(refused(&nodes).contains("n.csv: which column is the id of a node?"));
    // Dates, free texts, dangling edges, contradictions.
    assert!(refused(&users(&home, USERS, &["born"])).contains("users.csv:2:8: column \"born\" holds dates"));
    let many = Request { most_categories: Some(2), ..users(&home, USERS, &["bio"]) };
    assert!(refused(&many).contains("column \"bio\" has 3 different values in 3 rows, more than 2"));
    let unlisted = USERS.replace("u2,,", "u9,,");
    let dangling = users(&home, &unlisted, &["age"]);
    assert!(refused(&dangling).contains("follows.csv:2:1: node \"u2\" is not in "));
    let dropped = import(&Request { unlisted: Unlisted::Dropped, ..dangling.clone() }).unwrap();
    assert_eq!((dropped.dataset.nodes(), dropped.dataset.graph().edges()), (3, 1));
    assert!(dropped.report.dropped.iter().any(|it| it.contains("3 edges of nodes that users.csv does not list")));
    let added = import(&Request { unlisted: Unlisted::Added, ..dangling }).unwrap();
    assert_eq!((added.dataset.nodes(), added.dataset.declared().nodes), (4, false));
    assert_eq!(row(&added.dataset, "u2"), [0.0, 1.0]);
    let twice = format!("{USERS}u1,30,IT,yes,a|b,free,other,x\r\n");
    let merged = import(&users(&home, &twice, &["age"])).unwrap();
    assert!(merged.report.warnings[0].contains("1 rows repeat a node with the same values (the first: u1)"));
    let contradiction = refused(&users(&home, &twice, &["country"]));
    assert!(contradiction.contains("users.csv:6:3: country of node \"u1\" is \"IT\", but \"DE\" before (line 2)"));
    // Roles.
    assert!(refused(&users(&home, USERS, &["age", "plan"])).contains("\"plan\" cannot be the label of a node and"));
    assert!(refused(&users(&home, USERS, &["agee"])).contains("no column \"agee\"; it has the columns user, age"));
    let told = Request { kinds: vec![("country".to_owned(), Kind::Number)], ..users(&home, USERS, &["country"]) };
    assert!(refused(&told).contains("users.csv:2:3: found \"DE\" in column \"country\", expected a finite number"));
}

#[test]
fn broken_texts_are_refused_with_their_line() {
    let home = Home::new();
    for (broken, says) in [
        ("user,age\nu1,\"30\nu2,4\n", "users.csv:2: found \"an opening quote\", expected a closing quote before"),
        ("user,age\nu1,\"30\"x\n", "users.csv:2: found \"a closing quote in a field\""),
        ("user,age\nu1,30\nu2\n", "users.csv:3: found \"1 fields\", expected 2 fields"),
        ("user,user\nu1,30\n", "users.csv: duplicate column \"user\""),
        ("", "users.csv: the table is empty"),
        ("user,age\n,30\n", "users.csv:2:1: the id of the node is missing"),
        ("user,age\nu1,1e99\n", "users.csv:2:2: found \"1e99\""),
    ] {
        let message = import(&request(None, Some(home.file("users.csv", broken)))).unwrap_err().to_string();
        assert!(message.contains(says), "{broken:?}: {message}");
    }
    let message = import(&request(None, Some(home.file("users.csv", b"user,age\nu\xff,1\n")))).unwrap_err().to_string();
    assert!(message.contains("users.csv:2:1: not UTF-8"), "{message}");
}

#[test]
fn all_columns_are_features_unless_told_otherwise_and_the_others_are_named() {
    let home = Home::new();
    let all = Request { features: FeatureColumns::All, most_categories: Some(2), ..users(&home, USERS, &[]) };
    let report = import(&all).unwrap().report;
    let used: Vec<&str> = report.columns.iter().map(|column| column.column.as_str()).collect();
    assert_eq!(used, ["plan", "age", "country", "pro", "tags"]);
    for part in ["column bio of users.csv: too many different values", "column born of users.csv: dates"] {
        assert!(report.dropped.iter().any(|it| it == part), "{part}: {:?}", report.dropped);
    }
}

#[test]
fn text_formats_hold_the_same() {
    let home = Home::new();
    let wanted = import(&users(&home, USERS, &["age", "tags", "pro"])).unwrap().dataset;
    let tabs = USERS.replace("\"one, two\"", "one; two").replace("\"lines\nand \"\"quotes\"\"\"", "y");
    let tabs = tabs.replace("\"u,3\"", "u#3").replace(',', "\t").replace("u#3", "u,3");
    let json = |text: &str| text.replace('\'', "\"");
    let lines = json(
        "{'user': 'u1', 'age': 30, 'pro': true, 'tags': ['a', 'b'], 'plan': 'free'}\n\
         {'user': 'u2', 'age': null, 'pro': false, 'tags': ['b'], 'plan': 'paid'}\n\n\
         {'pro': true, 'user': 'u,3', 'age': 50.0}\n",
    );
    let array = format!("[{}]", lines.trim().lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join(","));
    for (name, bytes) in [
        ("users.tsv", tabs.clone().into_bytes()),
        ("users.tsv.gz", gzip(tabs.as_bytes())),
        ("users.csv.zst", zstd(USERS.as_bytes())),
        ("users.jsonl", lines.clone().into_bytes()),
        ("users.jsonl.zst", zstd(lines.as_bytes())),
        ("users.json", array.into_bytes()),
    ] {
        let nodes = Some(home.file(name, bytes));
        let data = import(&Request { nodes, ..users(&home, USERS, &["age", "tags", "pro"]) }).unwrap().dataset;
        for user in ["u1", "u2", "u,3"] {
            assert_eq!(row(&data, user), row(&wanted, user), "{name}");
        }
        assert_eq!(data.labels(), wanted.labels(), "{name}");
    }
    // Without a header there are no names.
    let bare = Request { ends: None, ..request(Some(home.file("bare.csv", "5,7\n7,9\n")), None) };
    let imported = import(&bare).unwrap();
    assert_eq!((imported.dataset.nodes(), imported.dataset.graph().edges()), (3, 2));
    assert!(imported.report.guessed[0].contains("not a header"), "{:?}", imported.report.guessed);
    let texts = Request { headless: true, edges: Some(home.file("bare.csv", "ann,bob\n")), ..bare };
    assert_eq!(import(&texts).unwrap().dataset.graph().edges(), 1);
}

fn people() -> RecordBatch {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("user", Arc::new(StringArray::from(vec!["u1", "u2", "u,3"]))),
        ("age", Arc::new(Float64Array::from(vec![Some(30.0), None, Some(50.0)]))),
        ("pro", Arc::new(BooleanArray::from(vec![true, false, true]))),
        (
            "tags",
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(vec![
                Some(vec![Some(7), Some(8)]),
                Some(vec![Some(8)]),
                None,
            ])),
        ),
        ("plan", Arc::new(Int64Array::from(vec![Some(0), Some(1), None]))),
        ("born", Arc::new(Date32Array::from(vec![10_957, 11_323, -1]))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true))).unwrap()
}

fn arrow(batch: &RecordBatch, compression: Option<arrow_ipc::CompressionType>) -> Vec<u8> {
    let options = arrow_ipc::writer::IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn parquet(batch: &RecordBatch, compression: parquet::basic::Compression) -> Vec<u8> {
    let properties = parquet::file::properties::WriterProperties::builder().set_compression(compression).build();
    let mut writer = parquet::arrow::ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

#[test]
fn tables_with_types_hold_the_same() {
    use arrow_ipc::CompressionType as Packed;
    use parquet::basic::{Compression, GzipLevel, ZstdLevel};
    let home = Home::new();
    let batch = people();
    let mut files = vec![("users.arrow", arrow(&batch, None))];
    files.push(("users.feather", arrow(&batch, Some(Packed::LZ4_FRAME))));
    files.push(("users.ipc", arrow(&batch, Some(Packed::ZSTD))));
    files.push(("users.parquet", parquet(&batch, Compression::SNAPPY)));
    for compression in [
        Compression::ZSTD(ZstdLevel::try_new(3).unwrap()),
        Compression::GZIP(GzipLevel::try_new(6).unwrap()),
        Compression::LZ4_RAW,
    ] {
        files.push(("users.pq", parquet(&batch, compression)));
    }
    for (name, bytes) in files {
        let nodes = Some(home.file(name, bytes));
        let request = Request { nodes, ..users(&home, USERS, &["age", "pro", "tags"]) };
        let data = import(&request).unwrap().dataset;
        assert_eq!(row(&data, "u1"), [30.0, 0.0, 1.0, 1.0, 1.0, 0.0], "{name}");
        assert_eq!(row(&data, "u2"), [0.0, 1.0, 0.0, 0.0, 1.0, 0.0], "{name}");
        assert_eq!(row(&data, "u,3"), [50.0, 0.0, 1.0, 0.0, 0.0, 1.0], "{name}");
        assert_eq!(data.labels().unwrap().names(), None);
        let dates = Request { features: FeatureColumns::These(words(&["born"])), ..request };
        let message = import(&dates).unwrap_err().to_string();
        assert!(message.contains("row 1, born: column \"born\" holds dates, such as \"2000-01-01\""), "{message}");
    }
}

/// A few bytes that declare to unpack to more than any memory.
#[test]
fn compressed_buffers_are_not_allocated_because_they_say_so() {
    let home = Home::new();
    let names: Vec<String> = (0..500).map(|user| format!("user {}", user % 9)).collect();
    let column = Arc::new(StringArray::from(names)) as ArrayRef;
    let batch = RecordBatch::try_from_iter([("user", column)]).unwrap();
    for compression in [arrow_ipc::CompressionType::LZ4_FRAME, arrow_ipc::CompressionType::ZSTD] {
        let good = arrow(&batch, Some(compression));
        let mut refused = 0;
        // Whatever eight bytes are a length: a huge one is refused there.
        for at in (0..good.len() - 8).step_by(8) {
            let mut bad = good.clone();
            bad[at..at + 8].copy_from_slice(&(1i64 << 50).to_le_bytes());
            let path = home.file("users.arrow", bad);
            let error = crate::caught(|| import(&request(None, Some(path))).err().map(|it| it.to_string()));
            refused +=
                usize::from(error.flatten().is_some_and(|it| it.contains("decompressed bytes exceeds the limit")));
        }
        assert!(refused > 0, "no length was found");
    }
}

#[test]
fn graph_files_are_imported_with_their_attributes() {
    let home = Home::new();
    let network = |path: &Path, features: &[&str]| Request {
        network: Some(path.to_owned()),
        label: Some("club".to_owned()),
        features: FeatureColumns::These(words(features)),
        ..Request::default()
    };
    let path = home.file("karate.graphml", GRAPH_ML);
    let Imported { dataset: data, report } = import(&network(&path, &["age"])).unwrap();
    assert_eq!((data.name(), data.nodes(), data.graph().edges(), data.declared().nodes), ("karate", 3, 2, true));
    assert_eq!(data.labels().unwrap().names().unwrap(), ["Chess & Go", "none"]);
    assert_eq!((row(&data, "bob"), row(&data, "eve")), (vec![45.0, 0.0], vec![0.0, 1.0]));
    assert!(report.dropped.iter().any(|it| it.contains("weight")), "{:?}", report.dropped);

    let attributes = NODE_LINK.replace("{\"id\": 3}", "{\"id\": 3, \"club\": \"x\", \"age\": 4}");
    let path = home.file("karate.json", &attributes);
    let data = import(&network(&path, &["age"])).unwrap().dataset;
    assert_eq!((data.nodes(), data.labels().unwrap().known(), row(&data, "3")), (3, 1, vec![4.0, 0.0]));

    // Opened as they are only without attributes.
    let bare = crate::read::open(&home.file("bare.graphml", BARE_GRAPH_ML)).unwrap();
    assert_eq!((bare.nodes(), bare.graph().direction()), (3, Direction::Directed));
    assert_eq!(bare.graph().iter_edges().collect::<Vec<_>>(), [(0, 1)]);
    let bare = crate::read::open(&home.file("bare.json", NODE_LINK)).unwrap();
    assert_eq!(bare.names().name(2), "10");
    for (name, text) in [("a.graphml", GRAPH_ML), ("a.json", &attributes)] {
        let message = crate::read::open(&home.file(name, text)).unwrap_err().to_string();
        assert!(message.contains("nodes have attributes") && message.contains("club"), "{message}");
    }
}

#[test]
fn broken_graph_files_are_refused() {
    let home = Home::new();
    for (from, to, says) in [
        ("</graph>\n", "", "graphml"),
        ("key=\"d1\">31", "key=\"d9\">31", "a key that is not declared"),
        ("&amp;", "&bomb;", "bomb"),
        ("target=\"eve\"/>", "/>", "without its attribute \"target\""),
        ("target=\"eve\"/>", "target=\"zoe\"/>", "node \"zoe\" is not in"),
        ("<node id=\"eve\"/>", "<node id=\"eve\"><graph/></node>", "graphs within nodes"),
        ("<node id=\"eve\"/>", "<hyperedge/>", "hyperedges"),
        ("target=\"bob\">", "target=\"bob\" directed=\"true\">", "direction differs"),
    ] {
        let bad = GRAPH_ML.replace(from, to);
        assert_ne!(bad, GRAPH_ML);
        let request = Request { network: Some(home.file("g.graphml", bad)), ..Request::default() };
        let message = import(&request).unwrap_err().to_string();
        assert!(message.contains(says), "{to:?}: {message}");
    }
    for (text, says) in [
        ("{\"nodes\": []}", "without links"),
        ("{\"links\": []}", "without nodes"),
        ("{\"nodes\": [], \"links\": [], \"nodes\": []}", "duplicate key nodes"),
        ("{\"nodes\": [3], \"links\": []}", "invalid type"),
        ("{\"nodes\": [{\"id\": 1}], \"links\": [{\"source\": 1}]}", "the target of the edge is missing"),
        ("[]", "invalid type"),
    ] {
        let request = Request { network: Some(home.file("g.json", text)), ..Request::default() };
        let message = import(&request).unwrap_err().to_string();
        assert!(message.contains(says), "{text:?}: {message}");
    }
}

/// Rows that name one new column each would make a table of many empty cells.
#[test]
fn tables_of_empty_cells_are_limited() {
    let home = Home::new();
    let mut lines = Vec::new();
    for row in 0..4000 {
        writeln!(lines, "{{\"id\": {row}, \"c{row}\": 1}}").unwrap();
    }
    let message = import(&request(None, Some(home.file("wide.jsonl", lines)))).unwrap_err().to_string();
    assert!(message.contains("the number of cells"), "{message}");
}

#[test]
fn vectors_and_sparse_lists_are_kept_as_they_are() {
    let home = Home::new();
    let vectors = "id,v\na,\"[0.5, 1]\"\nb,\"[2,-3]\"\n";
    let data = import(&request(None, Some(home.file("v.csv", vectors)))).unwrap().dataset;
    assert!(matches!(data.features(), Some(Features::Dense(_))));
    assert_eq!((row(&data, "a"), row(&data, "b")), (vec![0.5, 1.0], vec![2.0, -3.0]));
    assert_eq!(data.feature_range(), None);
    let mut lists = "id,words\n".to_owned();
    (0..40).for_each(|row| lists += &format!("{row},{row}|{}\n", row + 1));
    let data = import(&request(None, Some(home.file("l.csv", lists)))).unwrap().dataset;
    let Some(Features::Sparse(sparse)) = data.features() else { panic!("not sparse") };
    assert_eq!((sparse.columns(), sparse.values().len()), (41, 80));
}
