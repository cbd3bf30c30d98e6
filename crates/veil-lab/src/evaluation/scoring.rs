//! Teachers are asked once; every release is applied to what they said, and a student learns from its labels.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;
use sha2::{Digest, Sha256};
use veil_graph::{Dataset, NodeId};
use veil_learn::Parameters;
use veil_learn::teaching::{Mechanism, Teacher, evaluate, plan};
use veil_privacy::accounting::published;
use veil_privacy::answers::{Asked, LabelRelease};
use veil_privacy::{Coins, Epsilon, Private, Status, Truth};

use super::posteriors::Posteriors;
use super::{EvaluationError, Way};
use crate::outcome::Promised;
use crate::sweep::RESULTS;

/// Is told how many teachers have answered, of how many.
pub type Watch<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Who is asked about what, and all that decides the rest.
#[derive(Clone, Debug)]
pub struct Scoring<'a> {
    /// The private graph.
    pub private: &'a Private<Dataset>,
    /// The public graph, with the labels to score with.
    pub public: &'a Dataset,
    /// The public nodes that are asked about.
    pub queries: &'a [NodeId],
    /// Teachers and students. Their noise may be any: that of a [`Way`] counts.
    pub parameters: Parameters,
    /// The right to look.
    pub truth: &'a Truth,
    /// What everything is drawn from.
    pub seed: u64,
}

/// What teachers said, without noise: raw private data.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// One posterior for each question.
    Posteriors(Vec<Vec<f32>>),
    /// Votes for each class, for each question.
    Counts(Vec<Vec<i64>>),
}

/// How good a release is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scored {
    /// Its name.
    pub release: String,
    /// One over the scale of its noise.
    pub lambda: Option<f64>,
    /// What it promises about a node, and whether that holds.
    pub epsilon: Option<f64>,
    /// δ.
    pub delta: f64,
    /// Whether that is proven.
    pub status: Status,
    /// The same, as outcomes have it.
    #[serde(skip)]
    pub promised: Option<Promised>,
    /// ε as the paper would compute it.
    pub as_published: Option<f64>,
    /// The share of labels that are true.
    pub label_accuracy: Option<f64>,
    /// Of the student, the mean over all draws.
    pub test_accuracy: f64,
    /// Its deviation.
    pub test_accuracy_deviation: f64,
    /// One for each draw.
    pub test_accuracies: Vec<f64>,
}

impl Said {
    /// The most likely class of each question.
    pub fn likely(&self) -> Vec<u32> {
        match self {
            Said::Posteriors(rows) => rows.iter().map(|row| first_largest(row)).collect(),
            Said::Counts(rows) => rows.iter().map(|row| first_largest(row)).collect(),
        }
    }

    /// What they said about the first questions: the same as if they had been asked no others.
    #[must_use]
    pub fn first(&self, questions: usize) -> Said {
        match self {
            Said::Posteriors(rows) => Said::Posteriors(rows.iter().take(questions).cloned().collect()),
            Said::Counts(rows) => Said::Counts(rows.iter().take(questions).cloned().collect()),
        }
    }
}

fn first_largest<T: PartialOrd>(row: &[T]) -> u32 {
    (0..row.len()).fold(0, |best, place| if row[place] > row[best] { place } else { best }) as u32
}

