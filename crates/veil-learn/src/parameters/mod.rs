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
use veil_nn::optimiser::Schedule;
use veil_nn::training::Keep;
use veil_nn::{Activation, Description, Kind};
use veil_privacy::central::{Central, edge_rand, lap_graph};
use veil_privacy::mechanism::ParamError;
use veil_privacy::protocol::graph_privatizer::{self, Reading, Strategy};
use veil_privacy::protocol::{
    Measure, Protocol, degree_vectors, dummy_exchange, edge_flip, neighbour_krr, shuffled_query, two_hop_rr,
};
use veil_privacy::release::{EdgePlan, Options, RangeChoice, Scale};
use veil_privacy::{Epsilon, Private, Unit};

use crate::bayes;
use crate::method::Method;

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
            model: Kind::Gcn,
            layers: 2,
            hidden: None,
            heads: None,
            bias: true,
            activation: Activation::Selu,
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
    /// A method with somebody else's edges.
    #[error("--method {method} decides what happens to the edges: it is not --edges {edges} with --model {model}")]
    NotOfMethod {
        /// The method.
        method: Method,
        /// What was to happen to the edges.
        edges: Edges,
        /// The kind of network.
        model: Kind,
    },
    /// Reports have no mean and deviation worth the name.
    #[error("--scale standard needs features as they are: it does not go with a finite --epsilon-features")]
    StandardReports,
    /// More edges would be made up than anybody wants to hold.
    #[error(
        "{edges} would make up about {expected} edges, more than the {limit} that are allowed: raise --max-edges or ε"
    )]
    TooManyEdges {
        /// What happens to the edges.
        edges: Edges,
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
        self.check_method()?;
        if self.scale == Scaling::Standard && self.epsilon_features.is_some_and(Epsilon::is_finite) {
            return Err(ParametersError::StandardReports);
        }
        Ok(Options {
            epsilon_features: self.epsilon_features,
            epsilon_labels: self.epsilon_labels,
            samples: self.samples,
            range,
            scale: self.scale.into(),
            edges: self.edge_plan(data)?,
        })
    }

    /// Fails where these are not parameters of the method that they are said to be of.
    ///
    /// # Errors
    /// If the method decides otherwise.
    pub fn check_method(&self) -> Result<(), ParametersError> {
        let Parameters { edges, model, .. } = *self;
        match self.method {
            Some(method) if !method.allows(self) => Err(ParametersError::NotOfMethod { method, edges, model }),
            _ => Ok(()),
        }
    }

    /// What is to be released of a graph that a model is asked about, which may have no labels: those stay where they are.
    ///
    /// # Errors
    /// As [`options`](Self::options).
    pub fn inference_options(
        &self,
        data: &Private<Dataset>,
        classes: u32,
        range: RangeChoice,
    ) -> Result<Options, ParametersError> {
        let edges = self.edge_plan_of(data.public().nodes, classes)?;
        Ok(Options { epsilon_labels: None, edges, ..self.options(data, range)? })
    }

    /// What is to be released of the edges.
    ///
    /// # Errors
    /// If ε is missing, or the protocol cannot run with these parameters.
    pub fn edge_plan(&self, data: &Private<Dataset>) -> Result<EdgePlan, ParametersError> {
        let public = data.public();
        self.edge_plan_of(public.nodes, public.classes.unwrap_or(0))
    }

    /// The same for so many nodes in so many classes.
    fn edge_plan_of(&self, nodes: u32, classes: u32) -> Result<EdgePlan, ParametersError> {
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
        let measure = self.measure;
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
                self.few_enough(flip.expected_edges())?;
                Protocol::EdgeFlip(flip)
            }
            Edges::LapGraph => {
                let params = lap_graph::Params { epsilon, epsilon_count: self.epsilon_count, nodes };
                let noisy = params.check().map_err(wrong)?;
                // The noise of the count makes up so many edges, or takes them away, in all but one of 10⁸ cases.
                let made_up = 20.0 / self.epsilon_count.as_f64();
                self.few_enough(made_up as u64)?;
                return Ok(EdgePlan::Graph(Central::LapGraph(noisy)));
            }
            Edges::EdgeRand => {
                let params = edge_rand::Params { epsilon, nodes, max_edges: self.max_edges };
                let flip = params.check().map_err(wrong)?;
                self.few_enough(flip.expected_edges())?;
                return Ok(EdgePlan::Graph(Central::EdgeRand(flip)));
            }
            Edges::DegreeVectors | Edges::Raw | Edges::Empty => {
                let rounds = self.rounds();
                if rounds > MOST_ROUNDS {
                    return Err(ParametersError::TooManyRounds { rounds, limit: MOST_ROUNDS });
                }
                // One cluster per class; where labels are the first clusters, also one for nodes without.
                // Where there is no class, whoever trains says so.
                let clusters = if self.is_central() { classes.max(1) } else { classes.saturating_add(1) };
                let params = degree_vectors::Params { epsilon, rounds, unit: self.unit, clusters };
                return Ok(EdgePlan::Vectors(params.check().map_err(wrong)?));
            }
        };
        Ok(EdgePlan::Lists(protocol))
    }

    fn few_enough(&self, expected: u64) -> Result<(), ParametersError> {
        let (edges, limit) = (self.edges, self.max_edges);
        if expected > limit { Err(ParametersError::TooManyEdges { edges, expected, limit }) } else { Ok(()) }
    }

    /// Whether degree vectors are counted by the owner of the graph, per predicted class (LPGNet).
    pub(crate) fn is_central(&self) -> bool {
        self.edges == Edges::DegreeVectors && self.unit == Unit::Edge
    }

    /// How many rounds of degree vectors share ε.
    pub fn rounds(&self) -> u32 {
        self.rounds.unwrap_or_else(|| match self.epsilon_edges {
            Some(epsilon) if self.readout == Readout::Bayes => bayes::rounds(epsilon.as_f64()),
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
            batch_norm: false,
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
