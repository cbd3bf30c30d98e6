//! The methods side by side: each trained with several budgets and seeds, attacked and audited on the same graph.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Instant;

use rayon::prelude::*;
use serde::Serialize;
use serde_json::Value;
use veil_attack::audit::{Audit, Options, Subject};
use veil_attack::linkteller::Influence;
use veil_attack::lsa::LinkStealing;
use veil_attack::pairs::{Pairs, Sampling};
use veil_attack::scores::Scoring;
use veil_graph::{Counts, Dataset, Holders};
use veil_lab::report::{BesideTruth, Looks};
use veil_lab::{Outcome, Promised, decided};
use veil_learn::run::{Record, Weights, score, score_all};
use veil_learn::{Edges, LearnError, Method, Parameters, Run, Scaling, Select, Surface};
use veil_nn::on_one_core;
use veil_privacy::release::RangeChoice;
use veil_privacy::{Epsilon, Private, Truth, Unit};

use crate::failure::Failure;

/// One row of the demo: a method at the ε that is shown.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What it is.
    pub method: &'static str,
    /// What is protected, in a few words.
    pub protects: String,
    /// What its runs promise about that; `None` where nothing is promised.
    #[serde(flatten)]
    pub promise: Option<Promised>,
    /// The share of test nodes that it is right about, over all seeds.
    pub accuracy: f64,
    /// How well LinkTeller tells edges from other pairs, ½ being a guess; `None` where no private edge was learned from.
    pub linkteller: Option<f64>,
    /// The same of link stealing, which finds something without any edge too: the floor's is what others stand beside.
    pub link_stealing: Option<f64>,
    /// What an audit of its mechanism says; `None` where nothing is promised.
    pub verdict: Option<String>,
}

/// The ε that is shown, and all that are run.
const EPSILON: u64 = 4;
const EPSILONS: [u64; 5] = [1, 2, EPSILON, 8, 16];
/// How often each is trained. Everything is drawn from numbers that everyone knows: a demo is the same for all, and not private.
const SEEDS: u64 = 3;
/// Private nodes, public ones to learn on, and public ones to be scored on, of methods that teach a student.
const PRIVATE: usize = 900;
pub const PUBLIC: usize = 700;
/// How many labels PrivGNN asks for.
pub const QUERIES: u32 = 60;
const TESTED: usize = 700;
/// The figures of an outcome.
const ACCURACY: &str = "test_accuracy";
const LINKTELLER: &str = "linkteller_auc";
const LINK_STEALING: &str = "lsa_auc";

/// What is trained.
#[derive(Clone, Copy)]
struct Entry {
    method: &'static str,
    /// What is audited; what has nothing promises nothing, and has no ε.
    subject: Option<Subject>,
    how: How,
}

#[derive(Clone, Copy)]
enum How {
    /// On released edges.
    Edges(fn() -> Parameters),
    /// On a public graph, taught by a private one.
    Student(Method),
}

/// The non-private model, and the one that uses no edge: what others are to be compared with.
pub const NON_PRIVATE: &str = "GCN, all edges";
pub const FLOOR: &str = "MLP, no edges";

/// The methods, in the order in which they are shown.
const ENTRIES: [Entry; 8] = [
    Entry { method: NON_PRIVATE, subject: None, how: How::Edges(|| owner(Method::Gnn)) },
    Entry { method: FLOOR, subject: None, how: How::Edges(|| owner(Method::Mlp)) },
    Entry {
        method: "GraphPrivatizer",
        subject: Some(Subject::Edges(Edges::GraphPrivatizer)),
        how: How::Edges(|| Parameters { method: None, edges: Edges::GraphPrivatizer, ..owner(Method::Gnn) }),
    },
    Entry {
        method: "degree vectors",
        subject: Some(Subject::Edges(Edges::DegreeVectors)),
        how: How::Edges(|| Parameters { method: None, unit: Unit::EdgeBit, ..owner(Method::Lpgnet) }),
    },
    Entry { method: "LPGNet", subject: Some(Subject::Lpgnet), how: How::Edges(|| owner(Method::Lpgnet)) },
    Entry {
        method: "DpGCN (LapGraph)",
        subject: Some(Subject::Edges(Edges::LapGraph)),
        how: How::Edges(|| owner(Method::Dpgcn)),
    },
    Entry { method: "PrivGNN", subject: Some(Subject::Answers(Method::Privgnn)), how: How::Student(Method::Privgnn) },
    Entry {
        method: "class sums",
        subject: Some(Subject::Answers(Method::ClassSums)),
        how: How::Student(Method::ClassSums),
    },
];

