//! Students of a private graph, as PrivGNN's Table 2 and Figures 2a and 3 have them.
//!
//! For each seed a graph is taken apart as `veil data split-private --overlapping` does, because the published code did so (one that is shared out by
//! year comes apart). Teachers are asked once, about the most nodes that any figure needs; every
//! release is applied to what they said, also about the first of these nodes alone. What they said and what students reached is kept in a
//! folder, so that whoever is interrupted goes on. It is raw private data.

mod reached;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use veil_graph::write::WriteError;
use veil_graph::{Apart, Counts, Dataset, Holders, NodeId, Part};
use veil_learn::teaching::choose;
use veil_learn::teaching::evaluate::{self, How};
use veil_learn::{Choose, LearnError, Method, Parameters};
use veil_nn::Kind;
use veil_privacy::{Epsilon, Private, Status, Truth};

use self::reached::{Reach, Reached};
use crate::evaluation::{EvaluationError, Said, Scoring, Way};
use crate::outcome::Outcome;

/// A graph, who learns from its private part, and how what they say is released.
#[derive(Clone, Copy, Debug)]
pub struct Students {
    /// What the graph is called.
    pub data: &'static str,
    /// How it is shared out.
    pub parts: Parts,
    /// Steps of training, of teachers and students.
    pub epochs: usize,
    /// How often noise is drawn and a student trained: a run is the mean.
    pub draws: u64,
    /// Who is asked.
    pub teachers: &'static [Teachers],
    /// Whether there is also what can be had without privacy: B1 learns from the private graph, B2 from the labels of the public one.
    pub baselines: bool,
}

/// How a graph is shared out.
#[derive(Clone, Copy, Debug)]
pub enum Parts {
    /// At random, anew for each seed.
    Random(Counts),
    /// By something that a graph does not tell, such as years: whoever has it gives both parts.
    Given,
}

/// The data of students.
#[derive(Clone, Copy, Debug)]
pub enum Graph<'a> {
    /// One that is taken apart.
    Whole(&'a Dataset, Counts),
    /// What is private, and what is public.
    Apart(&'a Dataset, &'a Dataset),
}

/// Teachers who are asked once.
#[derive(Clone, Copy, Debug)]
pub struct Teachers {
    /// What they are called.
    pub name: &'static str,
    /// Who they are.
    pub who: Who,
    /// How many public nodes get a label: a student for each number.
    pub queries: &'static [u32],
    /// How: releases with their λ, as `veil evaluate --with` has them.
    pub ways: &'static [&'static str],
    /// δ.
    pub delta: f64,
}

/// Who is asked.
#[derive(Clone, Copy, Debug)]
pub enum Who {
    /// A teacher for each question, who sees the K nearest of a sample (PrivGNN).
    PerQuery {
        /// K.
        k: u32,
        /// With which probability a private node is in the sample.
        gamma: f64,
        /// Whether one optimiser goes on from teacher to teacher and into the student, as in the published code.
        one_optimiser: bool,
    },
    /// A few who vote (PATE).
    Voters {
        /// How many.
        teachers: u32,
        /// Their networks.
        kind: Kind,
    },
}

/// Is told what is being done, how much of it is done, and how much there is.
pub type Watch<'a> = &'a (dyn Fn(&str, usize, usize) + Sync);

impl Students {
    /// Every run of these seeds, in the order of the teachers. `keep` is the folder for what is kept.
    ///
    /// # Errors
    /// If the graph cannot be taken apart, nothing can be learned from it, or nothing can be kept.
    pub fn outcomes(
        &self,
        graph: Graph<'_>,
        seeds: &[u64],
        keep: &Path,
        watch: Watch<'_>,
    ) -> Result<Vec<Outcome>, EvaluationError> {
        // Nothing is written before it is known that there are nodes enough.
        for &seed in seeds {
            graph.check(seed)?;
        }
        std::fs::create_dir_all(keep).map_err(WriteError::io(keep))?;
        let _lock = locked(keep)?;
        let mut book = Reached::open(&keep.join("students.jsonl"))?;
        let mut outcomes = Vec::new();
        for &seed in seeds {
            let (private, public) = graph.apart(seed)?;
            let graphs =
                Graphs { private: &Private::seal(private), public: &public, truth: &Truth::for_scoring_only() };
            for teachers in self.teachers {
                outcomes.extend(self.taught(teachers, &graphs, seed, (keep, &mut book), watch)?);
            }
            if self.baselines {
                outcomes.extend(self.not_private(&graphs, seed, &mut book, watch)?);
            }
        }
        Ok(outcomes)
    }

