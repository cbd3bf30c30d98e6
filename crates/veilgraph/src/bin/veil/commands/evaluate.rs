//! `veil evaluate`: how good several ways of releasing labels are, with teachers that are trained once.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use veil_lab::evaluation::{EvaluationError, Scored, Scoring, Way};
use veil_learn::teaching::{choose, completed};
use veil_learn::{Choose, Method, Parameters};
use veil_privacy::{Epsilon, Private, Truth};

use super::data::open_named;
use super::train::{NetworkFlags, StudentFlags};
use super::{flags, resuming};
use crate::failure::Failure;
use crate::output::{Output, percent, rounded_up, table};
use crate::progress;

/// Score several ways to release labels with teachers that are trained once
///
/// For whoever holds the private graph and the labels of the public one: it looks at the truth, is no release, and writes nothing that may
/// be published. Teachers of privgnn take long; with --keep what they say is kept in a file, and an interrupted command goes on.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    veil evaluate private --public public --with none --with krr:1 --with noisy-argmax:0.4 --seeds 3 --keep posteriors.csv\n  \
    veil evaluate private --public public --method pate --teachers 20 --with votes:0.2 --with votes:1 --json")]
pub struct Evaluate {
    /// The private graph
    data: String,
    /// Who answers: privgnn or pate
    #[arg(long, default_value = "privgnn")]
    method: Method,
    #[command(flatten)]
    student: StudentFlags,
    #[command(flatten)]
    network: NetworkFlags,
    /// A release and its λ (krr spends 2λ for each label): krr:L, noisy-argmax:L, noisy-log-posterior:L, of pate votes:L; or none
    #[arg(long = "with", value_name = "RELEASE:LAMBDA", required = true)]
    releases: Vec<Way>,
    /// δ of the ε that are printed
    #[arg(long, default_value_t = 1e-5)]
    delta: f64,
    /// How often noise is drawn and a student trained, for each release
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// What everything is drawn from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// One optimiser for all teachers of privgnn and the student, as in its published code: nothing is proven then, so only with none
    /// and noisy-log-posterior
    #[arg(long)]
    one_optimiser: bool,
    /// Keep what teachers of privgnn say in this file, or go on with it: raw private data
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
}

#[derive(Serialize)]
struct Shown {
    queries: usize,
    teacher_accuracy: Option<f64>,
    releases: Vec<Scored>,
}

impl Evaluate {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let public = self.student.public.as_ref();
        let public = public
            .ok_or_else(|| Failure::Usage("--public is missing: the graph on which students learn".to_owned()))?;
        if !self.method.has_a_student() {
            return Err(Failure::Usage(format!("--method {} has no teachers: privgnn or pate", self.method)));
        }
        if let Some(way) = self.releases.iter().find(|way| !way.goes_with(self.method)) {
            return Err(Failure::Usage(format!("--with {} does not go with --method {}", way.name(), self.method)));
        }
        if self.keep.is_some() && self.method != Method::Privgnn {
            return Err(Failure::Usage(format!(
                "--keep is for what teachers of privgnn say: those of {} vote, in minutes",
                self.method
            )));
        }
        if let Some(flag) = self.student.of_one_release() {
            return Err(Failure::Usage(format!("--{flag} is of one release: here each --with says how it is done")));
        }
        if self.one_optimiser && self.method != Method::Privgnn {
            return Err(Failure::Usage(format!(
                "--one-optimiser is about teachers of privgnn, not of {}",
                self.method
            )));
        }
        let proven = |way: &&Way| !matches!(way.name(), "none" | "noisy-log-posterior");
        if let Some(way) = self.releases.iter().find(proven).filter(|_| self.one_optimiser) {
            let name = way.name().to_owned();
            return Err(Failure::Usage(EvaluationError::NotFresh { name }.to_string()));
        }
        if self.seeds == 0 {
            return Err(Failure::Usage("--seeds is 0: at least one student is trained".to_owned()));
        }
        let parameters = flags::parameters(&self.method.defaults(), None, &[&self.student, &self.network])?;
        // Any noise will do to check the rest; that of each release is put in below.
        let parameters = Parameters { delta: self.delta, epsilon: None, lambda: Epsilon::from_nanos(1), ..parameters };
        let bar = progress::working(output, &format!("reading {} and {public}", self.data));
        let (private, public) = (Private::seal(open_named(&self.data)?), open_named(public)?);
        bar.finish_and_clear();
        let count = parameters.queries.unwrap_or(0) as usize;
        let queries = choose(&public, parameters.choose.unwrap_or(Choose::Random), count, self.seed)?;
        let parameters = completed(parameters.effective(false), private.public().classes.unwrap_or(0))?;
        let truth = Truth::for_scoring_only();
        let scoring = Scoring {
            private: &private,
            public: &public,
            queries: &queries,
            parameters,
            truth: &truth,
            seed: self.seed,
            one_optimiser: self.one_optimiser,
        };
        scoring.check()?;
        if self.keep.is_some() {
            resuming::can_go_on();
        }
        let bar = progress::teaching(output, 0);
        let watch = |done: usize, of: usize| {
            bar.set_length(of as u64);
            bar.set_position(done as u64);
        };
        let said = scoring.ask(self.keep.as_deref(), &watch)?;
        bar.finish_and_clear();
        let teacher_accuracy = scoring.label_accuracy(&said.likely());
        let bar = progress::counting(output, "students", self.releases.len() as u64 * self.seeds);
        let mut releases = Vec::new();
        for way in &self.releases {
            releases.push(scoring.score(way, &said, self.seeds, &|| bar.inc(1))?);
        }
        bar.finish_and_clear();
        let shown = Shown { queries: queries.len(), teacher_accuracy, releases };
        output.show(&shown, || shown.describe())
    }
}

impl Shown {
    fn describe(&self) -> String {
        let rows = self.releases.iter().map(|row| {
            let number = |it: Option<f64>| it.map_or_else(|| "–".to_owned(), |it| format!("{it:.2}"));
            vec![
                row.release.clone(),
                row.lambda.map_or_else(|| "–".to_owned(), |lambda| lambda.to_string()),
                number(row.as_published),
                number(row.epsilon.map(|epsilon| rounded_up(epsilon, 2))),
                row.status.to_string(),
                row.label_accuracy.map_or_else(|| "–".to_owned(), percent),
                percent(row.test_accuracy),
                percent(row.test_accuracy_deviation),
            ]
        });
        let columns = ["release", "λ", "ε as published", "ε", "status", "labels right", "test accuracy", "±"];
        let teachers =
            self.teacher_accuracy.map_or_else(String::new, |it| format!(", right without noise: {}", percent(it)));
        format!(
            "{} queries{teachers}; ε is about a node, scored with the truth: no release\n{}",
            self.queries,
            table(&columns, rows)
        )
    }
}
