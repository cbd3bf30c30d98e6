//! KProp, for models that are trained elsewhere.

use numpy::{PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use veilgraph::graph::limits::MOST_STEPS;
use veilgraph::graph::{Graph, NodeId};
use veilgraph::nn::graph::{Aggregate, Topology};
use veilgraph::nn::{Messages, Tensor};

use crate::data::{size, values, view};
use crate::errors::{Failed, Raises};
use crate::run::to_array;
use crate::work::work;

/// LPGNN's KProp: the rows after so many steps of Σ x_u/√(d_v·d_u), where node v receives from the
/// nodes that it names as its neighbours.
#[pyfunction]
fn kprop<'py>(
    py: Python<'py>,
    source: PyReadonlyArray1<'_, i64>,
    target: PyReadonlyArray1<'_, i64>,
    rows: PyReadonlyArray2<'_, f32>,
    hops: usize,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let (source, target) = (view(&source, "edge_index").or_raise(py)?, view(&target, "edge_index").or_raise(py)?);
    let [nodes, columns] = size(&rows);
    let node = |node: i64| {
        let known = u32::try_from(node).ok().filter(|&it| (it as usize) < nodes);
        known.ok_or_else(|| Failed::data(format!("edge_index: node {node} has no row in x ({nodes} rows)")))
    };
    if hops > MOST_STEPS as usize {
        return Err(Failed::parameter(format!("hops = {hops}: at most {MOST_STEPS}")).raise(py));
    }
    let ends = source.iter().zip(target.iter());
    let pairs: Result<Vec<(NodeId, NodeId)>, Failed> =
        ends.filter(|(one, other)| one != other).map(|(&one, &other)| Ok((node(one)?, node(other)?))).collect();
    let pairs = pairs.or_raise(py)?;
    let values = values(&rows, "x").or_raise(py)?;
    let propagated = work(py, None, move |_| {
        let graph = Graph::from_reports(nodes as u32, pairs)?;
        let topology = Topology::new(Messages::of(&graph)?);
        let rows = Tensor::from_values(nodes, columns, values)?;
        let propagated = match topology.propagation(Aggregate::Symmetric) {
            Some(step) => step.apply(rows, hops),
            None => rows,
        };
        Ok(propagated.to_matrix())
    })?;
    to_array(py, &propagated)
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(kprop, module)?)
}
