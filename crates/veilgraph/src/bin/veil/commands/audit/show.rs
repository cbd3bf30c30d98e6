//! Findings of audits, as text.

use veil_attack::audit::{Audit, Canaries, Enumerated, Exact, Finding, Promise, Setup, Verdict, Witness};

use crate::failure::Failure;
use crate::output::{Output, fixed, grouped, percent, rounded_up, table};

/// One mechanism: everything about each of its guarantees.
pub fn show(found: &[Audit], output: &Output) -> Result<(), Failure> {
    match found {
        [one] => output.show(one, || describe(one)),
        _ => output.show(&found, || found.iter().map(describe).collect::<Vec<_>>().join("\n\n")),
    }
}

/// All mechanisms: a table, and below it the counterexamples.
pub fn show_all(found: &[Audit], output: &Output) -> Result<(), Failure> {
    output.show(&found, || {
        let rows = found.iter().map(|audit| {
            let Promise { epsilon, delta } = audit.claim.claimed;
            let exact = audit.exact.as_ref();
            let bound =
                |bound: fn(&Canaries) -> f64| audit.canaries.as_ref().map_or(String::new(), |it| figure(bound(it)));
            vec![
                named(audit),
                audit.claim.protects(),
                figure(epsilon),
                if delta == 0.0 { "0".to_owned() } else { format!("{delta:.3}").replace("0.000", "<0.001") },
                audit.claim.status.to_string(),
                exact.map_or(String::new(), |exact| figure(exact.epsilon)),
                audit.code.as_ref().map_or(String::new(), in_short),
                audit.code.as_ref().map_or(String::new(), |code| mass(code.outside)),
                audit.code.as_ref().map_or(String::new(), |code| grouped(code.executions as usize)),
                bound(|it| it.lower_bound_95),
                bound(|it| it.lower_bound_999),
                verdict(audit),
            ]
        });
        let columns = [
            "mechanism",
            "protects",
            ">ε",
            ">δ",
            "status",
            ">exact ε",
            ">code: loss",
            ">outside",
            ">executions",
            ">95 %: ε ≥",
            ">99.9 %: ε ≥",
            "verdict",
        ];
        let mut text = table(&columns, rows);
        for audit in found {
            if let Some(witness) = &audit.witness {
                text += &format!("\n\n{} is {}: {}", named(audit), audit.verdict, in_words(witness));
            }
        }
        text + "\n\nWhat each test would have detected, and what was compared: --json, or audit one mechanism."
    })
}

/// The mechanism, with the parameter that distinguishes its forms.
pub fn named(audit: &Audit) -> String {
    let parameters = audit.claim.parameters.split(';').filter_map(|it| it.split_once('='));
    let form = parameters.into_iter().find(|(name, _)| ["strategy", "release"].contains(name));
    let mechanism = &audit.claim.mechanism;
    form.map_or_else(|| mechanism.clone(), |(_, form)| format!("{mechanism} ({form})"))
}

fn describe(audit: &Audit) -> String {
    let claim = &audit.claim;
    let Promise { epsilon, delta } = claim.claimed;
    let delta_text = if delta == 0.0 { String::new() } else { format!(", δ = {delta:.6}") };
    let mut text = format!(
        "{}: {}\nclaimed: ε = {}{delta_text} for the unit {}, {}; status {}\nparameters: {}",
        named(audit),
        audit.verdict.to_string().to_uppercase(),
        figure(rounded_up(epsilon, 3)),
        claim.protects(),
        claim.trust.name(),
        claim.status,
        claim.parameters,
    );
    if let Some(exact) = &audit.exact {
        text += &format!("\n\n{}", computed(exact, delta));
    }
    if let Some(code) = &audit.code {
        text += &format!("\n\n{}", enumerated(code));
    }
    if let Some(canaries) = &audit.canaries {
        text += &format!("\n\n{}", guessed(canaries, &claim.claimed));
    }
    if let Some(witness) = &audit.witness {
        text += &format!("\n\nwitness: {}", in_words(witness));
    }
    text
}

/// The verdict, and how much would have been found where nothing was.
fn verdict(audit: &Audit) -> String {
    let would = audit.canaries.as_ref().and_then(|canaries| canaries.would_detect);
    match (audit.verdict, would) {
        (Verdict::ProofHolds | Verdict::NothingFound, Some(epsilon)) => {
            format!("{}, would have found ε ≥ {}", audit.verdict, figure(epsilon))
        }
        _ => audit.verdict.to_string(),
    }
}

/// The largest loss inside, at the ε that was assumed.
fn in_short(code: &Enumerated) -> String {
    format!("{} at {}", figure(code.loss), figure(rounded_up(code.epsilon, 3)))
}

