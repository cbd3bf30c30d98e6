//! Comparisons with the references: the gap to ε = ∞, and sweet spots.
//!
//! **What is compared.** A point and its reference have the same data, split, range, ε of features
//! and labels, and the same training; where both networks read a graph, also the same network. A
//! network that reads no graph, because there are no edges or only counts of neighbours, has a
//! shape of its own, and users' reports are trained on with another rule for the chosen epoch
//! (`select`) than an owner's method: such differences are allowed and listed. How edges are
//! released is what differs. Where only parameters of the grid are known, those that both have are
//! equal, but for the ε of edges or nodes.
//!
//! **The gap** is to the point of the non-private case, or else to the same case at ε = ∞. The
//! floor has a gap, too: the cost of doing without edges.
//!
//! **A sweet spot** keeps a proven promise about its edges, is more accurate than the floor, or why
//! use the graph, and its edges are hard to find, or why add noise: the advantage of an attack over
//! the floor is at most half of what it is on the non-private case. A floor that is not attacked,
//! because it passes no messages, has an AUC of one half. Both are tested seed by seed: the whole
//! 95 % interval of accuracy − floor, and of ceiling − AUC, must lie above 0. Fewer than three
//! common seeds decide nothing: two differences are both above 0 by chance once in 4 times. An AUC
//! below one half counts as hard to attack, though an attacker who knew could invert the ranking.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use serde::Serialize;
use veil_privacy::Status;

use super::budget::is_of_edges;
use super::group::{Group, group, is_budget, is_local, reads_no_graph};
use super::{BOOTSTRAP_SEED, Budget, Role, ToInfinity, Worth, by_seed};
use crate::outcome::{Outcome, Promised};
use crate::statistics::{Gap, gap};

/// The fewest common seeds that decide whether a point is a sweet spot.
const LEAST_SEEDS: usize = 3;

/// Why it is unknown whether a point is a sweet spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoVerdict {
    /// No floor or no non-private case was trained alike, or there are several.
    NoReference,
    /// There are fewer than three common seeds.
    TooFewSeeds,
}

/// The borders of the region of sweet spots by one attack: means, without their intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Region {
    /// The accuracy of the floor.
    pub accuracy: f64,
    /// The ceiling of the AUC of the attack.
    pub auc: f64,
}

/// The AUC of guessing.
const GUESSING: f64 = 0.5;

/// The highest AUC of a sweet spot: half-way from the floor to the non-private case, which must not
/// be exceeded either.
fn ceiling(open: f64, floor: f64) -> f64 {
    open.min((open + floor) / 2.0)
}

/// The region of one data set; of several references, those that are hardest to beat.
pub(crate) fn region<'a>(points: impl Iterator<Item = &'a Worth> + Clone, attack: &str) -> Option<Region> {
    let floors = points.clone().filter(|point| point.role == Role::Floor);
    let auc = |point: &Worth| Some(point.attacks.get(attack)?.mean);
    let accuracy = floors.clone().filter_map(|point| Some(point.accuracy?.mean)).reduce(f64::max)?;
    let floor = floors.filter_map(auc).reduce(f64::min).unwrap_or(GUESSING);
    let open = points.filter(|point| is_non_private(point)).filter_map(auc).reduce(f64::min)?;
    Some(Region { accuracy, auc: ceiling(open, floor) })
}

/// Whether a point is the non-private reference. A point with an ε is not, whatever its case.
fn is_non_private(point: &Worth) -> bool {
    point.role == Role::NonPrivate && !matches!(point.budget, Budget::Finite(_))
}

