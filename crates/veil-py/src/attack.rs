//! Attacks on runs, and on models of other people: a callable that answers, or a table of answers.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use numpy::{PyArrayMethods, PyReadonlyArray2, ToPyArray};
use pyo3::prelude::*;
use serde_json::{Value, json};
use veilgraph::attack::attack::{self, Table};
use veilgraph::attack::scores::Scores;
use veilgraph::attack::{Attack, EdgeAttack, membership};
use veilgraph::graph::{Matrix, NodeId};
use veilgraph::learn::pipeline::PipelineError;
use veilgraph::learn::{Predictor, PredictorError, Settings, WhiteBox};
use veilgraph::privacy::{Private, Truth};

use crate::data::{Handed, owned, size, values};
use crate::errors::{Failed, Raises};
use crate::run::Run;
use crate::work::{Watch, work};

fn matrix(rows: &PyReadonlyArray2<'_, f32>, name: &str) -> Result<Matrix, Failed> {
    let [height, width] = size(rows);
    Ok(Matrix::from_values(height, width, values(rows, name)?)?)
}

/// A model that answers only as long as somebody waits for the attack.
struct Watched<M> {
    model: M,
    watch: Watch,
}

impl<M: Predictor> Predictor for Watched<M> {
    fn nodes(&self) -> usize {
        self.model.nodes()
    }

    fn classes(&self) -> usize {
        self.model.classes()
    }

    fn features(&self, node: NodeId) -> Result<Vec<f32>, PredictorError> {
        self.model.features(node)
    }

    fn posteriors(&self, nodes: &[NodeId], changed: &[(NodeId, Vec<f32>)]) -> Result<Matrix, PredictorError> {
        self.watch.check();
        self.model.posteriors(nodes, changed)
    }
}

impl<M: WhiteBox> WhiteBox for Watched<M> {
    fn influences(&self, pairs: &[(NodeId, NodeId)]) -> Result<Vec<f64>, PredictorError> {
        self.watch.check();
        self.model.influences(pairs)
    }
}

/// A model of the caller: a function from the features of all nodes to the posteriors of all nodes.
struct Callable {
    features: Matrix,
    classes: usize,
    call: Py<PyAny>,
    /// The first exception, which the attack must not hide.
    raised: Mutex<Option<PyErr>>,
}

impl Callable {
    /// The posteriors of all nodes, given the features of all nodes.
    fn ask(&self, py: Python<'_>, features: &Matrix) -> PyResult<Matrix> {
        let rows = features.values().to_pyarray(py).reshape([features.rows(), features.columns()])?;
        let answer = self.call.bind(py).call1((rows,))?;
        let answer: PyReadonlyArray2<'_, f32> = answer.extract()?;
        matrix(&answer, "the answer of predict").or_raise(py)
    }
}

impl Predictor for Callable {
    fn nodes(&self) -> usize {
        self.features.rows()
    }

    fn classes(&self) -> usize {
        self.classes
    }

    fn features(&self, node: NodeId) -> Result<Vec<f32>, PredictorError> {
        let nodes = self.nodes();
        if node as usize >= nodes {
            return Err(PredictorError::NoSuchNode { node, nodes });
        }
        Ok(self.features.row(node as usize).to_vec())
    }

    fn posteriors(&self, nodes: &[NodeId], changed: &[(NodeId, Vec<f32>)]) -> Result<Matrix, PredictorError> {
        let mut features = self.features.clone();
        for (node, row) in changed {
            let expected = features.columns();
            if row.len() != expected {
                return Err(PredictorError::Features { node: *node, given: row.len(), expected });
            }
            features.row_mut(*node as usize).copy_from_slice(row);
        }
        let answer = Python::attach(|py| self.ask(py, &features)).map_err(|error| {
            let problem = error.to_string();
            self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            PredictorError::Foreign { problem }
        })?;
        if answer.rows() != self.nodes() {
            let (found, nodes) = (answer.rows(), self.nodes());
            return Err(PredictorError::Foreign { problem: format!("{found} rows of posteriors for {nodes} nodes") });
        }
        let mut rows = Matrix::zeros(nodes.len(), answer.columns());
        for (place, &node) in nodes.iter().enumerate() {
            rows.row_mut(place).copy_from_slice(answer.row(node as usize));
        }
        Ok(rows)
    }
}

impl WhiteBox for Callable {
    fn influences(&self, _pairs: &[(NodeId, NodeId)]) -> Result<Vec<f64>, PredictorError> {
        let problem = "a callable has no derivatives: use influence = difference".to_owned();
        Err(PredictorError::Foreign { problem })
    }
}

