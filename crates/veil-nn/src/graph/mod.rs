//! The graph as a network reads it.
//!
//! [`Messages`] are neighbour lists; a [`Propagation`] is one linear step along them; a
//! [`Topology`] caches the steps that the layers of a network share.

mod messages;
mod propagation;
mod topology;

pub(crate) use messages::Reverse;
pub use messages::{Messages, MessagesError};
pub use propagation::{Aggregate, Propagation};
pub use topology::Topology;
