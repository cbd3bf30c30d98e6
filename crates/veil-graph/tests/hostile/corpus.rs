//! Small valid inputs, at least one per layout. The mutations and the fuzz targets (`fuzz/`) start
//! from these.

use std::path::Path;
use std::sync::Arc;

use arrow_array::types::{Float32Type, Int32Type};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, FixedSizeListArray, Float64Array, Int64Array, ListArray, RecordBatch,
    StringArray, TimestampMillisecondArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};

use veil_graph::import::{Classes, FeatureColumns, MissingValues, Request, import};

use crate::fixtures::pickle::six_nodes;
use crate::fixtures::{f4, gzip, npz, small};

/// A valid input. A single file may be opened by itself, several are opened as a folder.
#[derive(Clone)]
pub struct Input {
    /// The layout and its variant.
    pub name: &'static str,
    /// Paths, relative to the folder, and contents.
    pub files: Vec<(String, Content)>,
    /// Open the only file instead of its folder.
    pub single: bool,
    /// Import it with this request for the files in a folder, instead of opening it.
    pub request: Option<fn(&Path) -> Request>,
    /// Nearly any text is an input of this layout, so that few mutations can be detected.
    pub lenient: bool,
}

impl Input {
    /// Opens or imports it in a folder with its files: the number of nodes, or the error.
    pub fn open(&self, folder: &Path) -> Result<u32, String> {
        let single = folder.join(&self.files[0].0);
        let path = if self.single { &single } else { folder };
        match self.request {
            Some(request) => {
                let imported = import(&request(folder)).map_err(|error| error.to_string())?;
                Ok(imported.dataset.summary().nodes)
            }
            None => Ok(veil_graph::read::open(path).map_err(|error| error.to_string())?.summary().nodes),
        }
    }
}

/// The content of a file, before compression.
#[derive(Clone)]
pub enum Content {
    Plain(Vec<u8>),
    Gzip(Vec<u8>),
    Arrays(small::Arrays),
}

impl Content {
    /// The bytes on disk.
    pub fn packed(&self) -> Vec<u8> {
        match self {
            Content::Plain(bytes) => bytes.clone(),
            Content::Gzip(bytes) => gzip(bytes),
            Content::Arrays(arrays) => npz(arrays),
        }
    }

    /// The bytes that a mutation may change before compression.
    pub fn pieces(&mut self) -> Vec<&mut Vec<u8>> {
        match self {
            Content::Plain(bytes) | Content::Gzip(bytes) => vec![bytes],
            Content::Arrays(arrays) => arrays.iter_mut().map(|(_, bytes)| bytes).collect(),
        }
    }
}

fn text(text: &str) -> Content {
    Content::Plain(text.as_bytes().to_vec())
}

fn packed(text: &str) -> Content {
    Content::Gzip(text.as_bytes().to_vec())
}

/// A zstd file whose only block is stored as it is: RFC 8878, sections 3.1.1 and 3.1.1.2.
fn stored(text: &str) -> Content {
    let size = u8::try_from(text.len()).expect("a short text");
    let mut bytes = vec![0x28, 0xb5, 0x2f, 0xfd, 0x20, size];
    bytes.extend_from_slice(&(u32::from(size) << 3 | 1).to_le_bytes()[..3]);
    bytes.extend_from_slice(text.as_bytes());
    Content::Plain(bytes)
}

fn empty(name: &'static str) -> Input {
    Input { name, files: Vec::new(), single: false, request: None, lenient: false }
}

fn folder<const N: usize>(name: &'static str, files: [(&str, Content); N]) -> Input {
    Input { files: files.map(|(name, content)| (name.to_owned(), content)).into(), ..empty(name) }
}

fn file(name: &'static str, path: &str, content: Content) -> Input {
    Input { single: true, ..folder(name, [(path, content)]) }
}

