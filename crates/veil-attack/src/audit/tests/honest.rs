//! Randomised response, whose ε is known: how close does the bound come, and how often does it
//! exceed the truth?

use rayon::prelude::*;
use veil_privacy::mechanism::randomised_response;

use super::{epsilon, promise, run};
use crate::audit::guesses::{Rule, judge};

/// 10,000 canaries and 200 keys. The truth is exceeded with probability 5 % at most: by more than
/// 20 of 200 keys with probability 10⁻³, and the keys are fixed.
#[test]
fn the_bound_comes_close_to_the_truth_and_rarely_exceeds_it() {
    for (text, truth, least_median) in [("1", 1.0, 0.95), ("2", 2.0, 1.93), ("4", 4.0, 3.83)] {
        let response = randomised_response::Params { epsilon: epsilon(text), values: 2 }.check().unwrap();
        let bound = |key: u64| {
            let canaries = run(key, 10_000, |secret, coins| match response.report(u32::from(secret), coins).unwrap() {
                1 => truth,
                _ => -truth,
            });
            judge(&canaries, &Rule::AtLeast(truth), promise(truth)).lower_bound_95
        };
        let mut bounds: Vec<f64> = (0..200_u64).into_par_iter().map(bound).collect();
        bounds.sort_by(f64::total_cmp);
        let (median, above) = ((bounds[99] + bounds[100]) / 2.0, bounds.iter().filter(|&&bound| bound > truth).count());
        assert!(median >= least_median && median <= truth, "ε = {text}: the median is {median}");
        assert!(above <= 20, "ε = {text}: {above} of 200 exceed the truth");
    }
}
