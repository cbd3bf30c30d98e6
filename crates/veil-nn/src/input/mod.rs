//! The input of a network: a graph, and features behind K hops of propagation.
//!
//! Propagation is linear, so Âᴷ·X·W is computed as Âᴷ·(X·W): rows of W are gathered by the few
//! entries of X, then propagated K times at the width of the layer. No dense n×d matrix is stored.
//! For dense and narrow features the other order can be faster, because Âᴷ·X is computed once for
//! all steps; [`Input::linear`] decides by counting operations.

mod features;
#[cfg(test)]
mod tests;

pub(crate) use features::{dense_times, dense_transposed_times};

use std::sync::{Arc, OnceLock};

use veil_graph::Features;

use crate::graph::{Aggregate, Messages, Topology};
use crate::tensor::Tensor;
use features::{Prepared, is_binary};

/// The cost of a gathered multiply-add, in multiply-adds of a dense product. Measured: 3 to 4 for
/// features, 6 to 7 along messages whose rows do not fit in the second-level cache
/// (benches/kernels.rs). The lower figure prefers sparse forms, which take less memory.
const GATHER_COST: f64 = 4.0;
/// The cost of one binary value, 0 or 1, in dense multiply-adds. Measured: 0.33 to 0.37.
const BIT_COST: f64 = 0.35;
/// The cost of building tables for binary features, in additional rows and columns.
const BIT_TABLES: f64 = 64.0;
/// Steps over which the cost of Âᴷ·X is spread by default: papers train for 100 to 500.
const STEPS: usize = 100;

/// A graph with its features, ready for a network.
#[derive(Debug)]
pub struct Input {
    topology: Arc<Topology>,
    features: Arc<Features>,
    hops: usize,
    /// How many steps will read this input.
    steps: usize,
    /// Whether features are stored as bits.
    binary: OnceLock<bool>,
    prepared: OnceLock<Prepared>,
    /// Op·Âᴷ·X, for each aggregation for which it is faster.
    dense: [OnceLock<Tensor>; 5],
}

/// Why parts of an input do not fit together.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    #[error("features of {rows} nodes do not fit a graph of {nodes}")]
    Nodes { rows: usize, nodes: usize },
    #[error("{values} values of features exceed the limit of {}", u32::MAX)]
    TooMany { values: usize },
}

impl Input {
    /// Features that are propagated `hops` times (symmetric normalisation, no self loops: LPGNN's
    /// `KProp`) before the first layer.
    ///
    /// # Errors
    /// If there is not one row of features per node, or features that are not dense have more than
    /// 2³²−1 values.
    pub fn new(features: Features, messages: Messages, hops: usize) -> Result<Input, InputError> {
        Input::checked(features, Arc::new(Topology::new(messages)), hops, STEPS)
    }

    /// As [`new`](Input::new), with a graph that several inputs share.
    ///
    /// # Errors
    /// As [`new`](Input::new).
    pub fn along(features: Features, topology: Arc<Topology>, hops: usize) -> Result<Input, InputError> {
        Input::checked(features, topology, hops, STEPS)
    }

    /// Features without a graph, for networks that do not read edges.
    ///
    /// # Errors
    /// If there are more than 2³²−1 rows, or features that are not dense have more values.
    pub fn without_graph(features: Features) -> Result<Input, InputError> {
        let nodes = u32::try_from(features.rows()).map_err(|_| InputError::TooMany { values: features.rows() })?;
        Input::new(features, Messages::none(nodes), 0)
    }

    /// Sets how many steps will read this input. Forms that must be computed first are worth it for
    /// many steps only; for one step none is.
    #[must_use]
    pub fn used(self, steps: usize) -> Input {
        Input { steps, binary: OnceLock::new(), prepared: OnceLock::new(), ..self }
    }

    /// The same graph with other features, as in an attacker's queries.
    ///
    /// # Errors
    /// As [`new`](Input::new).
    pub fn with_features(&self, features: Features) -> Result<Input, InputError> {
        Input::checked(features, Arc::clone(&self.topology), self.hops, self.steps)
    }

    fn checked(features: Features, topology: Arc<Topology>, hops: usize, steps: usize) -> Result<Input, InputError> {
        let (rows, nodes) = (features.rows(), topology.nodes());
        if rows != nodes {
            return Err(InputError::Nodes { rows, nodes });
        }
        if !matches!(features, Features::Dense(_)) && u32::try_from(features.nonzeros()).is_err() {
            return Err(InputError::TooMany { values: features.nonzeros() });
        }
        let features = Arc::new(features);
        let (binary, prepared) = (OnceLock::new(), OnceLock::new());
        Ok(Input { topology, features, hops, steps, binary, prepared, dense: Default::default() })
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.features.rows()
    }

    /// The number of dimensions of a feature vector.
    pub fn dimensions(&self) -> usize {
        self.features.columns()
    }