/// A family of layouts and its valid inputs.
pub type Family = (&'static str, fn() -> Vec<Input>);

/// All families: one fuzz target each.
pub const FAMILIES: [Family; 8] = [
    ("folder", folders),
    ("edge_list", edge_lists),
    ("tables", tables),
    ("archives", archives),
    ("planetoid", planetoid),
    ("text_layouts", text_layouts),
    ("networks", networks),
    ("imports", imports),
];

const EDGES: &str = "src,dst\n0,1\n0,2\n1,2\n2,3\n3,4\n";
const FEATURES: &str = "node,feature,value\n0,0,1\n0,3,0.25\n1,1,1e-3\n3,2,2\n4,0,1\n";
const LABELS: &str = "node,label\n0,0\n1,2\n2,1\n3,1\n4,0\n";

/// Our own folders: sparse, encoded, dense.
fn folders() -> Vec<Input> {
    let meta = "{\n \"format\": 1, \"name\": \"small\", \"nodes\": 6, \"edges\": 5, \"features\": 4, \"classes\": 3,\n \
                \"feature_nonzeros\": 5, \"directed\": false, \"feature_range\": [0, 2]\n}\n";
    let released = "{\"nodes\": 3, \"features\": 9, \"classes\": 2,\n \
                    \"encoding\": {\"offset\": 0.5, \"scale\": 2.25, \"signs_per_node\": 2}}";
    let signs = "node,feature,sign\n0,1,1\n0,8,-1\n1,0,-1\n1,4,1\n2,2,1\n2,3,1\n";
    let dense = f4(&[5, 2], &[0.0, 1.0, 2.0, -3.0, 4.0, 5.5, 0.0, 7.0, 1e-9, 1e9]);
    vec![
        folder(
            "folder, sparse",
            [
                ("meta.json", text(meta)),
                ("edges.csv", text(EDGES)),
                ("features.csv.gz", packed(FEATURES)),
                ("labels.csv", text(LABELS)),
                ("splits.csv", text("node,split\n0,train\n1,val\n2,test\n")),
                ("classes.csv", text("label,name\n0,none\n1,\"one, or so\"\n2,two\n")),
                ("nodes.csv", text("node,name\n0,10\n1,11\n2,20\n3,30\n4,31\n5,4000000000000\n")),
            ],
        ),
        folder(
            "folder, sparse without meta.json",
            [("edges.csv.gz", packed(EDGES)), ("features.csv", text(FEATURES)), ("labels.csv", text(LABELS))],
        ),
        folder(
            "folder, encoded",
            [
                ("meta.json", text(released)),
                ("features.csv", text(signs)),
                ("labels.csv", text("node,label\n0,1\n2,0\n")),
            ],
        ),
        folder(
            "folder, dense",
            [("edges.csv", text(EDGES)), ("features.npy", Content::Plain(dense)), ("labels.csv", text(LABELS))],
        ),
    ]
}

fn edge_lists() -> Vec<Input> {
    let numbers = "# a comment\nsrc,dst,weight\n0,1,0.5\n1,2,1\n2,900,3\n900,0,1\n7,1,1\n4294967296,2,1\n";
    let texts = "source,target\n\"smith, a\",\"o\"\"hara\"\neve,\"smith, a\"\nadam,eve\n";
    vec![
        file("edge list, numbers", "list.csv", text(numbers)),
        file("edge list, numbers, gzip", "list.tsv.gz", packed("from\tto\r\n3\t4\r\n4\t5\r\n5\t3\r\n17\t3\r\n")),
        file("edge list, numbers, zstd", "list.csv.zst", stored("src,dst\n3,4\n4,5\n5,3\n17,3\n")),
        file("edge list, texts", "names.txt", text("ann bob\nbob eve\neve ann\nadam eve\n")),
        file("edge list, texts, gzip", "quoted.csv.gz", packed(texts)),
    ]
}

fn record(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

fn parquet_file(batch: &RecordBatch) -> Content {
    let mut writer = parquet::arrow::ArrowWriter::try_new(Vec::new(), batch.schema(), None).expect("a schema");
    writer.write(batch).expect("memory");
    Content::Plain(writer.into_inner().expect("memory"))
}

fn arrow_file(batch: &RecordBatch) -> Content {
    let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).expect("a schema");
    writer.write(batch).expect("memory");
    Content::Plain(writer.into_inner().expect("memory"))
}

fn tables() -> Vec<Input> {
    let numbers = |numbers: &[i64]| Arc::new(Int64Array::from(numbers.to_vec())) as ArrayRef;
    let texts = |texts: &[&str]| Arc::new(StringArray::from(texts.to_vec())) as ArrayRef;
    let lists = |rows: [&[i32]; 3]| {
        let rows = rows.map(|row| Some(row.iter().map(|&item| Some(item)).collect::<Vec<_>>()));
        Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(rows)) as ArrayRef
    };
    let edges = record(vec![("source", numbers(&[30, 10, 10, 20])), ("target", numbers(&[10, 30, 20, 20]))]);
    let nodes = record(vec![
        ("id", numbers(&[30, 10, 20])),
        ("label", texts(&["tree", "bush", "bush"])),
        ("split", texts(&["test", "train", "val"])),
        ("x0", numbers(&[3, 1, 2])),
        ("x1", Arc::new(Float64Array::from(vec![3.5, 1.5, 2.5]))),
    ]);
    let links = record(vec![("src", texts(&["a", "b", "c"])), ("dst", texts(&["b", "c", "a"]))]);
    let sparse = record(vec![
        ("node", texts(&["a", "b", "c"])),
        ("feature_columns", lists([&[4, 1], &[], &[3]])),
        ("feature_values", lists([&[1, 1], &[], &[1]])),
    ]);
    vec![
        folder("Parquet, dense", [("edges.parquet", parquet_file(&edges)), ("nodes.parquet", parquet_file(&nodes))]),
        folder("Parquet, sparse", [("edges.parquet", parquet_file(&links)), ("nodes.parquet", parquet_file(&sparse))]),
        folder("Arrow, dense", [("edges.arrow", arrow_file(&edges)), ("nodes.arrow", arrow_file(&nodes))]),
        folder("Arrow, sparse", [("edges.feather", arrow_file(&links)), ("nodes.arrow", arrow_file(&sparse))]),
        file("Parquet, edges only", "links.parquet", parquet_file(&links)),
        file("Arrow, edges only", "links.arrow", arrow_file(&edges)),
    ]
}

