use std::collections::BTreeMap;
use std::num::NonZeroU64;

use super::*;
use crate::budget::Epsilon;
use crate::coins::Context;
use crate::exact::Fraction;
use crate::mechanism::{discrete_gaussian, discrete_laplace, randomised_response};
use crate::sampler::{LaplaceScale, Skips, Variance, bernoulli_threshold, choose, discrete_gaussian, geometric};

const ALL: Extent = Extent { least: 0.0, margin: 1.0, executions: 100_000 };

fn stream(coins: &Coins, purpose: &str) -> crate::Stream {
    let (release, data) = ([0; 16], [0; 32]);
    let (redemption, inputs) = (0, [0; 32]);
    let context =
        Context { release, redemption, mechanism: "test", parameters: purpose, inputs, data, round: 0, query: 0 };
    coins.stream(&context)
}

fn epsilon(text: &str) -> Epsilon {
    text.parse().expect("epsilon")
}

fn part(numerator: u32, denominator: u32) -> Fraction {
    Fraction::new(numerator, denominator).expect("not zero")
}

/// Whether the exact probability is between the bounds, and these are close.
fn encloses(mass: &Mass, exact: &Fraction) -> bool {
    let width = mass.high() - mass.low();
    mass.at_least() <= *exact && *exact <= mass.at_most() && width.bits() <= 16
}

#[test]
fn every_answer_of_every_primitive_has_its_probability() {
    let found = enumerate(&ALL, |coins| {
        let mut coins = stream(&coins, "one").node(3);
        (bernoulli_threshold(&mut coins, 1 << 62), coins.below(3))
    });
    assert_eq!((found.executions, found.outputs.len()), (6, 6));
    for ((below, _), chance) in &found.outputs {
        let exact = if *below { part(1, 12) } else { part(3, 12) };
        assert!(encloses(&chance.explored, &exact), "{below}");
    }
    assert!(found.finished && found.doubts.none());
    // Nothing is missing but rounding.
    assert!(found.unexplored.at_most().to_f64() < 1e-70);

    let subsets = enumerate(&ALL, |coins| choose(&mut stream(&coins, "two").node(0), 2, 4));
    assert_eq!(subsets.outputs.len(), 6);
    assert!(subsets.outputs.values().all(|chance| encloses(&chance.explored, &part(1, 6))));

    // Successes with probability ¼; from 3 on they are not distinguished.
    let skips = Skips::new(NonZeroU64::new(1 << 62).expect("not zero"), 3);
    let skips = enumerate(&ALL, |coins| skips.draw(&mut stream(&coins, "three").node(0)));
    let expected = [part(1, 4), part(3, 16), part(9, 64), part(27, 64)];
    for (chance, exact) in skips.outputs.values().zip(&expected) {
        assert!(encloses(&chance.explored, exact));
    }
}

#[test]
fn a_stream_that_is_used_twice_decides_alike_twice() {
    let both = |second: &'static str| {
        enumerate(&ALL, move |coins| {
            let one = |purpose| stream(&coins, purpose).node(1).below(3);
            (one("first"), one(second))
        })
    };
    let [again, fresh] = ["first", "second"].map(both);
    assert_eq!((again.outputs.len(), again.executions), (3, 3));
    assert_eq!((fresh.outputs.len(), fresh.executions), (9, 9));
    assert!(again.doubts.none() && fresh.doubts.none());
    // Other nodes and rounds are other streams.
    let rounds = enumerate(&ALL, |coins| {
        let stream = stream(&coins, "rounds");
        [stream.of_round(0).node(0).below(2), stream.of_round(1).node(0).below(2), stream.of_round(1).node(1).below(2)]
    });
    assert_eq!(rounds.outputs.len(), 8);
}

#[test]
fn what_cannot_be_forked_is_said() {
    let found = enumerate(&ALL, |coins| stream(&coins, "raw").node(0).next_u64() % 2);
    assert_eq!((found.executions, found.doubts.words), (1, 1));
    let found = enumerate(&ALL, |coins| {
        let stream = stream(&coins, "conflict");
        (stream.node(0).below(2), stream.node(0).below(3))
    });
    assert!(found.doubts.conflicts > 0);
    let mut times = 0;
    let found = enumerate(&ALL, |coins| {
        times += 1;
        stream(&coins, "unsteady").node(times).below(2)
    });
    assert!(found.doubts.unsteady > 0);
    let few = enumerate(&Extent { executions: 2, ..ALL }, |coins| stream(&coins, "few").node(0).below(4));
    assert!(!few.finished && (few.unexplored.to_f64() - 0.5).abs() < 1e-15);
}

/// Words that decide between equals: every order is equally likely.
#[test]
fn words_that_are_compared_come_in_every_order() {
    let found = enumerate(&ALL, |coins| {
        let stream = stream(&coins, "order");
        let words: Vec<u64> = (0..3).map(|node| stream.node(node).order()).collect();
        // The same word once more, as a second pass over a stream gives it.
        assert_eq!(stream.node(1).order(), words[1]);
        let mut places = [0, 1, 2];
        places.sort_by_key(|&place| words[place]);
        places
    });
    assert_eq!((found.outputs.len(), found.executions), (6, 6));
    assert!(found.outputs.values().all(|chance| encloses(&chance.explored, &part(1, 6))));
}