/// What is attacked.
#[derive(FromPyObject)]
enum Target<'py> {
    Run(Py<Run>),
    /// Features, classes and the callable.
    Callable((PyReadonlyArray2<'py, f32>, usize, Py<PyAny>)),
    Posteriors(PyReadonlyArray2<'py, f32>),
}

fn shown(attack: &EdgeAttack, scores: &Scores, seconds: f64) -> Value {
    json!({"attack": attack.name(), "parameters": attack.settings(), "scores": scores, "seconds": seconds})
}

/// Attacks the edges of a model; returns the figures as JSON.
#[pyfunction]
#[pyo3(signature = (name, settings, target, truth, seed, twin, progress))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
fn attack_edges(
    py: Python<'_>,
    name: &str,
    settings: &str,
    target: Target<'_>,
    truth: Handed,
    seed: u64,
    twin: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let settings: Settings = serde_json::from_str(settings).or_raise(py)?;
    let attack = attack::on_edges(name, &settings).or_raise(py)?;
    let truth = Private::seal(owned(truth.get(py)?));
    // The success of an attack cannot be known without the truth; the result is a score.
    let pairs_of = move |attack: &EdgeAttack, nodes: usize| -> Result<_, Failed> {
        let (truth_nodes, run) = (truth.public().nodes, u32::try_from(nodes).unwrap_or(u32::MAX));
        if truth_nodes != run {
            return Err(PipelineError::OtherSize { truth: truth_nodes, run }.into());
        }
        Ok(attack.pairs(truth.for_scoring(&Truth::for_scoring_only()).graph(), seed)?)
    };
    let found = match target {
        Target::Run(run) => {
            let run = run.get().model().or_raise(py)?;
            work(py, progress, move |watch| {
                watch.show("attacking", 0, 0);
                let pairs = pairs_of(&attack, run.released().data().nodes() as usize)?;
                let start = Instant::now();
                let model = Watched { model: run.deployed(attack.surface, attack.weights)?, watch: watch.clone() };
                let scores = attack.run(&model, &pairs, seed)?;
                let mut found = shown(&attack, &scores, start.elapsed().as_secs_f64());
                if twin {
                    watch.show("attacking the edge-free twin", 0, 0);
                    if let Some(twin) = run.twin(attack.weights)? {
                        let twin = Watched { model: twin, watch: watch.clone() };
                        found["edge_free"] = json!(attack.run(&twin, &pairs, seed)?);
                        found["edge_free_reads_features"] = run.twin_reads_features().into();
                    }
                }
                Ok(found)
            })?
        }
        Target::Callable((features, classes, call)) => {
            let features = matrix(&features, "x").or_raise(py)?;
            let model = Callable { features, classes, call, raised: Mutex::new(None) };
            work(py, progress, move |watch| {
                watch.show("attacking", 0, 0);
                let pairs = pairs_of(&attack, model.nodes())?;
                let start = Instant::now();
                let model = Watched { model, watch: watch.clone() };
                let scores = attack.run(&model, &pairs, seed);
                match (model.model.raised.lock().unwrap_or_else(PoisonError::into_inner).take(), scores) {
                    (Some(raised), _) => Err(Failed::raised(raised)),
                    (None, scores) => Ok(shown(&attack, &scores?, start.elapsed().as_secs_f64())),
                }
            })?
        }
        Target::Posteriors(posteriors) => {
            let model = Table(matrix(&posteriors, "posteriors").or_raise(py)?);
            work(py, progress, move |_| {
                let pairs = pairs_of(&attack, model.0.rows())?;
                let start = Instant::now();
                let scores = attack.run(&model, &pairs, seed)?;
                Ok(shown(&attack, &scores, start.elapsed().as_secs_f64()))
            })?
        }
    };
    serde_json::to_string(&found).or_raise(py)
}

/// Infers the training nodes of a run; returns the figures as JSON.
#[pyfunction]
#[pyo3(signature = (settings, run, truth, outside, shadow_data, seed, progress))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
fn attack_membership(
    py: Python<'_>,
    settings: &str,
    run: &Run,
    truth: Handed,
    outside: Option<Handed>,
    shadow_data: Option<Handed>,
    seed: u64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let settings: Settings = serde_json::from_str(settings).or_raise(py)?;
    let params = match attack::find(membership::NAME).and_then(|it| it.configure(&settings)).or_raise(py)? {
        Attack::Membership(params) => params,
        Attack::Edges(_) => return Err(Failed::internal("membership is an attack on edges").raise(py)),
    };
    let run = run.model().or_raise(py)?;
    let given = |data: Handed| data.get(py);
    let (truth, outside, shadow_data) =
        (truth.get(py)?, outside.map(given).transpose()?, shadow_data.map(given).transpose()?);
    let found = work(py, progress, move |watch| {
        let (outside, shadow_data) = (outside.map(owned), shadow_data.map(owned));
        let data = membership::RawData { truth: owned(truth), outside, shadow_data };
        let epochs = (run.method().training().epochs as u64).saturating_mul(run.method().networks().into());
        watch.show("training shadow models", 0, epochs.saturating_mul(params.shadows as u64));
        Ok(membership::attack(&run, data, &params, seed, watch)?)
    })?;
    serde_json::to_string(&found).or_raise(py)
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(attack_edges, module)?)?;
    module.add_function(wrap_pyfunction!(attack_membership, module)?)
}
