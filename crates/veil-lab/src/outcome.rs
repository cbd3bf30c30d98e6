//! The outcome of one run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use veil_privacy::parameters::Settings;
use veil_privacy::{Declarations, Guarantee, Statement};

/// One run: its parameters, figures and promises.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The name of the case: a row of a table, a line of a plot.
    pub case: String,
    /// The name of the data set.
    pub data: String,
    /// The parameters of the grid by name, the same in all seeds.
    pub point: BTreeMap<String, Value>,
    /// All parameters, defaults included, with split and range.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Value>,
    /// The seed.
    pub seed: u64,
    /// Figures by name, as far as there are any: `test_accuracy`, `linkteller_auc`, ….
    pub figures: BTreeMap<String, f64>,
    /// The promises.
    pub promises: Vec<Promised>,
    /// Why the run failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Its duration.
    pub seconds: f64,
}

/// A value as people write it: a text without quotation marks.
pub fn written(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// An ε or δ with so many places, rounded up: a smaller one would not hold.
pub fn rounded_up(epsilon: f64, places: i32) -> f64 {
    let unit = 10_f64.powi(places);
    // A decimal number that is not a binary one may lie just above itself.
    (epsilon * unit * (1.0 - 1e-12)).ceil() / unit
}

/// Everything that decides a run but its data and seed, by name.
pub fn decided(method: &str, parameters: &Settings, split: &str, range: &str) -> BTreeMap<String, Value> {
    let mut all = parameters.clone().into_map();
    let others = [("method", method), ("split", split), ("range", range)];
    all.extend(others.map(|(name, value)| (name.to_owned(), Value::from(value))));
    all
}

/// The promise of a run about one unit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Promised {
    /// The protected unit.
    pub unit: String,
    /// ε; `None` is ∞: nothing is promised.
    pub epsilon: Option<f64>,
    /// δ.
    pub delta: f64,
    /// proven, claimed, refuted or none.
    pub status: String,
    /// The ε of a relationship that two users report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_relationship: Option<f64>,
    /// Whether the noise is from a known seed: then nothing is private, whatever the status.
    #[serde(default)]
    pub reproducible: bool,
    /// The mechanism.
    pub mechanism: String,
    /// The assumptions of the promise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
    /// The facts that were declared public, and on which the promise relies.
    #[serde(default, skip_serializing_if = "nothing")]
    pub declared: Declarations,
    /// What is not protected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_protected: Vec<String>,
    /// The source of the promise and its proof.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
}

fn nothing(declared: &Declarations) -> bool {
    declared.is_empty()
}

impl Promised {
    /// The promises of a release.
    pub fn of(statement: &Statement) -> Vec<Promised> {
        let promised = |guarantee: &Guarantee| {
            let relied = statement.declared.iter().filter(|fact| !fact.is_equal_for(guarantee.unit));
            let declared = if guarantee.epsilon.is_finite() { relied.collect() } else { Declarations::NONE };
            Promised { declared, ..Promised::from(guarantee) }
        };
        statement.guarantees.iter().map(promised).collect()
    }
}

impl From<&Guarantee> for Promised {
    fn from(guarantee: &Guarantee) -> Promised {
        Promised {
            unit: guarantee.unit.to_string(),
            epsilon: guarantee.epsilon.is_finite().then(|| guarantee.epsilon.as_f64()),
            delta: guarantee.delta.as_f64(),
            status: guarantee.status.to_string(),
            per_relationship: guarantee.per_relationship.filter(|both| both.is_finite()).map(|both| both.as_f64()),
            reproducible: guarantee.reproducible,
            mechanism: guarantee.mechanism.clone(),
            assumptions: guarantee.assumptions.iter().map(ToString::to_string).collect(),
            declared: Declarations::NONE,
            not_protected: guarantee.not_protected.clone(),
            source: guarantee.source.clone(),
        }
    }
}
