//! Synthetic workloads and their timings.
//!
//! [`shape`] generates random data of the shapes of published data sets; [`measure`] times the
//! operations that dominate the methods. Used by `veil bench nn` and `benches/`;
//! `scripts/bench_pyg.py` uses the same shapes.

mod figures;
pub mod shape;

pub use figures::{Figure, NAMES, measure, peak_memory};
