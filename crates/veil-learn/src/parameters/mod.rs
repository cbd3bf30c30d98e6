//! Everything that decides what a run does: what is released, which network, how it is trained.
//!
//! A parameter file (TOML) and the flags of the command line fill the same [`Parameters`]; `run.json` records all of them. `plan` makes
//! mechanisms of them, `known` reads back what a release says about itself.

mod choices;
mod edges;
mod error;
mod known;
mod plan;
#[cfg(test)]
mod tests;

pub use choices::{Choose, Readout, Release, Scaling, Select, UseFeatures};
pub use edges::Edges;
pub use error::ParametersError;

use serde::{Deserialize, Serialize};
use veil_nn::optimiser::Schedule;
use veil_nn::{Activation, Description, Kind};
use veil_privacy::protocol::graph_privatizer::{Reading, Strategy};
use veil_privacy::protocol::{Measure, degree_vectors};
use veil_privacy::{Epsilon, Unit};

use crate::bayes;
use crate::method::Method;

/// All parameters of a run, with the published defaults of GraphPrivatizer's experiments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Parameters {
    /// Whose defaults these are, and what must not be said otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
    /// What happens to the edges.
    pub edges: Edges,
    /// ε of a report about edges; inf releases them as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon_edges: Option<Epsilon>,
    /// ε of a feature vector; inf releases features as they are. Without it they are withheld.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon_features: Option<Epsilon>,
    /// ε of a label; inf releases labels as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon_labels: Option<Epsilon>,
    /// How many dimensions a feature report samples, instead of the encoder's rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u32>,
    /// How features are scaled first.
    pub scale: Scaling,
    /// `graph-privatizer`: how candidates are chosen.
    #[serde(with = "text")]
    pub strategy: Strategy,
    /// `graph-privatizer`: how much aggregated features count.
    pub alpha: f64,
    /// `graph-privatizer`: the threshold on the similarity. Of methods that ask for labels of public nodes: δ.
    pub delta: f64,
    /// `graph-privatizer`: whether the paper is followed or its published code.
    #[serde(with = "text")]
    pub similarity: Reading,
    /// Protocols that compare features: how.
    #[serde(with = "text")]
    pub measure: Measure,
    /// `dummy-exchange`: the most dummies that a node adds.
    pub max_dummies: u32,
    /// `dummy-exchange`: how many candidates are tried.
    pub candidates: u32,
    /// `lapgraph`: how much of ε goes to the number of edges.
    pub epsilon_count: Epsilon,
    /// `edge-flip`, `edgerand`: the most edges that may be expected in all reports together.
    pub max_edges: u64,
    /// `degree-vectors`: how many rounds share ε; LPGNet's stages. Without it 1, and for the readout `bayes` 2 if ε is 6 or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// `degree-vectors` in the central model: what is made of them.
    pub readout: Readout,
    /// `degree-vectors`: what is protected.
    #[serde(with = "text")]
    pub unit: Unit,
    /// `degree-vectors`: what else the networks read.
    pub features: UseFeatures,
    /// ε of a node of the private graph, of methods that ask for labels of public nodes: noise is chosen for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<Epsilon>,
    /// `privgnn`, `pate`: the inverse of the scale of the noise, instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lambda: Option<Epsilon>,
    /// `privgnn`, `pate`: how many public nodes are asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queries: Option<u32>,
    /// `privgnn`, `pate`: which ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choose: Option<Choose>,
    /// `privgnn`: how a label leaves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<Release>,
    /// `privgnn`: with which probability a private node is in a teacher's sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gamma: Option<f64>,
    /// `privgnn`: how many of the sample a teacher sees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<u32>,
    /// `pate`: how many teachers vote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub teachers: Option<u32>,
    /// `privgnn`, `pate`: the kind of network of a teacher; an MLP has three layers (PATE-M).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub teacher: Option<Kind>,
    /// `privgnn`, `pate`: whether a linear model reads the noisy labels first, and the student learns what it says.
    pub denoise: bool,
    /// The kind of layers.
    pub model: Kind,
    /// How many layers.
    pub layers: usize,
    /// Numbers per node between layers; without it 16, and 64 for `degree-vectors`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<usize>,
    /// Heads of attention; without it 4 for GAT and 1 for the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heads: Option<usize>,
    /// Whether layers of an MLP add a bias.
    pub bias: bool,
    /// What follows a hidden layer.
    pub activation: Activation,
    /// Whether hidden layers are normalised.
    pub batch_norm: bool,
    /// The share of hidden numbers that a training step drops.
    pub dropout: f32,
    /// Hops of feature propagation (K_x).
    pub kx: usize,
    /// Hops of label propagation (K_y).
    pub ky: usize,
    /// How many steps.
    pub epochs: usize,
    /// How far a step goes.
    pub lr: f64,
    /// How the learning rate changes.
    pub schedule: Schedule,
    /// How strongly weights are pulled to 0.
    pub weight_decay: f64,
    /// Which epoch's weights are used; without it `reference`, for `degree-vectors` and methods `lowest-validation-loss`, and for
    /// methods without validation nodes `last`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select: Option<Select>,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            method: None,
            edges: Edges::Empty,
            epsilon_edges: None,
            epsilon_features: None,
            epsilon_labels: None,
            samples: None,
            scale: Scaling::Minmax,
            strategy: Strategy::Threshold,
            alpha: 0.0,
            delta: 0.0,
            similarity: Reading::Paper,
            measure: Measure::Cosine,
            max_dummies: 5,
            candidates: 10,
            // The paper's; one billionth of ε is the smallest share there is, so this one is there.
            epsilon_count: Epsilon::from_nanos(10_000_000).unwrap_or(Epsilon::INFINITE),
            max_edges: 100_000_000,
            rounds: None,
            readout: Readout::Network,
            unit: Unit::EdgeBit,
            features: UseFeatures::Released,
            epsilon: None,
            lambda: None,
            queries: None,
            choose: None,
            release: None,
            gamma: None,
            k: None,
            teachers: None,
            teacher: None,
            denoise: false,
            model: Kind::Gcn,
            layers: 2,
            hidden: None,
            heads: None,
            bias: true,
            activation: Activation::Selu,
            batch_norm: false,
            dropout: 0.5,
            kx: 0,
            ky: 0,
            epochs: 100,
            lr: 0.01,
            schedule: Schedule::Constant,
            weight_decay: 0.001,
            select: None,
        }
    }
}

