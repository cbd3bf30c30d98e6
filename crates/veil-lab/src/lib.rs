//! Many runs: from "these methods, these data, these budgets" to a table with intervals, a picture and a folder that says how it was made.
//!
//! [`statistics`] says what figures of several runs mean together.

pub mod outcome;
pub mod statistics;

pub use outcome::{Outcome, Promised};
