//! A sweep with its data: every run checked, before any is begun.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use sha2::{Digest, Sha256};
use veil_graph::bytes::hex;
use veil_graph::{Dataset, Features, Part};
use veil_learn::pipeline::Terms;

use super::file::{FileError, Sweep};
use super::key::{self, Key};
use super::wanted::Wanted;
use super::work::Work;

/// Why a sweep cannot begin.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{}: the data {name:?} are not given", path.display())]
    NoData { path: PathBuf, name: String },
    #[error("{}:{line}: {run}: {problem}", path.display())]
    Run { path: PathBuf, line: usize, run: String, problem: String },
}

/// Data by the names that a sweep gives them.
#[derive(Debug, Default)]
pub struct DataSets(BTreeMap<String, Loaded>);

#[derive(Debug)]
struct Loaded {
    data: Dataset,
    fingerprint: String,
}

impl DataSets {
    /// No data.
    pub fn new() -> DataSets {
        DataSets::default()
    }

    /// Adds data under a name.
    pub fn insert(&mut self, name: &str, data: Dataset) {
        let fingerprint = fingerprint(&data);
        self.0.insert(name.to_owned(), Loaded { data, fingerprint });
    }

    pub(super) fn get(&self, name: &str) -> Option<&Dataset> {
        self.0.get(name).map(|loaded| &loaded.data)
    }

    pub(super) fn fingerprint(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|loaded| loaded.fingerprint.as_str())
    }
}

/// Edges, features and labels, and the public things that also decide a run: the split, the range
/// of features, and how these are stored, for that decides in which order they are added up.
fn fingerprint(data: &Dataset) -> String {
    let mut hash = Sha256::new();
    hash.update(data.fingerprint().0);
    hash.update(data.features().map_or("none", Features::form));
    hash.update([u8::from(data.feature_range().is_some())]);
    if let Some((low, high)) = data.feature_range() {
        hash.update(low.to_le_bytes());
        hash.update(high.to_le_bytes());
    }
    let part = |part: &Part| match part {
        Part::Train => 1u8,
        Part::Val => 2,
        Part::Test => 3,
        Part::None => 4,
    };
    let parts: Vec<u8> = data.split().map_or_else(Vec::new, |split| split.parts().iter().map(part).collect());
    hash.update(parts);
    hex(&hash.finalize())
}

/// A run that could be done.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub wanted: Wanted,
    pub key: Key,
    /// What the key is the hash of.
    pub about: String,
    pub work: Work,
    /// How long it will take, in no unit.
    pub cost: f64,
    /// What public facts say against its edges.
    pub warning: Option<String>,
}

/// A sweep that can begin.
#[derive(Debug)]
pub struct Plan {
    pub(super) title: String,
    /// The text of the file.
    pub(super) text: String,
    /// The seeds of every point, whatever the file says.
    pub(super) seeds: Vec<u64>,
    pub(super) jobs: Vec<Job>,
}

impl Plan {
    /// Checks every run of a sweep against its data: parameters, what would be released, networks.
    ///
    /// # Errors
    /// If data are missing, or a run cannot be done.
    pub fn new(sweep: &Sweep, sets: &DataSets) -> Result<Plan, PlanError> {
        let path = || sweep.path.clone();
        if let Some(name) = sweep.data_names()?.into_iter().find(|name| sets.get(name).is_none()) {
            return Err(PlanError::NoData { path: path(), name });
        }
        let mut jobs: Vec<Job> = Vec::new();
        for wanted in sweep.wanted()? {
            // Seeds of one point follow each other, and differ in nothing that could be wrong,
            // unless it is the attacks.
            let same = jobs.last().filter(|last| {
                let Wanted { data, settings, attacks, .. } = &last.wanted;
                let attacked = attacks.is_empty() == wanted.attacks.is_empty();
                attacked && (data, settings) == (&wanted.data, &wanted.settings)
            });
            let (work, warning) = match same {
                Some(last) => {
                    let work = Work { seed: wanted.seed, attacks: wanted.attacks.clone(), ..last.work.clone() };
                    (work, last.warning.clone())
                }
                None => checked(&wanted, sets).map_err(|problem| PlanError::Run {
                    path: path(),
                    line: wanted.line,
                    run: wanted.describe(),
                    problem,
                })?,
            };
            let (key, about) = key::of(&work, sets);
            let cost = work.cost(sets);
            jobs.push(Job { wanted, key, about, work, cost, warning });
        }
        let Sweep { title, text, seeds, .. } = sweep.clone();
        Ok(Plan { title, text, seeds, jobs })
    }

    /// What figures are called that runs may give.
    pub(super) fn figures(&self) -> Vec<String> {
        self.jobs.iter().flat_map(|job| job.work.figures()).collect::<BTreeSet<String>>().into_iter().collect()
    }

    /// How many runs it asks for.
    pub fn runs(&self) -> usize {
        self.jobs.len()
    }

    /// What public facts say against the edges of some runs, each with the number of runs.
    pub fn warnings(&self) -> BTreeMap<&str, usize> {
        let mut found = BTreeMap::new();
        for warning in self.jobs.iter().filter_map(|job| job.warning.as_deref()) {
            *found.entry(warning).or_default() += 1;
        }
        found
    }

    /// How many of them differ: others are the same under another name.
    pub fn distinct(&self) -> usize {
        self.jobs.iter().map(|job| job.key).collect::<BTreeSet<Key>>().len()
    }
}

/// Everything that a training checks before it begins.
fn checked(wanted: &Wanted, sets: &DataSets) -> Result<(Work, Option<String>), String> {
    let Wanted { settings, data, seed, attacks, .. } = wanted;
    let (method, terms) = (settings.method()?, settings.terms()?);
    let entry = veil_learn::method::find(method.name()).map_err(|error| error.to_string())?;
    let public_graph = settings.public_graph(data);
    if entry.public_graph != public_graph.is_some() {
        let verb = if entry.public_graph { "requires" } else { "does not read" };
        return Err(format!("{} {verb} `public-graph`", entry.name));
    }
    let (mut terms, mut inference) = (terms, settings.inference(data));
    if entry.public_graph {
        let own = |name: &&str| settings.0.get(*name).is_some_and(|setting| !setting.shared);
        if let Some(name) = ["split", "range", "inference-data"].into_iter().find(own) {
            return Err(format!("{} does not read `{name}`", entry.name));
        }
        if !attacks.is_empty() {
            return Err(format!(
                "attacks look for private edges, and {} learns on public ones: exclude it from the attacks with `where`",
                entry.name
            ));
        }
        (terms, inference) = (Terms { declared: terms.declared, ..Terms::default() }, None);
    }
    let (data, attacks) = (data.clone(), attacks.clone());
    let mut work = Work { data, public_graph, inference, method, terms, seed: *seed, attacks };
    let job = work.job(sets).map_err(|error| error.to_string())?;
    work.terms = job.terms;
    work.method = job.check().map_err(|error| error.to_string())?;
    let warning = job.outlook().and_then(|outlook| outlook.warning());
    Ok((work, warning))
}
