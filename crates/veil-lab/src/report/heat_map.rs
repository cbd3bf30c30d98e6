//! Weight α × threshold δ of GraphPrivatizer: one table for each line and ε, its cells shaded by accuracy. A table, because that is what it is: it scales, it can
//! be read aloud, and its numbers can be copied.

use std::fmt::Write;

use super::digest::{Digest, Point};
use super::number::{percent, plain};
use super::page::{escaped, scrolled};

/// Shades in the style sheet.
pub(super) const SHADES: usize = 9;
/// More maps than that nobody looks at.
const MOST_MAPS: usize = 200;

/// The same letter stands for two things.
const DELTA: &str = "α weighs aggregated features, and δ is GraphPrivatizer’s threshold on the similarity of candidates: another δ than that of (ε, δ).";

/// The maps of one data set, all with the same scale.
pub(super) fn maps(digest: &Digest, data: usize) -> String {
    let of_data: Vec<&Point> =
        digest.points.iter().filter(|point| point.data == data && point.cell.is_some()).collect();
    let same = |one: &&Point, other: &&Point| one.line == other.line && one.worth.budget == other.worth.budget;
    let grids: Vec<&[&Point]> = of_data.chunk_by(same).filter(|cells| cells.len() > 1).collect();
    let means = || grids.iter().flat_map(|cells| cells.iter()).filter_map(|point| Some(point.worth.accuracy?.mean));
    let (Some(low), Some(high)) = (means().reduce(f64::min), means().reduce(f64::max)) else { return String::new() };
    let scale = Scale { low, high };
    let name = escaped(digest.data.get(data).map_or("", String::as_str));
    let mut html = format!(
        "<h3>Weight α × threshold δ on {name}</h3>\n<p class=\"note\">{DELTA}</p>\n{}<div class=\"maps\">\n",
        scale.key(digest.accuracy())
    );
    for cells in grids.iter().take(MOST_MAPS) {
        html += &map(digest, cells, scale);
    }
    html += "</div>\n";
    if grids.len() > MOST_MAPS {
        // Writing into a String cannot fail.
        let _ = writeln!(html, "<p>{} more maps are left out.</p>", grids.len() - MOST_MAPS);
    }
    html
}

fn map(digest: &Digest, cells: &[&Point], scale: Scale) -> String {
    let Some(first) = cells.first() else { return String::new() };
    let line = digest.lines.get(first.line).map_or_else(String::new, |line| line.name());
    let title = format!("{line}, ε = {}", first.worth.budget.text());
    let sorted = |of: fn((f64, f64)) -> f64| {
        let mut values: Vec<f64> = cells.iter().filter_map(|point| point.cell.map(of)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    };
    let (alphas, deltas) = (sorted(|cell| cell.0), sorted(|cell| cell.1));
    let mut html = format!(
        "<table class=\"heat\">\n<caption>{}</caption>\n<thead><tr><th scope=\"col\"><span class=\"quiet\">weight α ↓ threshold δ →</span></th>",
        escaped(&title)
    );
    for delta in &deltas {
        let _ = write!(html, "<th scope=\"col\">{}</th>", plain(*delta));
    }
    html += "</tr></thead>\n<tbody>\n";
    for alpha in &alphas {
        let _ = write!(html, "<tr><th scope=\"row\">{}</th>", plain(*alpha));
        for delta in &deltas {
            let found = cells.iter().find(|point| point.cell == Some((*alpha, *delta)));
            let _ = match found.and_then(|point| point.worth.accuracy) {
                Some(spread) => {
                    write!(html, "<td class=\"h{}\">{}</td>", scale.shade(spread.mean), percent(spread.mean))
                }
                None => write!(html, "<td>–</td>"),
            };
        }
        html += "</tr>\n";
    }
    scrolled(&title, &(html + "</tbody>\n</table>\n"))
}

#[derive(Clone, Copy)]
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    fn shade(self, value: f64) -> usize {
        if self.high <= self.low {
            return SHADES / 2;
        }
        let share = (value - self.low) / (self.high - self.low);
        ((share * SHADES as f64) as usize).min(SHADES - 1)
    }

    /// What the shades mean.
    fn key(self, accuracy: &str) -> String {
        let shades: String = (0..SHADES).map(|shade| format!("<span class=\"h{shade}\"></span>")).collect();
        let (low, high) = (percent(self.low), percent(self.high));
        format!(
            "<p class=\"key\">{low} % <span class=\"shades\" aria-hidden=\"true\">{shades}</span> {high} % mean {accuracy}</p>\n"
        )
    }
}
