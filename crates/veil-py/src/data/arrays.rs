//! From numpy arrays to a data set.
//!
//! Arrays of the expected types (64-bit ends of edges, 32-bit features) are read where they lie;
//! what is read is copied once, into the data set. It keeps nothing of the arrays, because what was
//! charged to a ledger must not change when an array does.

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use veilgraph::graph::{
    Dataset as Data, Declared, Direction, Features, Graph, Labels, Matrix, NodeNames, Sparse, Split,
};
use veilgraph::graph::{NodeId, Part, limits};

use super::Dataset;
use crate::errors::{Failed, Raises};

/// A part of a split by its number.
pub(super) fn part(number: u8) -> Part {
    [Part::Train, Part::Val, Part::Test].get(number as usize).copied().unwrap_or(Part::None)
}

/// Rows of features, all values or only the nonzeros (offsets, columns, values, width).
#[derive(FromPyObject)]
pub enum Rows<'py> {
    Dense(PyReadonlyArray2<'py, f32>),
    Sparse((PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, f32>, usize)),
}

/// The names of nodes.
#[derive(FromPyObject)]
pub enum Names<'py> {
    Numbers(PyReadonlyArray1<'py, i64>),
    Texts(Vec<String>),
}

/// Makes a data set of arrays.
#[pyfunction]
#[pyo3(signature = (
    name, nodes, source, target, directed, features, labels, classes, class_names, parts, names, feature_range
))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub fn from_arrays(
    py: Python<'_>,
    name: String,
    nodes: u64,
    source: PyReadonlyArray1<'_, i64>,
    target: PyReadonlyArray1<'_, i64>,
    directed: bool,
    features: Option<Rows<'_>>,
    labels: Option<PyReadonlyArray1<'_, i64>>,
    classes: Option<u32>,
    class_names: Option<Vec<String>>,
    parts: Option<PyReadonlyArray1<'_, u8>>,
    names: Option<Names<'_>>,
    feature_range: Option<(f32, f32)>,
) -> PyResult<Dataset> {
    let nodes = count(nodes, limits::MOST_NODES, "nodes").or_raise(py)?;
    let direction = if directed { Direction::Directed } else { Direction::Undirected };
    let pairs = pairs(&source, &target, nodes).or_raise(py)?;
    let built = py.detach(|| Graph::from_edges(nodes, &pairs, direction)).or_raise(py)?;
    drop(pairs);
    let declared =
        Declared { nodes: true, dimensions: features.is_some(), classes: classes.is_some() || class_names.is_some() };
    let mut data = Data::new(name, built.graph, built.dropped).with_declared(declared);
    if let Some(names) = names {
        data = data.with_names(of_names(names).or_raise(py)?).or_raise(py)?;
    }
    if let Some(rows) = features {
        data = data.with_features(of_rows(rows).or_raise(py)?).or_raise(py)?;
    }
    if let Some((low, high)) = feature_range {
        data = data.with_feature_range(low, high).or_raise(py)?;
    }
    if let Some(labels) = labels {
        data = data.with_labels(of_labels(&labels, classes, class_names).or_raise(py)?).or_raise(py)?;
    }
    if let Some(parts) = parts {
        let parts = parts.as_array().iter().map(|&number| part(number)).collect();
        data = data.with_split(Split::new(parts)).or_raise(py)?;
    }
    Ok(Dataset::new(data))
}

fn count(given: u64, most: u64, what: &str) -> Result<u32, Failed> {
    let small = u32::try_from(given).ok().filter(|_| given <= most);
    small.ok_or_else(|| Failed::data(format!("{given} {what}: at most {most} are read")))
}

