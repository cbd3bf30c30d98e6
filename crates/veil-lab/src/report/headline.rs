//! The headline: for each case and ε what it is good for, what attacks find, and what is protected, with its status in words.

use std::fmt::Write;

use super::digest::{Choice, Digest, Line, Point, Role};
use super::number::{Spread, area, percent, plain};
use super::page::{escaped, scrolled};
use super::scatter::attack_name;
use crate::outcome::Promised;

/// What the words of the last column mean.
pub(super) const STATUSES: &str = "<dl class=\"statuses\">\n\
    <div><dt><span class=\"status proven\">✓ proven</span></dt><dd>a proof that was checked, of what is sampled</dd></div>\n\
    <div><dt><span class=\"status claimed\">? claimed</span></dt><dd>published, and not checked here</dd></div>\n\
    <div><dt><span class=\"status refuted\">✗ refuted</span></dt><dd>published, and there is a counterexample: this ε does not hold</dd></div>\n\
    <div><dt><span class=\"status none\">○ none</span></dt><dd>nothing is promised</dd></div>\n</dl>\n";

/// The table of one data set.
pub(super) fn table(digest: &Digest, data: usize, chosen: &[(&Point, Choice)]) -> String {
    let name = digest.data.get(data).map_or("", String::as_str);
    let caption = format!("Results on {name}");
    let mut html = format!("<table class=\"headline\">\n<caption>{}</caption>\n<thead><tr>", escaped(&caption));
    html += "<th scope=\"col\">case</th><th scope=\"col\" class=\"number\">ε</th><th scope=\"col\" class=\"number\">accuracy (%)</th>\
             <th scope=\"col\" class=\"number\">seeds</th>";
    // Writing into a String cannot fail.
    for attack in &digest.attacks {
        let _ = write!(html, "<th scope=\"col\" class=\"number\">{}</th>", escaped(&attack_name(attack)));
    }
    html += "<th scope=\"col\">what is protected</th></tr></thead>\n";
    for same in chosen.chunk_by(|(one, _), (other, _)| one.line == other.line) {
        let Some(line) = same.first().and_then(|(point, _)| digest.lines.get(point.line)) else { continue };
        html += "<tbody>\n";
        for (place, (point, choice)) in same.iter().enumerate() {
            html += "<tr>";
            if place == 0 {
                let rows = same.len();
                let _ = write!(html, "<th scope=\"rowgroup\" rowspan=\"{rows}\">{}</th>", case(line));
            }
            html += &row(digest, point, *choice);
            html += "</tr>\n";
        }
        html += "</tbody>\n";
    }
    scrolled(&caption, &(html + "</table>\n"))
}

fn case(line: &Line) -> String {
    let mut html = escaped(&line.case);
    if !line.settings.is_empty() {
        let _ = write!(html, "<br><span class=\"quiet\">{}</span>", escaped(&line.settings));
    }
    match line.role {
        Role::Method => {}
        Role::Floor => html += "<br><span class=\"quiet\">edge-free floor</span>",
        Role::NonPrivate => html += "<br><span class=\"quiet\">non-private model</span>",
    }
    html
}

fn row(digest: &Digest, point: &Point, choice: Choice) -> String {
    let mut html = format!("<th scope=\"row\" class=\"number\">{}{}</th>", point.budget.text(), cell(point, choice));
    let _ = write!(
        html,
        "<td class=\"number\">{}</td>",
        point.accuracy.map_or_else(|| "–".to_owned(), |spread| shown(&spread, percent))
    );
    let done = point.runs - point.failed;
    let failed = if point.failed > 0 {
        format!("<br><span class=\"quiet\">{} failed</span>", point.failed)
    } else {
        String::new()
    };
    let _ = write!(html, "<td class=\"number\">{done}{failed}</td>");
    for attack in &digest.attacks {
        let value = point.attacks.get(attack).map_or_else(|| "–".to_owned(), |spread| shown(spread, area));
        let _ = write!(html, "<td class=\"number\">{value}</td>");
    }
    let _ = write!(html, "<td>{}</td>", promises(&point.promises));
    html
}

fn shown(spread: &Spread, number: fn(f64) -> String) -> String {
    let deviation = spread
        .deviation
        .map_or_else(String::new, |deviation| format!(" <span class=\"quiet\">± {}</span>", number(deviation)));
    format!("<strong>{}</strong>{deviation}", number(spread.mean))
}

/// Which α and δ the row is of, and how they were chosen.
fn cell(point: &Point, choice: Choice) -> String {
    let Some((alpha, delta)) = point.cell else { return String::new() };
    let how = match choice {
        Choice::Only => String::new(),
        Choice::ByValidation(cells) => format!(", best of {cells} by validation"),
        Choice::ByTest(cells) => format!(", best of {cells} by the test itself: flattering"),
    };
    format!("<br><span class=\"quiet\">α {}, δ {}{how}</span>", plain(alpha), plain(delta))
}

fn promises(promises: &[Promised]) -> String {
    if promises.is_empty() {
        return "<span class=\"status none\">○ none</span>".to_owned();
    }
    let mut html = String::from("<ul class=\"promises\">");
    for promise in promises {
        let Promised { unit, epsilon, delta, status, mechanism } = promise;
        let epsilon = epsilon.map_or_else(|| "∞".to_owned(), plain);
        let delta = if *delta > 0.0 { format!(", δ = {}", plain(*delta)) } else { String::new() };
        let _ = write!(
            html,
            "<li>{} {}, ε = {epsilon}{delta} <span class=\"quiet\">{}</span></li>",
            badge(status),
            escaped(unit),
            escaped(mechanism)
        );
    }
    html + "</ul>"
}

/// A status, told by sign, word and border; the colour is an extra.
fn badge(status: &str) -> String {
    let (sign, class) = match status {
        "proven" => ("✓", "proven"),
        "claimed" => ("?", "claimed"),
        "refuted" => ("✗", "refuted"),
        _ => ("○", "none"),
    };
    format!("<span class=\"status {class}\">{sign} {}</span>", escaped(status))
}
