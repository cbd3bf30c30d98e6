//! Attacks on released models, and an auditor of privacy guarantees.
//!
//! [`attack`] is the table of attacks. Attacks on edges: [`pairs`] draws pairs of nodes from the
//! true graph, [`linkteller`] (influence of one node on the other's posterior) or [`lsa`]
//! (similarity of both posteriors) rates them, and [`scores`] compares the ratings with the truth.
//! [`membership`] tells the nodes that a model learned from. [`audit`] tests whether a mechanism
//! keeps its guarantee.
//!
//! An attack sees a model through [`Predictor`](veil_learn::Predictor) or
//! [`WhiteBox`](veil_learn::WhiteBox) and never sees the true graph, which is used to draw pairs
//! and to score them only.
//!
//! **What the figures mean.** Linked nodes are often alike, so a model that never saw an edge can
//! rate edges above other pairs. Therefore every attack on edges should also [`run`] on the same
//! pairs against an edge-free twin: only what exceeds the twin's figure was leaked by the edges.
//! And no figure of one graph tests an ε: ε bounds how well two *adjacent* graphs are told apart,
//! which is another question.
//!
//! ```
//! use veil_attack::{attack, audit};
//! use veil_graph::generate::Community;
//! use veil_learn::pipeline::{Terms, experiment};
//! use veil_learn::Settings;
//!
//! let graph = Community::citation().with_nodes(120).check()?.generate(1);
//! let terms = Terms { split: "0.5,0.25,0.25".parse().ok(), ..Terms::default() };
//! let settings = Settings::from_iter([("epochs", 20.into())]);
//! let run = experiment("gnn", &settings, graph.clone(), terms, 1)?.run;
//!
//! let linkteller = attack::on_edges("linkteller", &Settings::from_iter([("pairs", 50.into())]))?;
//! let pairs = linkteller.pairs(graph.graph(), 1)?;
//! let model = run.deployed(linkteller.surface, linkteller.weights)?;
//! assert!(linkteller.run(&model, &pairs, 1)?.auc > 0.9);
//!
//! let edge_flip = audit::find("edge-flip")?;
//! let settings = edge_flip.at("2".parse().ok(), &Settings::default())?;
//! let options = audit::Options { pairs: 100, canaries: 50, seed: 1 };
//! let audits = edge_flip.audit(&settings, &graph, &options)?;
//! assert_eq!(audits[0].verdict, audit::Verdict::Holds);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod attack;
pub mod audit;
pub mod linkteller;
pub mod lsa;
pub mod membership;
pub mod pairs;
pub mod scores;

#[cfg(test)]
mod testing;

pub use attack::{Attack, AttackError, EdgeAttack, EdgeRating, run};
