//! How the networks of a stack read public features.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use veil_graph::{Dataset, Features, Matrix, NodeId};
use veil_nn::graph::{Aggregate, Topology};
use veil_nn::{Input, Messages, Model, Tensor};

use super::neighbours::{self, NARROW};
use super::reduced::{Basis, DIRECTIONS};
use super::scores::Scores;
use crate::error::LearnError;

/// The Euclidean length of scaled rows: chosen on generated graphs.
const LENGTH: f32 = 8.0;
/// Standardised columns are dense: sparse features become no more numbers than this.
const MOST_DENSE: usize = 1 << 26;
/// The most numbers that a network gathers in a step along neighbours, if features are sparse.
const MOST_GATHERED: usize = 500_000;

/// From so many labels on there are some for every direction.
const MANY_LABELS: usize = 8 * DIRECTIONS;

/// How a network of the stack reads the features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum View {
    /// Rows scaled to the same length.
    Rows,
    /// Columns with mean 0 and deviation 1.
    Columns,
}

/// One network of the stack: its view, and hops along nearest neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Member {
    pub view: View,
    pub hops: usize,
    /// Whether the network was trained in a few directions of the features.
    pub reduced: bool,
}

/// The most hops along neighbours that a network of a stack reads.
pub(crate) const MOST_HOPS: usize = 2;

impl Member {
    /// Whether a stack can have such a network. A published model may be anything.
    pub fn is_usual(&self) -> bool {
        self.hops <= MOST_HOPS
    }
}

/// Features of a graph, as the networks of a stack read them. Neighbours and directions are
/// computed once.
pub(crate) struct Views<'a> {
    features: &'a Features,
    neighbours: Option<Arc<Topology>>,
    basis: OnceLock<Basis>,
    /// Whether all directions are given the same weight: with few labels, networks learn noise from
    /// those in which there is little.
    white: bool,
}

/// What a network of the stack learns from.
pub(crate) enum Material {
    /// Sparse features, averaged along neighbours in every step: as fast as that of all nodes once,
    /// and small.
    Along(Box<Input>),
    /// A row for each node.
    Rows(Features),
    /// Features times a matrix.
    Reduced(Features, Matrix),
}

