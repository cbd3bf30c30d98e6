//! The AUC of an attack against accuracy. Down and to the right is better. The region of sweet
//! spots is shaded: more accurate than the edge-free floor, and at most half as exposed to the
//! attack as the non-private model.

use veil_attack::attack;

use super::axis::Axis;
use super::digest::{Choice, Digest, Line, Point};
use super::mark::tip;
use super::number::{INTERVAL, area, between, ends, interval, percent};
use super::page::{Drawing, Room, escaped, sentence};
use super::picture::{Kind, Picture, Series, beside, parts};
use super::svg::{Frame, Linear, line, rect, text};
use crate::statistics::Summary;
use crate::worth::{Budget, NoVerdict, Region, Role, Worth, region, words};

/// The AUC of guessing.
const GUESSING: f64 = 0.5;

/// The pictures of all data sets.
pub(super) fn figures(digest: &Digest) -> String {
    let kinds = (0..digest.data.len()).flat_map(|data| kinds(digest, data, &digest.chosen(data)));
    beside(&kinds.collect::<Vec<Kind<'_>>>())
}

/// Those of one data set: for each attack.
fn kinds<'a>(digest: &'a Digest, data: usize, chosen: &[(&'a Point, Choice)]) -> Vec<Kind<'a>> {
    let kind = |number: usize| {
        let attack = digest.attacks[number].as_str();
        let of_data = digest.points.iter().filter(|point| point.data == data);
        let sweet = region(of_data.map(|point| &point.worth), attack);
        let is_shown = |point: &&Point| point.worth.accuracy.is_some() && point.worth.attacks.contains_key(attack);
        let shown: Vec<&Point> = chosen.iter().map(|(point, _)| *point).filter(is_shown).collect();
        let (references, methods): (Vec<Series<'_>>, Vec<Series<'_>>) =
            Series::all(digest, &shown).into_iter().partition(Series::is_reference);
        let plot = Plot { digest, data: &digest.data[data], attack, name: attack_name(attack), sweet };
        let parts = parts(&references, &methods);
        Kind { id: format!("attack-{data}-{number}"), picture: Box::new(plot), parts }
    };
    (0..digest.attacks.len()).map(kind).collect()
}

/// The name of an attack by that of its figure, as `linkteller_auc`.
pub(super) fn attack_name(figure: &str) -> String {
    format!("{} AUC", attack::title(figure.strip_suffix("_auc").unwrap_or(figure)))
}

struct Plot<'a> {
    digest: &'a Digest,
    data: &'a str,
    attack: &'a str,
    name: String,
    sweet: Option<Region>,
}

impl Plot<'_> {
    fn measured(&self, point: &Point) -> [Summary; 2] {
        [point.accuracy(), point.auc(self.attack)]
    }

    fn is_sweet(&self, point: &Point) -> Option<bool> {
        point.worth.sweet.get(self.attack).copied()
    }

    /// What is shown at a mark.
    fn tip(&self, line: &Line, point: &Point) -> String {
        let [accuracy, auc] = self.measured(point);
        let range = |figure: &Summary, number| {
            figure.interval.map_or_else(String::new, |ends| format!(" ({})", between(ends, number)))
        };
        let accuracy = format!("{} {} %{}", self.digest.accuracy(), percent(accuracy.mean), range(&accuracy, percent));
        let auc = format!("{} {}{}", self.name, area(auc.mean), range(&auc, area));
        let sweet = if self.is_sweet(point) == Some(true) { vec!["sweet spot".to_owned()] } else { Vec::new() };
        let of = matches!(point.worth.budget, Budget::Finite(_)).then(|| Axis::of_row(point).words());
        tip(line, point, (point.worth.budget, of, 0.0), &[vec![accuracy, auc], sweet].concat(), point.status())
    }
}

impl Picture for Plot<'_> {
    fn title(&self) -> String {
        format!("{} against accuracy on {}", self.name, self.data)
    }

    fn description(&self) -> String {
        format!("{} by mean {} in per cent", self.name, self.digest.accuracy())
    }

    fn headings(&self) -> Vec<String> {
        let mean = format!("mean {} (%)", self.digest.accuracy());
        ["ε", &mean, "95 % interval", "mean AUC", "95 % interval of the AUC", "sweet spot", "status"]
            .map(str::to_owned)
            .to_vec()
    }

    fn cells(&self, point: &Point) -> Vec<String> {
        let verdict = match (self.is_sweet(point), point.worth.no_verdict) {
            (Some(true), _) => "yes",
            (Some(false), _) => "no",
            (None, Some(NoVerdict::NoReference)) => "unknown: no reference",
            (None, Some(NoVerdict::TooFewSeeds)) => "unknown: too few seeds",
            (None, None) => "–",
        };
        let [accuracy, auc] = self.measured(point);
        vec![
            point.worth.budget.text(),
            self.digest.mean(point, &accuracy),
            interval(&accuracy, percent),
            area(auc.mean),
            interval(&auc, area),
            verdict.to_owned(),
            point.status().to_owned(),
        ]
    }

    /// The sweet spots in words.
    fn caption(&self, series: &[Series<'_>]) -> String {
        let signs = format!(
            "Means over the seeds; crosses: {INTERVAL}. An AUC of 0.5 is guessing. Numbers beside marks are ε of each method’s own unit; \
             hollow marks: no proven promise."
        );
        let points = || series.iter().flat_map(|it| &it.points);
        let open: Vec<&Worth> =
            points().filter(|point| self.is_sweet(point).is_none()).map(|point| &point.worth).collect();
        let unknown = words::no_verdict(&open, &self.digest.references);
        let unknown: String = unknown.iter().map(|it| sentence(&format!("a sweet spot {it}"))).collect();
        let Some(region) = self.sweet else { return signs + &unknown };
        let mut found: Vec<String> = Vec::new();
        for Series { line, points } in series {
            let sweet = points.iter().filter(|point| self.is_sweet(point) == Some(true));
            let sweet: Vec<String> =
                sweet.map(|point| format!("{} ({})", point.worth.budget.text(), escaped(point.status()))).collect();
            if !sweet.is_empty() {
                found.push(format!("<strong>{}</strong> at ε = {}", escaped(&line.name()), sweet.join(", ")));
            }
        }
        let found = match (found.is_empty(), points().any(|point| self.is_sweet(point).is_some())) {
            (false, _) => found.join("; "),
            (true, true) => "none".to_owned(),
            (true, false) => "unknown".to_owned(),
        };
        format!(
            "<strong>Sweet spots</strong>: {found}. A sweet spot has a proven promise about edges and is more accurate \
             than the edge-free floor, and the attack’s advantage over that floor is at most half of what it is on \
             the non-private case with the same settings: seed by seed, the whole 95 % interval of the differences is \
             above 0, from at least three seeds.{unknown} The shaded region lies beyond the means, {} % and an AUC of \
             {}: a mark in it need not be a sweet spot. {signs}",
            percent(region.accuracy),
            area(region.auc)
        )
    }

    fn draw(&self, room: Room, series: &[Series<'_>]) -> Drawing {
        let (attack, name) = (self.name.as_str(), self.digest.accuracy());
        let frame = Frame::new(room);
        let all = || series.iter().flat_map(|it| &it.points).map(|point| self.measured(point));
        let accuracies = all().flat_map(|[accuracy, _]| ends(&accuracy));
        let across = Linear::around(accuracies, frame.left, frame.right);
        let areas = all().flat_map(|[_, auc]| ends(&auc)).chain([GUESSING]);
        let up = Linear::around(areas, frame.bottom, frame.top);
        let at = |point: &Point| {
            let [accuracy, auc] = self.measured(point);
            (across.place(accuracy.mean), up.place(auc.mean))
        };
        let marks = series.iter().flat_map(|it| &it.points).map(|point| at(point));
        let taken = marks.map(|(x, y)| [x - 6.0, y - 6.0, x + 6.0, y + 6.0]).collect();
        let (mut svg, mut names, mut labels) = (String::new(), String::new(), Labels { frame, taken });
        if let Some(sweet) = self.sweet {
            let (x, y) = (across.place(sweet.accuracy), up.place(sweet.auc));
            svg += &rect("sweet", [x, y, frame.right - x, frame.bottom - y], "");
            if frame.right - x > 90.0 && frame.bottom - y > 50.0 {
                let (right, low) = (frame.right - 8.0, frame.bottom - 10.0);
                let places = [("e", right, low), ("e", right, y + 16.0), ("", x + 8.0, low), ("", x + 8.0, y + 16.0)];
                names += &labels.text("sweet spot", "sweet-name", &places);
            }
        }
        svg += &frame.rows(&up, attack, |tick| format!("{tick:.2}"));
        let tick = |tick| (across.place(tick), format!("{:.0}", 100.0 * tick));
        svg += &frame.columns(&across.ticks().into_iter().map(tick).collect::<Vec<_>>(), &format!("{name} (%)"));
        let chance = up.place(GUESSING);
        svg += &format!("<g class=\"axis\">{}</g>\n", frame.across("chance", chance));
        // References are named first, and drawn on top.
        for Series { line, points } in series {
            for point in points {
                let epsilon = point.worth.budget.text();
                let name = if line.role == Role::Method { epsilon } else { line.name() };
                let label = labels.text(&name, "", &around(at(point)));
                if !label.is_empty() {
                    names += &format!("<g data-line=\"{}\">{label}</g>", line.number);
                }
            }
        }
        let (left, right) = (frame.left + 6.0, frame.right - 6.0);
        let places = [("", left, chance - 5.0), ("e", right, chance - 5.0), ("", left, chance + 15.0)];
        names += &labels.text("guessing", "", &places);
        for Series { line: own, points } in series.iter().rev() {
            let mut drawn = line("l thin", &points.iter().map(|point| at(point)).collect::<Vec<_>>());
            for point in points {
                let ((x, y), [accuracy, auc]) = (at(point), self.measured(point));
                let [left, right] = ends(&accuracy).map(|end| across.place(end));
                let [low, high] = ends(&auc).map(|end| up.place(end));
                drawn += &(line("i cross", &[(left, y), (right, y)]) + &line("i cross", &[(x, low), (x, high)]));
            }
            for point in points {
                drawn += &own.marker(at(point), point.status(), &self.tip(own, point));
            }
            svg += &own.series(&drawn);
        }
        (frame.width, frame.height, svg + &names + "\n")
    }
}

/// Labels that hide neither marks nor each other.
struct Labels {
    frame: Frame,
    /// Left, top, right and bottom of what is covered already.
    taken: Vec<[f64; 4]>,
}

impl Labels {
    /// A text at the first free place, if there is one. A place is an anchor and a point.
    fn text(&mut self, label: &str, class: &str, places: &[(&str, f64, f64)]) -> String {
        let width = if class.is_empty() { 7.2 } else { 8.6 } * label.chars().count() as f64;
        for &(anchor, x, y) in places {
            let left = match anchor {
                "e" => x - width,
                "c" => x - width / 2.0,
                _ => x,
            };
            let own = [left, y - 11.0, left + width, y + 3.0];
            let Frame { left, right, top, bottom, .. } = self.frame;
            let inside = own[0] >= left && own[2] <= right && own[1] >= top - 8.0 && own[3] <= bottom;
            let free =
                |other: &[f64; 4]| own[2] < other[0] || other[2] < own[0] || own[3] < other[1] || other[3] < own[1];
            if inside && self.taken.iter().all(free) {
                self.taken.push(own);
                return text(&format!("near {anchor} {class}"), (x, y), label);
            }
        }
        String::new()
    }
}

/// Places for a label beside a mark.
fn around((x, y): (f64, f64)) -> [(&'static str, f64, f64); 6] {
    [
        ("", x + 9.0, y + 4.0),
        ("e", x - 9.0, y + 4.0),
        ("c", x, y - 10.0),
        ("c", x, y + 19.0),
        ("", x + 7.0, y - 8.0),
        ("e", x - 7.0, y + 17.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_hide_no_mark_and_not_each_other() {
        let mark = |x: f64, y: f64| [x - 6.0, y - 6.0, x + 6.0, y + 6.0];
        let taken = vec![mark(200.0, 200.0), mark(215.0, 200.0)];
        let mut labels = Labels { frame: Frame::new(Room::Half), taken };
        // There is another mark at the right, then also the label at the left.
        assert!(labels.text("4", "", &around((200.0, 200.0))).contains("class=\"near e \""));
        assert!(labels.text("4", "", &around((200.0, 200.0))).contains("class=\"near c \""));
        labels.taken.push([0.0, 0.0, 800.0, 400.0]);
        assert!(labels.text("4", "", &around((700.0, 200.0))).is_empty());
    }
}
