//! The loops in which training spends its time.
//!
//! Each kernel is written once over arrays of fixed width and compiled for several instruction sets
//! ([`level`]). [`parallel`] splits rows over threads without changing a bit. [`gather`] sums rows
//! along edges, [`gemm`] multiplies dense matrices, [`bits`] binary ones; [`elementwise`] and
//! [`activation`] work on single numbers, [`softmax`] on rows; [`attention`] weighs the messages of
//! a node; [`adam`] updates parameters; [`exp`] is the only function beyond arithmetic. The tests
//! compare every kernel with a plain implementation.
//!
//! `unsafe` occurs only in [`level`]: to call code for detected instruction sets, and to prefetch.

#![allow(clippy::needless_range_loop, reason = "lanes and tiles are counted, several arrays at a time")]

pub mod activation;
pub mod adam;
pub mod attention;
pub mod bits;
pub mod elementwise;
pub mod exp;
pub mod gather;
pub mod gemm;
pub mod level;
pub mod parallel;
pub mod softmax;
#[cfg(test)]
pub(crate) mod tests;

pub use activation::Activation;
pub use level::Level;
