//! Sweeps and reports.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use serde_json::json;
use veilgraph::lab::report::Made;
use veilgraph::lab::sweep::{self, Book, DataSets, Plan, Progress, Sweep, export};
use veilgraph::lab::worth::References;
use veilgraph::lab::{Outcome, Report};

use crate::data::{Handed, owned};
use crate::errors::{Failed, Raises};
use crate::work::work;

/// The file of a sweep that is written in Python, for messages.
const WRITTEN: &str = "sweep";

/// Runs a sweep that is written in TOML; returns what was done as JSON.
#[pyfunction]
#[pyo3(signature = (text, data, out, cores, retry_failed, progress))]
fn run_sweep(
    py: Python<'_>,
    text: String,
    data: Vec<(String, Handed)>,
    out: PathBuf,
    cores: Option<usize>,
    retry_failed: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let mut sets = Vec::new();
    for (name, data) in data {
        sets.push((name, data.get(py)?));
    }
    let (folder, begun) = (out.clone(), Arc::new(AtomicBool::new(false)));
    let ours = Arc::clone(&begun);
    let ran = work(py, progress, move |watch| {
        let sweep = Sweep::parse(WRITTEN.as_ref(), text)?;
        let names = sweep.data_names()?;
        if let Some(missing) = names.iter().find(|name| sets.iter().all(|(it, _)| it != *name)) {
            return Err(Failed::parameter(format!("the sweep names the data {missing:?}: pass it in data")));
        }
        if let Some((unknown, _)) = sets.iter().find(|(name, _)| !names.contains(name)) {
            return Err(Failed::parameter(format!("the sweep names no data {unknown:?}")));
        }
        let mut named = DataSets::new();
        sets.into_iter().for_each(|(name, data)| named.insert(&name, owned(data)));
        watch.show("checking", 0, 0);
        let plan = Plan::new(&sweep, &named)?;
        let mut book = Book::begin(&out)?;
        ours.store(true, Ordering::Relaxed);
        let available = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let cores = cores.and_then(NonZeroUsize::new).unwrap_or_else(available);
        let mut shown = |it: &Progress| watch.show("running", it.done as u64, it.of as u64);
        let done = sweep::run(&plan, &named, &mut book, cores, retry_failed, &mut shown)?;
        Ok(json!({"runs": plan.runs(), "distinct": plan.distinct(), "done": done}))
    });
    // A sweep that another process has under way is none of ours.
    if ran.is_err() && begun.load(Ordering::Relaxed) {
        // An interrupt is not counted as a crash of the runs under way.
        Book::let_go(&folder);
    }
    serde_json::to_string(&ran?).or_raise(py)
}

/// The outcomes of a sweep as JSON, and its table as CSV.
#[pyfunction]
fn sweep_outcomes(py: Python<'_>, folder: PathBuf) -> PyResult<(String, String)> {
    work(py, None, move |_| {
        let book = Book::open(&folder)?;
        let outcomes = serde_json::to_string(&book.outcomes()?)?;
        Ok((outcomes, export::csv(&book.rows()?, &book.columns()?)))
    })
}

/// A page about outcomes, which are given as JSON.
#[pyfunction]
fn report_page(
    py: Python<'_>,
    title: String,
    outcomes: &str,
    statements: Vec<(String, String)>,
    made: (String, String),
    floor: Option<String>,
    non_private: Option<String>,
) -> PyResult<String> {
    let outcomes: Vec<Outcome> = serde_json::from_str(outcomes).or_raise(py)?;
    work(py, None, move |_| {
        let (date, command) = made;
        let made = Made { version: env!("CARGO_PKG_VERSION").to_owned(), date, command };
        let references = References { floor, non_private }.or_found(&outcomes);
        let report = Report { references, statements, ..Report::new(title, &outcomes, made) };
        Ok(report.render())
    })
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(run_sweep, module)?)?;
    module.add_function(wrap_pyfunction!(sweep_outcomes, module)?)?;
    module.add_function(wrap_pyfunction!(report_page, module)?)
}
