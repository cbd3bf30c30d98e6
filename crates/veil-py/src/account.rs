//! The cost of many answers together, as published and as proven.

use pyo3::prelude::*;
use serde_json::{Value, json};
use veilgraph::privacy::accounting::{Spending, calibrate, published};
use veilgraph::privacy::answers::LabelMechanism;

use crate::errors::{Failed, Raises};
use crate::work::work;

fn proven(spending: Spending, delta: f64) -> Value {
    json!({"spending": spending, "delta": delta, "why": spending.proof.to_string()})
}

fn mechanism(release: &str) -> Result<LabelMechanism, Failed> {
    let names = || LabelMechanism::proven().map(LabelMechanism::name).collect::<Vec<_>>().join(", ");
    let unknown = || Failed::parameter(format!("release = {release:?}: expected one of {}", names()));
    LabelMechanism::proven().find(|it| it.name() == release).ok_or_else(unknown)
}

/// The cost of PrivGNN's answers, as JSON; `noise` is λ, or the ε of one randomised response.
#[pyfunction]
fn account_privgnn(
    py: Python<'_>,
    noise: f64,
    queries: u64,
    gamma: f64,
    delta: f64,
    release: &str,
    classes: u32,
) -> PyResult<String> {
    let release = mechanism(release).or_raise(py)?;
    let found = work(py, None, move |_| {
        let spending = release.cost(noise, classes, gamma, queries)?.spending(delta)?;
        let (as_published, theorem_9) = match release {
            LabelMechanism::Krr => (None, None),
            _ => {
                let closed = published::theorem_9(noise, queries, gamma, delta)?;
                (Some(published::privgnn(noise, queries, gamma, delta)?), Some(closed))
            }
        };
        Ok(json!({"proven": proven(spending, delta), "as_published": as_published, "theorem_9": theorem_9}))
    })?;
    serde_json::to_string(&found).or_raise(py)
}

/// The cost of PATE's answers, as JSON.
#[pyfunction]
fn account_pate(py: Python<'_>, lambda_: f64, queries: u64, delta: f64) -> PyResult<String> {
    let found = work(py, None, move |_| {
        let as_published = published::pate(lambda_, queries, delta)?;
        let spending = published::votes(lambda_, queries)?.spending(delta)?;
        Ok(json!({"proven": proven(spending, delta), "as_published": as_published}))
    })?;
    serde_json::to_string(&found).or_raise(py)
}

/// The least noise at which all of PrivGNN's answers together cost at most ε, as JSON.
#[pyfunction]
fn account_calibrate(
    py: Python<'_>,
    epsilon: f64,
    queries: u64,
    gamma: f64,
    delta: f64,
    release: &str,
    classes: u32,
) -> PyResult<String> {
    let release = mechanism(release).or_raise(py)?;
    let found = work(py, None, move |_| {
        let calibrated = calibrate(epsilon, delta, |noise| release.cost(noise, classes, gamma, queries))?;
        Ok(json!({"noise": calibrated.parameter, "proven": proven(calibrated.spending, delta)}))
    })?;
    serde_json::to_string(&found).or_raise(py)
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(account_privgnn, module)?)?;
    module.add_function(wrap_pyfunction!(account_pate, module)?)?;
    module.add_function(wrap_pyfunction!(account_calibrate, module)?)
}
