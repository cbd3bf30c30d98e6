//! Stories about files that were made to do harm: they are refused soon, in little memory, and
//! nothing is written.

#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

#[path = "../../veil-graph/src/read/fixtures/mod.rs"]
#[allow(dead_code, reason = "a part of it is used here")]
mod fixtures;
mod world;

use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};

use fixtures::pickle::six_nodes;
use fixtures::{f4, i4, i8, npy, npz};
use world::World;

const LONGEST: Duration = Duration::from_secs(60);

/// Makes a world, and says what to read in it and which file the error must name.
type Story = (&'static str, &'static str, fn(&World));

#[test]
fn hostile_files_are_refused_in_little_memory_and_nothing_is_written() {
    if !cfg!(target_os = "linux") {
        println!("skipped: the memory of a process is limited on Linux only");
        return;
    }
    for (data, file, make) in STORIES {
        let home = World::new();
        make(&home);
        let before = home.list(".");
        for command in [format!("data info {data}"), format!("data import {data} --out new/graph")] {
            let start = Instant::now();
            let said = home.veil_in_little_memory(&command).fails_with(1).says(file);
            let took = start.elapsed();
            println!("{command}: {took:?}: {}", said.stderr().trim_end());
            assert!(took < LONGEST, "{command} took {took:?}");
            assert!(!said.stderr().contains("panicked"), "{}", said.stderr());
            assert_eq!(home.list("."), before, "{command} left something behind");
        }
    }
}

#[test]
fn a_decoder_that_gives_up_is_heard_of_once() {
    let home = World::new();
    home.write("links.arrow", include_bytes!("broken/decoder_gives_up.arrow"));
    let said = home.veil("data info links.arrow").fails_with(1);
    // If a later decoder returns an error here, another file is needed that makes it panic.
    let wanted = "error: links.arrow, record batch 0: the file contradicts itself, and the decoder failed\n";
    assert_eq!(said.stderr(), wanted);
}

