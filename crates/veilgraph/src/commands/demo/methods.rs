//! The methods side by side: each trained, attacked and audited on the same graph.

use std::ops::ControlFlow;
use std::time::Instant;

use rayon::prelude::*;
use serde::Serialize;
use veil_attack::audit::{Audit, Options, Subject};
use veil_attack::linkteller::Influence;
use veil_attack::pairs::{Pairs, Sampling};
use veil_attack::scores::Scoring;
use veil_graph::{Counts, Dataset, Holders};
use veil_learn::run::{Weights, score, score_all};
use veil_learn::{Edges, Method, Parameters, Release, Run, Surface};
use veil_nn::on_one_core;
use veil_privacy::release::RangeChoice;
use veil_privacy::{Epsilon, Guarantee, Private, Status, Truth, Unit};

use crate::failure::Failure;

/// One row of the demo.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What it is.
    pub method: &'static str,
    /// What is protected, in a few words.
    pub protects: String,
    /// ε; `None` where nothing is promised.
    pub epsilon: Option<f64>,
    /// Whether that is proven.
    pub status: Status,
    /// The share of test nodes that it is right about.
    pub accuracy: f64,
    /// How well LinkTeller tells edges from other pairs, ½ being a guess; `None` where no private edge was learned from.
    pub attack: Option<f64>,
    /// What an audit of its mechanism says; `None` where nothing is promised.
    pub verdict: Option<String>,
    /// How long all that took.
    pub seconds: f64,
}

/// ε of edges, and of nodes where these are protected.
const EPSILON: u64 = 4;
/// Private nodes, public ones to learn on, and public ones to be scored on, of methods that teach a student.
const PRIVATE: usize = 900;
pub const PUBLIC: usize = 700;
const TESTED: usize = 700;
/// What everything here is drawn from: a demo is the same for everyone, and so it is not private.
const SEED: u64 = 1;

/// What is trained.
#[derive(Clone, Copy)]
struct Entry {
    method: &'static str,
    subject: Option<Subject>,
    how: How,
}

#[derive(Clone, Copy)]
enum How {
    /// On released edges.
    Edges(fn() -> Parameters),
    /// On a public graph, taught by a private one.
    Student(fn() -> Parameters),
}

/// The methods, in the order in which they are shown.
const ENTRIES: [Entry; 8] = [
    Entry { method: "GCN, all edges", subject: None, how: How::Edges(|| of(Edges::Raw)) },
    Entry { method: "MLP, no edges", subject: None, how: How::Edges(|| of(Edges::Empty)) },
    Entry {
        method: "GraphPrivatizer",
        subject: Some(Subject::Edges(Edges::GraphPrivatizer)),
        how: How::Edges(|| noisy(of(Edges::GraphPrivatizer))),
    },
    Entry {
        method: "degree vectors",
        subject: Some(Subject::Edges(Edges::DegreeVectors)),
        how: How::Edges(|| noisy(of(Edges::DegreeVectors))),
    },
    Entry { method: "LPGNet", subject: Some(Subject::Lpgnet), how: How::Edges(|| noisy(owner(Method::Lpgnet))) },
    Entry {
        method: "DpGCN (LapGraph)",
        subject: Some(Subject::Edges(Edges::LapGraph)),
        how: How::Edges(|| noisy(owner(Method::Dpgcn))),
    },
    Entry {
        method: "PrivGNN",
        subject: Some(Subject::Answers(Method::Privgnn)),
        how: How::Student(|| student(Method::Privgnn)),
    },
    Entry {
        method: "class sums",
        subject: Some(Subject::Answers(Method::ClassSums)),
        how: How::Student(|| student(Method::ClassSums)),
    },
];

/// How many methods there are.
pub const METHODS: u64 = ENTRIES.len() as u64;

/// Edges released so, everything else as it is.
fn of(edges: Edges) -> Parameters {
    Parameters {
        edges,
        epsilon_features: Some(Epsilon::INFINITE),
        epsilon_labels: Some(Epsilon::INFINITE),
        hidden: Some(32),
        ..Parameters::default()
    }
}

/// An owner's method, with fewer and smaller steps than its paper had: this is to be seen in a minute.
fn owner(method: Method) -> Parameters {
    Parameters { hidden: Some(32), epochs: 200, ..method.defaults() }
}

fn noisy(parameters: Parameters) -> Parameters {
    Parameters { epsilon_edges: Epsilon::from_nanos(EPSILON * 1_000_000_000), ..parameters }
}