/// An owner's method, with fewer and smaller steps than its paper had: this is to be seen in a minute. What users report is trained on in the
/// same way, so that what differs is what was done to the edges.
fn owner(method: Method) -> Parameters {
    Parameters {
        hidden: Some(32),
        epochs: 200,
        scale: Scaling::Minmax,
        select: Some(Select::LowestValidationLoss),
        ..method.defaults()
    }
}

/// A method that teaches a student, likewise.
fn student(method: Method) -> Parameters {
    let defaults = method.defaults();
    Parameters {
        queries: defaults.queries.map(|_| QUERIES),
        k: defaults.k.map(|_| 100),
        epochs: 60,
        hidden: Some(32),
        ..defaults
    }
}

/// All that was found.
pub struct Found {
    /// The table.
    pub rows: Vec<Row>,
    /// Every run.
    pub outcomes: Vec<Outcome>,
    /// What GraphPrivatizer makes of the graph.
    pub graph: Option<BesideTruth>,
}

/// One training.
struct Job {
    entry: Entry,
    epsilon: Option<u64>,
    seed: u64,
}

/// How many trainings there are.
pub fn trainings() -> u64 {
    jobs().len() as u64
}

fn jobs() -> Vec<Job> {
    let mut jobs = Vec::new();
    for entry in ENTRIES {
        let epsilons: Vec<Option<u64>> = if entry.subject.is_some() { EPSILONS.map(Some).to_vec() } else { vec![None] };
        for epsilon in epsilons {
            jobs.extend((1..=SEEDS).map(|seed| Job { entry, epsilon, seed }));
        }
    }
    jobs
}

/// What all of them work on.
struct World<'a> {
    data: &'a Dataset,
    private: Dataset,
    public: Dataset,
    pairs: Pairs,
}

/// Trains and attacks all of them, one on each core, and audits each mechanism. `done` is called after each training.
pub fn all(data: &Dataset, done: &(dyn Fn() + Sync)) -> Result<Found, Failure> {
    let labels = data.labels().ok_or(LearnError::NoLabels)?;
    let private_per_class = PRIVATE / labels.classes() as usize;
    let holders = Holders::random(labels, Counts { private_per_class, public_train: PUBLIC, public_test: TESTED }, 1)?;
    let apart = data.apart(&holders)?;
    let pairs = Pairs::sample(data.graph(), Sampling::Balanced { pairs: 500 }, 1)?;
    let world = World { data, private: apart.private, public: apart.public, pairs };
    let trained = jobs().into_par_iter().map(|job| {
        let (outcome, run) = on_one_core(|| job.trained(&world))?;
        // One graph is looked at.
        let looked_at = job.entry.method == "GraphPrivatizer" && job.epsilon == Some(EPSILON) && job.seed == 1;
        done();
        Ok((outcome, looked_at.then(|| beside_truth(data, &run)).flatten()))
    });
    let (outcomes, graphs): (Vec<Outcome>, Vec<Option<BesideTruth>>) =
        trained.collect::<Result<Vec<_>, Failure>>()?.into_iter().unzip();
    let rows = ENTRIES.into_par_iter().map(|entry| entry.row(data, &outcomes)).collect::<Result<_, Failure>>()?;
    Ok(Found { rows, outcomes, graph: graphs.into_iter().flatten().next() })
}

impl Job {
    fn trained(&self, world: &World<'_>) -> Result<(Outcome, Run), Failure> {
        let start = Instant::now();
        let mut watch = |_: &_| ControlFlow::Continue(());
        // Scores need the truth: nothing of them is published, and nothing here is private.
        let truth = Truth::for_scoring_only();
        let parameters = self.parameters();
        let mut figures = BTreeMap::new();
        let run = if let How::Student(_) = self.entry.how {
            let private = Private::seal(world.private.clone());
            let run = Run::unpublished_student(&parameters, &private, &world.public, self.seed, &mut watch)?;
            let found = score_all(&run.posteriors()?, &Private::seal(world.public.clone()), &truth);
            figures.extend(found.map(|found| (ACCURACY.to_owned(), found.accuracy)));
            run
        } else {
            let sealed = Private::seal(world.data.clone());
            let words = ("public".to_owned(), "public".to_owned());
            let range = (RangeChoice::Public, words);
            let run = Run::unpublished(parameters.effective(true), &sealed, range, self.seed, &mut watch)?;
            let found = score(&run.posteriors()?, run.released().data(), &sealed, &truth).test_accuracy;
            figures.extend(found.map(|found| (ACCURACY.to_owned(), found)));
            let model = run.deployed(Surface::Pipeline, Weights::Chosen)?;
            let scoring = Scoring { belief: None, seed: self.seed };
            let stolen = veil_attack::run(&LinkStealing::default(), &model, &world.pairs, scoring)?;
            figures.insert(LINK_STEALING.to_owned(), stolen.auc);
            if parameters.edges != Edges::Empty {
                let told = veil_attack::run(&Influence::Exact, &model, &world.pairs, scoring)?;
                figures.insert(LINKTELLER.to_owned(), told.auc);
            }
            run
        };
        let guarantees = &run.released().statement().guarantees;
        let Record { parameters, split, range, .. } = run.record();
        let outcome = Outcome {
            case: self.entry.method.to_owned(),
            data: world.data.name().to_owned(),
            point: self.epsilon.map(|epsilon| ("epsilon".to_owned(), Value::from(epsilon))).into_iter().collect(),
            parameters: decided(parameters, split, range),
            seed: self.seed,
            figures,
            promises: guarantees.iter().map(Promised::from).collect(),
            seconds: start.elapsed().as_secs_f64(),
            ..Outcome::default()
        };
        Ok((outcome, run))
    }

