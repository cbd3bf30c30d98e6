//! A trained model as a service.

use veil_graph::{Features, Matrix, NodeId};
use veil_nn::{Input, Model, Probe, ProbeError};
use veil_privacy::release::Privatised;

use crate::bayes::Bayes;
use crate::by_bayes;
use crate::error::LearnError;
use crate::network::network_input;
use crate::parameters::{Edges, Parameters};
use crate::predictor::{Predictor, PredictorError, WhiteBox};
use crate::scaled::Scaled;
use crate::stack;

/// What of a model is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Surface {
    /// All that a user of the model reaches: features pass the propagation (KProp) first.
    #[default]
    Pipeline,
    /// The network alone, on features that were not propagated: what the papers attacked.
    Model,
}

/// A model that answers questions about the nodes of a release.
#[derive(Debug)]
pub struct Deployed {
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// A network on released lists: who is asked hears its neighbours.
    Network(Box<Probe>),
    /// Networks on degree vectors that were counted once: every answer is known already, and no feature that is sent changes it.
    Cached { posteriors: Matrix, features: Option<Features> },
}

impl Deployed {
    /// Networks that were trained on a release, in their order; the last one answers.
    pub(crate) fn new(
        released: &Privatised,
        scaled: &Scaled,
        parameters: &Parameters,
        surface: Surface,
        stages: &[Model],
        bayes: Option<&Bayes>,
    ) -> Result<Deployed, LearnError> {
        let (last, earlier) = stages.split_last().ok_or(LearnError::NoNetwork)?;
        if parameters.edges == Edges::DegreeVectors {
            let posteriors = match bayes {
                Some(bayes) => by_bayes::posteriors(released, scaled, parameters, last, bayes)?,
                None => last.posteriors(&stack::last_input(released, scaled, parameters, earlier)?)?.to_matrix(),
            };
            return Ok(Deployed { kind: Kind::Cached { posteriors, features: released.data().features().cloned() } });
        }
        let hops = if surface == Surface::Pipeline { parameters.kx } else { 0 };
        Deployed::of(last, &network_input(released.data(), scaled, parameters, hops)?)
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
                let stranger = pairs.iter().flat_map(|&(a, b)| [a, b]).find(|&node| node as usize >= nodes);
                match stranger {
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