fn pairs(
    source: &PyReadonlyArray1<'_, i64>,
    target: &PyReadonlyArray1<'_, i64>,
    nodes: u32,
) -> Result<Vec<(NodeId, NodeId)>, Failed> {
    let (source, target) = (source.as_array(), target.as_array());
    if source.len() != target.len() {
        return Err(Failed::data(format!("{} sources of edges, but {} targets", source.len(), target.len())));
    }
    let end = |edge: usize, node: i64| {
        u32::try_from(node).ok().filter(|&node| node < nodes).ok_or_else(|| {
            Failed::data(format!("edge_index, edge {edge}: node {node} is not one of the {nodes} nodes"))
        })
    };
    let ends = source.iter().zip(target.iter()).enumerate();
    ends.map(|(edge, (&source, &target))| Ok((end(edge, source)?, end(edge, target)?))).collect()
}

fn of_names(names: Names<'_>) -> Result<NodeNames, Failed> {
    match names {
        Names::Numbers(numbers) => {
            let numbers = numbers.as_array();
            let ascending = numbers.iter().zip(numbers.iter().skip(1)).all(|(one, next)| one < next);
            let positive: Option<Vec<u64>> = numbers.iter().map(|&number| u64::try_from(number).ok()).collect();
            match positive.filter(|_| ascending) {
                Some(numbers) => Ok(NodeNames::from_ascending_numbers(numbers)),
                None => of_texts(numbers.iter().map(i64::to_string).collect()),
            }
        }
        Names::Texts(texts) => of_texts(texts),
    }
}

fn of_texts(texts: Vec<String>) -> Result<NodeNames, Failed> {
    NodeNames::from_texts(texts).map_err(|name| Failed::data(format!("two nodes have the id {name:?}")))
}

fn of_rows(rows: Rows<'_>) -> Result<Features, Failed> {
    match rows {
        Rows::Dense(rows) => {
            let array = rows.as_array();
            let (count, width) = (array.nrows(), array.ncols());
            width_fits(width)?;
            let values: Vec<f32> = match rows.as_slice() {
                Ok(slice) => slice.to_vec(),
                Err(_) => array.iter().copied().collect(),
            };
            if let Some(place) = values.iter().position(|value| !value.is_finite()) {
                let (row, column) = (place / width, place % width);
                let value = values[place];
                return Err(Failed::data(format!("x, row {row}, column {column}: {value} is not a finite number")));
            }
            Ok(Features::Dense(Matrix::from_values(count, width, values)?))
        }
        Rows::Sparse((offsets, columns, values, width)) => {
            width_fits(width)?;
            let negative = || Failed::data("x: a negative offset or column".to_owned());
            let offsets: Option<Vec<usize>> = offsets.as_array().iter().map(|&it| usize::try_from(it).ok()).collect();
            let columns: Option<Vec<u32>> = columns.as_array().iter().map(|&it| u32::try_from(it).ok()).collect();
            let (offsets, columns) = offsets.zip(columns).ok_or_else(negative)?;
            let values = values.as_array().iter().copied().collect();
            Ok(Features::Sparse(Sparse::from_parts(offsets, columns, values, width)?))
        }
    }
}

fn width_fits(width: usize) -> Result<(), Failed> {
    let most = limits::MOST_COLUMNS;
    if width <= most { Ok(()) } else { Err(Failed::data(format!("x has {width} columns: at most {most} are read"))) }
}

/// One class per node, of which a negative one is unknown.
fn of_labels(
    labels: &PyReadonlyArray1<'_, i64>,
    classes: Option<u32>,
    names: Option<Vec<String>>,
) -> Result<Labels, Failed> {
    let labels = labels.as_array();
    let largest = labels.iter().copied().max().unwrap_or(-1).max(-1);
    let found = count((largest + 1) as u64, limits::MOST_CLASSES, "classes")?;
    let given = names.as_ref().map(|names| names.len() as u32).or(classes);
    let classes = given.unwrap_or(found);
    if found > classes {
        return Err(Failed::data(format!("y: class {largest} is not below the {classes} classes that are given")));
    }
    let labels = Labels::new(classes, labels.iter().map(|&class| u32::try_from(class).ok()))?;
    Ok(match names {
        Some(names) => labels.with_names(names)?,
        None => labels,
    })
}
