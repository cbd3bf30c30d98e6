//! What the two protocols of the thesis share: nodes that send each other released vectors, without names.
//!
//! A [`Vector`] is what travels; a [`Profile`] is a vector with what comparing it needs, under the public [`Space`]. In
//! round 1 every node sends its own vector to its neighbours: what a [`Node`] then holds is [`Known`], its map from
//! vectors to names. All later [`Message`]s carry vectors without names. [`Flip`] decides which neighbours are to be
//! replaced, [`closest`] finds candidates, and [`replace`] asks neighbours for names until it has a report.
//!
//! Every function here is one node's, of what that node holds and received. `world` holds all nodes at once, for the
//! simulation: its messages hold references to vectors, and those on a wire the vectors themselves.

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
pub(super) use world::{Answers, Tally, one_message};
