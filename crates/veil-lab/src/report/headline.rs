//! The first table: for each case and ε the accuracy, the AUC of attacks, and what is protected,
//! with its status in words.

use std::fmt::Write;

use super::digest::{Choice, Digest, Line, Point, is_seeded};
use super::number::{INTERVAL, area, at_least, between, percent, plain};
use super::page::{escaped, quiet, scrolled, sentence};
use super::promise::{badge, epsilon, statuses, units};
use super::record;
use super::scatter::attack_name;
use crate::outcome::{Outcome, Promised};
use crate::statistics::Summary;
use crate::worth::{Role, Worth, is_of_edges, of_edges, words};

/// Beside a promise whose noise is from a known seed.
const SEEDED: &str = "<span class=\"seeded\">seeded: not private</span>";

/// Beside a gap to a reference that differs, and before the note on it.
const DIFFERS: &str = "‡";

/// Before everything else: whether anything here is private.
pub(super) fn warning(outcomes: &[Outcome]) -> String {
    let promising = || outcomes.iter().filter(|it| it.promises.iter().any(|promise| promise.epsilon.is_some()));
    let seeded = promising().filter(|outcome| is_seeded(&outcome.promises)).count();
    if seeded == 0 {
        return String::new();
    }
    let whose = if seeded == promising().count() { "all runs" } else { "the marked rows" };
    format!(
        "<p class=\"warning\"><strong>Reproducible, therefore not private:</strong> the noise of {whose} is from known \
         seeds. A status is that of the mechanism, and holds for a release without a seed.</p>\n"
    )
}

/// Notes for all data sets: statuses, units, and references that are not chosen.
pub(super) fn notes(digest: &Digest) -> String {
    let mut html = statuses() + &units(digest);
    for (role, cases) in words::unclear(&digest.references, &digest.candidates) {
        let lost = match role {
            Role::Floor => "No sweet spots: no edge-free",
            _ => "No gaps to a non-private case and no sweet spots: no non-private",
        };
        html += &format!("<p class=\"note\">{lost} reference was chosen ({}).</p>\n", escaped(&cases));
    }
    if digest.attacks.is_empty() {
        html += "<p class=\"note\">No attack was measured on these runs: <code>veil lab sweep</code> does that, and \
                 <code>veil attack</code> on one run.</p>\n";
    }
    html
}

/// The table of one data set, and notes on it.
pub(super) fn table(digest: &Digest, data: usize, chosen: &[(&Point, Choice)]) -> String {
    let caption = format!("Results on {}", digest.data[data]);
    let heading = |name: &str| format!("<th scope=\"col\" class=\"number\">{}</th>", escaped(name));
    let mut html = format!(
        "<table class=\"headline\" data-csv=\"{}\">\n<caption>{}</caption>\n<thead><tr><th scope=\"col\">method</th>{}\
         <th scope=\"col\">what ε protects</th>{}{}{}<th scope=\"col\">Pareto-optimal in</th>{}</tr></thead>\n<tbody>\n",
        escaped(&record::names(digest).to_string()),
        escaped(&caption),
        heading("ε"),
        heading(&format!("{} (%)", digest.accuracy())),
        heading("gap to ε = ∞"),
        digest.attacks.iter().map(|attack| heading(&attack_name(attack))).collect::<String>(),
        heading("seeds")
    );
    for same in chosen.chunk_by(|(one, _), (other, _)| one.line == other.line) {
        let line = &digest.lines[same[0].0.line];
        for (place, (point, choice)) in same.iter().enumerate() {
            // Every row names its method, so that rows can be sorted; it is shown once.
            let (class, notes) =
                if place == 0 { (" class=\"first\"", notes_on(line, same)) } else { ("", String::new()) };
            html += &format!(
                "<tr{class} data-line=\"{}\" data-csv=\"{}\"><th scope=\"row\" class=\"case\"><span class=\"name\">{}</span>{notes}</th>{}</tr>\n",
                line.number,
                escaped(&record::values(digest, point).to_string()),
                escaped(&line.case),
                row(digest, point, *choice)
            );
        }
    }
    scrolled(&caption, &(html + "</tbody>\n</table>\n")) + &remarks(digest, chosen)
}

