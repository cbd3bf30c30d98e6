//! `veil lab sweep`: many runs from one file, kept in one book.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use veil_graph::write;
use veil_lab::Outcome;
use veil_lab::sweep::{Book, DIED, DataSets, Done, Plan, Progress, Sweep, export};
use veil_lab::worth::{Candidates, References, worth};
use veil_learn::pipeline;

pub use self::show::choice;
use self::show::{Shown, describe};
use super::interrupt;
use crate::failure::{Failure, usage};
use crate::files::new_files;
use crate::output::{Output, grouped};
use crate::progress;

mod show;

/// Run many trainings and attacks from one file, and record the results
///
/// Runs every case of the file at every point of its grid, on every data set, with every seed.
///
/// Each finished run is saved to FOLDER/book.sqlite immediately; the same command resumes an
/// interrupted sweep. A run that is already in the book, under any name, is not repeated. A failed
/// run is recorded with its error and does not stop the others; if every run failed, the exit code
/// is 1. A run during which the process crashed (out of memory, for example) is repeated last, with
/// no other run in parallel, and counts as failed after three crashes.
///
/// Sweeps are experiments: the noise is seeded, so nothing is private, and no ledger is charged.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "Examples:\n  \
    veil lab sweep experiments/graphprivatizer-table-6.toml --data cora=data/cora --out table-6\n  \
    veil lab sweep experiment.toml --data cora=data/cora --data citeseer=data/citeseer --seeds 3 --cores 2 --out sweep\n  \
    veil lab sweep export sweep --csv runs.csv\n\n\
    Example of a file:\n  \
    data = [\"cora\"]                      # names; --data gives their paths\n  \
    seeds = 3                            # 1, 2, 3, also by default; or a list\n  \
    [parameters]                         # flags of veil train, without --\n  \
    split = \"0.5,0.25,0.25\"\n  \
    [grid]                               # every combination that the method reads\n  \
    epsilon-edges = [1, 4, \"inf\"]\n  \
    [[cases]]                            # settings override those above\n  \
    name = \"LPGNet\"\n  \
    method = \"lpgnet\"\n  \
    grid = { stages = [1, 2] }           # grid of this case\n  \
    [[attacks]]                          # of veil attack: linkteller or lsa\n  \
    kind = \"linkteller\"\n  \
    where = { epsilon-edges = [4] }      # attack only these runs\n  \
    [[exclude]]                          # skip these runs; [[include]]: keep only these\n  \
    epsilon-edges = 1\n  \
    stages = 2")]
pub struct SweepCommand {
    #[command(subcommand)]
    further: Option<Further>,
    /// Sweep file (TOML)
    #[arg(required = true)]
    file: Option<PathBuf>,
    /// Path or fetched name of a data set that the file names
    #[arg(long, value_name = "NAME=PATH", value_parser = named)]
    data: Vec<(String, String)>,
    /// Folder of the sweep: new, or to resume
    #[arg(long, value_name = "FOLDER", required = true)]
    out: Option<PathBuf>,
    /// Number of parallel runs, one core each [default: all cores]
    #[arg(long, value_name = "N")]
    cores: Option<NonZeroUsize>,
    /// Use seeds 1 to N [default: those of the file]
    #[arg(long, value_name = "N")]
    seeds: Option<std::num::NonZeroU32>,
    /// Edge-free baseline case [default: the only such case]
    #[arg(long, value_name = "CASE")]
    floor: Option<String>,
    /// Non-private reference case for gaps [default: the only such case]
    #[arg(long, value_name = "CASE")]
    non_private: Option<String>,
    /// Repeat runs that failed before
    #[arg(long)]
    retry_failed: bool,
}

#[derive(Subcommand)]
enum Further {
    /// Write the results of a sweep as a table: one row per run, in the order of the file
    #[command(after_help = "Examples:\n  veil lab sweep export sweep --csv runs.csv\n  \
                            veil lab sweep export sweep --parquet runs.parquet")]
    Export(Export),
}