/// The layouts of NPZ archives.
fn archives() -> Vec<Input> {
    let reddit = |name, graph| {
        let data = Content::Arrays(small::reddit_data());
        folder(name, [("reddit_data.npz", data), ("reddit_graph.npz", Content::Arrays(graph))])
    };
    vec![
        file("NPZ", "small.npz", Content::Arrays(small::benchmark())),
        file("NPZ, matrix of SciPy", "matrix.npz", Content::Arrays(small::adjacency())),
        file("NPZ, matrix of SciPy with zeros", "matrix.npz", Content::Arrays(small::adjacency_with_zeros())),
        file("NPZ, coordinates of SciPy", "matrix.npz", Content::Arrays(small::reddit_coordinates())),
        file("NPZ, edge index", "index.npz", Content::Arrays(small::edge_index())),
        folder(
            "GraphSAINT",
            [
                ("adj_full.npz", Content::Arrays(small::adjacency())),
                ("feats.npy", Content::Plain(small::four_rows())),
                ("class_map.json", text(small::CLASS_MAP)),
                ("role.json", text(small::ROLE)),
            ],
        ),
        reddit("Reddit, coordinates", small::reddit_coordinates()),
        reddit("Reddit, rows", small::reddit_rows()),
    ]
}

fn planetoid() -> Vec<Input> {
    // All except `x`, which is not read.
    let files = six_nodes().into_iter().filter(|(name, _)| !name.ends_with(".x"));
    let files = files.map(|(name, bytes)| (name.to_owned(), Content::Plain(bytes))).collect();
    vec![Input { files, ..empty("planetoid") }]
}