fn student(method: Method) -> Parameters {
    let defaults = method.defaults();
    Parameters {
        epsilon: Epsilon::from_nanos(EPSILON * 1_000_000_000),
        queries: defaults.queries.map(|_| 60),
        k: defaults.k.map(|_| 200),
        epochs: 150,
        hidden: Some(32),
        release: defaults.release.map(|_| Release::Krr),
        ..defaults
    }
}

/// Trains, attacks and audits all of them, one on each core. `done` is called after each.
pub fn all(data: &Dataset, done: &(dyn Fn() + Sync)) -> Result<Vec<Row>, Failure> {
    let labels = data.labels().ok_or(veil_learn::LearnError::NoLabels)?;
    let classes = labels.classes() as usize;
    let holders = Holders::random(
        labels,
        Counts { private_per_class: PRIVATE / classes, public_train: PUBLIC, public_test: TESTED },
        SEED,
    )?;
    let apart = data.apart(&holders)?;
    let pairs = Pairs::sample(data.graph(), Sampling::Balanced { pairs: 500 }, SEED)?;
    let rows = ENTRIES.into_par_iter().map(|entry| {
        let start = Instant::now();
        let row = on_one_core(|| entry.row(data, (&apart.private, &apart.public), &pairs))?;
        done();
        Ok(Row { seconds: start.elapsed().as_secs_f64(), ..row })
    });
    rows.collect()
}

impl Entry {
    fn row(self, data: &Dataset, (private, public): (&Dataset, &Dataset), pairs: &Pairs) -> Result<Row, Failure> {
        let mut watch = |_: &_| ControlFlow::Continue(());
        // Scores need the truth: nothing of them is published, and nothing here is private.
        let truth = Truth::for_scoring_only();
        let words = || "public".to_owned();
        let (run, accuracy, attack) = match self.how {
            How::Edges(parameters) => {
                let sealed = Private::seal(data.clone());
                let run = Run::unpublished(
                    parameters().effective(true),
                    &sealed,
                    (RangeChoice::Public, (words(), words())),
                    SEED,
                    &mut watch,
                )?;
                let found = score(&run.posteriors()?, run.released().data(), &sealed, &truth).test_accuracy;
                let edges = run.record().parameters.edges;
                let attacked = (edges != Edges::Empty).then(|| {
                    let model = run.deployed(Surface::Pipeline, Weights::Chosen)?;
                    let scores =
                        veil_attack::run(&Influence::Exact, &model, pairs, Scoring { belief: None, seed: SEED })?;
                    Ok::<f64, Failure>(scores.auc)
                });
                (run, found, attacked.transpose()?)
            }
            How::Student(parameters) => {
                let run =
                    Run::unpublished_student(&parameters(), &Private::seal(private.clone()), public, SEED, &mut watch)?;
                let found = score_all(&run.posteriors()?, &Private::seal(public.clone()), &truth);
                (run, found.map(|found| found.accuracy), None)
            }
        };
        let promised = promise(&run);
        let audited = self.subject.map(|subject| audit(subject, &run.record().parameters, data)).transpose()?;
        Ok(Row {
            method: self.method,
            protects: promised.map_or_else(|| self.nothing().to_owned(), |it| in_words(it.unit)),
            epsilon: promised.map(|it| it.epsilon.as_f64()),
            status: promised.map_or(Status::None, |it| it.status),
            accuracy: accuracy.unwrap_or(0.0),
            attack,
            verdict: audited.map(|audit| audit.verdict.to_string()),
            seconds: 0.0,
        })
    }

    fn nothing(self) -> &'static str {
        if self.method.starts_with("MLP") { "edges are not used" } else { "nothing" }
    }
}

/// What a run promises about edges or nodes.
fn promise(run: &Run) -> Option<&Guarantee> {
    let guarantees = &run.released().statement().guarantees;
    let private = |it: &&Guarantee| it.epsilon.is_finite() && it.status != Status::None;
    guarantees.iter().filter(private).find(|it| it.unit.is_about_edges() || it.unit == Unit::Node)
}

fn in_words(unit: Unit) -> String {
    match unit {
        Unit::EdgeBit => "an entry of a user's list",
        Unit::EdgeSet => "which node a neighbour is",
        Unit::Edge => "an edge",
        Unit::Node => "a node and all it has",
        Unit::Feature => "features",
        Unit::Label => "a label",
    }
    .to_owned()
}

/// The first promise of a mechanism, tested as `veil audit` does, with fewer canaries.
fn audit(subject: Subject, parameters: &Parameters, data: &Dataset) -> Result<Audit, Failure> {
    let options = Options { pairs: 500, canaries: 300, seed: SEED };
    let found = subject.audit(parameters, data, &options)?;
    found.into_iter().next().ok_or_else(|| Failure::Unexpected(format!("{subject} promises nothing")))
}
