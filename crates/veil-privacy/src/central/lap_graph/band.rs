//! The cells without an edge whose noise is in a band of levels, found without visiting the others.
//!
//! Each cell that is known to be below the band's upper end is in the band with the same
//! probability q, independently. That q is irrational. **Why it is exact.** Say that a cell is in
//! the band if the real number U, whose binary digits are uniform words, is below q. Its first word
//! W must then be below T = ⌈2⁶⁴q⌉: [`Skips`] finds the cells for which it is. Given that, W is
//! uniform below T. If W + 1 ≤ 2⁶⁴q then U < q whatever follows; else words are drawn and q is
//! computed with as many more digits until they differ. So a cell is accepted exactly if U < q.

use std::num::NonZeroU64;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, ToPrimitive};
use veil_graph::NodeId;

use super::cell::Cell;
use super::noise::Noise;
use crate::central::shared::{cells_of_row, every_row};
use crate::coins::{NodeCoins, Question, Stream};
use crate::exact::FRACTION_BITS;
use crate::sampler::Skips;

/// Bits of a word.
const WORD: u64 = 64;

/// Digits of q when the band is made: then the first word is almost always enough.
const TABLE: u64 = 192;

/// More bits of the exponentials than digits of q: what rounding loses of them.
const GUARD: u64 = 64;

/// from ≤ Z < below, or all that is at least `from`.
#[derive(Debug)]
pub(super) struct Band {
    noise: Noise,
    from: u64,
    below: Option<u64>,
    /// ⌈2⁶⁴q⌉, or one more.
    threshold: NonZeroU64,
    /// ⌊2⁶⁴q⌋, or one less: first words below this are below q.
    sure: u64,
    skips: Skips,
}

impl Band {
    /// `from` is at least 1, and less than `below`: so q is at most ½.
    pub(super) fn new(noise: Noise, from: u64, below: Option<u64>, nodes: u32) -> Band {
        let (low, high) = bounds(&noise, from, below, TABLE);
        let sure = (low >> (TABLE - WORD)).to_u64().unwrap_or(0);
        let threshold = high.div_ceil(&(BigUint::one() << (TABLE - WORD))).to_u64().and_then(NonZeroU64::new);
        // Neither 0 nor beyond a word, as q is positive and at most ½.
        let threshold = threshold.unwrap_or(NonZeroU64::MAX);
        Band { noise, from, below, threshold, sure, skips: Skips::new(threshold, nodes) }
    }

    /// The cells in the band, ascending. Known cells (per row, ascending) are skipped: they are
    /// edges, or above the band.
    pub(super) fn find<Known: Iterator<Item = u32>>(
        &self,
        nodes: u32,
        known: impl Fn(NodeId) -> Known + Sync,
        coins: &Stream,
    ) -> Vec<Cell> {
        every_row(nodes, coins, |row, coins, out| {
            let cells = cells_of_row(nodes, row);
            let mut known = known(row).peekable();
            let mut number = self.skips.draw(coins);
            while number < cells {
                while known.next_if(|&before| before < number).is_some() {}
                if self.accept(coins) && known.next_if_eq(&number).is_none() {
                    let value = self.value(coins);
                    out.push(Cell::new(value, row, number, coins));
                }
                // Cut skips are as long as the row at least.
                number = (number + 1).saturating_add(self.skips.draw(coins));
            }
        })
    }

    /// Whether U < q, given that its first word is below the threshold.
    fn accept(&self, coins: &mut NodeCoins) -> bool {
        if let Some(answer) = coins.explored(|| self.acceptance()) {
            return answer == 1;
        }
        let first = coins.below(self.threshold.get());
        let bounds = |digits| bounds(&self.noise, self.from, self.below, digits);
        first < self.sure || settle(bounds, WORD, first, || coins.next_u64())
    }

    /// q, given that the first word is below the threshold: 2⁶⁴q/T.
    fn acceptance(&self) -> Question {
        let (low, high) = bounds(&self.noise, self.from, self.below, FRACTION_BITS);
        let threshold = BigUint::from(self.threshold.get());
        Question::Event { low: (low << WORD) / &threshold, high: (high << WORD).div_ceil(&threshold) }
    }

    /// Z, given that it is in the band.
    fn value(&self, coins: &mut NodeCoins) -> i64 {
        match self.below {
            None => self.noise.value_from(self.from, coins),
            Some(below) => self.noise.value_between(self.from, below, coins),
        }
    }
}

/// Lower and upper bound of q in units of 2^−digits:
/// * P(Z ≥ f) = e^(−sf)/(1+e^(−s)) = 1/(e^(sf) + e^(s(f−1)));
/// * P(Z ≥ f | Z < b) = (e^(s(b−f)) − 1)/(e^(sb) + e^(s(b−1)) − 1).
pub(super) fn bounds(noise: &Noise, from: u64, below: Option<u64>, digits: u64) -> (BigUint, BigUint) {
    let bits = digits + GUARD;
    let one = BigUint::one() << bits;
    let (top, bottom) = match below {
        None => ((one.clone(), one), noise.rarity(from, bits)),
        Some(below) => {
            let (top, bottom) = (noise.exp(below - from, bits), noise.rarity(below, bits));
            ((top.0 - &one, top.1 - &one), (bottom.0 - &one, bottom.1 - one))
        }
    };
    ((top.0 << digits) / bottom.1, (top.1 << digits).div_ceil(&bottom.0))
}

/// Whether U < q, where U begins with the `first` word of `bits` bits. `bounds` encloses q in units
/// of 2^−digits, the more closely the more digits.
pub(super) fn settle(
    bounds: impl Fn(u64) -> (BigUint, BigUint),
    bits: u64,
    first: u64,
    mut word: impl FnMut() -> u64,
) -> bool {
    let (mut drawn, mut digits) = (BigUint::from(first), bits);
    loop {
        let (low, high) = bounds(digits);
        // U is at least drawn and less than one unit more.
        if drawn < low {
            return true;
        }
        if drawn >= high {
            return false;
        }
        drawn = (drawn << bits) + word();
        digits += bits;
    }
}