/// MUSAE, OGB and Geom-GCN.
fn text_layouts() -> Vec<Input> {
    let texts = |name, files: [(&str, &str); 3]| folder(name, files.map(|(name, content)| (name, text(content))));
    let packed = small::OGB.map(|(name, content)| (format!("{name}.gz"), packed(content)));
    let [edges, nodes] = small::GEOM_GCN.map(|(name, content)| (name, text(content)));
    let masks = Content::Arrays(small::masks([&[0, 1, 0], &[0, 0, 0], &[1, 0, 0]]));
    vec![
        texts("MUSAE, JSON features", small::TWITCH),
        texts("MUSAE, CSV features", small::KARATE_CLUB),
        texts("MUSAE, names of classes", small::FACEBOOK),
        folder("OGB", small::OGB.map(|(name, content)| (name, text(content)))),
        Input { files: packed.into(), ..empty("OGB, gzip") },
        folder("Geom-GCN", [edges, nodes, ("small_split_0.6_0.2_0.npz", masks)]),
    ]
}

/// Files of one graph with ids of any kind.
fn networks() -> Vec<Input> {
    let matrix = "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n4 4 3\n2 1 0.5\n3 2 1e3\n1 1 2\n";
    let lists = "# a comment\nann bob eve\nbob ann\neve\nzoe\n";
    vec![
        file("GraphML", "bare.graphml", text(small::BARE_GRAPH_ML)),
        file("node-link data", "graph.json", text(small::NODE_LINK)),
        file("node-link data, gzip", "graph.json.gz", packed(small::NODE_LINK)),
        file("Matrix Market", "graph.mtx", text(matrix)),
        file("Matrix Market, zeros", "zeros.mtx", text(&matrix.replace("0.5", "0").replace("1e3", "-0.0"))),
        file("Matrix Market, gzip", "graph.mtx.gz", packed(matrix)),
        Input { lenient: true, ..file("adjacency lists", "graph.adjlist", text(lists)) },
    ]
}

/// What is asked of a table of users with these columns.
fn asked(folder: &Path, edges: &str, nodes: &str) -> Request {
    Request {
        edges: Some(folder.join(edges)),
        nodes: Some(folder.join(nodes)),
        ends: Some(["follower".to_owned(), "followee".to_owned()]),
        label: Some("plan".to_owned()),
        features: FeatureColumns::These(["age", "tags", "pro"].map(str::to_owned).into()),
        ranges: vec![("age".to_owned(), 0.0, 120.0)],
        categories: vec![("tags".to_owned(), ["a", "b", "c", "7", "8"].map(str::to_owned).into())],
        classes: Some(Classes::Named(["free", "paid", "0", "1"].map(str::to_owned).into())),
        missing: MissingValues::IndicatedIn(vec!["age".to_owned()]),
        ..Request::default()
    }
}

const SHORT: &str = "user\tage\tpro\ttags\tplan\nu1\t30\tyes\ta|b\tfree\nu2\t\tno\tb\tpaid\nu,3\t50\tyes\tc\tfree\n";

