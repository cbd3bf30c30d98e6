//! `veil train`: from raw or released data to a trained model in a run folder.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use indicatif::ProgressBar;
use serde::Serialize;
use veil_graph::{Dataset, write};
use veil_learn::local::learn;
use veil_learn::run::{Record, Score, Seconds, Seed, score};
use veil_learn::{Edges, Parameters, ParametersError, Run};
use veil_nn::Kind;
use veil_nn::training::EpochMetrics;
use veil_privacy::release::{Privatised, Rounds};
use veil_privacy::{Guarantee, Private, Truth};

use super::data::open_named;
use super::flags::{self, erased::Table};
use super::releasing::{Clock, RELEASE_KEYS, ReleaseFlags, Terms, guarantees, random_seed, refuse_inside, warnings};
use crate::failure::Failure;
use crate::output::{Output, grouped, percent};
use crate::progress;

/// Train a model on what users report
///
/// Privatises the data (or takes a folder that is privatised already), trains on what was released alone, and scores with the truth.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    veil train graph --edges degree-vectors --epsilon-edges 2 --epsilon-labels 3 --ledger book.db --out run\n  \
    veil train cora --edges graph-privatizer --alpha 0.5 --epsilon-edges 1 --epsilon-features 3 --epsilon-labels 3 \\\n      \
    --model gcn --kx 16 --ky 2 --split 0.5,0.25,0.25 --seed 1 --out run\n  \
    veil train released --truth graph --model sage --out run\n  \
    veil train graph --config experiment.toml --epsilon-edges 4 --out run")]
pub struct Train {
    /// The data set: a path, or the name of one that was fetched; or a folder that veil privatize made
    data: String,
    /// Parameters from a TOML file; flags count more
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    release: ReleaseFlags,
    #[command(flatten)]
    network: NetworkFlags,
    #[command(flatten)]
    terms: Terms,
    /// The raw data, to score a model of an already privatised folder
    #[arg(long, value_name = "DATA")]
    truth: Option<String>,
    /// The run folder to make
    #[arg(long)]
    out: PathBuf,
}

/// Which network, and how it is trained.
#[derive(Args, Serialize)]
#[serde(rename_all = "kebab-case")]
struct NetworkFlags {
    /// The kind of network: mlp, gcn, sage, gat, gatv2, gt or gconv [default: gcn]
    #[arg(long, help_heading = "Network")]
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<Kind>,
    /// How many layers [default: 2]
    #[arg(long, value_name = "N", help_heading = "Network")]
    #[serde(skip_serializing_if = "Option::is_none")]
    layers: Option<usize>,
    /// Numbers per node between layers [default: 16; 64 for degree-vectors]
    #[arg(long, value_name = "N", help_heading = "Network")]
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden: Option<usize>,
    /// Heads of attention [default: 4 for gat, else 1]
    #[arg(long, value_name = "N", help_heading = "Network")]
    #[serde(skip_serializing_if = "Option::is_none")]
    heads: Option<usize>,
    /// What follows a hidden layer [default: selu; relu for degree-vectors]
    #[arg(long, value_parser = PossibleValuesParser::new(["none", "relu", "selu"]), help_heading = "Network")]
    #[serde(skip_serializing_if = "Option::is_none")]
    activation: Option<String>,
    /// The share of hidden numbers that a training step drops [default: 0.5]
    #[arg(long, value_name = "P", allow_hyphen_values = true, help_heading = "Network")]
    #[serde(skip_serializing_if = "Option::is_none")]
    dropout: Option<f32>,
    /// Hops of feature propagation along the released edges [default: 0]
    #[arg(long, value_name = "K", help_heading = "Network")]
    #[serde(skip_serializing_if = "Option::is_none")]
    kx: Option<usize>,
    /// Hops of label propagation along the released edges [default: 0]
    #[arg(long, value_name = "K", help_heading = "Network")]
    #[serde(skip_serializing_if = "Option::is_none")]
    ky: Option<usize>,
    /// degree-vectors: what the networks read besides the vectors [default: released]
    #[arg(long, value_parser = PossibleValuesParser::new(["none", "released"]), help_heading = "Network")]
    #[serde(skip_serializing_if = "Option::is_none")]
    features: Option<String>,
    /// How many training steps [default: 100]
    #[arg(long, value_name = "N", help_heading = "Training")]
    #[serde(skip_serializing_if = "Option::is_none")]
    epochs: Option<usize>,
    /// The learning rate [default: 0.01]
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, help_heading = "Training")]
    #[serde(skip_serializing_if = "Option::is_none")]
    lr: Option<f64>,
    /// How strongly weights are pulled to 0 [default: 0.001]
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, help_heading = "Training")]
    #[serde(skip_serializing_if = "Option::is_none")]
    weight_decay: Option<f64>,
    /// Which epoch is kept [default: reference; lowest-validation-loss for degree-vectors]
    #[arg(long, value_parser = PossibleValuesParser::new(["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"]), help_heading = "Training")]
    #[serde(skip_serializing_if = "Option::is_none")]
    select: Option<String>,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Shown<'a> {
    out: &'a Path,
    test_accuracy: Option<f64>,
    validation_accuracy: Option<f64>,
    guarantees: &'a [Guarantee],
    edges_before: Option<usize>,
    edges_after: Option<usize>,
    edges_kept: Option<usize>,
    #[serde(flatten)]
    record: &'a Record,
}

