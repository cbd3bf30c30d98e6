//! Learn from graphs whose edges, features and labels are private, and know what was protected.
//!
//! This crate is the facade: its [`prelude`] has everything from a file to a private model and its
//! statement. The crates behind it are [`graph`] (graphs and data), [`privacy`] (mechanisms,
//! guarantees, ledger), [`nn`] (networks), [`learn`] (methods and the pipeline) and, with features
//! of the same names, `attack` (attacks and audits) and `lab` (sweeps, published tables, reports).
//!
//! ```
//! use veilgraph::prelude::*;
//!
//! // A small folder with edges, features and labels; `open` reads many other layouts, too.
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("graph");
//! let small = Community::citation().with_nodes(300).check()?.generate(1);
//! veilgraph::graph::write::write_folder(&small, &path)?;
//!
//! let graph = open(&path.display().to_string())?;
//! let settings = Settings::from_iter([("epsilon-edges", 4.into()), ("epochs", 20.into())]);
//! let method = method::configure("lpgnet", &settings)?;
//! let (terms, payment) = (Terms::default(), Payment::default());
//! let input = Input::Graphs(Graphs::one(graph, &terms, &payment)?);
//! let trained = Job { method, terms, payment, input }.run(Place::Memory, &Silent)?;
//! let guarantee = trained.run.released().statement().guarantees.last().unwrap();
//! assert_eq!((guarantee.unit, guarantee.epsilon.to_string().as_str()), (Unit::Edge, "4"));
//! println!("{}", trained.run.released().statement().to_markdown());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "attack")]
pub use veil_attack as attack;
pub use veil_graph as graph;
#[cfg(feature = "lab")]
pub use veil_lab as lab;
pub use veil_learn as learn;
pub use veil_nn as nn;
pub use veil_privacy as privacy;

/// Everything from a file to a private model and its statement.
pub mod prelude {
    pub use veil_graph::generate::Community;
    pub use veil_graph::{Dataset, Features, Graph, Labels, Part, Split};
    pub use veil_learn::method::{self, Method};
    pub use veil_learn::pipeline::{
        Graphs, Hooks, Input, Job, Payment, Place, Silent, SplitChoice, Terms, Trained, infer, open, release,
    };
    pub use veil_learn::{Predictor, Run, Settings};
    pub use veil_privacy::{Budget, Coins, Delta, Epsilon, Guarantee, Ledger, Private, Statement, Status, Trust, Unit};
}
