use veil_privacy::Status;

use super::*;
use crate::audit::{Verdict, find};

const OPTIONS: Options = Options { pairs: 100, canaries: 200, seed: 1 };

/// An audit with 20 queries.
fn audited(name: &str, more: &[(&str, &str)], epsilon: Option<&str>, options: &Options) -> Audit {
    let subject = find(name).unwrap();
    let mut settings = Settings::from_iter(more.iter().map(|&(name, word)| (name, word.into())));
    if ![class_sums::NAME, dp_mlp::NAME].contains(&name) && !settings.contains("queries") {
        settings.insert("queries", 20);
    }
    let settings = subject.at(epsilon.map(|text| text.parse().unwrap()), &settings).unwrap();
    // The graphs are the auditor's own.
    subject.audit(&settings, &crate::testing::citation(60, 1), options).unwrap().remove(0)
}

#[test]
fn what_is_proven_holds_or_is_not_found_violated() {
    for epsilon in ["1", "8"] {
        for (name, more, complete) in [
            (privgnn::NAME, ("release", "krr"), true),
            (privgnn::NAME, ("release", "noisy-argmax"), false),
            (pate::NAME, ("teachers", "4"), true),
            (class_sums::NAME, ("delta", "1e-5"), true),
            (dp_mlp::NAME, ("delta", "1e-5"), true),
        ] {
            let audit = audited(name, &[more], Some(epsilon), &OPTIONS);
            assert_eq!(audit.claim.status, Status::Proven);
            let wanted = if complete { Verdict::Holds } else { Verdict::NothingFound };
            assert_eq!(audit.verdict, wanted, "{audit:?}");
            if let Some(exact) = &audit.exact {
                // Accounting is nearly tight, so what is computed here without it is nearly as
                // large.
                let share = exact.epsilon / audit.claim.claimed.epsilon;
                assert!((0.6..=1.0).contains(&share), "{share}: {audit:?}");
            }
        }
    }
}

/// The same answers with a promise of a fifth: guesses alone find it.
#[test]
fn a_sixth_of_what_is_true_is_found_violated() {
    let audit = audited(privgnn::NAME, &[], Some("8"), &Options { canaries: 4000, ..OPTIONS });
    let mut claim = audit.claim.clone();
    claim.claimed.epsilon /= 6.0;
    assert_eq!(Audit::new(claim.clone(), None, audit.canaries, None).verdict, Verdict::Violated, "{audit:?}");
}

#[test]
fn noise_on_logarithms_is_refuted_by_a_witness_and_by_guesses() {
    // 32-bit floats end at e^−104: noise that is larger than that hides it.
    for lambda in ["0.01", "0.1", "1"] {
        let settings = [("release", "noisy-log-posterior"), ("lambda", lambda)];
        let audit = audited(privgnn::NAME, &settings, None, &OPTIONS);
        assert_eq!((audit.claim.status, audit.verdict), (Status::Refuted, Verdict::Violated), "{audit:?}");
        let witness = audit.witness.as_ref().expect("a witness");
        let Promise { epsilon, delta } = audit.claim.claimed;
        assert!(witness.probability_one > epsilon.exp() * witness.probability_other + delta, "{witness:?}");
        if lambda == "0.1" {
            let guesses = Audit::new(audit.claim.clone(), None, audit.canaries, None);
            assert_eq!(guesses.verdict, Verdict::Violated, "{guesses:?}");
        }
    }
}

/// With two classes the difference of two Laplace variables is known: P[L₁ − L₂ > −g] = 1 −
/// e^−g(2+g)/4. And chances of all classes add up.
#[test]
fn who_wins_by_hand() {
    for gap in [0.0_f64, 0.5, 3.0, 30.0, 60.0] {
        let by_hand = 1.0 - (-gap).exp() * (2.0 + gap) / 4.0;
        let [seen, unseen, _] = exact::on_logarithms(gap / 104.0, 2, 1.0);
        assert!((unseen.1 - by_hand).abs() < 1e-9, "{gap}: {unseen:?} {by_hand}");
        let small = (-gap).exp() * (2.0 + gap) / 4.0;
        assert!((seen.1 / small - 1.0).abs() < 1e-6, "{gap}: {seen:?} {small}");
    }
    assert!((exact::on_logarithms(1e-12, 10, 0.3)[0].0 - 0.1).abs() < 1e-9);
}

/// Two randomised responses on a bit, by hand: ratios 9, 1 and 1/9 at e^ε = 3.
#[test]
fn two_answers_by_hand() {
    let answer = [(0.75, 0.25), (0.25, 0.75), (0.0, 0.0)];
    let ln3 = 3_f64.ln();
    assert!((exact::delta_at(&answer, 2, ln3) - (0.5625 - 3.0 * 0.0625)).abs() < 1e-15);
    assert_eq!(exact::delta_at(&answer, 2, 2.0 * ln3 + 1e-9), 0.0);
    assert!((exact::epsilon_at(&answer, 2, 0.0) - 2.0 * ln3).abs() < 1e-9);
    // On a sample, one answer: ln(1 − γ + γ·p/q) for the class that is named if the node is seen.
    let sampled = exact::sampled_response(0.75, 0.25, 2, 0.5);
    assert!((exact::epsilon_at(&sampled, 1, 0.0) - 2_f64.ln()).abs() < 1e-9);
}

/// Probabilities near 0 keep their digits: with little noise nothing is called violated that is
/// proven.
#[test]
fn little_noise_is_no_violation() {
    for lambda in ["1", "20", "40"] {
        for (name, more) in [(pate::NAME, ("teachers", "4")), (privgnn::NAME, ("release", "krr"))] {
            let settings = [more, ("lambda", lambda), ("queries", "3")];
            let found = audited(name, &settings, None, &Options { canaries: 20, ..OPTIONS });
            assert_eq!(found.verdict, Verdict::Holds, "{found:?}");
        }
    }
}
