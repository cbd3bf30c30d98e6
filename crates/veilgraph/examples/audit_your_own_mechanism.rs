//! Audit somebody else's mechanism: run it in two worlds that differ in one record, and bound its ε
//! from below.
//!
//! `cargo run --example audit_your_own_mechanism`

use veilgraph::attack::audit::Promise;
use veilgraph::attack::audit::guesses::judge_worlds;
use veilgraph::graph::random::Random;

/// A count with uniform noise, said to be ε = 1: outputs near the ends tell the two worlds apart
/// with certainty.
fn broken(count: f64, random: &mut Random) -> f64 {
    count + 4.0 * (random.below(1_000_000) as f64 / 1e6 - 0.5)
}

/// Randomised response on one bit at ε = 1.
fn honest(bit: bool, random: &mut Random) -> f64 {
    let keep = 1f64.exp() / (1.0 + 1f64.exp());
    let kept = (random.below(1_000_000) as f64) < keep * 1e6;
    f64::from(u8::from(bit == kept))
}

fn main() {
    let mut random = Random::new(1, "an auditor's coins");
    let claimed = Promise { epsilon: 1.0, delta: 0.0 };
    for name in ["broken", "honest"] {
        let mut world = |inside: bool| -> Vec<f64> {
            let once = |random: &mut Random| match name {
                "broken" => broken(if inside { 11.0 } else { 10.0 }, random),
                _ => honest(inside, random),
            };
            (0..2000).map(|_| once(&mut random)).collect()
        };
        let (inside, outside) = (world(true), world(false));
        let found = judge_worlds(&inside, &outside, claimed);
        let bound = found.lower_bound_certain;
        let verdict = if bound > claimed.epsilon { "violated" } else { "no violation found" };
        println!("{name}: claimed ε = 1, ε is at least {bound:.2} with probability 1 − 10⁻⁶: {verdict}");
    }
}
