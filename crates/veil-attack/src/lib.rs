//! What an adversary can do with a released model: find the edges again, and tell from whom it learned.
//!
//! Data meets these modules in this order: [`pairs`] draws the pairs of nodes that the adversary is asked about; an
//! [`Attack`] rates each pair, [`linkteller`] by how much one node moves the other's posterior, [`lsa`] by how alike
//! their posteriors are; [`scores`] compares the ratings with the truth. [`membership`] asks about nodes instead of pairs.
//!
//! An attack sees a model through [`Predictor`](veil_learn::Predictor) or [`WhiteBox`](veil_learn::WhiteBox) and never
//! sees the true graph: that is used to draw pairs and to score them, and for nothing else.
//!
//! **What the figures mean.** Linked nodes are often alike, so a model that never saw an edge can rate edges above
//! other pairs. Whoever runs an attack should therefore [`run`] it on the same pairs against an edge-free twin: only
//! what exceeds the twin's figure was leaked by the edges. No figure of one graph tests an ε either: ε bounds how well two
//! *adjacent* graphs are told apart, which is another question.

mod attack;
pub mod audit;
pub mod linkteller;
pub mod lsa;
pub mod membership;
pub mod pairs;
pub mod scores;

#[cfg(test)]
mod testing;

pub use attack::{Attack, AttackError, run};
