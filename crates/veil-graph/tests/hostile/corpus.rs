//! Small valid inputs, at least one per layout. The mutations and the fuzz targets (`fuzz/`) start
//! from these.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Float64Array, Int64Array, ListArray, RecordBatch, StringArray};

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

fn folder<const N: usize>(name: &'static str, files: [(&str, Content); N]) -> Input {
    Input { name, files: files.map(|(name, content)| (name.to_owned(), content)).into(), single: false }
}

fn file(name: &'static str, path: &str, content: Content) -> Input {
    Input { single: true, ..folder(name, [(path, content)]) }
}

/// A family of layouts and its valid inputs.
pub type Family = (&'static str, fn() -> Vec<Input>);

/// All families: one fuzz target each.
pub const FAMILIES: [Family; 6] = [
    ("folder", folders),
    ("edge_list", edge_lists),
    ("tables", tables),
    ("archives", archives),
    ("planetoid", planetoid),
    ("text_layouts", text_layouts),
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
    vec![Input { name: "planetoid", files, single: false }]
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
        Input { name: "OGB, gzip", files: packed.into(), single: false },
        folder("Geom-GCN", [edges, nodes, ("small_split_0.6_0.2_0.npz", masks)]),
    ]
}
