//! The table of measured runs: which accuracy each method reached on which graph.
//!
//! Two files, shipped with the library and made by `scripts/choose.sh`: `graphs.csv` has the public
//! facts of every measured graph, one row for each split; `measured.csv` has the mean test accuracy
//! in per cent of every method, at ε = ∞ or without edges (`inf`) and at some finite ε.

use std::sync::OnceLock;

use veil_privacy::words;

const GRAPHS: &str = include_str!("graphs.csv");
const MEASURED: &str = include_str!("measured.csv");

words! {
    /// Who trusts whom with what: methods are compared within a setting.
    pub enum Setting: "setting" {
        /// The owner is trusted, and single edges are protected.
        Edge = "edge",
        /// Nobody is trusted; users report their lists; features and labels are public.
        Relationship = "relationship",
        /// Nobody is trusted; users report their lists, and their labels at ε = 3; no features.
        Labels = "labels",
        /// The owner is trusted, and whole nodes are protected.
        Node = "node",
    }
}

impl Setting {
    /// The method that the others are compared with: what is possible without an ε.
    pub fn reference(self) -> Option<&'static str> {
        match self {
            Setting::Edge | Setting::Relationship => Some("edge-free"),
            // Without edges there is nothing to learn from.
            Setting::Labels => None,
            Setting::Node => Some("mlp"),
        }
    }
}

/// Public facts of a graph, as far as they are known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shape {
    /// Number of nodes.
    pub nodes: Option<f64>,
    /// Number of classes.
    pub classes: Option<f64>,
    /// Number of feature dimensions.
    pub dimensions: Option<f64>,
    /// Training labels per class, on average.
    pub labels: Option<f64>,
    /// Mean degree.
    pub degree: Option<f64>,
}

impl Shape {
    /// How far two graphs are apart: each fact by the factor that counts as one step. Facts that
    /// one of them lacks do not count.
    pub(super) fn distance(&self, other: &Shape) -> f64 {
        let pairs = [
            (self.nodes, other.nodes, 8.0),
            (self.classes, other.classes, 2.0),
            (self.dimensions, other.dimensions, 8.0),
            (self.labels, other.labels, 4.0),
            (self.degree, other.degree, 2.5),
        ];
        let steps = |(one, other, step): (Option<f64>, Option<f64>, f64)| {
            Some(libm::log(one?.max(0.1) / other?.max(0.1)) / libm::log(step))
        };
        libm::sqrt(pairs.into_iter().filter_map(steps).map(|it| it * it).sum())
    }
}

/// One measured graph with one split.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// Its name and split.
    pub name: String,
    /// Graphs of one family are left out together in the stricter validation.
    pub family: String,
    /// The data set, without the split.
    pub data: String,
    /// Its facts.
    pub shape: Shape,
}

/// The accuracies of one method on one graph, in per cent.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The setting.
    pub setting: Setting,
    /// The place of the graph.
    pub graph: usize,
    /// The method, and the flags that differ from its defaults.
    pub method: String,
    /// The accuracy of a method that spends no ε.
    without: Option<f64>,
    /// ε and the accuracy, ascending.
    at: Vec<(f64, f64)>,
}

impl Row {
    /// The accuracy at an ε: between two measured ones linear in ln ε, beyond them that of the
    /// nearest one.
    pub fn accuracy(&self, epsilon: f64) -> Option<f64> {
        if self.without.is_some() {
            return self.without;
        }
        let above = self.at.partition_point(|&(at, _)| at <= epsilon);
        match (above.checked_sub(1).map(|below| self.at[below]), self.at.get(above)) {
            (Some((low, from)), Some(&(high, to))) => {
                let share = libm::log(epsilon / low) / libm::log(high / low);
                Some(from + share * (to - from))
            }
            (Some((_, accuracy)), None) | (None, Some(&(_, accuracy))) => Some(accuracy),
            (None, None) => None,
        }
    }

