//! Methods that learn from graphs with private edges, features and labels, and the pipeline that
//! runs them.
//!
//! A [`method`] says what is released, how networks learn from it and how they answer; [`pipeline`]
//! takes any of them from raw data to a [`run`] folder: open → plan → place → charge → release →
//! learn → score → write. A [`Predictor`] is everything that the outside sees of a model;
//! [`metrics`] measure its answers. [`publication`] makes the folder that may be handed over.
//! [`choose`] says from public facts which method to take.
//!
//! ```
//! use veil_graph::generate::Community;
//! use veil_learn::pipeline::{Graphs, Input, Job, Payment, Place, Silent, Terms};
//! use veil_learn::{method, Settings};
//!
//! let graph = Community::citation().with_nodes(300).check()?.generate(1);
//! let settings = Settings::from_iter([("epsilon-edges", 4.into()), ("epochs", 5.into())]);
//! let (terms, payment) = (Terms::default(), Payment::experiment(1));
//! let input = Input::Graphs(Graphs::one(graph, &terms, &payment)?);
//! let job = Job { method: method::configure("lpgnet", &settings)?, terms, payment, input };
//! let trained = job.run(Place::Memory, &Silent)?;
//! assert_eq!(trained.run.released().statement().guarantees.last().unwrap().epsilon.to_string(), "4");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod choose;
mod deployed;
mod error;
mod fit;
mod learn;
pub mod method;
pub mod metrics;
pub mod parameters;
pub mod pipeline;
mod predictor;
pub mod publication;
pub mod run;
mod scaled;
mod symmetric;

pub use deployed::{Deployed, Surface};
pub use error::LearnError;
pub use fit::{Fitted, Watch};
pub use learn::Learned;
pub use method::{Method, MethodError, most_likely};
pub use pipeline::PipelineError;
pub use predictor::{Predictor, PredictorError, WhiteBox};
pub use run::Run;
pub use veil_privacy::parameters::Settings;
