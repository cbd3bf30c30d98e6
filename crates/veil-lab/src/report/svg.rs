//! Drawings: shapes, the frame around values, and its axes (linear with round ticks; logarithmic in
//! ε, with a place of its own for ∞).

use super::number::pixel;
use super::page::{Room, escaped};
use crate::worth::Budget;

/// A rectangle with a title; its place is left, top, width and height.
pub(crate) fn rect(class: &str, place: [f64; 4], title: &str) -> String {
    let [x, y, width, height] = place.map(pixel);
    let title = if title.is_empty() { String::new() } else { format!("<title>{}</title>", escaped(title)) };
    format!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\">{title}</rect>")
}

/// A polyline.
pub(crate) fn line(class: &str, points: &[(f64, f64)]) -> String {
    let places: Vec<String> = points.iter().map(|(x, y)| format!("{} {}", pixel(*x), pixel(*y))).collect();
    format!("<path class=\"{class}\" d=\"M{}\"/>", places.join("L"))
}

/// A text; its class says where it is anchored.
pub(crate) fn text(class: &str, (x, y): (f64, f64), text: &str) -> String {
    format!("<text class=\"{class}\" x=\"{}\" y=\"{}\">{}</text>", pixel(x), pixel(y), escaped(text))
}

/// The rectangle in which values are drawn, and the drawing around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub width: f64,
    pub height: f64,
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

impl Frame {
    pub fn new(room: Room) -> Frame {
        match room {
            Room::Full => Frame { width: 1180.0, height: 470.0, left: 52.0, right: 1164.0, top: 30.0, bottom: 414.0 },
            Room::Half => Frame { width: 580.0, height: 380.0, left: 46.0, right: 566.0, top: 30.0, bottom: 326.0 },
            Room::Narrow => Frame { width: 360.0, height: 330.0, left: 38.0, right: 350.0, top: 28.0, bottom: 282.0 },
        }
    }

    /// A horizontal line.
    pub fn across(&self, class: &str, y: f64) -> String {
        line(class, &[(self.left, y), (self.right, y)])
    }

    /// The ticks of the vertical axis with labels and grid lines, and its name above.
    pub fn rows(&self, axis: &Linear, name: &str, label: impl Fn(f64) -> String) -> String {
        let tick = |tick: f64| {
            let y = axis.place(tick);
            self.across("grid", y) + &text("e", (self.left - 8.0, y + 4.0), &label(tick))
        };
        let ticks: String = axis.ticks().into_iter().map(tick).collect();
        format!("<g class=\"axis\">{ticks}{}</g>\n", text("name", (0.0, 14.0), name))
    }

    /// The ticks of the horizontal axis with labels, and its name below.
    pub fn columns(&self, ticks: &[(f64, String)], name: &str) -> String {
        let tick = |(x, label): &(f64, String)| {
            let end = (*x, self.bottom + 5.0);
            line("base", &[(*x, self.bottom), end]) + &text("c", (*x, self.bottom + 20.0), label)
        };
        let (base, ticks) = (self.across("base", self.bottom), ticks.iter().map(tick).collect::<String>());
        let name = text("c name", ((self.left + self.right) / 2.0, self.bottom + 42.0), name);
        format!("<g class=\"axis\">{base}{ticks}{name}</g>\n")
    }
}

/// A linear axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linear {
    low: f64,
    high: f64,
    step: f64,
    from: f64,
    to: f64,
}

impl Linear {
    /// An axis of shares between two places, with a little room around the values.
    pub fn around(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Linear {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| value.is_finite()) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        (low, high) = (low.clamp(0.0, 1.0), high.clamp(0.0, 1.0));
        // A finer scale would make noise look like a difference.
        let least = 0.05;
        if high - low < least {
            let middle = (low + high) / 2.0;
            (low, high) = (middle - least / 2.0, middle + least / 2.0);
        }
        let (step, room) = (round_step((high - low) / 6.0), (high - low) / 24.0);
        Linear { low: (low - room).max(0.0), high: (high + room).min(1.0), step, from, to }
    }

    pub fn place(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    pub fn ticks(&self) -> Vec<f64> {
        let first = (self.low / self.step - 1e-9).ceil();
        let last = (self.high / self.step + 1e-9).floor();
        let steps = (last - first).max(0.0) as u32;
        (0..=steps).map(|step| (first + f64::from(step)) * self.step).collect()
    }
}

/// The next of 1, 2, 5, 10, …
fn round_step(least: f64) -> f64 {
    let power = 10f64.powi(least.log10().floor() as i32);
    let times = [1.0, 2.0, 5.0].into_iter().find(|times| times * power >= least * (1.0 - 1e-9));
    times.unwrap_or(10.0) * power
}

/// A logarithmic axis of ε.
#[derive(Clone, Debug)]
pub(crate) struct Budgets {
    finite: Vec<f64>,
    infinite: bool,
    from: f64,
    to: f64,
}

/// The share of the axis that is left to ∞.
const BEYOND: f64 = 0.14;
/// The least distance of ticks.
const APART: f64 = 30.0;

impl Budgets {
    pub fn new(budgets: impl Iterator<Item = Budget>, from: f64, to: f64) -> Budgets {
        let budgets: Vec<Budget> = budgets.collect();
        let epsilon = |budget: &Budget| if let Budget::Finite(epsilon) = budget { Some(*epsilon) } else { None };
        let (mut finite, infinite): (Vec<f64>, bool) =
            (budgets.iter().filter_map(epsilon).collect(), budgets.contains(&Budget::Infinite));
        finite.sort_by(f64::total_cmp);
        finite.dedup();
        Budgets { finite, infinite, from, to }
    }