#[derive(Args)]
struct Export {
    /// Folder of the sweep
    folder: PathBuf,
    #[command(flatten)]
    to: Table,
}

#[derive(Args)]
#[group(required = true, multiple = true)]
struct Table {
    /// CSV file to write
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Parquet file to write
    #[arg(long, value_name = "FILE")]
    parquet: Option<PathBuf>,
}

/// `NAME=PATH`.
pub fn named(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, path)| !name.is_empty() && !path.is_empty());
    pair.map(|(name, path)| (name.to_owned(), path.to_owned())).ok_or_else(|| "expected NAME=PATH".to_owned())
}

impl SweepCommand {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        if let Some(Further::Export(export)) = &self.further {
            return export.run(output);
        }
        let (Some(file), Some(out)) = (&self.file, &self.out) else {
            return usage("a file and --out are required");
        };
        let mut sweep = Sweep::read(file)?;
        if let Some(seeds) = self.seeds {
            sweep.set_seeds(seeds)?;
        }
        if self.floor.is_some() && self.floor == self.non_private {
            return usage("--floor and --non-private name the same case");
        }
        for case in [&self.floor, &self.non_private].into_iter().flatten() {
            if !sweep.case_names().any(|known| known == case) {
                return usage(format!("the sweep has no case {case:?}"));
            }
        }
        let swept = carried_out(&sweep, (&self.data, out), self.cores, self.retry_failed, output)?;
        let Swept { runs, distinct, done, outcomes } = swept;
        if outcomes.iter().all(|outcome| outcome.error.is_some()) {
            return Err(Failure::Unexpected(format!("none of {} runs succeeded", outcomes.len())));
        }
        let named = References { floor: self.floor, non_private: self.non_private };
        let references = named.or_found(&outcomes);
        let shown = Shown {
            title: sweep.title,
            out: out.clone(),
            runs,
            distinct,
            done,
            points: worth(&outcomes, &references),
            candidates: Candidates::of(&outcomes),
            references,
            outcomes,
        };
        output.show(&shown, || describe(&shown))
    }
}

/// The results of a sweep.
pub struct Swept {
    /// How many runs were asked for, and how many of them differ.
    pub runs: usize,
    pub distinct: usize,
    /// What was done now.
    pub done: Done,
    pub outcomes: Vec<Outcome>,
}

/// Runs what the book in `out` does not hold yet, with progress, and warns of what failed.
pub fn carried_out(
    sweep: &Sweep,
    (data, out): (&[(String, String)], &Path),
    cores: Option<NonZeroUsize>,
    retry_failed: bool,
    output: &Output,
) -> Result<Swept, Failure> {
    let bar = progress::working(output, "reading");
    let sets = read_data(data, sweep.data_names()?, out)?;
    bar.set_message("checking");
    let plan = Plan::new(sweep, &sets)?;
    warn_of_edges(&plan, output);
    let mut book = Book::begin(out)?;
    interrupt::set_sweep(out);
    bar.finish_and_clear();
    let bar = progress::sweeping(output);
    let mut watch = |progress: &Progress| {
        bar.set_length(progress.of as u64);
        bar.set_position(progress.done as u64);
        bar.set_message(left(progress));
    };
    let cores = cores.unwrap_or_else(|| std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN));
    let done = veil_lab::sweep::run(&plan, &sets, &mut book, cores, retry_failed, &mut watch)?;
    bar.finish_and_clear();
    let outcomes = book.outcomes()?;
    warn_of_failures(&outcomes, output);
    Ok(Swept { runs: plan.runs(), distinct: plan.distinct(), done, outcomes })
}

