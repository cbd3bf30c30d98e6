//! A trained model, and published answers.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use serde_json::{Value, json};
use veilgraph::graph::Matrix;
use veilgraph::learn::Run as Model;
use veilgraph::learn::metrics::Classification;
use veilgraph::learn::publication::{Answers, Publication, publish, statements};
use veilgraph::learn::run::Score;
use veilgraph::privacy::guarantee::compose_releases;
use veilgraph::privacy::integrity;
use veilgraph::privacy::release::Privatised;
use veilgraph::privacy::{Declarations, Delta, Spent, Statement, Status, Unit};

use crate::errors::{Failed, Raises};
use crate::release::Release;
use crate::work::work;

/// The file that only a folder with a model has.
const RECORD: &str = "run.json";

/// A trained model with what was released for it, or published answers without their model.
#[pyclass(frozen, module = "veilgraph._native")]
pub struct Run {
    held: Held,
    /// Its folder.
    out: Option<PathBuf>,
    /// Scores and sums, as JSON: scores are for the owner of the data.
    score: Value,
    total: Value,
    inference: Mutex<Option<Box<Run>>>,
}

enum Held {
    Model(Arc<Model>),
    Answers(Arc<Answers>, Box<Statement>),
}

/// ε and δ per unit, as JSON.
fn sums(total: &[(Unit, Spent, Delta)]) -> Value {
    let one = |(unit, epsilon, delta): &(Unit, Spent, Delta)| json!({"unit": unit, "epsilon": epsilon, "delta": delta});
    total.iter().map(one).collect()
}

impl Run {
    pub fn new(
        run: Model,
        out: Option<PathBuf>,
        score: Option<Score>,
        inference: Option<Run>,
        total: &[(Unit, Spent, Delta)],
    ) -> Run {
        let all = compose_releases(run.statements());
        let total = sums(if total.is_empty() { &all } else { total });
        let score = score.map_or(Value::Null, |score| json!(score));
        Run { held: Held::Model(Arc::new(run)), out, score, total, inference: Mutex::new(inference.map(Box::new)) }
    }

    /// A run about a further graph.
    pub fn answers(
        run: Model,
        out: Option<PathBuf>,
        classification: Option<Classification>,
        total: &[(Unit, Spent, Delta)],
    ) -> Run {
        let score = json!({"classification": classification});
        Run { score, ..Run::new(run, out, None, None, total) }
    }

    /// The model, if it is here.
    pub fn model(&self) -> Result<Arc<Model>, Failed> {
        match &self.held {
            Held::Model(run) => Ok(Arc::clone(run)),
            Held::Answers(..) => Err(Failed::data("these answers were published without their model")),
        }
    }

    fn statement(&self) -> &Statement {
        match &self.held {
            Held::Model(run) => run.released().statement(),
            Held::Answers(_, statement) => statement,
        }
    }

    fn tabled(&self, py: Python<'_>) -> PyResult<Arc<Answers>> {
        match &self.held {
            Held::Model(run) => {
                let run = Arc::clone(run);
                work(py, None, move |_| Ok(Arc::new(Answers::of(&run)?)))
            }
            Held::Answers(answers, _) => Ok(Arc::clone(answers)),
        }
    }
}

#[pymethods]
impl Run {
    /// Opens a run folder, or a published one.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Run> {
        work(py, None, move |_| {
            // A published model has its answers beside it.
            if Answers::are_in(&path) && !path.join(RECORD).is_file() {
                integrity::check(&path)?;
                let statement = Box::new(Privatised::statement_of(&path)?);
                let (score, total) = (Value::Null, sums(&compose_releases(&statements(&path)?)));
                let held = Held::Answers(Arc::new(Answers::open(&path)?), statement);
                return Ok(Run { held, out: Some(path), score, total, inference: Mutex::new(None) });
            }
            let run = Model::open(&path)?;
            Ok(Run::new(run, Some(path), None, None, &[]))
        })
    }

    /// Its folder.
    #[getter]
    fn path(&self) -> Option<PathBuf> {
        self.out.clone()
    }

    /// Everything that decided it, as JSON; `null` for answers without their model.
    fn record(&self, py: Python<'_>) -> PyResult<String> {
        match &self.held {
            Held::Model(run) => serde_json::to_string(run.record()).or_raise(py),
            Held::Answers(..) => Ok("null".to_owned()),
        }
    }

    /// Figures of the training and scores, as JSON.
    fn figures(&self, py: Python<'_>) -> PyResult<String> {
        let (accuracy, loss, floor, seconds) = match &self.held {
            Held::Model(run) => (
                run.validation_accuracy(),
                run.validation_loss(),
                run.edge_free_validation_accuracy(),
                json!(run.record().seconds),
            ),
            Held::Answers(..) => (None, None, None, Value::Null),
        };
        let figures = json!({
            "validation_accuracy": accuracy, "validation_loss": loss, "edge_free_validation_accuracy": floor,
            "seconds": seconds, "score": self.score, "total": self.total,
        });
        serde_json::to_string(&figures).or_raise(py)
    }

    /// The privacy statement of its own release, as JSON, Markdown and HTML.
    fn statements(&self, py: Python<'_>) -> PyResult<(String, String, String)> {
        let statement = self.statement();
        Ok((serde_json::to_string(statement).or_raise(py)?, statement.to_markdown(), statement.to_html()))
    }

    /// The ids of its nodes, the names of its classes, and the probability of every class.
    #[allow(clippy::type_complexity, reason = "an alias would hide the arrays")]
    fn table<'py>(&self, py: Python<'py>) -> PyResult<(Vec<String>, Vec<String>, Bound<'py, PyArray2<f32>>)> {
        let answers = self.tabled(py)?;
        let posteriors = to_array(py, answers.posteriors())?;
        Ok((answers.nodes().to_vec(), answers.classes().to_vec(), posteriors))
    }

    /// The release that it was trained on.
    fn released(&self, py: Python<'_>) -> PyResult<Release> {
        let run = self.model().or_raise(py)?;
        Ok(Release::new(run.released().clone(), None, None))
    }

    /// The answers about the graph of `inference_data`, once.
    fn take_inference(&self) -> Option<Run> {
        self.inference.lock().unwrap_or_else(PoisonError::into_inner).take().map(|run| *run)
    }
}

/// Makes the folder that may be handed over.
#[pyfunction]
fn publish_run(
    py: Python<'_>,
    run: PathBuf,
    out: PathBuf,
    declare_public: Option<String>,
    accept: Vec<String>,
    answers_only: bool,
) -> PyResult<()> {
    work(py, None, move |_| {
        let wrong = |name: &str, error: &dyn std::fmt::Display| Failed::parameter(format!("{name}: {error}"));
        let declared = declare_public.as_deref().map(str::parse::<Declarations>).transpose();
        let declare = declared.map_err(|error| wrong("declare_public", &error))?.unwrap_or_default();
        let status = |word: &String| word.parse::<Status>().map_err(|error| wrong("accept", &error));
        let accept: Vec<Status> = accept.iter().map(status).collect::<Result<_, _>>()?;
        publish(&run, &out, &Publication { answers_only, accept: &accept, declare, key: None })?;
        Ok(())
    })
}

/// A matrix as an array.
pub fn to_array<'py>(py: Python<'py>, matrix: &Matrix) -> PyResult<Bound<'py, PyArray2<f32>>> {
    matrix.values().to_vec().into_pyarray(py).reshape([matrix.rows(), matrix.columns()])
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(publish_run, module)?)
}
