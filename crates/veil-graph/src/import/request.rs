//! What the owner asks for.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::graph::Direction;

/// Files, columns, and facts that are given independently of the data.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// One file with a whole graph (GraphML, node-link JSON), instead of the two tables.
    pub network: Option<PathBuf>,
    /// The table of edges.
    pub edges: Option<PathBuf>,
    /// The table of nodes.
    pub nodes: Option<PathBuf>,
    /// The columns with the two ends of an edge.
    pub ends: Option<[String; 2]>,
    /// The column with the id of a node.
    pub id: Option<String>,
    /// The column with the class of a node.
    pub label: Option<String>,
    /// The columns that become features.
    pub features: FeatureColumns,
    /// What columns hold, where it is not to be guessed.
    pub kinds: Vec<(String, Kind)>,
    /// Ranges of numeric columns, which are scaled from them to 0 … 1.
    pub ranges: Vec<(String, f64, f64)>,
    /// Categories of columns, in their order; `*` stands for all others.
    pub categories: Vec<(String, Vec<String>)>,
    /// The classes, in their order.
    pub classes: Option<Vec<String>>,
    /// The limit for categories that are collected from a column.
    pub most_categories: Option<usize>,
    /// What becomes of missing values.
    pub missing: MissingValues,
    /// What becomes of edges of nodes that the table of nodes does not list.
    pub unlisted: Unlisted,
    /// The direction of the edges; `None` is that of the file, or undirected.
    pub direction: Option<Direction>,
    /// The text tables have no header: their columns are called 1, 2, ….
    pub headless: bool,
    /// The name of the data set.
    pub name: Option<String>,
}

/// The columns that become features.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FeatureColumns {
    /// All that can; the others are dropped, and named.
    #[default]
    All,
    /// These, or none.
    These(Vec<String>),
}

/// What becomes of missing values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MissingValues {
    /// Columns in which any are missing get a column that says where.
    #[default]
    Indicated,
    /// These columns get one, whether any are missing or not; elsewhere missing values are refused.
    IndicatedIn(Vec<String>),
    /// They are refused.
    Refused,
}

impl MissingValues {
    /// The columns that are named.
    pub(super) fn columns(&self) -> &[String] {
        match self {
            MissingValues::IndicatedIn(columns) => columns,
            MissingValues::Indicated | MissingValues::Refused => &[],
        }
    }
}

/// What becomes of edges of nodes that are not listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unlisted {
    /// They are refused.
    #[default]
    Refused,
    /// They are dropped.
    Dropped,
    /// Their nodes are added, without attributes.
    Added,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Numbers: one feature.
    Number,
    /// True and false: one feature.
    Boolean,
    /// One of a few values: a feature for each.
    Category,
    /// Several values: a feature for each, 1 where the list has it.
    List,
    /// Lists of equally many numbers: a feature for each place.
    Vector,
}

impl Kind {
    const WORDS: [(&'static str, Kind); 5] = [
        ("number", Kind::Number),
        ("boolean", Kind::Boolean),
        ("category", Kind::Category),
        ("list", Kind::List),
        ("vector", Kind::Vector),
    ];
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Kind, String> {
        let found = Kind::WORDS.iter().find(|(word, _)| *word == text);
        let words: Vec<&str> = Kind::WORDS.iter().map(|(word, _)| *word).collect();
        found.map(|(_, kind)| *kind).ok_or_else(|| format!("{text:?} is not one of {}", words.join(", ")))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = Kind::WORDS.iter().find(|(_, kind)| kind == self).map_or("", |(word, _)| word);
        f.pad(word)
    }
}
