//! `veil report`: what many runs say together, on one page.
//!
//! `runs` opens run folders and tells them apart, `attacked` reads what attacks on them found, `made` says how the page came about.

mod attacked;
mod made;
mod runs;

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use veil_graph::Dataset;
use veil_lab::sweep::Book;
use veil_lab::worth::{Candidates, References, words};
use veil_lab::{Outcome, Report};
use veil_privacy::Private;
use veil_privacy::release::Privatised;

use self::runs::Folders;
use crate::commands::data::open_named;
use crate::failure::Failure;
use crate::output::{Output, grouped};
use crate::progress;

pub use self::made::made;

/// Show what a sweep, or some runs, say together: one HTML file that needs nothing else
///
/// Runs are one point of the page, and count as its seeds, if nothing but their seeds differs. The case of a run is what happens
/// to the edges and which network learns: "degree-vectors, mlp". Run folders hold no fingerprint of raw data: data of one name are
/// taken for the same unless something in the folders tells otherwise, and are numbered then.
#[derive(Args)]
#[command(after_help = "Examples:\n  veil report sweep --out report.html\n  \
    veil report sweep --floor mlp --non-private gcn --title \"Edges of Cora\" --out report.html\n  \
    veil report run-1 run-2 --out report.html\n  \
    veil report run-1 --truth graph --attack run-1=linkteller.json --out mine.html")]
pub struct ReportCommand {
    /// The folder of a sweep, or folders that veil train or veil privatize made
    #[arg(required = true)]
    from: Vec<PathBuf>,
    /// The file to make
    #[arg(long)]
    out: PathBuf,
    /// What stands above all [default: the title of the sweep]
    #[arg(long)]
    title: Option<String>,
    /// The case that uses no edges: what is above it is worth something [default: the only case that is like that]
    #[arg(long, value_name = "CASE")]
    floor: Option<String>,
    /// The case that is not private: what it is more accurate by is the gap, and what is attacked less well is safer [default:
    /// the only case that is like that]
    #[arg(long, value_name = "CASE")]
    non_private: Option<String>,
    /// The raw data: show what released graphs look like beside the true one. The page is for their owner alone then
    #[arg(long, value_name = "DATA")]
    truth: Option<String>,
    /// What veil attack linkteller or lsa printed about a run with --json (any number of times)
    #[arg(long = "attack", value_name = "RUN=FILE")]
    attacks: Vec<String>,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Shown<'a> {
    out: &'a Path,
    runs: usize,
    bytes: u64,
}

impl ReportCommand {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        if self.title.as_ref().is_some_and(|title| title.trim().is_empty()) {
            return Err(Failure::Usage("--title: there is nothing in it".to_owned()));
        }
        let bar = progress::working(output, "reading");
        let (title, Folders { outcomes, statements, graphs }) = match self.from.as_slice() {
            [one] if !runs::is_run(one) && !Privatised::is_released(one) => self.sweep(one)?,
            folders => {
                let mut found = Folders::open(folders, self.raw()?.as_ref())?;
                attacked::add(&mut found.outcomes, folders, &self.attacks)?;
                ("Runs".to_owned(), found)
            }
        };
        let title = self.title.clone().unwrap_or(title);
        let mut report = Report::new(title, &outcomes, made());
        let references = self.references(&outcomes)?;
        let unclear = words::unclear(&references, &Candidates::of(&outcomes));
        References { floor: report.floor, non_private: report.non_private } = references;
        report.statements = statements;
        report.graphs = graphs;
        report.write(&self.out)?;
        bar.finish_and_clear();
        unclear.iter().for_each(|(flag, told)| output.warning(&format!("give {flag}, which {told}")));
        let bytes = std::fs::metadata(&self.out)?.len();
        let shown = Shown { out: &self.out, runs: outcomes.len(), bytes };
        output.show(&shown, || {
            format!("wrote {}: {} runs, {} KB", self.out.display(), grouped(outcomes.len()), bytes.div_ceil(1000))
        })
    }

    fn sweep(&self, folder: &Path) -> Result<(String, Folders), Failure> {
        if let Some(flag) = [("--truth", self.truth.is_some()), ("--attack", !self.attacks.is_empty())]
            .into_iter()
            .find_map(|(flag, given)| given.then_some(flag))
        {
            return Err(Failure::Usage(format!(
                "{flag} goes with run folders: a sweep keeps no graphs, and attacks by itself"
            )));
        }
        let book = Book::open(folder)?;
        let title = book.sweep()?.map(|(title, _)| title).unwrap_or_default();
        let mut outcomes = book.outcomes()?;
        // The noise of a sweep comes from its seeds; books of earlier versions do not say so.
        let promises = outcomes.iter_mut().flat_map(|outcome| &mut outcome.promises);
        promises.for_each(|promise| promise.reproducible = true);
        Ok((title, Folders { outcomes, ..Folders::default() }))
    }

    fn raw(&self) -> Result<Option<Private<Dataset>>, Failure> {
        let Some(truth) = &self.truth else { return Ok(None) };
        if Privatised::is_released(Path::new(truth)) {
            return Err(Failure::Usage(format!("{truth} was released: --truth needs the raw data")));
        }
        Ok(Some(Private::seal(open_named(truth)?)))
    }

    /// What others are compared with: as it was said, or as it is found.
    fn references(&self, outcomes: &[Outcome]) -> Result<References, Failure> {
        let mut cases: Vec<&str> = outcomes.iter().map(|outcome| outcome.case.as_str()).collect();
        cases.sort_unstable();
        cases.dedup();
        for case in [&self.floor, &self.non_private].into_iter().flatten() {
            if !cases.contains(&case.as_str()) {
                let text = format!("there is no case {case:?} among the runs: there are {}", cases.join("; "));
                return Err(Failure::Usage(text));
            }
        }
        let named = References { floor: self.floor.clone(), non_private: self.non_private.clone() };
        let found = named.or_found(outcomes);
        match &found.floor {
            Some(case) if found.floor == found.non_private => Err(Failure::Usage(format!(
                "{case:?} cannot be both the case without edges and the one that is not private: name two with --floor and --non-private"
            ))),
            _ => Ok(found),
        }
    }
}
