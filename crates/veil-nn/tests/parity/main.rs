//! Agreement with PyTorch and PyTorch Geometric to 1e-5. `scripts/fixtures/make.py` writes the
//! fixtures in float64.

#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod activations;
mod fixture;
mod layers;
mod losses;
mod training;
