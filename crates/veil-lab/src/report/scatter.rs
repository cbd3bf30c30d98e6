//! What an attack finds against what a model is good for. Down and to the right is better. The sweet spot is shaded: more
//! accurate than the edge-free floor, harder to attack than the non-private model.

use std::fmt::Write;

use super::axis::{Frame, Linear};
use super::digest::{Choice, Digest, Line, Point};
use super::mark::{self, MARKS};
use super::number::{area, percent, pixel};
use super::page::{Figure, Room, escaped};
use crate::statistics::{Region, Summary};
use crate::worth::{Role, region};

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
            html += &figure(format!("attack-{data}-{number}-{place}"), title, &attack, &shown, sweet);
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

fn figure(id: String, title: String, attack: &str, spots: &[&Spot<'_>], sweet: Option<Region>) -> String {
    let row = |spot: &&Spot<'_>| {
        let inside = match spot.sweet {
            Some(true) => "yes",
            Some(false) => "no",
            None => "–",
        };
        let (accuracy, attack) = (percent(spot.accuracy.mean), area(spot.attack.mean));
        vec![
            spot.line.name(),
            spot.point.worth.budget.text(),
            accuracy,
            attack,
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
    let figure = Figure {
        id,
        title,
        description: format!("{attack} by mean test accuracy in per cent. {}.", words.join("; ")),
        legend: mark::legend(lines.into_iter()),
        caption: caption(spots, sweet),
        headings: &["case", "ε", "mean accuracy (%)", "mean AUC", "sweet spot", "status"],
        rows: spots.iter().map(row).collect(),
    };
    figure.html(|room| draw(room, attack, spots, sweet))
}

/// The sweet spot in words, with what is in it.
fn caption(spots: &[&Spot<'_>], sweet: Option<Region>) -> String {
    let guessing = "An AUC of 0.5 is guessing. Numbers beside marks are ε; hollow marks: no proven promise.";
    let Some(sweet) = sweet else { return guessing.to_owned() };
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
    let found = if inside.is_empty() { "nothing".to_owned() } else { inside.join("; ") };
    format!(
        "<strong>Sweet spots</strong> (shaded: accuracy above the edge-free floor’s {} %, AUC below the non-private model’s {}; \
         the whole 95 % intervals must lie there): {found}. {guessing}",
        percent(sweet.edge_free_accuracy),
        area(sweet.non_private_auc)
    )
}

fn draw(room: Room, attack: &str, spots: &[&Spot<'_>], sweet: Option<Region>) -> (f64, f64, String) {
    let frame = Frame::new(room, 8.0);
    let accuracies = spots.iter().map(|spot| spot.accuracy.mean);
    let accuracy = Linear::around(accuracies, (0.0, 1.0), frame.left, frame.right);
    let attacks = spots.iter().map(|spot| spot.attack.mean).chain([GUESSING]);
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
    svg += &frame.columns(&ticks, "accuracy (%)");
    let y = areas.place(GUESSING);
    let _ = writeln!(
        svg,
        "<g class=\"axis\"><path class=\"chance\" d=\"M{} {y}H{}\"/><text class=\"near\" x=\"{}\" y=\"{}\">guessing</text></g>",
        pixel(frame.left),
        pixel(frame.right),
        pixel(frame.left + 6.0),
        pixel(y - 5.0),
        y = pixel(y)
    );
    let at = |spot: &Spot<'_>| (accuracy.place(spot.accuracy.mean), areas.place(spot.attack.mean));
    // Marks come first: no number may hide one.
    let mut taken: Vec<(f64, f64, f64, f64)> =
        spots.iter().map(|spot| at(spot)).map(|(x, y)| (x - 6.0, y - 6.0, x + 6.0, y + 6.0)).collect();
    taken.push((frame.left, y - 17.0, frame.left + 60.0, y));
    if let Some(sweet) = sweet {
        let (width, height) =
            (frame.right - accuracy.place(sweet.edge_free_accuracy), frame.bottom - areas.place(sweet.non_private_auc));
        if width > 90.0 && height > 50.0 {
            // Not on the line of guessing, which mostly lies there.
            let low = if frame.bottom - y < 30.0 { y - 7.0 } else { frame.bottom - 10.0 };
            let (x, y) = (pixel(frame.right - 8.0), pixel(low));
            let _ = writeln!(svg, "<text class=\"near e sweet-name\" x=\"{x}\" y=\"{y}\">sweet spot</text>");
            taken.push((frame.right - 90.0, low - 13.0, frame.right, low + 3.0));
        }
    }
    for same in spots.chunk_by(|one, other| std::ptr::eq(one.line, other.line)) {
        let Some(first) = same.first() else { continue };
        let _ = write!(svg, "<g class=\"series {}\">", first.line.classes());
        if same.len() > 1 {
            let path: Vec<String> =
                same.iter().map(|spot| at(spot)).map(|(x, y)| format!("{} {}", pixel(x), pixel(y))).collect();
            let _ = write!(svg, "<path class=\"l thin\" d=\"M{}\"/>", path.join("L"));
        }
        for spot in same {
            let (x, y) = at(spot);
            let (name, budget) = (spot.line.name(), spot.point.worth.budget.text());
            let told =
                format!("{name}, ε = {budget}: {} %, AUC {}", percent(spot.accuracy.mean), area(spot.attack.mean));
            svg += &spot.line.marker((x, y), spot.point, &told);
            let label = match spot.line.role {
                Role::Method => budget,
                Role::Floor | Role::NonPrivate => name,
            };
            svg += &label_near(&frame, &mut taken, (x, y), &label);
        }
        svg += "</g>\n";
    }
    (frame.width, frame.height, svg)
}

/// A label beside a mark, on the first side where nothing is in its way; none if there is no such side.
fn label_near(frame: &Frame, taken: &mut Vec<(f64, f64, f64, f64)>, (x, y): (f64, f64), label: &str) -> String {
    let width = 7.2 * label.chars().count() as f64;
    let sides = [
        ("", x + 9.0, y + 4.0, x + 9.0),
        ("e", x - 9.0, y + 4.0, x - 9.0 - width),
        ("c", x, y - 10.0, x - width / 2.0),
        ("c", x, y + 19.0, x - width / 2.0),
    ];
    for (class, text_x, text_y, left) in sides {
        let own = (left, text_y - 11.0, left + width, text_y + 3.0);
        let inside = own.0 >= frame.left && own.2 <= frame.right && own.1 >= frame.top - 8.0 && own.3 <= frame.bottom;
        let free = taken.iter().all(|other| own.2 < other.0 || other.2 < own.0 || own.3 < other.1 || other.3 < own.1);
        if inside && free {
            taken.push(own);
            let (text_x, text_y, label) = (pixel(text_x), pixel(text_y), escaped(label));
            return format!("<text class=\"near {class}\" x=\"{text_x}\" y=\"{text_y}\">{label}</text>");
        }
    }
    String::new()
}
