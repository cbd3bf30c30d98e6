//! DpGCN (Wu et al. 2022; LPGNet, §2.2): a graph convolution on a graph that was released with noise, once, so that training
//! and any number of queries cost nothing more. The noise is LapGraph's or EdgeRand's ([`veil_privacy::central`]); the
//! authors found LapGraph better.

use serde::{Deserialize, Serialize};
use veil_nn::Kind as Layer;
use veil_privacy::central::{Central, edge_rand, lap_graph};
use veil_privacy::parameters::{Described, Kind, Parameters};
use veil_privacy::release::EdgePlan;
use veil_privacy::{Epsilon, Status, Unit, parameters};

use super::{EdgeSource, configure};
use crate::method::{Entry, MethodError};
use crate::parameters::Recipe;

/// The name of the method.
pub const NAME: &str = "dpgcn";

/// Mechanism that releases the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Graph {
    /// Noise on every cell of the adjacency matrix, the largest cells kept.
    LapGraph,
    /// Every cell flipped.
    EdgeRand,
}

parameters! {
    /// Parameters of the edges.
    pub struct Params: Edges {
        /// Mechanism that releases the graph
        graph: Graph = Graph::LapGraph => Kind::Word(&["lapgraph", "edgerand"]),
        /// ε of the edges; inf releases them unchanged
        epsilon_edges: Option<Epsilon> = None => Kind::Epsilon,
        /// lapgraph: share of ε for the number of edges
        epsilon_count: Epsilon = Epsilon::from_nanos(10_000_000).unwrap_or(Epsilon::INFINITE) => Kind::Epsilon,
        /// Refuse a release that is expected to have more edges than this
        max_edges: u64 = 100_000_000 => Kind::Whole,
    }
}

impl Params {
    /// LapGraph's noise on the count makes up this many edges in all but one of 10⁸ releases; never more than pairs.
    fn made_up(&self, nodes: u32) -> u64 {
        let pairs = u64::from(nodes) * u64::from(nodes.saturating_sub(1)) / 2;
        ((20.0 / self.epsilon_count.as_f64()) as u64).min(pairs)
    }
}

impl EdgeSource for Params {
    fn list(&self) -> Vec<Described> {
        Parameters::list(self)
    }

    fn plan(&self, nodes: u32) -> Result<EdgePlan, MethodError> {
        let epsilon = self.epsilon_edges.ok_or(MethodError::Missing { method: NAME, name: "epsilon-edges" })?;
        if !epsilon.is_finite() {
            return Ok(EdgePlan::Raw);
        }
        let (mechanism, central, expected) = match self.graph {
            Graph::LapGraph => {
                let params = lap_graph::Params { epsilon, epsilon_count: self.epsilon_count, nodes };
                (lap_graph::NAME, params.check().map(Central::LapGraph), self.made_up(nodes))
            }
            Graph::EdgeRand => {
                let checked = edge_rand::Params { epsilon, nodes, max_edges: self.max_edges }.check();
                let expected = checked.as_ref().map_or(0, edge_rand::EdgeRand::expected_edges);
                (edge_rand::NAME, checked.map(Central::EdgeRand), expected)
            }
        };
        let central = central.map_err(|source| MethodError::Mechanism { mechanism, source })?;
        let limit = self.max_edges;
        if expected > limit {
            return Err(MethodError::TooManyEdges { mechanism, expected, limit });
        }
        Ok(EdgePlan::Graph(central))
    }
}

pub(in crate::method) fn entry() -> Entry {
    let about = "Network on a noisy graph (DpGCN): LapGraph or EdgeRand";
    let entry = Entry::new(NAME, about, |settings| {
        let set = |params: &mut Params, settings: &_| Ok(params.apply(settings)?);
        configure(NAME, Params::default(), set, (Recipe::Lpgnet, Layer::Gcn), settings)
    });
    Entry { unit: Some(Unit::Edge), status: Status::Proven, ..entry }
}
