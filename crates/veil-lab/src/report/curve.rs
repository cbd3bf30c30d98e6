//! Accuracy against ε: one line for each case, with 95 % intervals. What has no ε, and the floor and the non-private model,
//! lie across as lines of reference.

use std::fmt::Write;

use super::axis::{Budgets, Frame, Linear};
use super::digest::{Choice, Digest, Line, Point};
use super::mark::{self, MARKS};
use super::number::{INTERVAL, between, percent, pixel};
use super::page::{Figure, Room, beginning, escaped, sentence};
use crate::statistics::Summary;
use crate::worth::{Budget, Role, Worth, words};

/// More pictures than that nobody looks at: what they would show stands in the tables.
const MOST_PICTURES: usize = 12;
/// Room for names at the right of a wide drawing, and how many letters it holds.
const NAMES: f64 = 186.0;
const LETTERS: usize = 24;
/// The height of a name.
const NAME: f64 = 17.0;

/// One line with its points, by growing ε.
struct Curve<'a> {
    line: &'a Line,
    points: Vec<(&'a Point, Summary)>,
}

impl Curve<'_> {
    /// Whether it lies across: as what needs no ε, or is known at one only and is there to compare with.
    fn is_across(&self) -> bool {
        let known = matches!(self.points.as_slice(), [_]);
        let unstated = self.points.first().is_some_and(|(point, _)| point.worth.budget == Budget::Unstated);
        unstated || known && self.line.role != Role::Method
    }
}

/// The pictures of one data set, `MARKS` lines in each.
pub(super) fn figures(digest: &Digest, data: usize, chosen: &[(&Point, Choice)]) -> String {
    let of_line = |same: &[(&Point, Choice)]| -> Option<usize> { same.first().map(|(point, _)| point.line) };
    let mut curves: Vec<Curve<'_>> = Vec::new();
    for same in chosen.chunk_by(|(one, _), (other, _)| one.line == other.line) {
        let points: Vec<(&Point, Summary)> =
            same.iter().filter_map(|(point, _)| Some((*point, point.worth.accuracy?))).collect();
        if let Some(line) = of_line(same).and_then(|line| digest.lines.get(line))
            && !points.is_empty()
        {
            curves.push(Curve { line, points });
        }
    }
    let (references, methods): (Vec<Curve<'_>>, Vec<Curve<'_>>) =
        curves.into_iter().partition(|curve| curve.line.role != Role::Method);
    if methods.is_empty() && references.is_empty() {
        return String::new();
    }
    // Of one mark each, also where some lines have no point in these data.
    let mut pictures: Vec<Vec<&Curve<'_>>> = methods
        .chunk_by(|one, other| one.line.mark / MARKS == other.line.mark / MARKS)
        .map(|same| same.iter().collect())
        .collect();
    if pictures.is_empty() {
        pictures.push(Vec::new());
    }
    let name = digest.data.get(data).map_or("", String::as_str);
    let (all, mut html) = (pictures.len(), String::new());
    for (place, picture) in pictures.into_iter().take(MOST_PICTURES).enumerate() {
        let shown: Vec<&Curve<'_>> = references.iter().chain(picture).collect();
        let part = if all > 1 { format!(" ({} of {all})", place + 1) } else { String::new() };
        html += &figure(digest, format!("curve-{data}-{place}"), format!("Accuracy against ε on {name}{part}"), &shown);
    }
    if all > MOST_PICTURES {
        let _ = writeln!(
            html,
            "<p>The other {} pictures are left out; the table above has their numbers.</p>",
            all - MOST_PICTURES
        );
    }
    html
}

