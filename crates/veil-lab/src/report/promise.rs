//! What runs promise, in words: what each unit means, what is assumed, what is not protected, and where the proof is. This is the privacy
//! statement of a sweep, which keeps no releases.

use std::fmt::Write;

use veil_privacy::Unit;

use super::number::at_least;
use super::page::escaped;
use crate::outcome::{Outcome, Promised};

/// More kinds of promises than that nobody reads.
const MOST_KINDS: usize = 60;
/// How many values of ε are listed.
const MOST_VALUES: usize = 12;

/// Units as they are shown: what is about edges first.
const UNITS: [Unit; 6] = [Unit::Node, Unit::Edge, Unit::EdgeBit, Unit::EdgeSet, Unit::Feature, Unit::Label];

/// Promises that differ in ε and δ alone, and who makes them.
struct Kind<'a> {
    promise: &'a Promised,
    /// By case, in the order in which they come: ε and δ.
    cases: Vec<(&'a str, Vec<String>)>,
}

/// Everything that is promised.
pub(super) fn statement(outcomes: &[Outcome]) -> String {
    let kinds = kinds(outcomes);
    if kinds.is_empty() {
        return String::new();
    }
    let mut html = String::from(
        "<h3>What the runs promise</h3>\n<p>Each ε speaks of its own unit, and of one release: another release from the same data adds to \
         each unit that it touches.</p>\n",
    );
    for kinds in kinds[..kinds.len().min(MOST_KINDS)].chunk_by(|one, other| one.promise.unit == other.promise.unit) {
        let Some(first) = kinds.first() else { continue };
        // Writing into a String cannot fail.
        let _ = writeln!(html, "<h4>{}</h4>", escaped(&first.promise.unit));
        if let Ok(unit) = first.promise.unit.parse::<Unit>() {
            let _ = writeln!(html, "<p>{}. {}</p>", escaped(unit.in_words()), more(unit));
        }
        kinds.iter().for_each(|kind| html += &kind.html());
    }
    if kinds.len() > MOST_KINDS {
        let _ = writeln!(html, "<p>{} more kinds of promises are left out.</p>", kinds.len() - MOST_KINDS);
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
    let place = |kind: &Kind<'_>| UNITS.iter().position(|unit| unit.name() == kind.promise.unit).unwrap_or(UNITS.len());
    kinds.sort_by_key(place);
    kinds
}

fn is_alike(one: &Promised, other: &Promised) -> bool {
    one.unit == other.unit
        && one.status == other.status
        && one.reproducible == other.reproducible
        && one.mechanism == other.mechanism
        && one.source == other.source
        && one.assumptions == other.assumptions
        && one.unaccounted == other.unaccounted
        && one.not_protected == other.not_protected
}

/// What its name does not say.
fn more(unit: Unit) -> &'static str {
    match unit {
        Unit::EdgeBit => "A relationship is an entry of two lists: where both ends report, it has twice the ε.",
        Unit::EdgeSet => "That a relationship exists is not protected.",
        Unit::Edge => "Whoever holds the graph adds the noise, and has to be trusted.",
        Unit::Node => {
            "Whoever holds the graph adds the noise, and has to be trusted; one node for another costs two such steps."
        }
        Unit::Feature => "It may be replaced by any other in the range.",
        Unit::Label => "It may be replaced by any other class.",
    }
}

/// ε, that of a relationship, and δ.
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
        let Promised { status, mechanism, assumptions, unaccounted, not_protected, source, reproducible, .. } =
            self.promise;
        let by = if status == "none" { String::new() } else { format!("<strong>{}</strong>: ", escaped(mechanism)) };
        let mut html = format!("<p>{}{by}{}.</p>\n<p>{}", badge(status), self.who(), holds(status));
        if *reproducible && status != "none" {
            html += " <strong>Reproducible, therefore not private:</strong> the noise came from known seeds.";
        }
        html += "</p>\n";
        html += &list("Not protected", not_protected, &[]);
        html += &list("This assumes", assumptions, unaccounted);
        if !source.is_empty() {
            let _ = writeln!(html, "<p class=\"note\">Source: {}.</p>", escaped(source));
        }
        format!("<div class=\"promise\">\n{html}</div>\n")
    }

    fn who(&self) -> String {
        let of_case = |(case, epsilons): &(&str, Vec<String>)| {
            let more = epsilons.len().saturating_sub(MOST_VALUES);
            let listed: Vec<&str> = epsilons.iter().take(MOST_VALUES).map(String::as_str).collect();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let between = if listed.iter().any(|epsilon| epsilon.contains([',', '('])) { "; " } else { ", " };
            format!("{} at ε = {}{more}", escaped(case), listed.join(between))
        };
        self.cases.iter().map(of_case).collect::<Vec<String>>().join(" · ")
    }
}

fn holds(status: &str) -> &'static str {
    match status {
        "proven" => "Proven: there is a proof that was checked, of what is sampled.",
        "claimed" => "Claimed: published, and not checked here. It may be unprotected.",
        "refuted" => "Refuted: published, and there is a counterexample. There is no guarantee.",
        _ => "<strong>Not privatised:</strong> it is released as it is. There is no guarantee.",
    }
}

/// `emphasised` are items that ε does not cover.
fn list(title: &str, items: &[String], emphasised: &[String]) -> String {
    if items.is_empty() {
        return String::new();
    }
    let item = |item: &String| {
        let text = escaped(item);
        if emphasised.contains(item) {
            format!("<li><strong>{text}</strong></li>\n")
        } else {
            format!("<li>{text}</li>\n")
        }
    };
    format!("<p>{title}:</p>\n<ul>\n{}</ul>\n", items.iter().map(item).collect::<String>())
}

/// A status, told by sign, word and border; the colour is an extra.
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
                assumptions: vec!["the range was taken from the data, which is NOT accounted for in ε".into()],
                unaccounted: vec!["the range was taken from the data, which is NOT accounted for in ε".into()],
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
            "<strong>the range was taken from the data, which is NOT accounted for in ε</strong>",
            "who takes part",
            "Source: a theorem.",
            "Reproducible, therefore not private",
            "<strong>Not privatised:</strong> it is released as it is",
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
