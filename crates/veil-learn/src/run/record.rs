//! `run.json`: all that decided a run.

use serde::{Deserialize, Serialize};
use veil_privacy::Epsilon;

use crate::parameters::Parameters;

/// The version of the folder that is written and read.
pub(super) const FORMAT: u32 = 1;

/// Where the noise and the training's randomness came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Seed {
    /// A number that was given: reproducible, therefore not private.
    Given(u64),
    /// The operating system.
    #[serde(with = "from_os")]
    Os,
}

/// How long the parts took.
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

/// `run.json`: all that decided a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The version of the folder.
    pub format: u32,
    /// The version of the program.
    pub version: String,
    /// The name of the data set.
    pub data: String,
    /// Every parameter.
    pub parameters: Parameters,
    /// How the nodes were split: `public`, or three fractions; `released/splits.csv` holds who is where.
    pub split: String,
    /// The range of the features, as it was asked for.
    pub range: String,
    /// Where the noise came from.
    pub seed: Seed,
    /// What weights and dropout started from.
    pub training_seed: u64,
    /// The graph that the networks were trained on, if it was another one than this run's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trained_on: Option<String>,
    /// The graph whose nodes validated, if it was another one than the networks were trained on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validated_on: Option<String>,
    /// ε of the edges over all graphs together, where they share edges; each has the same part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsilon_of_all_graphs: Option<Epsilon>,
    /// How many networks there are.
    pub stages: usize,
    /// Which epoch was chosen (of the last network).
    pub best_epoch: usize,
    /// How long the parts took.
    pub seconds: Seconds,
}

impl Record {
    /// A record without timings and results.
    pub fn new(
        data: &str,
        parameters: Parameters,
        (split, range): (String, String),
        seed: Seed,
        training_seed: u64,
    ) -> Record {
        Record {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            data: data.to_owned(),
            parameters,
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