impl Scoring<'_> {
    fn asked(&self) -> Asked<'_> {
        Asked { public: self.public, queries: self.queries }
    }

    /// Asks every teacher. What teachers of PrivGNN say is kept in a file, if one is named, or read from it.
    ///
    /// # Errors
    /// If they cannot be asked, or the file is of other teachers.
    pub fn ask(&self, keep: Option<&Path>, watch: Watch<'_>) -> Result<Said, EvaluationError> {
        let facts = self.private.public();
        let classes = facts.classes.unwrap_or(0);
        let teacher = Teacher::new(self.public, self.queries, classes, &self.parameters, self.seed)?;
        let coins = Coins::reproducible(self.seed);
        let answered = AtomicUsize::new(0);
        let one_more = |of: usize| watch(answered.fetch_add(1, Ordering::Relaxed) + 1, of);
        match plan(&self.parameters, &facts, &self.asked())? {
            Mechanism::PerQuery(mechanism) => {
                let mut kept = Posteriors::open(keep, (self.queries.len(), classes as usize), &self.identity()?)?;
                let missing = kept.missing();
                watch(0, missing.len());
                let done = |question: usize, posterior: &[f32]| {
                    kept.keep(question, posterior);
                    one_more(missing.len());
                };
                let teach = |lesson: &_| teacher.posterior(lesson);
                let new =
                    mechanism.posteriors(self.private, &self.asked(), &coins, (&teach, &done), &missing, self.truth)?;
                missing.into_iter().zip(new).for_each(|(question, posterior)| kept.known[question] = Some(posterior));
                Ok(Said::Posteriors(kept.known.into_iter().flatten().collect()))
            }
            Mechanism::Votes(mechanism) => {
                let teacher = teacher.for_all_questions()?;
                let teachers = self.parameters.teachers.unwrap_or(0) as usize;
                watch(0, teachers);
                let (vote, done) = (|lesson: &_| teacher.votes(lesson), || one_more(teachers));
                let counts = mechanism.counts(self.private, &self.asked(), &coins, (&vote, &done), self.truth)?;
                Ok(Said::Counts(counts))
            }
        }
    }

    /// A hash of all that decides what teachers say, the version of the program among it. It is of raw data, as the file is.
    ///
    /// # Errors
    /// If parameters cannot be written down.
    pub fn identity(&self) -> Result<String, EvaluationError> {
        let parameters = toml::to_string(&self.parameters)?;
        let data = [self.private.for_scoring(self.truth).fingerprint(), self.public.fingerprint()];
        let version = (env!("CARGO_PKG_VERSION"), RESULTS);
        let all = format!("{parameters}\n{}\n{}\n{:?}\n{}\n{version:?}", data[0], data[1], self.queries, self.seed);
        Ok(format!("# {}", Sha256::digest(all).iter().map(|byte| format!("{byte:02x}")).collect::<String>()))
    }

    /// The share of these labels that are true, where the truth is known.
    pub fn label_accuracy(&self, labels: &[u32]) -> Option<f64> {
        evaluate::label_accuracy(self.public, self.queries, labels, self.truth)
    }

    /// How good a release of what was said is: noise is drawn and a student trained so often. `done` is called after each.
    ///
    /// # Errors
    /// If nothing can be learned or scored, or the release does not go with the teachers.
    ///
    /// # Panics
    /// If there is no draw.
    pub fn score(&self, way: &Way, said: &Said, draws: u64, done: &dyn Fn()) -> Result<Scored, EvaluationError> {
        assert!(draws > 0, "at least one student is trained");
        let parameters = Parameters {
            release: way.release().or(self.parameters.release),
            lambda: way.lambda().or(self.parameters.lambda),
            ..self.parameters.clone()
        };
        let mechanism = plan(&parameters, &self.private.public(), &self.asked())?;
        let promised = way.lambda().map(|_| mechanism.guarantee());
        let (mut label_accuracy, mut test_accuracies) = (Some(0.0), Vec::new());
        for seed in (0..draws).map(|draw| self.seed.wrapping_add(draw)) {
            let coins = Coins::reproducible(seed);
            let (labels, response) = match (&mechanism, said) {
                _ if way.lambda().is_none() => (said.likely(), None),
                (Mechanism::PerQuery(mechanism), Said::Posteriors(posteriors)) => {
                    let release = mechanism.release();
                    let response = if let LabelRelease::Krr(response) = release { Some(*response) } else { None };
                    (evaluate::labels(release, posteriors, &coins), response)
                }
                (Mechanism::Votes(votes), Said::Counts(counts)) => (votes.label(counts, &coins), None),
                _ => return Err(EvaluationError::OtherTeachers { name: way.name().to_owned() }),
            };
            label_accuracy = label_accuracy.zip(self.label_accuracy(&labels)).map(|(sum, it)| sum + it / draws as f64);
            let how = (&self.parameters, seed);
            let found = evaluate::student(self.public, self.queries, &labels, response, how, self.truth)?;
            test_accuracies.push(found.ok_or(EvaluationError::NoTruth)?.accuracy);
            done();
        }
        let mean = test_accuracies.iter().sum::<f64>() / draws as f64;
        let squares: f64 = test_accuracies.iter().map(|it| (it - mean).powi(2)).sum();
        let lambda = way.lambda().map(Epsilon::as_f64);
        Ok(Scored {
            release: way.name().to_owned(),
            lambda,
            epsilon: promised.map(|promised| promised.epsilon.as_f64()),
            delta: self.parameters.delta,
            status: promised.map_or(Status::None, |promised| promised.status),
            promised: promised.map(Promised::from),
            as_published: self.published(way.name(), lambda),
            label_accuracy,
            test_accuracy: mean,
            test_accuracy_deviation: if draws > 1 { (squares / (draws - 1) as f64).sqrt() } else { 0.0 },
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
