//! The cases that others are compared with.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Role;
use super::budget::of_edges;
use crate::outcome::{Outcome, Promised};

/// The reference cases by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct References {
    /// The case without edges.
    pub floor: Option<String>,
    /// The case that is not private.
    pub non_private: Option<String>,
}

impl References {
    /// A reference that is not named is found by the promises, if there is exactly one candidate.
    pub fn or_found(self, outcomes: &[Outcome]) -> References {
        let only = |mut like: Vec<String>| like.pop().filter(|_| like.is_empty());
        let Candidates { floor, non_private } = Candidates::of(outcomes);
        References {
            floor: self.floor.or_else(|| only(floor)),
            non_private: self.non_private.or_else(|| only(non_private)),
        }
    }

    pub(super) fn role(&self, case: &str) -> Role {
        match Some(case) {
            case if case == self.floor.as_deref() => Role::Floor,
            case if case == self.non_private.as_deref() => Role::NonPrivate,
            _ => Role::Method,
        }
    }
}

/// The cases that could be references by their promises, in alphabetical order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// No promise is about edges.
    pub floor: Vec<String>,
    /// Edges have ε = ∞ in all runs.
    pub non_private: Vec<String>,
}

impl Candidates {
    /// The candidates among these outcomes. Failed runs do not count.
    pub fn of(outcomes: &[Outcome]) -> Candidates {
        let mut cases: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
        for outcome in outcomes.iter().filter(|outcome| outcome.error.is_none()) {
            cases.entry(&outcome.case).or_default().push(outcome);
        }
        let all = |like: fn(&[Promised]) -> bool| -> Vec<String> {
            let found = cases.iter().filter(|(_, runs)| runs.iter().all(|run| like(&run.promises)));
            found.map(|(case, _)| (*case).to_owned()).collect()
        };
        Candidates {
            floor: all(are_without_edges),
            non_private: all(|promises| of_edges(promises).is_some_and(|promise| promise.epsilon.is_none())),
        }
    }
}

/// Promises of a release without edges: about features and labels only.
pub(super) fn are_without_edges(promises: &[Promised]) -> bool {
    !promises.is_empty() && of_edges(promises).is_none()
}
