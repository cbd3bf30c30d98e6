//! `veil bench local`: how fast local reports, training on them and an attack on what was trained are, here.

use std::ops::ControlFlow;

use clap::Args;
use veil_attack::linkteller::Influence;
use veil_attack::pairs::{Pairs, Sampling};
use veil_attack::scores::Scoring;
use veil_graph::generate::PowerLaw;
use veil_graph::random::Random;
use veil_graph::{Encoded, Features};
use veil_learn::run::{Record, Seed, Weights};
use veil_learn::{Edges, Parameters, ParametersError, Run, Seen, Surface, learn};
use veil_nn::workload::{Figure, peak_memory};
use veil_privacy::ReleaseError;
use veil_privacy::protocol::Protocol as _;
use veil_privacy::protocol::graph_privatizer::{self, Reading, Strategy};
use veil_privacy::release::{EdgePlan, clusters_of};

use super::bench::describe;
use super::bench_subject::{Subject, fastest, halved, opened, stream, whole};
use crate::failure::Failure;
use crate::output::Output;
use crate::progress;

/// Let all users of a graph report their edges, train on reports, attack the model, on all cores
#[derive(Args)]
#[command(after_help = "Examples:\n  veil bench local\n  veil bench local --data cora --data twitch_de\n  \
    veil bench local --large --json\n\nTimes are the fastest of several; what else runs here only adds to them. \
    RAYON_NUM_THREADS=1 measures on one core.")]
pub struct Local {
    /// Measure on these data, not on made-up ones of the sizes of Cora and Twitch: a path, or the name of one that was
    /// fetched
    #[arg(long, value_name = "DATA")]
    data: Vec<String>,
    /// Also let a million users with 20 million edges report: takes a minute
    #[arg(long)]
    large: bool,
}

impl Local {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let bar = progress::working(output, "making graphs");
        let mut figures = Vec::new();
        for data in opened(&self.data)? {
            let subject = Subject::new(halved(data)?);
            bar.set_message(format!("{}: reports", subject.name));
            subject.reports(&reporting(), &mut figures)?;
            bar.set_message(format!("{}: training and attack", subject.name));
            subject.training(&mut figures)?;
        }
        if self.large {
            bar.set_message("reports of a million users");
            large(&mut figures)?;
        }
        bar.finish_and_clear();
        output.show(&figures, || describe(&figures))
    }
}

/// The most that something may take, in milliseconds, on data of this name.
fn target(data: &str, what: &str) -> Option<f64> {
    match what {
        _ if what.starts_with(graph_privatizer::NAME) && data.starts_with("cora") => Some(5.0),
        _ if what.starts_with(graph_privatizer::NAME) && data.starts_with("twitch") => Some(250.0),
        _ if what.starts_with("linkteller") && data.starts_with("cora") => Some(100.0),
        "train-gcn" if data.starts_with("cora") => Some(400.0),
        _ => None,
    }
}

impl Subject {
    /// Protocols that need no conversation, from released features and labels to reports.
    fn reports(&self, protocols: &[(&str, Parameters)], figures: &mut Vec<Figure>) -> Result<(), Failure> {
        let released = self.release(&Parameters { edges: Edges::Empty, epsilon_edges: None, ..parameters() })?.released;
        let (features, labels) = (released.data().features(), released.data().labels());
        let clusters = labels.map_or_else(Vec::new, clusters_of);
        let stream = stream();
        for (what, parameters) in protocols {
            let plan = match parameters.edge_plan(&self.data) {
                // A large graph has too many bits to flip: nothing to measure.
                Err(ParametersError::TooManyEdges { .. }) => continue,
                plan => plan?,
            };
            let seconds = match plan {
                EdgePlan::Lists(protocol) => fastest(|| protocol.run(&self.graph, features, &stream)),
                EdgePlan::Graph(mechanism) => fastest(|| mechanism.run(&self.graph, &stream)),
                EdgePlan::Vectors(vectors) => fastest(|| vectors.round(&self.graph, &clusters, &stream)),
                EdgePlan::Withheld | EdgePlan::Raw => continue,
            };
            figures.push(self.figure(what, seconds.map_err(ReleaseError::from)?, target(&self.name, what)));
        }
        Ok(())
    }

    /// From raw data to a trained model, and LinkTeller's 1,000 pairs against it.
    fn training(&self, figures: &mut Vec<Figure>) -> Result<(), Failure> {
        let parameters = parameters();
        let train = || -> Result<Run, Failure> {
            let mut released = self.release(&parameters)?.released;
            let learned = learn(Seen { released: &mut released, rounds: None }, None, &parameters, 1, &mut |_| {
                ControlFlow::Continue(())
            })?;
            let record = Record::new(
                &self.name,
                parameters.clone(),
                ("0.5,0.25,0.25".to_owned(), "public".to_owned()),
                Seed::Given(1),
                1,
            );
            Ok(Run::new(record, released, learned)?)
        };
        figures.push(self.figure("train-gcn", fastest(train)?, target(&self.name, "train-gcn")));
        let run = train()?;
        let pairs = Pairs::sample(&self.graph, Sampling::Balanced { pairs: 500 }, 1)?;
        for (what, surface) in [("linkteller-model", Surface::Model), ("linkteller-pipeline", Surface::Pipeline)] {
            let attack = || -> Result<_, Failure> {
                let model = run.deployed(surface, Weights::Chosen)?;
                Ok(veil_attack::run(&Influence::Exact, &model, &pairs, Scoring { seed: 1, ..Scoring::default() })?)
            };
            figures.push(self.figure(what, fastest(attack)?, target(&self.name, what)));
        }
        Ok(())
    }
}

