//! The methods of the papers, end to end: what is released, what is trained, what is saved.
//!
//! [`Parameters`] say everything that decides a run. [`local`] learns from local reports; what it works on are released data
//! ([`Privatised`](veil_privacy::release::Privatised)), so it cannot touch what is sealed. [`run`] keeps what was learned in a
//! folder; [`metrics`] say how right it is. A [`Predictor`] is all that the outside sees of it.

mod deployed;
mod error;
mod fit;
pub mod local;
pub mod metrics;
mod parameters;
mod predictor;
pub mod run;

pub use deployed::{Deployed, Surface};
pub use error::LearnError;
pub use fit::{Fitted, Watch, check};
pub use parameters::{Edges, Parameters, ParametersError, Scaling, Select, UseFeatures};
pub use predictor::{Predictor, PredictorError, WhiteBox};
pub use run::Run;
