//! Posteriors of single nodes for changed features, and their derivatives.
//!
//! Features enter a network only through Âᴷ·X·W of its first layer. If row v of X grows by Δ, row w
//! of that product grows by Âᴷ[w, v]·Δ·W. A [`Probe`] keeps X·W and Âᴷ·X·W, so a query costs one
//! column of Âᴷ and one row times W. From there on, only the rows that influence the queried nodes
//! (`reach`) are evaluated. `rows` is generic over the type of `number`: 32-bit floats give
//! posteriors, which saturate like those of the network; 64-bit dual numbers give exact influences,
//! which do not.

mod number;
mod reach;
mod rows;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use rayon::prelude::*;
use veil_graph::{Features, Matrix, NodeId};

use self::number::{Dual, Number};
use self::reach::Reach;
use self::rows::{Norm, Stage, posteriors};
use crate::graph::{Aggregate, Topology};
use crate::input::Input;
use crate::kernels::activation::Activation;
use crate::layers::Layer;
use crate::model::{FeaturesError, Model};
use crate::tensor::Tensor;

/// The maximum number of sources that are propagated at once. Measured at the shape of Cora
/// (benches/probe.rs, CPU time of one thread): 16 take about 1.5 times as long, 64 take 1.1 to 1.2
/// times.
const COLUMNS: usize = 32;
/// The maximum size of the columns that a thread holds, twice: large graphs use fewer columns.
const MOST_NUMBERS: usize = 1 << 23;

/// Up to this many changed nodes are propagated one by one, as columns: no tensor is narrower. More
/// are propagated together, as rows of Δ·W.
const FEW: usize = 4;

/// A network with its input, for queries about single nodes.
///
/// ```
/// use veil_graph::{Direction, Features, Graph, Matrix};
/// use veil_nn::{Description, Input, Messages, Model, Probe};
/// let graph = Graph::from_edges(4, &[(0, 1), (1, 2)], Direction::Undirected)?.graph;
/// let features = Features::Dense(Matrix::from_values(4, 2, vec![1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 0.0])?);
/// let input = Input::new(features, Messages::of(&graph)?, 0)?;
/// let model = Model::new(Description::default().check(2, 4)?, 7);
/// let probe = Probe::new(&model, &input)?;
/// // Node 2 is two hops from node 0; node 3 is isolated.
/// let before = probe.posteriors(&[0, 1])?;
/// assert_ne!(probe.changed(&[0, 1], &[(2, vec![0.5, 0.5])])?, before);
/// assert_eq!(probe.changed(&[0, 1], &[(3, vec![0.5, 0.5])])?, before);
/// let influences = probe.influences(&[(2, 0), (3, 0)])?;
/// assert!(influences[0] > 0.0 && influences[1] == 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Probe {
    topology: Arc<Topology>,
    features: Arc<Features>,
    hops: usize,
    stages: Vec<Stage>,
    activation: Activation,
    classes: usize,
    /// X·W of the first layer.
    own: Tensor,
    /// Âᴷ·X·W, unless K is 0.
    rows: Option<Tensor>,
}

/// Why a query is invalid.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProbeError {
    #[error("unknown node {node}: there are {nodes} nodes")]
    NoSuchNode { node: NodeId, nodes: usize },
    #[error("node {node} has {given} features, but the network reads {expected}")]
    Features { node: NodeId, given: usize, expected: usize },
    #[error("duplicate features of node {node}")]
    Repeated { node: NodeId },
}

/// Columns of Âᴷ for some sources.
enum Columns {
    /// K is 0: Âᴷ is the identity.
    Own,
    /// One column per source.
    Propagated(Tensor),
}

impl Columns {
    /// The entry of a node in the column of a source with this index.
    fn share(&self, node: NodeId, (index, source): (usize, NodeId)) -> f32 {
        match self {
            Columns::Own => f32::from(u8::from(node == source)),
            Columns::Propagated(columns) => columns.row(node as usize)[index],
        }
    }
}

