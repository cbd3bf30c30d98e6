//! `veil ledger`: the book of what was released.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde::Serialize;
use veil_learn::pipeline;
use veil_privacy::guarantee::Meaning;
use veil_privacy::ledger::{Head, Report, Verified, head_beside};
use veil_privacy::release::Privatised;
use veil_privacy::{Budget, Ledger, Private, Spent, Statement, Unit};

use super::statement::meaning;
use crate::failure::{Failure, read, usage};
use crate::output::{Output, say_waiting, table};

#[derive(Subcommand)]
#[command(after_help = "Examples:\n  veil ledger init book.db --budget feature=3 --budget label=3\n  \
    veil ledger show book.db\n  veil ledger add-snapshot book.db --data later --name 2027-01\n  \
    veil ledger backup book.db --out copy.db\n  veil ledger verify book.db --head copy.db.head")]
pub enum LedgerCommand {
    /// Create a ledger with a budget for each unit
    #[command(after_help = format!(
        "Units, what one ε of each protects:\n{}\n\nExamples:\n  \
         veil ledger init book.db --budget edge-bit=4 --budget feature=3 --budget label=3\n  \
         veil ledger init book.db --budget node=8,1e-5",
        Unit::list()
    ))]
    Init {
        /// Ledger file to create
        path: PathBuf,
        /// Budget as UNIT=EPSILON or UNIT=EPSILON,DELTA; the units are listed below
        #[arg(long, required = true)]
        budget: Vec<Budget>,
        /// Name of the data lineage (all snapshots together)
        #[arg(long, value_name = "NAME")]
        lineage: Option<String>,
        /// New file to which every charge writes the head, best on another disk; an older copy of
        /// the ledger is then refused
        #[arg(long, value_name = "FILE")]
        head_file: Option<PathBuf>,
    },
    /// Add a later snapshot of the same data: releases from it are then charged to this ledger
    ///
    /// Spending is summed over all snapshots, as if the data had not changed.
    #[command(after_help = "Examples:\n  veil ledger add-snapshot book.db --data later --name 2027-01")]
    AddSnapshot {
        /// Ledger file
        path: PathBuf,
        /// Data set
        #[arg(long)]
        data: String,
        /// Name of the snapshot [default: that of the data set]
        #[arg(long)]
        name: Option<String>,
    },
    /// Show spent and remaining budgets and every entry
    #[command(after_help = "Examples:\n  veil ledger show book.db\n  veil ledger show book.db --json")]
    Show {
        /// Ledger file
        path: PathBuf,
    },
    /// Verify that a ledger adds up, and that it is not an older copy
    ///
    /// Every command that reads a ledger checks that it adds up. Only heads and statements that
    /// were kept elsewhere show that an older copy, or another ledger, was put in its place.
    #[command(
        after_help = "Examples:\n  veil ledger verify book.db\n  veil ledger verify book.db --head copy.db.head\n  \
        veil ledger verify book.db --statement released --statement run/privacy.json"
    )]
    Verify {
        /// Ledger file
        path: PathBuf,
        /// Head that the ledger must have had: a file, or the text itself
        #[arg(long, value_name = "FILE|HEAD")]
        head: Vec<String>,
        /// Statement of a release that the ledger must have been charged for: a folder, or its
        /// privacy.json
        #[arg(long, value_name = "PATH")]
        statement: Vec<PathBuf>,
    },
    /// Copy a ledger, with its head in a file beside the copy
    #[command(after_help = "Examples:\n  veil ledger backup book.db --out copy.db")]
    Backup {
        /// Ledger file
        path: PathBuf,
        /// Backup to create; its head is written to FILE.head
        #[arg(long)]
        out: PathBuf,
    },
}

impl LedgerCommand {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        match self {
            LedgerCommand::Init { path, budget, lineage, head_file } => {
                let mut ledger = Ledger::create_for(&path, &budget, lineage.as_deref(), head_file.as_deref())?;
                let report = ledger.report()?;
                output.show_made(&path, &Shown::new(&path, &report), || {
                    format!("made {}\n{}", path.display(), units(&report))
                });
                Ok(())
            }
            LedgerCommand::AddSnapshot { path, data, name } => {
                let data = Private::seal(pipeline::raw(&data)?);
                let mut ledger = open(&path)?;
                ledger.add_snapshot(&data, name.as_deref())?;
                let report = ledger.report()?;
                output.show_made(&path, &Shown::new(&path, &report), || describe(&report));
                Ok(())
            }
            LedgerCommand::Show { path } => {
                let report = open(&path)?.report()?;
                output.show(&Shown::new(&path, &report), || describe(&report))
            }
            LedgerCommand::Verify { path, head, statement } => {
                let heads = head.into_iter().map(known_head).collect::<Result<Vec<_>, _>>()?;
                let statements = statement.iter().map(|path| known_statement(path)).collect::<Result<Vec<_>, _>>()?;
                let verified = open(&path)?.verify(&heads, &statements)?;
                output.show(&Checked { path: path.clone(), verified: &verified }, || {
                    let Verified { head, heads, statements, .. } = &verified;
                    let compared = match (heads, statements) {
                        (0, 0) => {
                            "not compared with anything kept elsewhere: an older copy would not be noticed".to_owned()
                        }
                        _ => format!("compared with {heads} heads and {statements} statements kept elsewhere"),
                    };
                    format!("{} adds up: {} entries; {compared}\nhead {head}", path.display(), head.entries)
                })
            }
            LedgerCommand::Backup { path, out } => {
                let head = open(&path)?.backup(&out)?;
                let copied = Copied { head_file: head_beside(&out), path, out, head };
                output.show_made(&copied.out, &copied, || {
                    let Copied { path, out, head, head_file } = &copied;
                    let (path, out, head_file) = (path.display(), out.display(), head_file.display());
                    format!("copied {path} to {out}\nhead {head}, also in {head_file}")
                });
                Ok(())
            }
        }
    }
}

