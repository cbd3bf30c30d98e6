//! LinkTeller queries at the shape of Cora, half of them about edges, on all threads: `cargo bench
//! -p veil-nn --bench probe`.

#![allow(missing_docs, clippy::unwrap_used)]

use divan::Bencher;
use veil_graph::NodeId;
use veil_graph::random::Random;
use veil_nn::workload::shape::{CORA, Shape};
use veil_nn::{Description, Input, Kind, Model, Probe};

fn main() {
    divan::main();
}

const KINDS: [Kind; 2] = [Kind::Gcn, Kind::Gat];
const HOPS: [usize; 2] = [0, 16];

/// Hidden 16, one head.
fn network<const HOPS: usize>(kind: Kind) -> (Model, Input) {
    let description = Description { kind, ..Description::default() };
    let model = Model::new(description.check(CORA.features, CORA.classes).unwrap(), 1);
    (model, Shape { hops: HOPS, ..CORA }.with_reports(1))
}

/// 500 edges and 500 random pairs, with as many different sources as possible.
fn pairs(input: &Input) -> Vec<(NodeId, NodeId)> {
    let mut random = Random::new(1, "pairs");
    let mut pairs = Vec::new();
    while pairs.len() < 500 {
        let target = random.below(input.nodes());
        let senders = input.topology().messages().received_by(target);
        if !senders.is_empty() {
            pairs.push((senders[random.below(senders.len())], target as NodeId));
        }
    }
    pairs.extend((0..500).map(|_| (random.below(input.nodes()) as NodeId, random.below(input.nodes()) as NodeId)));
    pairs
}

/// 1,000 exact derivatives, including the construction of the probe.
#[divan::bench(args = KINDS, consts = HOPS)]
fn influences<const HOPS: usize>(bencher: Bencher, kind: Kind) {
    let (model, input) = network::<HOPS>(kind);
    let pairs = pairs(&input);
    bencher.bench_local(|| Probe::new(&model, &input).unwrap().influences(&pairs).unwrap());
}

/// 1,000 differences, one query after the other.
#[divan::bench(args = KINDS, consts = HOPS)]
fn differences<const HOPS: usize>(bencher: Bencher, kind: Kind) {
    let (model, input) = network::<HOPS>(kind);
    let pairs = pairs(&input);
    let probe = Probe::new(&model, &input).unwrap();
    bencher.bench_local(|| {
        for &(source, target) in &pairs {
            let features = probe.features(source).unwrap().into_iter().map(|value| value * 1.001).collect();
            divan::black_box(probe.changed(&[target], &[(source, features)]).unwrap());
        }
    });
}
