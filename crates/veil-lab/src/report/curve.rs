//! Accuracy against ε: one line per case, with 95 % intervals. A point without ε, and a reference
//! at a single ε, is a line across with its interval as a band.

use super::digest::{Choice, Digest, Point};
use super::number::{INTERVAL, ends, interval, percent, pixel};
use super::page::{Drawing, Room};
use super::picture::{Kind, Series, pictures};
use super::svg::{Budgets, Frame, Linear, line, rect};
use crate::worth::{Budget, Role};

/// The pictures of one data set.
pub(super) fn figures(digest: &Digest, data: usize, chosen: &[(&Point, Choice)]) -> String {
    let name = digest.accuracy();
    let kind = Kind {
        id: format!("curve-{data}"),
        title: format!("Accuracy against ε on {}", digest.data[data]),
        shows: &|point| point.accuracy.is_some(),
        description: format!("Mean {name} in per cent by ε"),
        headings: &[&format!("mean {name} (%)"), "95 % interval", "seeds"],
        cells: &|point| {
            let found = point.accuracy();
            vec![digest.mean(point, &found), interval(&found, percent), found.count.to_string()]
        },
        caption: &|_| {
            format!(
                "Means over the seeds with their {INTERVAL}. ε is on a logarithmic scale and protects each case’s own \
                 unit: see the table above. Hollow marks: no proven promise."
            )
        },
        draw: &|room, series| draw(room, name, series),
    };
    pictures(digest, chosen, &kind)
}

fn is_across(series: &Series<'_>) -> bool {
    series.points[0].worth.budget == Budget::Unstated || series.points.len() == 1 && series.line.role != Role::Method
}

/// The axes of a picture.
struct Axes {
    frame: Frame,
    accuracy: Linear,
    budgets: Budgets,
}

fn draw(room: Room, name: &str, series: &[Series<'_>]) -> Drawing {
    let frame = Frame::new(room);
    let all = || series.iter().flat_map(|it| &it.points);
    let limits = all().flat_map(|point| ends(&point.accuracy()));
    let axes = Axes {
        frame,
        accuracy: Linear::around(limits, frame.bottom, frame.top),
        budgets: Budgets::new(all().map(|point| point.worth.budget), frame.left, frame.right),
    };
    let beyond = axes.budgets.gap().map(|gap| [gap, frame.top, frame.right - gap, frame.bottom - frame.top]);
    let mut svg = beyond.map_or_else(String::new, |place| rect("beyond", place, ""));
    svg += &frame.rows(&axes.accuracy, &format!("{name} (%)"), |tick| format!("{:.0}", 100.0 * tick));
    svg += &frame.columns(&axes.budgets.ticks(), "ε (logarithmic)");
    let moved = series.iter().filter(|it| !is_across(it)).count() as f64;
    let mut place = 0.0;
    for one in series {
        let drawn = if is_across(one) {
            axes.across(one)
        } else {
            // Intervals at the same ε would hide each other: each line is moved a little.
            let aside = (place - (moved - 1.0) / 2.0) * if room == Room::Wide { 4.0 } else { 2.5 };
            place += 1.0;
            axes.along(one, aside)
        };
        svg += &format!("<g class=\"series {}\">{drawn}</g>\n", one.line.class());
    }
    (frame.width, frame.height, svg)
}

impl Axes {
    fn across(&self, series: &Series<'_>) -> String {
        let (frame, found) = (&self.frame, series.points[0].accuracy());
        let ([low, high], y) = (ends(&found).map(|end| self.accuracy.place(end)), self.accuracy.place(found.mean));
        let band = rect("band", [frame.left, high, frame.right - frame.left, low - high], "");
        band + &frame.across("l", y) + &self.marker(series, series.points[0], 0.0)
    }

    fn along(&self, series: &Series<'_>, aside: f64) -> String {
        let place = |point: &Point| {
            let x = self.budgets.place(point.worth.budget).unwrap_or(self.frame.left) + aside;
            (x, self.accuracy.place(point.accuracy().mean))
        };
        let (infinite, finite): (Vec<&Point>, Vec<&Point>) =
            series.points.iter().partition(|point| point.worth.budget == Budget::Infinite);
        let mut svg = line("l", &finite.iter().map(|point| place(point)).collect::<Vec<_>>());
        // Between the scale and ∞ it is unknown how a line goes.
        if let (Some(last), Some(infinite)) = (finite.last(), infinite.first()) {
            svg += &line("l far", &[place(last), place(infinite)]);
        }
        for point in &series.points {
            if let Some(ends) = point.accuracy().interval {
                let [low, high] = ends.map(|end| pixel(self.accuracy.place(end)));
                let (x, left) = (pixel(place(point).0), pixel(place(point).0 - 3.0));
                svg += &format!("<path class=\"i\" d=\"M{x} {high}V{low}M{left} {high}h6M{left} {low}h6\"/>");
            }
            svg += &self.marker(series, point, aside);
        }
        svg
    }

    fn marker(&self, series: &Series<'_>, point: &Point, aside: f64) -> String {
        let (found, budget) = (point.accuracy(), point.worth.budget);
        let x = self.budgets.place(budget).unwrap_or(self.frame.left + 6.0) + aside;
        let range = found.interval.map_or_else(String::new, |_| format!(" ({})", interval(&found, percent)));
        let title = format!("{}, ε = {}: {}{range} %", series.line.name(), budget.text(), percent(found.mean));
        series.line.marker((x, self.accuracy.place(found.mean)), point, &title)
    }
}
