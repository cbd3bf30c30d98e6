//! The frontier: accuracy against the *true* ε of one unit, for every method on every graph.
//!
//! What papers call ε protects different things. Here every point is placed by what its guarantee
//! says about one [`Unit`]: an undirected edge whose owner is trusted, a relationship that two
//! users report, or a node. A method whose guarantee says nothing about such a unit has no place.
//!
//! [`Part`] sorts the outcomes of a target into panels, one per graph. [`page`] writes them as a
//! page with a picture per part.

use std::collections::BTreeMap;

use veil_privacy::Unit as Protected;

use crate::outcome::{Outcome, Promised, rounded_up};
use crate::statistics::{Summary, summary};
use crate::worth::of_edges;

mod page;
mod picture;
#[cfg(test)]
mod tests;

pub use page::page;

/// The seed of the bootstrap: intervals are reproducible.
const BOOTSTRAP_SEED: u64 = 1;

/// What one ε of a part protects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// An undirected edge; the owner of the graph is trusted.
    Edge,
    /// A relationship that both users may report; nobody is trusted.
    Relationship,
    /// A node with everything that belongs to it; the owner of the graph is trusted.
    Node,
}

impl Unit {
    /// The axis of the pictures.
    fn axis(self) -> &'static str {
        match self {
            Unit::Edge => "ε of one undirected edge",
            Unit::Relationship => "ε of one relationship, both reports together",
            Unit::Node => "ε of one node",
        }
    }

    /// What a promise says about such a unit: an ε, or that there is none.
    fn of(promise: &Promised) -> Option<(Unit, Option<f64>)> {
        let is = |unit: Protected| promise.unit == unit.to_string();
        if is(Protected::Edge) {
            Some((Unit::Edge, promise.epsilon))
        } else if is(Protected::EdgeBit) {
            Some((Unit::Relationship, promise.per_relationship))
        } else if is(Protected::Node) {
            Some((Unit::Node, promise.epsilon))
        } else {
            None
        }
    }
}

/// The outcomes of one target.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name, which names the file of its picture.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The unit of ε.
    unit: Unit,
    /// The smallest and the largest δ of its points.
    delta: Option<[f64; 2]>,
    panels: Vec<Panel>,
}

/// One graph.
#[derive(Clone, Debug)]
struct Panel {
    data: String,
    /// The number of seeds.
    seeds: usize,
    curves: Vec<Curve>,
}

/// One method.
#[derive(Clone, Debug)]
struct Curve {
    case: String,
    points: Vec<Point>,
}

/// Runs that differ in nothing but the seed.
#[derive(Clone, Debug)]
struct Point {
    place: Place,
    accuracy: Summary,
    /// Mean figures of attacks.
    attacks: BTreeMap<String, f64>,
}

/// Where a point is.
#[derive(Clone, Debug, PartialEq)]
enum Place {
    /// The method reads no edges: a line across, the floor.
    Floor,
    /// Nothing protects such a unit: a line across, the ceiling.
    Ceiling,
    /// At an ε.
    At { epsilon: f64, status: String },
}

impl Place {
    fn epsilon(&self) -> Option<f64> {
        if let Place::At { epsilon, .. } = self { Some(*epsilon) } else { None }
    }
}

impl Curve {
    fn status(&self) -> &str {
        match self.points.first().map(|point| &point.place) {
            Some(Place::At { status, .. }) => status,
            Some(Place::Floor) => "reads no edges",
            _ => "not private",
        }
    }

    fn is_across(&self) -> bool {
        self.points.iter().all(|point| point.place.epsilon().is_none())
    }

    fn at(&self, wanted: f64) -> Option<&Point> {
        self.points.iter().find(|point| point.place.epsilon() == Some(wanted))
    }
}

