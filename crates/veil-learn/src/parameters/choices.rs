//! Parameters that are a choice between a few words.

use serde::{Deserialize, Serialize};
use veil_nn::training::Keep;
use veil_privacy::release::Scale;

/// What a network may read besides degree vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UseFeatures {
    /// Nothing.
    None,
    /// The features that were released.
    #[default]
    Released,
}

/// What is made of degree vectors in the central model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Readout {
    /// A network learns to read them, as LPGNet was published.
    #[default]
    Network,
    /// Bayes' rule, with the noise that is known.
    Bayes,
}

/// How the label of a teacher leaves (`privgnn`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Release {
    /// The most likely class, through randomised response.
    Krr,
    /// The largest of the posteriors with noise.
    NoisyArgmax,
    /// The largest of their logarithms with noise: refuted.
    NoisyLogPosterior,
}

/// Which public nodes are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Choose {
    /// Any.
    Random,
    /// Those where a walker is most often.
    Pagerank,
    /// Those with most neighbours.
    Degree,
    /// The centres of as many clusters of features.
    Clustering,
}

/// Which epoch's weights are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Select {
    /// As the code that GraphPrivatizer shares with LPGNN: see [`Keep::GraphPrivatizer`].
    Reference,
    /// The lowest validation loss.
    LowestValidationLoss,
    /// The highest validation accuracy.
    HighestValidationAccuracy,
    /// The last.
    Last,
}

impl Select {
    /// The rule, where labels are reported as they are with this probability.
    pub(crate) fn keep(self, keep_probability: f64) -> Keep {
        match self {
            Select::Reference => Keep::GraphPrivatizer { keep_probability },
            Select::LowestValidationLoss => Keep::LowestValidationLoss,
            Select::HighestValidationAccuracy => Keep::HighestValidationAccuracy,
            Select::Last => Keep::Last,
        }
    }
}

/// How features are scaled before anything else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scaling {
    /// Columns to [0, 1].
    #[default]
    Minmax,
    /// Rows to sum 1.
    Rows,
    /// Columns to mean 0 and deviation 1, as they are in the training graph; only of features that are released as they are.
    Standard,
    /// Not at all.
    None,
}

impl From<Scaling> for Scale {
    fn from(scaling: Scaling) -> Scale {
        match scaling {
            Scaling::Minmax => Scale::MinMax,
            Scaling::Rows => Scale::Rows,
            // Released as they are; whoever learns from them scales them.
            Scaling::Standard | Scaling::None => Scale::None,
        }
    }
}
