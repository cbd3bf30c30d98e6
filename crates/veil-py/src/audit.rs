//! Audits of the mechanisms here, and of scores of other people's mechanisms.

use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json;
use veilgraph::attack::audit::guesses::{judge_canaries_of_one_run, judge_worlds};
use veilgraph::attack::audit::{self, Audit, AuditError, Options, Promise, Subject, Verdict};
use veilgraph::graph::Dataset as Data;
use veilgraph::learn::Settings;
use veilgraph::privacy::parameters::ParameterError;
use veilgraph::privacy::{Declarations, Epsilon};

use crate::data::{Handed, owned};
use crate::errors::{Failed, Raises};
use crate::work::work;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    epsilon: Option<String>,
    declare_public: Option<String>,
    canaries: Option<usize>,
    pairs: Option<usize>,
    seed: Option<u64>,
    end_to_end: bool,
}

impl Asked {
    fn epsilon(&self) -> Result<Option<Epsilon>, Failed> {
        Ok(self.epsilon.as_deref().map(str::parse).transpose()?)
    }

    fn options(&self) -> Options {
        let usual = Options::default();
        Options {
            pairs: self.pairs.unwrap_or(usual.pairs),
            canaries: self.canaries.unwrap_or(usual.canaries),
            seed: self.seed.unwrap_or(usual.seed),
        }
    }

    fn check(&self, subject: &Subject, data: &Data) -> Result<(), Failed> {
        let declared = self.declare_public.as_deref().map(str::parse::<Declarations>).transpose()?.unwrap_or_default();
        Ok(subject.check(data, declared)?)
    }
}

fn data_or_generated(data: Option<Data>) -> Result<Data, Failed> {
    data.map_or_else(|| Ok(audit::generated()?), Ok)
}

/// Audits one mechanism; returns the findings as JSON.
#[pyfunction]
fn audit_one(
    py: Python<'_>,
    name: &str,
    settings: &str,
    data: Option<Handed>,
    asked: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let asked: Asked = serde_json::from_str(asked).or_raise(py)?;
    let settings: Settings = serde_json::from_str(settings).or_raise(py)?;
    let subject = audit::find(name).or_raise(py)?;
    let data = data.map(|data| data.get(py)).transpose()?;
    let found = work(py, progress, move |watch| {
        watch.show("auditing", 0, 0);
        let mut known = subject.parameters();
        if asked.end_to_end {
            known.extend(subject.training_parameters());
        }
        if let Some(name) = settings.names().find(|name| known.iter().all(|it| it.name != **name)) {
            return Err(AuditError::from(ParameterError::Unknown { name: name.to_owned() }).into());
        }
        let settings = subject.at(asked.epsilon()?, &settings)?;
        let data = data_or_generated(data.map(owned))?;
        asked.check(subject, &data)?;
        Ok(if asked.end_to_end {
            vec![subject.audit_end_to_end(&settings, &data, &asked.options())?]
        } else {
            subject.audit(&settings, &data, &asked.options())?
        })
    })?;
    serde_json::to_string(&found).or_raise(py)
}

/// Audits everything at one ε; returns the findings, and what was not audited and why, as JSON.
#[pyfunction]
fn audit_all(
    py: Python<'_>,
    data: Option<Handed>,
    asked: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let asked: Asked = serde_json::from_str(asked).or_raise(py)?;
    let data = data.map(|data| data.get(py)).transpose()?;
    let found = work(py, progress, move |watch| {
        let data = data_or_generated(data.map(owned))?;
        let every = audit::every(asked.epsilon()?)?;
        let (mut found, mut refused): (Vec<Audit>, Vec<(&str, String)>) = (Vec::new(), Vec::new());
        for (done, (subject, settings)) in every.iter().enumerate() {
            watch.show("auditing", done as u64, every.len() as u64);
            if let Err(error) = asked.check(subject, &data) {
                refused.push((subject.name, error.to_string()));
                continue;
            }
            match subject.audit(settings, &data, &asked.options()) {
                Ok(audits) => found.extend(audits),
                // A subject that these data do not allow does not stop the others.
                Err(error) => refused.push((subject.name, error.to_string())),
            }
        }
        Ok(json!({"found": found, "refused": refused}))
    })?;
    serde_json::to_string(&found).or_raise(py)
}

/// What scores prove about a promise, as JSON.
#[pyfunction]
fn audit_scores(
    py: Python<'_>,
    inside: Vec<f64>,
    outside: Vec<f64>,
    epsilon: &str,
    delta: f64,
    one_run: bool,
) -> PyResult<String> {
    let epsilon: Epsilon = epsilon.parse().or_raise(py)?;
    if !(0.0..1.0).contains(&delta) {
        return Err(Failed::parameter(format!("delta = {delta}: it must be at least 0 and below 1")).raise(py));
    }
    for (name, scores) in [("inside", &inside), ("outside", &outside)] {
        if scores.len() < 2 {
            let problem = format!("{name}: {} scores are too few: at least two are needed", scores.len());
            return Err(Failed::parameter(problem).raise(py));
        }
        if let Some(place) = scores.iter().position(|score| score.is_nan()) {
            return Err(Failed::parameter(format!("{name}[{place}] is not a number")).raise(py));
        }
    }
    let claimed = Promise { epsilon: epsilon.as_f64(), delta };
    let judge = if one_run { judge_canaries_of_one_run } else { judge_worlds };
    let canaries = py.detach(|| judge(&inside, &outside, claimed));
    let verdict = if canaries.violate(claimed) { Verdict::Violated } else { Verdict::NothingFound };
    serde_json::to_string(&json!({"claimed": claimed, "canaries": canaries, "verdict": verdict})).or_raise(py)
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(audit_one, module)?)?;
    module.add_function(wrap_pyfunction!(audit_all, module)?)?;
    module.add_function(wrap_pyfunction!(audit_scores, module)?)
}
