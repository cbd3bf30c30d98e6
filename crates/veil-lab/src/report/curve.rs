//! Accuracy against ε: a picture for each unit that ε protects, in it a line per case with 95 %
//! intervals. A case without a finite ε is a line across, with its interval as a band. All pictures
//! of a data set have the same scale of accuracy.

use super::axis::Axis;
use super::digest::{Choice, Digest, Point};
use super::mark::tip;
use super::number::{INTERVAL, ends, interval, percent, pixel};
use super::page::{Drawing, Room};
use super::picture::{Kind, Picture, Series, beside, parts};
use super::svg::{Budgets, Frame, Linear, line, rect};
use crate::worth::Budget;

/// So many methods without ε are shown in every picture; more have their own.
const MOST_ACROSS: usize = 4;

/// The pictures of all data sets.
pub(super) fn figures(digest: &Digest) -> String {
    let chosen: Vec<Vec<(&Point, Choice)>> = (0..digest.data.len()).map(|data| digest.chosen(data)).collect();
    let limits = |chosen: &Vec<(&Point, Choice)>| -> Vec<f64> {
        chosen
            .iter()
            .filter(|(point, _)| point.worth.accuracy.is_some())
            .flat_map(|(point, _)| ends(&point.accuracy()))
            .collect()
    };
    let limits: Vec<Vec<f64>> = chosen.iter().map(limits).collect();
    let kinds = (0..digest.data.len()).flat_map(|data| kinds(digest, data, &chosen[data], &limits[data]));
    beside(&kinds.collect::<Vec<Kind<'_>>>())
}

/// Those of one data set.
fn kinds<'a>(digest: &'a Digest, data: usize, chosen: &[(&'a Point, Choice)], limits: &'a [f64]) -> Vec<Kind<'a>> {
    let shown: Vec<&Point> =
        chosen.iter().map(|(point, _)| *point).filter(|point| point.worth.accuracy.is_some()).collect();
    let axes = Axis::all(&shown);
    let (mut across, along): (Vec<Series<'_>>, Vec<Series<'_>>) = Series::all(digest, &shown)
        .into_iter()
        .partition(|one| one.is_reference() || !one.points.iter().any(is_placed));
    // A line across has one height: that of the largest ε.
    across.iter_mut().for_each(|one| one.points = one.points.pop().into_iter().collect());
    let (mut everywhere, mut apart): (Vec<Series<'_>>, Vec<Series<'_>>) =
        across.into_iter().partition(Series::is_reference);
    if apart.len() <= MOST_ACROSS && !axes.is_empty() {
        everywhere.append(&mut apart);
    }
    let mut pictures: Vec<(Option<Axis>, Vec<Vec<Series<'_>>>)> = Vec::new();
    for axis in axes {
        let mut lines = along.clone();
        lines.retain(|one| one.points.iter().any(|point| is_on(axis, point)));
        lines.iter_mut().for_each(|one| one.points.retain(|point| has_place(axis, point)));
        pictures.push((Some(axis), parts(&everywhere, &lines)));
    }
    if !apart.is_empty() || pictures.is_empty() {
        pictures.push((None, parts(&everywhere, &apart)));
    }
    let kind = |(place, (axis, parts))| {
        let plot = Plot { digest, data: &digest.data[data], axis, limits };
        Kind { id: format!("curve-{data}-{place}"), picture: Box::new(plot), parts }
    };
    pictures.into_iter().enumerate().map(kind).collect()
}

/// Whether a point is at a finite ε of an axis.
fn is_on(axis: Axis, point: &Point) -> bool {
    matches!(axis.budget(point), Budget::Finite(_))
}

/// Whether it is at a finite ε of any axis.
fn is_placed(point: &&Point) -> bool {
    !Axis::all(&[*point]).is_empty()
}

/// What is at ∞ is at the end of every axis of its line.
fn has_place(axis: Axis, point: &Point) -> bool {
    is_on(axis, point) || point.worth.budget == Budget::Infinite && !is_placed(&point)
}

/// The pictures of one unit.
struct Plot<'a> {
    digest: &'a Digest,
    data: &'a str,
    axis: Option<Axis>,
    /// The ends of all accuracies on these data.
    limits: &'a [f64],
}

impl Plot<'_> {
    /// ∞ is at the end of every axis.
    fn budget(&self, point: &Point) -> Budget {
        match self.axis.map(|axis| axis.budget(point)) {
            Some(Budget::Unstated) | None => point.worth.budget,
            Some(own) => own,
        }
    }

    fn status<'a>(&self, point: &'a Point) -> &'a str {
        self.axis.map_or_else(|| point.status(), |axis| axis.status(point))
    }

    fn is_across(&self, series: &Series<'_>) -> bool {
        self.axis.is_none_or(|axis| !series.points.iter().any(|point| is_on(axis, point)))
    }

    /// What is shown at a mark.
    fn tip(&self, series: &Series<'_>, point: &Point) -> String {
        let delta = self.axis.and_then(|axis| axis.promise(point)).map_or(0.0, |promise| promise.delta);
        let of = self.axis.filter(|axis| is_on(*axis, point)).map(Axis::words);
        let found = point.accuracy();
        let range = found.interval.map_or_else(String::new, |_| format!(" ({})", interval(&found, percent)));
        let value = format!("{} {} %{range}", self.digest.accuracy(), percent(found.mean));
        tip(series.line, point, (self.budget(point), of, delta), &[value], self.status(point))
    }
}