fn figure(digest: &Digest, id: String, title: String, curves: &[&Curve<'_>]) -> String {
    let mut rows = Vec::new();
    for curve in curves {
        for (point, accuracy) in &curve.points {
            rows.push(vec![
                curve.line.name(),
                point.worth.budget.text(),
                digest.mean(point, accuracy),
                accuracy.interval.map_or_else(|| "–".to_owned(), |ends| between(ends, percent)),
                accuracy.count.to_string(),
            ]);
        }
    }
    let points: Vec<&Worth> = curves.iter().flat_map(|curve| &curve.points).map(|(point, _)| &point.worth).collect();
    let elsewhere = words::elsewhere(&points).map_or_else(String::new, |remark| sentence(&remark));
    let accuracy = digest.accuracy();
    let figure = Figure {
        id,
        title,
        description: in_words(accuracy, curves),
        legend: mark::legend(curves.iter().map(|curve| curve.line)),
        caption: format!(
            "Means over the seeds with their {INTERVAL}. ε is on a logarithmic scale and speaks of each case’s own unit: see the table above. \
             Hollow marks: no proven promise.{elsewhere}"
        ),
        headings: &["case", "ε", &format!("mean {accuracy} (%)"), "95 % interval", "seeds"],
        rows,
    };
    figure.html(|room| draw(room, accuracy, curves))
}

fn draw(room: Room, called: &str, curves: &[&Curve<'_>]) -> (f64, f64, String) {
    let frame = Frame::new(room, NAMES);
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let ends = all().flat_map(|(_, accuracy)| ends(accuracy));
    let accuracy = Linear::around(ends, (0.0, 1.0), frame.bottom, frame.top);
    let budgets = Budgets::new(all().map(|(point, _)| point.worth.budget), frame.left, frame.right);
    let mut svg = String::new();
    if let Some(gap) = budgets.gap() {
        let (x, y, width, height) = (gap, frame.top, frame.right - gap, frame.bottom - frame.top);
        let _ = writeln!(
            svg,
            "<rect class=\"beyond\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            pixel(x),
            pixel(y),
            pixel(width),
            pixel(height)
        );
    }
    svg += &frame.rows(&accuracy, &format!("{called} (%)"), |tick| format!("{:.0}", 100.0 * tick));
    svg += &frame.columns(&budgets.ticks(), "ε (logarithmic)");
    let moving = curves.iter().filter(|curve| !curve.is_across()).count();
    let mut nth = 0;
    let mut names: Vec<(f64, f64, &Line)> = Vec::new();
    for curve in curves {
        let _ = write!(svg, "<g class=\"series {}\">", curve.line.classes());
        let end = if curve.is_across() {
            draw_across(&mut svg, curve, &frame, &accuracy, &budgets)
        } else {
            // Intervals at the same ε would hide each other: each line is moved a little.
            let aside = (nth as f64 - (moving - 1) as f64 / 2.0) * if room == Room::Wide { 4.0 } else { 2.5 };
            nth += 1;
            draw_along(&mut svg, curve, aside, &accuracy, &budgets)
        };
        svg += "</g>\n";
        names.extend(end.map(|(x, y)| (x, y, curve.line)));
    }
    if room == Room::Wide {
        svg += &names_at_the_ends(&frame, names);
    }
    (frame.width, frame.height, svg)
}

/// A line across, with its interval as a band; where it is known at ∞, its mark stands there.
fn draw_across(
    svg: &mut String,
    curve: &Curve<'_>,
    frame: &Frame,
    accuracy: &Linear,
    budgets: &Budgets,
) -> Option<(f64, f64)> {
    let (point, found) = curve.points.first()?;
    let ([low, high], y) = (ends(found).map(|end| accuracy.place(end)), accuracy.place(found.mean));
    let (left, width) = (pixel(frame.left), pixel(frame.right - frame.left));
    let _ = write!(
        svg,
        "<rect class=\"band\" x=\"{left}\" y=\"{}\" width=\"{width}\" height=\"{}\"/><path class=\"l\" d=\"M{left} {}H{}\"/>",
        pixel(high),
        pixel(low - high),
        pixel(y),
        pixel(frame.right)
    );
    let x = budgets.place(point.worth.budget).unwrap_or(frame.left + 6.0);
    *svg += &curve.line.marker((x, y), point, &told(curve.line, point.worth.budget, found));
    Some((frame.right, y))
}

fn draw_along(
    svg: &mut String,
    curve: &Curve<'_>,
    aside: f64,
    accuracy: &Linear,
    budgets: &Budgets,
) -> Option<(f64, f64)> {
    let (mut path, mut beyond, mut marks) = (String::new(), String::new(), String::new());
    let mut last = None;
    for (point, found) in &curve.points {
        let Some(x) = budgets.place(point.worth.budget).map(|x| x + aside) else { continue };
        let y = accuracy.place(found.mean);
        match (last, point.worth.budget) {
            // Between the scale and ∞ there is no telling how a line goes.
            (Some((before_x, before_y)), Budget::Infinite) => {
                beyond = format!(
                    "<path class=\"l far\" d=\"M{} {}L{} {}\"/>",
                    pixel(before_x),
                    pixel(before_y),
                    pixel(x),
                    pixel(y)
                );
            }
            _ => {
                let letter = if last.is_none() { 'M' } else { 'L' };
                let _ = write!(path, "{letter}{} {}", pixel(x), pixel(y));
            }
        }
        if let Some(interval) = found.interval {
            let [low, high] = interval.map(|end| accuracy.place(end));
            let _ = write!(
                marks,
                "<path class=\"i\" d=\"M{0} {1}V{2}M{3} {1}h6M{3} {2}h6\"/>",
                pixel(x),
                pixel(high),
                pixel(low),
                pixel(x - 3.0)
            );
        }
        marks += &curve.line.marker((x, y), point, &told(curve.line, point.worth.budget, found));
        last = Some((x, y));
    }
    let _ = write!(svg, "<path class=\"l\" d=\"{path}\"/>{beyond}{marks}");
    last
}

/// Of what is drawn: where there is no interval, the mean.
fn ends(accuracy: &Summary) -> [f64; 2] {
    accuracy.interval.unwrap_or([accuracy.mean; 2])
}

fn told(line: &Line, budget: Budget, accuracy: &Summary) -> String {
    let interval = accuracy.interval.map_or_else(String::new, |ends| format!(" ({})", between(ends, percent)));
    format!("{}, ε = {}: {}{interval} %", line.name(), budget.text(), percent(accuracy.mean))
}

/// Names at the ends of their lines, pushed apart; none if there is no room for all.
fn names_at_the_ends(frame: &Frame, mut names: Vec<(f64, f64, &Line)>) -> String {
    // A line that ends far from the edge would need a pointer across others.
    names.retain(|(x, ..)| *x >= frame.right - 100.0);
    if names.len() as f64 * NAME > frame.bottom - frame.top {
        return String::new();
    }
    names.sort_by(|one, other| one.1.total_cmp(&other.1));
    let wanted: Vec<f64> = names.iter().map(|(_, y, _)| *y).collect();
    let places = apart(&wanted, frame.top + 4.0, frame.bottom);
    let mut svg = String::from("<g class=\"names\">");
    for ((x, y, line), place) in names.iter().zip(places) {
        let (from, to) = (pixel(x + 8.0), pixel(frame.right + 12.0));
        let _ = write!(
            svg,
            "<path class=\"pointer\" d=\"M{from} {}L{to} {}\"/>{}<text x=\"{}\" y=\"{}\">{}</text>",
            pixel(*y),
            pixel(place),
            line.sign(frame.right + 19.0, place),
            pixel(frame.right + 28.0),
            pixel(place + 4.0),
            escaped(&beginning(&line.name(), LETTERS))
        );
    }
    svg + "</g>\n"
}

/// Sorted places, at least the height of a name apart and between two bounds, near to where they are wanted.
fn apart(wanted: &[f64], first: f64, last: f64) -> Vec<f64> {
    let mut places = Vec::with_capacity(wanted.len());
    let mut least = first;
    for place in wanted {
        least = place.max(least);
        places.push(least);
        least += NAME;
    }
    let mut most = last;
    for place in places.iter_mut().rev() {
        *place = place.min(most);
        most = *place - NAME;
    }
    places
}

fn in_words(accuracy: &str, curves: &[&Curve<'_>]) -> String {
    let mut words = format!("Mean {accuracy} in per cent by ε. ");
    for curve in curves {
        let points: Vec<String> = curve
            .points
            .iter()
            .map(|(point, accuracy)| format!("{} at ε {}", percent(accuracy.mean), point.worth.budget.text()))
            .collect();
        let _ = write!(words, "{}: {}. ", curve.line.name(), points.join(", "));
    }
    words.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_overlap_and_stay_inside() {
        let places = apart(&[100.0, 101.0, 102.0, 299.0, 300.0], 0.0, 300.0);
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= NAME), "{places:?}");
        assert!(places[0] >= 0.0 && places[4] <= 300.0, "{places:?}");
        assert_eq!(places[0], 100.0);
    }
}