    /// Whether the method spends no ε.
    pub fn is_free(&self) -> bool {
        self.without.is_some()
    }

    /// The accuracy at an ε between the smallest and the largest that were measured.
    pub(super) fn within(&self, epsilon: f64) -> Option<f64> {
        let ends = self.at.first().zip(self.at.last());
        let inside = ends.is_some_and(|((low, _), (high, _))| (*low..=*high).contains(&epsilon));
        self.accuracy(epsilon).filter(|_| inside || self.is_free())
    }

    /// The measured values of ε.
    pub(super) fn measured(&self) -> impl Iterator<Item = f64> + '_ {
        self.at.iter().map(|(epsilon, _)| *epsilon)
    }
}

/// Everything that was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The graphs.
    pub graphs: Vec<Graph>,
    /// The rows.
    pub rows: Vec<Row>,
}

impl Table {
    /// The table that is shipped.
    pub fn shipped() -> &'static Table {
        static TABLE: OnceLock<Table> = OnceLock::new();
        // A test reads it line by line: nothing is missing.
        TABLE.get_or_init(|| Table::parse(GRAPHS, MEASURED).unwrap_or_default())
    }

    /// Reads both files; `None` if a line is not as it should be.
    pub(super) fn parse(graphs: &str, measured: &str) -> Option<Table> {
        let graphs: Vec<Graph> = lines(graphs).skip(1).map(graph).collect::<Option<_>>()?;
        let mut rows = lines(measured);
        let epsilons: Vec<f64> = rows.next()?.iter().skip(4).map(|it| it.parse().ok()).collect::<Option<_>>()?;
        let row = |cells: Vec<&str>| {
            let [setting, graph, method, without, ..] = cells[..] else { return None };
            let finite = cells.get(4..)?.iter().zip(&epsilons).filter(|(cell, _)| !cell.is_empty());
            let at = finite.map(|(cell, &epsilon)| Some((epsilon, cell.parse().ok()?))).collect::<Option<_>>()?;
            Some(Row {
                setting: setting.parse().ok()?,
                graph: graphs.iter().position(|it| it.name == graph)?,
                method: method.to_owned(),
                without: number(without)?,
                at,
            })
        };
        let rows = rows.map(row).collect::<Option<_>>()?;
        Some(Table { graphs, rows })
    }

    /// The rows of a setting.
    pub fn of(&self, setting: Setting) -> impl Iterator<Item = &Row> + '_ {
        self.rows.iter().filter(move |row| row.setting == setting)
    }

    /// The methods of a setting, in the order of the table.
    pub fn methods(&self, setting: Setting) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for row in self.of(setting) {
            if !names.contains(&row.method.as_str()) {
                names.push(&row.method);
            }
        }
        names
    }

    /// The same without some graphs.
    pub(super) fn without(&self, left_out: impl Fn(&Graph) -> bool) -> Table {
        let rows = self.rows.iter().filter(|row| !left_out(&self.graphs[row.graph]));
        Table { graphs: self.graphs.clone(), rows: rows.cloned().collect() }
    }
}

/// The cells of every line. No cell has a comma or a quote.
fn lines(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.is_empty()).map(|line| line.split(',').collect())
}

/// A number, or none where a cell is empty.
fn number(cell: &str) -> Option<Option<f64>> {
    if cell.is_empty() { Some(None) } else { cell.parse().ok().map(Some) }
}

fn graph(cells: Vec<&str>) -> Option<Graph> {
    let [name, family, nodes, classes, dimensions, labels, degree] = cells[..] else { return None };
    let shape = Shape {
        nodes: number(nodes)?,
        classes: number(classes)?,
        dimensions: number(dimensions)?,
        labels: number(labels)?,
        degree: number(degree)?,
    };
    let data = name.split('/').next().unwrap_or(name).to_owned();
    Some(Graph { name: name.to_owned(), family: family.to_owned(), data, shape })
}
