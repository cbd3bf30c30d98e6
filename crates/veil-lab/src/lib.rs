//! Experiments: many runs, from a file to tables with intervals, pictures and a folder of results.
//!
//! A [`sweep`] runs them; each has an [`Outcome`]. [`students`] of a private graph are scored with
//! teachers that are trained once. [`statistics`] are over several runs, [`worth`](mod@worth)
//! compares the points of a sweep, [`reproduce`] compares published tables with ours, and a
//! [`report`] shows everything on one page. The [`frontier`](mod@frontier) shows all methods by the
//! true ε of one unit.

pub mod frontier;
pub mod outcome;
pub mod report;
pub mod reproduce;
pub mod statistics;
pub mod students;
pub mod sweep;
pub mod worth;

pub use outcome::{Outcome, Promised, decided};
pub use report::Report;
