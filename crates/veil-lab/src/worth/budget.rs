//! The ε of a run: that of edges or nodes.

use serde::{Serialize, Serializer};
use serde_json::Value;
use veil_privacy::Unit;

use crate::outcome::{Outcome, Promised};

const EPSILON: &str = "epsilon";
const EPSILON_EDGES: &str = "epsilon-edges";

/// The place of a point on the axis of ε.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// No ε.
    Unstated,
    /// More than 0.
    Finite(f64),
    /// ∞.
    Infinite,
}

impl Serialize for Budget {
    /// As in sweep files: a number or "inf"; null is unstated.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Budget::Unstated => serializer.serialize_none(),
            Budget::Finite(epsilon) => serializer.serialize_f64(*epsilon),
            Budget::Infinite => serializer.serialize_str("inf"),
        }
    }
}

impl Budget {
    /// The parameter `epsilon`, or else the promise about edges or nodes. A failed run has no
    /// promise: the parameter `epsilon-edges` says what it was meant to have.
    pub fn of(outcome: &Outcome) -> Budget {
        let parameter = |name: &str| outcome.point.get(name).and_then(Budget::read);
        let promised = || match of_edges(&outcome.promises) {
            Some(promise) => Some(promise.epsilon.map_or(Budget::Infinite, Budget::from)),
            None => (!outcome.promises.is_empty()).then_some(Budget::Unstated),
        };
        parameter(EPSILON).or_else(promised).or_else(|| parameter(EPSILON_EDGES)).unwrap_or(Budget::Unstated)
    }

    /// Whether this parameter is the same ε, and need not be shown beside it.
    pub fn is_told_by(self, name: &str, value: &Value) -> bool {
        matches!(name, EPSILON | EPSILON_EDGES)
            && match (self, Budget::read(value)) {
                (Budget::Finite(own), Some(Budget::Finite(other))) => (own - other).abs() <= 1e-9 * own,
                (Budget::Unstated, _) => name == EPSILON_EDGES,
                (own, other) => Some(own) == other,
            }
    }

    fn read(value: &Value) -> Option<Budget> {
        match value {
            Value::Null => Some(Budget::Infinite),
            Value::String(text) if text.trim() == "∞" => Some(Budget::Infinite),
            value => as_number(value).map(Budget::from),
        }
    }

    fn from(epsilon: f64) -> Budget {
        match epsilon {
            f64::INFINITY => Budget::Infinite,
            epsilon if epsilon > 0.0 => Budget::Finite(epsilon),
            _ => Budget::Unstated,
        }
    }
}

/// The promise about edges, or about nodes with their edges.
pub(crate) fn of_edges(promises: &[Promised]) -> Option<&Promised> {
    promises.iter().find(|promise| is_of_edges(promise))
}

pub(crate) fn is_of_edges(promise: &Promised) -> bool {
    promise.unit.parse().is_ok_and(|unit: Unit| unit.is_about_edges() || unit == Unit::Node)
}

/// A parameter's value as a number.
pub(crate) fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::report::tests::example::{outcome, promised};

    #[test]
    fn epsilon_is_the_parameter_or_the_promise_about_edges() {
        let budget = |point: &[(&str, Value)], promises: &[Promised]| {
            Budget::of(&Outcome { promises: promises.to_vec(), ..outcome("case", "data", point, 0, &[]) })
        };
        let promises = [promised("feature", Some(3.0), "proven", "m"), promised("edge-set", Some(2.0), "proven", "m")];
        assert_eq!(budget(&[("epsilon", json!(0.5))], &promises), Budget::Finite(0.5));
        assert_eq!(budget(&[("epsilon", json!("4"))], &promises), Budget::Finite(4.0));
        for infinite in [json!(null), json!("inf"), json!("∞")] {
            assert_eq!(budget(&[("epsilon", infinite)], &promises), Budget::Infinite);
        }
        assert_eq!(budget(&[], &promises), Budget::Finite(2.0));
        assert_eq!(budget(&[], &promises[..1]), Budget::Unstated);
        assert_eq!(budget(&[("epsilon-edges", json!("inf"))], &promises[..1]), Budget::Unstated);
        assert_eq!(budget(&[], &[promised("edge", None, "none", "raw")]), Budget::Infinite);
        assert_eq!(budget(&[], &[]), Budget::Unstated);
        assert_eq!(budget(&[("epsilon", json!(-1))], &promises), Budget::Unstated);
        assert_eq!(budget(&[("epsilon-edges", json!(1))], &promises), Budget::Finite(2.0));
        assert_eq!(budget(&[("epsilon-edges", json!(1))], &[]), Budget::Finite(1.0));
    }

    #[test]
    fn a_parameter_may_be_the_same_epsilon() {
        assert!(Budget::Finite(0.1).is_told_by("epsilon-edges", &json!("0.1")));
        assert!(Budget::Infinite.is_told_by("epsilon", &json!("inf")));
        assert!(!Budget::Finite(0.1).is_told_by("epsilon-edges", &json!(0.2)));
        assert!(!Budget::Finite(3.0).is_told_by("epsilon-features", &json!(3)));
        assert!(Budget::Unstated.is_told_by("epsilon-edges", &json!("inf")));
    }

    #[test]
    fn it_is_written_as_in_sweep_files() {
        let written = [Budget::Unstated, Budget::Finite(0.5), Budget::Infinite].map(|it| json!(it));
        assert_eq!(written, [json!(null), json!(0.5), json!("inf")]);
    }
}
