//! The graph as a network sees it.
//!
//! [`Messages`] say who hears whom; a [`Propagation`] is one linear step along them; a [`Topology`] keeps the steps that the layers of a
//! network share, each made when it is first asked for.

mod messages;
mod propagation;
mod topology;

pub(crate) use messages::Reverse;
pub use messages::{Messages, MessagesError};
pub use propagation::{Aggregate, Propagation};
pub use topology::Topology;