impl Parameters {
    /// Whether degree vectors are counted by the owner of the graph, per predicted class (LPGNet).
    pub(crate) fn is_central(&self) -> bool {
        self.edges == Edges::DegreeVectors && self.unit == Unit::Edge
    }

    /// How many rounds of degree vectors share ε.
    pub fn rounds(&self) -> u32 {
        self.rounds.unwrap_or_else(|| match self.epsilon_edges {
            Some(epsilon) if self.reads_by_bayes() => bayes::rounds(epsilon.as_f64()),
            _ => 1,
        })
    }

    /// Whether a stack of degree vectors is read by Bayes' rule.
    pub(crate) fn reads_by_bayes(&self) -> bool {
        self.is_central() && self.readout == Readout::Bayes
    }

    /// The noise of each count of degree vectors that the owner makes.
    pub(crate) fn noise(&self) -> bayes::Noise {
        match self.epsilon_edges.filter(|epsilon| epsilon.is_finite()) {
            None => bayes::Noise::None,
            Some(epsilon) => {
                let share = epsilon.divided_by(self.rounds()).unwrap_or(epsilon);
                bayes::Noise::Laplace { step: share.as_f64() / degree_vectors::SENSITIVITY_TO_AN_EDGE as f64 }
            }
        }
    }

    /// How many networks a stack of degree vectors has.
    pub fn networks(&self) -> u32 {
        match self.edges {
            Edges::DegreeVectors if self.reads_by_bayes() => 1,
            Edges::DegreeVectors if self.is_central() => self.rounds().saturating_add(1),
            Edges::DegreeVectors => self.rounds(),
            _ => 1,
        }
    }

    /// The network in a few words.
    pub fn description(&self) -> Description {
        let heads = self.heads.unwrap_or(if self.model == Kind::Gat { 4 } else { 1 });
        Description {
            kind: self.model,
            layers: self.layers,
            hidden: self.hidden.unwrap_or(if self.edges == Edges::DegreeVectors { 64 } else { 16 }),
            heads,
            activation: self.activation,
            dropout: self.dropout,
            batch_norm: self.batch_norm,
            // Only an MLP can do without.
            bias: self.bias || self.model != Kind::Mlp,
        }
    }

    /// The same with everything said: what is left open gets its default, and what these edges make no use of its neutral
    /// value. This is what a record keeps. `validated`: whether there are validation nodes.
    pub fn effective(&self, validated: bool) -> Parameters {
        let vectors = self.edges == Edges::DegreeVectors;
        let Description { kind, hidden, heads, activation, .. } = self.description();
        let alone = vectors || self.edges == Edges::Empty;
        Parameters {
            model: if vectors { Kind::Mlp } else { kind },
            activation: if vectors { Activation::Relu } else { activation },
            hidden: Some(hidden),
            heads: Some(if vectors { 1 } else { heads }),
            kx: if alone { 0 } else { self.kx },
            ky: if alone { 0 } else { self.ky },
            select: Some(self.selection(validated)),
            rounds: vectors.then(|| self.rounds()),
            ..self.clone()
        }
    }

    /// Which epoch's weights are used.
    pub fn selection(&self, validated: bool) -> Select {
        let vectors = self.edges == Edges::DegreeVectors;
        self.select.unwrap_or(match self.method {
            Some(_) if !validated => Select::Last,
            Some(_) => Select::LowestValidationLoss,
            None if vectors => Select::LowestValidationLoss,
            None => Select::Reference,
        })
    }
}

/// Values that are written and read as their text.
mod text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize, Deserializer, Serializer, de};

    pub fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
