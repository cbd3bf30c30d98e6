//! Reports per second of each mechanism, on one core, each report with its own node's coins.
//!
//! `cargo bench -p veil-privacy --bench mechanisms`

#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use divan::Bencher;
use divan::counter::ItemsCount;
use veil_privacy::mechanism::{ValueRange, discrete_laplace, grid_laplace, multi_bit, one_bit, randomised_response};
use veil_privacy::{Coins, Context, Epsilon, NodeCoins, Stream};

const NODES: u32 = 10_000;

fn main() {
    divan::main();
}

fn epsilon(nanos: u64) -> Epsilon {
    Epsilon::from_nanos(nanos).unwrap()
}

fn stream() -> Stream {
    Coins::reproducible(1).stream(&Context {
        release: [0; 16],
        redemption: 0,
        mechanism: "bench",
        parameters: "",
        inputs: [0; 32],
        data: [0; 32],
        round: 0,
        query: 0,
    })
}

/// Runs `report` for all nodes.
fn per_node(bencher: Bencher<'_, '_>, report: impl Fn(u32, &mut NodeCoins) + Sync) {
    let stream = stream();
    bencher.counter(ItemsCount::new(NODES)).bench(|| {
        for v in 0..NODES {
            report(v, &mut stream.node(v));
        }
    });
}

#[divan::bench]
fn coins_only(bencher: Bencher<'_, '_>) {
    per_node(bencher, |_, coins| {
        black_box(coins.next_u64());
    });
}

#[divan::bench(args = [2, 7, 40])]
fn randomised_response(bencher: Bencher<'_, '_>, values: u32) {
    let mechanism = randomised_response::Params { epsilon: epsilon(1_000_000_000), values }.check().unwrap();
    per_node(bencher, |v, coins| {
        black_box(mechanism.report(v % values, coins).ok());
    });
}

#[divan::bench]
fn one_bit(bencher: Bencher<'_, '_>) {
    let params = one_bit::Params { epsilon: epsilon(1_000_000_000), range: ValueRange::UNIT };
    let mechanism = params.check().unwrap();
    per_node(bencher, |v, coins| {
        black_box(mechanism.report(f64::from(v) / f64::from(NODES), coins).ok());
    });
}

/// m of 1433 dimensions, at ε = 3.
#[divan::bench(args = [1, 10, 100, 1433])]
fn multi_bit(bencher: Bencher<'_, '_>, samples: u32) {
    let params = multi_bit::Params {
        epsilon: epsilon(3_000_000_000),
        dimensions: 1433,
        range: ValueRange::UNIT,
        samples: Some(samples),
    };
    let mechanism = params.check().unwrap();
    let row: Vec<f32> = (0..1433_u16).map(|i| f32::from(i % 2)).collect();
    per_node(bencher, |_, coins| {
        let mut out = Vec::with_capacity(samples as usize);
        let lookup = |dimension: u32| row.get(dimension as usize).copied().unwrap_or(0.0);
        black_box(mechanism.report(lookup, coins, &mut out).ok());
        black_box(out);
    });
}

/// Seven counts, by ε in 10⁻⁹: a scale in lowest terms with small and with large parts.
#[divan::bench(args = [100_000_000, 1_000_000_000, 1_234_567_891])]
fn discrete_laplace(bencher: Bencher<'_, '_>, nanos: u64) {
    let mechanism = discrete_laplace::Params { epsilon: epsilon(nanos), sensitivity: 1 }.check().unwrap();
    per_node(bencher, |_, coins| {
        black_box(mechanism.release(&[0, 1, 2, 3, 4, 5, 6], coins));
    });
}

/// A posterior over seven classes.
#[divan::bench]
fn grid_laplace(bencher: Bencher<'_, '_>) {
    let params = grid_laplace::Params {
        epsilon: epsilon(1_000_000_000),
        l1_sensitivity: 2.0,
        coordinates: 7,
        step_exponent: 20,
        bound: 1.0,
    };
    let mechanism = params.check().unwrap();
    per_node(bencher, |_, coins| {
        black_box(mechanism.release(&[0.1, 0.2, 0.3, 0.1, 0.1, 0.1, 0.1], coins).ok());
    });
}

/// What checking parameters costs: the thresholds in big integers.
#[divan::bench]
fn check_multi_bit(bencher: Bencher<'_, '_>) {
    let params =
        multi_bit::Params { epsilon: epsilon(3_000_000_000), dimensions: 1433, range: ValueRange::UNIT, samples: None };
    bencher.bench(|| black_box(params).check().ok());
}
