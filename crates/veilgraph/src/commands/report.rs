//! `veil report`: what many runs say together, on one page.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use serde::Serialize;
use veil_lab::report::Made;
use veil_lab::sweep::Book;
use veil_lab::worth::References;
use veil_lab::{Outcome, Promised, Report, decided};
use veil_learn::Run;

use crate::failure::Failure;
use crate::output::{Output, grouped};
use crate::progress;

/// Show what a sweep, or some runs, say together: one HTML file that needs nothing else
#[derive(Args)]
#[command(after_help = "Examples:\n  veil report sweep --out report.html\n  \
    veil report sweep --floor mlp --non-private gcn --title \"Edges of Cora\" --out report.html\n  \
    veil report run-1 run-2 --out report.html")]
pub struct ReportCommand {
    /// The folder of a sweep, or run folders
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
        let bar = progress::working(output, "reading");
        let (title, outcomes, statements, seeded) = match self.from.as_slice() {
            [one] if !is_run(one) => {
                let book = Book::open(one)?;
                let title = book.sweep()?.map(|(title, _)| title).unwrap_or_default();
                (title, book.outcomes()?, Vec::new(), true)
            }
            runs => {
                let opened = runs.iter().map(|folder| of_run(folder)).collect::<Result<Vec<_>, _>>()?;
                let seeded = opened.iter().any(|(.., seeded)| *seeded);
                let (outcomes, statements) =
                    opened.into_iter().map(|(outcome, statement, _)| (outcome, statement)).unzip();
                ("Runs".to_owned(), outcomes, statements, seeded)
            }
        };
        for case in [&self.floor, &self.non_private].into_iter().flatten() {
            if !outcomes.iter().any(|outcome| outcome.case == *case) {
                return Err(Failure::Usage(format!("there is no case {case:?} among the runs")));
            }
        }
        let title = self.title.clone().unwrap_or(title);
        let mut report = Report::new(title, &outcomes, made());
        let named = References { floor: self.floor.clone(), non_private: self.non_private.clone() };
        References { floor: report.floor, non_private: report.non_private } = named.or_found(&outcomes);
        report.statements = statements;
        report.seeded = seeded;
        report.write(&self.out)?;
        bar.finish_and_clear();
        let bytes = std::fs::metadata(&self.out)?.len();
        let shown = Shown { out: &self.out, runs: outcomes.len(), bytes };
        output.show(&shown, || {
            format!("wrote {}: {} runs, {} KB", self.out.display(), grouped(outcomes.len()), bytes.div_ceil(1000))
        })
    }
}

fn is_run(folder: &Path) -> bool {
    folder.join("run.json").exists()
}

/// A run folder as an outcome, its statement, and whether its noise came from a seed.
fn of_run(folder: &Path) -> Result<(Outcome, (String, String), bool), Failure> {
    let run = Run::open(folder)?;
    let name =
        folder.file_name().map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned());
    let text = std::fs::read_to_string(folder.join("metrics.json")).unwrap_or_default();
    let metrics: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let figure = |name: &str, value: Option<f64>| value.map(|value| (name.to_owned(), value));
    let figures = [
        figure("test_accuracy", metrics["truth"]["test_accuracy"].as_f64()),
        figure("validation_accuracy", run.validation_accuracy()),
    ];
    let statement = run.released().statement();
    let outcome = Outcome {
        case: name.clone(),
        data: run.released().data().name().to_owned(),
        parameters: decided(&run.record().parameters, &run.record().split, &run.record().range),
        seed: run.record().training_seed,
        figures: figures.into_iter().flatten().collect(),
        promises: statement.guarantees.iter().map(Promised::from).collect(),
        seconds: run.record().seconds.train,
        ..Outcome::default()
    };
    Ok((outcome, (name, statement.to_markdown()), statement.reproducible))
}

/// When and how this is made.
pub fn made() -> Made {
    let command: Vec<String> = std::env::args().skip(1).collect();
    Made {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        date: today(),
        command: format!("veil {}", command.join(" ")),
    }
}

/// Today's date (UTC), as year-month-day.
fn today() -> String {
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    let (year, month, day) = civil(days);
    format!("{year}-{month:02}-{day:02}")
}

/// The date so many days after 1970-01-01, in the Gregorian calendar (Hinnant, "chrono-compatible low-level date algorithms": years begin in March).
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year + 400 * era + u64::from(month <= 2), month, of_year - (153 * from_march + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_by_hand() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(59), (1970, 3, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_773), (2026, 11, 16));
        assert_eq!(civil(47_541), (2100, 3, 1));
    }
}
