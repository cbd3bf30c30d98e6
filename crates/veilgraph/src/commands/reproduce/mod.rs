//! `veil reproduce`: a published table, run again, ours beside theirs.

mod show;

use std::collections::BTreeSet;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use serde::Serialize;
use veil_lab::outcome::written;
use veil_lab::report::Made;
use veil_lab::reproduce::{Account, Experiment, Homophily, Students, TARGETS, Target, Work, compare};
use veil_lab::worth::References;
use veil_lab::{Outcome, Report};

use self::show::Shown;
use super::data::open_named;
use super::releasing::refuse_inside;
use super::report::made;
use super::resuming;
use super::sweep::{carried_out, named};
use crate::failure::Failure;
use crate::output::{Output, table};
use crate::progress;

/// Run a published table again, and show ours beside theirs
#[derive(Args)]
#[command(after_help = "Examples:\n  veil reproduce                                   (what there is)\n  \
    veil reproduce graphprivatizer/table-6 --data cora=data/cora --seeds 3 --models gcn,sage\n  \
    veil reproduce lpgnet/figures-5-6 --data cora=data/cora --data citeseer=data/citeseer --json\n  \
    veil reproduce privgnn/table-3                   (computed: no data)\n\n\
    What is run is kept in the folder --out (default: reproduced/NAME) as by veil sweep: interrupted, the same command goes on\n\
    (lpgnet/figure-3, which takes seconds, starts again). Of privgnn/table-2 and figures-2-3 that is also what teachers say, which is raw private data.")]
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
    /// Run again what failed before
    #[arg(long)]
    retry_failed: bool,
    /// The folder of the runs: made if it is not there, gone on with if it is [default: reproduced/NAME]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
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
        let start = Instant::now();
        let out = self.out.clone().unwrap_or_else(|| Path::new("reproduced").join(name));
        if self.retry_failed && !matches!(target.work, Work::Sweep(_)) {
            let name = target.name;
            return Err(Failure::Usage(format!("{name} ends where something fails: leave --retry-failed out")));
        }
        let (outcomes, out) = match &target.work {
            Work::Sweep(experiment) => (self.swept(target, experiment, &out, output)?, Some(out)),
            Work::Students(students) => (self.taught(target, students, &out, output)?, Some(out)),
            Work::Homophily(homophily) => (self.predicted(target, homophily, &out, output)?, Some(out)),
            Work::Accounts(accounts) => (self.computed(target, accounts)?, None),
        };
        let failed = outcomes.iter().filter(|outcome| outcome.error.is_some()).count();
        let rows = compare(target, &outcomes, 1)?;
        let seconds = start.elapsed().as_secs_f64();
        if let Some(out) = &out {
            report(target, &outcomes, out, made())?;
        }
        let shown = Shown::new(target, out, (outcomes.len(), failed), seconds, rows);
        output.show(&shown, || shown.describe())
    }

    /// The names of the data that were given: at least one, and none that the table does not have.
    fn given(&self, target: &Target, known: BTreeSet<String>) -> Result<Vec<&str>, Failure> {
        let given: Vec<&str> = self.data.iter().map(|(name, _)| name.as_str()).collect();
        if let Some(unknown) = given.iter().find(|name| !known.contains(**name)) {
            let known: Vec<String> = known.into_iter().collect();
            return Err(Failure::Usage(format!(
                "{} has no data {unknown:?} (it has {})",
                target.name,
                known.join(", ")
            )));
        }
        if let Some(twice) = given.iter().enumerate().find(|(at, name)| given[..*at].contains(name)) {
            return Err(Failure::Usage(format!("--data {} is given twice", twice.1)));
        }
        if given.is_empty() {
            let known: Vec<String> = known.into_iter().map(|name| format!("--data {name}=PATH")).collect();
            return Err(Failure::Usage(format!("say where data are: {}", known.join(" "))));
        }
        Ok(given)
    }

    /// Students of the private part of a graph.
    fn taught(
        &self,
        target: &Target,
        students: &Students,
        out: &Path,
        output: &Output,
    ) -> Result<Vec<Outcome>, Failure> {
        self.given(target, BTreeSet::from([students.data.to_owned()]))?;
        let Some((_, place)) = self.data.first() else { return Ok(Vec::new()) };
        self.refuse_models(target)?;
        refuse_inside(out, Path::new(place))?;
        let bar = progress::working(output, &format!("reading {place}"));
        let data = open_named(place)?;
        bar.finish_and_clear();
        resuming::can_go_on();
        let bar = progress::several(output);
        let watch = |what: &str, done: usize, of: usize| {
            if bar.message() != what {
                bar.set_message(what.to_owned());
                bar.reset();
            }
            bar.set_length(of as u64);
            bar.set_position(done as u64);
        };
        // One split, as was published.
        let seeds: Vec<u64> = (1..=self.seeds.map_or(1, |seeds| u64::from(seeds.get()))).collect();
        let work = || students.outcomes(&data, &seeds, out, &watch);
        let outcomes = match self.cores {
            None => work(),
            Some(cores) => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(cores.get()).build();
                pool.map_err(|error| Failure::Unexpected(error.to_string()))?.install(work)
            }
        };
        bar.finish_and_clear();
        Ok(outcomes?)
    }

    /// What models predict, of the data that were given. It takes seconds, so nothing is kept but the page.
    fn predicted(
        &self,
        target: &Target,
        homophily: &Homophily,
        out: &Path,
        output: &Output,
    ) -> Result<Vec<Outcome>, Failure> {
        self.given(target, homophily.data.iter().map(|&name| name.to_owned()).collect())?;
        self.refuse_models(target)?;
        if self.cores.is_some() {
            return Err(Failure::Usage(format!("{} trains a few networks in seconds: leave --cores out", target.name)));
        }
        let seeds: Vec<u64> = (1..=self.seeds.map_or(homophily.seeds, |seeds| u64::from(seeds.get()))).collect();
        let models = self.data.len() * homophily.models.len() * seeds.len();
        let bar = progress::counting(output, "models", models as u64);
        let mut outcomes = Vec::new();
        for (name, place) in &self.data {
            refuse_inside(out, Path::new(place))?;
            outcomes.extend(homophily.outcomes((name, &open_named(place)?), &seeds, &|| bar.inc(1))?);
        }
        bar.finish_and_clear();
        std::fs::create_dir_all(out)?;
        Ok(outcomes)
    }

    fn refuse_models(&self, target: &Target) -> Result<(), Failure> {
        if self.models.is_empty() {
            return Ok(());
        }
        Err(Failure::Usage(format!("{} has networks of its own: leave --models out", target.name)))
    }

    /// What answers cost: nothing that a run needs goes with it.
    fn computed(&self, target: &Target, accounts: &[Account]) -> Result<Vec<Outcome>, Failure> {
        let given = [
            ("--data", !self.data.is_empty()),
            ("--seeds", self.seeds.is_some()),
            ("--models", !self.models.is_empty()),
            ("--cores", self.cores.is_some()),
            ("--out", self.out.is_some()),
        ];
        if let Some((flag, _)) = given.into_iter().find(|(_, given)| *given) {
            return Err(Failure::Usage(format!("{} is computed and nothing is run: leave {flag} out", target.name)));
        }
        let outcomes: Vec<Vec<Outcome>> = accounts.iter().map(Account::outcomes).collect::<Result<_, _>>()?;
        Ok(outcomes.concat())
    }

    /// Every run that the table needs, of the data that were given.
    fn swept(
        &self,
        target: &Target,
        experiment: &Experiment,
        out: &Path,
        output: &Output,
    ) -> Result<Vec<Outcome>, Failure> {
        let mut sweep = experiment.sweep(target.name)?;
        let given = self.given(target, sweep.data_names()?)?;
        sweep.only("data", &given)?;
        if let Some(seeds) = self.seeds {
            sweep.set_seeds(seeds)?;
        }
        if !self.models.is_empty() {
            let known: BTreeSet<String> =
                sweep.wanted()?.iter().filter_map(|run| run.point.get("model").map(written)).collect();
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
        Ok(carried_out(&sweep, (&self.data, out), self.cores, self.retry_failed, output)?.outcomes)
    }
}

/// A page beside the runs, made again each time.
fn report(target: &Target, outcomes: &[Outcome], out: &Path, made: Made) -> Result<(), Failure> {
    let path = out.join("report.html");
    if path.exists() {
        std::fs::remove_file(&path)?;
    }
    let References { floor, non_private } = References::default().or_found(outcomes);
    Ok(Report { floor, non_private, ..Report::new(target.source, outcomes, made) }.write(&path)?)
}

fn list(output: &Output) -> Result<(), Failure> {
    let listed = TARGETS.iter().map(|target| {
        let data = match &target.work {
            Work::Sweep(experiment) => experiment.sweep(target.name)?.data_names()?.into_iter().collect(),
            Work::Students(students) => vec![students.data.to_owned()],
            Work::Homophily(homophily) => homophily.data.iter().map(|&name| name.to_owned()).collect(),
            Work::Accounts(_) => Vec::new(),
        };
        Ok(Listed { name: target.name, source: target.source, data })
    });
    let listed: Vec<Listed> = listed.collect::<Result<_, Failure>>()?;
    output.show(&listed, || {
        let rows = listed.iter().map(|it| vec![it.name.to_owned(), it.data.join(", "), it.source.to_owned()]);
        table(&["name", "data", "what"], rows)
    })
}
