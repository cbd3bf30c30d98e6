//! `veil train`: from raw or released data to a trained model in a run folder.

mod graphs;
pub mod network;
mod show;
mod student;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::ProgressBar;
use serde::Serialize;
use veil_graph::write::{self, WriteError};
use veil_graph::{Dataset, Part};
use veil_learn::run::{Record, Score, Seconds, Seed, score};
use veil_learn::{Method, Parameters, ParametersError, Run, Scaling, Seen, learn};
use veil_nn::training::EpochMetrics;
use veil_privacy::release::{Privatised, Release};
use veil_privacy::{Private, Truth};

use self::graphs::{Graphs, Released};
pub use self::network::NetworkFlags;
use self::show::{Shown, describe};
pub use self::student::StudentFlags;
use super::data::open_named;
use super::flags::{self, erased::Table};
use super::inferring::{Inferred, place_in};
use super::releasing::{Clock, RELEASE_KEYS, ReleaseFlags, Terms, random_seed, refuse_inside};
use crate::failure::Failure;
use crate::output::Output;
use crate::progress;

/// Train a model on what users report, or on what the owner of a graph releases of it
///
/// Privatises the data (or takes a folder that is privatised already), trains on what was released alone, and scores with the truth.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    veil train graph --method lpgnet --stages 2 --epsilon-edges 4 --ledger book.db --out run\n  \
    veil train graph --edges degree-vectors --epsilon-edges 2 --epsilon-labels 3 --ledger book.db --out run\n  \
    veil train cora --edges graph-privatizer --alpha 0.5 --epsilon-edges 1 --epsilon-features 3 --epsilon-labels 3 \\\n      \
    --model gcn --kx 16 --ky 2 --split 0.5,0.25,0.25 --seed 1 --out run\n  \
    veil train here --method dpgcn --epsilon-edges 4 --inference-data elsewhere --out run\n  \
    veil train released --truth graph --model sage --out run\n  \
    veil train private --method privgnn --public public --release krr --queries 200 --gamma 0.1 --epsilon 8 --delta 1e-5 \\\n      \
    --ledger book.db --out run   (again, if it was interrupted)\n  \
    veil train private --method class-sums --public public --epsilon 8 --delta 1e-5 --ledger book.db --out run\n  \
    veil train graph --config experiment.toml --epsilon-edges 4 --out run")]
pub struct Train {
    /// The data set: a path, or the name of one that was fetched; or a folder that veil privatize made
    data: String,
    #[command(flatten)]
    method: MethodFlag,
    /// Parameters from a TOML file; flags count more
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    release: ReleaseFlags,
    #[command(flatten)]
    student: StudentFlags,
    #[command(flatten)]
    network: NetworkFlags,
    #[command(flatten)]
    terms: Terms,
    /// A graph whose nodes validate, where these are not in the training graph: its edges are paid for too
    #[arg(long, value_name = "DATA", help_heading = "Other graphs")]
    validation_data: Option<String>,
    /// A graph to answer about, once trained: its edges are paid for too
    #[arg(long, value_name = "DATA", help_heading = "Other graphs")]
    inference_data: Option<String>,
    /// The graphs are one graph at different times, so they share edges: --epsilon-edges is split over them
    #[arg(long, help_heading = "Other graphs")]
    evolving: bool,
    /// The raw data, to score a model of an already privatised folder
    #[arg(long, value_name = "DATA")]
    truth: Option<String>,
    /// The run folder to make
    #[arg(long)]
    out: PathBuf,
}

/// What the owner of a graph does.
#[derive(Args, Serialize)]
struct MethodFlag {
    /// What the owner of a graph does. Where edges are private and features and labels are not: mlp (no edges), gnn (edges as they are: no
    /// guarantee), dpgcn (a noisy graph), lpgnet (noisy counts of neighbours). Where all of it is private and a student on a public
    /// graph is released: privgnn (a teacher per query), pate (teachers who vote), class-sums
    /// (noisy sums per class, no teachers). Without it users report: see --edges
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<Method>,
}

