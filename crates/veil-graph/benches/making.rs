//! The time to generate and to write data sets.
//!
//! `cargo bench -p veil-graph --bench making`. The written data set has the size of Amazon
//! Computers: 3.7 million feature lines.

#![allow(missing_docs, clippy::unwrap_used)]

use veil_graph::generate::{Community, PowerLaw};
use veil_graph::write::write_folder;

fn main() {
    divan::main();
}

#[divan::bench(sample_count = 3)]
fn a_citation_graph() {
    divan::black_box(Community::citation().check().unwrap().generate(1));
}

#[divan::bench(sample_count = 1)]
fn a_million_nodes_and_twenty_million_edges() {
    let size = PowerLaw { nodes: 1_000_000, edges: 20_000_000, exponent: 2.5, max_degree: 10_000 };
    divan::black_box(size.check().unwrap().generate(1));
}

#[divan::bench(sample_count = 5)]
fn write_four_million_features(bencher: divan::Bencher<'_, '_>) {
    let mut like_amazon = Community::citation().with_nodes(13_752);
    (like_amazon.mean_degree, like_amazon.max_degree) = (35.8, 2_992.0);
    (like_amazon.features, like_amazon.words_per_node, like_amazon.topic_words) = (767, 267.0, 767);
    let dataset = like_amazon.check().unwrap().generate(1);
    let home = tempfile::tempdir().unwrap();
    bencher.bench_local(|| {
        let out = home.path().join("out");
        write_folder(&dataset, &out).unwrap();
        std::fs::remove_dir_all(out).unwrap();
    });
}
