//! A student on a public graph, taught what a private one says about it: by teachers who saw it (PrivGNN and PATE), or by sums.
//!
//! [`choose`] says which public nodes are asked about, [`plan`] turns parameters into the mechanism that will answer
//! ([`veil_privacy::answers`]) and into its price; a [`Teacher`] is what that mechanism calls with private nodes to learn from. What comes
//! out is the public graph with noisy labels, and [`learn`](crate::learn()) makes a student of it, as of any release. [`evaluate`] trains teachers once
//! and scores several releases with them: that is for whoever holds the truth, and no release.
//!
//! [`Asking`] puts these together. [`class_sums`] does without teachers: noisy sums of the private graph say which class a public node belongs to.

mod asking;
mod choose;
pub mod class_sums;
pub(crate) mod denoise;
pub mod evaluate;
mod plan;
mod teacher;
#[cfg(test)]
mod tests;

pub use asking::Asking;
pub use choose::choose;
pub use class_sums::Summing;
pub use plan::{Mechanism, completed, plan};
pub use teacher::Teacher;
