//! To come.

use veil_graph::{Features, Graph};

use super::reports::{Reports, Traffic};
use super::{Measure, ProtocolError, shared};
use crate::budget::Epsilon;
use crate::coins::Stream;
use crate::guarantee::{Guarantee, Status, Unit};
use crate::mechanism::ParamError;

/// The name on the command line and in the coins' context.
pub const NAME: &str = "graph-privatizer";

/// How candidates are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The single most similar neighbour (GP-m, Algorithm 3).
    MostSimilar,
    /// All neighbours above the threshold (GP-t, Algorithm 4).
    Threshold,
}

/// Which text is followed where the paper and its published code differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// Equations 3 and 4 on rectified features; δ = 0 is no threshold (§4.2).
    #[default]
    Paper,
    /// α·cos(x) + (1−α)·cos(aggregate), strictly above δ.
    Reference,
}

/// Parameters as a user gives them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// The claimed privacy loss of one report.
    pub epsilon: Epsilon,
    /// How candidates are chosen.
    pub strategy: Strategy,
    /// How much aggregated features count, in [0, 1].
    pub alpha: f64,
    /// The threshold on the similarity, in [0, 1].
    pub delta: f64,
    /// How features are compared.
    pub measure: Measure,
    /// Which text is followed.
    pub reading: Reading,
}

/// Checked once. Nothing below asks again.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphPrivatizer {
    params: Params,
}

impl Params {
    /// Checks the ranges.
    ///
    /// # Errors
    /// If ε is infinite, α or δ is outside [0, 1], or a distance has a threshold.
    pub fn check(self) -> Result<GraphPrivatizer, ParamError> {
        Ok(GraphPrivatizer { params: self })
    }
}

impl GraphPrivatizer {
    /// The canonical text of the parameters.
    pub fn parameters(&self) -> String {
        format!("epsilon={}", self.params.epsilon)
    }

    /// Whether features matter: without a threshold every neighbour is a candidate.
    pub fn compares_features(&self) -> bool {
        true
    }

    /// What was published about it.
    pub fn guarantees(&self) -> Vec<Guarantee> {
        vec![shared::guarantee(Unit::EdgeSet, self.params.epsilon, Status::Refuted, NAME, self.parameters())]
    }

    /// Every node's report.
    ///
    /// # Errors
    /// Never for a graph and features of its nodes.
    pub fn run(&self, graph: &Graph, _features: Option<&Features>, _coins: &Stream) -> Result<Reports, ProtocolError> {
        Ok(Reports { lists: graph.clone(), traffic: Traffic::default() })
    }
}

impl std::fmt::Display for Strategy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad("threshold")
    }
}
impl std::str::FromStr for Strategy {
    type Err = String;
    fn from_str(_: &str) -> Result<Strategy, String> {
        Ok(Strategy::Threshold)
    }
}
impl std::fmt::Display for Reading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad("paper")
    }
}
impl std::str::FromStr for Reading {
    type Err = String;
    fn from_str(_: &str) -> Result<Reading, String> {
        Ok(Reading::Paper)
    }
}
