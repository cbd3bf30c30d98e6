//! What PyTorch and PyTorch Geometric give, to 1e-5: the fixtures are made by `scripts/fixtures/make.py` in float64.

#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod activations;
mod fixture;
mod layers;
mod losses;
mod training;
