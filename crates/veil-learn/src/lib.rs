//! The methods of the papers, end to end: what is released, what is trained, what is saved.
//!
//! [`Parameters`] say everything that decides a run; a [`method`] gives their defaults where the owner of a graph is trusted. [`learn()`]
//! works on released data ([`Privatised`](veil_privacy::release::Privatised)), so it cannot touch what is sealed: one network on a
//! released graph, or a stack of them on degree vectors. In [`teaching`] a private graph labels a public one, from which a student
//! learns. [`run`] keeps what was learned in a folder. A [`Predictor`] is all that the outside sees of it; [`metrics`] say how good its
//! answers are.

mod bayes;
mod by_bayes;
mod deployed;
mod error;
mod fit;
mod learn;
pub mod method;
pub mod metrics;
mod network;
mod parameters;
mod predictor;
pub mod run;
mod scaled;
mod stack;
pub mod teaching;

pub use deployed::{Deployed, Surface};
pub use error::LearnError;
pub use fit::{Fitted, Watch, check, validated};
pub use learn::{Learned, Seen, learn, most_likely};
pub use method::Method;
pub use parameters::{Choose, Edges, Parameters, ParametersError, Readout, Release, Scaling, Select, UseFeatures};
pub use predictor::{Predictor, PredictorError, WhiteBox};
pub use run::Run;
