//! Many runs: from "these methods, these data, these budgets" to a table with intervals, a picture and a folder that says how it was made.
//!
//! A [`sweep`] runs them; each gives an [`Outcome`]. [`statistics`] says what figures of several runs mean together.

pub mod outcome;
pub mod reproduce;
pub mod statistics;
pub mod sweep;

pub use outcome::{Outcome, Promised};
