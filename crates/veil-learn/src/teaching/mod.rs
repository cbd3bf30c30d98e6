//! A student on a public graph, taught by teachers who saw a private one (PrivGNN and PATE).
//!
//! [`choose`] says which public nodes are asked about, [`plan`] turns parameters into the mechanism that will answer
//! ([`veil_privacy::answers`]) and into its price; a [`Teacher`] is what that mechanism calls with private nodes to learn from. What comes
//! out is the public graph with noisy labels, and [`learn`](crate::learn()) makes a student of it, as of any release. [`evaluate`] trains teachers once
//! and scores several releases with them: that is for whoever holds the truth, and no release.

mod choose;
pub mod evaluate;
mod plan;
mod teacher;
#[cfg(test)]
mod tests;

pub use choose::choose;
pub use plan::{Mechanism, completed, plan};
pub use teacher::Teacher;
