//! `veil lab report`: one page about many runs.
//!
//! `runs` opens run folders, groups them and adds the results of attacks; `made` is how the page
//! was made.

mod made;
mod runs;

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use veil_graph::Dataset;
use veil_graph::write::WriteError;
use veil_lab::sweep::Book;
use veil_lab::worth::{Candidates, References, words};
use veil_lab::{Outcome, Report};
use veil_privacy::Private;
use veil_privacy::release::Privatised;

use self::runs::Folders;
use super::sweep::choice;
use crate::failure::{Failure, usage};
use crate::output::{Output, grouped};
use crate::progress;
use veil_learn::pipeline;

pub use self::made::made;

/// Write a self-contained HTML page about a sweep or some runs
///
/// Runs that differ only in their seed form one point. The case of a run is its method and network,
/// such as "dpgcn, gcn". Run folders hold no fingerprint of the raw data: data sets of the same
/// name are treated as one, unless the folders differ; then they are numbered.
#[derive(Args)]
#[command(after_help = "Examples:\n  veil lab report sweep --out report.html\n  \
    veil lab report sweep --floor mlp --non-private gcn --title \"Edges of Cora\" --out report.html\n  \
    veil lab report run-1 run-2 --out report.html\n  \
    veil lab report run-1 --truth graph --attack run-1=linkteller.json --out mine.html")]
pub struct ReportCommand {
    /// Folder of a sweep, or folders written by veil train or veil privatize
    #[arg(required = true)]
    from: Vec<PathBuf>,
    /// File to write
    #[arg(long)]
    out: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
    /// Title of the page [default: the title of the sweep]
    #[arg(long)]
    title: Option<String>,
    /// Edge-free baseline case [default: the only such case]
    #[arg(long, value_name = "CASE")]
    floor: Option<String>,
    /// Non-private reference case for gaps [default: the only such case]
    #[arg(long, value_name = "CASE")]
    non_private: Option<String>,
    /// Raw data, to show released graphs beside the true one (the page is then for the owner only)
    #[arg(long, value_name = "DATA")]
    truth: Option<String>,
    /// Output of veil attack linkteller --json or lsa --json on a run (repeatable)
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
            return usage("--title is empty");
        }
        let bar = progress::working(output, "reading");
        let (title, Folders { outcomes, statements, graphs }) = match self.from.as_slice() {
            [one] if !runs::is_run(one) && !Privatised::is_released(one) => self.sweep(one)?,
            folders => {
                let mut found = Folders::open(folders, self.raw()?.as_ref())?;
                found.add_attacks(folders, &self.attacks)?;
                ("Runs".to_owned(), found)
            }
        };
        let references = self.references(&outcomes)?;
        let title = self.title.clone().unwrap_or(title);
        let report = Report { references, statements, graphs, ..Report::new(title, &outcomes, made()) };
        let written = if self.force { report.replace(&self.out) } else { report.write(&self.out) };
        written.map_err(|error| {
            let hint = matches!(error, WriteError::Exists { .. }).then(|| "--force replaces it".to_owned());
            Failure::Explained { message: error.to_string(), hint: hint.or_else(|| error.hint()), usage: false }
        })?;
        bar.finish_and_clear();
        for (role, cases) in words::unclear(&report.references, &Candidates::of(&outcomes)) {
            output.warning(&choice(role, &cases));
        }
        let bytes = std::fs::metadata(&self.out)?.len();
        let shown = Shown { out: &self.out, runs: outcomes.len(), bytes };
        output.show(&shown, || {
            format!("wrote {}: {} runs, {} KB", self.out.display(), grouped(outcomes.len()), bytes.div_ceil(1000))
        })
    }

    fn sweep(&self, folder: &Path) -> Result<(String, Folders), Failure> {
        let given = [("--truth", self.truth.is_some()), ("--attack", !self.attacks.is_empty())];
        if let Some((flag, _)) = given.into_iter().find(|(_, given)| *given) {
            return usage(format!("{flag} requires run folders: a sweep keeps no graphs"));
        }
        let book = Book::open(folder)?;
        let title = book.sweep()?.map(|(title, _)| title).unwrap_or_default();
        let mut outcomes = book.outcomes()?;
        // The noise of a sweep is from its seeds; books of earlier versions do not say so.
        let promises = outcomes.iter_mut().flat_map(|outcome| &mut outcome.promises);
        promises.for_each(|promise| promise.reproducible = true);
        Ok((title, Folders { outcomes, ..Folders::default() }))
    }

    fn raw(&self) -> Result<Option<Private<Dataset>>, Failure> {
        let Some(truth) = &self.truth else { return Ok(None) };
        if Privatised::is_released(Path::new(truth)) {
            return usage(format!("{truth} is a release: --truth requires the raw data"));
        }
        Ok(Some(Private::seal(pipeline::open(truth)?)))
    }

    /// The references, as named or as found.
    fn references(&self, outcomes: &[Outcome]) -> Result<References, Failure> {
        let mut cases: Vec<&str> = outcomes.iter().map(|outcome| outcome.case.as_str()).collect();
        cases.sort_unstable();
        cases.dedup();
        if let Some(case) =
            [&self.floor, &self.non_private].into_iter().flatten().find(|it| !cases.contains(&it.as_str()))
        {
            return usage(format!("no case {case:?} among the runs; there are {}", cases.join("; ")));
        }
        let named = References { floor: self.floor.clone(), non_private: self.non_private.clone() };
        let found = named.or_found(outcomes);
        match &found.floor {
            Some(case) if found.floor == found.non_private => {
                usage(format!("{case:?} cannot be both --floor and --non-private"))
            }
            _ => Ok(found),
        }
    }
}
