//! `veil ledger`: the book of what was released.

use std::path::PathBuf;

use clap::Subcommand;
use serde::Serialize;
use veil_privacy::ledger::Report;
use veil_privacy::{Budget, Ledger};

use crate::failure::Failure;
use crate::output::{Output, table};

#[derive(Subcommand)]
#[command(after_help = "Examples:\n  veil ledger init book.db --budget feature=3 --budget label=3\n  \
    veil ledger show book.db")]
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
            LedgerCommand::Init { path, budget } => {
                let report = Ledger::create(&path, &budget)?.report()?;
                output.show(&Shown { path: path.clone(), report: &report }, || {
                    format!("made {}\n{}", path.display(), units(&report))
                })
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
    match &report.fingerprint {
        Some(fingerprint) => {
            text += &format!("\nbound to the data with fingerprint {fingerprint} (keep it to yourself)")
        }
        None => text += "\nnot charged yet, so not bound to a data set",
    }
    if !report.entries.is_empty() {
        let rows = report.entries.iter().map(|entry| {
            let guarantee = &entry.guarantee;
            let note = if entry.reproducible { "reproducible, not private" } else { "" };
            vec![
                entry.number.to_string(),
                entry.charged.clone(),
                guarantee.unit.to_string(),
                entry.epsilon.to_string(),
                entry.delta.to_string(),
                guarantee.status.to_string(),
                guarantee.mechanism.clone(),
                note.to_owned(),
            ]
        });
        text += "\n";
        text += &table(&[">no", "charged", "unit", ">ε", ">δ", "status", "mechanism", "note"], rows);
    }
    let seeded = report.entries.iter().filter(|entry| entry.reproducible).count();
    if seeded > 0 {
        text += &format!(
            "\n{seeded} entries are reproducible: their ε does not hold against anyone who knows or guesses the seed"
        );
    }
    text
}
