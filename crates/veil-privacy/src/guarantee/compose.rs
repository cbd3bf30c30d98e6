//! Composition of guarantees, per unit.

use serde::{Serialize, Serializer};

use super::{Guarantee, Statement, Status, Unit};
use crate::budget::{Delta, Epsilon};
use crate::protocol::cascade;

/// A sum of privacy losses: zero, finite or unbounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Spent {
    /// Zero.
    #[default]
    Nothing,
    /// A finite loss.
    Finite(Epsilon),
    /// At least one release has no proven finite loss.
    Unbounded,
}

impl Spent {
    /// The loss of a guarantee: unbounded unless proven, and with noise from a known seed.
    pub fn of(guarantee: &Guarantee) -> Spent {
        match guarantee.status {
            Status::Proven if guarantee.epsilon.is_finite() && !guarantee.reproducible => {
                Spent::Finite(guarantee.epsilon)
            }
            _ => Spent::Unbounded,
        }
    }

    /// A number of 10⁻⁹; above the largest ε it is unbounded.
    pub(crate) fn from_nanos(nanos: u64) -> Spent {
        match (nanos, Epsilon::from_nanos(nanos)) {
            (0, _) => Spent::Nothing,
            (_, Some(epsilon)) => Spent::Finite(epsilon),
            (_, None) => Spent::Unbounded,
        }
    }

    /// Sequential composition.
    pub fn plus(self, other: Spent) -> Spent {
        match (self, other) {
            (Spent::Nothing, rest) | (rest, Spent::Nothing) => rest,
            (Spent::Finite(a), Spent::Finite(b)) => a.checked_add(b).map_or(Spent::Unbounded, Spent::Finite),
            _ => Spent::Unbounded,
        }
    }

    /// Whether the sum is within a budget.
    pub fn within(self, budget: Epsilon) -> bool {
        match self {
            Spent::Nothing => true,
            Spent::Finite(epsilon) => epsilon <= budget,
            Spent::Unbounded => false,
        }
    }

    /// The rest of a budget.
    pub fn left_of(self, budget: Epsilon) -> Spent {
        match (self, budget.nanos()) {
            (Spent::Unbounded, _) => Spent::Nothing,
            (_, None) => Spent::Unbounded,
            (Spent::Nothing, Some(_)) => Spent::Finite(budget),
            (Spent::Finite(epsilon), Some(budget)) => {
                Spent::from_nanos(budget.saturating_sub(epsilon.nanos().unwrap_or(u64::MAX)))
            }
        }
    }
}

impl std::fmt::Display for Spent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Spent::Nothing => f.pad("0"),
            Spent::Finite(epsilon) => epsilon.fmt(f),
            Spent::Unbounded => f.pad("unbounded"),
        }
    }
}

impl Serialize for Spent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Spent::Nothing => serializer.serialize_u64(0),
            Spent::Finite(epsilon) => epsilon.serialize(serializer),
            Spent::Unbounded => serializer.serialize_str("unbounded"),
        }
    }
}

/// The sum over the releases of one model per unit: the training graph, a validation graph, the
/// graph that it answers about. The extensions of a cascade cost as much as the largest of them
/// ([`protocol::cascade`](crate::protocol::cascade)); everything else adds up.
pub fn compose_releases<'a>(statements: impl IntoIterator<Item = &'a Statement>) -> Vec<(Unit, Spent, Delta)> {
    let all =
        statements.into_iter().flat_map(|it| it.guarantees.iter().map(|guarantee| (it.release.as_str(), guarantee)));
    // The first release of a chain is that with this id; an extension says which one it is.
    let chained = |(release, guarantee): (&'a str, &'a Guarantee)| {
        let first = cascade::extended(&guarantee.mechanism, &guarantee.parameters).map(|(_, first)| first);
        (first.unwrap_or(release), first.is_some(), guarantee)
    };
    let (extensions, others): (Vec<_>, Vec<_>) = all.map(chained).partition(|&(_, extends, _)| extends);
    let mut kept: Vec<(&str, &Guarantee)> =
        others.into_iter().map(|(release, _, guarantee)| (release, guarantee)).collect();
    for (first, _, guarantee) in extensions {
        let same = |(release, other): &&mut (&str, &Guarantee)| {
            *release == first && (other.unit, &other.mechanism) == (guarantee.unit, &guarantee.mechanism)
        };
        match kept.iter_mut().find(same) {
            Some((_, other)) if Spent::of(other) >= Spent::of(guarantee) => {}
            Some((_, other)) => *other = guarantee,
            None => kept.push((first, guarantee)),
        }
    }
    compose(kept.into_iter().map(|(_, guarantee)| guarantee))
}

/// The sum of guarantees per unit (basic composition: ε and δ are sums). Units without a guarantee
/// are omitted. Losses of different units are never added.
pub fn compose<'a>(guarantees: impl IntoIterator<Item = &'a Guarantee>) -> Vec<(Unit, Spent, Delta)> {
    let mut sums: Vec<(Unit, Spent, Delta)> = Vec::new();
    for guarantee in guarantees {
        let (spent, delta) = (Spent::of(guarantee), guarantee.delta);
        match sums.iter_mut().find(|(unit, ..)| *unit == guarantee.unit) {
            Some((_, sum, sum_of_deltas)) => match sum_of_deltas.checked_add(delta) {
                Some(total) => (*sum, *sum_of_deltas) = (sum.plus(spent), total),
                // δ above 1 is no guarantee.
                None => *sum = Spent::Unbounded,
            },
            None => sums.push((guarantee.unit, spent, delta)),
        }
    }
    sums.sort_by_key(|&(unit, ..)| unit);
    sums
}
