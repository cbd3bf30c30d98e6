//! The run folder: what was released, what was learned from it, and everything that decided it.
//!
//! `run.json` (version, method, every parameter, seed or "os"), `privacy.json` and `privacy.md`,
//! `model.safetensors` (the chosen epoch) and `last.safetensors` (with a stack of networks also
//! `stage-N.safetensors`), `predictions.csv`, and `released/`. What is for the owner of the raw
//! data alone lies in [`owner/`](owner): scores, timings, and raw data that were not declared
//! public.
//! [`publication`](crate::publication) makes the folder that may be handed over.

mod error;
mod folder;
pub mod owner;
mod record;
#[cfg(test)]
mod tests;

pub use error::RunError;
pub use folder::{Run, Weights};
pub(crate) use folder::{fill_release, fill_statements};
pub use record::{Record, Seconds, Seed};

use serde::{Deserialize, Serialize};
use veil_graph::{Dataset, Matrix, NodeId, Part};
use veil_privacy::{Private, Truth};

use crate::metrics::{Classification, classification};

/// The statement about the training graph, in the folder of a run about another one.
pub(crate) const TRAINING: &str = "training";

/// The release of a validation graph, in the folder of a run.
pub(crate) const VALIDATION: &str = "validation";

/// Figures that need the truth: they are for its owner, and no part of the release.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The share of test nodes whose true label is the most likely one; `None` if no test node has
    /// a label.
    pub test_accuracy: Option<f64>,
    /// Further figures about the labels of these nodes.
    pub classification: Option<Classification>,
    /// True (node, neighbour) entries.
    pub edges_before: usize,
    /// Released (node, neighbour) entries.
    pub edges_after: usize,
    /// Entries that are in both.
    pub edges_kept: usize,
}

/// Compares predictions and released lists with the truth.
pub fn score(posteriors: &Matrix, released: &Dataset, truth: &Private<Dataset>, token: &Truth) -> Score {
    let raw = truth.for_scoring(token);
    let lists = released.graph();
    let kept = |node: NodeId| {
        let mut last = None;
        // A repeated entry was kept once.
        let distinct = lists.neighbours(node).iter().filter(move |&&target| last.replace(target) != Some(target));
        distinct.filter(|&&target| raw.graph().has_edge(node, target)).count()
    };
    let classification = raw.labels().zip(released.split()).and_then(|(labels, split)| {
        classification(posteriors, split.nodes(Part::Test).filter_map(|node| Some((node, labels.get(node)?))))
    });
    Score {
        test_accuracy: classification.as_ref().map(|found| found.accuracy),
        classification,
        edges_before: raw.graph().entries(),
        edges_after: lists.entries(),
        edges_kept: (0..lists.nodes()).map(kept).sum(),
    }
}

/// Compares predictions with true labels of a graph that a model was not trained on: of its test
/// nodes, if it has any (the others may have been in the training graph too), else of all. `None`
/// if none of them has a label.
pub fn score_all(posteriors: &Matrix, truth: &Private<Dataset>, token: &Truth) -> Option<Classification> {
    let raw = truth.for_scoring(token);
    let (labels, split) = (raw.labels()?, raw.split().filter(|split| split.count(Part::Test) > 0));
    let tested = |node: NodeId| split.is_none_or(|split| split.part(node) == Part::Test);
    let all = (0..).zip(labels.iter()).filter_map(|(node, label)| Some((node, label?)));
    classification(posteriors, all.filter(|&(node, _)| tested(node)))
}
