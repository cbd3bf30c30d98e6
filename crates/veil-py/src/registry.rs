//! What there is: methods, attacks and audit subjects with their parameters, from their registries.

use pyo3::prelude::*;
use serde::Serialize;
use serde_json::json;
use veilgraph::attack::attack::ENTRIES;
use veilgraph::attack::audit;
use veilgraph::learn::{Settings, method};
use veilgraph::privacy::Fact;
use veilgraph::privacy::parameters::{Described, Kind};

use crate::errors::Raises;
use crate::work::work;

#[derive(Serialize)]
struct Parameter {
    name: String,
    help: String,
    group: &'static str,
    kind: &'static str,
    words: &'static [&'static str],
    expected: String,
    default: Option<serde_json::Value>,
}

impl From<Described> for Parameter {
    fn from(it: Described) -> Parameter {
        let (kind, words): (_, &[&str]) = match it.kind {
            Kind::Epsilon => ("epsilon", &[]),
            Kind::Real => ("real", &[]),
            Kind::Whole => ("whole", &[]),
            Kind::Switch => ("switch", &[]),
            Kind::Word(words) => ("word", words),
        };
        let (group, expected) = (it.group.heading(), it.kind.expected());
        Parameter { name: it.name, help: it.help, group, kind, words, expected, default: it.value }
    }
}

fn listed(parameters: Vec<Described>) -> Vec<Parameter> {
    parameters.into_iter().map(Parameter::from).collect()
}

/// Everything that is registered, as JSON.
#[pyfunction]
fn registry(py: Python<'_>) -> PyResult<String> {
    let methods = method::entries().iter().map(|it| {
        json!({
            "name": it.name, "about": it.about, "unit": it.unit.map(veilgraph::privacy::Unit::name),
            "trust": it.trust.name(), "status": it.status.name(), "needs": it.needs, "public_graph": it.public_graph,
            "parameters": listed(it.parameters()),
        })
    });
    let attacks = ENTRIES.iter().map(|it| {
        json!({
            "name": it.name, "title": it.title, "about": it.about, "on_posteriors": it.on_posteriors,
            "parameters": listed(it.parameters()),
        })
    });
    let subjects = audit::subjects().iter().map(|it| {
        json!({
            "name": it.name, "about": it.about, "unit": it.unit.name(), "parameters": listed(it.parameters()),
            "training": listed(it.training_parameters()),
        })
    });
    let all = json!({
        "methods": methods.collect::<Vec<_>>(), "attacks": attacks.collect::<Vec<_>>(),
        "subjects": subjects.collect::<Vec<_>>(), "facts": Fact::WORDS,
    });
    serde_json::to_string(&all).or_raise(py)
}

/// Checks the settings of a method.
#[pyfunction]
fn check_settings(py: Python<'_>, method: &str, settings: &str) -> PyResult<()> {
    let settings: Settings = serde_json::from_str(settings).or_raise(py)?;
    method::configure(method, &settings).or_raise(py).map(drop)
}

/// A fault on purpose: a test shows that panics do not cross.
#[pyfunction]
fn panic_on_purpose(py: Python<'_>) -> PyResult<()> {
    let none: Vec<u8> = Vec::new();
    work(py, None, move |_| Ok(none[usize::from(none.is_empty())])).map(drop)
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(registry, module)?)?;
    module.add_function(wrap_pyfunction!(panic_on_purpose, module)?)?;
    module.add_function(wrap_pyfunction!(check_settings, module)?)
}
