//! Which method, from public facts alone.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json;
use veilgraph::learn::choose::Question;
use veilgraph::learn::pipeline::{self, Payment};
use veilgraph::privacy::guarantee::Source;
use veilgraph::privacy::{Declarations, Private, Trust};

use crate::data::{Handed, owned};
use crate::errors::{Failed, Raises};
use crate::work::work;

/// A question, as texts that the library reads.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    trust: String,
    protect: String,
    epsilon: String,
    split: Option<String>,
    declare_public: Option<String>,
    public_graph: bool,
    mean_degree: Option<f64>,
    count_edges: Option<String>,
    ledger: Option<PathBuf>,
}

fn read<T: FromStr<Err: Display>>(name: &str, text: &str) -> Result<T, Failed> {
    text.parse().map_err(|error| Failed::parameter(format!("{name} = {text:?}: {error}")))
}

/// The answer as JSON.
#[pyfunction]
fn choose(py: Python<'_>, data: Handed, asked: &str) -> PyResult<String> {
    let asked: Asked = serde_json::from_str(asked).or_raise(py)?;
    let data = data.get(py)?;
    work(py, None, move |_| {
        let trust = match asked.trust.as_str() {
            "owner" => Trust::Central,
            "nobody" => Trust::Local,
            other => return Err(Failed::parameter(format!("trust = {other:?}: expected owner or nobody"))),
        };
        let question = Question {
            trust,
            unit: read("protect", &asked.protect)?,
            epsilon: read("epsilon", &asked.epsilon)?,
            split: asked.split.as_deref().map(|text| read("split", text)).transpose()?,
            public_graph: asked.public_graph,
            mean_degree: asked.mean_degree.map(|degree| (degree, Source::Declared)),
        };
        let count = asked.count_edges.as_deref().map(|text| read("count_edges", text)).transpose()?;
        if count.is_some() && asked.ledger.is_none() {
            return Err(Failed::parameter("count_edges requires ledger: the count is charged"));
        }
        let declared: Option<Declarations> =
            asked.declare_public.as_deref().map(|text| read("declare_public", text)).transpose()?;
        let data = Private::seal(owned(data)).declaring(declared.unwrap_or_default());
        let payment = Payment { ledger: asked.ledger, ..Payment::default() };
        let (answer, counted) = pipeline::advise(&data, question, count, &payment)?;
        let mut found = serde_json::to_value(&answer)?;
        found["counted_edges"] = json!(counted);
        Ok(found.to_string())
    })
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(choose, module)?)
}
