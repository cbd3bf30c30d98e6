//! `veil lab evaluate`: several label mechanisms, scored with teachers that are trained once.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use veil_lab::students::{Scored, Scoring, StudentsError, Teachers, Way};
use veil_learn::method::student::{Labels, Teaching, choose, privgnn};
use veil_learn::pipeline;
use veil_privacy::{Declarations, Private, Truth};

use super::interrupt;
use super::method_flags::{Chosen, MethodFlags};
use crate::failure::{Failure, usage};
use crate::output::{Output, percent, rounded_up, table};
use crate::progress;

/// Score several label mechanisms with the same trained teachers
///
/// For an owner of the private graph who also has labels of the public graph. The command reads the
/// truth and makes no release; its output must not be published. Training privgnn's teachers takes
/// long: --keep saves their posteriors to a file, so that an interrupted command resumes.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    veil lab evaluate private --public-graph public --with none --with krr:1 --with noisy-argmax:0.4 \\\n      \
    --seeds 3 --keep posteriors.csv\n  \
    veil lab evaluate private --public-graph public --method pate --teachers 20 --with votes:0.2 --json")]
pub struct Evaluate {
    /// Private graph
    data: String,
    #[command(flatten)]
    method: MethodFlags,
    /// Public graph that students are trained on
    #[arg(long, value_name = "DATA")]
    public_graph: String,
    /// Mechanism with its λ: krr:L (spends 2λ per label), noisy-argmax:L, noisy-log-posterior:L,
    /// votes:L (pate), or none
    #[arg(long = "with", value_name = "MECHANISM:LAMBDA", required = true)]
    mechanisms: Vec<Way>,
    /// Number of noise draws per mechanism, each with its own student
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// Seed of all randomness
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Share one optimiser among privgnn's teachers and the student, as in its published code
    /// (nothing is then proven)
    #[arg(long)]
    one_optimiser: bool,
    /// File to save the posteriors of privgnn's teachers to, and resume from (raw private data)
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
        let Chosen { method, mut settings, .. } = self.method.chosen(None)?;
        let method = method.unwrap_or_else(|| privgnn::NAME.to_owned());
        if let Some(way) = self.mechanisms.iter().find(|way| !way.goes_with(&method)) {
            return usage(format!("--with {} cannot be used with --method {method}", way.name()));
        }
        for (flag, given) in [("--keep", self.keep.is_some()), ("--one-optimiser", self.one_optimiser)] {
            if given && method != privgnn::NAME {
                return usage(format!("{flag} requires --method privgnn"));
            }
        }
        if let Some(name) = ["epsilon", "lambda", "release"].into_iter().find(|name| settings.contains(name)) {
            return usage(format!("--{name} cannot be used here: each --with names a mechanism and its noise"));
        }
        let proven = |way: &&Way| !matches!(way.name(), "none" | "noisy-log-posterior");
        if let Some(way) = self.mechanisms.iter().find(proven).filter(|_| self.one_optimiser) {
            return usage(StudentsError::NotFresh { name: way.name().to_owned() }.to_string());
        }
        if self.seeds == 0 {
            return usage("--seeds must be at least 1");
        }
        let bar = progress::working(output, &format!("reading {} and {}", self.data, self.public_graph));
        // Scores, of which nothing is released.
        let private = Private::seal(pipeline::raw(&self.data)?).declaring(Declarations::ALL);
        let public = pipeline::raw(&self.public_graph)?;
        bar.finish_and_clear();
        // Any noise will do to check the rest; that of each mechanism replaces it below.
        settings.insert("lambda", "0.000000001");
        let teaching = Teaching::new(&method, &settings, private.public().classes.unwrap_or(0))?;
        let (how, count) = match &teaching.labels {
            Labels::PerQuery(params) => (params.choose, params.queries),
            Labels::Votes(params) => (params.choose, params.queries),
        };
        let queries = choose(&public, how, count as usize, self.seed)?;
        let truth = Truth::for_scoring_only();
        let scoring = Scoring {
            private: &private,
            public: &public,
            queries: &queries,
            teaching,
            truth: &truth,
            seed: self.seed,
            one_optimiser: self.one_optimiser,
        };
        let bar = progress::several(output);
        let watch = progress::watch(&bar);
        let mut teachers = Teachers::new(scoring, self.keep.clone(), &watch)?;
        if self.keep.is_some() {
            interrupt::set_resumable();
        }
        let teacher_accuracy = teachers.accuracy()?;
        let score = |way| teachers.score(way, queries.len(), self.seeds);
        let releases = self.mechanisms.iter().map(score).collect::<Result<_, _>>()?;
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
        let columns = ["mechanism", "λ", "ε as published", "ε", "status", "labels right", "test accuracy", "±"];
        let teachers =
            self.teacher_accuracy.map_or_else(String::new, |it| format!(", right without noise: {}", percent(it)));
        format!(
            "{} queries{teachers}; ε is about a node, scored with the truth: no release\n{}",
            self.queries,
            table(&columns, rows)
        )
    }
}
