//! From numpy arrays to a data set.
//!
//! Arrays of the expected types (64-bit ends of edges, 32-bit features) are read where they lie;
//! what is read is copied once, into the data set. It keeps nothing of the arrays, because what was
//! charged to a ledger must not change when an array does. Python waits while arrays are read, so
//! that no other thread writes to them meanwhile; the data set is then built as other long work is.

use numpy::ndarray::{ArrayView, Dimension};
use numpy::{Element, PyReadonlyArray, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use veilgraph::graph::{
    Dataset as Data, Declared, Direction, Features, Graph, Labels, Matrix, NodeNames, Sparse, Split,
};
use veilgraph::graph::{NodeId, Part, limits};

use super::Dataset;
use crate::errors::{Failed, Raises};
use crate::work::work;

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

/// An array, if its values lie where the processor reads them.
pub fn view<'a, T: Element, D: Dimension>(
    array: &'a PyReadonlyArray<'_, T, D>,
    name: &str,
) -> Result<ArrayView<'a, T, D>, Failed> {
    if array.is_aligned() {
        Ok(array.as_array())
    } else {
        Err(Failed::data(format!("{name}: its values are not aligned in memory: pass a copy")))
    }
}

/// The values of an array, row by row.
pub fn values<T: Element + Copy, D: Dimension>(
    array: &PyReadonlyArray<'_, T, D>,
    name: &str,
) -> Result<Vec<T>, Failed> {
    let view = view(array, name)?;
    // An array that lies column by column is contiguous too, and is no slice of rows.
    Ok(view.as_slice().map_or_else(|| view.iter().copied().collect(), <[T]>::to_vec))
}

