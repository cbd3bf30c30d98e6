//! What the ε of a picture protects. Every axis of ε has one unit: an ε of an edge and an ε of a
//! node are different quantities, and no scale holds both.

use veil_privacy::Unit;

use super::digest::Point;
use crate::outcome::Promised;
use crate::worth::{Budget, of_edges};

/// The unit of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Axis {
    /// An edge whose owner is trusted.
    Edge,
    /// An edge that two users may report, both reports together.
    Relationship,
    /// An entry of a user's list.
    EdgeBit,
    /// A neighbour's identity.
    EdgeSet,
    /// A node.
    Node,
    /// An ε without a promise about any of them.
    Unstated,
}

impl Axis {
    fn of(promise: &Promised) -> Option<Axis> {
        match promise.unit.parse().ok()? {
            Unit::Edge => Some(Axis::Edge),
            Unit::EdgeBit => Some(Axis::EdgeBit),
            Unit::EdgeSet => Some(Axis::EdgeSet),
            Unit::Node => Some(Axis::Node),
            Unit::Feature | Unit::Label => None,
        }
    }

    /// The axes on which some points have a place. What two reports cost together has its own axis
    /// only where it is not everywhere twice the ε of one.
    pub fn all(points: &[&Point]) -> Vec<Axis> {
        let promises = || points.iter().flat_map(|point| &point.worth.promises);
        let finite = promises().filter(|promise| promise.epsilon.is_some());
        let mut axes: Vec<Axis> = finite.filter_map(Axis::of).collect();
        let unlike_two = |promise: &Promised| {
            let both = promise.per_relationship.zip(promise.epsilon);
            both.is_some_and(|(both, one)| (both - 2.0 * one).abs() > 1e-6 * one)
        };
        if promises().any(unlike_two) {
            axes.push(Axis::Relationship);
        }
        if points.iter().any(|point| Axis::Unstated.budget(point) != Budget::Unstated) {
            axes.push(Axis::Unstated);
        }
        axes.sort_unstable();
        axes.dedup();
        axes
    }

    /// What the ε of a point's row is about.
    pub fn of_row(point: &Point) -> Axis {
        of_edges(&point.worth.promises).and_then(Axis::of).unwrap_or(Axis::Unstated)
    }

    /// What one ε protects.
    pub fn words(self) -> &'static str {
        match self {
            Axis::Edge => "one edge",
            Axis::Relationship => "one relationship, both reports together",
            Axis::EdgeBit => "one entry of a neighbour list",
            Axis::EdgeSet => "the identity of one neighbour",
            Axis::Node => "one node",
            Axis::Unstated => "a unit that is not stated",
        }
    }

    /// The same with the name of the unit in tables and who is trusted.
    pub fn remark(self) -> &'static str {
        match self {
            Axis::Edge => "Unit <em>edge</em>: an undirected edge; the owner of the graph is trusted.",
            Axis::Relationship => "A relationship that both ends may report; nobody is trusted.",
            Axis::EdgeBit => {
                "Unit <em>edge-bit</em>: one entry of one user’s list; nobody is trusted. A relationship is an entry of \
                 two lists: where both ends report, it has twice the ε."
            }
            Axis::EdgeSet => {
                "Unit <em>edge-set</em>: who a neighbour is, and not that there is one; nobody is trusted."
            }
            Axis::Node => "Unit <em>node</em>: a node with its features, label and edges; the owner is trusted.",
            Axis::Unstated => "These runs have an ε and no promise about edges or nodes.",
        }
    }

    /// The promise of a point that places it here.
    pub fn promise(self, point: &Point) -> Option<&Promised> {
        let unit = if self == Axis::Relationship { Axis::EdgeBit } else { self };
        let mut own = point.worth.promises.iter().filter(|promise| Axis::of(promise) == Some(unit));
        own.find(|promise| self != Axis::Relationship || promise.per_relationship.is_some())
    }

    /// The place of a point.
    pub fn budget(self, point: &Point) -> Budget {
        if self == Axis::Unstated {
            let placed = point.worth.promises.iter().any(|it| Axis::of(it).is_some() && it.epsilon.is_some());
            let finite = matches!(point.worth.budget, Budget::Finite(_));
            return if finite && !placed { point.worth.budget } else { Budget::Unstated };
        }
        let own = |promise: &Promised| match self {
            Axis::Relationship => promise.per_relationship,
            _ => promise.epsilon,
        };
        match self.promise(point) {
            Some(promise) => own(promise).map_or(Budget::Infinite, Budget::Finite),
            None => Budget::Unstated,
        }
    }

    /// What is known of the promise that places a point here.
    pub fn status(self, point: &Point) -> &str {
        self.promise(point).map_or_else(|| point.status(), |promise| &promise.status)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::report::digest::Digest;
    use crate::report::tests::example::{outcome, promised};
    use crate::worth::References;

    fn places(promises: &[Promised], epsilon: f64) -> Vec<(Axis, Budget)> {
        let mut run = outcome("case", "cora", &[("epsilon", json!(epsilon))], 0, &[("test_accuracy", 0.5)]);
        run.promises = promises.to_vec();
        let digest = Digest::of(&[run], &References::default());
        let points: Vec<&Point> = digest.points.iter().collect();
        Axis::all(&points).into_iter().map(|axis| (axis, axis.budget(points[0]))).collect()
    }

    #[test]
    fn a_point_stands_on_the_axis_of_every_unit_that_it_protects() {
        let reported = |both: f64| Promised {
            per_relationship: Some(both),
            ..promised("edge-bit", Some(4.0), "proven", "degree-vectors")
        };
        let list = promised("edge-set", Some(8.0), "proven", "degree-vectors");
        let found = places(&[promised("label", Some(3.0), "proven", "rr"), reported(8.0), list], 4.0);
        assert_eq!(found, [(Axis::EdgeBit, Budget::Finite(4.0)), (Axis::EdgeSet, Budget::Finite(8.0))]);
        // Reported by one end only.
        let found = places(&[reported(4.0)], 4.0);
        assert_eq!(found, [(Axis::Relationship, Budget::Finite(4.0)), (Axis::EdgeBit, Budget::Finite(4.0))]);
    }

    #[test]
    fn the_promise_counts_and_not_the_parameter() {
        let found = places(&[promised("node", Some(3.5), "proven", "class-sums")], 4.0);
        assert_eq!(found, [(Axis::Node, Budget::Finite(3.5))]);
        assert_eq!(places(&[], 4.0), [(Axis::Unstated, Budget::Finite(4.0))]);
        assert_eq!(places(&[promised("edge", None, "none", "raw")], f64::INFINITY), []);
    }
}
