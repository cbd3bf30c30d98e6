//! Randomised response on one bit (Warner 1965), shared by all mechanisms that flip entries.

use std::num::{NonZeroU32, NonZeroU64};

use super::{ParamError, finite};
use crate::budget::Epsilon;
use crate::exact::{Fraction, flip_threshold};
use crate::fault::{self, Fault};
use crate::sampler::Skips;

/// A bit is 0 or 1.
const VALUES: NonZeroU32 = NonZeroU32::MIN.saturating_add(1);

/// Flips a bit if a word is below f, rounded up from 2⁶⁴/(e^ε+1): keeping is at most e^ε times as
/// likely as flipping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BitFlip {
    below: NonZeroU64,
}

impl BitFlip {
    /// Computes f.
    pub fn new(epsilon: Epsilon) -> Result<BitFlip, ParamError> {
        let twice = epsilon.times(2).filter(|_| fault::is(Fault::FlipsAtTwiceEpsilon));
        let (numerator, denominator) = finite(twice.unwrap_or(epsilon))?;
        // Never 0: with another value to flip to, a threshold is at least 1.
        let below = NonZeroU64::new(flip_threshold(numerator.get(), denominator, VALUES)).unwrap_or(NonZeroU64::MIN);
        Ok(BitFlip { below })
    }

    /// f: a bit flips if a word is below this.
    pub fn below(&self) -> u64 {
        self.below.get()
    }

    /// The distances between flipped bits, for rows of at most `bits` bits.
    pub fn skips(&self, longest: u32) -> Skips {
        Skips::new(self.below, longest)
    }

    /// The expected number of zeros that become ones, rounded up.
    pub fn expected(&self, zeros: u64) -> u64 {
        // Each is less likely to flip than not, so this fits.
        (u128::from(zeros) * u128::from(self.below.get())).div_ceil(1 << 64) as u64
    }

    /// P[bit → 0] and P[bit → 1], exactly.
    pub fn distribution(&self, bit: bool) -> [Fraction; 2] {
        let flip = u128::from(self.below.get());
        let (keep, flip) = (Fraction::of_words((1 << 64) - flip), Fraction::of_words(flip));
        if bit { [flip, keep] } else { [keep, flip] }
    }
}
