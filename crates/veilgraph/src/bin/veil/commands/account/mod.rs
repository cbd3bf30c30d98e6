//! `veil account`: what a release of a model would cost, before any data are touched.

mod calibrate;
mod show;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use serde::Serialize;
use veil_privacy::accounting::published::{self, Published};
use veil_privacy::accounting::{AccountingError, Proof, Queries};
use veil_privacy::answers::LabelMechanism;

use self::calibrate::Calibrate;
use self::show::Proven;
use crate::failure::{Failure, usage};
use crate::output::Output;

/// Total privacy cost of many answers, as published and as proven
#[derive(Subcommand)]
#[command(after_help = "Examples:\n  veil account privgnn --lambda 0.1 --queries 500 --gamma 0.3 --delta 1e-3\n  \
    veil account pate --lambda 0.1 --queries 500 --delta 0.0004\n  \
    veil account calibrate privgnn --epsilon 4 --queries 500 --gamma 0.3 --delta 1e-5\n\n\
    No data are read and no ledger is charged. docs/accounting.md explains each figure.")]
pub enum Account {
    Privgnn(Privgnn),
    Pate(Pate),
    /// Find the noise for a target epsilon
    #[command(subcommand)]
    Calibrate(Calibrate),
}

impl Account {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        match self {
            Account::Privgnn(privgnn) => privgnn.run(output),
            Account::Pate(pate) => pate.run(output),
            Account::Calibrate(calibrate) => calibrate.run(output),
        }
    }
}

fn mechanisms() -> impl TypedValueParser<Value = LabelMechanism> {
    let names: Vec<&str> = LabelMechanism::proven().map(LabelMechanism::name).collect();
    PossibleValuesParser::new(names).try_map(|name| name.parse::<LabelMechanism>())
}

/// What is asked of PrivGNN, whatever the noise.
#[derive(Args, Serialize)]
#[command(allow_negative_numbers = true)]
pub struct Asked {
    /// Number of queries (public nodes that get a label)
    #[arg(long)]
    queries: u64,
    /// Sampling rate of private nodes; each query draws a fresh sample
    #[arg(long)]
    gamma: f64,
    /// δ of the guarantee; should be below one over the number of private nodes
    #[arg(long)]
    delta: f64,
    /// Mechanism that releases each label
    #[arg(long, value_parser = mechanisms(), default_value_t = LabelMechanism::NoisyArgmax)]
    release: LabelMechanism,
    /// Number of classes
    #[arg(long, default_value_t = 10)]
    classes: u32,
}

impl Asked {
    /// The cost of all queries, given the ε of one randomised response, or λ.
    fn cost(&self, noise: f64) -> Result<Queries, AccountingError> {
        self.release.cost(noise, self.classes, self.gamma, self.queries)
    }

    /// The flag that sets the noise.
    fn noise_flag(&self) -> &'static str {
        if self.release == LabelMechanism::Krr { "--epsilon-query" } else { "--lambda" }
    }
}

/// Compute the cost of PrivGNN's labels
#[derive(Args)]
#[command(after_help = "Examples:\n  veil account privgnn --lambda 0.1 --queries 500 --gamma 0.3 --delta 1e-3\n  \
    veil account privgnn --release krr --epsilon-query 2 --classes 10 --queries 300 --gamma 0.1 --delta 1e-5 --json")]
pub struct Privgnn {
    /// Inverse scale of the Laplace noise (noisy-argmax)
    #[arg(long, allow_negative_numbers = true)]
    lambda: Option<f64>,
    /// ε of one answer without subsampling (krr)
    #[arg(long, allow_negative_numbers = true)]
    epsilon_query: Option<f64>,
    #[command(flatten)]
    asked: Asked,
}

/// Compute the cost of PATE's labels: noisy votes of teachers on disjoint parts of the data
#[derive(Args)]
#[command(after_help = "Examples:\n  veil account pate --lambda 0.1 --queries 500 --delta 0.0004\n  \
    veil account pate --lambda 0.4 --queries 1000 --delta 1e-5 --json")]
pub struct Pate {
    /// Inverse scale of the Laplace noise on each vote count
    #[arg(long, allow_negative_numbers = true)]
    lambda: f64,
    /// Number of queries (public nodes that get a label)
    #[arg(long)]
    queries: u64,
    /// δ of the guarantee; should be below one over the number of private nodes
    #[arg(long, allow_negative_numbers = true)]
    delta: f64,
}

#[derive(Serialize)]
struct OfPrivgnn<'a> {
    lambda: Option<f64>,
    epsilon_query: Option<f64>,
    #[serde(flatten)]
    asked: &'a Asked,
    as_published: Option<Published>,
    theorem_9: Option<f64>,
    proven: Proven,
    difference: String,
    assumptions: [&'static str; 2],
}

