//! A mechanism is applied to teachers' answers, and a student learns from the labels it releases.

use std::time::Instant;

use serde::Serialize;
use sha2::{Digest, Sha256};
use veil_graph::bytes::hex;
use veil_graph::{Dataset, NodeId, Part};
use veil_learn::LearnError;
use veil_learn::method::student::evaluate::{self, StudentOptions};
use veil_learn::method::student::{Mechanism, Teaching};
use veil_privacy::accounting::published;
use veil_privacy::answers::{Asked, LabelRelease};
use veil_privacy::{Coins, Epsilon, Private, Status, Truth};

use super::teachers::Unreleased;
use super::{StudentsError, Watch, Way};
use crate::outcome::Promised;
use crate::sweep::RESULTS;

/// Who is asked about what, and all that decides the rest.
#[derive(Clone, Debug)]
pub struct Scoring<'a> {
    /// The private graph.
    pub private: &'a Private<Dataset>,
    /// The public graph, with the labels to score with.
    pub public: &'a Dataset,
    /// The public nodes that are asked about.
    pub queries: &'a [NodeId],
    /// Teachers and students; a [`Way`] overrides their noise.
    pub teaching: Teaching,
    /// The right to look.
    pub truth: &'a Truth,
    /// What everything is drawn from.
    pub seed: u64,
    /// Whether one optimiser goes on from teacher to teacher of PrivGNN and into the student, as in
    /// the published code. Then a teacher knows something of every sample before its own, and what
    /// is proven of fresh samples does not hold.
    pub one_optimiser: bool,
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
    /// How long that took, without teachers.
    #[serde(skip)]
    pub seconds: f64,
}

impl Scoring<'_> {
    pub(super) fn asked(&self) -> Asked<'_> {
        Asked { public: self.public, queries: self.queries }
    }

    /// A hash of all that decides what teachers say, the version of the program among it. It is of
    /// raw data, as the file is.
    pub(super) fn identity(&self) -> Result<String, StudentsError> {
        let parameters = serde_json::to_string(&(self.teaching.name(), self.teaching.settings()))?;
        let data = [self.private.for_scoring(self.truth).fingerprint(), self.public.fingerprint()];
        let version = (env!("CARGO_PKG_VERSION"), RESULTS);
        let how = (self.queries, self.seed, self.one_optimiser);
        let all = format!("{parameters}\n{}\n{}\n{how:?}\n{version:?}", data[0], data[1]);
        Ok(format!("# {}", hex(&Sha256::digest(all))))
    }

    pub(super) fn check(&self) -> Result<(), StudentsError> {
        let labels = self.public.labels().ok_or(LearnError::NoLabels)?;
        let split = self.public.split().ok_or(LearnError::NoSplit)?;
        if !split.nodes(Part::Test).any(|node| labels.get(node).is_some()) {
            return Err(StudentsError::NoTruth);
        }
        let (teacher, student) = (self.teaching.teacher(), self.teaching.learner.network.model);
        if self.one_optimiser && teacher != student {
            return Err(StudentsError::OtherStudent { teacher, student });
        }
        Ok(())
    }

    /// The share of these labels that are true, where the truth is known.
    pub(super) fn label_accuracy(&self, labels: &[u32]) -> Option<f64> {
        evaluate::label_accuracy(self.public, self.queries, labels, self.truth)
    }

    pub(super) fn score(
        &self,
        way: &Way,
        answers: &Unreleased,
        draws: u64,
        watch: Watch<'_>,
    ) -> Result<Scored, StudentsError> {
        assert!(draws > 0, "at least one student is trained");
        let start = Instant::now();
        let teaching = self.teaching.with_noise(way.release(), way.lambda());
        let mechanism = teaching.mechanism(self.private, &self.asked())?;
        let promised = way.lambda().map(|_| mechanism.guarantee());
        if self.one_optimiser && promised.is_some_and(|promised| promised.status == Status::Proven) {
            return Err(StudentsError::NotFresh { name: way.name().to_owned() });
        }
        let (mut label_accuracy, mut test_accuracies) = (Some(0.0), Vec::new());
        // No draw of one seed is a draw of another.
        let first = self.seed.wrapping_sub(1).wrapping_mul(draws).wrapping_add(1);
        let (questions, name) = (self.queries.len(), way.name());
        let what = format!("students of {questions} labels, {name}");
        for draw in 0..draws {
            watch(&what, draw as usize, draws as usize);
            let seed = first.wrapping_add(draw);
            let coins = Coins::reproducible(seed);
            let (labels, response) = match (&mechanism, answers) {
                _ if way.lambda().is_none() => (answers.likely(questions), None),
                (Mechanism::PerQuery(mechanism), Unreleased::Posteriors { rows: posteriors, .. }) => {
                    let release = mechanism.release();
                    let response = if let LabelRelease::Krr(response) = release { Some(*response) } else { None };
                    (evaluate::labels(release, &posteriors[..questions], &coins), response)
                }
                (Mechanism::Votes(votes), Unreleased::Counts(counts)) => {
                    (votes.label(&counts[..questions], &coins), None)
                }
                _ => return Err(StudentsError::OtherTeachers { name: name.to_owned() }),
            };
            label_accuracy = label_accuracy.zip(self.label_accuracy(&labels)).map(|(sum, it)| sum + it / draws as f64);
            let classes = self.private.public().classes.unwrap_or(0);
            let Teaching { learner, .. } = &self.teaching;
            let (denoise, adam) = (self.teaching.denoises(), answers.optimiser());
            let how = StudentOptions { learner, denoise, classes, seed, adam };
            let found = evaluate::student(self.public, self.queries, &labels, response, how, self.truth)?;
            test_accuracies.push(found.ok_or(StudentsError::NoTruth)?.accuracy);
        }
        let mean = test_accuracies.iter().sum::<f64>() / draws as f64;
        let squares: f64 = test_accuracies.iter().map(|it| (it - mean).powi(2)).sum();
        let lambda = way.lambda().map(Epsilon::as_f64);
        Ok(Scored {
            release: way.name().to_owned(),
            lambda,
            epsilon: promised.map(|promised| promised.epsilon.as_f64()),
            delta: self.teaching.delta(),
            status: promised.map_or(Status::None, |promised| promised.status),
            promised: promised.map(Promised::from),
            as_published: self.published(way.name(), lambda),
            label_accuracy,
            test_accuracy: mean,
            test_accuracy_deviation: if draws > 1 { (squares / (draws - 1) as f64).sqrt() } else { 0.0 },
            test_accuracies,
            seconds: start.elapsed().as_secs_f64(),
        })
    }

    /// ε as the paper would compute it.
    fn published(&self, name: &str, lambda: Option<f64>) -> Option<f64> {
        let (count, delta) = (self.queries.len() as u64, self.teaching.delta());
        let figure = match name {
            "noisy-argmax" | "noisy-log-posterior" => published::privgnn(lambda?, count, self.teaching.gamma()?, delta),
            "votes" => published::pate(lambda?, count, delta),
            _ => return None,
        };
        figure.ok().map(|figure| figure.epsilon)
    }
}
