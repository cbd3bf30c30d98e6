//! The time of a charge, which reads and verifies the whole ledger.
//!
//! `cargo bench -p veil-privacy --bench ledger`

#![allow(missing_docs, clippy::unwrap_used)]

use divan::Bencher;
use veil_graph::{Dataset, Direction, Dropped, Graph};
use veil_privacy::{Coins, Delta, Guarantee, Ledger, Private, Request, Status, Trust, Unit};

fn main() {
    divan::main();
}

fn data() -> Private<Dataset> {
    let graph = Graph::from_edges(3, &[(0, 1)], Direction::Undirected).unwrap().graph;
    Private::seal(Dataset::new("tiny", graph, Dropped::default()))
}

/// About as long as the guarantee of a real release.
fn guarantee() -> Guarantee {
    Guarantee {
        unit: Unit::Label,
        trust: Trust::Local,
        epsilon: "0.001".parse().unwrap(),
        delta: Delta::ZERO,
        status: Status::Proven,
        reproducible: false,
        per_relationship: None,
        mechanism: "randomised-response".into(),
        parameters: Default::default(),
        assumptions: Vec::new(),
        not_protected: Vec::new(),
        source: "a proof ".repeat(100),
    }
}

fn request(data: &Private<Dataset>) -> Request {
    Request::new(data, Coins::from_os().unwrap(), vec![guarantee()]).unwrap()
}

/// A ledger with so many entries.
fn ledger(folder: &std::path::Path, entries: usize) -> Ledger {
    let mut ledger = Ledger::create(&folder.join("book.db"), &["label=1000".parse().unwrap()]).unwrap();
    let data = data();
    let further = (1..entries).map(|_| request(&data)).collect();
    ledger.charge_all(request(&data), further, &[]).unwrap();
    ledger
}

#[divan::bench(args = [10, 1_000, 10_000], sample_count = 20, sample_size = 1)]
fn charge(bencher: Bencher<'_, '_>, entries: usize) {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = ledger(folder.path(), entries);
    let data = data();
    bencher.bench_local(|| ledger.charge(request(&data), &[]).unwrap());
}
