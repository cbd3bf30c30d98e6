//! A private graph labels a public one through noisy sums per class; a student learns from these
//! labels and is released. A whole node of the private graph is protected.
//!
//! `cargo run --example release_a_student`

use veilgraph::graph::{Counts, Holders};
use veilgraph::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let whole = Community::citation().with_nodes(1500).check()?.generate(1);
    let labels = whole.labels().ok_or("no labels")?;
    let counts = Counts { private_per_class: 60, public_train: 400, public_test: 400 };
    let parts = whole.apart(&Holders::random(labels, counts, 1)?)?;

    let method = method::configure("class-sums", &Settings::from_iter([("epsilon", 8.into())]))?;
    let input = Input::Student { private: Private::seal(parts.private), public: parts.public };
    let job = Job { method, terms: Terms::default(), payment: Payment::default(), input };
    let trained = job.run(Place::Memory, &Silent)?;

    let guarantee = &trained.run.released().statement().guarantees[0];
    println!("{} ε = {}, δ = {}, {}", guarantee.unit, guarantee.epsilon, guarantee.delta, guarantee.status);
    let accuracy = trained.score.and_then(|score| score.test_accuracy).unwrap_or_default();
    println!("accuracy on the public test nodes {:.1} %", 100.0 * accuracy);
    Ok(())
}