impl Picture for Plot<'_> {
    fn title(&self) -> String {
        match self.axis {
            Some(axis) => format!("Accuracy on {} by ε of {}", self.data, axis.words()),
            None => format!("Accuracy on {} without ε", self.data),
        }
    }

    fn description(&self) -> String {
        let by = self.axis.map_or_else(String::new, |axis| format!(" by ε of {}", axis.words()));
        format!("Mean {} in per cent{by}", self.digest.accuracy())
    }

    fn headings(&self) -> Vec<String> {
        let mean = format!("mean {} (%)", self.digest.accuracy());
        ["ε", &mean, "95 % interval", "seeds", "status"].map(str::to_owned).to_vec()
    }

    fn cells(&self, point: &Point) -> Vec<String> {
        let found = point.accuracy();
        vec![
            self.budget(point).text(),
            self.digest.mean(point, &found),
            interval(&found, percent),
            found.count.to_string(),
            self.status(point).to_owned(),
        ]
    }

    fn caption(&self, _: &[Series<'_>]) -> String {
        let unit = self.axis.map_or_else(String::new, |axis| format!("{} ", axis.remark()));
        format!("{unit}Means over the seeds with their {INTERVAL}. Hollow marks: no proven promise.")
    }

    fn draw(&self, room: Room, series: &[Series<'_>]) -> Drawing {
        let frame = Frame::new(room);
        let points = || series.iter().filter(|one| !self.is_across(one)).flat_map(|one| &one.points);
        let axes = Axes {
            plot: self,
            frame,
            accuracy: Linear::around(self.limits.iter().copied(), frame.bottom, frame.top),
            budgets: Budgets::new(points().map(|point| self.budget(point)), frame.left, frame.right),
        };
        let beyond = axes.budgets.gap().map(|gap| [gap, frame.top, frame.right - gap, frame.bottom - frame.top]);
        let mut svg = beyond.map_or_else(String::new, |place| rect("beyond", place, ""));
        svg += &frame
            .rows(&axes.accuracy, &format!("{} (%)", self.digest.accuracy()), |tick| format!("{:.0}", 100.0 * tick));
        let name = self.axis.map_or_else(String::new, |axis| format!("ε of {} (log scale)", axis.words()));
        svg += &frame.columns(&axes.budgets.ticks(), &name);
        let moved = series.iter().filter(|one| !self.is_across(one)).count() as f64;
        let mut place = 0.0;
        for one in series {
            let drawn = if self.is_across(one) {
                axes.across(one)
            } else {
                // Intervals at the same ε would hide each other: each line is moved a little.
                let aside = (place - (moved - 1.0) / 2.0) * if room == Room::Narrow { 2.5 } else { 4.0 };
                place += 1.0;
                axes.along(one, aside)
            };
            svg += &one.line.series(&drawn);
        }
        (frame.width, frame.height, svg)
    }
}

/// The axes of a picture.
struct Axes<'a> {
    plot: &'a Plot<'a>,
    frame: Frame,
    accuracy: Linear,
    budgets: Budgets,
}

impl Axes<'_> {
    fn across(&self, series: &Series<'_>) -> String {
        let (frame, found) = (&self.frame, series.points[0].accuracy());
        let ([low, high], y) = (ends(&found).map(|end| self.accuracy.place(end)), self.accuracy.place(found.mean));
        let band = rect("band", [frame.left, high, frame.right - frame.left, low - high], "");
        band + &frame.across("l", y) + &self.marker(series, series.points[0], (frame.left + 6.0, y))
    }

    fn along(&self, series: &Series<'_>, aside: f64) -> String {
        let place = |point: &Point| {
            let x = self.budgets.place(self.plot.budget(point)).unwrap_or(self.frame.left) + aside;
            (x, self.accuracy.place(point.accuracy().mean))
        };
        let (infinite, finite): (Vec<&Point>, Vec<&Point>) =
            series.points.iter().partition(|point| self.plot.budget(point) == Budget::Infinite);
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
            svg += &self.marker(series, point, place(point));
        }
        svg
    }

    fn marker(&self, series: &Series<'_>, point: &Point, place: (f64, f64)) -> String {
        series.line.marker(place, self.plot.status(point), &self.plot.tip(series, point))
    }
}