    /// Students of the same teachers.
    fn taught(
        &self,
        teachers: &Teachers,
        graphs: &Graphs<'_>,
        seed: u64,
        (keep, book): (&Path, &mut Reached),
        watch: Watch<'_>,
    ) -> Result<Vec<Outcome>, EvaluationError> {
        let most = teachers.queries.iter().copied().max().unwrap_or(0);
        let parameters = self.parameters(teachers, most);
        let queries = choose(graphs.public, Choose::Random, most as usize, seed)?;
        let what = format!("seed {seed}, {}", teachers.title());
        let one_optimiser = matches!(teachers.who, Who::PerQuery { one_optimiser: true, .. });
        let all = Scoring { one_optimiser, ..graphs.scoring(&queries, parameters, seed) };
        let identity = all.identity()?;
        let file = keep.join(format!("{}-seed-{seed}.csv", teachers.title().replace(' ', "-")));
        all.check()?;
        // Teachers are asked only if a student is missing.
        let mut said: Option<Said> = None;
        let mut outcomes = Vec::new();
        for &count in teachers.queries {
            for (at, text) in teachers.ways.iter().enumerate() {
                let key = Reached::key(&identity, &format!("{count} {text}, {} draws", self.draws));
                if let Some(reached) = book.get(&key) {
                    outcomes.push(reached.outcome(self.data, seed));
                    continue;
                }
                let way: Way = text.parse()?;
                let heard = match &mut said {
                    Some(said) => said,
                    none => {
                        none.insert(all.ask(Some(&file), &|done, of| watch(&format!("{what}: teachers"), done, of))?)
                    }
                };
                let heard = heard.first(count as usize);
                let scoring = Scoring { queries: &queries[..count as usize], ..all.clone() };
                let start = Instant::now();
                watch(&format!("{what}: students of {count} labels"), at, teachers.ways.len());
                let scored = scoring.score(&way, &heard, self.draws, &|| ())?;
                let mut figures = BTreeMap::from([("test_accuracy".to_owned(), scored.test_accuracy)]);
                figures.extend(scored.label_accuracy.map(|share| ("label_accuracy".to_owned(), share)));
                figures.extend(scored.as_published.map(|epsilon| ("epsilon_as_published".to_owned(), epsilon)));
                // What is proven is about nodes that nobody else shows: here some are in the public graph as they are.
                let promised = scored.promised.filter(|_| scored.status != Status::Proven);
                let reached = Reach {
                    case: teachers.case(&way),
                    point: teachers.point(count, &way),
                    figures,
                    promises: promised.into_iter().collect(),
                    seconds: start.elapsed().as_secs_f64(),
                };
                outcomes.push(reached.outcome(self.data, seed));
                book.add(key, reached)?;
            }
        }
        Ok(outcomes)
    }

