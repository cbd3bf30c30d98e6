//! Students of a private graph, as in PrivGNN's Tables 2 and 4 and Figures 2a and 3.
//!
//! Per seed, a graph is split into a private and a public part as by `veil data split-private
//! --overlapping`, because the published code did so. Teachers answer once, about the most nodes
//! that any figure needs; every release is applied to their answers, also to those about the first
//! nodes alone. Answers and outcomes are kept in a folder, so that an interrupted command resumes.
//! They are raw private data.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use serde::Deserialize;
use serde_json::{Value, json};
use veil_graph::write::WriteError;
use veil_graph::{Apart, Counts, Dataset, Holders, NodeId, Part};
use veil_learn::method::student::evaluate::{self, StudentOptions};
use veil_learn::method::student::{Teaching, choose, pate, privgnn};
use veil_learn::parameters::Choose;
use veil_learn::{LearnError, Settings};
use veil_nn::Kind;
use veil_privacy::{Declarations, Private, Status, Truth};

use super::kept::Outcomes;
use super::{LAMBDAS, Scoring, StudentsError, Teachers, Watch, Way};
use crate::outcome::Outcome;
use crate::sweep::locked;

/// A graph, the teachers that learn from its private part, and how their answers are released.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// The name of the graph.
    pub data: String,
    /// The parts, drawn anew for each seed. Without it, both parts are given.
    random: Option<Random>,
    /// Epochs of teachers and students.
    epochs: usize,
    /// How often noise is drawn and a student trained: an outcome is the mean.
    draws: u64,
    pub(crate) teachers: Vec<Taught>,
    /// Whether to train B1 (on the private graph) and B2 (on the labels of the public graph) as
    /// well.
    #[serde(default)]
    pub(crate) baselines: bool,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Random {
    private_per_class: usize,
    /// Both for training and for testing.
    public: usize,
}

/// Teachers: with `k` one per query that sees the K nearest nodes of a sample (PrivGNN), else
/// `voters` (PATE).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Taught {
    name: String,
    k: Option<u32>,
    /// The sampling rate of private nodes.
    #[serde(default)]
    gamma: f64,
    /// Whether one optimiser continues from teacher to teacher and into the student, as in the
    /// published code.
    #[serde(default)]
    one_optimiser: bool,
    voters: Option<u32>,
    network: Option<Kind>,
    /// The numbers of public nodes that get a label: one student each.
    pub(crate) queries: Vec<u32>,
    /// The releases, each with every λ of the tables.
    releases: Vec<String>,
    delta: f64,
}

/// A graph to be split, or its private and its public part.
pub type Parts<'a> = (&'a Dataset, Option<&'a Dataset>);

impl Grid {
    /// Whether both parts must be given, because the graph does not say how it is split.
    pub fn has_given_parts(&self) -> bool {
        self.random.is_none()
    }

    /// Every outcome of these seeds, in the order of the teachers. `folder` is for what is kept.
    ///
    /// # Errors
    /// If the graph cannot be split, nothing can be learned from it, or the folder cannot be
    /// written.
    pub fn outcomes(
        &self,
        parts: Parts<'_>,
        seeds: &[u64],
        folder: &Path,
        watch: Watch<'_>,
    ) -> Result<Vec<Outcome>, StudentsError> {
        // Nothing is written before it is known that there are enough nodes.
        if let (data, None) = parts {
            seeds.iter().try_for_each(|&seed| self.holders(data, seed).map(drop))?;
        }
        // One command at a time: two would train the same students.
        let lock = locked(folder).map_err(WriteError::io(folder))?;
        let _lock = lock.ok_or_else(|| StudentsError::Busy { folder: folder.to_owned() })?;
        let mut kept = Outcomes::open(folder.join("students.jsonl"))?;
        let mut outcomes = Vec::new();
        for &seed in seeds {
            let (private, public) = self.split(parts, seed)?;
            // Scores, of which nothing is released.
            let private = &Private::seal(private).declaring(Declarations::ALL);
            let truth = &Truth::for_scoring_only();
            let (teaching, one_optimiser) = (Teaching::default(), false);
            let base = Scoring { private, public: &public, queries: &[], teaching, truth, seed, one_optimiser };
            for teachers in &self.teachers {
                outcomes.extend(self.taught(teachers, &base, (folder, &mut kept), watch)?);
            }
            if self.baselines {
                outcomes.extend(self.not_private(&base, &mut kept, watch)?);
            }
        }
        Ok(outcomes)
    }