/// Every data set that the runs name, once. Nothing is written into data.
fn read_data(given: &[(String, String)], names: BTreeSet<String>, out: &Path) -> Result<DataSets, Failure> {
    let mut places_of: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, path) in given {
        if places_of.insert(name, path).is_some() {
            return usage(format!("duplicate --data {name}"));
        }
    }
    let is_named = |given: &str| names.iter().any(|name| name.split('/').next() == Some(given) || name == given);
    if let Some(unknown) = places_of.keys().find(|given| !is_named(given)) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        return usage(format!("the sweep names no data {unknown:?} (it names {})", names.join(", ")));
    }
    // All names first: reading may take long.
    let mut places = Vec::new();
    for name in names {
        let place = match (places_of.get(name.as_str()), name.split_once('/')) {
            (Some(path), _) => (*path).to_owned(),
            // Beside other data.
            (None, Some((other, rest))) if places_of.contains_key(other) => {
                Path::new(places_of[other]).join(rest).display().to_string()
            }
            _ => {
                return usage(format!("the sweep names the data {name:?}: pass --data {name}=PATH"));
            }
        };
        pipeline::refuse_inside(out, Path::new(&place))?;
        places.push((name, place));
    }
    let mut sets = DataSets::new();
    for (name, place) in places {
        sets.insert(&name, pipeline::open(&place)?);
    }
    Ok(sets)
}

impl Export {
    fn run(&self, output: &Output) -> Result<(), Failure> {
        let written = new_files(&[&self.to.csv, &self.to.parquet])?;
        let book = Book::open(&self.folder)?;
        let (rows, columns, planned) = (book.rows()?, book.columns()?, book.planned()?);
        if rows.len() < planned {
            output.warning(&format!("{} of {planned} runs are done: the sweep is unfinished", rows.len()));
        }
        if let Some(path) = &self.to.csv {
            // Scores against the truth.
            write::owner::write_file(path, export::csv(&rows, &columns).as_bytes())?;
        }
        if let Some(path) = &self.to.parquet {
            write::owner::write_file(path, &export::parquet(&rows, &columns)?)?;
        }
        let shown = serde_json::json!({ "runs": rows.len(), "planned": planned, "written": written });
        output.show(&shown, || {
            let names: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
            format!("{} runs → {}", grouped(rows.len()), names.join(", "))
        })
    }
}

/// How long the rest will take.
fn left(progress: &Progress) -> String {
    let minutes = |left: Duration| match left.as_secs() {
        seconds @ 0..100 => format!("about {seconds} s left"),
        seconds @ 100..6000 => format!("about {} min left", seconds / 60),
        seconds => format!("about {} h left", seconds / 3600),
    };
    let time = progress.left.map_or_else(String::new, minutes);
    if progress.failed == 0 { time } else { format!("{time}, {} failed", progress.failed) }
}

/// Runs whose edges are not expected to help.
fn warn_of_edges(plan: &Plan, output: &Output) {
    let warnings = plan.warnings();
    let runs: usize = warnings.values().sum();
    if let Some(first) = warnings.keys().next() {
        output.note(&format!("{runs} of {} runs, for example: {first}", plan.runs()));
    }
}

/// Runs that failed, and apart from them those that were given up because processes died: somebody
/// may have killed these, and a failure of another run must not hide that.
fn warn_of_failures(outcomes: &[Outcome], output: &Output) {
    for given_up in [false, true] {
        let failed = || {
            let failed = outcomes.iter().filter_map(|outcome| Some((outcome, outcome.error.as_ref()?)));
            failed.filter(move |(_, error)| (*error == DIED) == given_up)
        };
        if let Some((first, error)) = failed().next() {
            let Outcome { case, data, seed, .. } = first;
            let count = failed().count();
            let verb = match (given_up, count) {
                (false, _) => "failed",
                (true, 1) => "was given up",
                (true, _) => "were given up",
            };
            output.warning(&format!(
                "{count} of {} runs {verb}, the first of them {case} on {data}, seed {seed}: {error} (--retry-failed tries them again)",
                outcomes.len()
            ));
        }
    }
}
