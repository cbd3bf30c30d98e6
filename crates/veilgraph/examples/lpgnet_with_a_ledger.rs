//! An owner trains LPGNet on private edges. A ledger is charged before anything is released, and
//! refuses what its budget does not cover.
//!
//! `cargo run --example lpgnet_with_a_ledger`

use veilgraph::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let ledger = folder.path().join("book.db");
    let budget = Budget { unit: Unit::Edge, epsilon: "4".parse()?, delta: Delta::ZERO };
    Ledger::create(&ledger, &[budget])?;

    let train = |epsilon: u32, out: &str| {
        let graph = Community::citation().with_nodes(400).check()?.generate(1);
        let settings = Settings::from_iter([("epsilon-edges", epsilon.into()), ("epochs", 50.into())]);
        let method = method::configure("lpgnet", &settings)?;
        let terms = Terms::default();
        let payment = Payment { ledger: Some(ledger.clone()), ..Payment::default() };
        let input = Input::Graphs(Graphs::one(graph, &terms, &payment)?);
        let job = Job { method, terms, payment, input };
        Ok::<Trained, Box<dyn std::error::Error>>(job.run(Place::Folder(&folder.path().join(out)), &Silent)?)
    };
    let trained = train(3, "first")?;
    println!("{}", trained.run.released().statement().to_markdown());

    match train(2, "second") {
        Err(refused) => println!("a second training: {refused}"),
        Ok(_) => return Err("3 + 2 is more than the budget of 4".into()),
    }
    assert!(!folder.path().join("second").exists(), "nothing is written if nothing is paid for");
    Ok(())
}
