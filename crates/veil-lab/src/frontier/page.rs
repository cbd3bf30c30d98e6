//! The page: a section per part, with its picture and a table per graph.

use std::collections::BTreeSet;

use veil_attack::attack;

use super::picture::picture;
use super::{Panel, Part, Place, Point, Unit};
use crate::report::Made;
use crate::report::number::{percent, plain};

/// The file of the page.
const PAGE: &str = "frontier.md";

const INTRODUCTION: &str = "\
Accuracy against the ε that a guarantee really has, per unit. What papers call ε protects
different things: one *undirected edge* whose owner is trusted, one *relationship* that two users
report (both reports count), or one *node*. ε of different units are never on one axis. Published
methods are run with their true ε, computed here: the published code of GAP and ProGAP counts a
directed edge, whose sensitivity is smaller by √2; Blink counts one report, where a relationship
is in two.

Means over the seeds with 95 % bootstrap intervals, in per cent, on test nodes. **Bold**: the
highest mean in a column among methods with an ε. Attacks: the area under the ROC curve for edges
against non-edges, at the ε in brackets; *twin* is the same attack on a model that never read an
edge, so what lies above it is due to edges. Every run here has a seed, so that the page can be
remade: its releases are therefore not private.";

/// The page and its pictures: name of the file and content.
pub fn page(parts: &[Part], made: &Made) -> Vec<(String, String)> {
    let Made { version, date, command } = made;
    let mut text = format!("# The frontier\n\n{INTRODUCTION}\n\n");
    text += &format!("Made on {date} with version {version} by\n\n```\n{command}\n```\n");
    let mut files = Vec::new();
    for part in parts {
        let file = format!("frontier-{}.svg", part.name);
        text += &section(part, &file);
        files.push((file, picture(part)));
    }
    files.insert(0, (PAGE.to_owned(), text));
    files
}

fn section(part: &Part, file: &str) -> String {
    let mut text = format!("\n## {}\n\n![{}]({file})\n", part.title, part.title);
    let delta = match part.delta {
        Some([least, most]) if most > 0.0 && least < most => format!("; δ is {} to {}", plain(least), plain(most)),
        Some([_, most]) if most > 0.0 => format!("; δ = {}", plain(most)),
        _ => String::new(),
    };
    let who = match part.unit {
        Unit::Edge | Unit::Node => "The owner of the graph is trusted",
        Unit::Relationship => "Nobody is trusted",
    };
    text += &format!("\n{who}.\nThe unit of ε: {}{delta}.\n", part.unit.axis());
    let epsilons = part.epsilons();
    for panel in &part.panels {
        let (name, Panel { data, seeds, .. }) = (&part.name, panel);
        text += &format!("\n### {name}: {data}\n\n{seeds} seeds.\n\n{}", table(panel, &epsilons));
    }
    text
}

fn table(panel: &Panel, epsilons: &[f64]) -> String {
    let curves = || panel.curves.iter();
    let used: Vec<f64> = epsilons.iter().copied().filter(|&it| curves().any(|curve| curve.at(it).is_some())).collect();
    let attacks: BTreeSet<&String> =
        curves().flat_map(|curve| &curve.points).flat_map(|point| point.attacks.keys()).collect();
    let mut heading = vec!["method".to_owned(), "status".to_owned()];
    heading.extend(used.iter().map(|epsilon| format!("ε = {}", plain(*epsilon))));
    heading.extend(attacks.iter().map(|name| attack_name(name)));
    let best = |epsilon: f64| {
        let means = curves().filter_map(|curve| curve.at(epsilon)).map(|point| point.accuracy.mean);
        means.fold(f64::NEG_INFINITY, f64::max)
    };
    let best: Vec<f64> = used.iter().map(|&epsilon| best(epsilon)).collect();
    let mut rows = vec![heading.clone(), vec!["---".to_owned(); heading.len()]];
    for curve in curves() {
        let mut row = vec![curve.case.clone(), curve.status().to_owned()];
        if curve.is_across() {
            // The same at every ε.
            let every = curve.points.first().map_or_else(String::new, cell);
            row.extend(used.iter().enumerate().map(|(at, _)| if at == 0 { every.clone() } else { String::new() }));
        } else {
            row.extend(used.iter().zip(&best).map(|(&epsilon, &best)| match curve.at(epsilon) {
                Some(point) if point.accuracy.mean == best => format!("**{}**", cell(point)),
                Some(point) => cell(point),
                None => String::new(),
            }));
        }
        row.extend(attacks.iter().map(|name| attacked(&curve.points, name)));
        rows.push(row);
    }
    rows.into_iter().map(|row| format!("| {} |\n", row.join(" | "))).collect()
}

fn cell(point: &Point) -> String {
    let ends = point.accuracy.interval.map(|ends| ends.map(percent));
    let ends = ends.map_or_else(String::new, |[low, high]| format!(" ({low}–{high})"));
    percent(point.accuracy.mean) + &ends
}

/// The figure of an attack at the first ε at which it was tried.
fn attacked(points: &[Point], name: &str) -> String {
    let Some((place, auc)) = points.iter().find_map(|point| Some((&point.place, point.attacks.get(name)?))) else {
        return String::new();
    };
    let at = if let Place::At { epsilon, .. } = place { format!(" ({})", plain(*epsilon)) } else { String::new() };
    format!("{auc:.2}{at}")
}

fn attack_name(figure: &str) -> String {
    match figure.strip_suffix("_auc_edge_free") {
        Some(name) => format!("{}, twin", attack::title(name)),
        None => attack::title(figure.trim_end_matches("_auc")),
    }
}
