//! Which points are sweet spots: more accurate than the floor, harder to attack than the non-private case, seed by seed. See
//! [`is_sweet`] for the rule, and `like` for what a point is compared with.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use super::gaps::is_non_private;
use super::{BOOTSTRAP_SEED, Role, Worth, like, runs};
use crate::outcome::Outcome;
use crate::statistics::{Gap, Region, gap, is_sweet};

/// Why it cannot be said whether a point is a sweet spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoVerdict {
    /// No floor or no non-private case was trained alike, or there are several.
    NoReference,
    /// There are fewer than three seeds in common with one of them.
    TooFewSeeds,
}

/// The lines that sweet spots of one data set lie beyond by one attack, as a picture shows them; none without a floor, or without such an attack on the
/// non-private case. Where there are several floors or non-private points, those that are hardest to better.
pub(crate) fn region<'a>(points: impl Iterator<Item = &'a Worth> + Clone, attack: &str) -> Option<Region> {
    let floors =
        points.clone().filter(|point| point.role == Role::Floor).filter_map(|point| Some(point.accuracy?.mean));
    let open = points.filter(|point| is_non_private(point)).filter_map(|point| Some(point.attacks.get(attack)?.mean));
    Some(Region { edge_free_accuracy: floors.reduce(f64::max)?, non_private_auc: open.reduce(f64::min)? })
}

/// The places of one role.
struct References {
    floors: Vec<usize>,
    open: Vec<usize>,
}

/// What is found of one point.
type Verdicts = (BTreeMap<String, bool>, Option<NoVerdict>);

pub(super) fn fill(points: &mut [Worth], runs: &[Vec<&Outcome>]) {
    let of = |like: fn(&Worth) -> bool| (0..points.len()).filter(|&place| like(&points[place])).collect();
    let references = References { floors: of(|point| point.role == Role::Floor), open: of(is_non_private) };
    if references.floors.is_empty() || references.open.is_empty() {
        return;
    }
    let found: Vec<Verdicts> =
        (0..points.len()).into_par_iter().map(|place| verdicts(points, runs, &references, place)).collect();
    for (point, (sweet, no_verdict)) in points.iter_mut().zip(found) {
        (point.sweet, point.no_verdict) = (sweet, no_verdict);
    }
}

fn verdicts(points: &[Worth], runs: &[Vec<&Outcome>], references: &References, place: usize) -> Verdicts {
    let own = &points[place];
    let mut found = Verdicts::default();
    if own.role != Role::Method || own.accuracy.is_none() {
        return found;
    }
    let like = |places: &[usize]| like::only(points, places.iter().copied(), own).map(|(place, _)| place);
    let (floor, open) = (like(&references.floors), like(&references.open));
    let more = |figure: &str, one: usize, other: usize| -> Option<Gap> {
        let [one, other] = [runs.get(one)?, runs.get(other)?].map(|runs| runs::by_seed(runs, figure));
        gap(&other, &one, BOOTSTRAP_SEED).ok()
    };
    let gained = floor.and_then(|floor| more(own.scored.figure(), place, floor));
    for attack in own.attacks.keys() {
        let attacked = open.filter(|&open| points[open].attacks.contains_key(attack));
        let verdict = match (floor, attacked) {
            (Some(_), Some(open)) => {
                let spared = more(attack, open, place);
                let both = gained.as_ref().zip(spared.as_ref());
                both.and_then(|(gained, spared)| is_sweet(gained, spared)).ok_or(NoVerdict::TooFewSeeds)
            }
            _ => Err(NoVerdict::NoReference),
        };
        match verdict {
            Ok(sweet) => drop(found.0.insert(attack.clone(), sweet)),
            Err(why) => found.1 = Some(why),
        }
    }
    found
}
