//! Our runs as the paper counted them: seed by seed, as a difference to other runs, or as a mean
//! over a grid.

use std::collections::BTreeMap;

use serde_json::Value;

use super::published::same;
use super::{Against, Compared};
use crate::outcome::{Outcome, Promised, written};
use crate::statistics::summary;

/// Runs of a case that differ in their seed and in what is averaged over, failed runs included.
pub(super) struct Group<'a> {
    pub data: &'a str,
    /// The parameters that they share.
    pub point: BTreeMap<String, Value>,
    runs: Vec<&'a Outcome>,
}

/// The figures of a group.
pub(super) struct Numbers {
    /// Per seed, the mean over everything that is averaged, and that of the partners (0 without
    /// any). Seeds that lack a run or its partner are left out. Runs of one seed share split, noise
    /// and often the partner: more than one pair per seed would count the same chance twice.
    pub by_seed: Vec<[f64; 2]>,
    /// The deviation between the averaged parts, each a mean over seeds.
    pub spread: Option<f64>,
    /// How many seeds were requested.
    pub seeds: usize,
    /// How many runs, or partners of runs, failed.
    pub failed: usize,
    /// Whether a run lacks the figure or a partner.
    pub absent: bool,
}

/// Why a run has no number.
enum Missing {
    /// The run or its partner failed.
    Failed,
    /// The run has no such figure, or no partner.
    Absent,
}

/// The groups of a comparison, in the order of the outcomes.
pub(super) fn groups<'a>(compared: &Compared, outcomes: &'a [Outcome]) -> Vec<Group<'a>> {
    let wanted = outcomes.iter().filter(|outcome| {
        outcome.case == compared.case
            && compared.only.iter().all(|condition| holds(outcome, condition))
            && !compared.but.iter().any(|condition| holds(outcome, condition))
    });
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut known: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for outcome in wanted {
        let mut point = outcome.point.clone();
        point.retain(|key, _| !compared.over.contains(key));
        let place = *known.entry((&outcome.data, format!("{point:?}"))).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.runs.push(outcome),
            None => groups.push(Group { data: &outcome.data, point, runs: vec![outcome] }),
        }
    }
    groups
}

impl Group<'_> {
    /// The promise of all its runs, if there is one and the same.
    pub fn promised(&self) -> Option<&Promised> {
        let mut runs = self.runs.iter().filter(|run| run.error.is_none());
        let [promised] = runs.next()?.promises.as_slice() else { return None };
        runs.all(|run| run.promises.as_slice() == [promised.clone()]).then_some(promised)
    }

    /// The figures of its runs, in the published unit.
    pub fn numbers(&self, compared: &Compared, outcomes: &[Outcome]) -> Numbers {
        let mut seeds: BTreeMap<u64, Vec<(String, [f64; 2])>> = BTreeMap::new();
        let mut wanted: BTreeMap<u64, usize> = BTreeMap::new();
        let (mut failed, mut absent) = (0, false);
        for run in &self.runs {
            *wanted.entry(run.seed).or_default() += 1;
            match compared.pair(run, outcomes) {
                Ok(pair) => seeds.entry(run.seed).or_default().push((compared.part(run), pair)),
                Err(Missing::Failed) => failed += 1,
                Err(Missing::Absent) => absent = true,
            }
        }
        let most = wanted.values().copied().max().unwrap_or(0);
        seeds.retain(|_, pairs| pairs.len() == most);
        let side = |pairs: &[(String, [f64; 2])], side: usize| mean(pairs.iter().map(|(_, pair)| pair[side]));
        let by_seed = seeds.values().map(|pairs| [side(pairs, 0), side(pairs, 1)]).collect();
        let mut parts: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for (part, [own, other]) in seeds.values().flatten() {
            parts.entry(part).or_default().push(own - other);
        }
        let means: Vec<f64> = parts.into_values().map(|found| mean(found.into_iter())).collect();
        let spread = summary(&means, 1).ok().and_then(|means| means.deviation);
        Numbers { by_seed, spread, seeds: wanted.len(), failed, absent }
    }
}

impl Compared {
    /// The part of what is averaged that a run belongs to, where the spread between parts is
    /// compared.
    fn part(&self, run: &Outcome) -> String {
        let parameters = self.spread.iter().flat_map(|spread| &spread.over);
        parameters.map(|name| run.point.get(name).map(written).unwrap_or_default() + " ").collect()
    }

    /// The figure of a run and that of its partner.
    fn pair(&self, run: &Outcome, outcomes: &[Outcome]) -> Result<[f64; 2], Missing> {
        let of = |run: &Outcome| match run.error {
            Some(_) => Err(Missing::Failed),
            None => self.figure_of(run).ok_or(Missing::Absent),
        };
        let other = match &self.against {
            None => 0.0,
            Some(against) => of(outcomes.iter().find(|it| against.is_partner(it, run)).ok_or(Missing::Absent)?)?,
        };
        Ok([of(run)?, other].map(|figure| figure * self.unit.factor()))
    }

    /// `a`, `a or b` (the first that the run has), or `1 - a/b`.
    fn figure_of(&self, run: &Outcome) -> Option<f64> {
        let of = |name: &str| run.figures.get(name).copied();
        let found = match self.figure.split_once('/') {
            Some((part, whole)) => 1.0 - of(part.trim_start_matches("1 - "))? / of(whole)?,
            None => self.figure.split(" or ").find_map(of)?,
        };
        Some(found).filter(|figure| figure.is_finite() && !self.unknown)
    }
}

impl Against {
    /// Whether `run` is compared with `other`: its data and seed, and its parameters but for
    /// `point`.
    fn is_partner(&self, other: &Outcome, run: &Outcome) -> bool {
        other.case == self.case
            && (&other.data, other.seed) == (&run.data, run.seed)
            && self.point.iter().all(|condition| holds(other, condition))
            && other.point.iter().all(|(key, value)| self.point.contains_key(key) || run.point.get(key) == Some(value))
    }
}

/// Whether a parameter of the grid has this value.
fn holds(outcome: &Outcome, (key, value): (&String, &String)) -> bool {
    outcome.point.get(key).is_some_and(|it| same(&written(it), value))
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}
