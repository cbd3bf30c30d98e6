//! Distances between rare successes.

use std::hint::select_unpredictable;
use std::num::NonZeroU64;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, ToPrimitive};

use crate::coins::{NodeCoins, Question};
use crate::fault::{self, Fault};

/// Bits of a word.
const WORD: u64 = 64;

/// Bits of the powers while the table is made.
const TABLE: u64 = 256;

/// How far, in units of 2⁻⁶⁴, a power may be above the lower bound that [`Skips::at_once`] has of
/// it: 1 at the start and 4 for each of at most 32 levels.
const SLACK: u64 = 129;

/// The number of failures before the next success, with success probability p = threshold/2⁶⁴.
///
/// The same as a coin for each trial, in time that does not depend on how long the skip is. **Why
/// it is exact.** Let U be the real number whose binary digits are uniform words: U is uniform. The
/// skip is the largest j with U < (1−p)ʲ, so P(skip ≥ j) = (1−p)ʲ, as for the trials. It is found
/// by bisection, because (1−p)ʲ falls with j, and each comparison is made between what is known of
/// both: U lies in an interval given by the words drawn so far, and (1−p)ʲ, a product of powers
/// (1−p)^(2^i), in one whose ends were rounded outwards. Only when the intervals do not overlap is
/// it decided; else another word is drawn and the powers are computed with as many more digits. So
/// the result is that of U, whichever path led to it, and after finitely many words it is found:
/// the intervals' lengths go to 0, and U equals one of the powers with probability 0.
///
/// Skips beyond the longest relevant one are truncated to a length not below it.
#[derive(Clone, Debug)]
pub struct Skips {
    /// 2⁶⁴(1−p), below 2⁶⁴ because p is not 0.
    failure: u64,
    /// Lower bounds of (1−p)^(2^level) in units of 2⁻⁶⁴, each less than 2 units too low.
    powers: Vec<u64>,
}

impl Skips {
    /// For successes with probability `threshold`/2⁶⁴; skips of `longest` and more are not
    /// distinguished.
    pub fn new(threshold: NonZeroU64, longest: u32) -> Skips {
        let failure = threshold.get().wrapping_neg();
        // Squaring doubles the error and adds a unit: after 32 squarings it is below 2³² of 2²⁵⁶.
        let mut power = BigUint::from(failure) << (TABLE - WORD);
        let mut powers = Vec::new();
        for _ in 0..levels(longest) {
            // Below 2⁶⁴, as every power is below 1.
            powers.push((&power >> (TABLE - WORD)).to_u64().unwrap_or(0));
            power = (&power * &power) >> TABLE;
        }
        Skips { failure, powers }
    }

    /// The next skip. Takes one word, almost always.
    pub fn draw(&self, coins: &mut NodeCoins) -> u32 {
        let longest = || ((1_u64 << self.powers.len()) - 1) as u32;
        let question = || Question::Skip { threshold: self.failure.wrapping_neg(), longest: longest() };
        if let Some(answer) = coins.explored(question) {
            return answer as u32;
        }
        let word = coins.next_u64();
        match self.at_once(word) {
            Some(skip) => skip,
            None => refine(self.failure, WORD, self.powers.len() as u32, word, || coins.next_u64()),
        }
    }

    /// Each of `bits` bits flipped with the probability of a success, independently: `push` gets
    /// those that are then 1, ascending. `ones` are those that were: ascending, each once, all
    /// below `bits`.
    pub(crate) fn flip(
        &self,
        bits: u32,
        ones: impl Iterator<Item = u32>,
        coins: &mut NodeCoins,
        mut push: impl FnMut(u32),
    ) {
        let reached = bits - u32::from(fault::is(Fault::SkipOffByOne) && bits > 0);
        let mut ones = ones.peekable();
        let mut flipped = self.draw(coins);
        while flipped < reached {
            while let Some(before) = ones.next_if(|&one| one < flipped) {
                push(before);
            }
            // A one that flips is gone; a zero becomes a one.
            if ones.next_if_eq(&flipped).is_none() {
                push(flipped);
            }
            // Cut skips are as long as the list at least.
            flipped = (flipped + 1).saturating_add(self.draw(coins));
        }
        ones.for_each(push);
    }

