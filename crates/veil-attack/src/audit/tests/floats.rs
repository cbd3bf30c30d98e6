//! Laplace noise of floating-point numbers, as it is often written, and why it hides nothing
//! (Mironov 2012).
//!
//! A uniform number of 53 bits becomes noise by the inverse of the distribution function. So there
//! are only 2⁵³ noises, with gaps between them that are wider than those between floats. Added to 0
//! they reach other floats than added to 1: most outputs are possible with one of the two only.

use veil_privacy::NodeCoins;
use veil_privacy::mechanism::grid_laplace;

use super::{assert_told_apart, epsilon};

const WORDS: u64 = 1 << 53;

/// The noise of scale 1 that belongs to one of the 2⁵³ uniform numbers.
fn noise(word: u64) -> f64 {
    let centred = word as f64 / WORDS as f64 - 0.5;
    -centred.signum() * libm::log(1.0 - 2.0 * centred.abs())
}

/// Whether some noise takes this input to this output: the words around the one that would give it
/// are tried.
fn reachable(input: f64, output: f64) -> bool {
    let noise_wanted = output - input;
    let tail = libm::exp(-noise_wanted.abs()) / 2.0;
    let share = if noise_wanted > 0.0 { 1.0 - tail } else { tail };
    let about = (share * WORDS as f64) as u64;
    (about.saturating_sub(8)..=(about + 8).min(WORDS - 1)).any(|word| input + noise(word) == output)
}

/// Above 0 if only 1 can have led here, below if only 0.
fn membership(output: f64) -> f64 {
    match (reachable(0.0, output), reachable(1.0, output)) {
        (true, false) => -1.0,
        (false, true) => 1.0,
        _ => 0.0,
    }
}

/// ε = 1 claimed, 1,000 canaries. The honest counterpart is noise on a grid, which the same
/// adversary is asked about.
#[test]
fn a_floating_point_laplace() {
    let params = grid_laplace::Params {
        epsilon: epsilon("1"),
        l1_sensitivity: 1.0,
        coordinates: 1,
        step_exponent: 40,
        bound: 1.0,
    };
    let grid = params.check().unwrap();
    let input = |secret| f64::from(u8::from(secret));
    assert_told_apart(
        1.0,
        1000,
        1.0,
        |secret, coins: &mut NodeCoins| membership(input(secret) + noise(coins.next_u64() >> 11)),
        |secret, coins| membership(grid.release(&[input(secret)], coins).unwrap()[0]),
    );
}

#[test]
fn every_output_is_reachable_from_its_input() {
    for place in 0..10_000_u64 {
        let word = place.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11;
        for input in [0.0, 1.0] {
            assert!(reachable(input, input + noise(word)), "{input} and word {word}");
        }
    }
}