/// Fills in gaps and verdicts.
pub(super) fn fill(points: &mut [Worth], runs: &[Vec<&Outcome>]) {
    let places = |like: fn(&Worth) -> bool| (0..points.len()).filter(|&place| like(&points[place])).collect();
    let comparison = Comparison {
        points,
        runs,
        floors: places(|point| point.role == Role::Floor),
        open: places(is_non_private),
        infinite: places(|point| point.budget == Budget::Infinite),
    };
    let found: Vec<(Option<ToInfinity>, Verdicts)> =
        (0..points.len()).into_par_iter().map(|place| (comparison.gap(place), comparison.verdicts(place))).collect();
    for (point, (gap, (sweet, no_verdict))) in points.iter_mut().zip(found) {
        (point.gap, point.sweet, point.no_verdict) = (gap, sweet, no_verdict);
    }
}

/// By attack whether a point is a sweet spot, and why that is unknown.
type Verdicts = (BTreeMap<String, bool>, Option<NoVerdict>);

struct Comparison<'a> {
    points: &'a [Worth],
    runs: &'a [Vec<&'a Outcome>],
    floors: Vec<usize>,
    open: Vec<usize>,
    infinite: Vec<usize>,
}

impl Comparison<'_> {
    fn gap(&self, place: usize) -> Option<ToInfinity> {
        let own = &self.points[place];
        if is_non_private(own) {
            return None;
        }
        let same_case = || self.infinite.iter().copied().filter(|&other| self.points[other].case == own.case);
        let (reference, differs) =
            self.reference(own, self.open.iter().copied()).or_else(|| self.reference(own, same_case()))?;
        if reference == place {
            return None;
        }
        let gap = self.excess(own.scored.figure(), reference, place)?;
        Some(ToInfinity { reference: self.points[reference].case.clone(), gap, differs })
    }

    fn verdicts(&self, place: usize) -> Verdicts {
        let (own, mut found) = (&self.points[place], Verdicts::default());
        if own.role != Role::Method || own.accuracy.is_none() || self.floors.is_empty() || self.open.is_empty() {
            return found;
        }
        let reference = |places: &[usize]| self.reference(own, places.iter().copied()).map(|(place, _)| place);
        let (floor, open) = (reference(&self.floors), reference(&self.open));
        let gained = floor.and_then(|floor| self.excess(own.scored.figure(), place, floor));
        for attack in own.attacks.keys() {
            let attacked = open.filter(|&open| self.points[open].attacks.contains_key(attack));
            let verdict = match (floor, attacked) {
                _ if !is_proven(own) => Ok(false),
                (Some(floor), Some(open)) => {
                    let spared = self.spared(attack, place, (floor, open));
                    gained.as_ref().and_then(|gained| is_sweet(gained, &spared?)).ok_or(NoVerdict::TooFewSeeds)
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

    /// By how much a figure of one point exceeds that of another, seed by seed.
    fn excess(&self, figure: &str, one: usize, other: usize) -> Option<Gap> {
        let [one, other] = [one, other].map(|place| by_seed(&self.runs[place], figure));
        gap(&other, &one, BOOTSTRAP_SEED).ok()
    }

    /// By how much the AUC of an attack on a point is below its ceiling, seed by seed.
    fn spared(&self, attack: &str, place: usize, (floor, open): (usize, usize)) -> Option<Gap> {
        let [own, mut open, floor] = [place, open, floor].map(|place| by_seed(&self.runs[place], attack));
        let is_attacked = !floor.is_empty();
        open.retain(|seed, _| !is_attacked || floor.contains_key(seed));
        for (seed, auc) in &mut open {
            *auc = ceiling(*auc, floor.get(seed).copied().unwrap_or(GUESSING));
        }
        gap(&own, &open, BOOTSTRAP_SEED).ok()
    }

    /// The candidate to compare a point with and the allowed differences: the only one that differs
    /// least.
    fn reference(&self, own: &Worth, candidates: impl Iterator<Item = usize>) -> Option<(usize, Vec<String>)> {
        let mut alike: Vec<(usize, Vec<String>)> =
            candidates.filter_map(|place| Some((place, differences(own, &self.points[place])?))).collect();
        let least = alike.iter().map(|(_, differs)| differs.len()).min()?;
        alike.retain(|(_, differs)| differs.len() == least);
        alike.pop().filter(|_| alike.is_empty())
    }
}

/// Whether there is a promise about edges, and nothing that is promised is in doubt.
fn is_proven(point: &Worth) -> bool {
    let holds = |promise: &Promised| promise.status == Status::Proven.name();
    let is_open = |promise: &Promised| promise.status == Status::None.name() && !is_of_edges(promise);
    point.promises.iter().any(|it| is_of_edges(it) && holds(it))
        && point.promises.iter().all(|it| holds(it) || is_open(it))
}

/// Whether a point with this excess over the floor, and this distance from the ceiling of the AUC,
/// is a sweet spot; none with too few common seeds.
fn is_sweet(gained: &Gap, spared: &Gap) -> Option<bool> {
    let low = |gap: &Gap| gap.difference.interval.filter(|_| gap.difference.count >= LEAST_SEEDS).map(|[low, _]| low);
    Some(low(gained)? > 0.0 && low(spared)? > 0.0)
}

/// The allowed differences of two points; none if they cannot be compared.
fn differences(one: &Worth, other: &Worth) -> Option<Vec<String>> {
    let mut grid = one.point.iter().filter(|(name, _)| !is_budget(name));
    let same_grid = grid.all(|(name, value)| other.point.get(name).is_none_or(|also| also == value));
    if (&one.data, one.scored) != (&other.data, other.scored) || !same_grid {
        return None;
    }
    let (one, other) = (&one.parameters, &other.parameters);
    if one.is_empty() || other.is_empty() {
        return Some(Vec::new());
    }
    // A method that does not read a parameter cannot differ in it, and a recipe is nothing but
    // other defaults.
    let names: BTreeSet<&String> = one.keys().filter(|name| other.contains_key(*name) && *name != "recipe").collect();
    let counts = |name: &&String| !matches!(group(name), Group::Edges | Group::Student | Group::Nodes);
    let differs = |name: &&String| one.get(*name) != other.get(*name);
    let found: Vec<String> = names.into_iter().filter(counts).filter(differs).cloned().collect();
    let own_shape = reads_no_graph(one) || reads_no_graph(other);
    let own_rule = is_local(one) != is_local(other);
    let is_allowed = |name: &String| match name.as_str() {
        "select" => own_shape || own_rule,
        name => own_shape && group(name) == Group::Network,
    };
    found.iter().all(is_allowed).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Own figures minus those of the reference.
    fn more(own: &[f64], reference: &[f64]) -> Gap {
        let by_seed = |figures: &[f64]| -> BTreeMap<u64, f64> { (1..).zip(figures.iter().copied()).collect() };
        gap(&by_seed(reference), &by_seed(own), 1).unwrap()
    }

    #[test]
    fn both_lines_must_be_passed_with_whole_intervals() {
        let floor = [0.5, 0.6, 0.7];
        let spared = more(&[0.9; 3], &[0.6; 3]);
        let found = |accuracy: [f64; 3]| is_sweet(&more(&accuracy, &floor), &spared);
        // The seeds differ by more than the two cases do: seed by seed it is above the floor
        // nevertheless.
        assert_eq!(found([0.51, 0.62, 0.71]), Some(true));
        // More accurate on average, and not surely.
        assert_eq!(found([0.9, 0.9, 0.69]), Some(false));
        assert_eq!(found([0.5, 0.9, 0.9]), Some(false), "one seed lies on the line");
        let gained = more(&[0.8; 3], &floor);
        assert_eq!(is_sweet(&gained, &more(&[0.9; 3], &[0.8, 0.8, 0.91])), Some(false));
    }

    #[test]
    fn fewer_than_three_seeds_decide_nothing() {
        let [one, two, three] = [1, 2, 3].map(|seeds| more(&vec![0.9; seeds], &vec![0.5; seeds]));
        assert_eq!(is_sweet(&three, &three), Some(true));
        for few in [one, two] {
            assert_eq!([is_sweet(&few, &three), is_sweet(&three, &few)], [None, None]);
        }
    }
}
