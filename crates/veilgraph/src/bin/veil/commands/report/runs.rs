//! Run folders as outcomes.
//!
//! The case of a run is its method and network; runs are one point only if all parameters but the
//! seed are equal. A run folder holds no fingerprint of raw data, so data of one name are told
//! apart by what it does hold.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use veil_graph::{Dataset, Split};
use veil_lab::outcome::written;
use veil_lab::report::BesideTruth;
use veil_lab::worth::Scored;
use veil_lab::{Outcome, Promised, decided};
use veil_learn::run::{Record, Seed};
use veil_learn::{PipelineError, Run};
use veil_privacy::release::Privatised;
use veil_privacy::{Private, Truth};

use crate::failure::{Failure, read, usage};

/// The content of some folders.
#[derive(Default)]
pub struct Folders {
    pub outcomes: Vec<Outcome>,
    /// Statements: name and text.
    pub statements: Vec<(String, String)>,
    /// Released graphs beside the true one, if that is given.
    pub graphs: Vec<BesideTruth>,
}

/// Facts about raw data by name. Runs that differ in one of them are on different data.
type Facts = BTreeMap<String, u64>;

/// A run and the facts about its data.
type Opened = (Outcome, Facts);

/// The part of an attack's output that the page shows.
#[derive(Deserialize)]
struct Attacked {
    attack: String,
    auc: f64,
}

impl Folders {
    /// Opens runs, and releases that nothing was trained on.
    pub fn open(folders: &[PathBuf], truth: Option<&Private<Dataset>>) -> Result<Folders, Failure> {
        let (mut found, mut opened) = (Folders::default(), Vec::new());
        for folder in folders {
            let name = &folder.display().to_string();
            if is_run(folder) || !Privatised::is_released(folder) {
                let run = Run::open(folder)?;
                let student = veil_learn::method::find(&run.record().method)?.public_graph;
                // The graph of a student is public.
                found.look(name, run.released(), truth.filter(|_| !student))?;
                opened.push(read_run(folder, &run));
            } else {
                found.look(name, &Privatised::open(folder)?, truth)?;
            }
        }
        if truth.is_some() && found.graphs.is_empty() {
            return usage("--truth: no folder has a released graph to compare with the true one");
        }
        tell_data_apart(&mut opened);
        found.outcomes = opened.into_iter().map(|(outcome, _)| outcome).collect();
        tell_points_apart(&mut found.outcomes);
        refuse_duplicates(folders, &found.outcomes)?;
        Ok(found)
    }

    /// Adds the figures of attacks, given as RUN=FILE. Outcomes are those of the run folders, in
    /// their order.
    pub fn add_attacks(&mut self, folders: &[PathBuf], attacks: &[String]) -> Result<(), Failure> {
        for given in attacks {
            let of_run = |folder: &Path| given.strip_prefix(&format!("{}=", folder.display()));
            let mut runs = folders.iter().filter(|folder| is_run(folder)).zip(&mut self.outcomes);
            let Some((file, outcome)) = runs.find_map(|(folder, outcome)| Some((of_run(folder)?, outcome))) else {
                return usage(format!("--attack {given}: expected RUN=FILE with RUN one of the run folders"));
            };
            let text = read(Path::new(file))?;
            let found = serde_json::from_str::<Attacked>(&text).ok().filter(|found| (0.0..=1.0).contains(&found.auc));
            let Some(Attacked { attack, auc }) = found else {
                return usage(format!("{file} is no output of veil attack linkteller or lsa with --json"));
            };
            if outcome.figures.insert(format!("{attack}_auc"), auc).is_some() {
                return usage(format!("--attack {given}: duplicate {attack} for this run"));
            }
        }
        Ok(())
    }

    /// Adds a statement, and a graph beside the true one.
    fn look(&mut self, name: &str, released: &Privatised, truth: Option<&Private<Dataset>>) -> Result<(), Failure> {
        self.statements.push((name.to_owned(), released.statement().to_markdown()));
        if let Some(truth) = truth
            && released.data().graph().entries() > 0
        {
            let (nodes, run) = (truth.public().nodes, released.data().nodes());
            if nodes != run {
                return Err(PipelineError::OtherSize { truth: nodes, run }.into());
            }
            self.graphs.push(beside_truth(name, released, truth));
        }
        Ok(())
    }
}

pub fn is_run(folder: &Path) -> bool {
    folder.join("run.json").exists()
}

fn read_run(folder: &Path, run: &Run) -> Opened {
    let text = std::fs::read_to_string(folder.join("owner/metrics.json")).unwrap_or_default();
    let metrics: Value = serde_json::from_str(&text).unwrap_or_default();
    let record = run.record();
    // All nodes of an inference graph are scored.
    let scored = if record.trained_on.is_some() { Scored::Inference } else { Scored::Test };
    let figures = [
        (scored.figure(), metrics["truth"]["test_accuracy"].as_f64()),
        ("validation_accuracy", metrics["validation_accuracy"].as_f64()),
    ];
    let parameters = parameters(record);
    let facts = facts(run, &metrics["truth"]);
    let outcome = Outcome {
        case: case(&parameters),
        data: record.data.clone(),
        parameters,
        seed: record.training_seed,
        figures: figures.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect(),
        promises: Promised::of(run.released().statement()),
        seconds: record.seconds.train,
        ..Outcome::default()
    };
    (outcome, facts)
}

