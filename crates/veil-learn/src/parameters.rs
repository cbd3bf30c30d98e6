//! Everything that decides what a run does: what is released, which network, how it is trained.
//!
//! A parameter file (TOML) and the flags of the command line fill the same [`Parameters`]; `run.json` records all of them.

mod edges;
mod known;
#[cfg(test)]
mod tests;

pub use edges::Edges;

use serde::{Deserialize, Serialize};
use veil_graph::Dataset;
use veil_nn::training::Keep;
use veil_nn::{Activation, Description, Kind};
use veil_privacy::mechanism::ParamError;
use veil_privacy::protocol::graph_privatizer::{self, Reading, Strategy};
use veil_privacy::protocol::{
    Measure, Protocol, degree_vectors, dummy_exchange, edge_flip, neighbour_krr, shuffled_query, two_hop_rr,
};
use veil_privacy::release::{EdgePlan, Options, RangeChoice, Scale};
use veil_privacy::{Epsilon, Private, Unit};

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
    /// Not at all.
    None,
}

impl From<Scaling> for Scale {
    fn from(scaling: Scaling) -> Scale {
        match scaling {
            Scaling::Minmax => Scale::MinMax,
            Scaling::Rows => Scale::Rows,
            Scaling::None => Scale::None,
        }
    }
}

/// All parameters of a run, with the published defaults of GraphPrivatizer's experiments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Parameters {
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
    /// `graph-privatizer`: the threshold on the similarity.
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
    /// `edge-flip`: the most edges that may be expected in all reports together.
    pub max_edges: u64,
    /// `degree-vectors`: how many rounds share ε.
    pub rounds: u32,
    /// `degree-vectors`: what is protected.
    #[serde(with = "text")]
    pub unit: Unit,
    /// `degree-vectors`: what else the networks read.
    pub features: UseFeatures,
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
    /// What follows a hidden layer.
    pub activation: Activation,
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
    /// How strongly weights are pulled to 0.
    pub weight_decay: f64,
    /// Which epoch's weights are used; without it `reference`, and for `degree-vectors` `lowest-validation-loss`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select: Option<Select>,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
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
            max_edges: 100_000_000,
            rounds: 1,
            unit: Unit::EdgeBit,
            features: UseFeatures::Released,
            model: Kind::Gcn,
            layers: 2,
            hidden: None,
            heads: None,
            activation: Activation::Selu,
            dropout: 0.5,
            kx: 0,
            ky: 0,
            epochs: 100,
            lr: 0.01,
            weight_decay: 0.001,
            select: None,
        }
    }
}

/// How many rounds of degree vectors there may be.
const MOST_ROUNDS: u32 = 100;

/// What is missing or cannot be in parameters.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParametersError {
    /// A protocol without an ε.
    #[error("--edges {edges} needs --epsilon-edges")]
    NoEpsilon {
        /// The protocol.
        edges: Edges,
    },
    /// An ε that nothing uses.
    #[error("--epsilon-edges says nothing about --edges {edges}")]
    UselessEpsilon {
        /// What happens to the edges.
        edges: Edges,
    },
    /// More edges would be made up than anybody wants to hold.
    #[error(
        "edge-flip would report about {expected} edges, more than the {limit} that are allowed: raise --max-edges or ε"
    )]
    TooManyEdges {
        /// How many are expected.
        expected: u64,
        /// How many may be.
        limit: u64,
    },
    /// More rounds than anyone needs: every one of them trains a network.
    #[error("{rounds} rounds of degree-vectors are too many: at most {limit}")]
    TooManyRounds {
        /// How many were asked for.
        rounds: u32,
        /// How many there may be.
        limit: u32,
    },
    /// Labels are what is learned.
    #[error("labels are needed: pass --epsilon-labels (inf for labels as they are)")]
    NoLabels,
    /// A protocol cannot run like that.
    #[error("--edges {edges}: {source}")]
    Protocol {
        /// The protocol.
        edges: Edges,
        /// What is wrong.
        source: ParamError,
    },
}

impl Parameters {
    /// What is to be released of these data.
    ///
    /// # Errors
    /// If something is missing or out of range.
    pub fn options(&self, data: &Private<Dataset>, range: RangeChoice) -> Result<Options, ParametersError> {
        Ok(Options {
            epsilon_features: self.epsilon_features,
            epsilon_labels: self.epsilon_labels,
            samples: self.samples,
            range,
            scale: self.scale.into(),
            edges: self.edge_plan(data)?,
        })
    }