/// What releases of small inputs showed.
fn enumerated(code: &Enumerated) -> String {
    let delta = if code.delta == 0.0 { String::new() } else { format!(" and δ = {:.6}", code.delta) };
    let found = match code.finding {
        Finding::Holds => "keep the guarantee",
        Finding::Open => "are not decided",
        Finding::Violated => "break the guarantee",
    };
    // Where a δ is promised, single outputs may lose more.
    let kept = if code.delta > 0.0 && code.loss > code.epsilon {
        format!("δ at most {:.1e}", code.delta_at_most)
    } else {
        format!("largest loss {}", figure(code.loss))
    };
    let mut text = format!(
        "code: releases at ε = {}{delta} {found}: {} inside of the window, mass outside {}, {} executions for {} {}\n  \
         compared: {}",
        figure(rounded_up(code.epsilon, 3)),
        kept,
        mass(code.outside),
        grouped(code.executions as usize),
        code.pairs,
        if code.pairs == 1 { "pair" } else { "pairs" },
        code.compared,
    );
    if code.outside > NEGLIGIBLE {
        text += "\n  for the mass outside, the proof is cited";
    }
    if code.delta_at_least > 0.0 && code.finding == Finding::Violated {
        text += &format!("\n  δ is at least {:.6} at this ε", code.delta_at_least);
    }
    if let Some(doubt) = &code.doubt {
        text += &format!("\n  {doubt}");
    }
    text
}

/// Below it there is only rounding.
const NEGLIGIBLE: f64 = 1e-60;

fn mass(outside: f64) -> String {
    match outside {
        outside if outside <= NEGLIGIBLE => "0".to_owned(),
        outside if outside >= 1e-3 => format!("{outside:.3}"),
        outside => format!("{outside:.0e}"),
    }
}

fn computed(exact: &Exact, delta: f64) -> String {
    let quantiles = &exact.delta_quantiles;
    let pairs = grouped(exact.pairs);
    let what = if delta == 0.0 { "largest loss" } else { "ε needed at this δ" };
    let mut text = format!(
        "arithmetic: {what} {}, largest δ at the claimed ε {}\n  no ε is enough for {} of {pairs} {}; δ needed: median \
         {}, 90 % {}, 99 % {}\n  compared: {}",
        figure(exact.epsilon),
        fixed(exact.delta, 6),
        percent(exact.share_infinite),
        if exact.pairs == 1 { "pair" } else { "pairs" },
        fixed(quantiles.median, 4),
        fixed(quantiles.p90, 4),
        fixed(quantiles.p99, 4),
        exact.compared,
    );
    if let Some(share) = exact.share_unchanged {
        text += &format!("\n  {} of these neighbours are reported unchanged with probability 1", percent(share));
    }
    text
}

/// What guesses prove, and what they would have detected.
pub fn guessed(canaries: &Canaries, claimed: &Promise) -> String {
    let Canaries { guessed, right, lower_bound_95, lower_bound_999, lower_bound_certain, .. } = *canaries;
    let planted = match canaries.setup {
        Setup::OneRun => format!("{} canaries in one run", grouped(canaries.canaries)),
        Setup::TwoWorlds => format!("{} runs in two worlds", grouped(canaries.canaries)),
    };
    let mut text = format!(
        "guesses: {planted}, {} guessed, {} right\n  ε ≥ {} (95 %), {} (99.9 %), {} (1 − 10⁻⁶)",
        grouped(guessed),
        grouped(right),
        at_least(lower_bound_95),
        at_least(lower_bound_999),
        at_least(lower_bound_certain),
    );
    if lower_bound_certain <= claimed.epsilon {
        text += &match canaries.would_detect {
            Some(epsilon) => format!(
                "\n  these guesses show no violation; this test would have detected ε ≥ {} (guesses as good as \
                 randomised response allows)",
                figure(epsilon)
            ),
            None => "\n  these guesses show no violation; so few guesses could not show one".to_owned(),
        };
    }
    text
}

fn in_words(witness: &Witness) -> String {
    let Witness { one, other, output, probability_one, probability_other, because } = witness;
    format!(
        "\n  {one}\n  against {other}\n  gives: {output}, with probability {} against {}\n  because {because}",
        probability(*probability_one),
        probability(*probability_other)
    )
}

fn probability(value: f64) -> String {
    if value == 0.0 || value >= 1e-4 {
        format!("{:.4}", value).trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.2e}")
    }
}

/// A lower bound, rounded down.
fn at_least(epsilon: f64) -> String {
    figure(if epsilon.is_finite() { (epsilon * 1e3).floor() / 1e3 } else { epsilon })
}

/// A loss with three decimals.
fn figure(epsilon: f64) -> String {
    if epsilon.is_finite() {
        fixed(epsilon, 3).trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        "∞".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_infinity_is_a_sign() {
        assert_eq!([1.0, 0.1, 2.12349, f64::INFINITY, 0.0].map(figure), ["1", "0.1", "2.123", "∞", "0"]);
        assert_eq!([0.5, 0.0, 1e-9, 1.0].map(probability), ["0.5", "0", "1.00e-9", "1"]);
    }

    #[test]
    fn every_verdict_has_its_word() {
        for verdict in [Verdict::Holds, Verdict::ProofHolds, Verdict::NothingFound, Verdict::Violated] {
            assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.name());
        }
    }
}
