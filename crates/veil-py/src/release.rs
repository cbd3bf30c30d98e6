//! Released data.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use serde_json::json;
use veilgraph::privacy::protocol::Traffic;
use veilgraph::privacy::release::Privatised;

use crate::data::Dataset;
use crate::errors::Raises;
use crate::work::work;

/// What was released, with its statement.
#[pyclass(frozen, module = "veilgraph._native")]
pub struct Release {
    released: Arc<Privatised>,
    out: Option<PathBuf>,
    traffic: Option<Traffic>,
}

impl Release {
    pub fn new(released: Privatised, out: Option<PathBuf>, traffic: Option<Traffic>) -> Release {
        Release { released: Arc::new(released), out, traffic }
    }

    pub fn get(&self) -> Arc<Privatised> {
        Arc::clone(&self.released)
    }
}

#[pymethods]
impl Release {
    /// Opens the folder of a release.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Release> {
        work(py, None, move |_| Ok(Release::new(Privatised::open(&path)?, Some(path), None)))
    }

    /// Its folder.
    #[getter]
    fn path(&self) -> Option<PathBuf> {
        self.out.clone()
    }

    /// Its privacy statement as JSON, Markdown and HTML.
    fn statements(&self, py: Python<'_>) -> PyResult<(String, String, String)> {
        let statement = self.released.statement();
        Ok((serde_json::to_string(statement).or_raise(py)?, statement.to_markdown(), statement.to_html()))
    }

    /// The released data.
    fn data(&self) -> Dataset {
        Dataset::new(self.released.data().clone())
    }

    /// Whether the features, as released, are estimates of noisy reports.
    fn integrity(&self) -> String {
        self.released.integrity().to_string()
    }

    /// P[true class → released class], one row for each true class; `None` if labels were not
    /// released or not perturbed.
    fn transition<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let Some(mechanism) = self.released.label_mechanism().or_raise(py)? else { return Ok(None) };
        let rows = mechanism.transition_matrix();
        let (height, width) = (rows.len(), rows.first().map_or(0, Vec::len));
        let values: Vec<f64> = rows.into_iter().flatten().collect();
        values.into_pyarray(py).reshape([height, width]).map(Some)
    }

    /// Messages between users, which only the owner may know, as JSON.
    fn traffic(&self, py: Python<'_>) -> PyResult<String> {
        serde_json::to_string(&json!(self.traffic)).or_raise(py)
    }
}

/// Whether a folder holds a release.
#[pyfunction]
fn is_released(path: PathBuf) -> bool {
    Privatised::is_released(&path)
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(is_released, module)?)
}
