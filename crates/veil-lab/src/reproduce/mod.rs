//! Published tables beside our own.
//!
//! A [`Target`] is a table or figure of a paper: its [`Work`], what was published (a table of figures, shipped with the source), and
//! which of our figures stands beside which of theirs. [`compare`] joins the two: difference, and whether it lies within the joint uncertainty.
//! `catalogue` lists all targets; `accounts` computes what answers cost together, `students` lets a private graph teach, `homophily` looks at what models predict; `published` reads tables; `paired` takes our runs seed by seed,
//! against others and over a grid where the paper did so. `sizes` tells whether data are those that were published about.

mod accounts;
mod catalogue;
mod compare;
mod homophily;
mod paired;
mod published;
mod sizes;
mod students;
#[cfg(test)]
mod tests;

pub use accounts::{Account, Answers};
pub use catalogue::TARGETS;
pub use compare::{CompareError, Range, Row, Spread, compare};
pub use homophily::Homophily;
pub use published::{Published, PublishedError};
pub use sizes::Size;
pub use students::{Graph, Parts, Students, Teachers, Watch, Who};

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;

use crate::sweep::{FileError, Sweep};

/// A table or figure of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name on the command line.
    pub name: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// What is done for it.
    pub work: Work,
    /// What was published, as a table.
    pub published: &'static str,
    /// What stands beside what.
    pub compared: &'static [Compared],
}

/// What is done for a target.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// Runs of a sweep.
    Sweep(Experiment),
    /// Nothing is run and no data are needed: what answers cost together.
    Accounts(&'static [Account]),
    /// Students on a public graph, of teachers who saw a private one: on each of some data.
    Students(&'static [Students]),
    /// How far neighbours are of the same class, true or predicted.
    Homophily(&'static Homophily),
}

/// A sweep, or some of its runs.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// The text of its file.
    pub text: &'static str,
    /// Data that can be given beside those of the file.
    pub data: &'static [Further],
    /// Only runs of which these (case, or a parameter) have one of these values.
    pub only: &'static [(&'static str, &'static [&'static str])],
}

/// Data that were published about, and which of their parameters differ from those of the file.
#[derive(Clone, Copy, Debug)]
pub struct Further {
    /// What they are called.
    pub names: &'static [&'static str],
    /// What is said of these data alone.
    pub parameters: &'static [(&'static str, &'static str)],
}

/// One of our figures, and where the published one stands.
#[derive(Clone, Copy, Debug)]
pub struct Compared {
    /// Our case.
    pub case: &'static str,
    /// Our figure.
    pub figure: Figure,
    /// Only where the runs are so: parameters of the grid, and their values.
    pub only: &'static [(&'static str, &'static str)],
    /// Not where they are so in any of these.
    pub but: &'static [(&'static str, &'static str)],
    /// What it is the difference to, if it is one: runs with the same data and seed.
    pub against: Option<Against>,
    /// The parameters of the grid over which it is the mean.
    pub over: &'static [&'static str],
    /// The column of the published mean; without one, nothing was published in figures and ours stands alone.
    pub mean: Option<&'static str>,
    /// The column of its deviation, if there is one over runs.
    pub deviation: Option<&'static str>,
    /// A deviation that is none over runs, if there is one.
    pub spread: Option<Over>,
    /// The columns of what it was said to be above and below, where a paper tells no figure.
    pub range: Option<[&'static str; 2]>,
    /// The column of the published p-value of a difference, and on which side of it theirs lies: `<` or `>`.
    pub p_value: Option<(&'static str, &'static str)>,
    /// How many runs they had.
    pub runs: Option<usize>,
    /// Their unit.
    pub unit: Unit,
    /// Which row of the table it is: columns, and what they must hold.
    pub row: &'static [(&'static str, Is)],
}

/// A deviation between means over runs, such as those of several networks.
#[derive(Clone, Copy, Debug)]
pub struct Over {
    /// In which parameters of the grid they differ.
    pub parameters: &'static [&'static str],
    /// The column of the published one.
    pub column: &'static str,
}

/// The runs to which others are compared, each with that of its own seed.
#[derive(Clone, Copy, Debug)]
pub struct Against {
    /// Their case.
    pub case: &'static str,
    /// Parameters of the grid in which they are so; in all others they are as the run that is compared.
    pub point: &'static [(&'static str, &'static str)],
}

/// A figure of a run.
#[derive(Clone, Copy, Debug)]
pub enum Figure {
    /// One that runs have.
    Named(&'static str),
    /// The first, or else the second.
    Either(&'static str, &'static str),
    /// The share of the second that is not in the first.
    Without(&'static str, &'static str),
    /// One that hangs on what was not published: theirs stands alone, beside what is promised.
    Unknowable(&'static str),
}

/// In which unit a figure was published. Ours are shares of 1, or ε.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Shares of 1.
    Share,
    /// Percent, or points of percent.
    Percent,
    /// Percent that are lost: the sign is turned.
    PercentLost,
    /// ε, which is computed and not measured: two places, some of which seem to be cut and not rounded.
    Epsilon,
}

/// What a column of a published table must hold.
#[derive(Clone, Copy, Debug)]
pub enum Is {
    /// The name of the data.
    Data,
    /// The name of our case.
    Case,
    /// The value of a parameter of the grid.
    Point(&'static str),
    /// This.
    Fixed(&'static str),
}

impl Target {
    /// The target of this name.
    pub fn find(name: &str) -> Option<&'static Target> {
        TARGETS.iter().find(|target| target.name == name)
    }
}

impl Experiment {
    /// What is run, of the target of this name.
    ///
    /// # Errors
    /// Never, for those that are shipped: tests read all of them.
    pub fn sweep(&self, name: &str) -> Result<Sweep, FileError> {
        let mut sweep = Sweep::parse(Path::new(name), self.text.to_owned())?;
        for Further { names, parameters } in self.data {
            sweep.add_data(names, parameters)?;
        }
        for (key, values) in self.only {
            sweep.only(key, values)?;
        }
        Ok(sweep)
    }

    /// The names of all data that it can be run on.
    ///
    /// # Errors
    /// Never, for those that are shipped.
    pub fn data_names(&self, name: &str) -> Result<BTreeSet<String>, FileError> {
        let mut names = Sweep::written(Path::new(name), self.text.to_owned())?.mentioned();
        names.extend(self.data.iter().flat_map(|further| further.names).map(|&name| name.to_owned()));
        Ok(names)
    }
}

impl Compared {
    /// A figure of a case beside which nothing was published.
    const fn new(case: &'static str, figure: Figure) -> Compared {
        Compared {
            case,
            figure,
            only: &[],
            but: &[],
            against: None,
            over: &[],
            mean: None,
            deviation: None,
            spread: None,
            range: None,
            p_value: None,
            runs: None,
            unit: Unit::Share,
            row: &[],
        }
    }
}

impl Unit {
    /// By how much our figures are multiplied.
    fn factor(self) -> f64 {
        match self {
            Unit::Share | Unit::Epsilon => 1.0,
            Unit::Percent => 100.0,
            Unit::PercentLost => -100.0,
        }
    }
}
