//! Users report their own neighbour lists through a local protocol, and a server that nobody trusts
//! learns from the reports.
//!
//! `cargo run --example local_collection`

use veilgraph::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let graph = Community::citation().with_nodes(1500).check()?.generate(1);
    // Every user spends ε = 4 on the counts of their neighbours per cluster, and ε = 3 on their
    // label.
    let settings = Settings::from_iter([
        ("epsilon-edges", 4.into()),
        ("epsilon-labels", 3.into()),
        ("rounds", 2.into()),
        ("epochs", 60.into()),
    ]);
    let method = method::configure("degree-vectors", &settings)?;
    let (terms, payment) = (Terms::default(), Payment::default());
    let input = Input::Graphs(Graphs::one(graph, &terms, &payment)?);
    let trained = Job { method, terms, payment, input }.run(Place::Memory, &Silent)?;

    for guarantee in &trained.run.released().statement().guarantees {
        println!(
            "{:<9} ε = {:<4} {} ({})",
            guarantee.unit,
            guarantee.epsilon,
            guarantee.status,
            guarantee.trust.name()
        );
    }
    let accuracy = trained.score.and_then(|score| score.test_accuracy).unwrap_or_default();
    println!("test accuracy {:.1} %, known to us alone: it needs the true labels", 100.0 * accuracy);
    Ok(())
}
