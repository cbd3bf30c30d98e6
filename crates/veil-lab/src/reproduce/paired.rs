//! Our runs as the paper counted them: seed by seed, as a difference to other runs, or as a mean over a grid.

use std::collections::BTreeMap;

use serde_json::Value;

use super::published::same;
use super::{Against, Compared};
use crate::outcome::{Outcome, Promised, written};

/// Runs of a case that differ in their seed, and in what they are averaged over.
pub(super) struct Group<'a> {
    pub data: &'a str,
    /// What they have in common.
    pub point: BTreeMap<String, Value>,
    runs: Vec<&'a Outcome>,
}

/// What a group gave.
pub(super) struct Numbers {
    /// One number per seed: the mean over everything that is averaged. Seeds that lack a run, or its partner, are left out.
    pub by_seed: Vec<f64>,
    /// Every run's own number and its partner's (0 without one), in the same order.
    pub pairs: Vec<[f64; 2]>,
}

/// Runs of a case, in the order in which they come.
pub(super) fn groups<'a>(compared: &Compared, outcomes: &'a [Outcome]) -> Vec<Group<'a>> {
    let wanted = outcomes.iter().filter(|outcome| {
        outcome.case == compared.case
            && outcome.error.is_none()
            && compared.only.iter().all(|condition| is(outcome, condition))
            && !compared.but.iter().any(|condition| is(outcome, condition))
    });
    let mut groups: Vec<Group<'a>> = Vec::new();
    for outcome in wanted {
        let mut point = outcome.point.clone();
        point.retain(|key, _| !compared.over.contains(&key.as_str()));
        match groups.iter_mut().find(|group| group.data == outcome.data && group.point == point) {
            Some(group) => group.runs.push(outcome),
            None => groups.push(Group { data: &outcome.data, point, runs: vec![outcome] }),
        }
    }
    groups
}

impl Group<'_> {
    /// What all its runs promise, if that is one thing and the same.
    pub fn promised(&self) -> Option<&Promised> {
        let [promised] = self.runs.first()?.promises.as_slice() else { return None };
        self.runs.iter().all(|run| run.promises.as_slice() == [promised.clone()]).then_some(promised)
    }

    /// The figures of its runs, in the unit of the published ones.
    pub fn numbers(&self, compared: &Compared, outcomes: &[Outcome]) -> Numbers {
        let mut seeds: BTreeMap<u64, Vec<Option<[f64; 2]>>> = BTreeMap::new();
        for run in &self.runs {
            seeds.entry(run.seed).or_default().push(pair(run, compared, outcomes));
        }
        let runs = seeds.values().map(Vec::len).max().unwrap_or(0);
        let whole = |found: Vec<Option<[f64; 2]>>| -> Option<Vec<[f64; 2]>> {
            found.into_iter().collect::<Option<Vec<_>>>().filter(|pairs| pairs.len() == runs)
        };
        let seeds: Vec<Vec<[f64; 2]>> = seeds.into_values().filter_map(whole).collect();
        let mean =
            |pairs: &Vec<[f64; 2]>| pairs.iter().map(|[own, other]| own - other).sum::<f64>() / pairs.len() as f64;
        Numbers { by_seed: seeds.iter().map(mean).collect(), pairs: seeds.concat() }
    }
}

/// The figure of a run and that of its partner.
fn pair(run: &Outcome, compared: &Compared, outcomes: &[Outcome]) -> Option<[f64; 2]> {
    let own = compared.figure.of(run)?;
    let other = match &compared.against {
        None => 0.0,
        Some(against) => compared.figure.of(outcomes.iter().find(|other| against.is_met_by(other, run))?)?,
    };
    let factor = compared.unit.factor();
    Some([own * factor, other * factor])
}

impl Against {
    /// Whether `other` is what `run` is compared to.
    fn is_met_by(&self, other: &Outcome, run: &Outcome) -> bool {
        let said = |key: &String| self.point.iter().any(|(name, _)| name == key);
        other.case == self.case
            && other.error.is_none()
            && (other.data == run.data && other.seed == run.seed)
            && self.point.iter().all(|condition| is(other, condition))
            && other.point.iter().all(|(key, value)| said(key) || run.point.get(key) == Some(value))
    }
}

fn is(outcome: &Outcome, (key, value): &(&str, &str)) -> bool {
    outcome.point.get(*key).is_some_and(|it| same(&written(it), value))
}
