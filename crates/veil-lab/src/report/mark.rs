//! Marks of lines: colour, marker and dash together, so that none of them is needed alone; a hollow
//! marker has no proven promise.

use super::digest::{Line, Point};
use super::number::pixel;
use super::page::escaped;
use crate::worth::Role;

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

    /// The marker of one of its points; `title` is shown under the mouse pointer.
    pub fn marker(&self, place: (f64, f64), point: &Point, title: &str) -> String {
        self.shape(place, point.status(), &format!("<title>{}</title>", escaped(title)))
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

/// The legend of some lines, with their statuses in words.
pub(super) fn legend<'a>(lines: impl Iterator<Item = &'a Line>) -> String {
    let item = |line: &'a Line| {
        let (class, sign, name) = (line.class(), line.shape((17.0, 7.0), &line.status, ""), escaped(&line.name()));
        let word = match line.role {
            Role::Method if line.status.is_empty() => "none".to_owned(),
            Role::Method => escaped(&line.status),
            Role::Floor => "edge-free floor".to_owned(),
            Role::NonPrivate => "not private".to_owned(),
        };
        format!(
            "<li><svg viewBox=\"0 0 34 14\" width=\"34\" height=\"14\" aria-hidden=\"true\" focusable=\"false\" \
             class=\"{class}\"><path class=\"l\" d=\"M1 7H33\"/>{sign}</svg>{name} <span class=\"quiet\">{word}</span></li>\n"
        )
    };
    format!("<ul class=\"legend\">\n{}</ul>\n", lines.map(item).collect::<String>())
}
