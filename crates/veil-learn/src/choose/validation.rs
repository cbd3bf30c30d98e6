//! How often the chosen method is right: every measured graph is asked about with a table from
//! which it is left out.

use serde::Serialize;

use super::estimate::{expected, shortfalls};
use super::table::{Graph, Row, Setting, Shape, Table};
use crate::method;

/// A choice is right if it is at most this many points below the best method that applies.
pub const TOLERANCE: f64 = 2.0;

/// The largest ε that is asked about: beyond it, few methods were measured.
const LARGEST_EPSILON: f64 = 8.0;

/// What is left out besides the graph itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeftOut {
    /// The data set, with all of its splits.
    DataSet,
    /// All data of its family, such as every generated citation graph.
    Family,
}

/// One cell: a graph and an ε.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// The graph and its split.
    pub graph: String,
    /// ε; where nobody is trusted, that of a relationship.
    pub epsilon: f64,
    /// The chosen method.
    pub chosen: String,
    /// Its accuracy.
    pub accuracy: f64,
    /// The best method that was measured there, at smaller and larger ε if not at this one.
    pub best: String,
    /// By how many points the best one is more accurate.
    pub regret: f64,
    /// Whether the accuracy of the chosen method is in its interval.
    pub covered: bool,
    /// Whether its gain is in its interval; none in a setting without a reference.
    pub gain_covered: Option<bool>,
}

/// The cells of a setting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Validation {
    /// What was left out.
    pub left_out: LeftOut,
    /// The setting.
    pub setting: Setting,
    /// All cells.
    pub cells: Vec<Cell>,
}

impl Validation {
    /// The share of cells for which something holds.
    pub fn share(&self, holds: impl Fn(&Cell) -> bool) -> f64 {
        self.cells.iter().filter(|cell| holds(cell)).count() as f64 / self.cells.len().max(1) as f64
    }

    /// The share of cells in which the choice is right.
    pub fn right(&self) -> f64 {
        self.share(|cell| cell.regret <= TOLERANCE)
    }

    /// The same for one method that is always taken, over the cells in which it was measured.
    pub fn always(&self, table: &Table, method: &str) -> f64 {
        let regrets = self.cells.iter().filter_map(|cell| {
            let graph = table.graphs.iter().position(|it| it.name == cell.graph)?;
            let accuracy = at(table, self.setting, method, graph, cell.epsilon)?;
            Some(cell.accuracy + cell.regret - accuracy)
        });
        let regrets: Vec<f64> = regrets.collect();
        regrets.iter().filter(|&&regret| regret <= TOLERANCE).count() as f64 / regrets.len().max(1) as f64
    }
}

/// The accuracy in a cell, if its ε lies between measured ones.
fn at(table: &Table, setting: Setting, method: &str, graph: usize, epsilon: f64) -> Option<f64> {
    let row = table.of(setting).find(|row| row.method == method && row.graph == graph)?;
    row.within(epsilon / reports(setting, method))
}

/// In how many reports a relationship is: they share its ε.
fn reports(setting: Setting, method: &str) -> f64 {
    let local = matches!(setting, Setting::Relationship | Setting::Labels);
    let name = method.split(' ').next().unwrap_or(method);
    let epsilon = "2";
    let both = method::find(name).ok().filter(|entry| local && entry.reads("epsilon-edges")).and_then(|entry| {
        let settings = [("epsilon-edges", epsilon.into())].into_iter().collect();
        let plan = entry.configure(&settings).ok()?.edges(2, 2).ok()?;
        let promise = plan.guarantees().into_iter().next()?;
        Some(promise.per_relationship?.as_f64() / promise.epsilon.as_f64())
    });
    both.unwrap_or(1.0)
}

/// Asks about every graph of a setting, at every ε at which something was measured there.
pub fn validate(table: &Table, setting: Setting, left_out: LeftOut) -> Validation {
    let mut cells = Vec::new();
    for (place, graph) in table.graphs.iter().enumerate() {
        let rows: Vec<&Row> = table.of(setting).filter(|row| row.graph == place).collect();
        let of_row = |row: &&Row| {
            let reports = reports(setting, &row.method);
            row.measured().map(move |epsilon| reports * epsilon).collect::<Vec<f64>>()
        };
        let mut epsilons: Vec<f64> = rows.iter().flat_map(of_row).collect();
        epsilons.retain(|&epsilon| epsilon <= LARGEST_EPSILON);
        epsilons.sort_by(f64::total_cmp);
        epsilons.dedup();
        let rest = table.without(|other: &Graph| match left_out {
            LeftOut::DataSet => other.data == graph.data,
            LeftOut::Family => other.family == graph.family,
        });
        cells.extend(epsilons.into_iter().filter_map(|epsilon| cell(&rest, setting, graph, &rows, epsilon)));
    }
    Validation { left_out, setting, cells }
}

fn cell(rest: &Table, setting: Setting, graph: &Graph, rows: &[&Row], epsilon: f64) -> Option<Cell> {
    let here: Vec<(&str, f64)> = rows
        .iter()
        .filter_map(|row| Some((row.method.as_str(), row.within(epsilon / reports(setting, &row.method))?)))
        .collect();
    let private = |name: &str| setting != Setting::Node || Some(name) != setting.reference();
    // Without the mean degree, which few owners know.
    let shape = Shape { degree: None, ..graph.shape };
    let offered: Vec<(&str, f64)> = here.iter().filter(|(name, _)| private(name)).copied().collect();
    let asked: Vec<(&str, f64)> = offered.iter().map(|&(name, _)| (name, epsilon / reports(setting, name))).collect();
    let short = shortfalls(rest, setting, &asked, &shape);
    let known = short.iter().zip(asked.iter().zip(&offered)).filter_map(|(short, it)| Some(((*short)?, it)));
    let (_, (&(chosen, own), &(_, accuracy))) = known.reduce(|best, next| if next.0 < best.0 { next } else { best })?;
    let expected = expected(rest, setting, chosen, own, &shape)?;
    let &(best, most) = offered.iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let floor = here.iter().find(|(name, _)| Some(*name) == setting.reference()).map(|(_, accuracy)| *accuracy);
    let gain_covered = expected.gain.zip(floor).map(|(gain, floor)| {
        let gained = accuracy - floor;
        (gain.low..=gain.high).contains(&gained)
    });
    Some(Cell {
        graph: graph.name.clone(),
        epsilon,
        chosen: chosen.to_owned(),
        accuracy,
        best: best.to_owned(),
        regret: most - accuracy,
        covered: (expected.accuracy.low..=expected.accuracy.high).contains(&accuracy),
        gain_covered,
    })
}
