//! LinkTeller looks for the private edges of a graph network, and finds far fewer of them behind
//! LapGraph.
//!
//! `cargo run --example attack_a_model`

use veilgraph::attack::linkteller::Influence;
use veilgraph::attack::pairs::{Pairs, Sample};
use veilgraph::attack::scores::Scoring;
use veilgraph::learn::Surface;
use veilgraph::learn::pipeline::experiment;
use veilgraph::learn::run::Weights;
use veilgraph::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let graph = Community::citation().with_nodes(500).check()?.generate(1);
    let pairs = Pairs::sample(graph.graph(), Sample::Balanced, 200, 1)?;
    for (name, settings) in [("gnn", vec![]), ("dpgcn", vec![("epsilon-edges", 2.into())])] {
        let settings: Settings = settings.into_iter().chain([("epochs", 60.into()), ("hidden", 16.into())]).collect();
        let trained = experiment(name, &settings, graph.clone(), Terms::default(), 1)?;
        let model = trained.run.deployed(Surface::Pipeline, Weights::Chosen)?;
        let found = veilgraph::attack::run(&Influence::Exact, &model, &pairs, Scoring { belief: None, seed: 1 })?;
        println!("{name:<6} LinkTeller AUC {:.3} ({:.3} to {:.3})", found.auc, found.auc_ci[0], found.auc_ci[1]);
    }
    Ok(())
}
