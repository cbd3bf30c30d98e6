//! `veil lab reproduce`: runs a published table again and compares the figures.

mod request;
mod show;

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;
use veil_lab::frontier::{Part, page};
use veil_lab::reproduce::{Account, CompareError, Homophily, Row, Size, Target, Work, compare};
use veil_lab::students::Grid;
use veil_lab::worth::References;
use veil_lab::{Outcome, Report};
use veil_learn::pipeline;

use self::show::{Shown, Warning};
use super::interrupt;
use super::report::made;
use super::sweep::{carried_out, named};
use crate::failure::{Failure, usage};
use crate::output::{Output, table};
use crate::progress;

/// Reproduce a published table and compare the figures
#[derive(Args, Clone)]
#[command(after_help = "Examples:\n  veil lab reproduce                                   (list all tables)\n  \
    veil lab reproduce graphprivatizer/table-6 --data cora=data/cora --seeds 3 --models gcn,sage\n  \
    veil lab reproduce lpgnet/figures-5-6 --data cora=data/cora --data citeseer=data/citeseer --json\n  \
    veil lab reproduce privgnn/table-3                   (computed: no data)\n  \
    veil lab reproduce frontier --data cora=data/cora --page docs\n\n\
    Runs are saved in --out as by veil lab sweep; the same command resumes after an interruption\n\
    (lpgnet/figure-3, which takes seconds, restarts). Tables with students also save the teachers'\n\
    answers, which are raw private data. --data arxiv=FOLDER is a folder written by\n\
    veil data split-private --by YEARS.")]
pub struct Reproduce {
    /// Table to reproduce, or a group of tables, such as lpgnet [default: list all tables]
    name: Option<String>,
    /// Path or fetched name of a data set of the table; data sets not given are skipped
    #[arg(long, value_name = "NAME=PATH", value_parser = named)]
    data: Vec<(String, String)>,
    /// Use seeds 1 to N [default: as many as published]
    #[arg(long, value_name = "N")]
    seeds: Option<NonZeroU32>,
    /// Run only these networks
    #[arg(long, value_name = "MODEL", value_delimiter = ',')]
    models: Vec<String>,
    /// Number of parallel runs, one core each [default: all cores]
    #[arg(long, value_name = "N")]
    cores: Option<NonZeroUsize>,
    /// Repeat runs that failed before
    #[arg(long)]
    retry_failed: bool,
    /// Folder of the runs: new, or to resume [default: reproduced/NAME]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Write accuracy against true ε as a page with pictures (frontier.md) into this folder
    #[arg(long, value_name = "FOLDER")]
    page: Option<PathBuf>,
}

/// A table that was reproduced.
struct Done {
    target: &'static Target,
    /// The folder of the runs, if anything was run.
    out: Option<PathBuf>,
    outcomes: Vec<Outcome>,
    time: Duration,
    rows: Vec<Row>,
    warnings: Vec<Warning>,
}

impl Done {
    fn shown(&self) -> Shown<'_> {
        let Done { target, out, outcomes, time, rows, warnings } = self;
        Shown::new(target, out.clone(), outcomes, *time, rows.clone(), warnings.clone())
    }
}

/// A target in the list.
#[derive(Serialize)]
struct Listed {
    name: &'static str,
    source: &'static str,
    data: Vec<String>,
}

impl Reproduce {
    pub fn run(mut self, output: &Output) -> Result<(), Failure> {
        // Data sets that are fetched by name have hyphens in their names.
        self.data.iter_mut().for_each(|(name, _)| *name = name.replace('-', "_"));
        let Some(name) = &self.name else { return list(output) };
        let targets = Target::named(name);
        if targets.is_empty() {
            let known: Vec<&str> = Target::all().iter().map(|target| target.name.as_str()).collect();
            return usage(format!("unknown table {name:?}; known: {}", known.join(", ")));
        }
        let group = Target::find(name).is_none();
        if group {
            self.refuse_unknown_data(&targets)?;
        }
        let (mut all, mut parts) = (Vec::new(), Vec::new());
        for target in targets {
            let own = if group { self.of_group(target)? } else { Some(self.clone()) };
            let Some(own) = own else { continue };
            let done = own.reproduce(target, output)?;
            let part = target.name.rsplit('/').next().unwrap_or(&target.name);
            parts.extend(Part::of(part, &target.source, &done.outcomes));
            all.push(done);
        }
        if all.is_empty() {
            return usage(format!("no table of {name} has any of the given data"));
        }
        if let Some(folder) = &self.page {
            write_page(&parts, folder)?;
        }
        let shown: Vec<Shown<'_>> = all.iter().map(Done::shown).collect();
        let text = || shown.iter().map(Shown::describe).collect::<Vec<_>>().join("\n\n");
        match shown.as_slice() {
            [one] if !group => output.show(one, text),
            all => output.show(&all, text),
        }
    }

