//! How lines are told apart: colour, marker and dash together, so that no one of them is needed; and whether a promise
//! stands, by the fill of the marker.

use std::fmt::Write;

use super::digest::{Line, Point};
use super::number::pixel;
use super::page::escaped;
use crate::worth::Role;

/// As many lines as one picture holds: so many colours, markers and dashes there are.
pub(super) const MARKS: usize = 8;

/// Markers around the origin, of about equal area. The last two are the floor's and the non-private model's.
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
    let mut html =
        String::from("<svg class=\"shapes\" width=\"0\" height=\"0\" aria-hidden=\"true\" focusable=\"false\"><defs>");
    for (place, shape) in SHAPES.iter().enumerate() {
        // Writing into a String cannot fail.
        let _ = write!(html, "<path id=\"m{place}\" d=\"{shape}\"/>");
    }
    html + "</defs></svg>\n"
}

impl Line {
    /// What has no proof is hollow. The floor and the non-private model are no offers that could have one.
    fn fill(&self, status: &str) -> &'static str {
        if self.role == Role::Method && status != "proven" { "m hollow" } else { "m" }
    }

    /// Its marker beside its name.
    pub fn sign(&self, x: f64, y: f64) -> String {
        let (classes, fill, shape, x, y) = (self.classes(), self.fill(&self.status), self.shape(), pixel(x), pixel(y));
        format!("<g class=\"{classes}\"><use class=\"{fill}\" href=\"#m{shape}\" x=\"{x}\" y=\"{y}\"/></g>")
    }

    fn shape(&self) -> usize {
        match self.role {
            Role::Method => self.mark % MARKS,
            Role::Floor => MARKS,
            Role::NonPrivate => MARKS + 1,
        }
    }

    /// The classes of what is drawn for it.
    pub fn classes(&self) -> String {
        match self.role {
            Role::Method => format!("c{}", self.mark % MARKS),
            Role::Floor => "floor".to_owned(),
            Role::NonPrivate => "open".to_owned(),
        }
    }

    /// Its marker at the place of one of its points; `title` is what a pointer finds there.
    pub fn marker(&self, (x, y): (f64, f64), point: &Point, title: &str) -> String {
        let class = self.fill(point.status());
        let (shape, x, y, title) = (self.shape(), pixel(x), pixel(y), escaped(title));
        format!("<use class=\"{class}\" href=\"#m{shape}\" x=\"{x}\" y=\"{y}\"><title>{title}</title></use>")
    }
}

/// What the marks of some lines mean. Statuses stand there in words.
pub(super) fn legend<'a>(lines: impl Iterator<Item = &'a Line>) -> String {
    let mut html = String::from("<ul class=\"legend\">\n");
    for line in lines {
        let (classes, sign, name) = (line.classes(), line.sign(17.0, 7.0), escaped(&line.name()));
        let word = match line.role {
            Role::Method if line.status.is_empty() => "none".to_owned(),
            Role::Method => escaped(&line.status),
            Role::Floor => "edge-free floor".to_owned(),
            Role::NonPrivate => "not private".to_owned(),
        };
        let _ = writeln!(
            html,
            "<li><svg viewBox=\"0 0 34 14\" width=\"34\" height=\"14\" aria-hidden=\"true\" focusable=\"false\" class=\"{classes}\">\
             <path class=\"l\" d=\"M1 7H33\"/>{sign}</svg>{name} \
             <span class=\"quiet\">{word}</span></li>"
        );
    }
    html + "</ul>\n"
}