    /// The skip if the first word of U decides it. Without branches: they would be guessed wrongly
    /// half of the time.
    ///
    /// If 2⁶⁴x ≤ c + e for the power x so far, and 2⁶⁴y < l + 2 for the next factor, then 2⁶⁴xy <
    /// ⌊cl/2⁶⁴⌋ + e + 4: each level adds 4 to the error at most.
    fn at_once(&self, word: u64) -> Option<u32> {
        // 1 is one unit above the largest word.
        let (mut skip, mut power, mut open) = (0, u64::MAX, false);
        for &factor in self.powers.iter().rev() {
            let next = ((u128::from(power) * u128::from(factor)) >> WORD) as u64;
            let below = word < next;
            skip = skip << 1 | u32::from(below);
            power = select_unpredictable(below, next, power);
            // Wraps if it is below: then this is large, or the word is looked at more closely for
            // nothing.
            open |= word.wrapping_sub(next) < SLACK;
        }
        (!open).then_some(skip)
    }
}

/// The number of binary digits of a skip up to `longest`.
fn levels(longest: u32) -> u32 {
    u32::BITS - longest.leading_zeros()
}

/// Draws words of `bits` bits until those after the `first` decide the skip; trials fail with
/// `failure`/2^bits.
pub(super) fn refine(failure: u64, bits: u64, levels: u32, first: u64, mut word: impl FnMut() -> u64) -> u32 {
    let (mut drawn, mut digits) = (BigUint::from(first), bits);
    loop {
        let one_trial = BigUint::from(failure) << (digits - bits);
        if let Some(skip) = decide(&drawn, digits, one_trial, levels) {
            return skip;
        }
        drawn = (drawn << bits) + word();
        digits += bits;
    }
}

