//! The headline: for each case and ε what it is good for, what attacks find, and what is protected, with its status in words.

use std::fmt::Write;

use super::digest::{Choice, Digest, Line, Point};
use super::number::{INTERVAL, area, at_least, between, percent, plain};
use super::page::{escaped, scrolled, sentence};
use super::promise::{badge, epsilon};
use super::scatter::attack_name;
use crate::outcome::{Outcome, Promised};
use crate::statistics::Summary;
use crate::worth::{Role, Scored, Worth, words};

/// A word of more letters may be broken.
const MOST_LETTERS: usize = 18;

/// What the words of a status mean.
pub(super) const STATUSES: &str = "<dl class=\"statuses\">\n\
    <div><dt><span class=\"status proven\">✓ proven</span></dt><dd>a proof that was checked, of what is sampled</dd></div>\n\
    <div><dt><span class=\"status claimed\">? claimed</span></dt><dd>published, and not checked here</dd></div>\n\
    <div><dt><span class=\"status refuted\">✗ refuted</span></dt><dd>published, and there is a counterexample: this ε does not hold</dd></div>\n\
    <div><dt><span class=\"status none\">○ none</span></dt><dd>nothing is promised</dd></div>\n</dl>\n";

/// What must be said where noise came from seeds: of all that is shown, or of some rows.
pub(super) fn seeded(outcomes: &[Outcome]) -> String {
    let promising =
        || outcomes.iter().filter(|outcome| outcome.promises.iter().any(|promise| promise.epsilon.is_some()));
    let whose = match promising().filter(|outcome| is_seeded(&outcome.promises)).count() {
        0 => return String::new(),
        some if some == promising().count() => "of these runs",
        _ => "of rows that are marked so",
    };
    format!(
        "<p class=\"note\"><strong>Reproducible, therefore not private:</strong> the noise {whose} came from known seeds. A status speaks of \
         the mechanism, and holds for a release that is made without a seed.</p>\n"
    )
}

/// Beside a promise that holds for other noise than this.
const SEEDED: &str = "<span class=\"seeded\">seeded: not private</span>";

/// Whether something is promised, and its noise came from a known seed.
fn is_seeded(promises: &[Promised]) -> bool {
    promises.iter().any(|promise| promise.reproducible && promise.epsilon.is_some())
}

/// Beside a gap to what differs by nature, and before the note that says in what.
const DIFFERS: &str = "‡";

/// What is not said because nobody knows which case to compare with.
pub(super) fn unclear(digest: &Digest) -> String {
    let lost = |flag: &str| {
        if flag == "--floor" {
            "No sweet spot is told"
        } else {
            "No gap to a non-private case, and no sweet spot, is told"
        }
    };
    let note = |(flag, told): (&'static str, String)| {
        format!("<p class=\"note\">{}: <code>veil report {flag}</code> {}.</p>\n", lost(flag), escaped(&told))
    };
    words::unclear(&digest.references, &digest.candidates).into_iter().map(note).collect()
}

/// The table of one data set, and notes on it.
pub(super) fn table(digest: &Digest, data: usize, chosen: &[(&Point, Choice)]) -> String {
    let name = digest.data.get(data).map_or("", String::as_str);
    let caption = format!("Results on {name}");
    let mut html = format!("<table class=\"headline\">\n<caption>{}</caption>\n<thead><tr>", escaped(&caption));
    // Writing into a String cannot fail.
    let _ = write!(
        html,
        "<th scope=\"col\">case</th><th scope=\"col\" class=\"number\">ε</th>\
         <th scope=\"col\" class=\"number\">{} (%)</th><th scope=\"col\" class=\"number\">gap to ε = ∞</th>\
         <th scope=\"col\">what is protected</th>",
        digest.accuracy()
    );
    for attack in &digest.attacks {
        let _ = write!(html, "<th scope=\"col\" class=\"number\">{}</th>", escaped(&attack_name(attack)));
    }
    html += "<th scope=\"col\">on the front of</th><th scope=\"col\" class=\"number\">seeds</th>";
    html += "</tr></thead>\n";
    for same in chosen.chunk_by(|(one, _), (other, _)| one.line == other.line) {
        let Some(line) = same.first().and_then(|(point, _)| digest.lines.get(point.line)) else { continue };
        let everywhere = everywhere(same);
        html += "<tbody>\n";
        for (place, (point, choice)) in same.iter().enumerate() {
            html += "<tr>";
            if place == 0 {
                let (rows, case) = (same.len(), case(line, same, &everywhere));
                let _ = write!(html, "<th scope=\"rowgroup\" rowspan=\"{rows}\">{case}</th>");
            }
            html += &figures(digest, point, *choice, &everywhere);
            html += "</tr>\n";
        }
        html += "</tbody>\n";
    }
    scrolled(&caption, &(html + "</table>\n")) + &notes(digest, chosen)
}

