//! Small graph networks, fast on a CPU.
//!
//! An [`Input`] is a graph (as [`Messages`]: who hears whom) with features. [`layers`] turn it into rows of numbers and have their
//! gradients beside them; a [`Model`] stacks them; a [`loss`] says how wrong it is, an [`optimiser`] moves its weights,
//! [`training`] runs the loop and decides which weights are kept. A [`probe`] asks a network about single nodes whose features are
//! other than they are, and for derivatives. [`kernels`] hold the few loops in which the time
//! goes, and [`workload`] measures it.
//!
//! The same seed gives the same bits on any number of threads. Many small trainings run best side by side, each [`on_one_core`].

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
pub use kernels::parallel::on_one_core;
pub use loss::{Loss, LossError};
pub use model::{
    Architecture, Description, DescriptionError, FeaturesError, FileError, Kind, Model, SaveError, Snapshot,
};
pub use parameter::Parameter;
pub use probe::{Probe, ProbeError};
pub use tensor::{Tensor, padded};
