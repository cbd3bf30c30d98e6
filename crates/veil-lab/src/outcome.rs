//! What one run gave.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use veil_privacy::Guarantee;
use veil_privacy::parameters::Settings;

/// One run of a sweep: what decided it, and its figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The name of the case, as the sweep calls it: what a row of a table or a line of a plot is about.
    pub case: String,
    /// The name of the data set.
    pub data: String,
    /// Everything else that decided it and differs between runs: parameters of the grid by name, the same in all seeds.
    pub point: BTreeMap<String, Value>,
    /// Every parameter that decided it, also those that nobody said: what `veil train` writes into a run's record, and the split and range.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Value>,
    /// The seed.
    pub seed: u64,
    /// Figures by name: `test_accuracy`, `validation_accuracy`, `linkteller_auc`, `lsa_auc`, …; what could not be had is not there.
    pub figures: BTreeMap<String, f64>,
    /// What was promised.
    pub promises: Vec<Promised>,
    /// Why there are no figures, if the run failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How long it took.
    pub seconds: f64,
}

/// A value of a point as people write it: a text without quotation marks.
pub fn written(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Everything that decides a run but its data and seed, by name.
pub fn decided(method: &str, parameters: &Settings, split: &str, range: &str) -> BTreeMap<String, Value> {
    let mut all = parameters.clone().into_map();
    let others = [("method", method), ("split", split), ("range", range)];
    all.extend(others.map(|(name, value)| (name.to_owned(), Value::from(value))));
    all
}

/// What a run promised about one unit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Promised {
    /// What is protected.
    pub unit: String,
    /// ε; `None` is infinite: nothing is promised.
    pub epsilon: Option<f64>,
    /// δ.
    pub delta: f64,
    /// proven, claimed, refuted or none.
    pub status: String,
    /// ε for a relationship that two users report, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_relationship: Option<f64>,
    /// Whether the noise came from a known seed: then, whatever the status, nothing is private.
    #[serde(default)]
    pub reproducible: bool,
    /// The mechanism.
    pub mechanism: String,
    /// What must be true for the promise to hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
    /// Those of the assumptions that name something which ε does not cover.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unaccounted: Vec<String>,
    /// What is not protected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_protected: Vec<String>,
    /// Where the promise and its proof come from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
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
            unaccounted: guarantee.unaccounted().map(ToString::to_string).collect(),
            not_protected: guarantee.not_protected.clone(),
            source: guarantee.source.clone(),
        }
    }
}
