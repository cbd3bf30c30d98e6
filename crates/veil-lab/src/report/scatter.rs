//! What an attack finds against what a model is good for. Down and to the right is better. The sweet spot is shaded: more
//! accurate than the edge-free floor, harder to attack than the non-private model.

use std::fmt::Write;

use super::axis::{Frame, Linear};
use super::digest::{Choice, Digest, Line, Point};
use super::mark::{self, MARKS};
use super::number::{INTERVAL, area, between, percent, pixel};
use super::page::{Figure, Room, escaped, sentence};
use crate::statistics::{Region, Summary};
use crate::worth::{NoVerdict, Role, Worth, region, words};

const MOST_PICTURES: usize = 12;
/// An attack that guesses.
const GUESSING: f64 = 0.5;

/// One point of the picture.
struct Spot<'a> {
    line: &'a Line,
    point: &'a Point,
    accuracy: Summary,
    attack: Summary,
    /// Whether it is a sweet spot, if that can be said.
    sweet: Option<bool>,
}

/// The pictures of one data set: one for each attack and `MARKS` lines.
pub(super) fn figures(digest: &Digest, data: usize, chosen: &[(&Point, Choice)]) -> String {
    let name = digest.data.get(data).map_or("", String::as_str);
    let mut html = String::new();
    for (number, attack) in digest.attacks.iter().enumerate() {
        let spots: Vec<Spot<'_>> = chosen
            .iter()
            .filter_map(|(point, _)| {
                let (line, worth) = (digest.lines.get(point.line)?, &point.worth);
                let (accuracy, sweet) = (worth.accuracy?, worth.sweet.get(attack).copied());
                Some(Spot { line, point, accuracy, attack: *worth.attacks.get(attack)?, sweet })
            })
            .collect();
        let (references, methods): (Vec<Spot<'_>>, Vec<Spot<'_>>) =
            spots.into_iter().partition(|spot| spot.line.role != Role::Method);
        let pictures: Vec<&[Spot<'_>]> =
            methods.chunk_by(|one, other| one.line.mark / MARKS == other.line.mark / MARKS).collect();
        let of_data = digest.points.iter().filter(|point| point.data == data);
        let sweet = region(of_data.map(|point| &point.worth), attack);
        for (place, picture) in pictures.iter().take(MOST_PICTURES).enumerate() {
            let part =
                if pictures.len() > 1 { format!(" ({} of {})", place + 1, pictures.len()) } else { String::new() };
            let shown: Vec<&Spot<'_>> = references.iter().chain(picture.iter()).collect();
            let attack = attack_name(attack);
            let title = format!("{attack} against accuracy on {name}{part}");
            html += &figure(digest, format!("attack-{data}-{number}-{place}"), title, &attack, &shown, sweet);
        }
        if pictures.len() > MOST_PICTURES {
            let _ = writeln!(
                html,
                "<p>The other {} pictures are left out; the table above has their numbers.</p>",
                pictures.len() - MOST_PICTURES
            );
        }
    }
    html
}

/// `linkteller_auc` as people say it.
pub(super) fn attack_name(figure: &str) -> String {
    let name = figure.strip_suffix("_auc").unwrap_or(figure).replace('_', " ");
    let name = match name.as_str() {
        "linkteller" => "LinkTeller".to_owned(),
        "lsa" => "LSA".to_owned(),
        _ => name,
    };
    format!("{name} AUC")
}

fn figure(
    digest: &Digest,
    id: String,
    title: String,
    attack: &str,
    spots: &[&Spot<'_>],
    sweet: Option<Region>,
) -> String {
    let interval =
        |summary: &Summary, number| summary.interval.map_or_else(|| "–".to_owned(), |ends| between(ends, number));
    let row = |spot: &&Spot<'_>| {
        let inside = match (spot.sweet, spot.point.worth.no_verdict) {
            (Some(true), _) => "yes",
            (Some(false), _) => "no",
            (None, Some(NoVerdict::NoReference)) => "no verdict: no reference",
            (None, Some(NoVerdict::TooFewSeeds)) => "no verdict: too few seeds",
            (None, None) => "–",
        };
        vec![
            spot.line.name(),
            spot.point.worth.budget.text(),
            digest.mean(spot.point, &spot.accuracy),
            interval(&spot.accuracy, percent),
            area(spot.attack.mean),
            interval(&spot.attack, area),
            inside.to_owned(),
            spot.point.status().to_owned(),
        ]
    };
    let mut lines: Vec<&Line> = spots.iter().map(|spot| spot.line).collect();
    lines.dedup_by(|one, other| std::ptr::eq(*one, *other));
    let words: Vec<String> = spots
        .iter()
        .map(|spot| {
            let (name, budget) = (spot.line.name(), spot.point.worth.budget.text());
            format!("{name} at ε {budget}: accuracy {}, AUC {}", percent(spot.accuracy.mean), area(spot.attack.mean))
        })
        .collect();
    let accuracy = digest.accuracy();
    let figure = Figure {
        id,
        title,
        description: format!("{attack} by mean {accuracy} in per cent. {}.", words.join("; ")),
        legend: mark::legend(lines.into_iter()),
        caption: caption(digest, spots, sweet),
        headings: &[
            "case",
            "ε",
            &format!("mean {accuracy} (%)"),
            "95 % interval",
            "mean AUC",
            "95 % interval",
            "sweet spot",
            "status",
        ],
        rows: spots.iter().map(row).collect(),
    };
    figure.html(|room| draw(room, (attack, accuracy), spots, sweet))
}

/// The sweet spot in words, with what is in it.
fn caption(digest: &Digest, spots: &[&Spot<'_>], sweet: Option<Region>) -> String {
    let points: Vec<&Worth> = spots.iter().map(|spot| &spot.point.worth).collect();
    let elsewhere = words::elsewhere(&points).map_or_else(String::new, |remark| sentence(&remark));
    let signs = format!(
        "Means over the seeds; crosses: {INTERVAL}. An AUC of 0.5 is guessing. Numbers beside marks are ε; hollow marks: no proven promise.{elsewhere}"
    );
    // Those that can tell by this attack have a verdict.
    let open: Vec<&Worth> = spots.iter().filter(|spot| spot.sweet.is_none()).map(|spot| &spot.point.worth).collect();
    let no_verdict = words::no_verdict(&open, &digest.references);
    let no_verdict: String = no_verdict.iter().map(|it| sentence(&format!("a sweet spot {it}"))).collect();
    let Some(sweet) = sweet else { return signs + &no_verdict };
    let mut inside: Vec<String> = Vec::new();
    let holding: Vec<&&Spot<'_>> = spots.iter().filter(|spot| spot.sweet == Some(true)).collect();
    for line in holding.chunk_by(|one, other| std::ptr::eq(one.line, other.line)) {
        let mut parts: Vec<String> = Vec::new();
        for same in line.chunk_by(|one, other| one.point.status() == other.point.status()) {
            let budgets: Vec<String> = same.iter().map(|spot| spot.point.worth.budget.text()).collect();
            let status = same.first().map_or("", |spot| spot.point.status());
            parts.push(format!("{} ({})", budgets.join(", "), escaped(status)));
        }
        let name = line.first().map_or_else(String::new, |spot| spot.line.name());
        inside.push(format!("<strong>{}</strong> at ε = {}", escaped(&name), parts.join(", ")));
    }
    let found = match (inside.is_empty(), spots.iter().any(|spot| spot.sweet.is_some())) {
        (false, _) => inside.join("; "),
        (true, true) => "none".to_owned(),
        (true, false) => "no verdict".to_owned(),
    };
    format!(
        "<strong>Sweet spots</strong>: {found}. Such a spot is more accurate than the edge-free floor and harder to attack than the \
         non-private case, each seed by seed with the same settings: the whole 95 % interval of the differences says so, from at least \
         three seeds; with fewer, or nothing to compare with, there is no verdict.{no_verdict} Shaded is what lies beyond the means of both, {} % and {}: a mark \
         there need not be one. {signs}",
        percent(sweet.edge_free_accuracy),
        area(sweet.non_private_auc)
    )
}

/// Left, top, right and bottom.
type Place = (f64, f64, f64, f64);

/// A drawing in which names keep out of each other's way.
struct Drawing {
    frame: Frame,
    /// What no letter may cover.
    marks: Vec<Place>,
    /// What letters keep off if they can.
    lines: Vec<Place>,
}

impl Drawing {
    /// The first of some places for a text where nothing is in its way; else the first that hides no mark; none if there is no such place.
    /// A place is the class of the text, and where it stands.
    fn text(&mut self, text: &str, class: &str, places: &[(&str, f64, f64)]) -> String {
        let letter = if class.is_empty() { 7.2 } else { 8.6 };
        let width = letter * text.chars().count() as f64;
        let own = |(anchor, x, y): (&str, f64, f64)| {
            let left = match anchor {
                "e" => x - width,
                "c" => x - width / 2.0,
                _ => x,
            };
            (left, y - 11.0, left + width, y + 3.0)
        };
        let frame = self.frame;
        let inside = |own: Place| {
            own.0 >= frame.left && own.2 <= frame.right && own.1 >= frame.top - 8.0 && own.3 <= frame.bottom
        };
        let free = |own: Place, of: &[Place]| {
            of.iter().all(|other| own.2 < other.0 || other.2 < own.0 || own.3 < other.1 || other.3 < own.1)
        };
        let possible = || places.iter().copied().filter(|place| inside(own(*place)) && free(own(*place), &self.marks));
        let best = possible().find(|place| free(own(*place), &self.lines)).or_else(|| possible().next());
        let Some((anchor, x, y)) = best else { return String::new() };
        self.marks.push(own((anchor, x, y)));
        let (x, y, text) = (pixel(x), pixel(y), escaped(text));
        format!("<text class=\"near {anchor} {class}\" x=\"{x}\" y=\"{y}\">{text}</text>")
    }
}

impl Drawing {
    /// A text further off, with a line that says whose it is.
    fn text_afar(&mut self, text: &str, (x, y): (f64, f64)) -> String {
        for away in [30.0, 48.0, 66.0, 84.0] {
            for (anchor, to_x, to_y) in
                [("c", x, y + away), ("e", x - 14.0, y + away), ("c", x, y - away), ("e", x - away, y + 4.0)]
            {
                let name = self.text(text, "", &[(anchor, to_x, to_y)]);
                if !name.is_empty() {
                    let end = if to_y > y + 5.0 { to_y - 12.0 } else { to_y };
                    let ends = [x, y, to_x, end].map(pixel);
                    let line = format!("M{} {}L{} {}", ends[0], ends[1], ends[2], ends[3]);
                    return format!("<path class=\"pointer\" d=\"{line}\"/>{name}");
                }
            }
        }
        String::new()
    }
}

fn draw(room: Room, (attack, called): (&str, &str), spots: &[&Spot<'_>], sweet: Option<Region>) -> (f64, f64, String) {
    let frame = Frame::new(room, 8.0);
    let ends = |summary: &Summary| summary.interval.unwrap_or([summary.mean; 2]);
    let accuracies = spots.iter().flat_map(|spot| ends(&spot.accuracy));
    let accuracy = Linear::around(accuracies, (0.0, 1.0), frame.left, frame.right);
    let attacks = spots.iter().flat_map(|spot| ends(&spot.attack)).chain([GUESSING]);
    let areas = Linear::around(attacks, (0.0, 1.0), frame.bottom, frame.top);
    let mut svg = String::new();
    if let Some(sweet) = sweet {
        let (x, y) = (accuracy.place(sweet.edge_free_accuracy), areas.place(sweet.non_private_auc));
        let (width, height) = (frame.right - x, frame.bottom - y);
        let _ = writeln!(
            svg,
            "<rect class=\"sweet\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            pixel(x),
            pixel(y),
            pixel(width),
            pixel(height)
        );
    }
    svg += &frame.rows(&areas, &escaped(attack), |tick| format!("{tick:.2}"));
    let ticks: Vec<(f64, String)> =
        accuracy.ticks().into_iter().map(|tick| (accuracy.place(tick), format!("{:.0}", 100.0 * tick))).collect();
    svg += &frame.columns(&ticks, &format!("{called} (%)"));
    let y = areas.place(GUESSING);
    let (left, right) = (pixel(frame.left), pixel(frame.right));
    let _ = writeln!(svg, "<g class=\"axis\"><path class=\"chance\" d=\"M{left} {}H{right}\"/></g>", pixel(y));
    let at = |spot: &Spot<'_>| (accuracy.place(spot.accuracy.mean), areas.place(spot.attack.mean));
    let crosses = |spot: &Spot<'_>| {
        let (x, y) = at(spot);
        let across = spot.accuracy.interval.map(|ends| ends.map(|end| accuracy.place(end)));
        let up = spot.attack.interval.map(|ends| ends.map(|end| areas.place(end)));
        [across.map(|[from, to]| (from, y, to, y)), up.map(|[from, to]| (x, to, x, from))].into_iter().flatten()
    };
    let marks = spots.iter().map(|spot| at(spot)).map(|(x, y)| (x - 6.0, y - 6.0, x + 6.0, y + 6.0)).collect();
    let lines = spots.iter().flat_map(|spot| crosses(spot)).chain([(frame.left, y, frame.right, y)]).collect();
    let mut drawing = Drawing { frame, marks, lines };
    // The floor and the non-private case have their names first, and their marks on top.
    let mut names: Vec<String> = spots
        .iter()
        .map(|spot| {
            if spot.line.role == Role::Method {
                return drawing.text(&spot.point.worth.budget.text(), "", &around(at(spot)));
            }
            let near = drawing.text(&spot.line.name(), "", &around(at(spot)));
            if near.is_empty() { drawing.text_afar(&spot.line.name(), at(spot)) } else { near }
        })
        .collect();
    names.push(drawing.text("guessing", "", &along(&frame, y)));
    if let Some(sweet) = sweet {
        let (x, y) = (accuracy.place(sweet.edge_free_accuracy), areas.place(sweet.non_private_auc));
        if frame.right - x > 90.0 && frame.bottom - y > 50.0 {
            let (right, low) = (frame.right - 8.0, frame.bottom - 10.0);
            let middle = ("c", (x + frame.right) / 2.0, (y + frame.bottom) / 2.0);
            let places =
                [("e", right, low), ("e", right, y + 16.0), ("", x + 8.0, low), ("", x + 8.0, y + 16.0), middle];
            names.push(drawing.text("sweet spot", "sweet-name", &places));
        }
    }
    let (methods, references): (Vec<&Spot<'_>>, Vec<&Spot<'_>>) =
        spots.iter().partition(|spot| spot.line.role == Role::Method);
    let in_order: Vec<&Spot<'_>> = methods.into_iter().chain(references).collect();
    for same in in_order.chunk_by(|one, other| std::ptr::eq(one.line, other.line)) {
        let Some(first) = same.first() else { continue };
        let _ = write!(svg, "<g class=\"series {}\">", first.line.classes());
        if same.len() > 1 {
            let path: Vec<String> =
                same.iter().map(|spot| at(spot)).map(|(x, y)| format!("{} {}", pixel(x), pixel(y))).collect();
            let _ = write!(svg, "<path class=\"l thin\" d=\"M{}\"/>", path.join("L"));
        }
        for (from_x, from_y, to_x, to_y) in same.iter().flat_map(|spot| crosses(spot)) {
            let ends = [from_x, from_y, to_x, to_y].map(pixel);
            let _ = write!(svg, "<path class=\"i cross\" d=\"M{} {}L{} {}\"/>", ends[0], ends[1], ends[2], ends[3]);
        }
        for spot in same {
            let (name, budget) = (spot.line.name(), spot.point.worth.budget.text());
            let told =
                format!("{name}, ε = {budget}: {} %, AUC {}", percent(spot.accuracy.mean), area(spot.attack.mean));
            svg += &spot.line.marker(at(spot), spot.point, &told);
        }
        svg += "</g>\n";
    }
    svg += &names.concat();
    svg.push('\n');
    (frame.width, frame.height, svg)
}

/// Places for a name beside a mark.
fn around((x, y): (f64, f64)) -> [(&'static str, f64, f64); 8] {
    [
        ("", x + 9.0, y + 4.0),
        ("e", x - 9.0, y + 4.0),
        ("c", x, y - 10.0),
        ("c", x, y + 19.0),
        ("", x + 7.0, y - 8.0),
        ("", x + 7.0, y + 17.0),
        ("e", x - 7.0, y - 8.0),
        ("e", x - 7.0, y + 17.0),
    ]
}

/// Places for a name along a line across.
fn along(frame: &Frame, y: f64) -> [(&'static str, f64, f64); 6] {
    let (left, right, middle) = (frame.left + 6.0, frame.right - 6.0, (frame.left + frame.right) / 2.0);
    let (above, below) = (y - 5.0, y + 15.0);
    [
        ("", left, above),
        ("e", right, above),
        ("", left, below),
        ("e", right, below),
        ("c", middle, above),
        ("c", middle, below),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hide_no_mark_and_not_each_other() {
        let frame = Frame::new(Room::Wide, 8.0);
        let mark = |x: f64, y: f64| (x - 6.0, y - 6.0, x + 6.0, y + 6.0);
        let mut drawing = Drawing { frame, marks: vec![mark(200.0, 200.0), mark(215.0, 200.0)], lines: Vec::new() };
        // At the right there is another mark.
        assert!(drawing.text("4", "", &around((200.0, 200.0))).contains("class=\"near e \""));
        // A line is kept off while there is another place, and then crossed.
        drawing.lines.push((0.0, 300.0, 800.0, 300.0));
        assert!(drawing.text("4", "", &around((500.0, 300.0))).contains("class=\"near c \""));
        drawing.lines.push((0.0, 0.0, 800.0, 400.0));
        assert!(!drawing.text("4", "", &around((600.0, 300.0))).is_empty());
        // Where all is full nearby, a name of its own stands further off.
        drawing.marks.push((640.0, 140.0, 760.0, 215.0));
        assert!(drawing.text("gcn", "", &around((700.0, 200.0))).is_empty());
        assert!(drawing.text_afar("gcn", (700.0, 200.0)).starts_with("<path class=\"pointer\""));
        drawing.marks.push((0.0, 0.0, 800.0, 400.0));
        assert!(drawing.text("4", "", &around((700.0, 200.0))).is_empty());
    }
}
