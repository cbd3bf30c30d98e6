//! Time, and memory beyond the input, to read an edge list and to build a graph: 20 million random
//! directed edges among a million nodes, about 275 MB as CSV.
//!
//! `VEIL_BENCH_EDGES=1000000 cargo bench -p veil-graph --bench read` for a quick run. For the peak
//! memory, run the binary under `/usr/bin/time -v` with the name of one benchmark.

#![allow(clippy::expect_used, missing_docs)]

use std::io::Write;
use std::path::Path;

use divan::{AllocProfiler, Bencher};
use veil_graph::random::Random;
use veil_graph::{Direction, Graph, NodeId, read};

/// Shows the allocations of the measuring thread, not of the others.
#[global_allocator]
static MEMORY: AllocProfiler = AllocProfiler::system();

const NODES: u32 = 1_000_000;

/// Lines of the benchmarks of fixed length.
const MILLION: usize = 1_000_000;

fn main() {
    divan::main();
}

fn count() -> usize {
    std::env::var("VEIL_BENCH_EDGES").ok().and_then(|count| count.parse().ok()).unwrap_or(20_000_000)
}

fn edges(count: usize) -> impl Iterator<Item = (NodeId, NodeId)> {
    let mut random = Random::new(1, "benchmark of reading");
    let mut node = move || random.below(NODES as usize) as NodeId;
    std::iter::repeat_with(move || (node(), node())).take(count)
}

/// Writes the edges, with a name derived from each node number.
fn write_list(path: &Path, count: usize, name: impl Fn(NodeId) -> String) {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).expect("a temporary file"));
    writeln!(file, "src,dst").expect("room for the file");
    for (source, target) in edges(count) {
        writeln!(file, "{},{}", name(source), name(target)).expect("room for the file");
    }
}

fn bench_list(bencher: Bencher<'_, '_>, count: usize, name: impl Fn(NodeId) -> String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("edges.csv");
    write_list(&path, count, name);
    bencher
        .counter(divan::counter::ItemsCount::new(count))
        .bench_local(|| read::open(&path).expect("a sound edge list"));
}

/// Consecutive whole numbers.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn edge_list_of_numbers(bencher: Bencher<'_, '_>) {
    bench_list(bencher, count(), |node| node.to_string());
}

/// 64-bit numbers, which must be hashed and sorted.
#[divan::bench(sample_count = 1, sample_size = 1)]
fn edge_list_of_wide_numbers(bencher: Bencher<'_, '_>) {
    bench_list(bencher, count(), |node| ((u64::from(node) + 1) << 40).to_string());
}

/// Texts, which must be hashed.
#[divan::bench(sample_count = 1, sample_size = 1)]
fn edge_list_of_texts(bencher: Bencher<'_, '_>) {
    bench_list(bencher, count(), |node| format!("user-{node}"));
}

/// A million lines of numbers scattered over all 64 bits.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn million_sparse_numbers(bencher: Bencher<'_, '_>) {
    bench_list(bencher, MILLION, |node| (u64::from(node) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_string());
}

/// A million lines of texts.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn million_texts(bencher: Bencher<'_, '_>) {
    bench_list(bencher, MILLION, |node| format!("user-{node}"));
}

/// From memory: the input is not measured.
#[divan::bench(sample_count = 3, sample_size = 1, args = [Direction::Directed, Direction::Undirected])]
fn graph_from_memory(bencher: Bencher<'_, '_>, direction: Direction) {
    let edges: Vec<(NodeId, NodeId)> = edges(count()).collect();
    bencher
        .counter(divan::counter::ItemsCount::new(edges.len()))
        .bench_local(|| Graph::from_edges(NODES, &edges, direction).expect("nodes in range"));
}
