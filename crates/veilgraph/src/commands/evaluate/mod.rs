//! `veil evaluate`: how good several ways of releasing labels are, with teachers that are trained once.

mod posteriors;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use serde::Serialize;
use sha2::{Digest, Sha256};
use veil_graph::{Dataset, NodeId};
use veil_learn::teaching::{Mechanism, Teacher, choose, completed, evaluate, plan};
use veil_learn::{Choose, Method, Parameters, Release};
use veil_privacy::accounting::published;
use veil_privacy::answers::{Asked, LabelRelease};
use veil_privacy::{Coins, Epsilon, Private, Status, Truth};

use self::posteriors::Posteriors;
use super::data::open_named;
use super::flags;
use super::train::{NetworkFlags, StudentFlags};
use crate::failure::Failure;
use crate::output::{Output, percent, table};
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
    /// Keep what teachers of privgnn say in this file, or go on with it: raw private data
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
}

/// A release, as it is written.
#[derive(Clone, Debug)]
struct Way {
    name: String,
    lambda: Option<Epsilon>,
}

impl FromStr for Way {
    type Err = String;

    fn from_str(text: &str) -> Result<Way, String> {
        if text == "none" {
            return Ok(Way { name: text.to_owned(), lambda: None });
        }
        let problem =
            "expected none, or a release and its λ: krr:1, noisy-argmax:0.4, noisy-log-posterior:0.4, votes:0.2";
        let (name, lambda) = text.split_once(':').ok_or(problem)?;
        let lambda: Epsilon = lambda.parse().map_err(|error| format!("{error}; {problem}"))?;
        let known = ["krr", "noisy-argmax", "noisy-log-posterior", "votes"].contains(&name) && lambda.is_finite();
        if known { Ok(Way { name: name.to_owned(), lambda: Some(lambda) }) } else { Err(problem.to_owned()) }
    }
}

#[derive(Serialize)]
struct Shown {
    queries: usize,
    teacher_accuracy: Option<f64>,
    releases: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    release: String,
    lambda: Option<f64>,
    /// What it promises about a node, and whether that holds.
    epsilon: Option<f64>,
    delta: f64,
    status: Status,
    as_published: Option<f64>,
    label_accuracy: f64,
    test_accuracy: f64,
    test_accuracy_deviation: f64,
    test_accuracies: Vec<f64>,
}

/// What teachers said, without noise.
enum Said {
    Posteriors(Vec<Vec<f32>>),
    Counts(Vec<Vec<i64>>),
}

impl Evaluate {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let public = self.student.public.as_ref();
        let public = public
            .ok_or_else(|| Failure::Usage("--public is missing: the graph on which students learn".to_owned()))?;
        if !self.method.has_a_student() {
            return Err(Failure::Usage(format!("--method {} has no teachers: privgnn or pate", self.method)));
        }
        let wrong = |way: &&Way| way.name != "none" && (way.name == "votes") != (self.method == Method::Pate);
        if let Some(way) = self.releases.iter().find(wrong) {
            return Err(Failure::Usage(format!("--with {} does not go with --method {}", way.name, self.method)));
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
        };
        let said = scoring.ask(self.keep.as_deref(), output)?;
        let teacher_accuracy = evaluate::label_accuracy(&public, &queries, &said.likely(), &truth);
        let bar = progress::counting(output, "students", self.releases.len() as u64 * self.seeds);
        let mut releases = Vec::new();
        for way in &self.releases {
            releases.push(scoring.row(way, &said, self.seeds, &|| bar.inc(1))?);
        }
        bar.finish_and_clear();
        let shown = Shown { queries: queries.len(), teacher_accuracy, releases };
        output.show(&shown, || shown.describe())
    }
}

impl Said {
    /// The most likely class of each question.
    fn likely(&self) -> Vec<u32> {
        match self {
            Said::Posteriors(rows) => rows.iter().map(|row| first_largest(row)).collect(),
            Said::Counts(rows) => rows.iter().map(|row| first_largest(row)).collect(),
        }
    }
}

fn first_largest<T: PartialOrd>(row: &[T]) -> u32 {
    (0..row.len()).fold(0, |best, place| if row[place] > row[best] { place } else { best }) as u32
}

struct Scoring<'a> {
    private: &'a Private<Dataset>,
    public: &'a Dataset,
    queries: &'a [NodeId],
    parameters: Parameters,
    truth: &'a Truth,
    seed: u64,
}

