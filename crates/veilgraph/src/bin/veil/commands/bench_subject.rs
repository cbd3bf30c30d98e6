//! What the benchmarks of methods share: data to measure on, a clock, coins.

use std::time::Instant;

use veil_graph::generate::Community;
use veil_graph::{Dataset, Fractions, Graph, Split};
use veil_learn::Parameters;
use veil_nn::workload::Figure;
use veil_privacy::release::{Plan, RangeChoice, Release};
use veil_privacy::{Coins, Context, Epsilon, Private, Request, Stream};

use super::data::open_named;
use crate::failure::Failure;

/// The data of these names, or made-up ones of the sizes of Cora and of twitch_de if there is no name.
pub fn opened(names: &[String]) -> Result<Vec<Dataset>, Failure> {
    if names.is_empty() {
        return made_up().into_iter().map(|shape| Ok(shape.check()?.generate(1))).collect();
    }
    names.iter().map(|name| open_named(name)).collect()
}

/// The same data with half of the nodes for training, a quarter for validation and a quarter for testing.
pub fn halved(data: Dataset) -> Result<Dataset, Failure> {
    let split = Split::random(data.nodes(), Fractions::new(0.5, 0.25, 0.25)?, 1);
    Ok(data.with_split(split)?)
}

/// Graphs of the sizes of Cora and of twitch_de.
fn made_up() -> [Community; 2] {
    let twitch = Community {
        name: "twitch-like".to_owned(),
        nodes: 9498,
        class_shares: vec![6.0, 4.0],
        mean_degree: 306_276.0 / 9498.0,
        exponent: 2.3,
        max_degree: 4259.0,
        features: 3170,
        words_per_node: 20.0,
        ..Community::social()
    };
    [Community { name: "cora-like".to_owned(), ..Community::citation() }, twitch]
}

/// Data to measure on.
pub struct Subject {
    pub name: String,
    pub graph: Graph,
    pub data: Private<Dataset>,
}

impl Subject {
    pub fn new(data: Dataset) -> Subject {
        let (name, graph) = (data.name().to_owned(), data.graph().clone());
        Subject { name, graph, data: Private::seal(data) }
    }

    /// What took so many seconds, in milliseconds, of which there may be at most `target`.
    pub fn figure(&self, what: &str, seconds: f64, target: Option<f64>) -> Figure {
        let name = format!("{}/{what}", self.name);
        Figure { name, value: 1e3 * seconds, unit: "ms", target, more_is_better: false }
    }

    /// Nothing of it leaves this process, so no ledger is asked.
    pub fn release(&self, parameters: &Parameters) -> Result<Release<'_>, Failure> {
        let plan = Plan::new(&self.data, parameters.options(&self.data, RangeChoice::Public)?)?;
        let request = Request::new(&self.data, Coins::reproducible(1), plan.guarantees())?;
        Ok(plan.release(&self.data, request.unbooked())?)
    }
}

/// Seconds of the fastest of a few runs: at least two, and more of what is fast.
pub fn fastest<T, E>(mut work: impl FnMut() -> Result<T, E>) -> Result<f64, E> {
    let (start, mut fastest, mut runs) = (Instant::now(), f64::INFINITY, 0);
    while runs < 2 || (runs < 30 && start.elapsed().as_secs_f64() < 1.0) {
        let before = Instant::now();
        // Dropping the result is not part of the work.
        let result = work()?;
        fastest = fastest.min(before.elapsed().as_secs_f64());
        drop(result);
        runs += 1;
    }
    Ok(fastest)
}

pub fn whole(epsilon: u64) -> Epsilon {
    Epsilon::from_nanos(epsilon * 1_000_000_000).unwrap_or(Epsilon::INFINITE)
}

pub fn stream() -> Stream {
    let context = Context { release: [0; 16], mechanism: "bench", parameters: "", data: [0; 32], round: 0, query: 0 };
    Coins::reproducible(1).stream(&context)
}
