//! Published tables beside our own.
//!
//! A [`Target`] is a table or figure of a paper. `experiments/published/targets.toml` lists all of
//! them: the [`Work`] that gives our figures, the table of published figures (`published`), and
//! which figure is compared with which. `accounts` computes the cost of answers,
//! [`students`](crate::students) are trained, `homophily` measures what models predict. `ours`
//! takes our runs seed by seed, and [`compare`] joins both: difference, and whether it is within
//! the joint uncertainty.

mod accounts;
mod compare;
mod homophily;
mod ours;
mod published;
#[cfg(test)]
mod tests;

pub use accounts::Account;
pub use compare::{CompareError, Range, Row, Spread, compare};
pub use homophily::Homophily;
use published::Published;
pub use published::{PublishedError, Size};

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use toml::Value;

use crate::students::Grid;
use crate::sweep::{FileError, Sweep};

/// A table or figure of a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The name on the command line.
    pub name: String,
    /// Where it was published.
    pub source: String,
    /// What is run or computed for it.
    pub work: Work,
    /// The table of published figures, if there is one.
    #[serde(default)]
    published: String,
    #[serde(default)]
    compared: Vec<Compared>,
}

/// What is run or computed for a target.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Work {
    /// The runs of a sweep.
    Sweep(Experiment),
    /// The cost of answers: no data are read.
    Accounts(Vec<Account>),
    /// Students on a public graph whose teachers learned from a private one, per data set.
    Students(Vec<Grid>),
    /// Homophily by true and by predicted classes.
    Homophily(Homophily),
}

/// A sweep, or some of its runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    file: String,
    data: Option<String>,
    #[serde(default)]
    only: BTreeMap<String, Vec<String>>,
}

/// Data that can be given beside those of a sweep.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Further {
    names: Vec<String>,
    #[serde(default)]
    parameters: Values,
    /// At most so many seeds, where a run takes long.
    seeds: Option<usize>,
}

/// Names with their values.
type Values = BTreeMap<String, String>;

/// One of our figures and the place of the published one, as `experiments/published/targets.toml`
/// explains.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Compared {
    case: String,
    figure: String,
    unknown: bool,
    only: Values,
    but: Values,
    against: Option<Against>,
    over: Vec<String>,
    mean: Option<String>,
    deviation: Option<String>,
    runs: Option<usize>,
    spread: Option<Over>,
    range: Option<[String; 2]>,
    p: Option<[String; 2]>,
    unit: Unit,
    row: Values,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Against {
    case: String,
    #[serde(default)]
    point: Values,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Over {
    over: Vec<String>,
    column: String,
}

/// The unit of a published figure. Ours are shares of 1, or ε.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Shares of 1.
    #[default]
    Share,
    /// Per cent, or percentage points.
    Percent,
    /// Percentage points lost: the sign is turned.
    PercentLost,
    /// ε, which is computed, not measured.
    Epsilon,
}

impl Unit {
    /// The factor by which our figures are multiplied.
    fn factor(self) -> f64 {
        match self {
            Unit::Share | Unit::Epsilon => 1.0,
            Unit::Percent => 100.0,
            Unit::PercentLost => -100.0,
        }
    }
}

impl Target {
    /// All targets.
    pub fn all() -> &'static [Target] {
        &CATALOGUE.target
    }

    /// The target of this name.
    pub fn find(name: &str) -> Option<&'static Target> {
        Target::all().iter().find(|target| target.name == name)
    }

    /// The target of this name, or all targets of a group: `lpgnet` has `lpgnet/figure-2` and
    /// others.
    pub fn named(name: &str) -> Vec<&'static Target> {
        let is_in = |target: &&Target| target.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'));
        match Target::find(name) {
            Some(target) => vec![target],
            None => Target::all().iter().filter(is_in).collect(),
        }
    }

    /// Whether it was published in numbers.
    pub fn has_figures(&self) -> bool {
        self.compared.iter().any(|compared| compared.mean.is_some() || compared.range.is_some())
    }

    /// The names of all data that it can be run on.
    ///
    /// # Errors
    /// Never, for targets that are shipped: tests read all of them.
    pub fn data_names(&self) -> Result<BTreeSet<String>, FileError> {
        Ok(match &self.work {
            Work::Sweep(experiment) => {
                let mut names = Sweep::written(Path::new(&self.name), experiment.text().to_owned())?.mentioned();
                names.extend(experiment.further().iter().flat_map(|further| further.names.clone()));
                names
            }
            Work::Students(students) => students.iter().map(|it| it.data.clone()).collect(),
            Work::Homophily(homophily) => homophily.data.iter().cloned().collect(),
            Work::Accounts(_) => BTreeSet::new(),
        })
    }

    fn published(&self) -> Result<Published, PublishedError> {
        if self.published.is_empty() {
            return Ok(Published::default());
        }
        Published::parse(file(PUBLISHED, &self.published))
    }
}