impl Scoring<'_> {
    fn asked(&self) -> Asked<'_> {
        Asked { public: self.public, queries: self.queries }
    }

    fn ask(&self, keep: Option<&Path>, output: &Output) -> Result<Said, Failure> {
        let facts = self.private.public();
        let classes = facts.classes.unwrap_or(0);
        let teacher = Teacher::new(self.public, self.queries, classes, &self.parameters, self.seed)?;
        let coins = Coins::reproducible(self.seed);
        match plan(&self.parameters, &facts, &self.asked())? {
            Mechanism::PerQuery(mechanism) => {
                let mut kept = Posteriors::open(keep, (self.queries.len(), classes as usize), &self.identity()?)?;
                let missing = kept.missing();
                let bar = progress::teaching(output, missing.len() as u64);
                let done = |question: usize, posterior: &[f32]| {
                    kept.keep(question, posterior);
                    bar.inc(1);
                };
                let teach = |lesson: &_| teacher.posterior(lesson);
                let new =
                    mechanism.posteriors(self.private, &self.asked(), &coins, (&teach, &done), &missing, self.truth)?;
                bar.finish_and_clear();
                missing.into_iter().zip(new).for_each(|(question, posterior)| kept.known[question] = Some(posterior));
                Ok(Said::Posteriors(kept.known.into_iter().flatten().collect()))
            }
            Mechanism::Votes(mechanism) => {
                let teacher = teacher.for_all_questions()?;
                let bar = progress::teaching(output, u64::from(self.parameters.teachers.unwrap_or(0)));
                let (vote, done) = (|lesson: &_| teacher.votes(lesson), || bar.inc(1));
                let counts = mechanism.counts(self.private, &self.asked(), &coins, (&vote, &done), self.truth)?;
                bar.finish_and_clear();
                Ok(Said::Counts(counts))
            }
        }
    }

    /// A hash of all that decides what teachers say. It is of raw data, as the file is.
    fn identity(&self) -> Result<String, Failure> {
        let parameters = toml::to_string(&self.parameters).map_err(|error| Failure::Usage(error.to_string()))?;
        let data = [self.private.for_scoring(self.truth).fingerprint(), self.public.fingerprint()];
        let all = format!("{parameters}\n{}\n{}\n{:?}\n{}", data[0], data[1], self.queries, self.seed);
        Ok(format!("# {}", Sha256::digest(all).iter().map(|byte| format!("{byte:02x}")).collect::<String>()))
    }

    fn row(&self, way: &Way, said: &Said, seeds: u64, done: &dyn Fn()) -> Result<Row, Failure> {
        let release = match way.name.as_str() {
            "krr" => Some(Release::Krr),
            "noisy-argmax" => Some(Release::NoisyArgmax),
            "noisy-log-posterior" => Some(Release::NoisyLogPosterior),
            _ => self.parameters.release,
        };
        let parameters =
            Parameters { release, lambda: way.lambda.or(self.parameters.lambda), ..self.parameters.clone() };
        let mechanism = plan(&parameters, &self.private.public(), &self.asked())?;
        let promised = way.lambda.map(|_| mechanism.guarantee());
        let (mut label_accuracy, mut test_accuracies) = (0.0, Vec::new());
        for seed in self.seed..self.seed + seeds {
            let coins = Coins::reproducible(seed);
            let (labels, response) = match (&mechanism, said) {
                _ if way.lambda.is_none() => (said.likely(), None),
                (Mechanism::PerQuery(mechanism), Said::Posteriors(posteriors)) => {
                    let release = mechanism.release();
                    let response = if let LabelRelease::Krr(response) = release { Some(*response) } else { None };
                    (evaluate::labels(release, posteriors, &coins), response)
                }
                (Mechanism::Votes(votes), Said::Counts(counts)) => (votes.label(counts, &coins), None),
                _ => return Err(Failure::Unexpected("teachers of one method, release of another".to_owned())),
            };
            label_accuracy +=
                evaluate::label_accuracy(self.public, self.queries, &labels, self.truth).unwrap_or(0.0) / seeds as f64;
            let how = (&self.parameters, seed);
            let found = evaluate::student(self.public, self.queries, &labels, response, how, self.truth)?;
            let found =
                found.ok_or_else(|| Failure::Usage("no public test node has a label to score with".to_owned()))?;
            test_accuracies.push(found.accuracy);
            done();
        }
        let mean = test_accuracies.iter().sum::<f64>() / seeds as f64;
        let squares: f64 = test_accuracies.iter().map(|it| (it - mean).powi(2)).sum();
        let lambda = way.lambda.map(Epsilon::as_f64);
        Ok(Row {
            release: way.name.clone(),
            lambda,
            epsilon: promised.map(|promised| promised.epsilon.as_f64()),
            delta: self.parameters.delta,
            status: promised.map_or(Status::None, |promised| promised.status),
            as_published: self.published(&way.name, lambda),
            label_accuracy,
            test_accuracy: mean,
            test_accuracy_deviation: if seeds > 1 { (squares / (seeds - 1) as f64).sqrt() } else { 0.0 },
            test_accuracies,
        })
    }

    /// ε as the paper would compute it.
    fn published(&self, name: &str, lambda: Option<f64>) -> Option<f64> {
        let (count, delta) = (self.queries.len() as u64, self.parameters.delta);
        let figure = match name {
            "noisy-argmax" | "noisy-log-posterior" => published::privgnn(lambda?, count, self.parameters.gamma?, delta),
            "votes" => published::pate(lambda?, count, delta),
            _ => return None,
        };
        figure.ok().map(|figure| figure.epsilon)
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
                number(row.epsilon),
                row.status.to_string(),
                percent(row.label_accuracy),
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
