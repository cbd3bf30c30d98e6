//! What a network is made of, in a few words.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::kernels::activation::Activation;

/// The kind of layer that a network repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Linear layers: the graph is not looked at.
    Mlp,
    /// Graph convolutions (Kipf and Welling 2017).
    Gcn,
    /// GraphSAGE with the mean (Hamilton et al. 2017).
    Sage,
    /// Graph attention (Veličković et al. 2018).
    Gat,
    /// Graph attention whose scores depend on both ends (Brody et al. 2022).
    Gatv2,
    /// Graph transformer (Shi et al. 2021).
    Gt,
    /// Sums of neighbours (Morris et al. 2019).
    Gconv,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 7] = [Kind::Mlp, Kind::Gcn, Kind::Sage, Kind::Gat, Kind::Gatv2, Kind::Gt, Kind::Gconv];

    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Mlp => "mlp",
            Kind::Gcn => "gcn",
            Kind::Sage => "sage",
            Kind::Gat => "gat",
            Kind::Gatv2 => "gatv2",
            Kind::Gt => "gt",
            Kind::Gconv => "gconv",
        }
    }

    /// Whether its layers have heads.
    pub fn attends(self) -> bool {
        matches!(self, Kind::Gat | Kind::Gatv2 | Kind::Gt)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Kind {
    type Err = DescriptionError;

    fn from_str(text: &str) -> Result<Kind, DescriptionError> {
        let found = Kind::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| DescriptionError::UnknownKind { found: text.to_owned() })
    }
}

/// A network in a few words.
///
/// Hidden layers are followed by batch normalisation (if asked for), the activation and dropout; the last layer by nothing. With attention,
/// hidden layers have `heads` heads of `hidden` numbers each, side by side, and the last layer has one.
///
/// ```
/// use veil_nn::{Description, Kind};
/// let gat = Description { kind: Kind::Gat, heads: 4, ..Description::default() };
/// assert!(gat.check(1433, 7).is_ok());
/// assert_eq!(Description { layers: 0, ..gat }.check(1433, 7).unwrap_err().to_string(), "layers is 0: it must be at least 1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The kind of its layers.
    pub kind: Kind,
    /// How many layers.
    pub layers: usize,
    /// Numbers per node (and head) between layers.
    pub hidden: usize,
    /// Heads of hidden layers with attention; 1 for all other kinds.
    pub heads: usize,
    /// What follows a hidden layer.
    pub activation: Activation,
    /// The share of hidden numbers that a training step drops.
    pub dropout: f32,
    /// Whether hidden layers are normalised.
    pub batch_norm: bool,
    /// Whether layers add a bias; only an MLP can do without (LPGNet's do).
    pub bias: bool,
}

impl Default for Description {
    /// What GraphPrivatizer trains: two graph convolutions, 16 hidden numbers, SELU, dropout ½.
    fn default() -> Description {
        Description {
            kind: Kind::Gcn,
            layers: 2,
            hidden: 16,
            heads: 1,
            activation: Activation::Selu,
            dropout: 0.5,
            batch_norm: false,
            bias: true,
        }
    }
}

/// What can be wrong with a description.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DescriptionError {
    /// No such kind of network.
    #[error("there is no model \"{found}\": expected one of mlp, gcn, sage, gat, gatv2, gt, gconv")]
    UnknownKind {
        /// What was asked for.
        found: String,
    },
    /// A number out of its range.
    #[error("{what} is {found}: it must be {expected}")]
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// What it is.
        found: f64,
        /// What it may be.
        expected: &'static str,
    },
    /// Heads without attention.
    #[error("{heads} heads were asked for, but {kind} has none: only gat, gatv2 and gt do")]
    Heads {
        /// The kind of network.
        kind: Kind,
        /// How many heads.
        heads: usize,
    },
    /// A kind that cannot do without biases.
    #[error("{kind} cannot do without biases: only mlp can")]
    Bias {
        /// The kind of network.
        kind: Kind,
    },
}

/// A description that was checked, with what goes in and what comes out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Architecture {
    pub(super) description: Description,
    pub(super) inputs: usize,
    pub(super) classes: usize,
}

/// No number of a description is larger, so that products of two fit into 64 bits.
const MOST: usize = 1 << 24;
/// The most weights that a network may have in the matrices of its layers: 4 GiB, of which training needs four times as much.
const MOST_WEIGHTS: u64 = 1 << 30;

impl Description {
    /// Whether such a network exists, for so many features and classes.
    ///
    /// # Errors
    /// If a number is out of its range or does not fit the kind.
    pub fn check(self, inputs: usize, classes: usize) -> Result<Architecture, DescriptionError> {
        let Description { kind, layers, hidden, heads, dropout, bias, .. } = self;
        let at_least_one = |what, found: usize| match found {
            0 => Err(DescriptionError::OutOfRange { what, found: 0.0, expected: "at least 1" }),
            1..=MOST => Ok(()),
            _ => Err(DescriptionError::OutOfRange { what, found: found as f64, expected: "at most 16777216" }),
        };
        at_least_one("layers", layers)?;
        at_least_one("hidden", hidden)?;
        at_least_one("heads", heads)?;
        at_least_one("number of features", inputs)?;
        at_least_one("number of classes", classes)?;
        if !(0.0..1.0).contains(&dropout) {
            let expected = "at least 0 and below 1";
            return Err(DescriptionError::OutOfRange { what: "dropout", found: f64::from(dropout), expected });
        }
        if heads > 1 && !kind.attends() {
            return Err(DescriptionError::Heads { kind, heads });
        }
        if !bias && kind != Kind::Mlp {
            return Err(DescriptionError::Bias { kind });
        }
        let architecture = Architecture { description: self, inputs, classes };
        let weights = architecture.least_weights();
        if weights > MOST_WEIGHTS {
            let (what, expected) = ("number of weights", "at most 1073741824");
            return Err(DescriptionError::OutOfRange { what, found: weights as f64, expected });
        }
        Ok(architecture)
    }
}

impl Architecture {
    /// So many weights at least: every layer has one matrix from its inputs to its outputs.
    pub(super) fn least_weights(&self) -> u64 {
        let Architecture { description: Description { layers, hidden, heads, .. }, inputs, classes } = *self;
        let product = |one: usize, other: usize| (one as u64).saturating_mul(other as u64);
        let hidden = hidden.saturating_mul(heads);
        match layers {
            1 => product(inputs, classes),
            _ => product(inputs, hidden)
                .saturating_add(product(hidden, hidden).saturating_mul(layers as u64 - 2))
                .saturating_add(product(hidden, classes)),
        }
    }

    /// The description that was checked.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The number of features of a node.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }
}
