//! From Arrow tables to a data set, by the rules of `veil data import`.

use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use pyo3_arrow::input::AnyRecordBatch;
use serde::Deserialize;
use veilgraph::graph::Direction;
use veilgraph::graph::import::{Classes, FeatureColumns, MissingValues, Request, Rows, import_tables};

use super::Dataset;
use crate::errors::{Failed, Raises};
use crate::work::work;

/// What the caller says of the tables: the flags of `veil data import` under their own names.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Asked {
    ends: Option<[String; 2]>,
    id: Option<String>,
    label: Option<String>,
    features: Option<Vec<String>>,
    kinds: Vec<(String, String)>,
    ranges: Vec<(String, f64, f64)>,
    categories: Vec<(String, Vec<String>)>,
    classes: Option<Vec<String>>,
    most_categories: Option<usize>,
    missing: Option<Vec<String>>,
    refuse_missing: bool,
    unlisted: Option<String>,
    directed: Option<bool>,
    name: Option<String>,
}

impl Asked {
    fn request(self) -> Result<Request, Failed> {
        use veilgraph::graph::import::Unlisted;
        let kind = |(column, kind): (String, String)| match kind.parse() {
            Ok(kind) => Ok((column, kind)),
            Err(problem) => Err(Failed::parameter(format!("kinds[{column:?}]: {problem}"))),
        };
        let unlisted = match self.unlisted.as_deref() {
            None | Some("refuse") => Unlisted::Refused,
            Some("drop") => Unlisted::Dropped,
            Some("add") => Unlisted::Added,
            Some(other) => {
                return Err(Failed::parameter(format!("unlisted = {other:?}: expected refuse, drop or add")));
            }
        };
        let missing = match self.missing {
            Some(columns) => MissingValues::IndicatedIn(columns),
            None if self.refuse_missing => MissingValues::Refused,
            None => MissingValues::Indicated,
        };
        let direction = |directed| if directed { Direction::Directed } else { Direction::Undirected };
        Ok(Request {
            ends: self.ends,
            id: self.id,
            label: self.label,
            features: self.features.map_or(FeatureColumns::All, FeatureColumns::These),
            kinds: self.kinds.into_iter().map(kind).collect::<Result<_, _>>()?,
            ranges: self.ranges,
            categories: self.categories,
            classes: self.classes.map(Classes::Named),
            most_categories: self.most_categories,
            missing,
            unlisted,
            direction: self.directed.map(direction),
            name: self.name,
            ..Request::default()
        })
    }
}

fn rows(table: Option<AnyRecordBatch>) -> PyResult<Option<Rows>> {
    let of = |table: AnyRecordBatch| -> PyResult<Rows> {
        let (batches, schema) = PyTable::into_inner(table.into_table().map_err(PyErr::from)?);
        Ok((schema, batches))
    };
    table.map(of).transpose()
}

/// Makes a data set of two tables; also returns what became of the columns, as JSON.
#[pyfunction]
pub fn from_tables(
    py: Python<'_>,
    edges: Option<AnyRecordBatch>,
    nodes: Option<AnyRecordBatch>,
    asked: &str,
) -> PyResult<(Dataset, String)> {
    let asked: Asked = serde_json::from_str(asked).or_raise(py)?;
    let request = asked.request().or_raise(py)?;
    let (edges, nodes) = (rows(edges)?, rows(nodes)?);
    let imported = work(py, None, move |_| Ok(import_tables(&request, edges.as_ref(), nodes.as_ref())?))?;
    let report = serde_json::to_string(&imported.report).or_raise(py)?;
    Ok((Dataset::new(imported.dataset), report))
}
