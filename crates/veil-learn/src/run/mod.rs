//! The run folder: what was released, what was learned from it, and all that decided it.
//!
//! `run.json` (version, method, every parameter, seed or "os", timings), `privacy.json` and `privacy.md`, `model.safetensors` (the chosen
//! epoch) and `last.safetensors` (with a stack of networks also `stage-N.safetensors`), `predictions.csv`, `metrics.json`, and
//! `released/`. Two things in it do not follow from released data and are for whoever holds the raw data: `truth` in `metrics.json`,
//! and `seconds` in `run.json`.

mod folder;
#[cfg(test)]
mod tests;

pub use folder::{Record, Run, RunError, Seconds, Seed, Weights};

use serde::{Deserialize, Serialize};
use veil_graph::{Dataset, Labels, Matrix, NodeId, Part};
use veil_privacy::{Private, Truth};

use crate::local::most_likely;

/// What needs the truth to be known: it is for whoever holds it, and no part of the release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The share of test nodes whose true label is the most likely one; `None` if no test node has a label.
    pub test_accuracy: Option<f64>,
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
    Score {
        test_accuracy: raw.labels().and_then(|labels| test_accuracy(posteriors, labels, released)),
        edges_before: raw.graph().entries(),
        edges_after: lists.entries(),
        edges_kept: (0..lists.nodes()).map(kept).sum(),
    }
}

fn test_accuracy(posteriors: &Matrix, labels: &Labels, released: &Dataset) -> Option<f64> {
    let classes = most_likely(posteriors);
    let tested = released.split()?.nodes(Part::Test).filter_map(|node| Some((node, labels.get(node)?)));
    let (mut right, mut all) = (0usize, 0usize);
    for (node, label) in tested {
        all += 1;
        right += usize::from(classes.get(node as usize) == Some(&label));
    }
    (all > 0).then(|| right as f64 / all as f64)
}
