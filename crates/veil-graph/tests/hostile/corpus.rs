//! Small valid inputs, at least one per layout. The mutations and the fuzz targets (`fuzz/`) start
//! from these.

use std::io::Write;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Float64Array, Int64Array, ListArray, RecordBatch, StringArray};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::fixtures::pickle::six_nodes;
use crate::fixtures::{f4, i4, i8, npy, npz};

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
    Arrays(Vec<(&'static str, Vec<u8>)>),
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

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
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
pub fn folders() -> Vec<Input> {
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

pub fn edge_lists() -> Vec<Input> {
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

pub fn tables() -> Vec<Input> {
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
pub fn archives() -> Vec<Input> {
    let benchmark = vec![
        ("adj_indices", i4(&[1, 0, 2, 3])),
        ("adj_indptr", i4(&[0, 1, 3, 3, 4])),
        ("adj_shape", i8(&[4, 4])),
        ("attr_data", f4(&[3], &[1.0, 0.5, 2.0])),
        ("attr_indices", i4(&[2, 0, 1])),
        ("attr_indptr", i4(&[0, 2, 2, 3, 3])),
        ("attr_shape", i8(&[4, 3])),
        ("labels", i8(&[0, 1, 1, 0])),
        ("class_names", npy("|S5", &[2], b"smallbig\0\0")),
    ];
    let adjacency = vec![
        ("indices", i4(&[1, 0, 2, 1, 3])),
        ("indptr", i4(&[0, 1, 3, 4, 5])),
        ("format", npy("|S3", &[], b"csr")),
        ("shape", i8(&[4, 4])),
    ];
    let features = f4(&[4, 2], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    let data = || {
        Content::Arrays(vec![
            ("feature", f4(&[3, 2], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0])),
            ("label", i8(&[1, 0, 1])),
            ("node_types", i8(&[1, 3, 2])),
        ])
    };
    let coordinates = vec![
        ("row", i4(&[0, 1, 2])),
        ("col", i4(&[1, 0, 2])),
        ("shape", i8(&[3, 3])),
        ("format", npy("|S3", &[], b"coo")),
    ];
    let rows = vec![("indptr", i4(&[0, 1, 2, 3])), ("indices", i4(&[1, 0, 2])), ("shape", i8(&[3, 3]))];
    vec![
        file("NPZ", "small.npz", Content::Arrays(benchmark)),
        folder(
            "GraphSAINT",
            [
                ("adj_full.npz", Content::Arrays(adjacency)),
                ("feats.npy", Content::Plain(features)),
                ("class_map.json", text("{\"0\": 2, \"1\": [0, 1], \"3\": [1.0, 0.0]}")),
                ("role.json", text("{\"tr\": [0, 1], \"va\": [3],\n \"te\": [2], \"note\": {\"any\": []}}")),
            ],
        ),
        folder(
            "Reddit, coordinates",
            [("reddit_data.npz", data()), ("reddit_graph.npz", Content::Arrays(coordinates))],
        ),
        folder("Reddit, rows", [("reddit_data.npz", data()), ("reddit_graph.npz", Content::Arrays(rows))]),
    ]
}

pub fn planetoid() -> Vec<Input> {
    // All except `x`, which is not read.
    let files = six_nodes().into_iter().filter(|(name, _)| !name.ends_with(".x"));
    let files = files.map(|(name, bytes)| (name.to_owned(), Content::Plain(bytes))).collect();
    vec![Input { name: "planetoid", files, single: false }]
}

/// MUSAE, OGB and Geom-GCN.
pub fn text_layouts() -> Vec<Input> {
    let twitch = "id,days,mature,views,partner,new_id\n77,1,True,9,False,1\n78,1,False,9,False,0\n";
    let facebook = "id,facebook_id,page_name,page_type\n0,9,\"Trees, and \"\"bushes\"\"\",tvshow\n1,8,b,company\n";
    let masks = ["train_mask", "val_mask", "test_mask"].into_iter().zip([[0, 1, 0], [0, 0, 0], [1, 0, 0]]);
    let masks = masks.map(|(name, mask)| (name, npy("|u1", &[3], &mask))).collect();
    let ogb = [
        ("raw/edge.csv", "0,1\n1,0\n1,2\n3,3\n"),
        ("raw/node-feat.csv", "0.5,-1\n1e-3,2\n0,0\n-0.25,3.5\n"),
        ("raw/node-label.csv", "2\n0\n0\n1\n"),
        ("raw/num-node-list.csv", "4\n"),
        ("split/time/train.csv", "0\n"),
        ("split/time/valid.csv", "2\n"),
        ("split/time/test.csv", "1\n"),
    ];
    let ogb_packed = ogb.map(|(name, content)| (format!("{name}.gz"), packed(content)));
    vec![
        folder(
            "MUSAE, JSON features",
            [
                ("XY_edges.csv", text("from,to\n0,1\n1,2\n")),
                ("XY.json", text("{\"0\": [2, 5, 2], \"2\": [],\n \"1\": [0]}")),
                ("XY_target.csv", text(twitch)),
            ],
        ),
        folder(
            "MUSAE, CSV features",
            [
                ("edges.csv", text("node_1,node_2\n0,1\n1,2\n")),
                ("features.csv", text("node_id,feature_id,value\n3,1,0.5\n0,0,2\n")),
                ("target.csv", text("id,target\n0,4\n1,0\n")),
            ],
        ),
        folder(
            "MUSAE, names of classes",
            [
                ("facebook_edges.csv", text("id_1,id_2\n0,1\n")),
                ("facebook.json", text("{\"0\": [2, 5]}")),
                ("facebook_target.csv", text(facebook)),
            ],
        ),
        folder("OGB", ogb.map(|(name, content)| (name, text(content)))),
        Input { name: "OGB, gzip", files: ogb_packed.into(), single: false },
        folder(
            "Geom-GCN",
            [
                ("out1_graph_edges.txt", text("node_id\tnode_id\n0\t2\n2\t0\n1\t1\n2\t1\n")),
                (
                    "out1_node_feature_label.txt",
                    text("node_id\tfeature\tlabel\n2\t0,1,0,1\t3\n0\t0,0,0,0\t0\n1\t1,0,0,0\t1\n"),
                ),
                ("small_split_0.6_0.2_0.npz", Content::Arrays(masks)),
            ],
        ),
    ]
}
