//! Shared by the two protocols of the thesis: nodes exchange released vectors without ids.
//!
//! A [`Vector`] is sent; a [`Profile`] is a vector with precomputed norms, in the public [`Space`].
//! In round 1 every node sends its own vector to its neighbours; a [`Node`] stores them as
//! [`Known`], a map from vectors to ids. All later [`Message`]s carry vectors without ids. [`Flip`]
//! chooses the neighbours to be replaced, [`closest`] finds candidates, and [`replace`] asks
//! neighbours for ids until the report is complete.
//!
//! Every function here runs on one node. `world` holds all nodes, for the simulation: its messages
//! hold references to vectors, those on a wire the vectors themselves.

#[cfg(test)]
mod both;
mod flip;
mod known;
mod message;
mod replace;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod vector;
mod world;

pub use flip::Flip;
pub use known::{Known, Node};
pub use message::Message;
pub use replace::{Outcome, Question, closest, replace};
pub use vector::{Profile, Space, Vector, VectorError};
pub use world::{World, profiles};

pub(super) use flip::claimed;
pub(super) use world::{one_message, run};
