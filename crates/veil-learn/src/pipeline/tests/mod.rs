//! Jobs from raw data to runs: what is refused before a charge, what is released, and what is
//! written.

mod charges;
mod codebook;
mod facts;
mod growing;
mod interrupted;
mod releases;
mod several;
mod students;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tempfile::TempDir;
use veil_graph::{Dataset, Declared, Labels, Split};
use veil_privacy::parameters::Settings;
use veil_privacy::{Fact, Ledger, Private};

use super::*;
use crate::method;

/// A small citation graph of seven classes, by this name; half of the nodes are for training, a
/// quarter validates.
fn graph(name: &str, nodes: u32, seed: u64) -> Dataset {
    let made = veil_graph::generate::Community::citation().with_nodes(nodes).check().unwrap().generate(seed);
    let given = Declared { nodes: true, dimensions: true, classes: true };
    let data = Dataset::new(name, made.graph().clone(), Default::default()).with_declared(given);
    let data = data.with_features(made.features().unwrap().clone()).unwrap();
    let labels = Labels::new(7, made.labels().unwrap().iter()).unwrap();
    let split = Split::random(nodes, "0.5,0.25,0.25".parse().unwrap(), seed);
    data.with_labels(labels).unwrap().with_split(split).unwrap()
}

/// The same graph where each class has a name that begins with this letter.
fn named(data: Dataset, letter: char) -> Dataset {
    let labels = data.labels().unwrap().clone();
    let names = (0..labels.classes()).map(|class| format!("{letter}{class}")).collect();
    data.with_labels(labels.with_names(names).unwrap()).unwrap()
}

/// A short training with the settings that `method` reads of these.
fn short(method: &str, given: &[(&str, Value)]) -> Arc<dyn Method> {
    let entry = method::find(method).unwrap();
    let all = [("epsilon-edges", json!(4)), ("epochs", json!(4)), ("hidden", json!(8))];
    let reports = match entry.reads("recipe") || method == "degree-vectors" {
        true => vec![("epsilon-features", json!("inf")), ("epsilon-labels", json!("inf")), ("scale", json!("rows"))],
        false => Vec::new(),
    };
    let read: Settings = all.into_iter().chain(reports).filter(|(name, _)| entry.reads(name)).collect();
    entry.configure(&read.overridden_by(&given.iter().cloned().collect())).unwrap()
}

/// The ranges of columns are public.
fn terms() -> Terms {
    Terms { declared: Fact::Columns.into(), ..Terms::default() }
}

/// A job on one graph, from seed 1.
fn job(method: Arc<dyn Method>, data: Dataset) -> Job {
    let (terms, payment) = (terms(), Payment::experiment(1));
    let input = Input::Graphs(Graphs::one(data, &terms, &payment).unwrap());
    Job { method, terms, payment, input }
}

/// A job on several graphs, from seed 1.
fn several(
    method: Arc<dyn Method>,
    train: Dataset,
    (validation, inference): (Option<Dataset>, Option<Dataset>),
    evolving: bool,
) -> Result<Job, PipelineError> {
    let (mut terms, payment) = (Terms::default(), Payment::experiment(1));
    let graphs = Graphs::new(train, validation, inference, evolving, &mut terms, &payment)?;
    Ok(Job { method, terms, payment, input: Input::Graphs(graphs) })
}

/// A folder, with a ledger if there are budgets.
struct Home {
    folder: TempDir,
}

