//! The promises of runs in words: units, assumptions, what is not protected, and sources. This is
//! the privacy statement of a sweep, which keeps no releases.

use std::fmt::Write;

use veil_privacy::Unit;

use super::digest::Digest;
use super::number::at_least;
use super::page::escaped;
use super::parameter::listed;
use crate::outcome::{Outcome, Promised};

/// Units in the order in which they are shown: those about edges first.
const UNITS: [Unit; 6] = [Unit::Node, Unit::Edge, Unit::EdgeBit, Unit::EdgeSet, Unit::Feature, Unit::Label];

/// Promises that differ only in ε and δ: the first of them, and per case the ε and δ.
struct Kind<'a> {
    promise: &'a Promised,
    cases: Vec<(&'a str, Vec<String>)>,
}

/// All promises.
pub(super) fn statement(outcomes: &[Outcome]) -> String {
    let kinds = kinds(outcomes);
    if kinds.is_empty() {
        return String::new();
    }
    let mut html = String::from(
        "<h3>What the runs promise</h3>\n<p>Each ε is about its own unit and one release: another release from the same \
         data adds to every unit that it concerns.</p>\n",
    );
    for kinds in kinds.chunk_by(|one, other| one.promise.unit == other.promise.unit) {
        let name = &kinds[0].promise.unit;
        // Writing into a String cannot fail.
        let _ = writeln!(html, "<h4>{}</h4>", escaped(name));
        if let Ok(unit) = name.parse::<Unit>() {
            let _ = writeln!(html, "<p>{}. {}</p>", escaped(unit.in_words()), more(unit));
        }
        let kinds: String = kinds.iter().map(Kind::html).collect();
        let _ = writeln!(html, "<div class=\"promise-list\">\n{kinds}</div>");
    }
    html
}

fn kinds(outcomes: &[Outcome]) -> Vec<Kind<'_>> {
    let mut kinds: Vec<Kind<'_>> = Vec::new();
    for (outcome, promise) in outcomes.iter().flat_map(|outcome| outcome.promises.iter().map(move |it| (outcome, it))) {
        let place = kinds.iter().position(|kind| is_alike(kind.promise, promise)).unwrap_or_else(|| {
            kinds.push(Kind { promise, cases: Vec::new() });
            kinds.len() - 1
        });
        let cases = &mut kinds[place].cases;
        let of_case = cases.iter().position(|(case, _)| *case == outcome.case).unwrap_or_else(|| {
            cases.push((&outcome.case, Vec::new()));
            cases.len() - 1
        });
        let (epsilons, epsilon) = (&mut cases[of_case].1, epsilon(promise));
        if !epsilons.contains(&epsilon) {
            epsilons.push(epsilon);
        }
    }
    kinds.sort_by_key(|kind| UNITS.iter().position(|unit| unit.name() == kind.promise.unit).unwrap_or(UNITS.len()));
    kinds
}

fn is_alike(one: &Promised, other: &Promised) -> bool {
    let Promised { epsilon, delta, per_relationship, .. } = *one;
    *one == Promised { epsilon, delta, per_relationship, ..other.clone() }
}

/// What the name of a unit does not say.
fn more(unit: Unit) -> &'static str {
    match unit {
        Unit::EdgeBit => "A relationship is an entry of two lists: where both ends report, it has twice the ε.",
        Unit::EdgeSet => "The existence of a relationship is not protected.",
        Unit::Edge => "The owner of the graph adds the noise, and has to be trusted.",
        Unit::Node => {
            "The owner of the graph adds the noise, and has to be trusted; replacing one node costs two such steps."
        }
        Unit::Feature => "It may be replaced by any other value in the range.",
        Unit::Label => "It may be replaced by any other class.",
    }
}

/// ε, the ε of a relationship, and δ.
pub(super) fn epsilon(promise: &Promised) -> String {
    let mut text = promise.epsilon.map_or_else(|| "∞".to_owned(), at_least);
    if let Some(both) = promise.per_relationship {
        text += &format!(" (a relationship: {})", at_least(both));
    }
    if promise.delta > 0.0 && promise.epsilon.is_some() {
        text += &format!(", δ = {}", at_least(promise.delta));
    }
    text
}