    fn holders(&self, data: &Dataset, seed: u64) -> Result<Holders, StudentsError> {
        let labels = data.labels().ok_or(LearnError::NoLabels)?;
        let Random { private_per_class, public } = self.random.unwrap_or_default();
        Ok(Holders::random(labels, Counts { private_per_class, public_train: public, public_test: public }, seed)?)
    }

    fn split(&self, (data, public): Parts<'_>, seed: u64) -> Result<(Dataset, Dataset), StudentsError> {
        if let Some(public) = public {
            return Ok((data.clone(), public.clone()));
        }
        let (Apart { private, public, .. }, _) = data.apart_overlapping(&self.holders(data, seed)?, seed)?;
        Ok((private, public))
    }

    /// Students of the same teachers.
    fn taught(
        &self,
        teachers: &Taught,
        base: &Scoring<'_>,
        (folder, kept): (&Path, &mut Outcomes),
        watch: Watch<'_>,
    ) -> Result<Vec<Outcome>, StudentsError> {
        let most = teachers.queries.iter().copied().max().unwrap_or(0);
        let (seed, one_optimiser, teaching) = (base.seed, teachers.one_optimiser, self.teaching(teachers, most)?);
        let queries = choose(base.public, Choose::Random, most as usize, seed)?;
        let all = Scoring { queries: &queries, teaching, one_optimiser, ..base.clone() };
        let (identity, title) = (all.identity()?, teachers.title());
        let file = folder.join(format!("{}-seed-{seed}.csv", title.replace(' ', "-")));
        let watch = |what: &str, done: usize, of: usize| watch(&format!("seed {seed}, {title}: {what}"), done, of);
        let mut asked = Teachers::new(all, Some(file), &watch)?;
        let mut outcomes = Vec::new();
        for &count in &teachers.queries {
            for text in teachers.releases() {
                let release = format!("{count} {text}, {} draws", self.draws);
                outcomes.push(kept.or_insert(&identity, &release, || {
                    let way: Way = text.parse()?;
                    let scored = asked.score(&way, count as usize, self.draws)?;
                    let figures = [
                        ("test_accuracy", Some(scored.test_accuracy)),
                        ("label_accuracy", scored.label_accuracy),
                        ("epsilon_as_published", scored.as_published),
                    ];
                    let figures = figures.into_iter().filter_map(|(name, it)| Some((name.to_owned(), it?)));
                    // A proof assumes that nothing else shows the private nodes: here some are
                    // public.
                    let promised = scored.promised.filter(|_| scored.status != Status::Proven);
                    Ok(Outcome {
                        case: teachers.case(&way),
                        data: self.data.clone(),
                        point: teachers.point(count, &way),
                        seed,
                        figures: figures.collect(),
                        promises: promised.into_iter().collect(),
                        seconds: scored.seconds,
                        ..Outcome::default()
                    })
                })?);
            }
        }
        Ok(outcomes)
    }