    /// The graph.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// A shared reference to the graph.
    pub(crate) fn shared_topology(&self) -> Arc<Topology> {
        Arc::clone(&self.topology)
    }

    /// A shared reference to the features.
    pub(crate) fn shared_features(&self) -> Arc<Features> {
        Arc::clone(&self.features)
    }

    /// X·W, before any hop.
    pub(crate) fn unpropagated(&self, weight: &Tensor) -> Tensor {
        self.prepared().times(weight)
    }

    /// How often features are propagated before any layer.
    pub(crate) fn hops(&self) -> usize {
        self.hops
    }

    /// Op·Âᴷ·X·W.
    pub(crate) fn linear(&self, aggregate: Aggregate, weight: &Tensor) -> Tensor {
        match self.dense(aggregate, weight.columns()) {
            Some(dense) => dense_times(dense, weight),
            None => self.sparse_linear(aggregate, weight),
        }
    }

    /// Op·Âᴷ·X·W as Op·(Âᴷ·(X·W)).
    fn sparse_linear(&self, aggregate: Aggregate, weight: &Tensor) -> Tensor {
        self.propagated(aggregate, self.prepared().times(weight))
    }

    /// Op·Âᴷ·X.
    fn propagated(&self, aggregate: Aggregate, x: Tensor) -> Tensor {
        self.topology.apply(aggregate, self.topology.apply(Aggregate::Symmetric, x, self.hops), 1)
    }

    /// The gradient of W, given that of Op·Âᴷ·X·W.
    pub(crate) fn linear_backward(&self, aggregate: Aggregate, gradient: Tensor) -> Tensor {
        match self.dense(aggregate, gradient.columns()) {
            Some(dense) => dense_transposed_times(dense, &gradient),
            None => self.sparse_linear_backward(aggregate, gradient),
        }
    }

    /// The gradient of W as Xᵀ·(Âᵀᴷ·(Opᵀ·G)).
    fn sparse_linear_backward(&self, aggregate: Aggregate, gradient: Tensor) -> Tensor {
        let gradient = self.topology.backward(aggregate, gradient, 1);
        let gradient = self.topology.backward(Aggregate::Symmetric, gradient, self.hops);
        self.prepared().transposed_times(&gradient)
    }

    fn prepared(&self) -> &Prepared {
        self.prepared.get_or_init(|| {
            if self.binary_pays() { Prepared::binary(&self.features) } else { Prepared::new(&self.features) }
        })
    }

    /// Whether products with bits are faster than with the stored form. A single product is not
    /// worth the conversion.
    fn binary_pays(&self) -> bool {
        let pays = || self.steps > 1 && self.bit_cost() < self.stored_cost() && is_binary(&self.features);
        *self.binary.get_or_init(pays)
    }

    /// The cost of a product with the features as bits, per column of the other factor.
    fn bit_cost(&self) -> f64 {
        BIT_COST * (self.nodes() as f64 + BIT_TABLES) * (self.dimensions() as f64 + BIT_TABLES)
    }

    /// The cost of a product with the features as stored, per column of the other factor.
    fn stored_cost(&self) -> f64 {
        match &*self.features {
            Features::Dense(_) => self.nodes() as f64 * self.dimensions() as f64,
            sparse => GATHER_COST * sparse.nonzeros() as f64,
        }
    }

    /// Op·Âᴷ·X, if products with it at this width are faster.
    fn dense(&self, aggregate: Aggregate, width: usize) -> Option<&Tensor> {
        if !self.dense_pays(aggregate, width) {
            return None;
        }
        let cell = &self.dense[aggregate as usize];
        if let Some(made) = cell.get() {
            return Some(made);
        }
        // Computed outside the cell: a thread that waits for its helpers inside may pick up other
        // work on this input and deadlock on itself.
        let made = self.made_dense(aggregate);
        Some(cell.get_or_init(|| made))
    }

    /// Op·Âᴷ·X.
    fn made_dense(&self, aggregate: Aggregate) -> Tensor {
        self.propagated(aggregate, Prepared::to_dense(&self.features))
    }

    /// Compares the multiply-adds of one training step (forward and backward).
    fn dense_pays(&self, aggregate: Aggregate, width: usize) -> bool {
        let (rows, columns, width) = (self.nodes() as f64, self.dimensions() as f64, width as f64);
        let step = self.topology.propagation(aggregate).map_or(0, |step| step.messages.entries());
        let messages = (self.hops * self.topology.messages().entries() + step) as f64;
        if self.steps <= 1 || (messages == 0.0 && matches!(*self.features, Features::Dense(_))) {
            return false;
        }
        let stored = if self.binary_pays() { self.bit_cost() } else { self.stored_cost() };
        let as_it_is = 2.0 * width * (stored + GATHER_COST * messages);
        let dense = 2.0 * width * rows * columns + GATHER_COST * messages * columns / self.steps as f64;
        dense < as_it_is
    }
}