const STORIES: [Story; 31] = [
    ("zeros.csv.gz", "zeros.csv.gz:1", |home| home.write("zeros.csv.gz", gzip_gibibyte(b"\0\0\0\0"))),
    ("lines.csv.gz", "lines.csv.gz", |home| home.write("lines.csv.gz", gzip_gibibyte(b"0,1\n"))),
    ("texts.csv.gz", "texts.csv.gz", |home| home.write("texts.csv.gz", gzip_gibibyte(b"a,b\n"))),
    ("blank.csv.gz", "blank.csv.gz", |home| home.write("blank.csv.gz", gzip_gibibyte(b"\n\n\n\n"))),
    ("graph", "features.csv.gz", |home| {
        home.write("graph/edges.csv", "src,dst\n0,1\n");
        home.write("graph/features.csv.gz", [gzip(b"node,feature,value\n"), gzip_gibibyte(b"0,0,0.5\n")].concat());
    }),
    ("graph", "meta.json", |home| meta(home, "{\"nodes\": 4000000000}")),
    ("graph", "meta.json", |home| meta(home, "{\"nodes\": 268435456}")),
    ("graph", "meta.json", |home| meta(home, "{\"nodes\": 3, \"features\": 4000000000}")),
    ("graph", "meta.json", |home| meta(home, "{\"nodes\": 3, \"classes\": 4000000000}")),
    ("graph", "graph", |home| {
        home.write("graph/features.csv", "node,feature,sign\n0,1,1\n");
        let encoding = "\"encoding\": {\"offset\": 0, \"scale\": 1, \"signs_per_node\": 268435456}";
        meta(home, &format!("{{\"nodes\": 10000000, \"features\": 268435456, {encoding}}}"));
    }),
    ("graph", "edges.csv:2:2", |home| home.write("graph/edges.csv", "src,dst\n0,4294967295\n")),
    ("ids.csv", "ids.csv:2:1", |home| home.write("ids.csv", "0,1\n99999999999999999999,2\n1,2\n")),
    ("line.csv", "line.csv:1", |home| sparse(home, "line.csv", b"", 100 << 20)),
    ("line.csv", "line.csv:3", |home| sparse(home, "line.csv", b"0,1\n1,2\n", 100 << 20)),
    ("graph", "features.npy", |home| {
        home.write("graph/edges.csv", "src,dst\n0,1\n");
        home.write("graph/features.npy", npy("<f4", &[1 << 40, 1 << 20], &[0; 64]));
    }),
    ("graph", "features.npy", |home| {
        home.write("graph/edges.csv", "src,dst\n0,1\n");
        home.write("graph/features.npy", npy("<f4", &[usize::MAX, usize::MAX], &[0; 64]));
    }),
    ("bomb.npz", "bomb.npz", |home| home.write("bomb.npz", zip_bomb())),
    ("graph", "reddit_", |home| {
        home.write(
            "graph/reddit_data.npz",
            npz(&[("feature", f4(&[1, 1], &[0.0])), ("label", i8(&[0])), ("node_types", i8(&[1]))]),
        );
        let side = 1 << 32;
        let graph = [("row", i4(&[0])), ("col", i4(&[0])), ("shape", i8(&[side, side]))];
        home.write("graph/reddit_graph.npz", npz(&graph));
    }),
    ("tables", "edges.parquet, footer", |home| footer(home, |bytes, end| bytes[end - 8..end - 4].fill(0x7f))),
    ("tables", "edges.parquet, footer", |home| footer(home, |bytes, end| bytes[end - 60..end - 8].fill(0xff))),
    ("tables", "edges.parquet, footer", |home| footer(home, |bytes, end| bytes[end - 8..end - 4].fill(0))),
    ("links.arrow", "links.arrow, footer", |home| {
        let mut bytes = include_bytes!("broken/decoder_gives_up.arrow").to_vec();
        let end = bytes.len();
        bytes[end - 10..end - 6].copy_from_slice(&0x7fff_fff0u32.to_le_bytes());
        home.write("links.arrow", bytes);
    }),
    ("pickles", "ind.six.graph", |home| {
        // Each list holds the one before ten times: 10³⁰ members if they were copied.
        let mut laughs = b"\x80\x02]q\x00".to_vec();
        for level in 0..30u8 {
            laughs.extend([b']', b'q', level + 1, b'(']);
            (0..10).for_each(|_| laughs.extend([b'h', level]));
            laughs.push(b'e');
        }
        laughs.push(b'.');
        pickles(home, &laughs);
    }),
    ("pickles", "ind.six.graph", |home| pickles(home, b"\x80\x02T\xff\xff\xff\xff.")),
    ("pickles", "ind.six.graph", |home| {
        let long = [b"\x80\x02]q\x00(".as_slice(), &b"K\x00".repeat(1_000_000), b"eq\x00}("].concat();
        let keys: Vec<u8> = (0..6).flat_map(|node| [b'K', node, b'h', 0]).collect();
        pickles(home, &[long.as_slice(), &keys, b"u."].concat());
    }),
    ("pickles", "ind.six.graph", |home| {
        pickles(home, b"");
        sparse(home, "pickles/ind.six.graph", b"\x80\x02", 8 << 30);
    }),
    ("graph", "XY.json", |home| {
        home.write("graph/XY_edges.csv", "from,to\n0,1\n");
        home.write("graph/XY_target.csv", "id,target\n0,1\n");
        home.write("graph/XY.json", "{\"4000000000\": [1]}");
    }),
    ("graph", "XY.json", |home| {
        home.write("graph/XY_edges.csv", "from,to\n0,1\n");
        home.write("graph/XY_target.csv", "id,target\n0,1\n");
        sparse(home, "graph/XY.json", b"{\"0\": [1]", 8 << 30);
    }),
    ("graph", "meta.json", |home| {
        home.write("graph/edges.csv", "src,dst\n0,1\n");
        sparse(home, "graph/meta.json", b"{", 8 << 30);
    }),
    ("graph", "num-node-list.csv:1:1", |home| {
        home.write("graph/raw/edge.csv", "0,1\n");
        home.write("graph/raw/num-node-list.csv", "4294967295\n");
    }),
    ("graph", "out1_node_feature_label.txt:2:1", |home| {
        home.write("graph/out1_graph_edges.txt", "node_id\tnode_id\n0\t1\n");
        home.write("graph/out1_node_feature_label.txt", "node_id\tfeature\tlabel\n4294967294\t0,1\t0\n");
    }),
];

fn meta(home: &World, json: &str) {
    home.write("graph/edges.csv", "src,dst\n0,1\n");
    home.write("graph/meta.json", json);
}

fn pickles(home: &World, graph: &[u8]) {
    six_nodes().into_iter().for_each(|(name, bytes)| home.write(&format!("pickles/{name}"), bytes));
    home.write("pickles/ind.six.graph", graph);
}

/// A file of many bytes that takes hardly any room.
fn sparse(home: &World, name: &str, start: &[u8], length: u64) {
    home.write(name, start);
    File::options().append(true).open(home.path(name)).unwrap().set_len(length).unwrap();
}

fn footer(home: &World, change: fn(&mut [u8], usize)) {
    home.veil("data generate powerlaw --nodes 50 --edges 90 --seed 1 --format parquet --out tables").succeeds();
    let mut bytes = home.read("tables/edges.parquet");
    let end = bytes.len();
    change(&mut bytes, end);
    home.write("tables/edges.parquet", bytes);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A gibibyte of the same few bytes: a thousand gzip members of a mebibyte each.
fn gzip_gibibyte(piece: &[u8]) -> Vec<u8> {
    gzip(&piece.repeat((1 << 20) / piece.len())).repeat(1024)
}

/// 300 MiB of zeros in an archive of 300 KB.
fn zip_bomb() -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let arrays = [
        ("adj_indices", i4(&[0])),
        ("adj_indptr", i4(&[0, 1])),
        ("adj_shape", i8(&[1, 1])),
        ("attr_matrix", npy("<f4", &[1, 75 << 20], &[])),
    ];
    for (name, bytes) in arrays {
        archive.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(&bytes).unwrap();
    }
    let zeros = vec![0; 1 << 20];
    (0..300).for_each(|_| archive.write_all(&zeros).unwrap());
    archive.finish().unwrap().into_inner()
}
