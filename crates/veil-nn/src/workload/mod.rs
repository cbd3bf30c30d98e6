//! How fast this is: made-up work, and the figures that it gives.
//!
//! [`shape`] fills the shapes of published data sets at random; [`measure`] times what the methods spend their time on. Used by
//! `veil bench nn`, by `benches/`, and (the same shapes, drawn there) by `scripts/bench_pyg.py`.

mod figures;
pub mod shape;

pub use figures::{Figure, NAMES, measure, peak_memory};