impl Train {
    pub fn run(mut self, output: &Output) -> Result<(), Failure> {
        let graphs = [Some(&self.data), self.validation_data.as_ref(), self.inference_data.as_ref()];
        graphs.into_iter().flatten().try_for_each(|data| refuse_inside(&self.out, Path::new(data)))?;
        if self.evolving && self.validation_data.is_none() && self.inference_data.is_none() {
            let problem = "--evolving splits ε over several graphs: give --inference-data or --validation-data";
            return Err(Failure::Usage(problem.to_owned()));
        }
        let folder = Path::new(&self.data);
        if Privatised::is_released(folder) {
            return self.on_released(folder, output);
        }
        if self.truth.is_some() {
            let problem = "--truth is for a folder that is privatised already: raw data are their own truth";
            return Err(Failure::Usage(problem.to_owned()));
        }
        let method = self.parameters(&Parameters::default())?.method;
        let parameters = self.parameters(&method.map_or_else(Parameters::default, Method::defaults))?;
        if method.is_some_and(Method::has_a_student) {
            return self.student(parameters, output);
        }
        if let Some(flag) = self.student.given(&[])? {
            return Err(Failure::Usage(format!("--{flag} goes with a method that releases a student: {}", students())));
        }
        if parameters.epsilon_labels.is_none() {
            return Err(ParametersError::NoLabels.into());
        }
        self.network.warn_of_useless(&parameters, output);
        let mut clock = Clock::start();
        let bar = progress::working(output, &format!("reading {}", self.data));
        let graphs = Graphs::open(&mut self)?;
        let mut seconds = Seconds { read: clock.lap(), ..Seconds::default() };
        let (parameters, whole) = graphs.shared(parameters, self.evolving)?;
        let parameters = parameters.effective(graphs.validated());
        // Nothing is charged for a training that cannot begin.
        let planned = graphs.plan(&self.terms, &parameters, whole)?;
        // The folder to write to is made first: nothing is charged for a release that has no place to go.
        let (run, scored, inferred) = write::atomically(&self.out, |folder| {
            bar.set_message("privatising");
            let Released { mut train, mut validation, inference } = graphs.release(&self.terms.payment, planned)?;
            seconds.privatise = clock.lap();
            let mut record = self.record(&train.released, parameters)?;
            record.validated_on = graphs.validation.as_ref().map(|data| data.public().name.to_owned());
            record.epsilon_of_all_graphs = whole;
            let work = Work { folder, record, clock: &mut clock, seconds, output, truth: Some(&graphs.train) };
            let (run, scored) = work.finish(seen(&mut train), validation.as_mut().map(seen), &bar)?;
            if let Some(validation) = &validation {
                let place = folder.join("validation");
                std::fs::create_dir(&place).map_err(WriteError::io(&place))?;
                validation.released.fill(&place)?;
            }
            let inferred = match (inference, &graphs.inference) {
                (Some(release), Some(data)) => {
                    let place = place_in(folder, data);
                    let shown = self.out.join(place.strip_prefix(folder).unwrap_or(&place));
                    Some(Inferred::fill(&place, &run, run.record().clone(), release, data, shown)?)
                }
                _ => None,
            };
            Ok::<_, Failure>((run, scored, inferred))
        })?;
        self.show(&run, scored, inferred, output)
    }

    fn parameters(&self, defaults: &Parameters) -> Result<Parameters, Failure> {
        flags::parameters(
            defaults,
            self.config.as_deref(),
            &[&self.method, &self.release, &self.student, &self.network],
        )
    }

    /// A folder that is privatised already: what was released is known, and nothing else is.
    fn on_released(&self, folder: &Path, output: &Output) -> Result<(), Failure> {
        let mut clock = Clock::start();
        let bar = progress::working(output, &format!("reading {}", self.data));
        self.terms.refuse_on_released(&self.data)?;
        if self.validation_data.is_some() || self.inference_data.is_some() {
            let problem = "is released already: other graphs are for a training on raw data";
            return Err(Failure::Usage(format!("{} {problem}", self.data)));
        }
        if let Some(flag) = self.student.given(&["denoise"])? {
            return Err(Failure::Usage(format!("{} is released already: --{flag} was decided then", self.data)));
        }
        let mut released = Privatised::open(folder)?;
        let method = self.parameters(&Parameters::default())?.method;
        let known = Parameters::of_release(&released, method);
        let parameters = self.parameters(&known)?;
        refuse_other(&self.data, &known, &parameters)?;
        parameters.check_method()?;
        self.network.warn_of_useless(&parameters, output);
        let validated = released.data().split().is_some_and(|split| split.count(Part::Val) > 0);
        let parameters = parameters.effective(validated);
        if let Some(truth) = self.truth.as_deref().filter(|truth| Privatised::is_released(Path::new(truth))) {
            return Err(Failure::Usage(format!("{truth} is a release: --truth needs the raw data")));
        }
        let truth = self.truth.as_deref().map(open_named).transpose()?.map(Private::seal);
        if let Some(truth) = &truth {
            let (here, there) = (released.data().nodes(), truth.public().nodes);
            if here != there {
                return Err(Failure::OtherSize { truth: there, run: here });
            }
        }
        let seconds = Seconds { read: clock.lap(), ..Seconds::default() };
        let (run, scored) = write::atomically(&self.out, |folder| {
            let record = self.record(&released, parameters)?;
            let work = Work { folder, record, clock: &mut clock, seconds, output, truth: truth.as_ref() };
            work.finish(Seen { released: &mut released, rounds: None }, None, &bar)
        })?;
        self.show(&run, scored, None, output)
    }

