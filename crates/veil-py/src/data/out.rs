//! From a data set to arrays.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyList;
use veilgraph::graph::{Direction, Features, Part};

use super::Dataset;
use crate::errors::Raises;

#[pymethods]
impl Dataset {
    /// Its name.
    #[getter]
    fn name(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.get().or_raise(py)?.name().to_owned())
    }

    /// The number of nodes.
    #[getter]
    fn nodes(&self, py: Python<'_>) -> PyResult<u32> {
        Ok(self.get().or_raise(py)?.nodes())
    }

    /// Whether edges have a direction.
    #[getter]
    fn directed(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.get().or_raise(py)?.graph().direction() == Direction::Directed)
    }

    /// Whether the edges were withheld.
    #[getter]
    fn edges_withheld(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.get().or_raise(py)?.edges_withheld())
    }

    /// Every entry of every list of neighbours: 2 × entries.
    fn edge_index<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let data = self.get().or_raise(py)?;
        let graph = data.graph();
        let entries = graph.entries();
        let mut both = vec![0i64; 2 * entries];
        let (sources, targets) = both.split_at_mut(entries);
        for node in 0..graph.nodes() {
            let row = graph.offsets()[node as usize]..graph.offsets()[node as usize + 1];
            sources[row].fill(node.into());
        }
        for (place, &target) in targets.iter_mut().zip(graph.targets()) {
            *place = target.into();
        }
        both.into_pyarray(py).reshape([2, entries])
    }

    /// All features as rows, if there are any.
    fn features<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f32>>>> {
        let data = self.get().or_raise(py)?;
        let Some(features) = data.features() else { return Ok(None) };
        let (rows, columns) = (features.rows(), features.columns());
        let mut values = vec![0f32; rows * columns];
        if columns > 0 {
            let write = |(row, out): (usize, &mut [f32])| features.write_row(row, out);
            py.detach(|| values.chunks_exact_mut(columns).enumerate().for_each(write));
        }
        values.into_pyarray(py).reshape([rows, columns]).map(Some)
    }

    /// Features of which only nonzeros are stored: offsets, columns, values, and the width.
    #[allow(clippy::type_complexity, reason = "an alias would hide the arrays")]
    fn sparse_features<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f32>>, usize)>>
    {
        let data = self.get().or_raise(py)?;
        let Some(Features::Sparse(sparse)) = data.features() else { return Ok(None) };
        let (mut offsets, mut columns) = (vec![0i64], Vec::with_capacity(sparse.nonzeros()));
        for row in 0..sparse.rows() {
            columns.extend(sparse.row_parts(row).0.iter().map(|&column| i64::from(column)));
            offsets.push(columns.len() as i64);
        }
        let values = sparse.values().to_vec().into_pyarray(py);
        Ok(Some((offsets.into_pyarray(py), columns.into_pyarray(py), values, sparse.columns())))
    }

    /// The declared range of the features.
    #[getter]
    fn feature_range(&self, py: Python<'_>) -> PyResult<Option<(f32, f32)>> {
        Ok(self.get().or_raise(py)?.feature_range())
    }

    /// The class of every node, −1 if it is not known.
    fn labels<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray1<i64>>>> {
        let data = self.get().or_raise(py)?;
        let class = |label: Option<u32>| label.map_or(-1, i64::from);
        Ok(data.labels().map(|labels| labels.iter().map(class).collect::<Vec<i64>>().into_pyarray(py)))
    }

    /// The number of classes, 0 without labels.
    #[getter]
    fn classes(&self, py: Python<'_>) -> PyResult<u32> {
        Ok(self.get().or_raise(py)?.labels().map_or(0, |labels| labels.classes()))
    }

    /// The names of the classes.
    #[getter]
    fn class_names(&self, py: Python<'_>) -> PyResult<Option<Vec<String>>> {
        let data = self.get().or_raise(py)?;
        Ok(data.labels().and_then(|labels| labels.names()).map(<[String]>::to_vec))
    }

    /// The part of every node: 0 train, 1 val, 2 test, 3 none.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray1<u8>>>> {
        let number = |part: &Part| match part {
            Part::Train => 0u8,
            Part::Val => 1,
            Part::Test => 2,
            Part::None => 3,
        };
        let data = self.get().or_raise(py)?;
        Ok(data.split().map(|split| split.parts().iter().map(number).collect::<Vec<u8>>().into_pyarray(py)))
    }

    /// The ids of the nodes in their file.
    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let data = self.get().or_raise(py)?;
        PyList::new(py, (0..data.nodes()).map(|node| data.names().name(node).into_owned()).collect::<Vec<_>>())
    }
}