    /// What is to be released of the edges.
    ///
    /// # Errors
    /// If ε is missing, or the protocol cannot run with these parameters.
    pub fn edge_plan(&self, data: &Private<Dataset>) -> Result<EdgePlan, ParametersError> {
        let edges = self.edges;
        let wrong = |source| ParametersError::Protocol { edges, source };
        let epsilon = match (edges, self.epsilon_edges) {
            (Edges::Raw | Edges::Empty, Some(epsilon)) if epsilon.is_finite() => {
                return Err(ParametersError::UselessEpsilon { edges });
            }
            (Edges::Raw, _) => return Ok(EdgePlan::Raw),
            (Edges::Empty, _) => return Ok(EdgePlan::Withheld),
            (_, Some(epsilon)) => epsilon,
            (_, None) => return Err(ParametersError::NoEpsilon { edges }),
        };
        let public = data.public();
        let (nodes, measure) = (public.nodes, self.measure);
        let protocol = match edges {
            Edges::GraphPrivatizer => {
                let Parameters { strategy, alpha, delta, similarity: reading, .. } = *self;
                // Whatever is out of range is said, also where ε = inf makes it useless: then any finite one stands in.
                let finite = Some(epsilon).filter(|epsilon| epsilon.is_finite()).or(Epsilon::from_nanos(1));
                let params = |epsilon| graph_privatizer::Params { epsilon, strategy, alpha, delta, measure, reading };
                let checked = params(finite.unwrap_or(epsilon)).check().map_err(wrong)?;
                if !epsilon.is_finite() {
                    return Ok(EdgePlan::Raw);
                }
                Protocol::GraphPrivatizer(checked)
            }
            _ if !epsilon.is_finite() && edges != Edges::DegreeVectors => return Ok(EdgePlan::Raw),
            Edges::TwoHopRr => Protocol::TwoHopRr(two_hop_rr::Params { epsilon }.check().map_err(wrong)?),
            Edges::DummyExchange => {
                let (most_dummies, candidates) = (self.max_dummies, self.candidates);
                let params = dummy_exchange::Params { epsilon, measure, most_dummies, candidates };
                Protocol::DummyExchange(params.check().map_err(wrong)?)
            }
            Edges::ShuffledQuery => {
                Protocol::ShuffledQuery(shuffled_query::Params { epsilon, measure }.check().map_err(wrong)?)
            }
            Edges::NeighbourKrr => {
                Protocol::NeighbourKrr(neighbour_krr::Params { epsilon, nodes }.check().map_err(wrong)?)
            }
            Edges::EdgeFlip => {
                let params = edge_flip::Params { epsilon, nodes, max_edges: self.max_edges };
                let flip = params.check().map_err(wrong)?;
                let (expected, limit) = (flip.expected_edges(), self.max_edges);
                if expected > limit {
                    return Err(ParametersError::TooManyEdges { expected, limit });
                }
                Protocol::EdgeFlip(flip)
            }
            Edges::DegreeVectors | Edges::Raw | Edges::Empty => {
                if self.rounds > MOST_ROUNDS {
                    return Err(ParametersError::TooManyRounds { rounds: self.rounds, limit: MOST_ROUNDS });
                }
                // One cluster per class, and one for nodes whose label is not released.
                let clusters = public.classes.unwrap_or(0).saturating_add(1);
                let params = degree_vectors::Params { epsilon, rounds: self.rounds, unit: self.unit, clusters };
                return Ok(EdgePlan::Vectors(params.check().map_err(wrong)?));
            }
        };
        Ok(EdgePlan::Lists(protocol))
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
            batch_norm: false,
            bias: true,
        }
    }

    /// The same with everything said: what is left open gets its default, and what these edges make no use of its neutral
    /// value. This is what a record keeps.
    pub fn effective(&self) -> Parameters {
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
            select: Some(self.selection()),
            ..self.clone()
        }
    }

    /// Which epoch's weights are used.
    pub fn selection(&self) -> Select {
        let vectors = self.edges == Edges::DegreeVectors;
        self.select.unwrap_or(if vectors { Select::LowestValidationLoss } else { Select::Reference })
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