    fn record(&self, released: &Privatised, parameters: Parameters) -> Result<Record, Failure> {
        let seed = released.statement().seed.map_or(Seed::Os, Seed::Given);
        // Below 2⁵³, so that readers of JSON who know only floats read the same number.
        let training_seed = self.terms.payment.seed.map_or_else(|| random_seed().map(|seed| seed >> 11), Ok)?;
        let asked = (self.terms.split_text(), self.terms.range_text());
        // The encoder's rule may have decided it.
        let parameters = Parameters { samples: Parameters::of_release(released, None).samples, ..parameters };
        Ok(Record::new(released.data().name(), parameters, asked, seed, training_seed))
    }

    fn show(
        &self,
        run: &Run,
        scored: Option<Score>,
        inferred: Option<Inferred>,
        output: &Output,
    ) -> Result<(), Failure> {
        let shown = Shown::new(&self.out, run, scored, inferred);
        output.show(&shown, || describe(&shown, run))
    }
}

/// The methods that release a student.
fn students() -> String {
    let names: Vec<&str> = Method::ALL.into_iter().filter(|it| it.has_a_student()).map(Method::name).collect();
    names.join(", ")
}

/// What was decided when a release was made cannot be decided again.
fn refuse_other(data: &str, known: &Parameters, asked: &Parameters) -> Result<(), Failure> {
    // What is scaled after the release was not decided by it.
    let asked = match (known.scale, asked.scale) {
        (Scaling::None, Scaling::Standard) => Parameters { scale: Scaling::None, ..asked.clone() },
        _ => asked.clone(),
    };
    let (known, asked) = (known.table()?, asked.table()?);
    match RELEASE_KEYS.into_iter().find(|&key| known.get(key) != asked.get(key)) {
        Some(key) => Err(Failure::Usage(format!(
            "{data} is released already, and {key} was decided then: leave it out, or train on the raw data"
        ))),
        None => Ok(()),
    }
}

fn seen<'a, 'd>(release: &'a mut Release<'d>) -> Seen<'a, 'd> {
    Seen { released: &mut release.released, rounds: Some(&mut release.rounds) }
}

/// From a release to a run folder.
struct Work<'a> {
    folder: &'a Path,
    record: Record,
    clock: &'a mut Clock,
    seconds: Seconds,
    output: &'a Output,
    truth: Option<&'a Private<Dataset>>,
}

impl Work<'_> {
    fn finish<'d>(
        self,
        train: Seen<'_, 'd>,
        validation: Option<Seen<'_, 'd>>,
        bar: &ProgressBar,
    ) -> Result<(Run, Option<Score>), Failure> {
        let Work { folder, mut record, clock, mut seconds, output, truth } = self;
        bar.finish_and_clear();
        let bar = progress::training(
            output,
            (record.parameters.epochs as u64).saturating_mul(u64::from(record.parameters.networks())),
        );
        let mut watch = |_: &EpochMetrics| {
            bar.inc(1);
            ControlFlow::Continue(())
        };
        let Seen { released, rounds } = train;
        let train = Seen { released: &mut *released, rounds };
        let learned = learn(train, validation, &record.parameters, record.training_seed, &mut watch)?;
        bar.finish_and_clear();
        seconds.train = clock.lap();
        record.stages = learned.stages.len();
        record.best_epoch = learned.stages.last().map_or(0, |stage| stage.kept);
        let mut run = Run::new(record, released.clone(), learned)?;
        let posteriors = run.posteriors()?;
        let scored = truth.map(|truth| score(&posteriors, released.data(), truth, &Truth::for_scoring_only()));
        seconds.evaluate = clock.lap();
        run.record_mut().seconds = seconds;
        run.fill(folder, &posteriors, scored.as_ref())?;
        Ok((run, scored))
    }
}
