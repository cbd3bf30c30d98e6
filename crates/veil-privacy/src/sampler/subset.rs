//! Subsets of fixed size.

use std::collections::BTreeSet;

use crate::coins::{NodeCoins, Uniform};

/// Up to this size a sorted list is fastest.
const SHORT: u32 = 64;

/// `m` different numbers below `d`, sorted, every subset equally likely. All of them if `m` ≥ `d`
/// (no coin is used).
///
/// Floyd's algorithm (Bentley and Floyd 1987): `m` draws whatever `d` is. How the chosen are kept
/// depends on `m` and `d`; what is chosen does not.
pub fn choose(coins: &mut NodeCoins, m: u32, d: u32) -> Vec<u32> {
    choose_with(coins, m, d)
}

pub(super) fn choose_with(coins: &mut impl Uniform, m: u32, d: u32) -> Vec<u32> {
    if m >= d {
        return (0..d).collect();
    }
    if m <= SHORT {
        let mut chosen = Vec::with_capacity(m as usize);
        floyd(coins, m, d, |candidate| match chosen.binary_search(&candidate) {
            Ok(_) => false,
            Err(place) => {
                chosen.insert(place, candidate);
                true
            }
        });
        chosen
    } else if d / 64 <= m {
        let mut marks = vec![0_u64; (d / 64 + 1) as usize];
        floyd(coins, m, d, |candidate| match marks.get_mut((candidate / 64) as usize) {
            Some(word) => {
                let bit = 1_u64 << (candidate % 64);
                let fresh = *word & bit == 0;
                *word |= bit;
                fresh
            }
            None => false,
        });
        marked(&marks, m)
    } else {
        let mut chosen = BTreeSet::new();
        floyd(coins, m, d, |candidate| chosen.insert(candidate));
        chosen.into_iter().collect()
    }
}

/// For each of the last `m` numbers j: insert a random number up to j, or j itself if that was
/// there already.
fn floyd(coins: &mut impl Uniform, m: u32, d: u32, mut insert: impl FnMut(u32) -> bool) {
    for last in d - m..d {
        let candidate = coins.below(u128::from(last) + 1) as u32;
        if !insert(candidate) {
            insert(last);
        }
    }
}

fn marked(marks: &[u64], count: u32) -> Vec<u32> {
    let mut numbers = Vec::with_capacity(count as usize);
    for (base, &word) in (0_u32..).step_by(64).zip(marks) {
        let mut rest = word;
        while rest != 0 {
            numbers.push(base + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
    numbers
}