/// The skip of every U in [drawn, drawn + 1)/2^digits, if it is the same for all as far as powers
/// with so many digits can tell.
fn decide(drawn: &BigUint, digits: u64, one_trial: BigUint, levels: u32) -> Option<u32> {
    let one = BigUint::one() << digits;
    let down = |a: &BigUint, b: &BigUint| (a * b) >> digits;
    let up = |a: &BigUint, b: &BigUint| (a * b).div_ceil(&one);
    let mut powers = vec![(one_trial.clone(), one_trial)];
    for level in 1..levels as usize {
        let (low, high) = &powers[level - 1];
        powers.push((down(low, low), up(high, high)));
    }
    let (mut skip, mut low, mut high) = (0, one.clone(), one.clone());
    for level in (0..levels as usize).rev() {
        let next = (down(&low, &powers[level].0), up(&high, &powers[level].1));
        if *drawn < next.0 {
            skip |= 1 << level;
            (low, high) = next;
        } else if *drawn < next.1 {
            return None;
        }
    }
    Some(skip)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coins::Uniform;
    use crate::exact::Fraction;
    use crate::testing::{assert_binomial, outcomes, stream};

    fn skips(threshold: u64, longest: u32) -> Skips {
        Skips::new(NonZeroU64::new(threshold).expect("not zero"), longest)
    }

    /// With words of few bits the tree of all words is finite: once the words have as many digits
    /// as (1−p)ʲ itself, nothing is rounded. So the masses are the whole truth, also where earlier
    /// words left it open.
    #[test]
    fn every_skip_has_its_exact_probability() {
        for (bits, levels) in [(1_u64, 3_u32), (2, 2), (3, 2), (2, 3)] {
            for success in 1..1_u64 << bits {
                let whole = 1_u64 << bits;
                let (masses, open) = outcomes(7, |coins| {
                    let mut word = || coins.below(u128::from(whole)) as u64;
                    let first = word();
                    refine(whole - success, bits, levels, first, word)
                });
                assert!(open.is_zero());
                let p = Fraction::new(success, whole).expect("not zero");
                let fail = Fraction::new(whole - success, whole).expect("not zero");
                let longest = (1 << levels) - 1;
                let mut rest = Fraction::one();
                for skip in 0..longest {
                    assert_eq!(masses.get(&skip), Some(&(&rest * &p)), "{success}/{whole}: {skip}");
                    rest = &rest * &fail;
                }
                assert_eq!(masses.get(&longest), Some(&rest), "{success}/{whole}: the cut");
                assert_eq!(masses.len(), longest as usize + 1);
            }
        }
    }

    /// Where one word decides, it decides as exact powers do; where it does not, the boundary is
    /// near.
    #[test]
    fn one_word_decides_as_many_do() {
        let mut coins = stream("skips").node(0);
        for shift in [0, 1, 5, 20, 40, 62] {
            let threshold = (coins.next_u64() >> shift).max(1);
            let table = skips(threshold, 1 << 20);
            let exact = |word| refine(table.failure, WORD, 21, word, || 0x0123_4567_89ab_cdef);
            for _ in 0..100 {
                let word = coins.next_u64();
                assert_eq!(table.at_once(word).unwrap_or_else(|| exact(word)), exact(word), "{threshold}: {word}");
            }
        }
    }

    /// Words at the boundary between two skips: nothing is decided wrongly, and the next words
    /// settle it.
    #[test]
    fn words_at_a_boundary_are_settled_by_the_next() {
        for (threshold, skip) in [(1_u64 << 58, 5_u32), (0x0123_4567_89ab_cdef, 1000), (1 << 40, 1001), (3, 700)] {
            let table = skips(threshold, 1 << 20);
            // (1−p)^skip exactly, then its first word: U is below the power if what follows is
            // below the rest of it.
            let power = BigUint::from(table.failure).pow(skip);
            let digits = WORD * u64::from(skip);
            let first = (&power >> (digits - WORD)).to_u64().expect("below 1");
            assert_eq!(table.at_once(first), None, "{threshold}");
            let second = (&power >> (digits - 2 * WORD)) & BigUint::from(u64::MAX);
            let second = second.to_u64().expect("a word");
            let settle = |word| refine(table.failure, WORD, 21, first, || word);
            if let Some(below) = second.checked_sub(1) {
                assert_eq!(settle(below), skip, "{threshold}");
            }
            assert_eq!(settle(second + 1), skip - 1, "{threshold}");
            // Far enough from it one word is enough, unless the next boundary is as near.
            assert_eq!(table.at_once(first - 200), Some(skip).filter(|_| threshold > 1000), "{threshold}");
        }
    }

    #[test]
    fn skips_at_the_stated_rates() {
        let trials = 100_000_u64;
        let (threshold, cells) = (1_u64 << 61, 12);
        let (table, mut coins) = (skips(threshold, 1000), stream("skip rates").node(0));
        let mut hits = vec![0_u64; cells];
        for _ in 0..trials {
            if let Some(cell) = hits.get_mut(table.draw(&mut coins) as usize) {
                *cell += 1;
            }
        }
        for (skip, hits) in hits.into_iter().enumerate() {
            let p = 0.125 * 0.875_f64.powi(skip as i32);
            assert_binomial(hits, trials, p, cells as u64, &format!("a skip of {skip}"));
        }
    }

    /// Rare successes: how many there are among many trials.
    #[test]
    fn rare_successes_at_the_stated_rate() {
        let (threshold, trials) = (1_u64 << 50, 1_u32 << 30);
        let (table, mut coins) = (skips(threshold, trials), stream("rare").node(0));
        let (mut at, mut hits) = (u64::from(table.draw(&mut coins)), 0);
        while at < u64::from(trials) {
            hits += 1;
            at += 1 + u64::from(table.draw(&mut coins));
        }
        assert_binomial(hits, u64::from(trials), 2_f64.powi(-14), 1, "rare");
    }

    #[test]
    fn nothing_to_skip() {
        assert_eq!(skips(1, 0).draw(&mut stream("none").node(0)), 0);
        // The rarest success and the longest row: cut, not wrapped.
        assert_eq!(skips(1, u32::MAX).draw(&mut stream("none").node(1)), u32::MAX);
        // The likeliest that a threshold can say: hardly ever a failure.
        assert_eq!(skips(u64::MAX, u32::MAX).draw(&mut stream("none").node(2)), 0);
    }
}
