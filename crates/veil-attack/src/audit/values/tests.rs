use veil_privacy::mechanism::{ValueRange, multi_bit, randomised_response};
use veil_privacy::{Epsilon, Status, Trust, Unit};

use super::*;
use crate::audit::{Promise, TOLERANCE, Verdict};

const EPSILONS: [&str; 6] = ["0.1", "0.5", "1", "2", "4", "8"];

fn options(canaries: usize, seed: u64) -> Options {
    Options { pairs: 100, canaries, seed }
}

fn epsilon(text: &str) -> Epsilon {
    text.parse().unwrap()
}

fn response(text: &str, values: u32) -> RandomisedResponse {
    randomised_response::Params { epsilon: epsilon(text), values }.check().unwrap()
}

fn encoder(text: &str, dimensions: u32, samples: Option<u32>, range: ValueRange) -> MultiBit {
    multi_bit::Params { epsilon: epsilon(text), dimensions, range, samples }.check().unwrap()
}

/// The same findings of canaries alone, held against a share of what was promised.
fn against(audit: &Audit, share: f64) -> Verdict {
    let Promise { epsilon, delta } = audit.claim.claimed;
    let claim = Claim { claimed: Promise { epsilon: epsilon * share, delta }, ..audit.claim.clone() };
    Audit::new(claim, None, audit.canaries, None).verdict
}

fn assert_holds(audit: &Audit, text: &str) {
    let promised = epsilon(text).as_f64();
    let exact = audit.exact.as_ref().unwrap();
    assert_eq!(audit.verdict, Verdict::ProofHolds, "{audit:?}");
    assert!(exact.complete && exact.epsilon <= promised + TOLERANCE, "{audit:?}");
    assert!(exact.delta < TOLERANCE && exact.share_infinite == 0.0, "{audit:?}");
    // The whole of ε is used: the audit looks at the worst pair.
    assert!(exact.epsilon > promised - 1e-9, "{audit:?}");
}

#[test]
fn a_label_loses_epsilon_and_no_more() {
    for text in EPSILONS {
        for classes in [2, 7] {
            let audit = label(&response(text, classes), &options(200, 1)).unwrap();
            assert_holds(&audit, text);
            assert_eq!((audit.claim.unit, audit.claim.trust), (Unit::Label, Trust::Local));
            assert_eq!((audit.claim.status, audit.claim.mechanism.as_str()), (Status::Proven, "randomised-response"));
            assert_eq!(audit.exact.unwrap().pairs, (classes * (classes - 1) / 2) as usize);
        }
    }
}

#[test]
fn one_class_is_no_secret() {
    let audit = label(&response("1", 1), &options(10, 1)).unwrap();
    assert_eq!((audit.verdict, audit.canaries), (Verdict::ProofHolds, None));
    assert_eq!(audit.exact.unwrap().epsilon, 0.0);
}

#[test]
fn features_lose_epsilon_and_no_more() {
    let odd = ValueRange::new(-0.1, 0.7).unwrap();
    for text in EPSILONS {
        for (dimensions, samples, range) in
            [(1, None, ValueRange::UNIT), (30, None, ValueRange::UNIT), (9, Some(9), odd), (12, Some(4), odd)]
        {
            let audit = features(&encoder(text, dimensions, samples, range), &options(200, 1)).unwrap();
            assert_holds(&audit, text);
            assert_eq!((audit.claim.unit, audit.claim.trust), (Unit::Feature, Trust::Local));
            assert_eq!((audit.claim.status, audit.claim.mechanism.as_str()), (Status::Proven, "multi-bit"));
        }
    }
}

/// Reports of a small encoder one by one: the sum of logarithms is what they differ by, and no two
/// vectors differ more.
#[test]
fn the_sum_over_signs_is_the_loss_of_a_report() {
    let mechanism = encoder("2", 4, Some(2), ValueRange::UNIT);
    let loss = |one: [f32; 4], other: [f32; 4]| {
        let listed = |row: [f32; 4]| mechanism.distribution(|place| row[place as usize]).unwrap().enumerate().unwrap();
        between(&listed(one), &listed(other), 1.0)
    };
    let worst = loss([0.0; 4], [1.0; 4]);
    let signs = SignLosses::new(&mechanism, 0.0, 1.0).unwrap();
    assert!((signs.largest(2) - worst.epsilon).abs() < 1e-14);
    assert!((signs.walk(2).delta(1.0) - worst.delta).abs() < 1e-14);
    for (one, other) in [([0.0, 0.2, 1.0, 0.4], [1.0, 0.9, 0.0, 0.4]), ([0.0; 4], [1.0, 1.0, 1.0, 0.0])] {
        let loss = loss(one, other);
        assert!(loss.epsilon <= worst.epsilon + 1e-14 && loss.delta <= worst.delta, "{loss:?}");
    }
}

/// The guesses alone: never at confidence 1 − 10⁻⁶, and at 95 % as often as a bound of 95 % may
/// (more than 9 of 20 has probability 10⁻⁸, and there are fewer than 30 such cases).
#[test]
fn never_violated_over_twenty_keys() {
    for text in EPSILONS {
        let (response, encoder) = (response(text, 2), encoder(text, 20, None, ValueRange::UNIT));
        let mut above = [0; 2];
        for seed in 0..20 {
            let options = options(1000, seed);
            let audits = [label(&response, &options).unwrap(), features(&encoder, &options).unwrap()];
            for (audit, above) in audits.iter().zip(&mut above) {
                assert_eq!(
                    (audit.verdict, against(audit, 1.0)),
                    (Verdict::ProofHolds, Verdict::NothingFound),
                    "{audit:?}"
                );
                *above += u32::from(audit.canaries.unwrap().lower_bound_95 > audit.claim.claimed.epsilon);
            }
        }
        assert!(above.iter().all(|&keys| keys <= 8), "{text}: {above:?}");
    }
}

/// What theory allows: a binary report at ε = 1 is right in e/(1+e) = 73.1 % of 1,000 cases, and
/// 70.5 % prove 0.87 at 95 %.
#[test]
fn the_bounds_are_close_to_the_truth_and_half_the_promise_is_violated() {
    for (text, least) in [("1", 0.75), ("2", 1.7), ("4", 3.0)] {
        for audit in [
            label(&response(text, 2), &options(1000, 5)).unwrap(),
            features(&encoder(text, 50, Some(1), ValueRange::UNIT), &options(1000, 5)).unwrap(),
        ] {
            let found = audit.canaries.unwrap();
            assert_eq!((found.canaries, found.guessed), (1000, 1000));
            assert!(found.lower_bound_95 > least, "{text}: {found:?}");
            assert_eq!(against(&audit, 0.5), Verdict::Violated, "{text}: {found:?}");
        }
    }
}