fn notes(digest: &Digest, chosen: &[(&Point, Choice)]) -> String {
    let points: Vec<&Worth> = chosen.iter().map(|(point, _)| &point.worth).collect();
    let mut html = String::from("<p class=\"note\">Mean over the seeds ± sample deviation.");
    let elsewhere = words::elsewhere(&points);
    let alike = if elsewhere.is_some() { " with accuracy of the same graph" } else { "" };
    html += &elsewhere.map_or_else(String::new, |remark| sentence(&remark));
    let choices = || chosen.iter().map(|(_, choice)| choice);
    if choices().any(|choice| matches!(choice, Choice::ByValidation)) {
        html += " The row is of the weight α and threshold δ with the best validation accuracy.";
    }
    if choices().any(|choice| matches!(choice, Choice::ByTest)) {
        let accuracy = if digest.scored == Some(Scored::Test) { "test accuracy" } else { digest.accuracy() };
        // Writing into a String cannot fail.
        let _ = write!(html, " † chosen by the {accuracy} itself, for want of another: that flatters.");
    }
    if points.iter().any(|point| point.gap.is_some()) {
        // Writing into a String cannot fail.
        let _ = write!(
            html,
            " The gap is the accuracy lost against the non-private case with the same data, split, ε of features and labels and \
             training (networks that pass messages along edges are the same too), or else against the same case at ε = ∞, seed by seed; below \
             it its {INTERVAL}. Where nothing is like that there is none (–)."
        );
    }
    for remark in words::differences(&points) {
        let _ = write!(html, " {DIFFERS} {}.", escaped(&remark));
    }
    html += &words::no_gap(&points, &digest.references).map_or_else(String::new, |remark| sentence(&remark));
    let _ = write!(
        html,
        " A row is on a front if no other on these data{alike}, shown or not, is at least as good in both, cost and accuracy, and better in one. \
         The cost is an attack’s AUC, where everyone takes part, or ε: that of edges or nodes, compared within one unit only; no edges cost \
         nothing where it is of edges, no privacy costs ∞, and refuted promises take no part in ε’s front."
    );
    if points.iter().any(|point| about_edges(point).is_some_and(|promise| promise.per_relationship.is_some())) {
        html += " Below ε of a list’s entry stands that of an edge, which two users report.";
    }
    html + " Where no ε is named beside a unit, it is the row’s; what stands beside a case’s name holds for all its rows.</p>\n"
}

/// The name, what tells it apart, what it is for, by what it protects, and what it promises at every ε.
fn case(line: &Line, points: &[(&Point, Choice)], everywhere: &[Promised]) -> String {
    let mut notes: Vec<String> = Vec::new();
    if !line.settings.is_empty() {
        notes.push(line.settings.clone());
    }
    match line.role {
        Role::Method => {}
        Role::Floor => notes.push("edge-free floor".to_owned()),
        Role::NonPrivate => notes.push("non-private model".to_owned()),
    }
    let mut mechanisms: Vec<&str> = Vec::new();
    for promise in points.iter().flat_map(|(point, _)| &point.worth.promises) {
        let stands_for_something = promise.status != "none" && promise.mechanism != line.case;
        if stands_for_something && !mechanisms.contains(&promise.mechanism.as_str()) {
            mechanisms.push(&promise.mechanism);
        }
    }
    if !mechanisms.is_empty() {
        notes.push(format!("by {}", mechanisms.join(", ")));
    }
    // Letters of a word stay together, unless there are too many for a narrow page.
    let class = if line.case.split(' ').all(|word| word.chars().count() <= MOST_LETTERS) { "whole" } else { "long" };
    let name = format!("<span class=\"{class}\">{}</span>", escaped(&line.case));
    let notes = notes.iter().map(|note| format!("<br><span class=\"quiet\">{}</span>", escaped(note)));
    let mut html = notes.fold(name, |html, note| html + &note);
    html += &statuses(line, points);
    if !everywhere.is_empty() {
        html += &promises(&everywhere.iter().collect::<Vec<&Promised>>(), "");
    }
    html
}

