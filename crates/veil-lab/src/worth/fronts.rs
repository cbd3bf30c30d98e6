//! The Pareto fronts of one data set: of ε and accuracy, and of each attack's AUC and accuracy.
//!
//! **The front of ε** compares the ε of edges, or of nodes with their edges; ε of features and labels,
//! and δ, are left out.
//! - There is one front per unit (an edge, an entry of a neighbour list, a node). A point with promises
//!   about several units takes part in each front, and counts if it is on one of them.
//! - A point without privacy (ε = ∞, or no promise about its edges) costs ∞ on every front. It counts
//!   only if it is on all of them: if nothing private is as accurate.
//! - A case without edges costs 0 on fronts of edges: a private graph network must be more accurate, or
//!   why use the graph. It promises nothing about nodes, whose features and labels it uses: there it
//!   costs ∞.
//! - A refuted ε does not hold: such a point takes no part. A claimed ε does; its status is shown.
//!
//! **The front of an attack** has every attacked point, whatever its promise: the AUC is measured.

use std::collections::{BTreeMap, BTreeSet};

use super::budget::{is_of_edges, of_edges};
use super::{Budget, Worth, comparable};
use crate::statistics::{Point, front};

/// The cost of a point on the fronts of ε.
#[derive(Clone, Debug, PartialEq)]
enum Cost<'a> {
    /// The only promise is refuted.
    TakesNoPart,
    /// ε per unit.
    Of(BTreeMap<&'a str, f64>),
    /// 0 for edges, ∞ for nodes.
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
        // Noise calibrated for an ε often promises a hair less: that does not count as cheaper.
        if let (Budget::Finite(requested), Some(first)) = (point.budget, of_edges(&point.promises))
            && let Some(cost) = costs.get_mut(first.unit.as_str())
        {
            *cost = cost.max(requested);
        }
        match (costs.is_empty(), refuted.is_empty()) {
            (false, _) => Cost::Of(costs),
            (true, false) => Cost::TakesNoPart,
            (true, true) => Cost::Infinite,
        }
    }

    /// The cost on the front of one unit, if the point takes part.
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
    let attacks: BTreeSet<String> = points.iter().flat_map(|point| point.attacks.keys().cloned()).collect();
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
    // Without any ε there still are the most accurate point and the floor.
    if units.is_empty() {
        units.insert("edge");
    }
    let fronts: Vec<_> =
        units.iter().map(|unit| on_front(points, places, |point| Cost::of(point).on_front_of(unit))).collect();
    let mut found = Vec::new();
    for &place in places {
        let cost = Cost::of(&points[place]);
        let of_edges = |unit: &str| unit.starts_with("edge");
        // A case without edges is judged on fronts of edges, if there are any.
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
    // Means of finite figures are finite: nothing is refused.
    let on = front(&measured).unwrap_or_default().into_iter().map(|nth| there[nth]).collect();
    (there.iter().copied().collect(), on)
}