/// Opens a ledger, and says so while another process holds it.
fn open(path: &Path) -> Result<Ledger, Failure> {
    Ok(Ledger::open_with(path, Some(say_waiting))?)
}

/// A head as text, or the file that holds it.
fn known_head(given: String) -> Result<(String, Head), Failure> {
    if let Ok(head) = given.parse() {
        return Ok(("the command line".to_owned(), head));
    }
    if !Path::new(&given).exists() {
        return usage(format!(
            "{given:?} is neither a head (a number of entries, a colon, 64 hexadecimal digits) nor a file"
        ));
    }
    let head = read(Path::new(&given))?.parse::<Head>();
    let head = head.map_err(|error| Failure::Unexpected(format!("{given}: {error}")))?;
    Ok((given, head))
}

/// The statement in a folder, or in a file of a folder.
fn known_statement(path: &Path) -> Result<(String, Statement), Failure> {
    let folder = match path.file_name() {
        _ if path.is_dir() => path,
        Some(name) if name == "privacy.json" => path.parent().unwrap_or(Path::new("")),
        _ => return usage(format!("{} is neither a folder nor its privacy.json", path.display())),
    };
    Ok((path.display().to_string(), Privatised::statement_of(folder)?))
}

#[derive(Serialize)]
struct Checked<'a> {
    path: PathBuf,
    #[serde(flatten)]
    verified: &'a Verified,
}

#[derive(Serialize)]
struct Copied {
    path: PathBuf,
    out: PathBuf,
    #[serde(flatten)]
    head: Head,
    head_file: PathBuf,
}

#[derive(Serialize)]
struct Shown<'a> {
    path: PathBuf,
    #[serde(flatten)]
    report: &'a Report,
    /// What the spent ε and the whole budgets mean.
    meaning: Vec<Meaning>,
}

impl<'a> Shown<'a> {
    fn new(path: &Path, report: &'a Report) -> Shown<'a> {
        Shown { path: path.to_owned(), report, meaning: meanings(report) }
    }
}

/// What ε means that is spent, and that could be.
fn meanings(report: &Report) -> Vec<Meaning> {
    let of_unit = |it: &veil_privacy::ledger::UnitReport| {
        let whole = it.budget.map(|budget| (Spent::Finite(budget), it.delta_budget));
        let spent = Meaning::of_spent(it.unit, &format!("{}, spent", it.unit), (it.spent, it.delta_spent), None);
        let whole = whole.and_then(|whole| Meaning::of_spent(it.unit, &format!("{}, budget", it.unit), whole, None));
        [spent, whole]
    };
    report.units.iter().flat_map(of_unit).flatten().collect()
}

/// What each unit has spent.
pub fn units(report: &Report) -> String {
    let rows = report.units.iter().map(|unit| {
        let delta = format!("{} of {}", unit.delta_spent, unit.delta_budget);
        let budget = unit.budget.map_or_else(|| "none".to_owned(), |budget| budget.to_string());
        vec![unit.unit.to_string(), budget, unit.spent.to_string(), unit.left.to_string(), delta]
    });
    table(&["unit", ">ε budget", ">ε spent", ">ε left", ">δ spent"], rows)
}

fn describe(report: &Report) -> String {
    let mut text = units(report);
    if let Some(lineage) = &report.lineage {
        text += &format!("\nabout {lineage}");
    }
    if report.snapshots.is_empty() {
        text += "\nnot charged yet, so not bound to a data set";
    } else {
        let rows = report.snapshots.iter().map(|it| vec![it.name.clone(), it.added.clone(), it.fingerprint.clone()]);
        text += "\n";
        text += &table(&["snapshot", "added", "fingerprint (keep it to yourself)"], rows);
    }
    if !report.entries.is_empty() {
        let rows = report.entries.iter().map(|entry| {
            let guarantee = &entry.guarantee;
            let note = if entry.reproducible { "reproducible, not private" } else { "" };
            let about = match (&entry.snapshot, &entry.data) {
                (Some(snapshot), _) => snapshot.clone(),
                (None, Some(data)) => format!("{data} (another graph)"),
                (None, None) => "not recorded".to_owned(),
            };
            vec![
                entry.number.to_string(),
                entry.charged.clone(),
                about,
                guarantee.unit.to_string(),
                entry.epsilon.to_string(),
                entry.delta.to_string(),
                guarantee.status.to_string(),
                guarantee.mechanism.clone(),
                note.to_owned(),
            ]
        });
        text += "\n";
        text += &table(&[">no", "charged", "data", "unit", ">ε", ">δ", "status", "mechanism", "note"], rows);
    }
    text += &meaning(&meanings(report));
    text += &format!("\nhead {}", report.head);
    let seeded = report.entries.iter().filter(|entry| entry.reproducible).count();
    if seeded > 0 {
        text += &format!(
            "\n{seeded} entries are reproducible: unbounded, because anyone who knows or guesses the seed removes the noise"
        );
    }
    text
}