/// Tables of edges and users, and graphs with attributes.
fn imports() -> Vec<Input> {
    let edges = "follower,followee,since\r\nu2,u1,2020\r\nu1,\"u,3\",2021\r\nu2,u2,2019\r\n";
    let users = "user,age,pro,tags,plan,bio\nu1,30,yes,a|b,free,\"one, two\"\n\
                 u2,,no,b,paid,\"lines\nand \"\"quotes\"\"\"\n\"u,3\",50,yes,c,free,x\n";
    let lines = "{\"user\": \"u1\", \"age\": 30, \"pro\": true, \"tags\": [\"a\", \"b\"], \"plan\": \"free\"}\n\
                 {\"user\": \"u2\", \"age\": null, \"pro\": false, \"tags\": [\"b\"], \"plan\": \"paid\"}\n\
                 {\"pro\": true, \"user\": \"u,3\", \"age\": 50.5, \"tags\": [\"c\"], \"plan\": \"free\"}\n";
    let array = format!("[{}]", lines.trim().replace('\n', ","));
    let numbers = |numbers: &[i64]| Arc::new(Int64Array::from(numbers.to_vec())) as ArrayRef;
    let texts = |texts: &[&str]| Arc::new(StringArray::from(texts.to_vec())) as ArrayRef;
    let tags = [[7, 8], [8, 8], [7, 7]].map(|row| Some(row.map(Some).to_vec()));
    let links = record(vec![("follower", texts(&["u2", "u1"])), ("followee", texts(&["u1", "u,3"]))]);
    let people = record(vec![
        ("user", texts(&["u1", "u2", "u,3"])),
        ("age", Arc::new(Float64Array::from(vec![Some(30.0), None, Some(50.0)]))),
        ("pro", Arc::new(BooleanArray::from(vec![true, false, true]))),
        ("tags", Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(tags))),
        ("plan", numbers(&[0, 1, 1])),
    ]);
    let times = |times: &[i64]| Arc::new(TimestampMillisecondArray::from(times.to_vec())) as ArrayRef;
    let places = [[0.0, 1.0], [1.0, 1.0], [0.5, -1.0]].map(|row| Some(row.map(Some).to_vec()));
    let typed = record(vec![
        ("id", times(&[0, 1, 86_400_001])),
        ("embedding", Arc::new(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(places, 2))),
        ("digest", Arc::new(BinaryArray::from(vec![&b"one"[..], b"two", b"three"]))),
    ]);
    let timed = record(vec![("source", times(&[0, 1])), ("target", times(&[1, 86_400_001]))]);
    let defaults = small::GRAPH_ML.replace(">none<", &format!(">{}<", "none ".repeat(200)));
    let tables = |name, files, request: fn(&Path) -> Request| Input {
        request: Some(request),
        lenient: true,
        ..folder::<2>(name, files)
    };
    let network = |name, path, content, request: fn(&Path) -> Request| Input {
        request: Some(request),
        lenient: true,
        ..file(name, path, content)
    };
    let compressed = |batch: &RecordBatch, compression| {
        let options = IpcWriteOptions::default().try_with_compression(Some(compression)).expect("a known compression");
        let writer = FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options);
        let mut writer = writer.expect("a schema");
        writer.write(batch).expect("memory");
        Content::Plain(writer.into_inner().expect("memory"))
    };
    vec![
        tables("CSV tables", [("e.csv", text(edges)), ("n.csv", text(users))], |at| asked(at, "e.csv", "n.csv")),
        tables("CSV tables, gzip", [("e.csv.gz", packed(edges)), ("n.csv.gz", packed(users))], |at| {
            asked(at, "e.csv.gz", "n.csv.gz")
        }),
        tables("CSV and TSV, zstd", [("e.csv.zst", stored(edges)), ("n.tsv.zst", stored(SHORT))], |at| {
            asked(at, "e.csv.zst", "n.tsv.zst")
        }),
        tables("JSON lines", [("e.csv", text(edges)), ("n.jsonl", text(lines))], |at| asked(at, "e.csv", "n.jsonl")),
        tables("JSON array", [("e.csv", text(edges)), ("n.json", text(&array))], |at| asked(at, "e.csv", "n.json")),
        tables("Parquet tables", [("e.parquet", parquet_file(&links)), ("n.parquet", parquet_file(&people))], |at| {
            asked(at, "e.parquet", "n.parquet")
        }),
        tables(
            "Arrow tables, lz4 and zstd",
            [
                ("e.feather", compressed(&links, CompressionType::LZ4_FRAME)),
                ("n.arrow", compressed(&people, CompressionType::ZSTD)),
            ],
            |at| asked(at, "e.feather", "n.arrow"),
        ),
        tables(
            "Arrow tables, typed lists, bytes and times",
            [("e.arrow", arrow_file(&timed)), ("n.arrow", arrow_file(&typed))],
            |at| Request { edges: Some(at.join("e.arrow")), nodes: Some(at.join("n.arrow")), ..Request::default() },
        ),
        network("GraphML with long defaults", "d.graphml", text(&defaults), |at| Request {
            network: Some(at.join("d.graphml")),
            ..Request::default()
        }),
        network("GraphML with attributes", "g.graphml", text(small::GRAPH_ML), |at| Request {
            network: Some(at.join("g.graphml")),
            label: Some("club".to_owned()),
            ..Request::default()
        }),
        network("node-link data with attributes", "g.json", text(small::NODE_LINK), |at| Request {
            network: Some(at.join("g.json")),
            ..Request::default()
        }),
    ]
}