impl Views<'_> {
    /// The views of a data set with features and this many training labels, with or without nearest
    /// neighbours.
    pub fn of(data: &Dataset, labels: usize, neighbours: bool) -> Result<Views<'_>, LearnError> {
        let features = data.features().ok_or(LearnError::NoFeatures)?;
        let white = labels >= MANY_LABELS;
        let mut views = Views { features, neighbours: None, basis: OnceLock::new(), white };
        if neighbours {
            let lists = neighbours::lists(features, &|| views.basis().cloned())?;
            let messages = lists.map(|lists| Messages::weighted_with_loops(&lists)).transpose()?;
            views.neighbours = messages.map(|messages| Arc::new(Topology::new(messages)));
        }
        Ok(views)
    }

    /// Whether there are nearest neighbours to hop along.
    pub fn have_neighbours(&self) -> bool {
        self.neighbours.is_some()
    }

    /// Whether a few directions of the features say something else than all columns.
    pub fn have_directions(&self) -> bool {
        self.are_wide() && (self.white || !self.are_light())
    }

    fn are_wide(&self) -> bool {
        self.features.columns() > NARROW && !matches!(self.features, Features::Encoded(_))
    }

    /// Whether networks can read all columns along neighbours in reasonable time.
    pub fn are_light(&self) -> bool {
        let entries = self.neighbours.as_ref().map_or(0, |it| it.messages().entries());
        match self.features {
            Features::Sparse(rows) => !self.are_full() && rows.nonzeros() + entries <= MOST_GATHERED,
            _ => !self.are_wide(),
        }
    }

    /// Whether many places are not 0.
    fn are_full(&self) -> bool {
        let all = self.features.rows().saturating_mul(self.features.columns());
        self.features.nonzeros().saturating_mul(20) >= all
    }

    /// Which views are worth trying. Standardised columns are dense, so rows that are not are not.
    pub fn worth_trying(&self) -> Vec<View> {
        let all = self.features.rows().saturating_mul(self.features.columns());
        match self.features {
            Features::Sparse(_) if self.are_full() && all <= MOST_DENSE => vec![View::Rows, View::Columns],
            Features::Dense(_) if self.are_full() => vec![View::Rows, View::Columns],
            _ => vec![View::Rows],
        }
    }

    /// The network that learns from what is believed about all nodes, if this view is the better
    /// one.
    pub fn self_trained(&self, view: View) -> Member {
        let hops = usize::from(self.have_neighbours());
        match self.are_wide() && !self.are_light() {
            true => Member { view: View::Rows, hops, reduced: true },
            false => Member { view, hops, reduced: false },
        }
    }

    fn basis(&self) -> Result<&Basis, LearnError> {
        if self.basis.get().is_none() {
            let basis = Basis::of(self.features)?;
            return Ok(self.basis.get_or_init(|| basis));
        }
        self.basis.get().ok_or(LearnError::NoFeatures)
    }

    fn features(&self, view: View) -> Result<Features, LearnError> {
        Ok(match view {
            View::Rows => self.features.with_rows_of_length(LENGTH, None)?,
            View::Columns => {
                let numbers = self.features.rows().saturating_mul(self.features.columns());
                if matches!(self.features, Features::Sparse(_)) && numbers > MOST_DENSE {
                    // A model that was trained on a smaller graph.
                    return Err(LearnError::TooDense { numbers, limit: MOST_DENSE });
                }
                let moments = self.features.moments(0..self.features.rows() as NodeId);
                self.features.standardised(&moments)?
            }
        })
    }

    /// What a network of this kind learns from.
    pub fn material(&self, member: Member) -> Result<Material, LearnError> {
        let Member { view, hops, reduced } = member;
        let features = self.features(view)?;
        let topology = self.neighbours.as_ref().filter(|_| hops > 0);
        if reduced {
            let mut map = self.basis()?.map(&features, self.white)?;
            let mut rows = self.averaged(Tensor::from(&features.times(&map)?), hops);
            // Averages are smaller than what they are made of.
            let squares: f64 = rows.values().iter().map(|&it| f64::from(it).powi(2)).sum();
            let scale = (squares / rows.size().max(1) as f64).sqrt().recip() as f32;
            let scale = if scale.is_finite() { scale } else { 1.0 };
            map.values_mut().iter_mut().for_each(|it| *it *= scale);
            (0..rows.rows()).for_each(|row| rows.row_mut(row).iter_mut().for_each(|it| *it *= scale));
            return Ok(Material::Reduced(Features::Dense(rows.to_matrix()), map));
        }
        Ok(match (topology, features) {
            (None, features) => Material::Rows(features),
            (Some(_), Features::Dense(rows)) => {
                let tensor = Tensor::from(&rows);
                // Large features are not held twice.
                drop(rows);
                Material::Rows(Features::Dense(self.averaged(tensor, hops).to_matrix()))
            }
            (Some(topology), features) => {
                Material::Along(Box::new(Input::along(features, Arc::clone(topology), hops)?))
            }
        })
    }

    /// What a network learns from that reads features averaged along another graph than that of
    /// nearest neighbours.
    pub fn along(&self, view: View, topology: &Arc<Topology>, hops: usize) -> Result<Material, LearnError> {
        Ok(match self.features(view)? {
            Features::Dense(rows) => {
                let tensor = Tensor::from(&rows);
                drop(rows);
                let averaged = match topology.propagation(Aggregate::Symmetric) {
                    Some(step) => step.apply(tensor, hops),
                    None => tensor,
                };
                Material::Rows(Features::Dense(averaged.to_matrix()))
            }
            features => Material::Along(Box::new(Input::along(features, Arc::clone(topology), hops)?)),
        })
    }

    /// ln P(class) of every node, by a network that reads averages along this graph.
    pub fn logarithms_along(
        &self,
        view: View,
        topology: &Arc<Topology>,
        hops: usize,
        network: &Model,
    ) -> Result<Scores, LearnError> {
        let input = Input::along(self.features(view)?, Arc::clone(topology), hops)?;
        Ok(Scores::of(&network.predict(&input.used(1))?.to_matrix()).logarithms())
    }

    /// Rows after some hops.
    fn averaged(&self, rows: Tensor, hops: usize) -> Tensor {
        match self.neighbours.as_ref().and_then(|it| it.propagation(Aggregate::Symmetric)) {
            Some(step) => step.apply(rows, hops),
            None => rows,
        }
    }

    /// ln P(class) of every node, by a network.
    pub fn logarithms(&self, member: Member, network: &Model) -> Result<Scores, LearnError> {
        let features = self.features(member.view)?;
        let input = match &self.neighbours {
            Some(topology) if member.hops > 0 => Input::along(features, Arc::clone(topology), member.hops)?,
            _ => Input::without_graph(features)?,
        };
        Ok(Scores::of(&network.predict(&input.used(1))?.to_matrix()).logarithms())
    }
}
