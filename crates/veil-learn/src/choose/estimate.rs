//! What a method is expected to gain, from graphs that are similar by public facts.
//!
//! Every measured graph counts with weight e^(−d²/2), where d is its distance
//! from the graph in question. What is averaged is the *difference* from the reference on the same
//! graph, which varies less from graph to graph than accuracy does. The interval holds the middle
//! 80 % of the weight; where few graphs are similar, all that are.

use serde::Serialize;

use super::table::{Row, Setting, Shape, Table};

/// Half of the weight outside of an interval.
const TAIL: f64 = 0.1;
/// With fewer similar graphs than this, an interval holds all of them.
const FEW: f64 = 6.0;
/// No graph counts less than this.
const LEAST: f64 = 1e-9;
/// The most points by which a method falls short on one graph.
pub const CAP: f64 = 5.0;
/// How much wider graphs count for a rank than for an expected value.
const WIDE: f64 = 3.0;
/// What two runs that differ in their seeds may differ by, in points.
const NOISE: f64 = 1.0;

/// An expected value with an interval, in points of accuracy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The weighted mean.
    pub expected: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// How many similar graphs it is from: (Σw)²/Σw².
    pub graphs: f64,
}

impl Estimate {
    /// From weights and values.
    pub(super) fn of(mut samples: Vec<(f64, f64)>) -> Option<Estimate> {
        samples.retain(|(weight, value)| *weight > 0.0 && value.is_finite());
        samples.sort_by(|(_, one), (_, other)| one.total_cmp(other));
        let sum: f64 = samples.iter().map(|(weight, _)| weight).sum();
        let (first, last) = (samples.first()?.1, samples.last()?.1);
        if sum <= 0.0 {
            return None;
        }
        let expected = samples.iter().map(|(weight, value)| weight * value).sum::<f64>() / sum;
        let graphs = sum * sum / samples.iter().map(|(weight, _)| weight * weight).sum::<f64>();
        let (low, high) = if graphs < FEW {
            // Graphs that hardly count do not widen it.
            let least = samples.iter().map(|(weight, _)| *weight).fold(0.0, f64::max) / 100.0;
            let near = || samples.iter().filter(|(weight, _)| *weight >= least).map(|(_, value)| *value);
            (near().fold(last, f64::min), near().fold(first, f64::max))
        } else {
            (quantile(&samples, TAIL * sum), quantile(&samples, (1.0 - TAIL) * sum))
        };
        Some(Estimate { expected, low: low.min(expected) - NOISE, high: high.max(expected) + NOISE, graphs })
    }

    /// The same as an accuracy: between 0 and 100.
    pub(super) fn accuracy(self) -> Estimate {
        let share = |value: f64| value.clamp(0.0, 100.0);
        Estimate { expected: share(self.expected), low: share(self.low), high: share(self.high), ..self }
    }
}

/// The value below which so much weight lies.
fn quantile(sorted: &[(f64, f64)], weight: f64) -> f64 {
    let mut below = 0.0;
    let reached = sorted.iter().find(|(own, _)| {
        below += own;
        below >= weight
    });
    reached.or(sorted.last()).map_or(0.0, |(_, value)| *value)
}

/// What is expected of a method on a graph.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Expected {
    /// Accuracy minus that of the reference; none in a setting without one.
    pub gain: Option<Estimate>,
    /// Accuracy.
    pub accuracy: Estimate,
}

/// What is expected of a method at an ε, on a graph with these public facts; none if it was
/// measured nowhere.
pub fn expected(table: &Table, setting: Setting, method: &str, epsilon: f64, shape: &Shape) -> Option<Expected> {
    let weight = |row: &Row| {
        let distance = table.graphs[row.graph].shape.distance(shape);
        libm::exp(-distance * distance / 2.0).max(LEAST)
    };
    let rows: Vec<&Row> = table.of(setting).filter(|row| row.method == method).collect();
    let accuracies = rows.iter().filter_map(|row| Some((weight(row), row.accuracy(epsilon)?)));
    let accuracy = Estimate::of(accuracies.collect())?.accuracy();
    let Some(reference) = setting.reference() else { return Some(Expected { gain: None, accuracy }) };
    let floor = |row: &Row| {
        let same = |other: &&Row| other.method == reference && other.graph == row.graph;
        table.of(setting).find(same).and_then(|it| it.accuracy(epsilon))
    };
    if method == reference {
        let none = Estimate { expected: 0.0, low: 0.0, high: 0.0, graphs: accuracy.graphs };
        return Some(Expected { gain: Some(none), accuracy });
    }
    let gains = rows.iter().filter_map(|row| Some((weight(row), row.accuracy(epsilon)? - floor(row)?)));
    Some(Expected { gain: Estimate::of(gains.collect()), accuracy })
}

/// By how many points methods, each at its own ε, are expected to fall short of the best of them;
/// none for one that was never measured beside another. By this they are ranked.
///
/// On every graph on which two of them were measured, a method falls short of the best one there by
/// so many points, of which no more than `CAP` count: a few graphs on which one method is far
/// ahead must not outweigh many on which it is slightly behind. All graphs count, those that are
/// similar more: `WIDE` distances apart, as much as one distance apart in an [`expected`] value.
pub fn shortfalls(table: &Table, setting: Setting, offered: &[(&str, f64)], shape: &Shape) -> Vec<Option<f64>> {
    let mut sums = vec![(0.0, 0.0); offered.len()];
    for (place, graph) in table.graphs.iter().enumerate() {
        let distance = graph.shape.distance(shape) / WIDE;
        let weight = libm::exp(-distance * distance / 2.0).max(LEAST);
        let accuracy = |&(method, epsilon): &(&str, f64)| {
            let row = table.of(setting).find(|row| row.graph == place && row.method == method);
            row.and_then(|row| row.accuracy(epsilon))
        };
        let here: Vec<Option<f64>> = offered.iter().map(accuracy).collect();
        let best = here.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
        if here.iter().flatten().count() > 1 {
            for (sum, own) in sums.iter_mut().zip(&here).filter_map(|(sum, own)| Some((sum, (*own)?))) {
                *sum = (sum.0 + weight * (best - own).min(CAP), sum.1 + weight);
            }
        }
    }
    sums.into_iter().map(|(short, weight)| (weight > 0.0).then(|| short / weight)).collect()
}