    pub fn place(&self, budget: Budget) -> Option<f64> {
        let whole = self.to - self.from;
        let (first, last) = (self.finite.first(), self.finite.last());
        match budget {
            Budget::Unstated => None,
            Budget::Infinite if self.finite.is_empty() => Some(self.from + whole / 2.0),
            Budget::Infinite => Some(self.to - 0.04 * whole),
            Budget::Finite(epsilon) => {
                let from = self.from + 0.04 * whole;
                let to = if self.infinite { self.to - BEYOND * whole } else { self.to - 0.04 * whole };
                let (first, last) = (first?.ln(), last?.ln());
                let share = if last > first { (epsilon.ln() - first) / (last - first) } else { 0.5 };
                Some(from + share * (to - from))
            }
        }
    }

    /// Where the logarithmic part ends.
    pub fn gap(&self) -> Option<f64> {
        let whole = self.to - self.from;
        (self.infinite && !self.finite.is_empty()).then_some(self.to - 0.09 * whole)
    }

    /// The values themselves, as many as there is room for, and ∞.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let mut ticks: Vec<(f64, String)> = Vec::new();
        let finite = self.finite.iter().map(|epsilon| Budget::Finite(*epsilon));
        for budget in finite.chain(self.infinite.then_some(Budget::Infinite)) {
            if let Some(x) = self.place(budget)
                && ticks.last().is_none_or(|(before, _)| x - before >= APART)
            {
                ticks.push((x, budget.text()));
            }
        }
        ticks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_scale_has_round_ticks_and_holds_all_values() {
        let axis = Linear::around([0.613, 0.842].into_iter(), 0.0, 100.0);
        let ticks: Vec<String> = axis.ticks().iter().map(|tick| format!("{tick:.2}")).collect();
        assert_eq!(ticks, ["0.65", "0.70", "0.75", "0.80", "0.85"]);
        let ends = (axis.place(0.613), axis.place(0.842));
        assert!(0.0 < ends.0 && ends.0 < 10.0 && 90.0 < ends.1 && ends.1 < 100.0, "{axis:?}");
        // Without values, with one, and with values outside of the limits.
        assert_eq!(Linear::around([].into_iter(), 0.0, 1.0).ticks().len(), 6);
        let one = Linear::around([1.0].into_iter(), 0.0, 1.0);
        assert!(one.ticks().len() >= 2 && one.place(1.0) <= 1.0, "{one:?}");
        assert_eq!(Linear::around([-3.0, 7.0].into_iter(), 0.0, 1.0).place(7.0), 1.0);
    }

    #[test]
    fn epsilon_is_logarithmic_and_infinity_beyond_it() {
        let all =
            [Budget::Infinite, Budget::Finite(1.0), Budget::Finite(100.0), Budget::Finite(10.0), Budget::Unstated];
        let axis = Budgets::new(all.into_iter(), 0.0, 1000.0);
        let place = |budget| axis.place(budget).unwrap();
        let (one, ten, hundred) = (place(all[1]), place(all[3]), place(all[2]));
        assert!((ten - one - (hundred - ten)).abs() < 1e-9);
        assert!(hundred < axis.gap().unwrap() && axis.gap().unwrap() < place(Budget::Infinite));
        assert_eq!(axis.place(Budget::Unstated), None);
        let labels: Vec<String> = axis.ticks().into_iter().map(|(_, label)| label).collect();
        assert_eq!(labels, ["1", "10", "100", "∞"]);
        // One value, or only ∞, lies in the middle.
        assert_eq!(Budgets::new([all[1]].into_iter(), 0.0, 10.0).place(all[1]), Some(5.0));
        assert_eq!(Budgets::new([all[0]].into_iter(), 0.0, 10.0).place(all[0]), Some(5.0));
    }

    #[test]
    fn ticks_do_not_crowd() {
        let many = (1..=500).map(|epsilon| Budget::Finite(f64::from(epsilon)));
        let ticks = Budgets::new(many, 0.0, 600.0).ticks();
        assert!(ticks.len() > 5 && ticks.windows(2).all(|pair| pair[1].0 - pair[0].0 >= APART));
    }
}