impl Train {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        refuse_inside(&self.out, Path::new(&self.data))?;
        let folder = Path::new(&self.data);
        if Privatised::is_released(folder) {
            return self.on_released(folder, output);
        }
        if self.truth.is_some() {
            let problem = "--truth is for a folder that is privatised already: raw data are their own truth";
            return Err(Failure::Usage(problem.to_owned()));
        }
        let parameters =
            flags::parameters(&Parameters::default(), self.config.as_deref(), &[&self.release, &self.network])?;
        if parameters.epsilon_labels.is_none() {
            return Err(ParametersError::NoLabels.into());
        }
        self.network.warn_of_useless(parameters.edges, output);
        let parameters = parameters.effective();
        let mut clock = Clock::start();
        let bar = progress::working(output, &format!("reading {}", self.data));
        let data = Private::seal(self.terms.with_split(open_named(&self.data)?)?);
        let mut seconds = Seconds { read: clock.lap(), ..Seconds::default() };
        // Nothing is charged for a training that cannot begin.
        let plan = self.terms.plan(&data, &parameters)?;
        veil_learn::check(&parameters, &data.public())?;
        // The folder to write to is made first: nothing is charged for a release that has no place to go.
        let (run, scored) = write::atomically(&self.out, |folder| {
            bar.set_message("privatising");
            let mut release = self.terms.release(&data, plan)?;
            seconds.privatise = clock.lap();
            let record = self.record(&release.released, parameters)?;
            let work = Work { folder, record, clock: &mut clock, seconds, output, truth: Some(&data) };
            work.finish(&mut release.released, Some(&mut release.rounds), &bar)
        })?;
        self.show(&run, scored.as_ref(), output)
    }

    /// A folder that is privatised already: what was released is known, and nothing else is.
    fn on_released(&self, folder: &Path, output: &Output) -> Result<(), Failure> {
        let mut clock = Clock::start();
        let bar = progress::working(output, &format!("reading {}", self.data));
        self.terms.refuse_on_released(&self.data)?;
        let mut released = Privatised::open(folder)?;
        let known = Parameters::of_release(&released);
        let parameters = flags::parameters(&known, self.config.as_deref(), &[&self.release, &self.network])?;
        refuse_other(&self.data, &known, &parameters)?;
        self.network.warn_of_useless(parameters.edges, output);
        let parameters = parameters.effective();
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
            work.finish(&mut released, None, &bar)
        })?;
        self.show(&run, scored.as_ref(), output)
    }

    fn record(&self, released: &Privatised, parameters: Parameters) -> Result<Record, Failure> {
        let seed = released.statement().seed.map_or(Seed::Os, Seed::Given);
        // Below 2⁵³, so that readers of JSON who know only floats read the same number.
        let training_seed = self.terms.seed.map_or_else(|| random_seed().map(|seed| seed >> 11), Ok)?;
        let asked = (self.terms.split_text(), self.terms.range_text());
        // The encoder's rule may have decided it.
        let parameters = Parameters { samples: Parameters::of_release(released).samples, ..parameters };
        Ok(Record::new(released.data().name(), parameters, asked, seed, training_seed))
    }

    fn show(&self, run: &Run, scored: Option<&Score>, output: &Output) -> Result<(), Failure> {
        let shown = Shown {
            out: &self.out,
            test_accuracy: scored.and_then(|scored| scored.test_accuracy),
            validation_accuracy: run.validation_accuracy(),
            guarantees: &run.released().statement().guarantees,
            edges_before: scored.map(|scored| scored.edges_before),
            edges_after: scored.map(|scored| scored.edges_after),
            edges_kept: scored.map(|scored| scored.edges_kept),
            record: run.record(),
        };
        output.show(&shown, || describe(&shown, run, scored))
    }
}