/// The statuses of a case, also where the column that tells them is out of sight: only there they are shown here.
fn statuses(line: &Line, points: &[(&Point, Choice)]) -> String {
    if line.role != Role::Method {
        return String::new();
    }
    let mut seen: Vec<&str> = Vec::new();
    for (point, _) in points {
        let status = if point.has_failed() { "failed" } else { point.status() };
        if !seen.contains(&status) {
            seen.push(status);
        }
    }
    let unit = points.iter().find_map(|(point, _)| about_edges(&point.worth)).map_or("", |promise| &promise.unit);
    let badges: String = seen.into_iter().map(badge).collect();
    let seeded = if points.iter().any(|(point, _)| is_seeded(&point.worth.promises)) { SEEDED } else { "" };
    format!(
        "<span class=\"beside\" aria-hidden=\"true\">{badges}<span class=\"unit\">{}</span>{seeded}</span>",
        escaped(unit)
    )
}

/// What is promised alike at every ε: that is said once, beside the name, unless a row would be left with nothing to say.
fn everywhere(points: &[(&Point, Choice)]) -> Vec<Promised> {
    let [(first, _), rest @ ..] = points else { return Vec::new() };
    let in_all = |promise: &&Promised| rest.iter().all(|(point, _)| is_among(promise, &point.worth.promises));
    let alike: Vec<Promised> = first.worth.promises.iter().filter(in_all).cloned().collect();
    let has_more = |point: &Point| point.worth.promises.iter().any(|promise| !is_among(promise, &alike));
    let all_have_more = points.iter().all(|(point, _)| has_more(point));
    if all_have_more && !rest.is_empty() { alike } else { Vec::new() }
}

/// Whether a promise is shown as one of others is: what it assumes stands elsewhere.
fn is_among(promise: &Promised, others: &[Promised]) -> bool {
    let shown = |it: &Promised| (it.unit.clone(), it.status.clone(), epsilon(it), is_not_all(it));
    others.iter().any(|other| shown(other) == shown(promise))
}

/// The cells that hold figures and promises.
fn figures(digest: &Digest, point: &Point, choice: Choice, everywhere: &[Promised]) -> String {
    let which =
        digest.which(point).map_or_else(String::new, |which| format!("<br><span class=\"quiet\">{which}</span>"));
    let (cell, point, has_failed) = (cell(point, choice), &point.worth, point.has_failed());
    let accuracy = point.accuracy.map_or_else(|| "–".to_owned(), |accuracy| shown(&accuracy, percent) + &which);
    let mut own: Vec<&Promised> = Vec::new();
    for promise in point.promises.iter().filter(|promise| !is_among(promise, everywhere)) {
        if !own.iter().any(|other| is_among(promise, std::slice::from_ref(*other))) {
            own.push(promise);
        }
    }
    let mut promised = match (has_failed, point.promises.is_empty()) {
        (true, _) => badge("failed"),
        (_, true) => badge("none"),
        _ => promises(&own, &point.budget.text()),
    };
    if is_seeded(&point.promises) {
        promised += SEEDED;
    }
    let mut html = format!(
        "<th scope=\"row\" class=\"number\">{}{cell}</th><td class=\"number\">{accuracy}</td><td class=\"number\">{}</td><td>{promised}</td>",
        budget(point),
        gap(point)
    );
    for attack in &digest.attacks {
        let value = point.attacks.get(attack).map_or_else(|| "–".to_owned(), |auc| shown(auc, area));
        let _ = write!(html, "<td class=\"number\">{value}</td>");
    }
    let _ = write!(html, "<td>{}</td>", escaped(&fronts(point)));
    let failed = match point.failed {
        0 => String::new(),
        failed => format!("<br><span class=\"quiet\">{failed} failed</span>"),
    };
    let _ = write!(html, "<td class=\"number\">{}{failed}</td>", point.runs - point.failed);
    html
}

