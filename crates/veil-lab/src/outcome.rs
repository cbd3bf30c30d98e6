//! What one run gave.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use veil_privacy::Guarantee;

/// One run of a sweep: what decided it, and its figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The name of the case, as the sweep calls it: what a row of a table or a line of a plot is about.
    pub case: String,
    /// The name of the data set.
    pub data: String,
    /// Everything else that decided it and differs between runs: parameters of the grid by name, the same in all seeds.
    pub point: BTreeMap<String, Value>,
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

/// What a run promised about one unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Promised {
    /// What is protected.
    pub unit: String,
    /// ε; `None` is infinite: nothing is promised.
    pub epsilon: Option<f64>,
    /// δ.
    pub delta: f64,
    /// proven, claimed, refuted or none.
    pub status: String,
    /// The mechanism.
    pub mechanism: String,
}

impl From<&Guarantee> for Promised {
    fn from(guarantee: &Guarantee) -> Promised {
        Promised {
            unit: guarantee.unit.to_string(),
            epsilon: guarantee.epsilon.is_finite().then(|| guarantee.epsilon.as_f64()),
            delta: guarantee.delta.as_f64(),
            status: guarantee.status.to_string(),
            mechanism: guarantee.mechanism.clone(),
        }
    }
}