    /// B1 and B2 (PrivGNN, section 5.1).
    fn not_private(
        &self,
        graphs: &Graphs<'_>,
        seed: u64,
        book: &mut Reached,
        watch: Watch<'_>,
    ) -> Result<Vec<Outcome>, EvaluationError> {
        let split = graphs.public.split().ok_or(LearnError::NoSplit)?;
        // B1 is one teacher who sees the whole private graph and is asked about every public test node.
        let alone = Teachers {
            name: "B1",
            who: Who::Voters { teachers: 1, kind: Kind::Sage },
            queries: &[],
            ways: &[],
            delta: 1e-5,
        };
        let tested: Vec<NodeId> = split.nodes(Part::Test).collect();
        let asked = graphs.scoring(&tested, self.parameters(&alone, tested.len() as u32), seed);
        let identity = asked.identity()?;
        let private = |asked: &Scoring<'_>| {
            let said = asked.ask(None, &|done, of| watch(&format!("seed {seed}: B1"), done, of))?;
            asked.label_accuracy(&said.likely()).ok_or(EvaluationError::NoTruth)
        };
        // B2 is a student who is told every public label.
        let public = |asked: &Scoring<'_>| {
            watch(&format!("seed {seed}: B2"), 0, 1);
            let labels = graphs.public.labels().ok_or(LearnError::NoLabels)?;
            let known = split.nodes(Part::Train).filter_map(|node| Some((node, labels.get(node)?)));
            let (nodes, labels): (Vec<NodeId>, Vec<u32>) = known.unzip();
            let how = How { parameters: &asked.parameters, classes: 0, seed, adam: None };
            let found = evaluate::student(graphs.public, &nodes, &labels, None, how, graphs.truth)?;
            Ok(found.ok_or(EvaluationError::NoTruth)?.accuracy)
        };
        let mut outcomes = Vec::new();
        for case in ["B1", "B2"] {
            let key = Reached::key(&identity, case);
            if book.get(&key).is_none() {
                let start = Instant::now();
                let accuracy = if case == "B1" { private(&asked) } else { public(&asked) }?;
                let reached = Reach {
                    case: case.to_owned(),
                    point: BTreeMap::new(),
                    figures: BTreeMap::from([("test_accuracy".to_owned(), accuracy)]),
                    promises: Vec::new(),
                    seconds: start.elapsed().as_secs_f64(),
                };
                book.add(key.clone(), reached)?;
            }
            outcomes.extend(book.get(&key).map(|reached| reached.outcome(self.data, seed)));
        }
        Ok(outcomes)
    }

    /// As the paper has them: students learn labels as they come.
    fn parameters(&self, teachers: &Teachers, queries: u32) -> Parameters {
        let base = |method: Method| Parameters {
            queries: Some(queries),
            delta: teachers.delta,
            epochs: self.epochs,
            denoise: false,
            // Any noise will do to check the rest.
            lambda: Epsilon::from_nanos(1),
            ..method.defaults()
        };
        let parameters = match teachers.who {
            Who::PerQuery { k, gamma, .. } => Parameters { k: Some(k), gamma: Some(gamma), ..base(Method::Privgnn) },
            Who::Voters { teachers, kind } => {
                Parameters { teachers: Some(teachers), teacher: Some(kind), ..base(Method::Pate) }
            }
        };
        parameters.effective(false)
    }
}

/// Who holds which node.
fn holders(data: &Dataset, counts: Counts, seed: u64) -> Result<Holders, EvaluationError> {
    let labels = data.labels().ok_or(LearnError::NoLabels)?;
    Ok(Holders::random(labels, counts, seed)?)
}

impl Graph<'_> {
    /// Whether there are nodes enough.
    fn check(self, seed: u64) -> Result<(), EvaluationError> {
        match self {
            Graph::Whole(data, counts) => holders(data, counts, seed).map(drop),
            Graph::Apart(..) => Ok(()),
        }
    }

    /// What is private, and what is public.
    fn apart(self, seed: u64) -> Result<(Dataset, Dataset), EvaluationError> {
        match self {
            Graph::Whole(data, counts) => {
                let (Apart { private, public, .. }, _) = data.apart_overlapping(&holders(data, counts, seed)?, seed)?;
                Ok((private, public))
            }
            Graph::Apart(private, public) => Ok((private.clone(), public.clone())),
        }
    }
}

impl Teachers {
    /// Their name, and what makes them others of the same name.
    fn title(&self) -> String {
        match self.who {
            Who::PerQuery { k, .. } => format!("{} k {k}", self.name),
            Who::Voters { .. } => self.name.to_owned(),
        }
    }

    pub(super) fn case(&self, way: &Way) -> String {
        format!("{}, {}", self.name, way.name())
    }

    pub(super) fn point(&self, queries: u32, way: &Way) -> BTreeMap<String, Value> {
        let mut point = BTreeMap::from([("queries".to_owned(), json!(queries))]);
        point.extend(way.lambda().map(|lambda| ("lambda".to_owned(), json!(lambda.as_f64()))));
        if let Who::PerQuery { k, .. } = self.who {
            point.insert("k".to_owned(), json!(k));
        }
        point
    }
}

/// One command at a time: two would train the same students.
fn locked(folder: &Path) -> Result<File, EvaluationError> {
    let at = folder.join("lock");
    let lock = File::options().create(true).append(true).open(&at).map_err(WriteError::io(&at))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(std::fs::TryLockError::WouldBlock) => Err(EvaluationError::Busy { folder: folder.to_owned() }),
        Err(std::fs::TryLockError::Error(source)) => Err(WriteError::io(&at)(source).into()),
    }
}

/// A graph that was taken apart.
struct Graphs<'a> {
    private: &'a Private<Dataset>,
    public: &'a Dataset,
    truth: &'a Truth,
}

impl<'a> Graphs<'a> {
    fn scoring<'b>(&'b self, queries: &'b [NodeId], parameters: Parameters, seed: u64) -> Scoring<'b>
    where
        'a: 'b,
    {
        let Graphs { private, public, truth } = *self;
        Scoring { private, public, queries, parameters, truth, seed, one_optimiser: false }
    }
}