/// ε with all that belongs to it: δ, and what it comes to for a relationship that both ends report.
fn budget(point: &Worth) -> String {
    let Some(promise) = about_edges(point).filter(|promise| promise.epsilon.is_some()) else {
        return point.budget.text();
    };
    let relationship = promise.per_relationship.map(|both| format!("edge:\u{a0}{}", at_least(both)));
    let delta = (promise.delta > 0.0).then(|| format!("δ = {}", at_least(promise.delta)));
    let beside = [relationship, delta].into_iter().flatten();
    beside.fold(point.budget.text(), |html, note| format!("{html}<br><span class=\"quiet\">{note}</span>"))
}

/// The promise that a point's ε is of.
fn about_edges(point: &Worth) -> Option<&Promised> {
    point.promises.iter().find(|promise| promise.unit.starts_with("edge") || promise.unit.starts_with("node"))
}

/// What is lost, with its interval.
fn gap(point: &Worth) -> String {
    let Some(found) = &point.gap else { return "–".to_owned() };
    let Summary { count, mean, interval, .. } = found.gap.difference;
    let interval = interval
        .map_or_else(String::new, |ends| format!("<br><span class=\"quiet\">{}</span>", between(ends, percent)));
    let fewer = match (found.gap.left_out.len(), count) {
        (0, _) => "",
        (_, 1) => "<br><span class=\"quiet\">of 1 seed</span>",
        _ => &format!("<br><span class=\"quiet\">of {count} seeds</span>"),
    };
    let differs = if found.differs.is_empty() { String::new() } else { format!("\u{a0}{DIFFERS}") };
    format!("{}{differs}{interval}{fewer}", percent(mean))
}

/// The costs by which nothing is better.
fn fronts(point: &Worth) -> String {
    let mut costs: Vec<String> = Vec::new();
    costs.extend(point.front.epsilon.filter(|on| *on).map(|_| "ε".to_owned()));
    costs.extend(
        point.front.attacks.iter().filter(|(_, on)| **on).map(|(attack, _)| attack_name(attack).replace(" AUC", "")),
    );
    if costs.is_empty() { "–".to_owned() } else { costs.join(", ") }
}

fn shown(spread: &Summary, number: fn(f64) -> String) -> String {
    let deviation = spread
        .deviation
        .map_or_else(String::new, |deviation| format!(" <span class=\"quiet\">± {}</span>", number(deviation)));
    format!("<strong>{}</strong>{deviation}", number(spread.mean))
}

/// Which α and δ the row is of.
fn cell(point: &Point, choice: Choice) -> String {
    let Some((alpha, delta)) = point.cell else { return String::new() };
    let flattered = if matches!(choice, Choice::ByTest) { " †" } else { "" };
    let (alpha, delta) = (plain(alpha), plain(delta));
    format!("<br><span class=\"quiet\">weight α {alpha}<br>threshold δ {delta}{flattered}</span>")
}

/// Promises, with their ε where it is not the one of the row.
fn promises(promises: &[&Promised], row: &str) -> String {
    let mut html = String::from("<ul class=\"promises\">");
    for promise in promises {
        let own = promise.epsilon.map_or_else(|| "∞".to_owned(), at_least);
        // What belongs to the row's ε stands beside it.
        let epsilon = if own == row { String::new() } else { format!(", ε\u{a0}=\u{a0}{}", epsilon(promise)) };
        let not_all = if is_not_all(promise) { ", not all accounted for" } else { "" };
        let _ = write!(html, "<li>{}{}{epsilon}{not_all}</li>", badge(&promise.status), escaped(&promise.unit));
    }
    html + "</ul>"
}

/// Whether something was read that ε does not cover.
fn is_not_all(promise: &Promised) -> bool {
    !promise.unaccounted.is_empty()
}