/// Rows and columns of an array, however it lies in memory.
pub fn size<T: Element>(array: &PyReadonlyArray2<'_, T>) -> [usize; 2] {
    [array.shape()[0], array.shape()[1]]
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
    classes: Option<u64>,
    class_names: Option<Vec<String>>,
    parts: Option<PyReadonlyArray1<'_, u8>>,
    names: Option<Names<'_>>,
    feature_range: Option<(f32, f32)>,
) -> PyResult<Dataset> {
    let nodes = count(nodes, limits::MOST_NODES, "nodes").or_raise(py)?;
    let direction = if directed { Direction::Directed } else { Direction::Undirected };
    let declared =
        Declared { nodes: true, dimensions: features.is_some(), classes: classes.is_some() || class_names.is_some() };
    let pairs = pairs(&source, &target, nodes).or_raise(py)?;
    let names = names.map(Listed::of).transpose().or_raise(py)?;
    let features = features.map(Values::of).transpose().or_raise(py)?;
    let labels = labels.map(|labels| values(&labels, "y")).transpose().or_raise(py)?;
    let parts = parts.map(|parts| values(&parts, "parts")).transpose().or_raise(py)?;
    let data = work(py, None, move |_| {
        let built = Graph::from_edges(nodes, &pairs, direction)?;
        drop(pairs);
        let mut data = Data::new(name, built.graph, built.dropped).with_declared(declared);
        if let Some(names) = names {
            data = data.with_names(names.check()?)?;
        }
        if let Some(features) = features {
            data = data.with_features(features.check()?)?;
        }
        if let Some((low, high)) = feature_range {
            data = data.with_feature_range(low, high)?;
        }
        if let Some(labels) = labels {
            data = data.with_labels(of_labels(&labels, classes, class_names)?)?;
        }
        if let Some(parts) = parts {
            data = data.with_split(Split::new(parts.into_iter().map(part).collect()))?;
        }
        Ok(data)
    })?;
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
    let (source, target) = (view(source, "edge_index")?, view(target, "edge_index")?);
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

/// The names of nodes, as they were read.
enum Listed {
    Numbers(Vec<i64>),
    Texts(Vec<String>),
}

impl Listed {
    fn of(names: Names<'_>) -> Result<Listed, Failed> {
        Ok(match names {
            Names::Numbers(numbers) => Listed::Numbers(values(&numbers, "ids")?),
            Names::Texts(texts) => Listed::Texts(texts),
        })
    }

    fn check(self) -> Result<NodeNames, Failed> {
        let texts = match self {
            Listed::Numbers(numbers) => {
                let positive: Option<Vec<u64>> = numbers.iter().map(|&number| u64::try_from(number).ok()).collect();
                if let Some(ascending) = positive.filter(|numbers| numbers.is_sorted_by(|one, next| one < next)) {
                    return Ok(NodeNames::from_ascending_numbers(ascending));
                }
                numbers.iter().map(i64::to_string).collect()
            }
            Listed::Texts(texts) => texts,
        };
        NodeNames::from_texts(texts).map_err(|name| Failed::data(format!("two nodes have the id {name:?}")))
    }
}

/// Features, as they were read.
enum Values {
    Dense { rows: usize, width: usize, values: Vec<f32> },
    Sparse { offsets: Vec<i64>, columns: Vec<i64>, values: Vec<f32>, width: usize },
}

impl Values {
    fn of(rows: Rows<'_>) -> Result<Values, Failed> {
        let most = limits::MOST_COLUMNS;
        let fits = |width| match width {
            width if width <= most => Ok(width),
            width => Err(Failed::data(format!("x has {width} columns: at most {most} are read"))),
        };
        Ok(match rows {
            Rows::Dense(rows) => {
                let [height, width] = size(&rows);
                Values::Dense { rows: height, width: fits(width)?, values: values(&rows, "x")? }
            }
            Rows::Sparse((offsets, columns, entries, width)) => Values::Sparse {
                offsets: values(&offsets, "x")?,
                columns: values(&columns, "x")?,
                values: values(&entries, "x")?,
                width: fits(width)?,
            },
        })
    }

    fn check(self) -> Result<Features, Failed> {
        match self {
            Values::Dense { rows, width, values } => {
                if let Some(place) = values.iter().position(|value| !value.is_finite()) {
                    let (row, column, value) = (place / width, place % width, values[place]);
                    return Err(Failed::data(format!("x, row {row}, column {column}: {value} is not a finite number")));
                }
                Ok(Features::Dense(Matrix::from_values(rows, width, values)?))
            }
            Values::Sparse { offsets, columns, values, width } => {
                let negative = || Failed::data("x: a negative offset or column");
                let offsets: Option<Vec<usize>> = offsets.into_iter().map(|it| usize::try_from(it).ok()).collect();
                let columns: Option<Vec<u32>> = columns.into_iter().map(|it| u32::try_from(it).ok()).collect();
                let (offsets, columns) = offsets.zip(columns).ok_or_else(negative)?;
                Ok(Features::Sparse(Sparse::from_parts(offsets, columns, values, width)?))
            }
        }
    }
}

/// One class per node, of which a negative one is unknown.
fn of_labels(labels: &[i64], classes: Option<u64>, names: Option<Vec<String>>) -> Result<Labels, Failed> {
    let largest = labels.iter().copied().max().filter(|&largest| largest >= 0);
    let found = largest.map_or(0, |largest| largest as u64 + 1);
    let given = names.as_ref().map(|names| names.len() as u64);
    if let (Some(given), Some(classes)) = (given, classes.filter(|&classes| Some(classes) != given)) {
        return Err(Failed::data(format!("{given} class_names, but classes = {classes}")));
    }
    let given = given.or(classes);
    if let (Some(given), Some(largest)) = (given.filter(|&given| found > given), largest) {
        return Err(Failed::data(format!("y: class {largest} is not below the {given} classes that are given")));
    }
    let classes = count(given.unwrap_or(found), limits::MOST_CLASSES, "classes")?;
    let labels = Labels::new(classes, labels.iter().map(|&class| u32::try_from(class).ok()))?;
    Ok(match names {
        Some(names) => labels.with_names(names)?,
        None => labels,
    })
}
