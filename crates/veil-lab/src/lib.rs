//! Many runs: from "these methods, these data, these budgets" to a table with intervals, a picture and a folder that says how it was made.
//!
//! [`statistics`] says what figures of several runs mean together; [`report`] shows them on one page.

pub mod outcome;
pub mod report;
pub mod statistics;

pub use outcome::{Outcome, Promised};
pub use report::Report;