impl NetworkFlags {
    /// A flag that these edges make no use of may be a misunderstanding: say so.
    fn warn_of_useless(&self, edges: Edges, output: &Output) {
        let vectors = edges == Edges::DegreeVectors;
        let useless = [
            ("--model", vectors && self.model.is_some_and(|model| model != Kind::Mlp)),
            ("--heads", vectors && self.heads.is_some()),
            ("--activation", vectors && self.activation.as_deref().is_some_and(|it| it != "relu")),
            ("--kx", (vectors || edges == Edges::Empty) && self.kx.is_some_and(|hops| hops > 0)),
            ("--ky", (vectors || edges == Edges::Empty) && self.ky.is_some_and(|hops| hops > 0)),
            ("--features", !vectors && self.features.is_some()),
        ];
        for (flag, _) in useless.into_iter().filter(|&(_, useless)| useless) {
            output.warning(&format!("{flag} means nothing with --edges {edges}"));
        }
    }
}

/// What was decided when a release was made cannot be decided again.
fn refuse_other(data: &str, known: &Parameters, asked: &Parameters) -> Result<(), Failure> {
    let (known, asked) = (known.table()?, asked.table()?);
    match RELEASE_KEYS.into_iter().find(|&key| known.get(key) != asked.get(key)) {
        Some(key) => Err(Failure::Usage(format!(
            "{data} is released already, and {key} was decided then: leave it out, or train on the raw data"
        ))),
        None => Ok(()),
    }
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
    fn finish(
        self,
        released: &mut Privatised,
        rounds: Option<&mut Rounds<'_>>,
        bar: &ProgressBar,
    ) -> Result<(Run, Option<Score>), Failure> {
        let Work { folder, mut record, clock, mut seconds, output, truth } = self;
        bar.finish_and_clear();
        let bar = progress::training(
            output,
            (record.parameters.epochs as u64).saturating_mul(u64::from(record.parameters.rounds)),
        );
        let mut watch = |_: &EpochMetrics| {
            bar.inc(1);
            ControlFlow::Continue(())
        };
        let learned = learn(released, rounds, &record.parameters, record.training_seed, &mut watch)?;
        bar.finish_and_clear();
        seconds.train = clock.lap();
        record.stages = learned.stages.len();
        record.best_epoch = learned.stages.last().map_or(0, |stage| stage.kept);
        let mut run = Run::new(record, released.clone(), learned)?;
        let posteriors = run.posteriors()?;
        let scored = truth.map(|truth| score(&posteriors, released.data(), truth, &Truth::for_scoring_only()));
        seconds.evaluate = clock.lap();
        run.record_mut().seconds = seconds;
        run.fill(folder, &posteriors, scored.clone())?;
        Ok((run, scored))
    }
}

fn describe(shown: &Shown<'_>, run: &Run, scored: Option<&Score>) -> String {
    let statement = run.released().statement();
    let network = match shown.record.parameters.edges {
        Edges::DegreeVectors if shown.record.stages > 1 => format!("a stack of {} mlps", shown.record.stages),
        Edges::DegreeVectors => "an mlp".to_owned(),
        _ => shown.record.parameters.model.to_string(),
    };
    let mut text = format!("trained {network} on {} → {}\n", statement.data, shown.out.display());
    text += &guarantees(statement);
    let share = |accuracy: Option<f64>| accuracy.map_or_else(|| "unknown".to_owned(), percent);
    text += &format!("\ntest accuracy {}", share(shown.test_accuracy));
    text += &format!(", validation accuracy {} (of labels as reported)", share(shown.validation_accuracy));
    text += &format!(", epoch {}", shown.record.best_epoch);
    if let Some(&Score { edges_before, edges_after, edges_kept, .. }) = scored {
        let count = grouped;
        text += &format!(
            "\nneighbour entries: {} true, {} released, {} of these true",
            count(edges_before),
            count(edges_after),
            count(edges_kept)
        );
    }
    text += &warnings(statement);
    text
}