/// Against the floats that the mechanisms state, which share no code with the tables.
#[test]
fn noise_has_the_stated_probabilities_and_the_rest_is_outside() {
    let extent = Extent { least: 1e-6, ..ALL };
    let laplace = discrete_laplace::Params { epsilon: epsilon("0.7"), sensitivity: 2 }.check().expect("parameters");
    let found = enumerate(&extent, |coins| laplace.release_one(5, &mut stream(&coins, "laplace").node(0)));
    for (value, chance) in &found.outputs {
        let stated = laplace.distribution(5).probability(*value);
        assert!((chance.explored.to_f64() / stated - 1.0).abs() < 1e-12, "{value}");
    }
    let listed: f64 = found.outputs.keys().map(|value| laplace.distribution(5).probability(*value)).sum();
    assert!((found.unexplored.to_f64() - (1.0 - listed)).abs() < 1e-12);
    assert!(found.unexplored.to_f64() > 1e-7 && found.unexplored.to_f64() < 1e-4);

    let gaussian = discrete_gaussian::Params { shift: epsilon("0.9"), sensitivity_squared: 5 }.check().expect("noise");
    let found = enumerate(&extent, |coins| gaussian.release(&[3], &mut stream(&coins, "gaussian").node(0)));
    for (value, chance) in &found.outputs {
        let stated = gaussian.distribution(3).probability(value[0]);
        assert!((chance.explored.to_f64() / stated - 1.0).abs() < 1e-12, "{value:?}");
    }
    let scale = LaplaceScale::new(NonZeroU64::MIN, NonZeroU64::MIN, NonZeroU64::MIN);
    let found = enumerate(&extent, |coins| geometric(&mut stream(&coins, "geometric").node(0), scale));
    let q = (-1_f64).exp();
    for (value, chance) in &found.outputs {
        assert!((chance.explored.to_f64() / ((1.0 - q) * q.powi(*value as i32)) - 1.0).abs() < 1e-12, "{value}");
    }
}

/// The same distribution as all coins of the sampler itself give.
#[test]
fn a_noise_draw_is_what_its_sampler_draws() {
    let variance = Variance::new(NonZeroU64::new(2).expect("not zero"), NonZeroU64::MIN).expect("small");
    let found = enumerate(&Extent { least: 1e-9, ..ALL }, |coins| {
        discrete_gaussian(&mut stream(&coins, "sampler").node(0), variance)
    });
    let trials = 40_000_u32;
    let mut counts: BTreeMap<i128, u64> = BTreeMap::new();
    let drawn = crate::testing::stream("a noise draw");
    for node in 0..trials {
        *counts.entry(discrete_gaussian(&mut drawn.node(node), variance)).or_default() += 1;
    }
    for value in -4..=4 {
        let p = found.outputs[&value].explored.to_f64();
        crate::testing::assert_binomial(counts[&value], trials.into(), p, 9, &format!("{value}"));
    }
}

#[test]
fn a_divergence_by_hand() {
    let response = |text: &str, truth: u32| {
        let mechanism = randomised_response::Params { epsilon: epsilon(text), values: 3 }.check().expect("parameters");
        enumerate(&ALL, move |coins| mechanism.report(truth, &mut stream(&coins, "label").node(0)).expect("a value"))
    };
    let found = divergence(&response("1.5", 0), &response("1.5", 2), epsilon("1.5"));
    assert!(found.within && found.delta_at_least == 0.0 && found.worst.is_none(), "{found:?}");
    assert!((found.loss - 1.5).abs() < 1e-12, "{found:?}");
    // 10⁻⁹ less is not enough, and that is certain.
    let found = divergence(&response("1.5", 0), &response("1.5", 2), epsilon("1.499999999"));
    assert!(!found.within && found.delta_at_least > 0.0, "{found:?}");
    assert_eq!(found.worst.map(|(output, ..)| output), Some(0));
}

/// Noise of a count that differs by one: the window has no seam, and too little noise is certain.
#[test]
fn the_window_of_a_noisy_count_has_no_seam() {
    let noise = discrete_laplace::Params { epsilon: epsilon("1"), sensitivity: 1 }.check().expect("parameters");
    let extent = |margin| Extent { least: 1e-6, margin, executions: 1000 };
    let counts = |count: i64, margin: f64| {
        enumerate(&extent(margin), |coins| noise.release_one(count, &mut stream(&coins, "count").node(0)))
    };
    let margin = 1_f64.exp() * 1.01;
    let found = divergence(&counts(1, margin), &counts(0, margin), epsilon("1"));
    assert!(found.within && found.delta_at_least == 0.0, "{found:?}");
    assert!((found.loss - 1.0).abs() < 1e-12);
    assert!(found.delta_at_most > 1e-7 && found.delta_at_most < 1e-4, "{found:?}");
    // Without the margin the last value inside has no counterpart: not within, but not certain.
    let seam = divergence(&counts(1, 1.0), &counts(0, 1.0), epsilon("1"));
    assert!(!seam.within && seam.loss == f64::INFINITY && seam.delta_at_least == 0.0, "{seam:?}");
    let half = divergence(&counts(1, margin), &counts(0, margin), epsilon("0.5"));
    assert!(!half.within && half.delta_at_least > 0.1, "{half:?}");
}

#[test]
fn coins_that_fork_are_marked_as_not_private() {
    enumerate(&ALL, |coins| assert!(coins.is_reproducible()));
}
