//! What every point of a sweep is worth: its accuracy, what it loses to privacy, and whether
//! another is better.
//!
//! Outcomes that differ in nothing but the seed are one point. [`Budget`] is its ε, [`References`]
//! are the cases that others are compared with: the case without edges (the floor), and the case
//! without privacy. `compare` finds gaps and sweet spots, `fronts` the Pareto fronts, all by
//! [`statistics`](crate::statistics). Tables, `--json` and the report show the same, with the same
//! remarks ([`words`]). `group` knows what a parameter is for.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use serde::Serialize;
use serde_json::Value;

use crate::outcome::{Outcome, Promised};
use crate::statistics::{Gap, Summary, mean, summary};

mod budget;
mod compare;
mod fronts;
mod group;
mod references;
#[cfg(test)]
pub(crate) mod tests;
pub mod words;

pub use budget::Budget;
pub(crate) use budget::{as_number, is_of_edges, of_edges};
pub use compare::NoVerdict;
pub(crate) use compare::{Region, region};
pub(crate) use group::{Group, group, help};
pub use references::{Candidates, References};

/// The parameter that names the inference graph.
const INFERENCE: &str = "inference-data";
/// The seed of the bootstrap: intervals are reproducible.
const BOOTSTRAP_SEED: u64 = 1;

/// The role of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Compared with the others.
    Method,
    /// The case without edges.
    Floor,
    /// The case without privacy.
    NonPrivate,
}

/// The nodes that an accuracy is about. An attack is on the same graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scored {
    /// The test nodes of the training graph, or of a student's public graph.
    Test,
    /// All nodes of an inference graph.
    Inference,
}

impl Scored {
    /// The figure that is called accuracy.
    pub fn figure(self) -> &'static str {
        match self {
            Scored::Test => "test_accuracy",
            Scored::Inference => "inference_accuracy",
        }
    }
}

/// Runs that differ in nothing but the seed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worth {
    /// The name of the data set.
    pub data: String,
    /// The name of the case.
    pub case: String,
    /// The parameters of the grid.
    pub point: BTreeMap<String, Value>,
    /// All parameters, where they are known.
    pub parameters: BTreeMap<String, Value>,
    /// The role of the case.
    pub role: Role,
    /// ε: a number, "inf", or null where none is stated.
    #[serde(rename = "epsilon")]
    pub budget: Budget,
    /// Whether its runs read no edges. Then the ε above is not about edges.
    pub edge_free: bool,
    /// The promises, each once.
    pub promises: Vec<Promised>,
    /// The number of runs.
    pub runs: usize,
    /// The number of failed runs.
    pub failed: usize,
    /// The nodes that the accuracy is about.
    pub scored: Scored,
    /// The accuracy.
    pub accuracy: Option<Summary>,
    /// The mean validation accuracy, by which parameters may be chosen.
    pub validation: Option<f64>,
    /// The AUC of each attack, by the name of the figure.
    pub attacks: BTreeMap<String, Summary>,
    /// The gap to ε = ∞.
    pub gap: Option<ToInfinity>,
    /// The Pareto fronts that it is on.
    pub front: Fronts,
    /// By attack, whether it is a sweet spot, where that is known. References have none.
    pub sweet: BTreeMap<String, bool>,
    /// Why that is unknown for some attack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_verdict: Option<NoVerdict>,
}

/// The gap to ε = ∞.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToInfinity {
    /// The reference: the non-private case, or the same case.
    pub reference: String,
    /// By how much the reference is more accurate, seed by seed.
    #[serde(flatten)]
    pub gap: Gap,
    /// The parameters in which it differs, besides the release of edges.
    pub differs: Vec<String>,
}

/// The Pareto fronts that a point is on.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Fronts {
    /// Of ε and accuracy; none if it takes no part, because its promise is refuted or it has no
    /// accuracy.
    pub epsilon: Option<bool>,
    /// Of each attack's AUC and accuracy.
    pub attacks: BTreeMap<String, bool>,
}

impl Worth {
    /// Whether it is a sweet spot by every attack for which that is known; none if there is none.
    pub fn is_sweet(&self) -> Option<bool> {
        (!self.sweet.is_empty()).then(|| self.sweet.values().all(|sweet| *sweet))
    }

