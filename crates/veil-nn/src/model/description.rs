//! The description of a network: kind, size, activation.

use serde::{Deserialize, Serialize};
use veil_graph::limits;

use crate::kernels::activation::Activation;
use crate::layers::Kind;

/// The description of a network.
///
/// Hidden layers are followed by optional batch normalisation, the activation and dropout; the last
/// layer by nothing. With attention, hidden layers have `heads` heads of `hidden` numbers each,
/// side by side, and the last layer has one.
///
/// ```
/// use veil_nn::{Description, Kind};
/// let gat = Description { kind: Kind::Gat, heads: 4, ..Description::default() };
/// assert!(gat.check(1433, 7).is_ok());
/// let error = Description { layers: 0, ..gat }.check(1433, 7).unwrap_err();
/// assert_eq!(error.to_string(), "layers is 0: it must be at least 1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The kind of its layers.
    pub kind: Kind,
    /// The number of layers.
    pub layers: usize,
    /// Hidden numbers per node and head.
    pub hidden: usize,
    /// Heads of hidden layers with attention; 1 for all other kinds.
    pub heads: usize,
    /// The function after a hidden layer.
    pub activation: Activation,
    /// The share of hidden numbers that a training step drops.
    pub dropout: f32,
    /// Whether hidden layers are normalised.
    pub batch_norm: bool,
    /// Whether layers add a bias. Only some kinds can omit it, as LPGNet's MLPs do.
    pub bias: bool,
}

impl Default for Description {
    /// The network of GraphPrivatizer: two graph convolutions, 16 hidden numbers, SELU, dropout ½.
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

/// Why a description is invalid.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DescriptionError {
    #[error("unknown model \"{found}\": expected one of {}", Kind::names(|_| true))]
    UnknownKind { found: String },
    #[error("{what} is {found}: it must be {expected}")]
    OutOfRange { what: &'static str, found: f64, expected: &'static str },
    #[error("{kind} has no heads, but heads is {heads}: only {} have heads", Kind::names(Kind::has_heads))]
    Heads { kind: Kind, heads: usize },
    #[error("{kind} requires a bias: only {} can omit it", Kind::names(Kind::has_optional_bias))]
    Bias { kind: Kind },
}

/// A checked description, with the numbers of features and classes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Architecture {
    pub(super) description: Description,
    pub(super) inputs: usize,
    pub(super) classes: usize,
}

/// The limit for every number of a description, so that products of two fit into 64 bits.
const MOST: usize = limits::MOST_COLUMNS;

impl Description {
    /// Checks the description for these numbers of features and classes.
    ///
    /// # Errors
    /// If a number is out of range or does not fit the kind.
    pub fn check(self, inputs: usize, classes: usize) -> Result<Architecture, DescriptionError> {
        let Description { kind, layers, hidden, heads, dropout, bias, .. } = self;
        let at_least_one = |what, found: usize| match found {
            0 => Err(DescriptionError::OutOfRange { what, found: 0.0, expected: "at least 1" }),
            1..=MOST => Ok(()),
            _ => Err(DescriptionError::OutOfRange { what, found: found as f64, expected: "at most 16777216" }),
        };
        at_least_one("layers", layers)?;
        if layers > limits::MOST_LAYERS {
            let expected = "at most 1000";
            return Err(DescriptionError::OutOfRange { what: "layers", found: layers as f64, expected });
        }
        at_least_one("hidden", hidden)?;
        at_least_one("heads", heads)?;
        at_least_one("number of features", inputs)?;
        at_least_one("number of classes", classes)?;
        if !(0.0..1.0).contains(&dropout) {
            let expected = "at least 0 and below 1";
            return Err(DescriptionError::OutOfRange { what: "dropout", found: f64::from(dropout), expected });
        }
        if heads > 1 && !kind.has_heads() {
            return Err(DescriptionError::Heads { kind, heads });
        }
        if !bias && !kind.has_optional_bias() {
            return Err(DescriptionError::Bias { kind });
        }
        let architecture = Architecture { description: self, inputs, classes };
        let weights = architecture.least_weights();
        if weights > limits::MOST_WEIGHTS {
            let (what, expected) = ("number of weights", "at most 1073741824");
            return Err(DescriptionError::OutOfRange { what, found: weights as f64, expected });
        }
        Ok(architecture)
    }
}

impl Architecture {
    /// A lower bound of the number of weights: every layer has a matrix from its inputs to its
    /// outputs.
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

    /// The checked description.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The number of features per node.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }
}
