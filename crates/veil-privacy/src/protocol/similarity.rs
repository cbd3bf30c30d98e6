//! How alike two nodes' released features are.

use std::fmt;
use std::str::FromStr;

/// How two feature vectors are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// The cosine of their angle.
    #[default]
    Cosine,
    /// Minus their distance.
    Euclidean,
}

impl Measure {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Cosine => "cosine",
            Measure::Euclidean => "euclidean",
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that names no measure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is not a measure (cosine, euclidean)")]
pub struct UnknownMeasure {
    /// The word.
    pub given: String,
}

impl FromStr for Measure {
    type Err = UnknownMeasure;

    fn from_str(text: &str) -> Result<Measure, UnknownMeasure> {
        [Measure::Cosine, Measure::Euclidean]
            .into_iter()
            .find(|measure| measure.name() == text)
            .ok_or_else(|| UnknownMeasure { given: text.to_owned() })
    }
}
