//! The Pareto fronts of one data set: of ε and accuracy, and of each attack's AUC and accuracy.
//!
//! **The front of ε** compares the ε of edges, or of nodes with their edges; ε of features and
//! labels, and δ, are left out.
//! - There is one front per unit (an edge, an entry of a neighbour list, a node). A point with
//!   promises about several units takes part in each front, and counts if it is on one of them.
//! - A point without privacy (ε = ∞, or no promise about its edges) costs ∞ on every front. It
//!   counts only if it is on all of them: if nothing private is as accurate.
//! - A case without edges costs 0 on fronts of edges: a private graph network must be more
//!   accurate, or why use the graph. It promises nothing about nodes, whose features and labels it
//!   uses: there it costs ∞.
//! - A refuted ε does not hold: such a point takes no part. A claimed ε does; its status is shown.
//!
//! **The front of an attack** has every attacked point, whatever its promise: the AUC is measured.

use std::collections::{BTreeMap, BTreeSet};

use super::budget::{is_of_edges, of_edges};
use super::{Budget, Worth, comparable};

/// The ε of each unit that is promised and not refuted.
fn epsilons(point: &Worth) -> BTreeMap<&str, f64> {
    let promises = || point.promises.iter().filter(|promise| is_of_edges(promise));
    let is_refuted = |unit: &str| promises().any(|it| it.unit == unit && it.status == "refuted");
    let mut found: BTreeMap<&str, f64> = BTreeMap::new();
    for promise in promises().filter(|it| it.status != "none" && !is_refuted(&it.unit)) {
        if let Some(epsilon) = promise.epsilon {
            let cost = found.entry(&promise.unit).or_insert(epsilon);
            *cost = cost.max(epsilon);
        }
    }
    // Noise calibrated for an ε often promises a hair less: that does not count as cheaper.
    if let (Budget::Finite(requested), Some(first)) = (point.budget, of_edges(&point.promises))
        && let Some(cost) = found.get_mut(first.unit.as_str())
    {
        *cost = cost.max(requested);
    }
    found
}

fn is_about_edges(unit: &str) -> bool {
    unit.starts_with("edge")
}

/// The cost on the front of one unit, if the point takes part.
fn cost(point: &Worth, unit: &str) -> Option<f64> {
    let (epsilons, refuted) =
        (epsilons(point), point.promises.iter().any(|it| is_of_edges(it) && it.status == "refuted"));
    match point.edge_free {
        true => Some(if is_about_edges(unit) { 0.0 } else { f64::INFINITY }),
        false if epsilons.is_empty() => (!refuted).then_some(f64::INFINITY),
        false => epsilons.get(unit).copied(),
    }
}

pub(super) fn fill(points: &mut [Worth]) {
    let attacks: BTreeSet<String> = points.iter().flat_map(|point| point.attacks.keys().cloned()).collect();
    for places in comparable(points) {
        for (place, on) in by_epsilon(points, &places) {
            points[place].front.epsilon = Some(on);
        }
        for attack in &attacks {
            for (place, on) in on_front(points, &places, |point| Some(point.attacks.get(attack)?.mean)) {
                points[place].front.attacks.insert(attack.clone(), on);
            }
        }
    }
}

/// Every point that takes part, and whether it is on the front of ε.
fn by_epsilon(points: &[Worth], places: &[usize]) -> Vec<(usize, bool)> {
    let private = |place: &usize| !points[*place].edge_free && !epsilons(&points[*place]).is_empty();
    let mut units: BTreeSet<&str> =
        places.iter().filter(|place| private(place)).flat_map(|place| epsilons(&points[*place]).into_keys()).collect();
    // Without any ε there still are the most accurate point and the floor.
    if units.is_empty() {
        units.insert("edge");
    }
    let has_edges = units.iter().any(|unit| is_about_edges(unit));
    let fronts: Vec<_> = units.iter().map(|unit| (unit, on_front(points, places, |point| cost(point, unit)))).collect();
    let verdict = |&place: &usize| {
        // A case without edges is judged on fronts of edges, if there are any.
        let counts = |unit: &str| !points[place].edge_free || is_about_edges(unit) || !has_edges;
        let own = fronts.iter().filter(|(unit, _)| counts(unit)).filter_map(|(_, front)| front.get(&place));
        let own: Vec<bool> = own.copied().collect();
        let on = if private(&place) { own.contains(&true) } else { !own.contains(&false) };
        (!own.is_empty()).then_some((place, on))
    };
    places.iter().filter_map(verdict).collect()
}

/// The places that have a cost and an accuracy, and whether they are on the front: no other point
/// is at least as good in both and better in one. Equal points do not keep each other from it, and
/// means are compared as they are, whatever their uncertainty.
fn on_front(points: &[Worth], places: &[usize], cost: impl Fn(&Worth) -> Option<f64>) -> BTreeMap<usize, bool> {
    let measured = |&place: &usize| Some((place, (cost(&points[place])?, points[place].accuracy?.mean)));
    let measured: Vec<(usize, (f64, f64))> = places.iter().filter_map(measured).collect();
    let beaten = |own: (f64, f64)| measured.iter().any(|&(_, other)| dominates(other, own));
    measured.iter().map(|&(place, own)| (place, !beaten(own))).collect()
}

/// Whether one cost and accuracy are better than others. Less cost is better; it may be infinite.
fn dominates(one: (f64, f64), other: (f64, f64)) -> bool {
    one.0 <= other.0 && one.1 >= other.1 && one != other
}

#[cfg(test)]
mod tests {
    use super::dominates;

    #[test]
    fn a_staircase_by_hand() {
        let on = |points: &[(f64, f64)]| -> Vec<bool> {
            points.iter().map(|&own| !points.iter().any(|&other| dominates(other, own))).collect()
        };
        // (4, 70) is dominated by (3, 70), (2, 50) by (1, 50) and (5, 60) by two.
        let points = [(4.0, 70.0), (1.0, 50.0), (2.0, 50.0), (5.0, 60.0), (3.0, 70.0), (f64::INFINITY, 80.0)];
        assert_eq!(on(&points), [false, true, false, false, true, true]);
        assert_eq!(on(&[(1.0, 50.0), (1.0, 51.0), (1.0, 49.0)]), [false, true, false]);
        // Equal points all stay; 0 and −0 are one cost.
        assert_eq!(on(&[(2.0, 60.0), (1.0, 50.0), (2.0, 60.0), (0.0, 40.0), (-0.0, 40.0)]), [true; 5]);
    }
}