    /// B1 and B2 (PrivGNN, section 5.1).
    fn not_private(
        &self,
        base: &Scoring<'_>,
        kept: &mut Outcomes,
        watch: Watch<'_>,
    ) -> Result<Vec<Outcome>, StudentsError> {
        let (seed, public) = (base.seed, base.public);
        let split = public.split().ok_or(LearnError::NoSplit)?;
        // B1 is one teacher that sees the whole private graph and labels every public test node.
        let network = Some(Kind::Sage);
        let teacher = Taught { name: "B1".to_owned(), voters: Some(1), network, delta: 1e-5, ..Taught::default() };
        let tested: Vec<NodeId> = split.nodes(Part::Test).collect();
        let teaching = self.teaching(&teacher, tested.len() as u32)?;
        let scoring = Scoring { queries: &tested, teaching, ..base.clone() };
        let identity = scoring.identity()?;
        let first = || {
            let watch = |_: &str, done: usize, of: usize| watch(&format!("seed {seed}: B1"), done, of);
            Teachers::new(scoring.clone(), None, &watch)?.accuracy()?.ok_or(StudentsError::NoTruth)
        };
        // B2 is a student that learns every public label.
        let second = || {
            watch(&format!("seed {seed}: B2"), 0, 1);
            let labels = public.labels().ok_or(LearnError::NoLabels)?;
            let known = split.nodes(Part::Train).filter_map(|node| Some((node, labels.get(node)?)));
            let (nodes, labels): (Vec<NodeId>, Vec<u32>) = known.unzip();
            let (learner, denoise) = (&scoring.teaching.learner, scoring.teaching.denoises());
            let how = StudentOptions { learner, denoise, classes: 0, seed, adam: None };
            let found = evaluate::student(public, &nodes, &labels, None, how, base.truth)?;
            Ok(found.ok_or(StudentsError::NoTruth)?.accuracy)
        };
        let outcome = |case: &str| {
            kept.or_insert(&identity, case, || {
                let start = Instant::now();
                let accuracy = if case == "B1" { first() } else { second() }?;
                Ok(Outcome {
                    case: case.to_owned(),
                    data: self.data.clone(),
                    seed,
                    figures: BTreeMap::from([("test_accuracy".to_owned(), accuracy)]),
                    seconds: start.elapsed().as_secs_f64(),
                    ..Outcome::default()
                })
            })
        };
        ["B1", "B2"].into_iter().map(outcome).collect()
    }

    /// As in the paper: students learn the released labels without denoising.
    fn teaching(&self, teachers: &Taught, queries: u32) -> Result<Teaching, LearnError> {
        let mut settings = Settings::from_iter([
            ("queries", queries.into()),
            ("delta", teachers.delta.into()),
            ("epochs", self.epochs.into()),
            ("denoise", false.into()),
            // Any noise will do to check the rest.
            ("lambda", "0.000000001".into()),
        ]);
        match teachers.k {
            Some(k) => {
                settings.insert("k", k);
                settings.insert("gamma", teachers.gamma);
            }
            None => {
                teachers.voters.into_iter().for_each(|voters| drop(settings.insert("teachers", voters)));
                teachers.network.into_iter().for_each(|kind| drop(settings.insert("teacher", kind.name())));
            }
        }
        let method = if teachers.k.is_some() { privgnn::NAME } else { pate::NAME };
        // γ is set, so that the number of classes decides nothing.
        Teaching::new(method, &settings, 0)
    }
}

impl Taught {
    /// The name, and K where several teachers share it.
    fn title(&self) -> String {
        self.k.map_or_else(|| self.name.clone(), |k| format!("{} k {k}", self.name))
    }

    /// Releases with their λ, as texts of [`Way`].
    pub(crate) fn releases(&self) -> Vec<String> {
        let with_lambdas = |name: &String| match name.as_str() {
            "none" => vec![name.clone()],
            _ => LAMBDAS.map(|lambda| format!("{name}:{lambda}")).to_vec(),
        };
        self.releases.iter().flat_map(with_lambdas).collect()
    }

    pub(crate) fn case(&self, way: &Way) -> String {
        format!("{}, {}", self.name, way.name())
    }

    pub(crate) fn point(&self, queries: u32, way: &Way) -> BTreeMap<String, Value> {
        let lambda = way.lambda().map(|lambda| json!(lambda.as_f64()));
        let values = [("queries", Some(json!(queries))), ("lambda", lambda), ("k", self.k.map(|k| json!(k)))];
        values.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
}