impl Part {
    /// Sorts outcomes; nothing, if none of them promises anything about a [`Unit`]. Failed runs do
    /// not count.
    pub fn of(name: &str, title: &str, outcomes: &[Outcome]) -> Option<Part> {
        let done: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.error.is_none()).collect();
        let promises = || done.iter().flat_map(|outcome| &outcome.promises);
        // A part is about the unit for which some method has a finite ε.
        let unit = promises().filter_map(|it| Unit::of(it).filter(|(_, epsilon)| epsilon.is_some())).map(|it| it.0);
        let unit = unit.max()?;
        let mut panels: Vec<Panel> = Vec::new();
        let mut runs: Vec<((usize, usize), Place, Vec<&Outcome>)> = Vec::new();
        for outcome in &done {
            let Some(place) = place(&outcome.promises, unit) else { continue };
            let panel = position(
                &mut panels,
                |it| it.data == outcome.data,
                || Panel { data: outcome.data.clone(), seeds: 0, curves: Vec::new() },
            );
            let curve = position(
                &mut panels[panel].curves,
                |it| it.case == outcome.case,
                || Curve { case: outcome.case.clone(), points: Vec::new() },
            );
            let at = position(
                &mut runs,
                |it| it.0 == (panel, curve) && it.1 == place,
                || ((panel, curve), place.clone(), Vec::new()),
            );
            runs[at].2.push(outcome);
        }
        for ((panel, curve), place, same) in &runs {
            panels[*panel].seeds = panels[*panel].seeds.max(same.len());
            if let Some(point) = point(place, same) {
                panels[*panel].curves[*curve].points.push(point);
            }
        }
        panels.iter_mut().for_each(|panel| panel.curves.retain(|curve| !curve.points.is_empty()));
        panels.retain(|panel| !panel.curves.is_empty());
        if panels.is_empty() {
            return None;
        }
        for panel in &mut panels {
            let epsilon = |point: &Point| point.place.epsilon().unwrap_or(0.0);
            panel.curves.iter_mut().for_each(|it| it.points.sort_by(|a, b| epsilon(a).total_cmp(&epsilon(b))));
        }
        let of_unit =
            promises().filter(|it| Unit::of(it).is_some_and(|(its, epsilon)| its == unit && epsilon.is_some()));
        let deltas: Vec<f64> = of_unit.map(|it| it.delta).collect();
        let delta = deltas.iter().copied().reduce(f64::min).zip(deltas.iter().copied().reduce(f64::max));
        let delta = delta.map(|(least, most)| [least, most]);
        Some(Part { name: name.to_owned(), title: title.to_owned(), unit, delta, panels })
    }

    /// Every ε at which some method was measured.
    fn epsilons(&self) -> Vec<f64> {
        let curves = self.panels.iter().flat_map(|panel| &panel.curves);
        let mut all: Vec<f64> = curves.flat_map(|it| &it.points).filter_map(|it| it.place.epsilon()).collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    }
}

/// Where the promises of a run place it; nowhere, if they are about edges or nodes in another way.
fn place(promises: &[Promised], unit: Unit) -> Option<Place> {
    let about: Vec<(&Promised, Unit, Option<f64>)> =
        promises.iter().filter_map(|it| Unit::of(it).map(|(unit, epsilon)| (it, unit, epsilon))).collect();
    if let Some((promise, _, epsilon)) = about.iter().find(|(_, its, _)| *its == unit) {
        return Some(match epsilon {
            // Noise that is calibrated to an ε costs a little less: these belong into one column.
            Some(epsilon) => Place::At { epsilon: rounded_up(*epsilon, 3), status: promise.status.clone() },
            None => Place::Ceiling,
        });
    }
    // Edges as they are: the ceiling of every part. Of nodes nothing is promised there.
    if about.iter().any(|(.., epsilon)| epsilon.is_none()) {
        return Some(Place::Ceiling);
    }
    // Nothing protects the nodes of a method without such a promise, whether it reads edges or not.
    if unit == Unit::Node {
        return Some(Place::Ceiling);
    }
    of_edges(promises).is_none().then_some(Place::Floor)
}

fn point(place: &Place, runs: &[&Outcome]) -> Option<Point> {
    let of = |name: &str| -> Vec<f64> { runs.iter().filter_map(|run| run.figures.get(name).copied()).collect() };
    let accuracy = summary(&of("test_accuracy"), BOOTSTRAP_SEED).ok()?;
    let names = runs.iter().flat_map(|run| run.figures.keys()).filter(|name| is_attack(name));
    let mean = |name: &String| Some((name.clone(), summary(&of(name), BOOTSTRAP_SEED).ok()?.mean));
    Some(Point { place: place.clone(), accuracy, attacks: names.filter_map(mean).collect() })
}

/// The AUC of an attack, or that of its edge-free twin.
fn is_attack(figure: &str) -> bool {
    (figure.ends_with("_auc") && !figure.ends_with("rare_roc_auc")) || figure.ends_with("_auc_edge_free")
}

/// The place of the first item that is wanted; it is added, if there is none.
fn position<T>(items: &mut Vec<T>, wanted: impl FnMut(&T) -> bool, new: impl FnOnce() -> T) -> usize {
    items.iter().position(wanted).unwrap_or_else(|| {
        items.push(new());
        items.len() - 1
    })
}
