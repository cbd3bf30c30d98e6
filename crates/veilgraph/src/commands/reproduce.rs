//! `veil reproduce`: a published table, run again, ours beside theirs.

use std::collections::BTreeSet;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use serde::Serialize;
use serde_json::Value;
use veil_lab::report::Made;
use veil_lab::reproduce::{Row, TARGETS, Target, compare};
use veil_lab::{Outcome, Report};

use super::report::made;
use super::sweep::{Swept, carried_out, named};
use crate::failure::Failure;
use crate::output::{Output, table};

/// Run a published table again, and show ours beside theirs
#[derive(Args)]
#[command(after_help = "Examples:\n  veil reproduce                                   (what there is)\n  \
    veil reproduce graphprivatizer/table-6 --data cora=data/cora --seeds 3 --models gcn,sage\n  \
    veil reproduce lpgnet/figures-5-6 --data cora=data/cora --data citeseer=data/citeseer --json\n\n\
    Runs are kept in the folder --out (default: reproduced/NAME) as those of veil sweep are: interrupted, the same command goes on.")]
pub struct Reproduce {
    /// The table [default: a list of all]
    name: Option<String>,
    /// Where data are that the table names; those that are not given are left out
    #[arg(long, value_name = "NAME=PATH", value_parser = named)]
    data: Vec<(String, String)>,
    /// Seeds 1 to N [default: as many as were published]
    #[arg(long, value_name = "N")]
    seeds: Option<NonZeroU32>,
    /// Only these networks
    #[arg(long, value_name = "MODEL", value_delimiter = ',')]
    models: Vec<String>,
    /// How many runs at a time, each on one core [default: all cores]
    #[arg(long, value_name = "N")]
    cores: Option<NonZeroUsize>,
    /// The folder of the runs: made if it is not there, gone on with if it is [default: reproduced/NAME]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Shown {
    name: &'static str,
    source: &'static str,
    out: PathBuf,
    runs: usize,
    failed: usize,
    seconds: f64,
    /// How many figures agree within the joint uncertainty.
    agree: usize,
    rows: Vec<Row>,
}

/// A target, for the list.
#[derive(Serialize)]
struct Listed {
    name: &'static str,
    source: &'static str,
    data: Vec<String>,
}

impl Reproduce {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let Some(name) = &self.name else { return list(output) };
        let names = || TARGETS.iter().map(|target| target.name).collect::<Vec<_>>().join(", ");
        let target = Target::find(name)
            .ok_or_else(|| Failure::Usage(format!("{name:?} is no table that can be run ({})", names())))?;
        let out = self.out.clone().unwrap_or_else(|| Path::new("reproduced").join(name));
        let start = Instant::now();
        let (outcomes, failed) = self.swept(target, &out, output)?;
        let rows = compare(target, &outcomes, 1)?;
        let agree = rows.iter().filter(|row| row.agreement.agrees).count();
        let seconds = start.elapsed().as_secs_f64();
        report(target, &outcomes, &out, made())?;
        let shown =
            Shown { name: target.name, source: target.source, out, runs: outcomes.len(), failed, seconds, agree, rows };
        output.show(&shown, || shown.describe())
    }

    /// Every run that the table needs, of the data that were given.
    fn swept(&self, target: &Target, out: &Path, output: &Output) -> Result<(Vec<Outcome>, usize), Failure> {
        let mut sweep = target.sweep()?;
        let given: Vec<&str> = self.data.iter().map(|(name, _)| name.as_str()).collect();
        let known = sweep.data_names()?;
        if let Some(unknown) = given.iter().find(|name| !known.contains(**name)) {
            let known: Vec<String> = known.into_iter().collect();
            return Err(Failure::Usage(format!(
                "{} has no data {unknown:?} (it has {})",
                target.name,
                known.join(", ")
            )));
        }
        if given.is_empty() {
            let known: Vec<String> = known.into_iter().map(|name| format!("--data {name}=PATH")).collect();
            return Err(Failure::Usage(format!("say where data are: {}", known.join(" "))));
        }
        sweep.only("data", &given)?;
        if let Some(seeds) = self.seeds {
            sweep.seeds = (1..=u64::from(seeds.get())).collect();
        }
        if !self.models.is_empty() {
            let known: BTreeSet<String> =
                sweep.wanted()?.iter().filter_map(|run| run.point.get("model").map(plain)).collect();
            if let Some(unknown) = self.models.iter().find(|model| !known.contains(*model)) {
                let known: Vec<String> = known.into_iter().collect();
                return Err(Failure::Usage(format!(
                    "{} has no network {unknown:?} (it has {})",
                    target.name,
                    if known.is_empty() { "one alone".to_owned() } else { known.join(", ") }
                )));
            }
            let models: Vec<&str> = self.models.iter().map(String::as_str).collect();
            sweep.only("model", &models)?;
        }
        let Swept { done, outcomes, .. } = carried_out(&sweep, (&self.data, out), self.cores, false, output)?;
        Ok((outcomes, done.failed))
    }
}

