//! What every point of a sweep is worth: how accurate it is, what it lost to privacy, and whether another is better.
//!
//! Outcomes that differ in nothing but the seed are one point. `budget` says what ε it has, [`References`] which cases others
//! are compared with: the one that uses no edges (the floor), and the one that is not private. `gaps`, `fronts` and `sweet` are
//! the comparisons, all by [`statistics`](crate::statistics). Tables, `--json` and the report show what is found here: there is
//! one rule for each.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;
use serde_json::Value;

use crate::outcome::{Outcome, Promised};
use crate::statistics::{Gap, Summary, mean, summary};

mod budget;
mod fronts;
mod gaps;
mod references;
mod sweet;
#[cfg(test)]
mod tests;

pub use budget::Budget;
pub(crate) use budget::as_number;
pub use references::References;
pub(crate) use sweet::region;

/// The figure that is called accuracy here.
const ACCURACY: &str = "test_accuracy";
const VALIDATION: &str = "validation_accuracy";
/// Of the bootstrap: intervals are the same every time.
const BOOTSTRAP_SEED: u64 = 1;

/// What a case is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It is compared.
    Method,
    /// What can be had without edges.
    Floor,
    /// What can be had without privacy.
    NonPrivate,
}

/// What the runs gave together that differ in nothing but the seed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worth {
    /// The name of the data set.
    pub data: String,
    /// The name of the case.
    pub case: String,
    /// The parameters of the grid.
    pub point: BTreeMap<String, Value>,
    /// What the case is for.
    pub role: Role,
    /// ε: a number, "inf", or null where none is stated.
    #[serde(rename = "epsilon")]
    pub budget: Budget,
    /// Whether its runs got no edges. Then there is no ε of edges, and the ε above is about something else.
    pub edge_free: bool,
    /// What was promised, each once.
    pub promises: Vec<Promised>,
    /// How many runs there are.
    pub runs: usize,
    /// How many of them failed.
    pub failed: usize,
    /// The test accuracy.
    pub accuracy: Option<Summary>,
    /// The mean validation accuracy: what parameters may be chosen by.
    pub validation: Option<f64>,
    /// The area under the curve of each attack, by the name of the figure.
    pub attacks: BTreeMap<String, Summary>,
    /// What is lost against ε = ∞, and what that was.
    pub gap: Option<ToInfinity>,
    /// Where no other point of the data is better.
    pub front: Fronts,
    /// By each attack, whether it is a sweet spot. Attacks that the floor's or the non-private case's figures are missing for are
    /// not there; nor is anything for these two cases.
    pub sweet: BTreeMap<String, bool>,
}

/// The gap to ε = ∞.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToInfinity {
    /// The case that is compared with: the non-private one, or the same.
    pub reference: String,
    /// How much more accurate that is, seed by seed.
    #[serde(flatten)]
    pub gap: Gap,
}

/// Which fronts a point is on.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Fronts {
    /// Of ε and accuracy; none if it takes no part, because its promise is refuted or it has no accuracy.
    pub epsilon: Option<bool>,
    /// Of each attack's AUC and accuracy.
    pub attacks: BTreeMap<String, bool>,
}

impl Worth {
    /// Whether it is a sweet spot by every attack that can tell; none if no attack can.
    pub fn is_sweet(&self) -> Option<bool> {
        (!self.sweet.is_empty()).then(|| self.sweet.values().all(|sweet| *sweet))
    }

    /// All but what others have to do with it.
    fn of(runs: &[&Outcome], references: &References) -> Option<Worth> {
        let first = runs.first()?;
        let done: Vec<&&Outcome> = runs.iter().filter(|run| run.error.is_none()).collect();
        let values = |name: &str| -> Vec<f64> {
            let found = done.iter().filter_map(|run| run.figures.get(name).copied());
            found.filter(|value| value.is_finite()).collect()
        };
        let summed = |name: &str| summary(&values(name), BOOTSTRAP_SEED).ok();
        let names = done.iter().flat_map(|run| run.figures.keys()).filter(|name| is_attack(name));
        let mut attacks: BTreeMap<String, Option<Summary>> = names.map(|name| (name.clone(), None)).collect();
        attacks.iter_mut().for_each(|(name, auc)| *auc = summed(name));
        let mut promises: Vec<Promised> = Vec::new();
        for promise in runs.iter().flat_map(|run| &run.promises) {
            if !promises.contains(promise) {
                promises.push(promise.clone());
            }
        }
        let (validation, role) = (values(VALIDATION), references.role(&first.case));
        Some(Worth {
            data: first.data.clone(),
            case: first.case.clone(),
            point: first.point.clone(),
            role,
            budget: Budget::of(done.first().unwrap_or(&first)),
            edge_free: role == Role::Floor || references::speaks_of_no_edges(&promises),
            promises,
            runs: runs.len(),
            failed: runs.len() - done.len(),
            accuracy: summed(ACCURACY),
            validation: (!validation.is_empty()).then(|| mean(&validation)),
            attacks: attacks.into_iter().filter_map(|(name, auc)| Some((name, auc?))).collect(),
            gap: None,
            front: Fronts::default(),
            sweet: BTreeMap::new(),
        })
    }
}

/// Whether a figure is the area under an attack's curve. That of the rarer class is no attack's.
fn is_attack(figure: &str) -> bool {
    figure.ends_with("_auc") && !figure.ends_with("rare_roc_auc")
}

/// What every point is worth, in the order in which points first appear. Failed runs and figures that are no finite numbers count
/// for nothing.
pub fn worth(outcomes: &[Outcome], references: &References) -> Vec<Worth> {
    let mut places: BTreeMap<(&str, &str, String), usize> = BTreeMap::new();
    let mut runs: Vec<Vec<&Outcome>> = Vec::new();
    for outcome in outcomes {
        // Values of parameters have no order; as text they have.
        let point: Vec<String> = outcome.point.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let place = *places.entry((&outcome.data, &outcome.case, point.join("\n"))).or_insert(runs.len());
        match runs.get_mut(place) {
            Some(same) => same.push(outcome),
            None => runs.push(vec![outcome]),
        }
    }
    // Intervals take their time, and each has a seed of its own.
    let mut points: Vec<Worth> = runs.par_iter().filter_map(|same| Worth::of(same, references)).collect();
    let by_seed: Vec<BTreeMap<u64, f64>> = runs.iter().map(|same| gaps::by_seed(same)).collect();
    gaps::fill(&mut points, &by_seed);
    fronts::fill(&mut points);
    sweet::fill(&mut points);
    points
}

/// The places of the points of each data set.
fn by_data(points: &[Worth]) -> Vec<Vec<usize>> {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, point) in points.iter().enumerate() {
        places.entry(&point.data).or_default().push(place);
    }
    places.into_values().collect()
}

/// The attacks that any of the points knows.
fn attacks(points: &[Worth]) -> std::collections::BTreeSet<String> {
    points.iter().flat_map(|point| point.attacks.keys().cloned()).collect()
}