    fn parameters(&self) -> Parameters {
        let epsilon = self.epsilon.and_then(|epsilon| Epsilon::from_nanos(epsilon * 1_000_000_000));
        match self.entry.how {
            How::Edges(parameters) => Parameters { epsilon_edges: epsilon, ..parameters() },
            How::Student(method) => Parameters { epsilon, ..student(method) },
        }
    }
}

impl Entry {
    /// What its runs at the ε that is shown say together, and an audit of its mechanism there.
    fn row(self, data: &Dataset, outcomes: &[Outcome]) -> Result<Row, Failure> {
        let epsilon = self.subject.map(|_| EPSILON);
        let here = |outcome: &&Outcome| {
            outcome.case == self.method && outcome.point.get("epsilon").and_then(Value::as_u64) == epsilon
        };
        let runs: Vec<&Outcome> = outcomes.iter().filter(here).collect();
        let mean = |figure: &str| {
            let numbers: Vec<f64> = runs.iter().filter_map(|run| run.figures.get(figure).copied()).collect();
            (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
        };
        let audit = self.subject.map(|subject| self.audited(subject, data)).transpose()?;
        let claim = audit.as_ref().map(|audit| &audit.claim);
        let nothing = if self.method == FLOOR { "edges are not used" } else { "nothing" };
        // What is audited is the first promise; the runs promise the same.
        let promise = claim.and_then(|claim| {
            let mut promises = runs.iter().flat_map(|run| &run.promises);
            promises.find(|promise| promise.unit == claim.unit.to_string()).cloned()
        });
        Ok(Row {
            method: self.method,
            protects: claim.map_or(nothing, |claim| in_words(claim.unit)).to_owned(),
            promise,
            accuracy: mean(ACCURACY).unwrap_or(0.0),
            linkteller: mean(LINKTELLER),
            link_stealing: mean(LINK_STEALING),
            verdict: audit.map(|audit| audit.verdict.to_string()),
        })
    }

    /// The first promise of its mechanism, tested as `veil audit` does, with fewer canaries.
    fn audited(self, subject: Subject, data: &Dataset) -> Result<Audit, Failure> {
        let job = Job { entry: self, epsilon: Some(EPSILON), seed: 1 };
        let options = Options { pairs: 500, canaries: 300, seed: 1 };
        let parameters = match self.how {
            How::Edges(_) => job.parameters(),
            // As it is audited by default: the graphs are the auditor's.
            How::Student(_) => {
                let epsilon = Epsilon::from_nanos(EPSILON * 1_000_000_000).unwrap_or(Epsilon::INFINITE);
                subject.with_epsilon(subject.defaults(), epsilon)?
            }
        };
        let found = subject.audit(&parameters, data, &options)?;
        found.into_iter().next().ok_or_else(|| Failure::Unexpected(format!("{subject} promises nothing")))
    }
}

fn in_words(unit: Unit) -> &'static str {
    match unit {
        Unit::EdgeBit => "an entry of a list",
        Unit::EdgeSet => "who a neighbour is",
        Unit::Edge => "an edge",
        Unit::Node => "a node and all it has",
        Unit::Feature => "features",
        Unit::Label => "a label",
    }
}

/// The graph that was released, beside the true one.
fn beside_truth(data: &Dataset, run: &Run) -> Option<BesideTruth> {
    let labels = data.labels()?;
    let looks = |graph| Looks::of(graph, |node| labels.get(node), labels.classes());
    Some(BesideTruth {
        name: format!("GraphPrivatizer at ε = {EPSILON}"),
        truth: looks(data.graph()),
        released: looks(run.released().data().graph()),
        classes: labels.names().map_or_else(Vec::new, <[String]>::to_vec),
    })
}
