//! What the owner asks for.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::error::ImportError;
use crate::graph::Direction;
use crate::limits::MOST_CLASSES;

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
    pub classes: Option<Classes>,
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

/// The classes, as an owner gives them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Classes {
    /// So many, called 0, 1, ….
    Number(u64),
    /// By their names.
    Named(Vec<String>),
}

impl Classes {
    /// Their names.
    pub(super) fn names(&self) -> Vec<String> {
        match self {
            Classes::Number(number) => (0..*number).map(|class| class.to_string()).collect(),
            Classes::Named(names) => names.clone(),
        }
    }

    fn check(&self) -> Result<(), ImportError> {
        let classes = match self {
            Classes::Number(number) => *number,
            Classes::Named(names) => {
                check_list("the classes", names)?;
                names.len() as u64
            }
        };
        match classes {
            1..=MOST_CLASSES => Ok(()),
            _ => Err(ImportError::NumberOfClasses { classes, limit: MOST_CLASSES }),
        }
    }
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

impl Request {
    /// The categories of a column, or the items of its lists, if they are given.
    pub(super) fn categories_of(&self, column: &str) -> Option<&[String]> {
        self.categories.iter().find(|(told, _)| told == column).map(|(_, given)| given.as_slice())
    }

    /// The range of a column, if it is given.
    pub(super) fn range_of(&self, column: &str) -> Option<(f64, f64)> {
        self.ranges.iter().find(|(told, ..)| told == column).map(|&(_, low, high)| (low, high))
    }

    /// The kind of a column, if it is given.
    pub(super) fn kind_of(&self, column: &str) -> Option<Kind> {
        self.kinds.iter().find(|(told, _)| told == column).map(|&(_, kind)| kind)
    }

    /// What is said about single columns, in words, with the columns.
    fn told(&self) -> [(&'static str, Vec<&String>); 4] {
        // A label may be said to hold categories.
        let of_features =
            |(column, kind): &&(String, Kind)| *kind != Kind::Category || self.label.as_ref() != Some(column);
        [
            ("the kind of", self.kinds.iter().filter(of_features).map(|(column, _)| column).collect()),
            ("the range of", self.ranges.iter().map(|(column, ..)| column).collect()),
            ("the categories of", self.categories.iter().map(|(column, _)| column).collect()),
            ("the treatment of missing values of", self.missing.columns().iter().collect()),
        ]
    }

    /// The columns about which something is said, which must become features.
    pub(super) fn told_columns(&self) -> impl Iterator<Item = &String> {
        self.told().into_iter().flat_map(|(_, columns)| columns)
    }

    /// What can be checked before a file is read.
    pub(super) fn check(&self) -> Result<(), ImportError> {
        if self.network.is_none() && self.edges.is_none() && self.nodes.is_none() {
            return Err(ImportError::NoTables);
        }
        self.check_tables()?;
        if let Some(classes) = &self.classes {
            if self.label.is_none() {
                let column = "(no label)".to_owned();
                return Err(ImportError::Unused { what: "the list of classes", column, role: "the label" });
            }
            classes.check()?;
        }
        for (what, columns) in self.told() {
            for (place, column) in columns.iter().enumerate() {
                if columns[..place].contains(column) {
                    return Err(ImportError::ToldTwice { what, column: (*column).clone() });
                }
                if let FeatureColumns::These(asked) = &self.features
                    && !asked.contains(column)
                {
                    return Err(ImportError::Unused { what, column: (*column).clone(), role: "a feature" });
                }
            }
        }
        for (column, low, high) in &self.ranges {
            if !(low.is_finite() && high.is_finite() && low < high) {
                return Err(ImportError::BadRange { column: column.clone(), low: *low, high: *high });
            }
            self.check_kind("a range", column, &[Kind::Number])?;
        }
        for (column, listed) in &self.categories {
            check_list(&format!("the categories of column {column:?}"), listed)?;
            self.check_kind("categories", column, &[Kind::Category, Kind::List])?;
            if self.range_of(column).is_some() {
                return Err(ImportError::TwoRoles { column: column.clone(), first: "a number", second: "categories" });
            }
        }
        Ok(())
    }

    /// Refuses what is said about tables that are not there.
    fn check_tables(&self) -> Result<(), ImportError> {
        if let (Some(ends), None, None) = (&self.ends, &self.edges, &self.network) {
            return Err(ImportError::NoTable { what: super::error::listed(ends), table: "edges" });
        }
        if self.network.is_some() || self.nodes.is_some() {
            return Ok(());
        }
        let mut columns: Vec<String> = self.id.iter().chain(&self.label).cloned().collect();
        if let FeatureColumns::These(asked) = &self.features {
            columns.extend(asked.iter().cloned());
        }
        let told = self.told().into_iter().find_map(|(what, columns)| Some(format!("{what} {:?}", columns.first()?)));
        let what = match (columns.is_empty(), told) {
            (false, _) => super::error::listed(&columns),
            (true, Some(told)) => told,
            _ if self.missing == MissingValues::Refused => "the treatment of missing values".to_owned(),
            _ if self.most_categories.is_some() => "a limit for categories".to_owned(),
            _ if self.unlisted != Unlisted::Refused => "what becomes of edges of unlisted nodes".to_owned(),
            _ => return Ok(()),
        };
        Err(ImportError::NoTable { what, table: "nodes" })
    }

    /// Refuses what does not fit the kind that a column is said to hold.
    fn check_kind(&self, what: &'static str, column: &str, fitting: &[Kind]) -> Result<(), ImportError> {
        match self.kind_of(column) {
            Some(kind) if !fitting.contains(&kind) => {
                Err(ImportError::WrongKind { what, column: column.to_owned(), kind })
            }
            _ => Ok(()),
        }
    }
}

/// A list of names: each there once, and none empty.
fn check_list(what: &str, items: &[String]) -> Result<(), ImportError> {
    let problem = |problem: String| Err(ImportError::BadList { what: what.to_owned(), problem });
    if items.is_empty() {
        return problem("an empty list".to_owned());
    }
    if items.iter().any(String::is_empty) {
        return problem("an empty name".to_owned());
    }
    let mut sorted: Vec<&String> = items.iter().collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => problem(format!("{:?} twice", pair[0])),
        None => Ok(()),
    }
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
