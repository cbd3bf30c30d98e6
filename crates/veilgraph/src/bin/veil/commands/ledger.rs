//! `veil ledger`: the book of what was released.

use std::path::PathBuf;

use clap::Subcommand;
use serde::Serialize;
use veil_learn::pipeline;
use veil_privacy::ledger::Report;
use veil_privacy::{Budget, Ledger, Private};

use crate::failure::Failure;
use crate::output::{Output, table};

#[derive(Subcommand)]
#[command(after_help = "Examples:\n  veil ledger init book.db --budget feature=3 --budget label=3\n  \
    veil ledger show book.db\n  veil ledger add-snapshot book.db --data later --name 2027-01")]
pub enum LedgerCommand {
    /// Create a ledger with a budget for each unit
    #[command(
        after_help = "Examples:\n  veil ledger init book.db --budget edge-bit=4 --budget feature=3 --budget label=3\n  \
                            veil ledger init book.db --budget node=8,1e-5"
    )]
    Init {
        /// Ledger file to create
        path: PathBuf,
        /// Budget as UNIT=EPSILON or UNIT=EPSILON,DELTA; units: feature, label, edge-bit, edge-set,
        /// edge, node
        #[arg(long, required = true)]
        budget: Vec<Budget>,
        /// Name of the data that the ledger is about, over all their snapshots
        #[arg(long, value_name = "NAME")]
        lineage: Option<String>,
    },
    /// Add a later snapshot of the same data: releases from it are then charged to this ledger
    ///
    /// Sums go over all snapshots, as if the data had not changed.
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
}

impl LedgerCommand {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        match self {
            LedgerCommand::Init { path, budget, lineage } => {
                let report = Ledger::create_for(&path, &budget, lineage.as_deref())?.report()?;
                output.show(&Shown { path: path.clone(), report: &report }, || {
                    format!("made {}\n{}", path.display(), units(&report))
                })
            }
            LedgerCommand::AddSnapshot { path, data, name } => {
                let data = Private::seal(pipeline::raw(&data)?);
                let mut ledger = Ledger::open(&path)?;
                ledger.add_snapshot(&data, name.as_deref())?;
                let report = ledger.report()?;
                output.show(&Shown { path, report: &report }, || describe(&report))
            }
            LedgerCommand::Show { path } => {
                let report = Ledger::open(&path)?.report()?;
                output.show(&Shown { path, report: &report }, || describe(&report))
            }
        }
    }
}

#[derive(Serialize)]
struct Shown<'a> {
    path: PathBuf,
    #[serde(flatten)]
    report: &'a Report,
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
    let seeded = report.entries.iter().filter(|entry| entry.reproducible).count();
    if seeded > 0 {
        text += &format!(
            "\n{seeded} entries are reproducible: unbounded, because anyone who knows or guesses the seed removes the noise"
        );
    }
    text
}