fn remarks(digest: &Digest, chosen: &[(&Point, Choice)]) -> String {
    let points: Vec<&Worth> = chosen.iter().map(|(point, _)| &point.worth).collect();
    let has = |choice: Choice| chosen.iter().any(|(_, other)| *other == choice);
    let mut html = String::from("<p class=\"note\">Mean over the seeds ± sample deviation.");
    let elsewhere = words::elsewhere(&points);
    let same_graph = if elsewhere.is_some() { " and graph" } else { "" };
    html += &elsewhere.map_or_else(String::new, |remark| sentence(&remark));
    if has(Choice::ByValidation) {
        html += " A row shows the weight α and threshold with the best validation accuracy.";
    }
    if has(Choice::ByTest) {
        html += " † chosen by the accuracy that is shown, which is therefore too high.";
    }
    if points.iter().any(|point| point.gap.is_some()) {
        // Writing into a String cannot fail.
        let _ = write!(
            html,
            " The gap is the accuracy lost, seed by seed, against the non-private case with the same data, split, ε of \
             features and labels, training, and (where both read a graph) network, or else against the same case at \
             ε = ∞; below it its {INTERVAL}."
        );
    }
    for remark in words::differences(&points) {
        let _ = write!(html, " {DIFFERS} {}.", escaped(&remark));
    }
    html += &words::no_gap(&points, &digest.references).map_or_else(String::new, |remark| sentence(&remark));
    let _ = write!(
        html,
        " Pareto-optimal: no other point on this data{same_graph} is at least as good in cost and accuracy and better in \
         one. The cost is the AUC of an attack, or ε of edges or nodes, per unit; without edges it is 0 for edges, without privacy ∞, and \
         refuted promises are left out."
    );
    let of_edge = |point: &&Worth| of_edges(&point.promises).is_some_and(|it| it.per_relationship.is_some());
    if points.iter().any(of_edge) {
        html += " Below the ε of a list’s entry is that of an edge, which two users report.";
    }
    html + " Without an ε of its own, a unit has that of the row.</p>\n"
}

/// The settings, role and mechanisms of a line.
fn notes_on(line: &Line, points: &[(&Point, Choice)]) -> String {
    let role = match line.role {
        Role::Method => None,
        Role::Floor => Some("edge-free floor".to_owned()),
        Role::NonPrivate => Some("non-private model".to_owned()),
    };
    let alike = |one: &str, other: &str| {
        let letters = |text: &str| {
            text.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
        };
        letters(one) == letters(other)
    };
    let mut mechanisms: Vec<String> = Vec::new();
    for Promised { status, mechanism, .. } in points.iter().flat_map(|(point, _)| &point.worth.promises) {
        let mechanism = mechanism.replace('-', " ");
        if status != "none" && !alike(&mechanism, &line.case) && !mechanisms.contains(&mechanism) {
            mechanisms.push(mechanism);
        }
    }
    let mechanisms = (!mechanisms.is_empty()).then(|| format!("by {}", mechanisms.join(", ")));
    let notes = [(!line.settings.is_empty()).then(|| line.settings.clone()), role, mechanisms];
    notes.iter().flatten().map(|note| quiet(&escaped(note))).collect()
}

/// The cells of a point.
fn row(digest: &Digest, point: &Point, choice: Choice) -> String {
    let Worth { accuracy, promises, attacks, failed, runs, .. } = &point.worth;
    let accuracy = accuracy.map_or_else(
        || "–".to_owned(),
        |accuracy| shown(&accuracy, percent) + &digest.which(point).map_or_else(String::new, quiet),
    );
    let mut promised = match (point.has_failed(), promises.is_empty()) {
        (true, _) => badge("failed"),
        (_, true) => badge("none"),
        _ => listed(promises, &point.worth.budget.text()),
    };
    if is_seeded(promises) {
        promised += SEEDED;
    }
    let areas = digest.attacks.iter().map(|attack| attacks.get(attack).map_or("–".to_owned(), |it| shown(it, area)));
    let failed = if *failed > 0 { quiet(&format!("{failed} failed")) } else { String::new() };
    format!(
        "<td class=\"number\">{}</td><td>{promised}</td><td class=\"number\">{accuracy}</td><td class=\"number\">{}</td>\
         {}<td>{}</td><td class=\"number\">{}{failed}</td>",
        budget(point, choice),
        gap(&point.worth),
        areas.map(|auc| format!("<td class=\"number\">{auc}</td>")).collect::<String>(),
        escaped(&fronts(&point.worth)),
        runs - point.worth.failed
    )
}

