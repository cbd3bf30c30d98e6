//! Published tables beside our own.
//!
//! A [`Target`] is a table or figure of a paper: what is run (a sweep), what was published (a table of figures, shipped with the source), and
//! which of our figures stands beside which of theirs. [`compare`] joins the two: difference, and whether it lies within the joint uncertainty.
//! `catalogue` lists all targets; `published` reads tables; `paired` takes our runs seed by seed, against others and over a grid where the paper
//! did so.

mod catalogue;
mod compare;
mod paired;
mod published;
#[cfg(test)]
mod tests;

pub use catalogue::TARGETS;
pub use compare::{CompareError, Row, compare};
pub use published::{Published, PublishedError};

use std::path::Path;

use crate::sweep::{FileError, Sweep};

/// A table or figure of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name on the command line.
    pub name: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// What is run, as the text of a sweep.
    pub experiment: &'static str,
    /// What was published, as a table.
    pub published: &'static str,
    /// What stands beside what.
    pub compared: &'static [Compared],
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
    /// The column of the published mean, and of its deviation.
    pub mean: &'static str,
    /// The column of its deviation, if there is one over runs.
    pub deviation: Option<&'static str>,
    /// How many runs they had.
    pub runs: Option<usize>,
    /// By how much our figures are multiplied to be in their unit.
    pub unit: f64,
    /// Which row of the table it is: columns, and what they must hold.
    pub row: &'static [(&'static str, Is)],
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

    /// What is run for it.
    ///
    /// # Errors
    /// Never, for those that are shipped: tests read all of them.
    pub fn sweep(&self) -> Result<Sweep, FileError> {
        Sweep::parse(Path::new(self.name), self.experiment.to_owned())
    }
}