    /// Everything but the comparisons.
    fn of(runs: &[&Outcome], references: &References) -> Option<Worth> {
        let first = runs.first()?;
        let done: Vec<&&Outcome> = runs.iter().filter(|run| run.error.is_none()).collect();
        let values = |name: &str| by_seed(runs, name).into_values().collect::<Vec<f64>>();
        let summed = |name: &str| summary(&values(name), BOOTSTRAP_SEED).ok();
        let names: BTreeSet<&String> = done.iter().flat_map(|run| run.figures.keys()).collect();
        let attacks = names.into_iter().filter(|name| is_attack(name));
        let mut promises: Vec<Promised> = Vec::new();
        for promise in runs.iter().flat_map(|run| &run.promises) {
            if !promises.contains(promise) {
                promises.push(promise.clone());
            }
        }
        let elsewhere = runs.iter().any(|run| run.figures.contains_key(Scored::Inference.figure()))
            || first.parameters.contains_key(INFERENCE);
        let scored = if elsewhere { Scored::Inference } else { Scored::Test };
        let (role, validation) = (references.role(&first.case), values("validation_accuracy"));
        Some(Worth {
            data: first.data.clone(),
            case: first.case.clone(),
            point: first.point.clone(),
            parameters: first.parameters.clone(),
            role,
            budget: Budget::of(done.first().unwrap_or(&first)),
            edge_free: role == Role::Floor || references::are_without_edges(&promises),
            promises,
            runs: runs.len(),
            failed: runs.len() - done.len(),
            scored,
            accuracy: summed(scored.figure()),
            validation: (!validation.is_empty()).then(|| mean(&validation)),
            attacks: attacks.filter_map(|name| Some((name.clone(), summed(name)?))).collect(),
            gap: None,
            front: Fronts::default(),
            sweet: BTreeMap::new(),
            no_verdict: None,
        })
    }
}

/// Whether a figure is the AUC of an attack; that of the rarer class is not.
fn is_attack(figure: &str) -> bool {
    figure.ends_with("_auc") && !figure.ends_with("rare_roc_auc")
}

/// What every point is worth, in the order of their first outcomes. Failed runs and figures that
/// are not finite do not count.
pub fn worth(outcomes: &[Outcome], references: &References) -> Vec<Worth> {
    let runs = grouped(outcomes);
    // Intervals take time, and each has its own seed.
    let mut points: Vec<Worth> = runs.par_iter().filter_map(|same| Worth::of(same, references)).collect();
    compare::fill(&mut points, &runs);
    fronts::fill(&mut points);
    points
}

/// The runs of each point: the same case, data, parameters and promises, for run folders may share
/// names. A failed run has no promise: it is counted with the others of its parameters.
fn grouped(outcomes: &[Outcome]) -> Vec<Vec<&Outcome>> {
    let mut places: BTreeMap<_, usize> = BTreeMap::new();
    let mut groups: Vec<(Vec<Vec<&Outcome>>, Vec<&Outcome>)> = Vec::new();
    for outcome in outcomes {
        let parameters = [&outcome.point, &outcome.parameters].map(|it| format!("{it:?}"));
        let place = *places.entry((&outcome.data, &outcome.case, parameters)).or_insert(groups.len());
        if place == groups.len() {
            groups.push((Vec::new(), Vec::new()));
        }
        let (points, failed) = &mut groups[place];
        let same = |point: &&mut Vec<&Outcome>| promise_the_same(point[0], outcome);
        match points.iter_mut().find(same) {
            _ if outcome.error.is_some() => failed.push(outcome),
            Some(point) => point.push(outcome),
            None => points.push(vec![outcome]),
        }
    }
    for (points, failed) in &mut groups {
        match points.first_mut() {
            Some(first) => first.append(failed),
            None => points.push(std::mem::take(failed)),
        }
    }
    groups.into_iter().flat_map(|(points, _)| points).collect()
}

/// Explanations of a promise do not count.
fn promise_the_same(one: &Outcome, other: &Outcome) -> bool {
    let same = |(one, other): (&Promised, &Promised)| {
        let Promised { assumptions, not_protected, source, .. } = one.clone();
        *one == Promised { assumptions, not_protected, source, ..other.clone() }
    };
    one.promises.len() == other.promises.len() && one.promises.iter().zip(&other.promises).all(same)
}

/// A figure by seed, of runs that did not fail, where it is finite.
fn by_seed(runs: &[&Outcome], figure: &str) -> BTreeMap<u64, f64> {
    let done = runs.iter().filter(|run| run.error.is_none());
    let figures = done.filter_map(|run| Some((run.seed, *run.figures.get(figure)?)));
    figures.filter(|(_, value)| value.is_finite()).collect()
}

/// The places of points that can be compared: of one data set, with accuracies of the same nodes.
fn comparable(points: &[Worth]) -> Vec<Vec<usize>> {
    let mut places: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (place, point) in points.iter().enumerate() {
        let elsewhere = point.parameters.get(INFERENCE).map(Value::to_string);
        places.entry((&point.data, point.scored, elsewhere)).or_default().push(place);
    }
    places.into_values().collect()
}
