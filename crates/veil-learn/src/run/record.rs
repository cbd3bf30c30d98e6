//! `run.json`: everything that decided a run.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use veil_privacy::Epsilon;
use veil_privacy::parameters::Settings;

use crate::method::{self, Method, MethodError};

/// The version of the folder that is written and read.
pub(super) const FORMAT: u32 = 3;

/// Source of the noise and of the training's randomness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Seed {
    /// A given number: reproducible, therefore not private.
    Given(u64),
    /// The operating system.
    #[serde(with = "from_os")]
    Os,
}

/// Duration of the steps, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seconds {
    /// Reading the data.
    pub read: f64,
    /// Making the release.
    pub privatise: f64,
    /// Training.
    pub train: f64,
    /// Predicting and scoring.
    pub evaluate: f64,
}

/// `run.json`: everything that decided a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The version of the folder.
    pub format: u32,
    /// The version of the program.
    pub version: String,
    /// The name of the data set.
    pub data: String,
    /// The name of the method.
    pub method: String,
    /// Every parameter of the method.
    pub parameters: Settings,
    /// The split: `public`, `all` or three fractions; `released/splits.csv` holds the part of each
    /// node.
    pub split: String,
    /// The range of the features: `public`, `data` or two numbers.
    pub range: String,
    /// Source of the noise.
    pub seed: Seed,
    /// Seed of weights and dropout.
    pub training_seed: u64,
    /// The training graph, if this run is about another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trained_on: Option<String>,
    /// The validation graph, if it is not the training graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validated_on: Option<String>,
    /// ε of the edges of all graphs together, where they share edges; each graph has an equal part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsilon_of_all_graphs: Option<Epsilon>,
    /// Number of networks.
    pub stages: usize,
    /// The chosen epoch of the last network.
    pub best_epoch: usize,
    /// Duration of the steps: for the owner alone, in a file of its own.
    #[serde(skip)]
    pub seconds: Seconds,
}

impl Record {
    /// A record without timings and results; `split` and `range` as they were given.
    pub fn new(
        data: &str,
        method: &dyn Method,
        (split, range): (String, String),
        seed: Seed,
        training_seed: u64,
    ) -> Record {
        Record {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            data: data.to_owned(),
            method: method.name().to_owned(),
            parameters: method.settings(),
            split,
            range,
            seed,
            training_seed,
            trained_on: None,
            validated_on: None,
            epsilon_of_all_graphs: None,
            stages: 0,
            best_epoch: 0,
            seconds: Seconds::default(),
        }
    }

    /// The method with its parameters.
    ///
    /// # Errors
    /// If this version has no such method or parameter.
    pub fn configured(&self) -> Result<Arc<dyn Method>, MethodError> {
        method::configure(&self.method, &self.parameters)
    }
}

mod from_os {
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub fn serialize<S: Serializer>(serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("os")
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "os" { Ok(()) } else { Err(de::Error::custom("expected a number or \"os\"")) }
    }
}
