//! What each point lost against ε = ∞.
//!
//! The reference is the non-private case on the same data with the same settings: parameters that both have, a model say, are
//! equal, but for those that set the ε of edges or nodes. Where there is no such point, or more than one, it is the same case at
//! ε = ∞. What is a reference itself has no gap to itself. The floor has one: what doing without edges costs.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{ACCURACY, BOOTSTRAP_SEED, Budget, Role, ToInfinity, Worth};
use crate::outcome::Outcome;
use crate::statistics::gap;

/// Parameters that set the ε of edges or nodes: a point and its reference differ in them.
const OF_EDGES: [&str; 3] = ["epsilon", "epsilon-edges", "epsilon-count"];

/// Accuracies by seed.
pub(super) fn by_seed(runs: &[&Outcome]) -> BTreeMap<u64, f64> {
    let done = runs.iter().filter(|run| run.error.is_none());
    let figures = done.filter_map(|run| Some((run.seed, *run.figures.get(ACCURACY)?)));
    figures.filter(|(_, accuracy)| accuracy.is_finite()).collect()
}

pub(super) fn fill(points: &mut [Worth], by_seed: &[BTreeMap<u64, f64>]) {
    // Only these can be references: a sweep may have thousands of others.
    let infinite: Vec<usize> =
        (0..points.len()).filter(|&place| !matches!(points[place].budget, Budget::Finite(_))).collect();
    for place in 0..points.len() {
        let found = reference(points, &infinite, place).and_then(|reference| {
            let gap = gap(by_seed.get(place)?, by_seed.get(reference)?, BOOTSTRAP_SEED).ok()?;
            Some(ToInfinity { reference: points[reference].case.clone(), gap })
        });
        points[place].gap = found;
    }
}

fn reference(points: &[Worth], infinite: &[usize], place: usize) -> Option<usize> {
    let own = &points[place];
    if own.role == Role::NonPrivate && !matches!(own.budget, Budget::Finite(_)) {
        return None;
    }
    let only = |like: &dyn Fn(&Worth) -> bool| {
        let mut alike = infinite.iter().copied().filter(|&other| {
            let found = &points[other];
            found.data == own.data && like(found) && same_settings(&found.point, &own.point)
        });
        alike.next().filter(|_| alike.next().is_none())
    };
    let found = only(&|other| other.role == Role::NonPrivate)
        .or_else(|| only(&|other| other.case == own.case && other.budget == Budget::Infinite));
    found.filter(|reference| *reference != place)
}

fn same_settings(one: &BTreeMap<String, Value>, other: &BTreeMap<String, Value>) -> bool {
    one.iter()
        .filter(|(name, _)| !OF_EDGES.contains(&name.as_str()))
        .all(|(name, value)| other.get(name).is_none_or(|also| also == value))
}
