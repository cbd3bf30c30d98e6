//! What every point of a sweep is worth: how accurate it is, what it lost to privacy, and whether another is better.
//!
//! Outcomes that differ in nothing but the seed are one point (`runs`). `budget` says what ε it has, [`References`] which cases
//! others are compared with: the one that uses no edges (the floor), and the one that is not private; `like` says which of
//! their points. `gaps`, `fronts` and `sweet` are the comparisons, all by [`statistics`](crate::statistics). Tables, `--json` and
//! the report show what is found here, with the same [`words`] beside it: there is one rule for each.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;
use serde_json::Value;

use crate::outcome::{Outcome, Promised};
use crate::statistics::{Gap, Summary, mean, summary};

mod budget;
mod fronts;
mod gaps;
mod like;
mod references;
mod runs;
mod sweet;
#[cfg(test)]
mod tests;
pub mod words;

pub use budget::Budget;
pub(crate) use budget::as_number;
pub use references::{Candidates, References};
pub use sweet::NoVerdict;
pub(crate) use sweet::region;

const VALIDATION: &str = "validation_accuracy";
/// The parameter that says which other graph was asked about.
const ELSEWHERE: &str = "inference-data";
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

/// Which nodes an accuracy is about. An attack is on the same graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scored {
    /// The test nodes of the graph that was trained on, or of the public graph of a student.
    Test,
    /// All nodes of another graph that the model was asked about once trained (`inference-data`).
    Inference,
}

impl Scored {
    /// The figure that is called accuracy here.
    pub fn figure(self) -> &'static str {
        match self {
            Scored::Test => "test_accuracy",
            Scored::Inference => "inference_accuracy",
        }
    }
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
    /// Every parameter that decided it, where that is known.
    pub parameters: BTreeMap<String, Value>,
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
    /// Which nodes the accuracy is about.
    pub scored: Scored,
    /// The accuracy there.
    pub accuracy: Option<Summary>,
    /// The mean validation accuracy: what parameters may be chosen by.
    pub validation: Option<f64>,
    /// The area under the curve of each attack, by the name of the figure.
    pub attacks: BTreeMap<String, Summary>,
    /// What is lost against ε = ∞, and what that was.
    pub gap: Option<ToInfinity>,
    /// Where no other point of the data is better.
    pub front: Fronts,
    /// By each attack, whether it is a sweet spot, where that can be said. Nothing is said about the floor and the non-private case.
    pub sweet: BTreeMap<String, bool>,
    /// Why that cannot be said by some attack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_verdict: Option<NoVerdict>,
}

/// The gap to ε = ∞.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToInfinity {
    /// The case that is compared with: the non-private one, or the same.
    pub reference: String,
    /// How much more accurate that is, seed by seed.
    #[serde(flatten)]
    pub gap: Gap,
    /// In what it differs by nature, besides the release of edges: names of parameters. `like` in this folder says which those may be.
    pub differs: Vec<String>,
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
        let summed =
            |name: &str| summary(&runs::by_seed(runs, name).into_values().collect::<Vec<f64>>(), BOOTSTRAP_SEED).ok();
        let names = done.iter().flat_map(|run| run.figures.keys()).filter(|name| is_attack(name));
        let mut attacks: BTreeMap<String, Option<Summary>> = names.map(|name| (name.clone(), None)).collect();
        attacks.iter_mut().for_each(|(name, auc)| *auc = summed(name));
        let mut promises: Vec<Promised> = Vec::new();
        for promise in runs.iter().flat_map(|run| &run.promises) {
            if !promises.contains(promise) {
                promises.push(promise.clone());
            }
        }
        let elsewhere = runs.iter().any(|run| run.figures.contains_key(Scored::Inference.figure()))
            || first.parameters.contains_key(ELSEWHERE);
        let scored = if elsewhere { Scored::Inference } else { Scored::Test };
        let validation: Vec<f64> = runs::by_seed(runs, VALIDATION).into_values().collect();
        let role = references.role(&first.case);
        Some(Worth {
            data: first.data.clone(),
            case: first.case.clone(),
            point: first.point.clone(),
            parameters: first.parameters.clone(),
            role,
            budget: Budget::of(done.first().unwrap_or(&first)),
            edge_free: role == Role::Floor || references::speaks_of_no_edges(&promises),
            promises,
            runs: runs.len(),
            failed: runs.len() - done.len(),
            scored,
            accuracy: summed(scored.figure()),
            validation: (!validation.is_empty()).then(|| mean(&validation)),
            attacks: attacks.into_iter().filter_map(|(name, auc)| Some((name, auc?))).collect(),
            gap: None,
            front: Fronts::default(),
            sweet: BTreeMap::new(),
            no_verdict: None,
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
    let runs = runs::together(outcomes);
    // Intervals take their time, and each has a seed of its own.
    let mut points: Vec<Worth> = runs.par_iter().filter_map(|same| Worth::of(same, references)).collect();
    gaps::fill(&mut points, &runs);
    fronts::fill(&mut points);
    sweet::fill(&mut points, &runs);
    points
}

/// The places of points that can be compared: of one data set, with accuracies of the same nodes.
fn comparable(points: &[Worth]) -> Vec<Vec<usize>> {
    let mut places: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (place, point) in points.iter().enumerate() {
        let elsewhere = point.parameters.get(ELSEWHERE).map(Value::to_string);
        places.entry((&point.data, point.scored, elsewhere)).or_default().push(place);
    }
    places.into_values().collect()
}

/// The attacks that any of the points knows.
fn attacks(points: &[Worth]) -> std::collections::BTreeSet<String> {
    points.iter().flat_map(|point| point.attacks.keys().cloned()).collect()
}
