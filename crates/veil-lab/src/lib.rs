//! Experiments: many runs, from a file to tables with intervals, pictures and a folder of results.
//!
//! A [`sweep`] runs them; each has an [`Outcome`]. [`students`] of a private graph are scored with
//! teachers that are trained once. [`statistics`] are over several runs, [`worth`](mod@worth)
//! compares the points of a sweep, [`reproduce`] compares published tables with ours, and a
//! [`report`] shows everything on one page. The [`frontier`](mod@frontier) shows all methods by the
//! true ε of one unit.
//!
//! ```
//! use std::{num::NonZeroUsize, path::Path};
//! use veil_graph::generate::Community;
//! use veil_lab::sweep::{Book, DataSets, Plan, Sweep, run};
//!
//! let file = "data = \"citation\"\nseeds = 2\n[parameters]\nepochs = 5\n[[cases]]\nname = \"no edges\"\nmethod = \"mlp\"\n";
//! let sweep = Sweep::parse(Path::new("citation.toml"), file.to_owned())?;
//! let mut sets = DataSets::new();
//! sets.insert("citation", Community::citation().with_nodes(300).check()?.generate(1));
//! let folder = tempfile::tempdir()?;
//! let (plan, mut book) = (Plan::new(&sweep, &sets)?, Book::begin(folder.path())?);
//! run(&plan, &sets, &mut book, NonZeroUsize::MIN, false, &mut |_| ())?;
//! assert_eq!(book.outcomes()?.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod frontier;
pub mod outcome;
pub mod report;
pub mod reproduce;
pub mod statistics;
pub mod students;
pub mod sweep;
pub mod worth;

pub use outcome::{Outcome, Promised, decided};
pub use report::Report;
