//! Pictures of one data set: as many lines in each as there are marks, with the references in all.

use super::digest::{Choice, Digest, Line, Point};
use super::mark::{MARKS, legend};
use super::page::{Drawing, Figure, Room, sentence};
use crate::worth::{Role, Worth, words};

/// Further pictures are left out: the tables have their numbers.
const MOST_PICTURES: usize = 12;

/// A line and its points, by growing ε.
pub(super) struct Series<'a> {
    pub line: &'a Line,
    pub points: Vec<&'a Point>,
}

/// What kind of pictures to draw.
pub(super) struct Kind<'a> {
    pub id: String,
    pub title: String,
    /// Whether a point is shown.
    pub shows: &'a dyn Fn(&Worth) -> bool,
    /// For screen readers.
    pub description: String,
    pub headings: &'a [&'a str],
    /// The cells of a point in the table of numbers, after case and ε.
    pub cells: &'a dyn Fn(&Point) -> Vec<String>,
    pub caption: &'a dyn Fn(&[Series<'_>]) -> String,
    pub draw: &'a dyn Fn(Room, &[Series<'_>]) -> Drawing,
}

/// All pictures of a kind.
pub(super) fn pictures(digest: &Digest, chosen: &[(&Point, Choice)], kind: &Kind<'_>) -> String {
    let shown: Vec<&Point> =
        chosen.iter().map(|(point, _)| *point).filter(|point| (kind.shows)(&point.worth)).collect();
    let lines: Vec<&[&Point]> = shown.chunk_by(|one, other| one.line == other.line).collect();
    let line = |points: &[&Point]| &digest.lines[points[0].line];
    let (references, methods): (Vec<&[&Point]>, Vec<&[&Point]>) =
        lines.into_iter().partition(|points| line(points).role != Role::Method);
    let parts: Vec<&[&[&Point]]> =
        methods.chunk_by(|one, other| line(one).mark / MARKS == line(other).mark / MARKS).collect();
    let parts = if parts.is_empty() && !references.is_empty() { vec![&[][..]] } else { parts };
    let mut html = String::new();
    for (place, part) in parts.iter().take(MOST_PICTURES).enumerate() {
        let number = if parts.len() > 1 { format!(" ({} of {})", place + 1, parts.len()) } else { String::new() };
        let series: Vec<Series<'_>> = (references.iter().chain(part.iter()))
            .map(|points| Series { line: line(points), points: points.to_vec() })
            .collect();
        html += &kind.figure(format!("{}-{place}", kind.id), format!("{}{number}", kind.title), &series);
    }
    if parts.len() > MOST_PICTURES {
        let more = parts.len() - MOST_PICTURES;
        html += &format!("<p>The other {more} pictures are left out; the table above has their numbers.</p>\n");
    }
    html
}

impl Kind<'_> {
    fn figure(&self, id: String, title: String, series: &[Series<'_>]) -> String {
        let row =
            |line: &Line, point: &Point| [vec![line.name(), point.worth.budget.text()], (self.cells)(point)].concat();
        let rows = series.iter().flat_map(|it| it.points.iter().map(|point| row(it.line, point)));
        let points: Vec<&Worth> = series.iter().flat_map(|it| &it.points).map(|point| &point.worth).collect();
        let elsewhere = words::elsewhere(&points).map_or_else(String::new, |remark| sentence(&remark));
        let figure = Figure {
            id,
            title,
            description: format!("{}. The numbers are in the table below.", self.description),
            legend: legend(series.iter().map(|it| it.line)),
            caption: (self.caption)(series) + &elsewhere,
            headings: &[&["case", "ε"], self.headings].concat(),
            rows: rows.collect(),
        };
        figure.html(|room| (self.draw)(room, series))
    }
}