/// ε with the ε of a relationship that both ends report, δ, and the cell of the grid.
fn budget(point: &Point, choice: Choice) -> String {
    let mut html = point.worth.budget.text();
    if let Some(promise) = of_edges(&point.worth.promises).filter(|promise| promise.epsilon.is_some()) {
        if let Some(both) = promise.per_relationship {
            html += &quiet(&format!("edge:\u{a0}{}", at_least(both)));
        }
        if promise.delta > 0.0 {
            html += &quiet(&format!("δ = {}", at_least(promise.delta)));
        }
    }
    if let Some((alpha, threshold)) = point.cell {
        let flattered = if choice == Choice::ByTest { " †" } else { "" };
        html += &quiet(&format!("α {}<br>threshold {}{flattered}", plain(alpha), plain(threshold)));
    }
    html
}

/// The gap with its interval.
fn gap(point: &Worth) -> String {
    let Some(found) = &point.gap else { return "–".to_owned() };
    let Summary { count, mean, interval, .. } = found.gap.difference;
    let interval = interval.map_or_else(String::new, |ends| quiet(&between(ends, percent)));
    let fewer = if found.gap.left_out.is_empty() { String::new() } else { quiet(&format!("seeds: {count}")) };
    let differs = if found.differs.is_empty() { String::new() } else { format!("\u{a0}{DIFFERS}") };
    format!("{}{differs}{interval}{fewer}", percent(mean))
}

/// The costs in which it is Pareto-optimal.
fn fronts(point: &Worth) -> String {
    let attacks = point.front.attacks.iter().filter(|(_, on)| **on);
    let attacks = attacks.map(|(attack, _)| attack_name(attack).replace(" AUC", ""));
    let epsilon = point.front.epsilon.filter(|on| *on).map(|_| "ε".to_owned());
    let costs: Vec<String> = epsilon.into_iter().chain(attacks).collect();
    if costs.is_empty() { "–".to_owned() } else { costs.join(", ") }
}

fn shown(figure: &Summary, number: fn(f64) -> String) -> String {
    let deviation = |deviation| format!(" <span class=\"quiet\">± {}</span>", number(deviation));
    format!("<strong>{}</strong>{}", number(figure.mean), figure.deviation.map_or_else(String::new, deviation))
}

/// Promises, each once, with their ε where it is not that of the row: those about edges and nodes
/// first, and what is not protected last, together.
fn listed(promises: &[Promised], row: &str) -> String {
    let mut items: Vec<String> = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    let (first, then): (Vec<&Promised>, Vec<&Promised>) = promises.iter().partition(|promise| is_of_edges(promise));
    for promise in first.into_iter().chain(then) {
        let Some(own) = promise.epsilon.map(at_least) else {
            if !open.contains(&promise.unit.as_str()) {
                open.push(&promise.unit);
            }
            continue;
        };
        let epsilon = if own == row { String::new() } else { format!(", ε\u{a0}=\u{a0}{}", epsilon(promise)) };
        let given = match promise.declared {
            none if none.is_empty() => String::new(),
            declared => format!(", given public {}", declared.to_string().replace(',', ", ")),
        };
        let item = format!("<li>{}{}{epsilon}{given}</li>", badge(&promise.status), escaped(&promise.unit));
        if !items.contains(&item) {
            items.push(item);
        }
    }
    if !open.is_empty() {
        items.push(format!("<li>{}{}</li>", badge("none"), escaped(&open.join(", "))));
    }
    format!("<ul class=\"promises\">{}</ul>", items.concat())
}
