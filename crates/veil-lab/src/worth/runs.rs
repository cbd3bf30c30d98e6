//! Which runs are one point: those that differ in nothing but the seed.
//!
//! Case, data and point are what a sweep calls them; all parameters must be equal too, and what is promised, for runs of several
//! folders may have the same names. A run that failed promises nothing: it goes with the others of its parameters.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::outcome::{Outcome, Promised};

/// The runs of each point, in the order in which points first appear.
pub(super) fn together(outcomes: &[Outcome]) -> Vec<Vec<&Outcome>> {
    let mut places: BTreeMap<(&str, &str, [String; 2]), usize> = BTreeMap::new();
    let mut alike: Vec<Vec<&Outcome>> = Vec::new();
    for outcome in outcomes {
        let told = [&outcome.point, &outcome.parameters].map(text);
        let place = *places.entry((&outcome.data, &outcome.case, told)).or_insert(alike.len());
        match alike.get_mut(place) {
            Some(same) => same.push(outcome),
            None => alike.push(vec![outcome]),
        }
    }
    alike.into_iter().flat_map(by_promises).collect()
}

/// Values of parameters have no order; as text they have.
fn text(parameters: &BTreeMap<String, Value>) -> String {
    parameters.iter().map(|(name, value)| format!("{name}={value}\n")).collect()
}

fn by_promises(runs: Vec<&Outcome>) -> Vec<Vec<&Outcome>> {
    let mut points: Vec<Vec<&Outcome>> = Vec::new();
    let mut failed: Vec<&Outcome> = Vec::new();
    for run in runs {
        let same =
            |point: &&mut Vec<&Outcome>| point.first().is_some_and(|first| alike(&first.promises, &run.promises));
        match points.iter_mut().find(same) {
            _ if run.error.is_some() => failed.push(run),
            Some(point) => point.push(run),
            None => points.push(vec![run]),
        }
    }
    match points.first_mut() {
        Some(first) => first.extend(failed),
        None => points.push(failed),
    }
    points
}

/// Whether the same is promised. Words that explain it do not count.
fn alike(one: &[Promised], other: &[Promised]) -> bool {
    let same = |one: &Promised, other: &Promised| {
        let told = |it: &Promised| (it.epsilon, it.delta, it.per_relationship, it.reproducible);
        (&one.unit, &one.status, &one.mechanism) == (&other.unit, &other.status, &other.mechanism)
            && told(one) == told(other)
    };
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
}

/// A figure by seed, of runs that did not fail, where it is a finite number.
pub(super) fn by_seed(runs: &[&Outcome], figure: &str) -> BTreeMap<u64, f64> {
    let done = runs.iter().filter(|run| run.error.is_none());
    let figures = done.filter_map(|run| Some((run.seed, *run.figures.get(figure)?)));
    figures.filter(|(_, value)| value.is_finite()).collect()
}
