//! Many runs from one file, kept in one book, and one HTML page about them.
//!
//! `cargo run --example sweep_and_plot`

use std::num::NonZeroUsize;
use std::path::Path;

use veilgraph::lab::Report;
use veilgraph::lab::report::Made;
use veilgraph::lab::sweep::{Book, DataSets, Plan, Sweep, run};
use veilgraph::prelude::*;

const FILE: &str = r#"
title = "edges of a citation graph"
data = "citation"
seeds = 2
[parameters]
epochs = 80
hidden = 16
[[cases]]
name = "no edges"
method = "mlp"
[[cases]]
name = "all edges"
method = "gnn"
[[cases]]
name = "LPGNet"
method = "lpgnet"
grid = { epsilon-edges = [1, 4, 16] }
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let sweep = Sweep::parse(Path::new("citation.toml"), FILE.to_owned())?;
    let mut sets = DataSets::new();
    sets.insert("citation", Community::citation().with_nodes(800).check()?.generate(1));
    let mut book = Book::begin(&folder.path().join("sweep"))?;
    let plan = Plan::new(&sweep, &sets)?;
    run(&plan, &sets, &mut book, NonZeroUsize::MIN, false, &mut |_| ())?;
    let outcomes = book.outcomes()?;
    for outcome in &outcomes {
        println!(
            "{:<9} {:?} seed {}: {:.3}",
            outcome.case, outcome.point, outcome.seed, outcome.figures["test_accuracy"]
        );
    }
    let page = folder.path().join("report.html");
    Report::new("Edges of a citation graph", &outcomes, Made::default()).write(&page)?;
    println!("report: {} bytes of HTML", std::fs::metadata(&page)?.len());
    Ok(())
}
