//! A neighbour is kept or exchanged for one of its candidates (Eq. 5 and 6).

use std::num::{NonZeroU32, NonZeroU64};
use std::sync::OnceLock;

use num_bigint::BigUint;
use num_traits::One;
use veil_graph::NodeId;

use crate::coins::NodeCoins;
use crate::exact::{Fraction, flip_threshold};
use crate::sampler::bernoulli_threshold;

/// The coins of this draw: tests enumerate all outcomes.
pub(in crate::protocol) trait Draws {
    /// True with probability `threshold`·2⁻⁶⁴.
    fn is_below(&mut self, threshold: u64) -> bool;
    /// Uniform below `n`.
    fn below(&mut self, n: u64) -> u64;
}

impl Draws for NodeCoins {
    fn is_below(&mut self, threshold: u64) -> bool {
        bernoulli_threshold(self, threshold.into())
    }

    fn below(&mut self, n: u64) -> u64 {
        NodeCoins::below(self, n)
    }
}

/// The answer of neighbour u to v: its candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer<'a> {
    neighbour: NodeId,
    /// Distinct nodes; ascending if one of them is left out.
    listed: &'a [NodeId],
    left_out: Option<NodeId>,
}

impl<'a> Answer<'a> {
    /// A received answer: u and its candidates S(u), distinct and in u's order.
    pub fn new(neighbour: NodeId, candidates: &'a [NodeId]) -> Answer<'a> {
        Answer { neighbour, listed: candidates, left_out: None }
    }

    /// All of `listed`, ascending, except `left_out`, which is one of them: avoids a copy per
    /// asker.
    pub(super) fn all_but(neighbour: NodeId, listed: &'a [NodeId], left_out: NodeId) -> Answer<'a> {
        debug_assert!(listed.binary_search(&left_out).is_ok());
        Answer { neighbour, listed, left_out: Some(left_out) }
    }

    /// The answering node u.
    pub fn neighbour(&self) -> NodeId {
        self.neighbour
    }

    /// The number of candidates.
    pub fn len(&self) -> usize {
        self.listed.len() - usize::from(self.left_out.is_some())
    }

    /// Whether there are none: u is then reported unchanged.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The candidates.
    pub fn iter(&self) -> impl Iterator<Item = NodeId> + 'a {
        let left_out = self.left_out;
        self.listed.iter().copied().filter(move |&node| Some(node) != left_out)
    }

    /// The candidate that was drawn, or u.
    pub(super) fn take(&self, place: Option<usize>) -> NodeId {
        match (place, self.left_out) {
            (None, _) => self.neighbour,
            // The list is ascending: from the omitted node on, places shift by one. Searching for
            // it would dominate the cost on a large graph.
            (Some(place), Some(left_out)) => self.listed[place + usize::from(self.listed[place] >= left_out)],
            (Some(place), None) => self.listed[place],
        }
    }
}

/// The number of words (of 2⁶⁴) that exchange a neighbour, by its number of candidates: rounded
/// towards exchanging, as in [`flip_threshold`], computed on first use and cached.
#[derive(Debug)]
pub struct Thresholds {
    epsilon: (u64, NonZeroU64),
    /// For 1, 2, … candidates.
    known: Vec<OnceLock<u64>>,
}

impl Thresholds {
    pub(super) fn new(epsilon: (u64, NonZeroU64), most: usize) -> Thresholds {
        Thresholds { epsilon, known: (0..most).map(|_| OnceLock::new()).collect() }
    }

    /// For this many candidates.
    pub(super) fn exchange_below(&self, candidates: usize) -> u64 {
        let compute = || {
            // Candidates are distinct nodes other than u and v, so one more than there are is still
            // a u32.
            let values = NonZeroU32::MIN.saturating_add(u32::try_from(candidates).unwrap_or(u32::MAX));
            flip_threshold(self.epsilon.0, self.epsilon.1, values)
        };
        match candidates.checked_sub(1).map(|place| self.known.get(place)) {
            None => 0,
            Some(Some(cell)) => *cell.get_or_init(compute),
            Some(None) => compute(),
        }
    }

    /// The place of the drawn candidate, for [`Answer::take`]; `None` keeps u.
    pub(super) fn draw(&self, answer: &Answer<'_>, coins: &mut impl Draws) -> Option<usize> {
        let exchanged = !answer.is_empty() && coins.is_below(self.exchange_below(answer.len()));
        exchanged.then(|| coins.below(answer.len() as u64) as usize)
    }

    /// P[u → ·] for an answer of u, exactly: u first, then each candidate in its order.
    pub fn distribution(&self, answer: &Answer<'_>) -> Vec<(NodeId, Fraction)> {
        let exchange = self.exchange_below(answer.len());
        let keep = Fraction::of_words((1 << 64) - u128::from(exchange));
        let each = Fraction::new(exchange, BigUint::from(answer.len()) * (BigUint::one() << 64_u32));
        let candidates = answer.iter().filter_map(|node| Some((node, each.clone()?)));
        std::iter::once((answer.neighbour, keep)).chain(candidates).collect()
    }
}
