//! The auditor: does a mechanism keep what it promises?
//!
//! A [`Claim`] is what is promised. There are two ways to test it. [`exact`] reads the distribution that a mechanism's code has, for two
//! inputs that differ in what is protected, and computes how far apart they are: that can prove a violation by a [`Witness`], two inputs and
//! an output, and where all pairs are looked at it can also show that the promise holds. Canaries need no distribution: a coin chooses one of two such inputs,
//! the mechanism's own code runs, and an adversary guesses the coins from what came out. [`guesses`] says who is guessed about, and [`bounds`] what so many right guesses prove.
//!
//! Which inputs and which guesses are good depends on the mechanism: [`values`] (labels and features), [`lists`] (neighbours), [`counts`]
//! (degree vectors), [`graphs`] (whole graphs), [`answers`] (labels of public nodes).
//! [`pipeline`] goes through a whole training instead, and asks the model. An [`Audit`] puts it all together and gives a [`Verdict`].

pub mod answers;
pub mod bounds;
pub mod counts;
pub mod exact;
pub mod graphs;
pub mod guesses;
pub mod lists;
pub mod pipeline;
mod report;
mod subject;
#[cfg(test)]
mod tests;
pub mod values;
mod walk;

pub use report::{Audit, CERTAIN, Canaries, Claim, Exact, Method, Promise, Quantiles, TOLERANCE, Verdict, Witness};
pub use subject::Subject;

use veil_graph::{DatasetError, GraphError};
use veil_learn::LearnError;
use veil_learn::run::ElsewhereError;
use veil_privacy::answers::AnswerError;
use veil_privacy::mechanism::InputError;
use veil_privacy::protocol::ProtocolError;
use veil_privacy::{CoinsError, ParamError};

use crate::attack::AttackError;

/// How much is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many adjacent pairs the exact audit compares, where all would be too many.
    pub pairs: usize,
    /// How many canaries are planted, at most.
    pub canaries: usize,
    /// What pairs, canaries and the mechanism's coins are drawn from.
    pub seed: u64,
}

/// Why a mechanism could not be audited.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// It could not run.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// Its parameters make no sense.
    #[error(transparent)]
    Parameters(#[from] ParamError),
    /// It refused an input.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Lists with canaries are no graph.
    #[error(transparent)]
    Lists(#[from] GraphError),
    /// Its answers could not be asked for.
    #[error(transparent)]
    Answers(#[from] AnswerError),
    /// It could not be planned, or a model could not be trained.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// A model could not be trained.
    #[error(transparent)]
    Training(#[from] ElsewhereError),
    /// A model could not be asked.
    #[error(transparent)]
    Attack(#[from] AttackError),
    /// Lists with canaries do not fit the data.
    #[error(transparent)]
    Data(#[from] DatasetError),
    /// There is no randomness.
    #[error(transparent)]
    Coins(#[from] CoinsError),
    /// There are too few nodes to plant anything.
    #[error("{nodes} nodes are too few for an audit of {mechanism}, which needs {least}")]
    TooSmall {
        /// What was to be audited.
        mechanism: String,
        /// How many nodes there are.
        nodes: usize,
        /// How many it needs.
        least: usize,
    },
    /// Something that it reads is missing.
    #[error("an audit of {mechanism} needs {what}, and the data have none")]
    Missing {
        /// What was to be audited.
        mechanism: String,
        /// What is missing.
        what: &'static str,
    },
}
