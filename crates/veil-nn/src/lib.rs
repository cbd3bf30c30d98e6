//! Small graph networks, fast on a CPU.
//!
//! An [`Input`] is a graph (as [`Messages`], its neighbour lists) with features. A [`Model`] stacks
//! [`layers`]; a [`loss`] compares its output with labels, an [`optimiser`] updates its weights,
//! and [`training`] runs the loop and selects the weights to keep. A [`probe`] evaluates a network
//! for single nodes with changed features, and its derivatives. [`kernels`] holds the inner loops,
//! and [`workload`] measures them.
//!
//! The same seed gives the same bits on any number of threads. Many small trainings run fastest in
//! parallel, each [`on_one_core`].
//!
//! ```
//! use std::ops::ControlFlow;
//! use veil_graph::{Direction, Features, Graph, Matrix};
//! use veil_nn::loss::{Loss, Targets};
//! use veil_nn::training::{Options, Task, train};
//! use veil_nn::{Description, Input, Messages, Model};
//!
//! // Two triangles, joined by an edge; one labelled node in each.
//! let edges = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)];
//! let graph = Graph::from_edges(6, &edges, Direction::Undirected)?.graph;
//! let features = Matrix::from_values(6, 1, vec![1.0, 1.0, 0.5, -0.5, -1.0, -1.0])?;
//! let input = Input::new(Features::Dense(features), Messages::of(&graph)?, 0)?;
//!
//! let mut model = Model::new(Description::default().check(1, 2)?, 1);
//! let task = Task::new(Loss::cross_entropy(Targets::new(vec![(0, 0), (5, 1)], 6, 2)?), None)?;
//! let trained = train(&mut model, &input, &task, Options::default(), &mut |_| ControlFlow::Continue(()))?;
//! model.restore(&trained.weights);
//! let posteriors = model.posteriors(&input)?;
//! assert!(posteriors.row(1)[0] > 0.6 && posteriors.row(4)[1] > 0.6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod graph;
mod input;
#[doc(hidden)]
pub mod kernels;
pub mod layers;
pub mod loss;
mod model;
pub mod optimiser;
mod parameter;
pub mod probe;
mod storage;
mod tensor;
pub mod training;
pub mod workload;

pub use graph::{Messages, MessagesError};
pub use input::{Input, InputError};
pub use kernels::activation::Activation;
pub use kernels::parallel::{is_on_one_core, on_one_core};
pub use layers::Kind;
pub use loss::{Loss, LossError};
pub use model::{Architecture, Description, DescriptionError, FeaturesError, FileError, Model, SaveError, Snapshot};
pub use parameter::Parameter;
pub use probe::{Probe, ProbeError};
pub use tensor::{Tensor, padded};
