//! The methods for an owner who holds the graph.
//!
//! Of the first four edges are private, features and labels are not (though they may be, by the local mechanisms).
//!
//! [`mlp`] is the floor that uses no edge; [`gnn`] uses the edges as they are and promises nothing; [`dpgcn`] trains on a noisy
//! graph, [`lpgnet`] on noisy counts of neighbours. A method says what happens to the edges and how LPGNet's authors trained
//! it; every parameter may be said otherwise. Without a method, users report their own lists (`--edges`).
//!
//! Of the others all of the graph is private, and a student that learned on a public graph is released: [`privgnn`], [`pate`] and
//! [`class_sums`].

pub mod class_sums;
pub mod dpgcn;
pub mod gnn;
pub mod lpgnet;
pub mod mlp;
pub mod pate;
pub mod privgnn;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use veil_nn::optimiser::Schedule;
use veil_nn::{Activation, Kind};
use veil_privacy::{Epsilon, Unit};

use crate::parameters::{Edges, Parameters, Scaling};

/// A method for an owner who holds the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// No edges.
    Mlp,
    /// Edges as they are.
    Gnn,
    /// A noisy graph (LapGraph or EdgeRand).
    Dpgcn,
    /// Noisy counts of neighbours per predicted class (CCS 2022).
    Lpgnet,
    /// A student on a public graph, labelled by a teacher for every node that is asked about.
    Privgnn,
    /// The same, labelled by teachers who vote.
    Pate,
    /// The same, labelled from noisy sums per class.
    #[serde(rename = "class-sums")]
    ClassSums,
}

impl Method {
    /// Every method.
    pub const ALL: [Method; 7] =
        [Method::Mlp, Method::Gnn, Method::Dpgcn, Method::Lpgnet, Method::Privgnn, Method::Pate, Method::ClassSums];

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Method::Mlp => "mlp",
            Method::Gnn => "gnn",
            Method::Dpgcn => "dpgcn",
            Method::Lpgnet => "lpgnet",
            Method::Privgnn => "privgnn",
            Method::Pate => "pate",
            Method::ClassSums => "class-sums",
        }
    }

    /// The parameters with which it was published, except for ε.
    pub fn defaults(self) -> Parameters {
        match self {
            Method::Mlp => mlp::defaults(),
            Method::Gnn => gnn::defaults(),
            Method::Dpgcn => dpgcn::defaults(),
            Method::Lpgnet => lpgnet::defaults(),
            Method::Privgnn => privgnn::defaults(),
            Method::Pate => pate::defaults(),
            Method::ClassSums => class_sums::defaults(),
        }
    }

    /// Whether it learns on a public graph what a private one says about it: then nodes are what is protected, and all of them.
    pub fn has_a_student(self) -> bool {
        matches!(self, Method::Privgnn | Method::Pate | Method::ClassSums)
    }

    /// Whether these parameters are still those of the method.
    pub(crate) fn allows(self, parameters: &Parameters) -> bool {
        let Parameters { edges, unit, model, .. } = *parameters;
        match self {
            Method::Mlp => edges == Edges::Empty && model == Kind::Mlp,
            Method::Gnn | Method::Privgnn | Method::Pate | Method::ClassSums => edges == Edges::Raw,
            Method::Dpgcn => matches!(edges, Edges::LapGraph | Edges::EdgeRand),
            Method::Lpgnet => edges == Edges::DegreeVectors && unit == Unit::Edge,
        }
    }
}

/// How all of them were trained (003, section 5.1, and the authors' code): rows of features scaled to sum 1, ReLU, Adam with a
/// rate that falls to 0, weight decay, the epoch with the lowest validation loss.
///
/// 256 hidden numbers are what a grid over the edge-free MLP finds, which reads no edge, so nothing is spent on it. Between dropouts it
/// sees hardly a difference (docs/reproduction.md).
fn published() -> Parameters {
    Parameters {
        epsilon_features: Some(Epsilon::INFINITE),
        epsilon_labels: Some(Epsilon::INFINITE),
        scale: Scaling::Rows,
        activation: Activation::Relu,
        hidden: Some(256),
        dropout: 0.1,
        epochs: 500,
        lr: 0.01,
        schedule: Schedule::LinearToZero,
        weight_decay: 5e-4,
        ..Parameters::default()
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(text: &str) -> Result<Method, String> {
        let names = || Method::ALL.map(Method::name).join(", ");
        let found = Method::ALL.into_iter().find(|method| method.name() == text);
        found.ok_or_else(|| format!("{text:?} is no method ({})", names()))
    }
}
