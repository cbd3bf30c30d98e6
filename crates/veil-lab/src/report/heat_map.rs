//! Weight α × threshold of GraphPrivatizer: one table per line and ε, its cells shaded by accuracy.
//! A table scales, can be read aloud, and its numbers can be copied.

use super::digest::{Digest, Point};
use super::number::{percent, plain};
use super::page::{escaped, headings, scrolled};

/// The shades of the style sheet.
pub(super) const SHADES: usize = 9;

/// The maps of one data set, all with the same scale.
pub(super) fn maps(digest: &Digest, data: usize) -> String {
    let of_data: Vec<&Point> =
        digest.points.iter().filter(|point| point.data == data && point.cell.is_some()).collect();
    let same = |one: &&Point, other: &&Point| one.line == other.line && one.worth.budget == other.worth.budget;
    let grids: Vec<&[&Point]> = of_data.chunk_by(same).filter(|cells| cells.len() > 1).collect();
    let means = || grids.iter().flat_map(|cells| cells.iter()).filter_map(|point| Some(point.worth.accuracy?.mean));
    let (Some(low), Some(high)) = (means().reduce(f64::min), means().reduce(f64::max)) else { return String::new() };
    let shades: String = (0..SHADES).map(|shade| format!("<span class=\"h{shade}\"></span>")).collect();
    let maps: String = grids.iter().map(|cells| map(digest, cells, (low, high))).collect();
    format!(
        "<h3>Weight α × threshold on {}</h3>\n<p class=\"key\">{} % <span class=\"shades\" aria-hidden=\"true\">{shades}</span> \
         {} % mean {}</p>\n<div class=\"maps\">\n{maps}</div>\n",
        escaped(&digest.data[data]),
        percent(low),
        percent(high),
        digest.accuracy()
    )
}

fn map(digest: &Digest, cells: &[&Point], (low, high): (f64, f64)) -> String {
    let title = format!("{}, ε = {}", digest.lines[cells[0].line].name(), cells[0].worth.budget.text());
    let sorted = |of: fn((f64, f64)) -> f64| {
        let mut values: Vec<f64> = cells.iter().filter_map(|point| point.cell.map(of)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    };
    let (alphas, thresholds) = (sorted(|cell| cell.0), sorted(|cell| cell.1));
    let shade = |mean: f64| match high > low {
        true => (((mean - low) / (high - low) * SHADES as f64) as usize).min(SHADES - 1),
        false => SHADES / 2,
    };
    let cell = |alpha: f64, threshold: f64| {
        let found = cells.iter().find(|point| point.cell == Some((alpha, threshold)));
        match found.and_then(|point| point.worth.accuracy) {
            Some(found) => format!("<td class=\"h{}\">{}</td>", shade(found.mean), percent(found.mean)),
            None => "<td>–</td>".to_owned(),
        }
    };
    let row = |alpha: &f64| {
        let cells: String = thresholds.iter().map(|threshold| cell(*alpha, *threshold)).collect();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", plain(*alpha))
    };
    let texts: Vec<String> = thresholds.iter().map(|threshold| plain(*threshold)).collect();
    let names: Vec<&str> = texts.iter().map(String::as_str).collect();
    let html = format!(
        "<table class=\"heat\">\n<caption>{}</caption>\n<thead><tr><th scope=\"col\"><span class=\"quiet\">α ↓ threshold →\
         </span></th>{}</tr></thead>\n<tbody>\n{}</tbody>\n</table>\n",
        escaped(&title),
        headings(&names),
        alphas.iter().map(row).collect::<String>()
    );
    format!("<div class=\"map\" data-line=\"{}\">\n{}</div>\n", cells[0].line, scrolled(&title, &html))
}