#[derive(Serialize)]
struct OfPate {
    lambda: f64,
    queries: u64,
    delta: f64,
    as_published: Published,
    proven: Proven,
    difference: String,
    assumptions: [&'static str; 2],
}

/// Without these the proven figure of PrivGNN does not hold.
const OF_PRIVGNN: [&str; 2] = [
    "each query draws a sample of its own; a sample that is shared amplifies nothing",
    "adding or removing a node changes the sample by that node alone, and the teacher sees nothing but the sample",
];
/// Without these the proven figure of PATE does not hold.
const OF_PATE: [&str; 2] = [
    "a node is in the part of one teacher, and moves no other node to another",
    "each teacher has one vote and sees nothing across parts",
];

impl Privgnn {
    fn run(self, output: &Output) -> Result<(), Failure> {
        let Privgnn { lambda, epsilon_query, asked } = self;
        let Asked { queries, gamma, delta, release, .. } = asked;
        let by_lambda = release != LabelMechanism::Krr;
        let (noise, other) = if by_lambda { (lambda, epsilon_query) } else { (epsilon_query, lambda) };
        let (Some(noise), None) = (noise, other) else {
            let without = if by_lambda { "--epsilon-query" } else { "--lambda" };
            return usage(format!("--release {release} takes {} and no {without}", asked.noise_flag()));
        };
        let proven = Proven::new(asked.cost(noise)?.spending(delta)?, delta);
        let (as_published, theorem_9) = if by_lambda {
            let closed = published::theorem_9(noise, queries, gamma, delta)?;
            (Some(published::privgnn(noise, queries, gamma, delta)?), Some(closed))
        } else {
            (None, None)
        };
        let (asked, difference) = (&asked, difference_of_privgnn(as_published, &proven));
        let assumptions = OF_PRIVGNN;
        let found =
            OfPrivgnn { lambda, epsilon_query, asked, as_published, theorem_9, proven, difference, assumptions };
        output.show(&found, || {
            let mut rows = Vec::new();
            if let (Some(published), Some(closed)) = (&found.as_published, found.theorem_9) {
                rows.push(show::published(published, "sensitivity 1, orders 2 to 32, classical conversion"));
                rows.push(vec![
                    "Theorem 9".to_owned(),
                    format!("{closed:.4}"),
                    String::new(),
                    "closed form, claimed".to_owned(),
                ]);
            }
            show::page(rows, &found.proven, &found.difference, &found.assumptions)
        })
    }
}

impl Pate {
    fn run(self, output: &Output) -> Result<(), Failure> {
        let Pate { lambda, queries, delta } = self;
        let as_published = published::pate(lambda, queries, delta)?;
        let proven = Proven::new(published::votes(lambda, queries)?.spending(delta)?, delta);
        let difference = difference_of_pate(as_published, &proven);
        let found = OfPate { lambda, queries, delta, as_published, proven, difference, assumptions: OF_PATE };
        output.show(&found, || {
            let rows = vec![show::published(&found.as_published, "moments 1 to 8, whatever the votes")];
            show::page(rows, &found.proven, &found.difference, &found.assumptions)
        })
    }
}

fn difference_of_privgnn(published: Option<Published>, proven: &Proven) -> String {
    match published {
        None => "the paper has no such release; the proven figure holds for the label itself".to_owned(),
        Some(published) if proven.spending.epsilon >= published.epsilon => format!(
            "the proven figure is {:.2} times the published one: removing a node can move two parts of the posterior by 1 each, \
             an L1 distance of 2 where the paper counts 1, and rounding to the grid adds a little",
            proven.spending.epsilon / published.epsilon
        ),
        Some(_) => format!(
            "the proven figure counts an L1 distance of 2 where the paper counts 1, and is still smaller by its proof ({}); the \
             paper stops at order 32 and converts by the classical formula",
            proven.why
        ),
    }
}

fn difference_of_pate(published: Published, proven: &Proven) -> String {
    if proven.spending.epsilon < published.epsilon {
        let how = if proven.spending.proof == Proof::Sum {
            "the plain sum 2λQ is smaller than its bound"
        } else {
            "its bound on moments is not tight"
        };
        format!(
            "both hold, and the proven figure is smaller: a vote moves two counts by 1 each, for which {how}; the tables take \
             eight moments and leave the sum out"
        )
    } else {
        "both hold; the published bound is the smaller one here, by less than the rounding of the proven figure"
            .to_owned()
    }
}
