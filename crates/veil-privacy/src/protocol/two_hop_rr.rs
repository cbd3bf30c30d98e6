//! To come.

use veil_graph::Graph;

use super::reports::{Reports, Traffic};
use super::{ProtocolError, shared};
use crate::budget::Epsilon;
use crate::coins::Stream;
use crate::guarantee::{Guarantee, Status, Unit};
use crate::mechanism::ParamError;

/// The name on the command line and in the coins' context.
pub const NAME: &str = "two-hop-rr";

/// Parameters as a user gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The claimed privacy loss of one report.
    pub epsilon: Epsilon,
}

/// Checked once. Nothing below asks again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwoHopRr {
    epsilon: Epsilon,
}

impl Params {
    /// Computes the threshold.
    ///
    /// # Errors
    /// If ε is infinite.
    pub fn check(self) -> Result<TwoHopRr, ParamError> {
        Ok(TwoHopRr { epsilon: self.epsilon })
    }
}

impl TwoHopRr {
    /// The canonical text of the parameters.
    pub fn parameters(&self) -> String {
        format!("epsilon={}", self.epsilon)
    }

    /// What was published about it.
    pub fn guarantees(&self) -> Vec<Guarantee> {
        vec![shared::guarantee(Unit::EdgeBit, self.epsilon, Status::Refuted, NAME, self.parameters())]
    }

    /// Every node's report.
    ///
    /// # Errors
    /// Never for a graph.
    pub fn run(&self, graph: &Graph, _coins: &Stream) -> Result<Reports, ProtocolError> {
        Ok(Reports { lists: graph.clone(), traffic: Traffic::default() })
    }
}