impl Probe {
    /// Evaluates the first layer of the network on the input.
    ///
    /// # Errors
    /// If the input has another number of features than the network.
    pub fn new(model: &Model, input: &Input) -> Result<Probe, FeaturesError> {
        model.fits(input)?;
        let stage = |(layer, norm): (&dyn Layer, Option<_>)| Stage { form: layer.form(), norm: norm.map(Norm::of) };
        let stages: Vec<Stage> = model.layers().map(stage).collect();
        let own = input.unpropagated(&stages[0].form.weight);
        let mut probe = Probe {
            topology: input.shared_topology(),
            features: input.shared_features(),
            hops: input.hops(),
            stages,
            activation: model.architecture().description().activation,
            classes: model.architecture().classes(),
            own,
            rows: None,
        };
        probe.rows = (probe.hops > 0).then(|| probe.propagated(probe.own.clone()));
        Ok(probe)
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.topology.nodes()
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The unchanged features of a node.
    ///
    /// # Errors
    /// If the node does not exist.
    pub fn features(&self, node: NodeId) -> Result<Vec<f32>, ProbeError> {
        self.exists(node)?;
        let mut values = vec![0.0; self.features.columns()];
        self.features.write_row(node as usize, &mut values);
        Ok(values)
    }

    /// The probability of each class, one row for each of `nodes`.
    ///
    /// # Errors
    /// If a node does not exist.
    pub fn posteriors(&self, nodes: &[NodeId]) -> Result<Matrix, ProbeError> {
        self.changed(nodes, &[])
    }

    /// The posteriors when the nodes in `changed` have these features instead.
    ///
    /// Nodes out of reach of a change have the same bits as in [`posteriors`](Probe::posteriors).
    ///
    /// # Errors
    /// If a node does not exist or is changed twice, or a feature vector has the wrong length.
    pub fn changed(&self, nodes: &[NodeId], changed: &[(NodeId, Vec<f32>)]) -> Result<Matrix, ProbeError> {
        nodes.iter().try_for_each(|&node| self.exists(node))?;
        let sources: Vec<NodeId> = changed.iter().map(|&(node, _)| node).collect();
        let growths = changed.iter().map(|(node, features)| self.growth(*node, features));
        let growths = growths.collect::<Result<Vec<Vec<f32>>, ProbeError>>()?;
        let mut sorted = sources.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ProbeError::Repeated { node: pair[0] });
        }
        let reach = &mut Reach::new(self.nodes());
        self.find(reach, nodes.iter().copied());
        let rows = if sources.len() <= FEW {
            let columns = self.columns(&sources);
            self.evaluate(reach, |node, out: &mut [f32]| {
                for (source, growth) in sources.iter().copied().enumerate().zip(&growths) {
                    let share = columns.share(node, source);
                    if share != 0.0 {
                        out.iter_mut().zip(growth).for_each(|(out, growth)| *out += share * growth);
                    }
                }
            })
        } else {
            let mut grown = Tensor::zeros(self.nodes(), self.own.columns());
            for (&source, growth) in sources.iter().zip(&growths) {
                grown.row_mut(source as usize).copy_from_slice(growth);
            }
            let grown = self.propagated(grown);
            self.evaluate(reach, |node, out: &mut [f32]| {
                out.iter_mut().zip(grown.row(node as usize)).for_each(|(out, growth)| *out += growth);
            })
        };
        let mut posteriors = Matrix::zeros(nodes.len(), self.classes);
        for (row, &node) in nodes.iter().enumerate() {
            let found = &rows[reach.place(node) * self.classes..][..self.classes];
            posteriors.row_mut(row).copy_from_slice(found);
        }
        Ok(posteriors)
    }

    /// For each pair (source, target), the norm of the derivative of the target's posteriors by t,
    /// at t = 1, when the source's features are multiplied by t. This is LinkTeller's influence (Wu
    /// et al. 2022) in the limit of small perturbations.
    ///
    /// # Errors
    /// If a node does not exist.
    pub fn influences(&self, pairs: &[(NodeId, NodeId)]) -> Result<Vec<f64>, ProbeError> {
        pairs.iter().flat_map(|&(source, target)| [source, target]).try_for_each(|node| self.exists(node))?;
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.sort_by_key(|&pair| pairs[pair].0);
        let groups: Vec<&[usize]> = order.chunk_by(|&a, &b| pairs[a].0 == pairs[b].0).collect();
        let batch = (MOST_NUMBERS / self.nodes().max(1)).clamp(4, COLUMNS);
        let found = groups.par_chunks(batch).flat_map(|groups| {
            let sources: Vec<NodeId> = groups.iter().map(|group| pairs[group[0]].0).collect();
            let columns = self.columns(&sources);
            let groups = groups.par_iter().zip(sources).enumerate();
            let of_group = move |reach: &mut Reach, (index, (group, source)): (usize, (&&[usize], NodeId))| {
                let targets: Vec<NodeId> = group.iter().map(|&pair| pairs[pair].1).collect();
                self.influences_of((index, source), &columns, &targets, reach)
            };
            groups.map_init(|| Reach::new(self.nodes()), of_group).collect::<Vec<_>>()
        });
        let found: Vec<Vec<f64>> = found.collect();
        let mut influences = vec![0.0; pairs.len()];
        for (group, found) in groups.into_iter().zip(found) {
            group.iter().zip(found).for_each(|(&pair, influence)| influences[pair] = influence);
        }
        Ok(influences)
    }

    /// The influences of one source, given its column.
    fn influences_of(
        &self,
        (index, source): (usize, NodeId),
        columns: &Columns,
        targets: &[NodeId],
        reach: &mut Reach,
    ) -> Vec<f64> {
        self.find(reach, targets.iter().copied());
        let reached = match columns {
            Columns::Own => reach.contains(source),
            Columns::Propagated(_) => reach.rows(0).iter().any(|&node| columns.share(node, (index, source)) != 0.0),
        };
        if !reached {
            return vec![0.0; targets.len()];
        }
        let growth = self.own.row(source as usize);
        let rows = self.evaluate(reach, |node, out: &mut [Dual]| {
            let share = f64::from(columns.share(node, (index, source)));
            out.iter_mut().zip(growth).for_each(|(out, &growth)| out.slope = share * f64::from(growth));
        });
        let length = |&target: &NodeId| {
            let row = &rows[reach.place(target) * self.classes..][..self.classes];
            row.iter().map(|posterior| posterior.slope * posterior.slope).sum::<f64>().sqrt()
        };
        targets.iter().map(length).collect()
    }

    fn find(&self, reach: &mut Reach, nodes: impl Iterator<Item = NodeId>) {
        reach.find(nodes, self.stages.iter().map(|stage| &stage.form), &self.topology);
    }

    /// Posteriors of the nodes of `reach`, after `change` of the rows of Âᴷ·X·W.
    fn evaluate<N: Number>(&self, reach: &Reach, change: impl Fn(NodeId, &mut [N])) -> Vec<N> {
        let unchanged = self.rows.as_ref().unwrap_or(&self.own);
        posteriors(&self.stages, self.activation, &self.topology, reach, |node, out| {
            out.iter_mut().zip(unchanged.row(node as usize)).for_each(|(out, &value)| *out = N::constant(value));
            change(node, out);
        })
    }

    fn exists(&self, node: NodeId) -> Result<(), ProbeError> {
        let nodes = self.nodes();
        if (node as usize) < nodes { Ok(()) } else { Err(ProbeError::NoSuchNode { node, nodes }) }
    }

    /// Δ·W, the change of a node's row of X·W for these features.
    fn growth(&self, node: NodeId, features: &[f32]) -> Result<Vec<f32>, ProbeError> {
        let before = self.features(node)?;
        let (given, expected) = (features.len(), before.len());
        if given != expected {
            return Err(ProbeError::Features { node, given, expected });
        }
        let weight = &self.stages[0].form.weight;
        let mut growth = vec![0.0; weight.columns()];
        for (column, (after, before)) in features.iter().zip(before).enumerate() {
            let difference = after - before;
            if difference != 0.0 {
                growth.iter_mut().zip(weight.row(column)).for_each(|(out, weight)| *out += difference * weight);
            }
        }
        Ok(growth)
    }

    /// The columns of Âᴷ of these sources.
    fn columns(&self, sources: &[NodeId]) -> Columns {
        if self.hops == 0 || sources.is_empty() {
            return Columns::Own;
        }
        let mut units = Tensor::zeros(self.nodes(), sources.len());
        for (column, &source) in sources.iter().enumerate() {
            units.row_mut(source as usize)[column] = 1.0;
        }
        Columns::Propagated(self.propagated(units))
    }

    /// Âᴷ·X.
    fn propagated(&self, x: Tensor) -> Tensor {
        self.topology.apply(Aggregate::Symmetric, x, self.hops)
    }
}
