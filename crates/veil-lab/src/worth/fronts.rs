//! Which points no other point of the same data beats: at ε and accuracy, and at each attack's AUC and accuracy. Accuracies on another
//! graph (`inference-data`) are compared with each other only.
//!
//! **The front of ε** holds only what can be compared. The ε is that of edges, or of nodes with their edges; what is paid for
//! features and labels, and δ, are not in it.
//! - An ε speaks of its own unit: one edge of the graph, one element of a neighbour list, a whole node. Points whose units
//!   differ do not beat each other: there is a front for each unit. Who promises something about several units takes part in
//!   each with what it promises there, and is on the front if it is on one of them.
//! - What is not private (ε = ∞), or promises nothing about edges that it got, costs ∞ on every front; it is on the front only
//!   if it is on all of them, that is, if nothing private is as accurate.
//! - A case without edges has no ε of edges. It tells nothing about them, so on fronts of edges it costs 0: a private graph
//!   network must be more accurate, or why use the graph. About nodes, whose features and labels it does use, it promises
//!   nothing: there it costs ∞.
//! - A refuted ε does not hold. Such a point takes no part: it neither is on the front nor keeps another from it. What is only
//!   claimed does take part; its status stands beside it.
//!
//! **The front of an attack** takes every point that was attacked, whatever it promises: the AUC is measured. Its cost is the mean
//! AUC as it is: below one half is less than one half.

use std::collections::{BTreeMap, BTreeSet};

use super::budget::{is_of_edges, of_edges};
use super::{Budget, Worth, attacks, comparable};
use crate::statistics::{Point, front};

/// What a point costs on the axis of ε.
#[derive(Clone, Debug, PartialEq)]
enum Cost<'a> {
    /// A refuted promise, and no other.
    TakesNoPart,
    /// ε of each unit.
    Of(BTreeMap<&'a str, f64>),
    /// Of edges 0, of nodes ∞.
    EdgeFree,
    Infinite,
}

impl Cost<'_> {
    fn of(point: &Worth) -> Cost<'_> {
        if point.edge_free {
            return Cost::EdgeFree;
        }
        let promises = || point.promises.iter().filter(|promise| is_of_edges(promise));
        let refuted: BTreeSet<&str> =
            promises().filter(|it| it.status == "refuted").map(|it| it.unit.as_str()).collect();
        let mut costs: BTreeMap<&str, f64> = BTreeMap::new();
        for promise in promises().filter(|it| !refuted.contains(it.unit.as_str()) && it.status != "none") {
            if let Some(epsilon) = promise.epsilon {
                let cost = costs.entry(&promise.unit).or_insert(epsilon);
                *cost = cost.max(epsilon);
            }
        }
        // Noise is found for what was asked for, and often promises a hair less: that makes nothing cheaper than its neighbour.
        if let (Budget::Finite(asked), Some(first)) = (point.budget, of_edges(&point.promises))
            && let Some(cost) = costs.get_mut(first.unit.as_str())
        {
            *cost = cost.max(asked);
        }
        match (costs.is_empty(), refuted.is_empty()) {
            (false, _) => Cost::Of(costs),
            (true, false) => Cost::TakesNoPart,
            (true, true) => Cost::Infinite,
        }
    }

    /// On the front of one unit, if it is there at all.
    fn on_front_of(&self, unit: &str) -> Option<f64> {
        match self {
            Cost::Of(costs) => costs.get(unit).copied(),
            Cost::EdgeFree if unit.starts_with("edge") => Some(0.0),
            Cost::EdgeFree | Cost::Infinite => Some(f64::INFINITY),
            Cost::TakesNoPart => None,
        }
    }
}

pub(super) fn fill(points: &mut [Worth]) {
    let attacks = attacks(points);
    for places in comparable(points) {
        for (place, on) in by_epsilon(points, &places) {
            points[place].front.epsilon = Some(on);
        }
        for attack in &attacks {
            let auc = |point: &Worth| Some(point.attacks.get(attack)?.mean);
            let (taking_part, on) = on_front(points, &places, auc);
            for place in taking_part {
                points[place].front.attacks.insert(attack.clone(), on.contains(&place));
            }
        }
    }
}

/// Every point that takes part, and whether it is on the front of ε.
fn by_epsilon(points: &[Worth], places: &[usize]) -> Vec<(usize, bool)> {
    let mut units: BTreeSet<&str> = BTreeSet::new();
    for place in places {
        if let Cost::Of(costs) = Cost::of(&points[*place]) {
            units.extend(costs.into_keys());
        }
    }
    // Without any ε there still is what is most accurate, and what uses no edge.
    if units.is_empty() {
        units.insert("edge");
    }
    let fronts: Vec<_> =
        units.iter().map(|unit| on_front(points, places, |point| Cost::of(point).on_front_of(unit))).collect();
    let mut found = Vec::new();
    for &place in places {
        let cost = Cost::of(&points[place]);
        let of_edges = |unit: &str| unit.starts_with("edge");
        // What uses no edge is judged where that counts, if anything there is.
        let counts = |unit: &str| cost != Cost::EdgeFree || of_edges(unit) || !units.iter().copied().any(of_edges);
        let own = || units.iter().zip(&fronts).filter(|(unit, (there, _))| counts(unit) && there.contains(&place));
        let mut on = own().map(|(_, (_, on))| on.contains(&place));
        if own().next().is_some() {
            found.push((place, if let Cost::Of(_) = cost { on.any(|on| on) } else { on.all(|on| on) }));
        }
    }
    found
}

/// The places that have a cost and an accuracy, and those of them that are on the front.
fn on_front(
    points: &[Worth],
    places: &[usize],
    cost: impl Fn(&Worth) -> Option<f64>,
) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let measured = |&place: &usize| {
        let point = &points[place];
        Some((place, Point { cost: cost(point)?, accuracy: point.accuracy?.mean }))
    };
    let (there, measured): (Vec<usize>, Vec<Point>) = places.iter().filter_map(measured).unzip();
    // Means of finite figures are finite, and so nothing is refused.
    let on = front(&measured).unwrap_or_default().into_iter().map(|nth| there[nth]).collect();
    (there.iter().copied().collect(), on)
}