/// A page beside the runs, made again each time.
fn report(target: &Target, outcomes: &[Outcome], out: &Path, made: Made) -> Result<(), Failure> {
    let path = out.join("report.html");
    if path.exists() {
        std::fs::remove_file(&path)?;
    }
    Ok(Report::new(target.source, outcomes, made).write(&path)?)
}

fn list(output: &Output) -> Result<(), Failure> {
    let listed = TARGETS.iter().map(|target| {
        let data = target.sweep()?.data_names()?.into_iter().collect();
        Ok(Listed { name: target.name, source: target.source, data })
    });
    let listed: Vec<Listed> = listed.collect::<Result<_, Failure>>()?;
    output.show(&listed, || {
        let rows = listed.iter().map(|it| vec![it.name.to_owned(), it.data.join(", "), it.source.to_owned()]);
        table(&["name", "data", "what"], rows)
    })
}

impl Shown {
    fn describe(&self) -> String {
        let number = |it: f64| format!("{it:.1}");
        // Shares are shown in percent, as the others are.
        let scaled = |it: f64, row: &Row| number(if row.shares { 100.0 * it } else { it });
        let rows = self.rows.iter().map(|row| {
            let point: Vec<String> = row.point.iter().map(|(name, value)| format!("{name} {}", plain(value))).collect();
            let deviation = |it: Option<f64>| it.map_or_else(String::new, |it| format!(" ± {}", scaled(it, row)));
            vec![
                row.data.clone(),
                row.case.clone(),
                point.join(", "),
                row.figure.clone(),
                format!("{}{}", scaled(row.ours.mean, row), deviation(row.ours.deviation)),
                format!("{}{}", scaled(row.published, row), deviation(row.published_deviation)),
                format!("{:+.1}", if row.shares { 100.0 } else { 1.0 } * row.agreement.difference),
                if row.agreement.agrees { "yes" } else { "no" }.to_owned(),
                row.p_value.map_or_else(String::new, |p| format!("{p:.3}")),
            ]
        });
        let columns = ["data", "case", "point", "figure", ">ours", ">published", ">difference", "agree", ">p (Holm)"];
        if self.rows.is_empty() {
            let page = self.out.join("report.html");
            return format!(
                "{}\nnothing was published in figures: {} runs are in {}",
                self.source,
                self.runs,
                page.display()
            );
        }
        format!(
            "{}\n{}\n{} of {} figures agree within the joint uncertainty{}; {} runs, {:.0} s; {}",
            self.source,
            table(&columns, rows),
            self.agree,
            self.rows.len(),
            // One run has no deviation: what it differs by counts against theirs alone.
            if self.rows.iter().any(|row| row.ours.deviation.is_none()) {
                " (of theirs alone where ours is one run: ask for more --seeds)"
            } else {
                ""
            },
            self.runs,
            self.seconds,
            self.out.join("report.html").display(),
        )
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
