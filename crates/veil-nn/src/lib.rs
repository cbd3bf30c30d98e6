//! Small graph networks, fast on a CPU.
//!
//! An [`Input`] is a graph (as [`Messages`]: who hears whom) with features; [`layers`] turn it into rows of numbers and have their
//! gradients beside them; a [`loss`] says how wrong they are, an [`optimiser`] moves the weights, [`training`] decides which weights are
//! kept and saves them; [`kernels`] hold the few loops in which the time goes.
//!
//! The same seed gives the same bits on any number of threads.

pub mod graph;
mod input;
#[doc(hidden)]
pub mod kernels;
pub mod layers;
pub mod loss;
pub mod optimiser;
mod parameter;
mod storage;
mod tensor;
pub mod training;

pub use graph::{Messages, MessagesError};
pub use input::{Input, InputError};
pub use loss::{Loss, LossError};
pub use parameter::Parameter;
pub use tensor::{Tensor, padded};
