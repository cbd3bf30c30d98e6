//! The methods of the papers, end to end: what is released, what is trained, what is saved.
//!
//! Everything here works on released data. A [`Predictor`] is all that the outside sees of a trained model.

mod predictor;

pub use predictor::{Predictor, PredictorError, WhiteBox};
