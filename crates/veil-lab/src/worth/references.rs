//! Which cases others are compared with.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Role;
use super::budget::of_edges;
use crate::outcome::{Outcome, Promised};

/// The cases that others are compared with, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct References {
    /// The case that uses no edges.
    pub floor: Option<String>,
    /// The case that is not private.
    pub non_private: Option<String>,
}

impl References {
    /// What is not named is found by what runs promise, if exactly one case is like that: the floor speaks of no edges, for it got
    /// none; the non-private case has edges in all its runs, and always at ε = ∞.
    pub fn or_found(self, outcomes: &[Outcome]) -> References {
        let mut cases: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
        for outcome in outcomes.iter().filter(|outcome| outcome.error.is_none()) {
            cases.entry(&outcome.case).or_default().push(outcome);
        }
        let only = |like: fn(&[Promised]) -> bool| {
            let mut found = cases.iter().filter(|(_, runs)| runs.iter().all(|run| like(&run.promises)));
            let first = found.next().map(|(case, _)| (*case).to_owned());
            first.filter(|_| found.next().is_none())
        };
        References {
            floor: self.floor.or_else(|| only(speaks_of_no_edges)),
            non_private: self
                .non_private
                .or_else(|| only(|promises| of_edges(promises).is_some_and(|promise| promise.epsilon.is_none()))),
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

/// A release without edges promises something (or nothing) about features and labels, and does not speak of edges.
pub(super) fn speaks_of_no_edges(promises: &[Promised]) -> bool {
    !promises.is_empty() && of_edges(promises).is_none()
}