/// Method and network.
fn case(parameters: &BTreeMap<String, Value>) -> String {
    let text = |name: &str| parameters.get(name).map(written);
    let method = text("method").unwrap_or_default();
    match text("model") {
        Some(model) if model != method => format!("{method}, {model}"),
        _ => method,
    }
}

/// All that decided a run but its data and seed.
fn parameters(record: &Record) -> BTreeMap<String, Value> {
    let mut all = decided(&record.method, &record.parameters, &record.split, &record.range);
    let noise = if record.seed == Seed::Os { "system" } else { "seeded" };
    let others = [
        ("noise", Some(noise.to_owned())),
        ("version", Some(record.version.clone())),
        ("trained-on", record.trained_on.clone()),
        ("validated-on", record.validated_on.clone()),
        ("epsilon-of-all-graphs", record.epsilon_of_all_graphs.map(|epsilon| epsilon.to_string())),
    ];
    all.extend(others.into_iter().filter_map(|(name, value)| Some((name.to_owned(), Value::from(value?)))));
    all
}

/// Facts about the raw data: its nodes and their names, its edges, and the labels of its test
/// nodes, which are compared where the split is equal.
fn facts(run: &Run, truth: &Value) -> Facts {
    let data = run.released().data();
    let split: Vec<u8> = data.split().into_iter().flat_map(Split::parts).map(|part| *part as u8).collect();
    let per_class = truth["classification"]["per_class"].as_array();
    let tested: Option<Vec<Option<u64>>> =
        per_class.map(|classes| classes.iter().map(|class| class["truth"].as_u64()).collect());
    let facts = [
        ("nodes".to_owned(), Some(u64::from(data.nodes()))),
        ("names".to_owned(), Some(hashed(&format!("{:?}", data.names())))),
        ("true entries".to_owned(), truth["edges_before"].as_u64()),
        ("split".to_owned(), (run.record().split == "public").then(|| hashed(&split))),
        (format!("test nodes by {}", hashed(&split)), tested.as_ref().map(hashed)),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn hashed(what: &impl Hash) -> u64 {
    let mut hash = DefaultHasher::new();
    what.hash(&mut hash);
    hash.finish()
}

/// Numbers data of one name whose facts differ.
fn tell_data_apart(runs: &mut [Opened]) {
    let mut by_name: BTreeMap<String, Vec<&mut Opened>> = BTreeMap::new();
    for run in runs {
        by_name.entry(run.0.data.clone()).or_default().push(run);
    }
    for (name, runs) in by_name {
        let mut kinds: Vec<Facts> = Vec::new();
        let mut places = Vec::with_capacity(runs.len());
        for run in &runs {
            let agrees =
                |kind: &Facts| run.1.iter().all(|(fact, value)| kind.get(fact).is_none_or(|known| known == value));
            let place = kinds.iter().position(agrees).unwrap_or(kinds.len());
            match kinds.get_mut(place) {
                Some(kind) => kind.extend(run.1.clone()),
                None => kinds.push(run.1.clone()),
            }
            places.push(place);
        }
        if kinds.len() > 1 {
            runs.into_iter().zip(places).for_each(|(run, place)| run.0.data = format!("{name} ({})", place + 1));
        }
    }
}

/// The parameters in which the runs of a case differ are its grid.
fn tell_points_apart(outcomes: &mut [Outcome]) {
    let mut by_case: BTreeMap<String, Vec<&mut Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        by_case.entry(outcome.case.clone()).or_default().push(outcome);
    }
    for runs in by_case.into_values() {
        let names: BTreeSet<String> = runs.iter().flat_map(|run| run.parameters.keys().cloned()).collect();
        let differs =
            |name: &String| runs.windows(2).any(|two| two[0].parameters.get(name) != two[1].parameters.get(name));
        let telling: Vec<String> = names.into_iter().filter(differs).collect();
        for run in runs {
            let value = |name: &String| Some((name.clone(), run.parameters.get(name)?.clone()));
            run.point = telling.iter().filter_map(value).collect();
        }
    }
}

/// The same run twice is not a second seed.
fn refuse_duplicates(folders: &[PathBuf], outcomes: &[Outcome]) -> Result<(), Failure> {
    let identity = |run: &Outcome| (run.case.clone(), run.data.clone(), run.point.clone(), run.seed);
    let runs: Vec<&PathBuf> = folders.iter().filter(|folder| is_run(folder)).collect();
    for (place, run) in outcomes.iter().enumerate() {
        if let Some(twin) = outcomes[..place].iter().position(|other| identity(other) == identity(run)) {
            return usage(format!(
                "{} and {} are the same run: equal data, parameters and seed (different data need different names)",
                runs[twin].display(),
                runs[place].display()
            ));
        }
    }
    Ok(())
}

/// The released graph beside the true one, both with the true classes.
fn beside_truth(name: &str, released: &Privatised, truth: &Private<Dataset>) -> BesideTruth {
    // The distance to the true graph is a score: the page says that it is for the owner alone.
    let raw = truth.for_scoring(&Truth::for_scoring_only());
    let epsilon = released.statement().guarantees.iter().find(|it| it.unit.is_about_edges()).map(|it| it.epsilon);
    let epsilon = epsilon.map_or_else(String::new, |epsilon| format!(", ε = {epsilon}").replace("inf", "∞"));
    BesideTruth::of(format!("{name}{epsilon}"), raw, released.data().graph())
}