impl Kind<'_> {
    fn html(&self) -> String {
        let Promised { status, mechanism, assumptions, declared, not_protected, source, reproducible, .. } =
            self.promise;
        let by = if status == "none" { String::new() } else { format!("<strong>{}</strong>: ", escaped(mechanism)) };
        let cases: Vec<String> = self.cases.iter().map(of_case).collect();
        let mut html = format!("<p>{}{by}{}.</p>\n", badge(status), cases.join(" · "));
        let _ = write!(html, "<p>{}.", meaning(status));
        if *reproducible && status != "none" {
            html += " <strong>Reproducible, therefore not private:</strong> the noise is from known seeds.";
        }
        html += "</p>\n";
        let declared: Vec<String> = declared.iter().map(|fact| format!("{} ({fact})", fact.in_words())).collect();
        html += &list("Declared public by the owner of the data, and not protected", &declared);
        html += &list("Not protected", not_protected);
        html += &list("Assumptions", assumptions);
        if !source.is_empty() {
            let _ = writeln!(html, "<p class=\"note\">Source: {}.</p>", escaped(source));
        }
        format!("<div class=\"promise\">\n{html}</div>\n")
    }
}

fn of_case((case, epsilons): &(&str, Vec<String>)) -> String {
    let between = if epsilons.iter().any(|epsilon| epsilon.contains([',', '('])) { "; " } else { ", " };
    format!("{} at ε = {}", escaped(case), listed(epsilons, between))
}

fn list(title: &str, items: &[String]) -> String {
    if items.is_empty() {
        return String::new();
    }
    let item = |item: &String| format!("<li>{}</li>\n", escaped(item));
    format!("<p>{title}:</p>\n<ul>\n{}</ul>\n", items.iter().map(item).collect::<String>())
}

fn meaning(status: &str) -> &'static str {
    match status {
        "proven" => "A checked proof, of the distribution that is sampled",
        "claimed" => "Published, and not checked here: it may not hold",
        "refuted" => "Published, and there is a counterexample: this ε does not hold",
        _ => "Nothing is promised: released as it is",
    }
}

/// The statuses and their meaning.
pub(super) fn statuses() -> String {
    let row = |status| format!("<div><dt>{}</dt><dd>{}</dd></div>\n", badge(status), meaning(status));
    let rows: String = ["proven", "claimed", "refuted", "none"].map(row).concat();
    format!("<dl class=\"statuses\">\n{rows}</dl>\n")
}

/// The units that occur, and their meaning.
pub(super) fn units(digest: &Digest) -> String {
    let promises = || digest.points.iter().flat_map(|point| &point.worth.promises);
    let occurs = |unit: &&Unit| promises().any(|promise| promise.unit == unit.name());
    let row = |unit: &Unit| format!("<div><dt>{}</dt><dd>{}</dd></div>\n", unit.name(), escaped(unit.in_words()));
    let rows: String = UNITS.iter().filter(occurs).map(row).collect();
    if rows.is_empty() { rows } else { format!("<dl class=\"units\">\n{rows}</dl>\n") }
}

/// A status by sign, word and border; the colour is an extra.
pub(super) fn badge(status: &str) -> String {
    let (sign, class) = match status {
        "proven" => ("✓", "proven"),
        "claimed" => ("?", "claimed"),
        "refuted" => ("✗", "refuted"),
        "failed" => ("–", "none"),
        _ => ("○", "none"),
    };
    format!("<span class=\"status {class}\">{sign} {}</span>", escaped(status))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::example::{outcome, promised};

    #[test]
    fn a_promise_is_said_once_with_every_epsilon() {
        let run = |case: &str, epsilon: f64| {
            let mut run = outcome(case, "cora", &[], 1, &[]);
            run.promises.push(Promised {
                per_relationship: Some(2.0 * epsilon),
                assumptions: vec!["the coins are secure".into()],
                declared: "columns".parse().unwrap(),
                not_protected: vec!["who takes part".into()],
                source: "a theorem".into(),
                reproducible: true,
                ..promised("edge-bit", Some(epsilon), "proven", "degree-vectors")
            });
            run.promises.push(promised("feature", None, "none", "none"));
            run.promises.push(promised("node", Some(4.0), "claimed", "privgnn"));
            run
        };
        let html = statement(&[run("a", 1.0), run("a", 4.0), run("b", 1.0), run("b", 1.0)]);
        assert!(
            html.contains("a at ε = 1 (a relationship: 2); 4 (a relationship: 8) · b at ε = 1 (a relationship: 2).")
        );
        assert!(html.contains("b at ε = 4, δ = 1e−5."), "{html}");
        for once in [
            "<h4>edge-bit</h4>",
            "the coins are secure",
            "which of them are constant (columns)</li>",
            "who takes part",
            "Source: a theorem.",
            "Reproducible, therefore not private",
            "Nothing is promised: released as it is",
            "whether or not one given node is in it",
        ] {
            assert_eq!(html.matches(once).count(), 1, "{once}");
        }
        // Nodes first, features after edges.
        let place = |unit: &str| html.find(&format!("<h4>{unit}</h4>")).unwrap();
        assert!(place("node") < place("edge-bit") && place("edge-bit") < place("feature"));
        assert_eq!(statement(&[outcome("a", "cora", &[], 1, &[])]), "");
    }
}
