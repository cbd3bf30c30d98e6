//! The data of a node, and the public parameters.

use serde::Deserialize;
use veil_graph::NodeId;
use veil_graph::limits;

use super::{DeviceError, cascade, codebook};
use crate::budget::Epsilon;
use crate::parameters;
use crate::parameters::{Kind, ParameterError, Parameters, Settings};
use crate::protocol::exchange::{Profile, Space, Vector};
use crate::protocol::{self, degree_vectors};
use crate::registry;

/// A node's own data and the public parameters, as they are in `me.json`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Me {
    /// The node.
    pub me: NodeId,
    /// The number of nodes.
    pub nodes: u32,
    /// Its neighbours, ascending after reading.
    pub neighbours: Vec<NodeId>,
    /// Its released features, if the protocol compares any.
    pub features: Option<OwnFeatures>,
    /// Its own features as they are, if the protocol reports them. They are sent to nobody.
    pub raw: Option<OwnFeatures>,
    /// The public parameters.
    pub parameters: Settings,
    /// The published digest of the order, for protocols that have one.
    pub order: Option<String>,
}

/// A node's own vector: as released, if neighbours receive it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnFeatures {
    /// The number of dimensions.
    pub dimensions: u32,
    /// The rectified value of dimensions without a sign.
    #[serde(default)]
    pub offset: f32,
    /// The factor of a sign.
    #[serde(default = "one")]
    pub scale: f32,
    /// The released vector.
    pub vector: Vector,
}

fn one() -> f32 {
    1.0
}

parameters! {
    /// Public parameters that belong to no single protocol of lists.
    struct Public: Edges {
        /// ε of the report
        epsilon_edges: Option<Epsilon> = None => Kind::Epsilon,
        /// Number of clusters (degree-vectors)
        clusters: Option<u32> = None => Kind::Whole,
    }
}

impl Me {
    /// ε of the report. Checks all parameters, including those of other protocols.
    ///
    /// # Errors
    /// If ε is missing, or a parameter is unknown or has the wrong type.
    pub(super) fn epsilon(&self) -> Result<Epsilon, DeviceError> {
        self.check_parameters()?;
        self.public()?.epsilon_edges.ok_or(DeviceError::NoEpsilon)
    }

    /// Checks all parameters, including those of other protocols.
    ///
    /// # Errors
    /// If a parameter is unknown or has the wrong type.
    pub(super) fn check_parameters(&self) -> Result<(), DeviceError> {
        let mut every: Vec<Box<dyn Parameters>> = vec![
            Box::new(Public::default()),
            registry::defaults::<degree_vectors::Options>(),
            registry::defaults::<cascade::Options>(),
            registry::defaults::<codebook::Options>(),
        ];
        every.extend(protocol::ENTRIES.iter().map(|entry| (entry.parameters)()));
        for (name, value) in self.parameters.iter() {
            if name == "delta" {
                return Err(DeviceError::Renamed { old: "delta", new: "threshold" });
            }
            let mut known = false;
            for parameters in &mut every {
                known |= parameters.set(name, value)?;
            }
            if !known {
                return Err(ParameterError::Unknown { name: name.to_owned() }.into());
            }
        }
        Ok(())
    }

    /// The number of clusters.
    pub(super) fn clusters(&self) -> Result<u32, DeviceError> {
        let missing = DeviceError::Missing { protocol: degree_vectors::NAME, name: "clusters" };
        let clusters = self.public()?.clusters.ok_or(missing)?;
        at_most("clusters", clusters, u64::from(limits::most_clusters(self.nodes)))
    }

    fn public(&self) -> Result<Public, DeviceError> {
        let mut public = Public::default();
        public.apply(&self.settings(&public))?;
        Ok(public)
    }

    /// The settings of these parameters.
    pub(super) fn settings(&self, parameters: &dyn Parameters) -> Settings {
        let own = self.parameters.iter().filter(|(name, _)| parameters.has(name));
        own.map(|(name, value)| (name, value.clone())).collect()
    }

    /// Reads and checks the data of a node.
    ///
    /// # Errors
    /// If the JSON is malformed, a key is unknown, or the neighbours are invalid.
    pub fn read(json: &str) -> Result<Me, DeviceError> {
        let mut me: Me = serde_json::from_str(json).map_err(|source| DeviceError::Me { source })?;
        let vectors = || me.features.iter().chain(&me.raw);
        let dimensions = vectors().map(|features| features.dimensions).max().unwrap_or(0);
        for (what, found, most) in
            [("nodes", me.nodes, limits::MOST_NODES), ("dimensions", dimensions, limits::MOST_COLUMNS as u64)]
        {
            at_most(what, found, most)?;
        }
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
        for features in me.features.iter().chain(&me.raw) {
            features.profile()?;
        }
        Ok(me)
    }

    /// Whether a node is a neighbour.
    pub fn is_neighbour(&self, node: NodeId) -> bool {
        self.neighbours.binary_search(&node).is_ok()
    }
}

/// A declared number, if it is within its limit.
pub(super) fn at_most(what: &'static str, found: u32, most: u64) -> Result<u32, DeviceError> {
    if u64::from(found) > most { Err(DeviceError::TooMany { what, found, most }) } else { Ok(found) }
}

impl OwnFeatures {
    /// The public facts about vectors.
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
