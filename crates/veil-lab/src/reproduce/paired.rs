//! Our runs as the paper counted them: seed by seed, as a difference to other runs, or as a mean over a grid.

use std::collections::BTreeMap;

use serde_json::Value;

use super::published::same;
use super::{Against, Compared};
use crate::outcome::{Outcome, Promised, written};

/// Runs of a case that differ in their seed, and in what they are averaged over. Those that failed are among them.
pub(super) struct Group<'a> {
    pub data: &'a str,
    /// What they have in common.
    pub point: BTreeMap<String, Value>,
    runs: Vec<&'a Outcome>,
}

/// What a group gave.
pub(super) struct Numbers {
    /// Of each seed the mean over everything that is averaged, and that of the partners (0 without any). Seeds that lack a run, or its
    /// partner, are left out. Runs of one seed share their split, their noise and often their partner: more than one pair of a seed would count
    /// the same chance twice.
    pub by_seed: Vec<[f64; 2]>,
    /// The deviation between what is averaged, each a mean over seeds, if it is asked for.
    pub spread: Option<f64>,
    /// How many seeds were asked for.
    pub seeds: usize,
    /// How many runs, or partners of runs, failed.
    pub failed: usize,
    /// Whether there is a run that has no such figure, or no partner.
    pub absent: bool,
}

/// Why a run has no number.
enum Missing {
    /// It failed, or its partner did.
    Failed,
    /// It has no such figure, or no partner.
    Absent,
}

/// The number of a run and that of its partner.
type Pair = Result<[f64; 2], Missing>;

/// Runs of a case, in the order in which they come.
pub(super) fn groups<'a>(compared: &Compared, outcomes: &'a [Outcome]) -> Vec<Group<'a>> {
    let wanted = outcomes.iter().filter(|outcome| {
        outcome.case == compared.case
            && compared.only.iter().all(|condition| is(outcome, condition))
            && !compared.but.iter().any(|condition| is(outcome, condition))
    });
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut known: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for outcome in wanted {
        let mut point = outcome.point.clone();
        point.retain(|key, _| !compared.over.contains(&key.as_str()));
        let place = *known.entry((&outcome.data, format!("{point:?}"))).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.runs.push(outcome),
            None => groups.push(Group { data: &outcome.data, point, runs: vec![outcome] }),
        }
    }
    groups
}

impl Group<'_> {
    /// What all its runs promise, if that is one thing and the same.
    pub fn promised(&self) -> Option<&Promised> {
        let mut runs = self.runs.iter().filter(|run| run.error.is_none());
        let [promised] = runs.next()?.promises.as_slice() else { return None };
        runs.all(|run| run.promises.as_slice() == [promised.clone()]).then_some(promised)
    }

    /// The figures of its runs, in the unit of the published ones.
    pub fn numbers(&self, compared: &Compared, outcomes: &[Outcome]) -> Numbers {
        let mut seeds: BTreeMap<u64, Vec<(&Outcome, Pair)>> = BTreeMap::new();
        for run in &self.runs {
            seeds.entry(run.seed).or_default().push((run, pair(run, compared, outcomes)));
        }
        let failed = seeds.values().flatten().filter(|(_, found)| matches!(found, Err(Missing::Failed))).count();
        let absent = seeds.values().flatten().any(|(_, found)| matches!(found, Err(Missing::Absent)));
        let (asked, runs) = (seeds.len(), seeds.values().map(Vec::len).max().unwrap_or(0));
        let whole = |found: Vec<(&Outcome, Pair)>| -> Option<Vec<(String, [f64; 2])>> {
            let found = found.into_iter().map(|(run, found)| Some((compared.part(run), found.ok()?)));
            found.collect::<Option<Vec<_>>>().filter(|pairs| pairs.len() == runs)
        };
        let seeds: Vec<Vec<(String, [f64; 2])>> = seeds.into_values().filter_map(whole).collect();
        let by_seed = seeds.iter().map(|pairs| [0, 1].map(|side| mean(pairs.iter().map(|(_, pair)| pair[side]))));
        Numbers { by_seed: by_seed.collect(), spread: spread(&seeds), seeds: asked, failed, absent }
    }
}

impl Numbers {
    /// What each seed gave.
    pub fn differences(&self) -> Vec<f64> {
        self.by_seed.iter().map(|[own, other]| own - other).collect()
    }
}

impl Compared {
    /// To which part of what is averaged a run belongs; one for all if nobody asks how they deviate.
    fn part(&self, run: &Outcome) -> String {
        let parameters = self.spread.map_or(&[][..], |spread| spread.parameters);
        parameters.iter().map(|name| run.point.get(*name).map(written).unwrap_or_default() + " ").collect()
    }
}

/// The sample deviation of the parts.
fn spread(seeds: &[Vec<(String, [f64; 2])>]) -> Option<f64> {
    let mut parts: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (part, [own, other]) in seeds.iter().flatten() {
        parts.entry(part).or_default().push(own - other);
    }
    let means: Vec<f64> = parts.into_values().map(|found| mean(found.into_iter())).collect();
    let middle = mean(means.iter().copied());
    let squares: f64 = means.iter().map(|mean| (mean - middle) * (mean - middle)).sum();
    (means.len() > 1).then(|| (squares / (means.len() - 1) as f64).sqrt())
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// The figure of a run and that of its partner.
fn pair(run: &Outcome, compared: &Compared, outcomes: &[Outcome]) -> Pair {
    let of = |run: &Outcome| match run.error {
        Some(_) => Err(Missing::Failed),
        None => compared.figure.of(run).ok_or(Missing::Absent),
    };
    let other = match &compared.against {
        None => 0.0,
        Some(against) => of(outcomes.iter().find(|other| against.is_met_by(other, run)).ok_or(Missing::Absent)?)?,
    };
    let factor = compared.unit.factor();
    Ok([of(run)? * factor, other * factor])
}

impl Against {
    /// Whether `other` is what `run` is compared to.
    fn is_met_by(&self, other: &Outcome, run: &Outcome) -> bool {
        let said = |key: &String| self.point.iter().any(|(name, _)| name == key);
        other.case == self.case
            && (other.data == run.data && other.seed == run.seed)
            && self.point.iter().all(|condition| is(other, condition))
            && other.point.iter().all(|(key, value)| said(key) || run.point.get(key) == Some(value))
    }
}

/// Whether a run is so: its data, or a parameter of the grid.
fn is(outcome: &Outcome, (key, value): &(&str, &str)) -> bool {
    match *key {
        "data" => outcome.data == *value,
        key => outcome.point.get(key).is_some_and(|it| same(&written(it), value)),
    }
}