impl Experiment {
    /// The runs of the target of this name.
    ///
    /// # Errors
    /// Never, for targets that are shipped: tests read all of them.
    pub fn sweep(&self, name: &str) -> Result<Sweep, FileError> {
        let mut sweep = Sweep::parse(Path::new(name), self.text().to_owned())?;
        for Further { names, parameters, seeds } in self.further() {
            sweep.add_data(names, parameters, *seeds)?;
        }
        for (key, values) in &self.only {
            sweep.only(key, values)?;
        }
        Ok(sweep)
    }

    fn text(&self) -> &'static str {
        file(SWEEPS, &self.file)
    }

    fn further(&self) -> &'static [Further] {
        self.data.as_ref().and_then(|name| CATALOGUE.data.get(name)).map_or(&[], Vec::as_slice)
    }
}

/// `experiments/published/targets.toml`.
#[derive(Deserialize)]
struct Catalogue {
    data: BTreeMap<String, Vec<Further>>,
    target: Vec<Target>,
}

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "it is part of the program, and tests read it")]
    Catalogue::read(include_str!("../../../../experiments/published/targets.toml"))
        .expect("experiments/published/targets.toml")
});

impl Catalogue {
    fn read(text: &str) -> Result<Catalogue, toml::de::Error> {
        let mut catalogue = Value::Table(toml::from_str(text)?);
        expand(&mut catalogue);
        catalogue.try_into()
    }
}

/// A table in an array whose `case`, `figure` or `k` is a list stands for one table per item.
/// `{case}` in its texts is the case.
fn expand(value: &mut Value) {
    match value {
        Value::Table(table) => table.iter_mut().for_each(|(_, value)| expand(value)),
        Value::Array(items) => {
            for key in ["case", "figure", "k"] {
                *items = items.drain(..).flat_map(|item| each(&item, key)).collect();
            }
            items.iter_mut().for_each(expand);
        }
        _ => {}
    }
}

fn each(table: &Value, key: &str) -> Vec<Value> {
    let list = match table.get(key) {
        None => return vec![table.clone()],
        Some(Value::Array(list)) => list.clone(),
        Some(one) => vec![one.clone()],
    };
    let with = |one: Value| {
        let mut table = table.clone();
        if let ("case", Some(case)) = (key, one.as_str()) {
            fill(&mut table, case);
        }
        table[key] = one;
        table
    };
    list.into_iter().map(with).collect()
}

fn fill(value: &mut Value, case: &str) {
    match value {
        Value::String(text) => *text = text.replace("{case}", case),
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, case)),
        Value::Table(table) => table.iter_mut().for_each(|(_, item)| fill(item, case)),
        _ => {}
    }
}

/// The text of a file of this name; a test checks that all named files are listed.
fn file(files: &[(&str, &'static str)], name: &str) -> &'static str {
    files.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text)
}

macro_rules! files {
    ($before:literal, $after:literal, $($name:literal)+) => {
        &[$(($name, include_str!(concat!("../../../../experiments/", $before, $name, $after)))),+]
    };
}

#[rustfmt::skip]
const SWEEPS: &[(&str, &str)] = files!("", ".toml", "blink" "dpdgc-edges" "dpdgc-nodes" "dpgcn-noise" "frontier-edge"
    "frontier-labels" "frontier-node" "frontier-public-split" "frontier-relationship" "graphprivatizer-heat-maps" "graphprivatizer-table-1" "graphprivatizer-table-3"
    "graphprivatizer-table-5" "graphprivatizer-table-6" "graphprivatizer-tables-8-12" "lpgnet"
    "lpgnet-bipartite" "lpgnet-figure-2" "lpgnet-twitch" "thesis-grid");

#[rustfmt::skip]
const PUBLISHED: &[(&str, &str)] = files!("published/", ".csv", "blink" "dpdgc" "dpgcn_noise_cora"
    "graphprivatizer_figures_3_15"
    "graphprivatizer_table_1" "graphprivatizer_table_3" "graphprivatizer_table_5" "graphprivatizer_table_6"
    "graphprivatizer_table_7" "graphprivatizer_tables_8_12" "lpgnet" "lpgnet_table_2" "privgnn_table_2_accuracy"
    "privgnn_table_3_epsilon" "privgnn_table_4_gamma" "sizes" "thesis_ranges");
