//! `veil bench central`: how fast an owner's releases of a graph, and the methods that learn from them, are here.

use std::ops::ControlFlow;

use clap::Args;
use veil_graph::generate::PowerLaw;
use veil_learn::run::{Record, Seed};
use veil_learn::{Edges, Method, Parameters, ParametersError, Readout, Run, Seen, learn};
use veil_nn::workload::{Figure, peak_memory};
use veil_privacy::ReleaseError;
use veil_privacy::central::GraphMechanism as _;
use veil_privacy::central::lap_graph;
use veil_privacy::release::EdgePlan;

use super::bench::describe;
use super::bench_subject::{Subject, fastest, halved, opened, stream, whole};
use crate::failure::Failure;
use crate::output::Output;
use crate::progress;

/// Release graphs with noise as their owner, and train LPGNet and DpGCN, on all cores
#[derive(Args)]
#[command(after_help = "Examples:\n  veil bench central\n  veil bench central --data cora --data twitch_de\n  \
    veil bench central --large --json\n\nTimes are the fastest of several; what else runs here only adds to them. \
    RAYON_NUM_THREADS=1 measures on one core. A training is 500 epochs of each network, hidden 16, with the release before it \
    and the answers after it. Memory is the most that the process held until then, data included.")]
pub struct Central {
    /// Measure on these data, not on made-up ones of the sizes of Cora and Twitch: a path, or the name of one that was
    /// fetched
    #[arg(long, value_name = "DATA")]
    data: Vec<String>,
    /// Also release a graph of a million nodes and 10 million edges: takes a minute
    #[arg(long)]
    large: bool,
}

impl Central {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let bar = progress::working(output, "making graphs");
        let mut subjects = Vec::new();
        for data in opened(&self.data)? {
            let data = if data.split().is_some() { data } else { halved(data)? };
            subjects.push(Subject::new(data));
        }
        let mut figures = Vec::new();
        // First what should take little memory: what is measured is the most that was ever held.
        for (what, edges) in [("lapgraph", Edges::LapGraph), ("edgerand", Edges::EdgeRand)] {
            for subject in &subjects {
                bar.set_message(format!("{}: {what}", subject.name));
                subject.noisy_graphs(what, edges, &mut figures)?;
            }
        }
        for subject in &subjects {
            bar.set_message(format!("{}: training", subject.name));
            subject.methods(&mut figures)?;
        }
        if self.large {
            bar.set_message("releasing a graph of a million nodes");
            large(&mut figures)?;
        }
        bar.finish_and_clear();
        output.show(&figures, || describe(&figures))
    }
}

/// The most that something may take on data of this name, in milliseconds or MiB.
fn target(data: &str, what: &str) -> Option<f64> {
    match what {
        "lapgraph-memory" if data.starts_with("twitch") => Some(200.0),
        _ if what.starts_with("lapgraph") && data.starts_with("twitch") => Some(300.0),
        "train-lpgnet-2" if data.starts_with("cora") => Some(1500.0),
        _ => None,
    }
}

impl Subject {
    /// A noisy graph at ε = 1 and 4.
    fn noisy_graphs(&self, name: &str, edges: Edges, figures: &mut Vec<Figure>) -> Result<(), Failure> {
        let stream = stream();
        for epsilon in [1, 4] {
            let parameters = Parameters { edges, epsilon_edges: Some(whole(epsilon)), ..Parameters::default() };
            let mechanism = match parameters.edge_plan(&self.data) {
                // A large graph has too many cells to flip: nothing to measure.
                Err(ParametersError::TooManyEdges { .. }) => continue,
                Err(error) => return Err(error.into()),
                Ok(EdgePlan::Graph(mechanism)) => mechanism,
                Ok(_) => continue,
            };
            let seconds = fastest(|| mechanism.run(&self.graph, &stream)).map_err(ReleaseError::from)?;
            let what = format!("{name}-{epsilon}");
            figures.push(self.figure(&what, seconds, target(&self.name, &what)));
        }
        if edges == Edges::LapGraph
            && let Some(bytes) = peak_memory()
        {
            let (what, value) = (format!("{name}-memory"), bytes / f64::from(1 << 20));
            let (name, target) = (format!("{}/{what}", self.name), target(&self.name, &what));
            figures.push(Figure { name, value, unit: "MiB", target, more_is_better: false });
        }
        Ok(())
    }

    /// From raw data to answers about every node.
    fn methods(&self, figures: &mut Vec<Figure>) -> Result<(), Failure> {
        for (what, parameters) in learning() {
            let train = || -> Result<_, Failure> {
                let mut release = self.release(&parameters)?;
                let seen = Seen { released: &mut release.released, rounds: Some(&mut release.rounds) };
                let learned = learn(seen, None, &parameters, 1, &mut |_| ControlFlow::Continue(()))?;
                let asked = ("public".to_owned(), "public".to_owned());
                let record = Record::new(&self.name, parameters.clone(), asked, Seed::Given(1), 1);
                Ok(Run::new(record, release.released, learned)?.posteriors()?)
            };
            figures.push(self.figure(what, fastest(train)?, target(&self.name, what)));
        }
        Ok(())
    }
}

/// What is trained: as published, but narrow.
fn learning() -> [(&'static str, Parameters); 3] {
    let published =
        |method: Method| Parameters { epsilon_edges: Some(whole(4)), hidden: Some(16), ..method.defaults() };
    [
        ("train-lpgnet-2", Parameters { rounds: Some(2), ..published(Method::Lpgnet) }),
        ("train-lpgnet-bayes", Parameters { readout: Readout::Bayes, ..published(Method::Lpgnet) }),
        ("train-dpgcn", published(Method::Dpgcn)),
    ]
}

/// LapGraph on a million nodes with 10 million edges; and the most that the process held so far.
fn large(figures: &mut Vec<Figure>) -> Result<(), Failure> {
    let shape = PowerLaw { nodes: 1_000_000, edges: 10_000_000, exponent: 2.5, max_degree: 10_000 };
    let graph = shape.check()?.generate(1).graph().clone();
    let stream = stream();
    let epsilon_count = Parameters::default().epsilon_count;
    for epsilon in [1, 4] {
        let params = lap_graph::Params { epsilon: whole(epsilon), epsilon_count, nodes: graph.nodes() };
        let mechanism = params.check()?;
        let value = fastest(|| mechanism.run(&graph, &stream)).map_err(ReleaseError::from)?;
        let name = format!("million/lapgraph-{epsilon}");
        figures.push(Figure { name, value, unit: "s", target: Some(30.0), more_is_better: false });
    }
    if let Some(bytes) = peak_memory() {
        let (name, value) = ("million/lapgraph-memory".to_owned(), bytes / f64::from(1 << 30));
        figures.push(Figure { name, value, unit: "GiB", target: None, more_is_better: false });
    }
    Ok(())
}