/// GraphPrivatizer and a graph convolution, as the paper has them on Cora.
fn parameters() -> Parameters {
    Parameters {
        edges: Edges::GraphPrivatizer,
        epsilon_edges: Some(whole(1)),
        epsilon_features: Some(whole(3)),
        epsilon_labels: Some(whole(3)),
        alpha: 0.5,
        kx: 16,
        ky: 2,
        ..Parameters::default()
    }
}

/// What is reported. Without a threshold the paper's reading compares nothing, so it is measured with one too.
fn reporting() -> [(&'static str, Parameters); 9] {
    let privatizer = |strategy, delta, similarity| Parameters { strategy, delta, similarity, ..parameters() };
    let other = |edges| Parameters { edges, ..parameters() };
    [
        ("graph-privatizer-no-threshold", privatizer(Strategy::Threshold, 0.0, Reading::Paper)),
        ("graph-privatizer-threshold", privatizer(Strategy::Threshold, 0.25, Reading::Paper)),
        ("graph-privatizer-most-similar", privatizer(Strategy::MostSimilar, 0.0, Reading::Paper)),
        ("graph-privatizer-threshold-reference", privatizer(Strategy::Threshold, 0.0, Reading::Reference)),
        ("graph-privatizer-most-similar-reference", privatizer(Strategy::MostSimilar, 0.0, Reading::Reference)),
        ("two-hop-rr", other(Edges::TwoHopRr)),
        ("neighbour-krr", other(Edges::NeighbourKrr)),
        ("edge-flip", other(Edges::EdgeFlip)),
        ("degree-vectors", other(Edges::DegreeVectors)),
    ]
}

/// GraphPrivatizer on a million nodes with one of 128 signs each, both strategies; and the most that the process held so far.
fn large(figures: &mut Vec<Figure>) -> Result<(), Failure> {
    const WIDTH: usize = 128;
    let shape = PowerLaw { nodes: 1_000_000, edges: 20_000_000, exponent: 2.5, max_degree: 10_000 };
    let graph = shape.check()?.generate(1).graph().clone();
    let (nodes, mut random) = (graph.nodes() as usize, Random::new(1, "reports"));
    let columns = (0..nodes).map(|_| random.below(WIDTH) as u32).collect();
    let positive = (0..nodes).map(|_| random.below(2) == 1).collect();
    let encoded = Encoded::from_reports((nodes, WIDTH, 1), (0.5, 0.55 * WIDTH as f32), columns, positive)
        .unwrap_or_else(|error| unreachable!("one sign per row, below the width: {error}"));
    let features = Features::Encoded(encoded);
    let stream = stream();
    let figure = |what: &str, value, unit, target| {
        let name = format!("million/graph-privatizer-{what}");
        Figure { name, value, unit, target: Some(target), more_is_better: false }
    };
    for (strategy, delta) in [(Strategy::Threshold, 0.25), (Strategy::MostSimilar, 0.0)] {
        let (measure, reading) = (Default::default(), Reading::Paper);
        let params =
            graph_privatizer::Params { epsilon: whole(1), strategy, alpha: 0.5, threshold: delta, measure, reading };
        let protocol = params.check()?;
        let seconds = fastest(|| protocol.run(&graph, Some(&features), &stream));
        let seconds = seconds.map_err(ReleaseError::from)?;
        figures.push(figure(strategy.name(), seconds, "s", 30.0));
    }
    if let Some(bytes) = peak_memory() {
        figures.push(figure("memory", bytes / f64::from(1 << 30), "GiB", 8.0));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use veil_graph::generate::Community;

    use super::*;

    #[test]
    fn what_would_have_too_many_edges_is_left_out() {
        let data = Community::citation().with_nodes(300).check().unwrap().generate(1);
        let flip = Parameters { edges: Edges::EdgeFlip, ..parameters() };
        let protocols = [
            ("too-many", Parameters { max_edges: 1, ..flip.clone() }),
            ("edge-flip", flip),
            ("two-hop-rr", Parameters { edges: Edges::TwoHopRr, ..parameters() }),
        ];
        let mut figures = Vec::new();
        Subject::new(data).reports(&protocols, &mut figures).unwrap();
        let measured: Vec<&str> = figures.iter().filter_map(|figure| figure.name.split('/').nth(1)).collect();
        assert_eq!(measured, ["edge-flip", "two-hop-rr"]);
    }
}
