//! The few loops in which training spends its time.
//!
//! Each is written once over arrays of fixed width and compiled for several instruction sets ([`level`]); [`parallel`] splits rows
//! over threads without changing a bit. [`gather`] sums rows along edges, [`gemm`] multiplies dense matrices, [`bits`] those
//! of zeros and ones, [`elementwise`] and [`activation`] change every number on its own, [`softmax`] every row, [`attention`]
//! weighs what a node receives, and [`adam`] is a training step; [`exp`] is the one
//! function that is not arithmetic. Every kernel has a plain twin that its tests compare it with.
//!
//! `unsafe` stands in [`level`] alone: to call code for instructions that were found, and to prefetch.

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
