//! Data sets: from paths, arrays (`arrays`) and Arrow tables (`tables`), and back to arrays.

mod arrays;
mod out;
mod tables;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use veilgraph::graph::generate::{Asked, Kind};
use veilgraph::graph::write;
use veilgraph::graph::{Dataset as Data, Part, Split};
use veilgraph::learn::pipeline;

use crate::errors::{Failed, Raises};
use crate::work::work;

pub use arrays::{size, values, view};

/// A graph and the data on its nodes.
#[pyclass(frozen, module = "veilgraph._native")]
pub struct Dataset {
    /// `None` once its owner handed it on.
    data: Mutex<Option<Arc<Data>>>,
    /// The path that it was read from, which no result may lie in.
    pub path: Option<String>,
}

impl Dataset {
    pub fn new(data: Data) -> Dataset {
        Dataset::shared(Arc::new(data))
    }

    pub fn shared(data: Arc<Data>) -> Dataset {
        Dataset { data: Mutex::new(Some(data)), path: None }
    }

    /// What it holds.
    pub fn get(&self) -> Result<Arc<Data>, Failed> {
        let held = self.data.lock().unwrap_or_else(PoisonError::into_inner).clone();
        held.ok_or_else(|| Failed::data("this data set was handed on and is used up"))
    }

    /// What it holds, handed on: nothing is copied, and this data set is used up.
    fn take(&self) -> Result<Arc<Data>, Failed> {
        let held = self.data.lock().unwrap_or_else(PoisonError::into_inner).take();
        held.ok_or_else(|| Failed::data("this data set was handed on and is used up"))
    }
}

/// Data of a job: handed on if the caller made them for this job alone.
#[derive(FromPyObject)]
pub struct Handed {
    #[pyo3(attribute("native"))]
    dataset: Py<Dataset>,
    #[pyo3(attribute("consumed"))]
    consumed: bool,
}

impl Handed {
    pub fn get(&self, py: Python<'_>) -> PyResult<Arc<Data>> {
        let dataset = self.dataset.get();
        if self.consumed { dataset.take() } else { dataset.get() }.or_raise(py)
    }

    pub fn path(&self) -> Option<String> {
        self.dataset.get().path.clone()
    }
}

/// Without a copy, if nobody else holds it.
pub fn owned(data: Arc<Data>) -> Data {
    Arc::unwrap_or_clone(data)
}

#[pymethods]
impl Dataset {
    /// Reads a data set by path, or by the name of a fetched one.
    #[staticmethod]
    fn open(py: Python<'_>, path: String) -> PyResult<Dataset> {
        let name = path.clone();
        let data = work(py, None, move |_| Ok(pipeline::raw(&name)?))?;
        Ok(Dataset { path: Some(path), ..Dataset::new(data) })
    }

    /// A generated data set.
    #[staticmethod]
    #[pyo3(signature = (kind, nodes, edges, homophily, seed))]
    fn generate(
        py: Python<'_>,
        kind: &str,
        nodes: Option<u32>,
        edges: Option<usize>,
        homophily: Option<f64>,
        seed: u64,
    ) -> PyResult<Dataset> {
        let kind = Kind::from_name(kind).or_raise(py)?;
        let asked = Asked { nodes, edges, homophily };
        Ok(Dataset::new(work(py, None, move |_| Ok(asked.generate(kind, seed)?))?))
    }

    /// The same data with the part of every node: 0 train, 1 val, 2 test, 3 none.
    fn with_parts(&self, py: Python<'_>, parts: PyReadonlyArray1<'_, u8>) -> PyResult<Dataset> {
        let parts = arrays::values(&parts, "parts").or_raise(py)?;
        let data = self.get().or_raise(py)?;
        let made = work(py, None, move |_| {
            Ok(owned(data).with_split(Split::new(parts.into_iter().map(arrays::part).collect()))?)
        })?;
        Ok(Dataset::new(made))
    }

    /// The same data with a random split.
    fn with_random_split(&self, py: Python<'_>, fractions: &str, each: bool, seed: u64) -> PyResult<Dataset> {
        let fractions = fractions.parse().or_raise(py)?;
        let data = self.get().or_raise(py)?;
        let choice = pipeline::SplitChoice::Random(fractions);
        Ok(Dataset::new(work(py, None, move |_| Ok(choice.apply(owned(data), each, seed)?))?))
    }

    /// The graph among the nodes of some parts.
    fn among(&self, py: Python<'_>, parts: Vec<String>) -> PyResult<Dataset> {
        let unknown = |name: &str| Failed::parameter(format!("{name:?} is no part: expected train, val, test or none"));
        let part = |name: &String| Part::from_name(name).ok_or_else(|| unknown(name));
        let parts: Vec<Part> = parts.iter().map(part).collect::<Result<_, _>>().or_raise(py)?;
        let data = self.get().or_raise(py)?;
        Ok(Dataset::new(work(py, None, move |_| Ok(data.among(&parts)?))?))
    }

    /// Writes it as a folder.
    fn write(&self, py: Python<'_>, path: String) -> PyResult<()> {
        let data = self.get().or_raise(py)?;
        work(py, None, move |_| Ok(write::write_folder(&data, Path::new(&path))?))
    }

    /// Its statistics as JSON.
    fn summary(&self, py: Python<'_>) -> PyResult<String> {
        let data = self.get().or_raise(py)?;
        work(py, None, move |_| Ok(serde_json::to_string(&data.summary())?))
    }
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(arrays::from_arrays, module)?)?;
    module.add_function(wrap_pyfunction!(tables::from_tables, module)?)
}
