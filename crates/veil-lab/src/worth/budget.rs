//! Which ε a run has, and what it is about.

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::outcome::{Outcome, Promised};

const EPSILON: &str = "epsilon";

/// Where a point lies on the axis of ε.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// It has none: it is no point of the axis but a line across it.
    Unstated,
    /// More than 0.
    Finite(f64),
    /// ∞.
    Infinite,
}

impl Serialize for Budget {
    /// As sweep files have it: a number or "inf"; null is unstated.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Budget::Unstated => serializer.serialize_none(),
            Budget::Finite(epsilon) => serializer.serialize_f64(*epsilon),
            Budget::Infinite => serializer.serialize_str("inf"),
        }
    }
}

impl Budget {
    /// The parameter `epsilon`, or else what is promised: about edges and nodes first, for that is what this is all about.
    pub fn of(outcome: &Outcome) -> Budget {
        match outcome.point.get(EPSILON) {
            Some(Value::Null) => return Budget::Infinite,
            Some(Value::String(text)) if matches!(text.trim(), "inf" | "infinity" | "∞") => return Budget::Infinite,
            Some(value) => {
                if let Some(epsilon) = as_number(value) {
                    return Budget::from(epsilon);
                }
            }
            None => {}
        }
        match of_edges(&outcome.promises).or(outcome.promises.first()) {
            Some(promise) => promise.epsilon.map_or(Budget::Infinite, Budget::from),
            None => Budget::Unstated,
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

/// The promise about edges, or about nodes with theirs.
pub(super) fn of_edges(promises: &[Promised]) -> Option<&Promised> {
    promises.iter().find(|promise| promise.unit.starts_with("edge") || promise.unit.starts_with("node"))
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
    fn epsilon_is_the_parameter_or_what_is_promised_about_edges() {
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
        assert_eq!(budget(&[], &promises[..1]), Budget::Finite(3.0));
        assert_eq!(budget(&[], &[promised("edge", None, "none", "raw")]), Budget::Infinite);
        assert_eq!(budget(&[], &[]), Budget::Unstated);
        assert_eq!(budget(&[("epsilon", json!(-1))], &promises), Budget::Unstated);
    }

    #[test]
    fn it_is_written_as_sweep_files_have_it() {
        let written = [Budget::Unstated, Budget::Finite(0.5), Budget::Infinite].map(|it| json!(it));
        assert_eq!(written, [json!(null), json!(0.5), json!("inf")]);
    }
}
