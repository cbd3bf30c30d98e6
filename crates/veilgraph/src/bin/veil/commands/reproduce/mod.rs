//! `veil reproduce`: a published table, run again, ours beside theirs.

mod asked;
mod show;

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use serde::Serialize;
use veil_lab::report::Made;
use veil_lab::reproduce::{
    Account, Experiment, Graph, Homophily, Parts, Size, Students, TARGETS, Target, Work, compare,
};
use veil_lab::worth::References;
use veil_lab::{Outcome, Report};

use self::asked::data_of;
use self::show::{Shown, Warning};
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
    (lpgnet/figure-3, which takes seconds, starts again). Of privgnn/table-2 and others with students that is also what teachers say, which is\n\
    raw private data; --data arxiv=FOLDER is what veil data split-private --by YEARS made.")]
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
    pub fn run(mut self, output: &Output) -> Result<(), Failure> {
        // Data sets that are fetched by name have hyphens in theirs.
        for (name, _) in &mut self.data {
            *name = name.replace('-', "_");
        }
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
        let warnings = match &target.work {
            Work::Accounts(_) => Vec::new(),
            _ => {
                self.check_data(target)?;
                self.warn_of_other_sizes(output)?
            }
        };
        let (outcomes, out) = match &target.work {
            Work::Sweep(experiment) => (self.swept(target, experiment, &out, output)?, Some(out)),
            Work::Students(students) => (self.taught(target, students, &out, output)?, Some(out)),
            Work::Homophily(homophily) => (self.predicted(target, homophily, &out, output)?, Some(out)),
            Work::Accounts(accounts) => (self.computed(target, accounts)?, None),
        };
        some_succeeded(&outcomes)?;
        let rows = compare(target, &outcomes, 1)?;
        let seconds = start.elapsed().as_secs_f64();
        if let Some(out) = &out {
            report(target, &outcomes, out, made())?;
        }
        let shown = Shown::new(target, out, &outcomes, seconds, rows, warnings);
        output.show(&shown, || shown.describe())
    }

    /// Anybody may call a graph `cora`: of another one nothing was published.
    fn warn_of_other_sizes(&self, output: &Output) -> Result<Vec<Warning>, Failure> {
        let bar = progress::working(output, "reading");
        let mut warnings = Vec::new();
        for (name, place) in &self.data {
            let Some(published) = Size::published(name)? else { continue };
            let found = Size::of(&open_named(place)?);
            if found != published {
                warnings.push(Warning { data: name.clone(), found, published });
            }
        }
        bar.finish_and_clear();
        warnings.iter().for_each(|warning| output.warning(&warning.describe()));
        Ok(warnings)
    }

    /// Students of the private part of every graph that was given, each with a folder of its own.
    fn taught(
        &self,
        target: &Target,
        students: &[Students],
        out: &Path,
        output: &Output,
    ) -> Result<Vec<Outcome>, Failure> {
        self.refuse_models(target)?;
        let mut outcomes = Vec::new();
        for (name, place) in &self.data {
            refuse_inside(out, Path::new(place))?;
            let Some(students) = students.iter().find(|it| it.data == name) else { continue };
            let part = |name: &str| open_named(&Path::new(place).join(name).display().to_string());
            let out = out.join(name);
            outcomes.extend(match students.parts {
                Parts::Random(counts) => {
                    self.taught_on(Graph::Whole(&open_named(place)?, counts), students, &out, output)?
                }
                Parts::Given => {
                    self.taught_on(Graph::Apart(&part("private")?, &part("public")?), students, &out, output)?
                }
            });
        }
        Ok(outcomes)
    }

    fn taught_on(
        &self,
        graph: Graph<'_>,
        students: &Students,
        out: &Path,
        output: &Output,
    ) -> Result<Vec<Outcome>, Failure> {
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
        let work = || students.outcomes(graph, &seeds, out, &watch);
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
        let sweep = self.sweep(target, experiment)?;
        Ok(carried_out(&sweep, (&self.data, out), self.cores, self.retry_failed, output)?.outcomes)
    }
}

/// Where every run failed there is no result.
fn some_succeeded(outcomes: &[Outcome]) -> Result<(), Failure> {
    let failed: Vec<(&Outcome, &String)> = outcomes.iter().filter_map(|it| Some((it, it.error.as_ref()?))).collect();
    match failed.first() {
        Some((Outcome { case, data, seed, .. }, error)) if failed.len() == outcomes.len() => {
            let count = failed.len();
            Err(Failure::Unexpected(format!(
                "all {count} runs failed, the first of them {case} on {data}, seed {seed}: {error}"
            )))
        }
        _ => Ok(()),
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
        let data = data_of(target)?.into_iter().collect();
        Ok(Listed { name: target.name, source: target.source, data })
    });
    let listed: Vec<Listed> = listed.collect::<Result<_, Failure>>()?;
    output.show(&listed, || {
        let rows = listed.iter().map(|it| vec![it.name.to_owned(), it.data.join(", "), it.source.to_owned()]);
        table(&["name", "data", "what"], rows)
    })
}
