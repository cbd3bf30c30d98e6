//! A trained model as a service.

use veil_graph::{Features, Matrix, NodeId};
use veil_nn::{Input, Model, Probe, ProbeError};
use veil_privacy::release::Privatised;
use veil_privacy::words;

use crate::error::LearnError;
use crate::predictor::{Predictor, PredictorError, WhiteBox};

words! {
    /// The part of a model that is queried.
    #[derive(Default)]
    pub enum Surface: "surface" {
        /// Everything behind the interface: features are propagated (KProp) first.
        #[default]
        Pipeline = "pipeline",
        /// The network itself, on features that were not propagated: what the papers attacked.
        Model = "model",
    }
}

/// A model that answers queries about the nodes of a release.
#[derive(Debug)]
pub struct Deployed {
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// A network on released lists: a node receives messages from its neighbours.
    Network(Box<Probe>),
    /// Posteriors that are known already.
    Cached { posteriors: Matrix, features: Option<Features> },
}

impl Deployed {
    /// Posteriors that were computed once, from counts that were released once: no feature in a
    /// query changes them.
    pub(crate) fn cached(posteriors: Matrix, released: &Privatised) -> Deployed {
        Deployed { kind: Kind::Cached { posteriors, features: released.data().features().cloned() } }
    }

    /// Any network on any input.
    ///
    /// # Errors
    /// If the network reads another number of features.
    pub fn of(model: &Model, input: &Input) -> Result<Deployed, LearnError> {
        Ok(Deployed { kind: Kind::Network(Box::new(Probe::new(model, input)?)) })
    }
}

impl Predictor for Deployed {
    fn nodes(&self) -> usize {
        match &self.kind {
            Kind::Network(probe) => probe.nodes(),
            Kind::Cached { posteriors, .. } => posteriors.rows(),
        }
    }

    fn classes(&self) -> usize {
        match &self.kind {
            Kind::Network(probe) => probe.classes(),
            Kind::Cached { posteriors, .. } => posteriors.columns(),
        }
    }

    fn features(&self, node: NodeId) -> Result<Vec<f32>, PredictorError> {
        match &self.kind {
            Kind::Network(probe) => Ok(probe.features(node)?),
            Kind::Cached { posteriors, features } => {
                let nodes = posteriors.rows();
                if node as usize >= nodes {
                    return Err(PredictorError::NoSuchNode { node, nodes });
                }
                let value = |features: &Features| {
                    (0..features.columns() as u32).map(|column| features.value(node as usize, column)).collect()
                };
                Ok(features.as_ref().map_or_else(Vec::new, value))
            }
        }
    }

    fn posteriors(&self, nodes: &[NodeId], changed: &[(NodeId, Vec<f32>)]) -> Result<Matrix, PredictorError> {
        match &self.kind {
            Kind::Network(probe) => Ok(probe.changed(nodes, changed)?),
            Kind::Cached { posteriors, .. } => {
                let mut rows = Matrix::zeros(nodes.len(), posteriors.columns());
                for (place, &node) in nodes.iter().enumerate() {
                    if node as usize >= posteriors.rows() {
                        return Err(PredictorError::NoSuchNode { node, nodes: posteriors.rows() });
                    }
                    rows.row_mut(place).copy_from_slice(posteriors.row(node as usize));
                }
                Ok(rows)
            }
        }
    }
}

impl WhiteBox for Deployed {
    fn influences(&self, pairs: &[(NodeId, NodeId)]) -> Result<Vec<f64>, PredictorError> {
        match &self.kind {
            Kind::Network(probe) => Ok(probe.influences(pairs)?),
            Kind::Cached { posteriors, .. } => {
                let nodes = posteriors.rows();
                let unknown = pairs.iter().flat_map(|&(a, b)| [a, b]).find(|&node| node as usize >= nodes);
                match unknown {
                    Some(node) => Err(PredictorError::NoSuchNode { node, nodes }),
                    None => Ok(vec![0.0; pairs.len()]),
                }
            }
        }
    }
}

impl From<ProbeError> for PredictorError {
    fn from(error: ProbeError) -> PredictorError {
        match error {
            ProbeError::NoSuchNode { node, nodes } => PredictorError::NoSuchNode { node, nodes },
            ProbeError::Features { node, given, expected } => PredictorError::Features { node, given, expected },
            ProbeError::Repeated { node } => PredictorError::Repeated { node },
        }
    }
}
