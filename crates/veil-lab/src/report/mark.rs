//! Marks of lines: colour, marker and dash together, so that none of them is needed alone; a hollow
//! marker has no proven promise.

use super::digest::{Line, Point};
use super::number::{at_least, pixel};
use super::page::escaped;
use crate::worth::{Budget, Role};

/// The number of colours, markers and dashes: as many lines fit into one picture.
pub(super) const MARKS: usize = 8;

/// Markers around the origin, of about equal area. The last two are the floor's and the non-private
/// model's.
const SHAPES: [&str; MARKS + 2] = [
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
    "M-4-4h8v8h-8z",
    "M0-5.4L5 3.6H-5z",
    "M0-5.6L5.6 0L0 5.6L-5.6 0z",
    "M0 5.4L5-3.6H-5z",
    "M-1.7-5h3.4v3.3h3.3v3.4h-3.3v3.3h-3.4v-3.3h-3.3v-3.4h3.3z",
    "M0-5.2L4.5-2.6V2.6L0 5.2L-4.5 2.6V-2.6z",
    "M0-6L1.6-2.2L5.7-1.9L2.6.8L3.5 4.9L0 2.7L-3.5 4.9L-2.6.8L-5.7-1.9L-1.6-2.2z",
    "M-5-2h10v4h-10z",
    "M-2-5h4v10h-4z",
];

/// The shapes, once for the whole page.
pub(super) fn definitions() -> String {
    let shape = |(place, shape): (usize, &&str)| format!("<path id=\"m{place}\" d=\"{shape}\"/>");
    let shapes: String = SHAPES.iter().enumerate().map(shape).collect();
    let hidden = "aria-hidden=\"true\" focusable=\"false\"";
    format!("<svg class=\"shapes\" width=\"0\" height=\"0\" {hidden}><defs>{shapes}</defs></svg>\n")
}

impl Line {
    /// The class of its colour and dash.
    pub fn class(&self) -> String {
        match self.role {
            Role::Method => format!("c{}", self.mark % MARKS),
            Role::Floor => "floor".to_owned(),
            Role::NonPrivate => "open".to_owned(),
        }
    }

    /// What is drawn of it, as a whole.
    pub fn series(&self, drawn: &str) -> String {
        format!("<g class=\"series {}\" data-line=\"{}\">{drawn}</g>\n", self.class(), self.number)
    }

    /// The marker of one of its points; `tip` is shown under the mouse pointer.
    pub fn marker(&self, place: (f64, f64), status: &str, tip: &str) -> String {
        self.shape(place, status, &format!("<title>{}</title>", escaped(tip)))
    }

    fn shape(&self, (x, y): (f64, f64), status: &str, title: &str) -> String {
        let shape = match self.role {
            Role::Method => self.mark % MARKS,
            Role::Floor => MARKS,
            Role::NonPrivate => MARKS + 1,
        };
        let class = if self.role == Role::Method && status != "proven" { "m hollow" } else { "m" };
        format!("<use class=\"{class}\" href=\"#m{shape}\" x=\"{}\" y=\"{}\">{title}</use>", pixel(x), pixel(y))
    }
}

/// What is said at a mark: the method, its ε with what one ε protects and δ, figures, and what is
/// known of the promise.
pub(super) fn tip(
    line: &Line,
    point: &Point,
    (budget, of, delta): (Budget, Option<&str>, f64),
    figures: &[String],
    status: &str,
) -> String {
    let of = of.map_or_else(String::new, |unit| format!(" of {unit}"));
    let delta = if delta > 0.0 { format!(", δ = {}", at_least(delta)) } else { String::new() };
    let budget = match (line.role, budget) {
        (Role::Floor, _) => "reads no edge: the edge-free floor".to_owned(),
        (Role::NonPrivate, _) => "edges are not protected: ε = ∞".to_owned(),
        (Role::Method, Budget::Unstated) => "no ε of edges or nodes".to_owned(),
        (Role::Method, budget) => format!("ε = {}{of}{delta}", budget.text()),
    };
    let promised = line.role == Role::Method && matches!(point.worth.budget, Budget::Finite(_));
    let seeds = point.worth.runs - point.worth.failed;
    let seeds = format!("{seeds} seed{}", if seeds == 1 { "" } else { "s" });
    let known = if promised { format!("{status} · {seeds}") } else { seeds };
    let known = if promised && point.is_seeded() { format!("{known} · seeded: not private") } else { known };
    [&[line.name(), budget], figures, &[known]].concat().join("\n")
}

/// The legend of some lines, with their statuses in words.
pub(super) fn legend<'a>(lines: impl Iterator<Item = &'a Line>) -> String {
    let item = |line: &'a Line| {
        let (class, sign, name) = (line.class(), line.shape((17.0, 7.0), &line.status, ""), escaped(&line.name()));
        let status = if line.role == Role::Method { escaped(&line.status) } else { "reference".to_owned() };
        let word = match line.role {
            Role::Method if line.status.is_empty() || line.status == "none" => "no promise".to_owned(),
            Role::Method => escaped(&line.status),
            Role::Floor => "edge-free floor".to_owned(),
            Role::NonPrivate => "not private".to_owned(),
        };
        format!(
            "<li data-legend=\"{}\" data-status=\"{status}\"><svg viewBox=\"0 0 34 14\" width=\"34\" height=\"14\" aria-hidden=\"true\" focusable=\"false\" \
             class=\"{class}\"><path class=\"l\" d=\"M1 7H33\"/>{sign}</svg><span class=\"name\">{name}</span> <span class=\"quiet\">{word}</span></li>\n",
            line.number
        )
    };
    format!("<ul class=\"legend\">\n{}</ul>\n", lines.map(item).collect::<String>())
}