    /// One table.
    fn reproduce(&self, target: &'static Target, output: &Output) -> Result<Done, Failure> {
        self.check_flags(target)?;
        let start = Instant::now();
        let out = self.out.clone().unwrap_or_else(|| Path::new("reproduced").join(&target.name));
        let is_run = !matches!(target.work, Work::Accounts(_));
        let mut warnings = Vec::new();
        if is_run {
            self.check_data(target)?;
            warnings = self.warn_of_other_sizes(output)?;
        }
        let outcomes = match &target.work {
            Work::Sweep(experiment) => {
                let sweep = self.sweep(target, experiment)?;
                carried_out(&sweep, (&self.data, &out), self.cores, self.retry_failed, output)?.outcomes
            }
            Work::Students(students) => self.students(students, &out, output)?,
            Work::Homophily(homophily) => self.homophily(homophily, &out, output)?,
            Work::Accounts(accounts) => accounts.iter().map(Account::outcomes).collect::<Result<Vec<_>, _>>()?.concat(),
        };
        refuse_failure(&outcomes)?;
        let rows = compare(target, &outcomes, 1)?;
        if is_run {
            report(target, &outcomes, &out)?;
        }
        Ok(Done { target, out: is_run.then_some(out), outcomes, time: start.elapsed(), rows, warnings })
    }

    /// Warns of data that have another size than the published ones.
    fn warn_of_other_sizes(&self, output: &Output) -> Result<Vec<Warning>, Failure> {
        let bar = progress::working(output, "reading");
        let mut warnings = Vec::new();
        for (name, place) in &self.data {
            let Some(published) = Size::published(name).map_err(CompareError::from)? else { continue };
            let found = Size::of(&pipeline::open(place)?);
            if found != published {
                warnings.push(Warning { data: name.clone(), found, published });
            }
        }
        bar.finish_and_clear();
        warnings.iter().for_each(|warning| output.warning(&warning.describe()));
        Ok(warnings)
    }

    fn seeds(&self, default: u64) -> Vec<u64> {
        (1..=self.seeds.map_or(default, |seeds| u64::from(seeds.get()))).collect()
    }

    /// Students on every given graph, each with a folder of its own.
    fn students(&self, all: &[Grid], out: &Path, output: &Output) -> Result<Vec<Outcome>, Failure> {
        let mut outcomes = Vec::new();
        for (name, place) in &self.data {
            pipeline::refuse_inside(out, Path::new(place))?;
            let Some(students) = all.iter().find(|it| it.data == *name) else { continue };
            let part = |name: &str| pipeline::open(&Path::new(place).join(name).display().to_string());
            let given = students.has_given_parts();
            let graph = if given { part("private")? } else { pipeline::open(place)? };
            let public = given.then(|| part("public")).transpose()?;
            interrupt::set_resumable();
            let bar = progress::several(output);
            let watch = progress::watch(&bar);
            // One split, as published.
            let work = || students.outcomes((&graph, public.as_ref()), &self.seeds(1), &out.join(name), &watch);
            let found = match self.cores {
                None => work(),
                Some(cores) => {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(cores.get()).build();
                    pool.map_err(|error| Failure::Unexpected(error.to_string()))?.install(work)
                }
            };
            bar.finish_and_clear();
            outcomes.extend(found?);
        }
        Ok(outcomes)
    }

    /// The homophily of predictions. It takes seconds: only the report is kept.
    fn homophily(&self, homophily: &Homophily, out: &Path, output: &Output) -> Result<Vec<Outcome>, Failure> {
        let seeds = self.seeds(homophily.seeds);
        let models = self.data.len() * homophily.models() * seeds.len();
        let bar = progress::counting(output, "models", models as u64);
        let mut outcomes = Vec::new();
        for (name, place) in &self.data {
            pipeline::refuse_inside(out, Path::new(place))?;
            outcomes.extend(homophily.outcomes((name, &pipeline::open(place)?), &seeds, &|| bar.inc(1))?);
        }
        bar.finish_and_clear();
        std::fs::create_dir_all(out)?;
        Ok(outcomes)
    }
}

/// Without any successful run there is no result.
fn refuse_failure(outcomes: &[Outcome]) -> Result<(), Failure> {
    match outcomes.first() {
        Some(Outcome { case, data, seed, error: Some(error), .. }) if outcomes.iter().all(|it| it.error.is_some()) => {
            let count = outcomes.len();
            Err(Failure::Unexpected(format!(
                "all {count} runs failed, the first ({case} on {data}, seed {seed}): {error}"
            )))
        }
        _ => Ok(()),
    }
}

/// Accuracy against true ε, in files that are replaced.
fn write_page(parts: &[Part], folder: &Path) -> Result<(), Failure> {
    if parts.is_empty() {
        return usage("--page requires a table of runs with an ε of edges or nodes".to_owned());
    }
    std::fs::create_dir_all(folder)?;
    for (name, text) in page(parts, &made()) {
        std::fs::write(folder.join(name), text)?;
    }
    Ok(())
}

/// The page beside the runs, made anew each time.
fn report(target: &Target, outcomes: &[Outcome], out: &Path) -> Result<(), Failure> {
    let path = out.join("report.html");
    if path.exists() {
        std::fs::remove_file(&path)?;
    }
    let references = References::default().or_found(outcomes);
    Ok(Report { references, ..Report::new(&target.source, outcomes, made()) }.write(&path)?)
}

fn list(output: &Output) -> Result<(), Failure> {
    let listed = Target::all().iter().map(|target| {
        let data = target.data_names()?.into_iter().collect();
        Ok(Listed { name: &target.name, source: &target.source, data })
    });
    let listed: Vec<Listed> = listed.collect::<Result<_, Failure>>()?;
    output.show(&listed, || {
        let rows = listed.iter().map(|it| vec![it.name.to_owned(), it.data.join(", "), it.source.to_owned()]);
        table(&["name", "data", "source"], rows)
    })
}
