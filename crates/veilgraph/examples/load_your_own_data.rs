//! Read a graph of your own: an edge list, or a folder with edges, features and labels.
//!
//! `cargo run --example load_your_own_data [PATH]`

use veilgraph::graph::read;
use veilgraph::graph::write::write_folder;
use veilgraph::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = match std::env::args().nth(1) {
        Some(path) => path.into(),
        None => {
            let path = folder.path().join("follows.csv");
            std::fs::write(&path, "ada,grace\ngrace,alan\nalan,ada\nalan,kurt\n")?;
            path
        }
    };
    // The reader follows from the file: CSV, TSV, Parquet, Arrow, NPZ, and the layouts of published
    // data sets.
    let graph: Dataset = read::open(&path)?;
    println!("{} nodes, {} edges", graph.nodes(), graph.graph().edges());
    let first = graph.graph().neighbours(0).iter().map(|&node| graph.names().name(node)).collect::<Vec<_>>();
    println!("neighbours of {}: {}", graph.names().name(0), first.join(", "));

    // Our own format keeps what was declared, such as the number of nodes, so that a release need
    // not count it.
    write_folder(&graph, &folder.path().join("graph"))?;
    assert_eq!(open(&folder.path().join("graph").display().to_string())?.nodes(), graph.nodes());
    Ok(())
}
