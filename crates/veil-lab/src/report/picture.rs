//! Pictures of one data set: as many lines in each as there are marks, with the references in all.

use super::digest::{Digest, Line, Point};
use super::mark::{MARKS, legend};
use super::page::{Drawing, Figure, Room, Row, sentence};
use crate::worth::{Role, Worth, words};

/// Further pictures are left out: the tables have their numbers.
const MOST_PICTURES: usize = 12;

/// A line and its points, by growing ε.
#[derive(Clone)]
pub(super) struct Series<'a> {
    pub line: &'a Line,
    pub points: Vec<&'a Point>,
}

impl<'a> Series<'a> {
    /// Points by line; they are sorted by line already.
    pub fn all(digest: &'a Digest, points: &[&'a Point]) -> Vec<Series<'a>> {
        let series = |points: &[&'a Point]| Series { line: &digest.lines[points[0].line], points: points.to_vec() };
        points.chunk_by(|one, other| one.line == other.line).map(series).collect()
    }

    pub fn is_reference(&self) -> bool {
        self.line.role != Role::Method
    }
}

/// The lines of each picture: some in all, and as many others as have different marks.
pub(super) fn parts<'a>(everywhere: &[Series<'a>], others: &[Series<'a>]) -> Vec<Vec<Series<'a>>> {
    let mut parts: Vec<Vec<Series<'a>>> = Vec::new();
    for one in others {
        let alike = |other: &Series<'_>| !other.is_reference() && other.line.mark % MARKS == one.line.mark % MARKS;
        match parts.last_mut().filter(|part| !part.iter().any(alike)) {
            Some(part) => part.push(one.clone()),
            None => parts.push([everywhere, std::slice::from_ref(one)].concat()),
        }
    }
    if parts.is_empty() && !everywhere.is_empty() {
        parts.push(everywhere.to_vec());
    }
    parts
}

/// What a kind of pictures shows.
pub(super) trait Picture {
    fn title(&self) -> String;
    /// For screen readers.
    fn description(&self) -> String;
    /// The headings of the table of numbers, after the method.
    fn headings(&self) -> Vec<String>;
    /// The cells of a point in the table of numbers, after the method.
    fn cells(&self, point: &Point) -> Vec<String>;
    fn caption(&self, series: &[Series<'_>]) -> String;
    fn draw(&self, room: Room, series: &[Series<'_>]) -> Drawing;
}

/// Pictures of a kind, and the lines in each.
pub(super) struct Kind<'a> {
    pub id: String,
    pub picture: Box<dyn Picture + 'a>,
    pub parts: Vec<Vec<Series<'a>>>,
}

/// All pictures beside each other; a lone one has the whole width.
pub(super) fn beside(kinds: &[Kind<'_>]) -> String {
    let lone = kinds.iter().map(|kind| kind.parts.len()).sum::<usize>() == 1;
    let figures: String = kinds.iter().map(|kind| kind.figures(lone)).collect();
    match (figures.is_empty(), lone) {
        (true, _) => figures,
        (false, true) => format!("<div class=\"lone\">\n{figures}</div>\n"),
        (false, false) => format!("<div class=\"figures\">\n{figures}</div>\n"),
    }
}

impl Kind<'_> {
    fn figures(&self, lone: bool) -> String {
        let of = self.parts.len();
        let figure = |(place, series): (usize, &Vec<Series<'_>>)| {
            let number = if of > 1 { format!(" ({} of {of})", place + 1) } else { String::new() };
            let (id, title) = (format!("{}-{place}", self.id), format!("{}{number}", self.picture.title()));
            self.figure(id, title, series).html(lone, |room| self.picture.draw(room, series))
        };
        let mut html: String = self.parts.iter().take(MOST_PICTURES).enumerate().map(figure).collect();
        if of > MOST_PICTURES {
            let more = of - MOST_PICTURES;
            html +=
                &format!("<p>The other {more} pictures are left out; the table of results has their numbers.</p>\n");
        }
        html
    }

    fn figure(&self, id: String, title: String, series: &[Series<'_>]) -> Figure {
        let row = |line: &Line, point: &Point| Row {
            line: Some(line.number),
            cells: [vec![line.name()], self.picture.cells(point)].concat(),
        };
        let rows = series.iter().flat_map(|it| it.points.iter().map(|point| row(it.line, point)));
        let points: Vec<&Worth> = series.iter().flat_map(|it| &it.points).map(|point| &point.worth).collect();
        let elsewhere = words::elsewhere(&points).map_or_else(String::new, |remark| sentence(&remark));
        Figure {
            id,
            title,
            description: format!("{}. The numbers are in the table below.", self.picture.description()),
            legend: legend(series.iter().map(|it| it.line)),
            caption: self.picture.caption(series) + &elsewhere,
            headings: [vec!["method".to_owned()], self.picture.headings()].concat(),
            rows: rows.collect(),
        }
    }
}
