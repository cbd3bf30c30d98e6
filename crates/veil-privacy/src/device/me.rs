//! What a node holds, and what everyone knows.

use serde::{Deserialize, Deserializer};
use veil_graph::NodeId;

use super::DeviceError;
use crate::budget::Epsilon;
use crate::guarantee::Unit;
use crate::protocol::Measure;
use crate::protocol::exchange::{Profile, Space, Vector};
use crate::protocol::graph_privatizer::{Reading, Strategy};

/// A node's own data and the public parameters, as they are in `me.json`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Me {
    /// The node's name.
    pub me: NodeId,
    /// How many nodes there are.
    pub nodes: u32,
    /// Its neighbours; ascending once it is read.
    pub neighbours: Vec<NodeId>,
    /// Its released features, if the protocol compares any.
    pub features: Option<OwnFeatures>,
    /// What everyone knows.
    pub parameters: Parameters,
}

/// A node's own vector, released already: whoever receives it may know it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnFeatures {
    /// How many dimensions there are.
    pub dimensions: u32,
    /// The rectified value where no sign was sent.
    #[serde(default)]
    pub offset: f32,
    /// What a sign is multiplied by.
    #[serde(default = "one")]
    pub scale: f32,
    /// What was released.
    pub vector: Vector,
}

fn one() -> f32 {
    1.0
}

/// The public parameters, with the names and defaults that they have elsewhere. Those of other protocols change nothing.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Parameters {
    /// ε of the report.
    pub epsilon_edges: Epsilon,
    /// `graph-privatizer`: how candidates are chosen.
    #[serde(default = "threshold", deserialize_with = "word")]
    pub strategy: Strategy,
    /// `graph-privatizer`: how much aggregated features count.
    #[serde(default)]
    pub alpha: f64,
    /// `graph-privatizer`: the threshold on the similarity.
    #[serde(default)]
    pub delta: f64,
    /// `graph-privatizer`: whether the paper is followed or its published code.
    #[serde(default, deserialize_with = "word")]
    pub similarity: Reading,
    /// Protocols that compare features: how.
    #[serde(default, deserialize_with = "word")]
    pub measure: Measure,
    /// `dummy-exchange`: the most dummies that a node adds.
    #[serde(default = "most_dummies")]
    pub max_dummies: u32,
    /// `dummy-exchange`: how many candidates are tried.
    #[serde(default = "candidates")]
    pub candidates: u32,
    /// `edge-flip`: the most edges that may be expected in all reports together.
    #[serde(default = "max_edges")]
    pub max_edges: u64,
    /// `degree-vectors`: how many rounds share ε.
    #[serde(default = "rounds")]
    pub rounds: u32,
    /// `degree-vectors`: what is protected.
    #[serde(default = "edge_bit", deserialize_with = "word")]
    pub unit: Unit,
    /// `degree-vectors`: how many clusters there are.
    pub clusters: Option<u32>,
}

fn threshold() -> Strategy {
    Strategy::Threshold
}

fn most_dummies() -> u32 {
    5
}

fn candidates() -> u32 {
    10
}

fn max_edges() -> u64 {
    100_000_000
}

fn rounds() -> u32 {
    1
}

fn edge_bit() -> Unit {
    Unit::EdgeBit
}

/// A choice by its word.
fn word<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
}

impl Me {
    /// Reads and checks what a node holds.
    ///
    /// # Errors
    /// If it is no JSON, has keys that mean nothing, or a list of neighbours that is none.
    pub fn read(json: &str) -> Result<Me, DeviceError> {
        let mut me: Me = serde_json::from_str(json).map_err(|source| DeviceError::Me { source })?;
        if me.me >= me.nodes {
            return Err(DeviceError::NoSuchNode { me: me.me, nodes: me.nodes });
        }
        me.neighbours.sort_unstable();
        if let Some(pair) = me.neighbours.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(DeviceError::RepeatedNeighbour { neighbour: pair[0] });
        }
        if me.is_neighbour(me.me) {
            return Err(DeviceError::OwnNeighbour { me: me.me });
        }
        if let Some(&neighbour) = me.neighbours.last().filter(|&&last| last >= me.nodes) {
            return Err(DeviceError::NoSuchNeighbour { neighbour, nodes: me.nodes });
        }
        if let Some(features) = &me.features {
            features.profile()?;
        }
        Ok(me)
    }

    /// Whether this is one of its neighbours.
    pub fn is_neighbour(&self, node: NodeId) -> bool {
        self.neighbours.binary_search(&node).is_ok()
    }
}

impl OwnFeatures {
    /// What everyone knows about vectors.
    pub fn space(&self) -> Space {
        Space { dimensions: self.dimensions, offset: self.offset, scale: self.scale }
    }

    /// The vector, ready to be compared.
    pub(super) fn profile(&self) -> Result<Profile, DeviceError> {
        let OwnFeatures { offset, scale, .. } = *self;
        if !offset.is_finite() || !scale.is_finite() {
            return Err(DeviceError::Rectifier { offset, scale });
        }
        self.space().receive(self.vector.clone()).map_err(|source| DeviceError::OwnVector { source })
    }
}
