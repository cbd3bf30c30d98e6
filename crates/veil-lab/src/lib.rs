//! Many runs: from "these methods, these data, these budgets" to a table with intervals, a picture
//! and a folder that says how it was made.
//!
//! A [`sweep`] runs them; each gives an [`Outcome`]. An [`evaluation`] scores several releases of
//! what teachers say. [`statistics`] says what figures of several runs mean together, and
//! [`worth`](mod@worth) what every point of a sweep is worth beside the others; [`reproduce`] puts
//! published tables beside our own, and a [`report`] shows everything on one page.

pub mod evaluation;
pub mod outcome;
pub mod report;
pub mod reproduce;
pub mod statistics;
pub mod sweep;
pub mod worth;

pub use outcome::{Outcome, Promised, decided};
pub use report::Report;