impl Home {
    fn new(budgets: &[&str]) -> Home {
        let folder = tempfile::tempdir().unwrap();
        let budgets: Vec<_> = budgets.iter().map(|text| text.parse().unwrap()).collect();
        if !budgets.is_empty() {
            Ledger::create(&folder.path().join("book.db"), &budgets).unwrap();
        }
        Home { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The same job, paid for by the ledger: without a seed, which no budget covers.
    fn paid(&self, job: Job) -> Job {
        let ledger = Some(self.path("book.db"));
        Job { payment: Payment { ledger, seed: None, ..job.payment }, ..job }
    }

    fn charges(&self) -> usize {
        Ledger::open(&self.path("book.db")).unwrap().report().unwrap().entries.len()
    }

    /// Everything beside the ledger.
    fn list(&self) -> Vec<String> {
        list(self.folder.path()).into_iter().filter(|name| !name.starts_with("book.db")).collect()
    }
}

fn list(folder: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(name).collect();
    names.sort_unstable();
    names
}

/// Keeps everything that a job reports.
#[derive(Default)]
struct Followed {
    steps: Mutex<Vec<Step>>,
    warnings: Mutex<Vec<String>>,
    answered: std::sync::atomic::AtomicUsize,
}

impl Hooks for Followed {
    fn step(&self, step: Step) {
        self.steps.lock().unwrap().push(step);
    }

    fn answered(&self) {
        self.answered.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }

    fn warn(&self, warning: &str) {
        self.warnings.lock().unwrap().push(warning.to_owned());
    }
}

/// Takes the place of the result at some step, so that it cannot be written.
struct Interrupted<'a> {
    step: Step,
    out: &'a Path,
}

impl<'a> Interrupted<'a> {
    fn at(step: Step, out: &'a Path) -> Interrupted<'a> {
        Interrupted { step, out }
    }
}

impl Hooks for Interrupted<'_> {
    fn step(&self, step: Step) {
        if step == self.step {
            fs::create_dir(self.out).unwrap();
            fs::write(self.out.join("taken"), "").unwrap();
        }
    }
}

#[test]
fn splits_and_ranges_are_read_as_they_are_written() {
    for text in ["public", "all", "0.5,0.25,0.25"] {
        assert_eq!(text.parse::<SplitChoice>().unwrap().to_string(), text);
    }
    for text in ["public", "data", "-1,1", "0,0.5"] {
        assert_eq!(text.parse::<RangeText>().unwrap().to_string(), text);
    }
    assert!("0.5,0.5".parse::<SplitChoice>().is_err() && "most".parse::<SplitChoice>().is_err());
    for text in ["1,0", "0", "a,b", ""] {
        assert!(text.parse::<RangeText>().is_err(), "{text}");
    }
    assert_eq!(Terms::default().texts(), ("public".to_owned(), "public".to_owned()));
}

#[test]
fn a_result_inside_raw_data_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    fs::create_dir(&data).unwrap();
    for out in ["data/run", "data/deep/run", "data"] {
        let refused = refuse_inside(&home.path().join(out), &data);
        assert!(matches!(refused, Err(PipelineError::InsideData { .. })), "{out}");
    }
    assert!(refuse_inside(&home.path().join("run"), &data).is_ok());
    assert!(refuse_inside(&home.path().join("run"), Path::new("cora")).is_ok(), "data by name");
}

/// The hooks see every step in its order.
#[test]
fn a_job_reports_its_steps() {
    let hooks = Followed::default();
    job(short("lpgnet", &[("stages", json!(2))]), graph("one", 80, 1)).run(Place::Memory, &hooks).unwrap();
    let steps = hooks.steps.into_inner().unwrap();
    // Three networks of four epochs.
    assert_eq!(steps, [Step::Release, Step::Train { epochs: 12 }, Step::Write]);
}

/// Without validation nodes the last epoch is used.
#[test]
fn an_experiment_needs_no_validation_nodes() {
    let terms = Terms { split: Some("0.5,0,0.5".parse().unwrap()), ..Terms::default() };
    for method in ["gnn", "neighbour-krr"] {
        let run = experiment(method, &short(method, &[]).settings(), graph("one", 80, 1), terms, 3).unwrap().run;
        assert_eq!((run.record().best_epoch, run.record().parameters.word("select")), (3, Some("last")));
        assert_eq!((run.record().seed, run.record().training_seed), (crate::run::Seed::Given(3), 3));
        assert_eq!(run.record().split, "0.5,0,0.5");
    }
}
