//! A training on raw graphs.

use std::sync::Arc;
use std::time::Instant;

use veil_graph::Dataset;
use veil_nn::training::EpochMetrics;
use veil_privacy::guarantee::compose;
use veil_privacy::identity::Identity;
use veil_privacy::release::{Privatised, Release};
use veil_privacy::{Epsilon, Private, Truth, Unit};

use super::graphs::{Graphs, Releases, refuse_student};
use super::inference::{answer, place_in};
use super::shadow::everyone;
use super::site::{Site, in_place};
use super::{Hooks, Job, Payment, PipelineError, Place, Step, Terms, Trained};
use crate::choose::outlook;
use crate::learn::{TrainingView, learn};
use crate::method::{self, Method, MethodError};
use crate::run::{Record, Run, Score, Seconds, Seed, VALIDATION, fill_release, owner, score};

pub(super) fn check(job: &Job, graphs: &Graphs) -> Result<Arc<dyn Method>, PipelineError> {
    let (method, whole) = decide(&*job.method, graphs)?;
    graphs.plan(&*method, &job.terms, whole)?;
    Ok(method)
}

fn decide(method: &dyn Method, graphs: &Graphs) -> Result<(Arc<dyn Method>, Option<Epsilon>), PipelineError> {
    refuse_student(method)?;
    // A model is trained on labels only.
    if method.reports().is_some_and(|reports| reports.epsilon_labels.is_none()) {
        return Err(MethodError::NoLabels.into());
    }
    graphs.decide(method)
}

pub(super) fn run(
    method: &Arc<dyn Method>,
    terms: &Terms,
    payment: &Payment,
    graphs: Graphs,
    place: Place<'_>,
    hooks: &dyn Hooks,
) -> Result<Trained, PipelineError> {
    let (method, whole) = decide(&**method, &graphs)?;
    let plans = graphs.plan(&*method, terms, whole)?;
    // Before anything is spent.
    if let Some(warning) = outlook(&*method, &graphs.train).and_then(|outlook| outlook.warning()) {
        hooks.warn(&warning);
    }
    // The folder is made first: nothing is charged for a release that has no place to go.
    let (run, score, inference, total) = in_place(place, |site| {
        let mut clock = Clock::start();
        hooks.step(Step::Release);
        let training_seed = site.training_seed(payment)?;
        let about = about(&*method, &format!("{terms:?} {whole:?} {training_seed}"));
        let Releases { mut train, mut validation, inference } = plans.release(payment, about, site)?;
        let several = [validation.as_ref(), inference.as_ref()].into_iter().flatten();
        let several: Vec<&Release<'_>> = several.collect();
        let all = std::iter::once(&train).chain(several.iter().copied());
        let promised = all.flat_map(|release| &release.released.statement().guarantees);
        let total = if several.is_empty() { Vec::new() } else { compose(promised) };
        let seconds = Seconds { privatise: clock.lap(), ..Seconds::default() };
        let (method, mut record) = record(&method, &train.released, terms, training_seed)?;
        record.validated_on = graphs.validation.as_ref().map(|data| data.public().name.to_owned());
        record.epsilon_of_all_graphs = whole;
        record.seconds = seconds;
        let view = TrainingView { released: &mut train.released, rounds: Some(&mut train.rounds) };
        let other =
            validation.as_mut().map(|it| TrainingView { released: &mut it.released, rounds: Some(&mut it.rounds) });
        let known = [Some(&graphs.train), graphs.validation.as_ref(), graphs.inference.as_ref()].into_iter().flatten();
        let known = known.map(Identity::of).collect();
        let work = Work { method, record, truth: Some(&graphs.train), known, site, hooks };
        let (mut run, score) = work.finish(view, other, &mut clock)?;
        if let Some(validation) = &validation {
            run.validated_by(&validation.released);
        }
        if let (Some(validation), Some(folder)) = (&validation, site.folder()) {
            let place = owner::place_of(folder, VALIDATION, validation.released.statement());
            fill_release(&validation.released, &place)?;
        }
        let inference = match (inference, &graphs.inference) {
            (Some(release), Some(data)) => {
                let place = site.folder().map(|folder| place_in(folder, data));
                let record = run.record().clone();
                Some(answer(
                    &run,
                    Arc::clone(run.method()),
                    record,
                    release,
                    data,
                    false,
                    (place.as_deref(), place.clone()),
                )?)
            }
            _ => None,
        };
        Ok((run, score, inference, total))
    })?;
    let inference = inference.map(|it| it.moved(place));
    let Graphs { train, inference: other, .. } = graphs;
    Ok(Trained { run, score, inference, total, truth: other.or(Some(train)) })
}

/// What determines a release besides its data and its guarantees: an interrupted one is recognised
/// by it.
pub(super) fn about(method: &dyn Method, rest: &str) -> String {
    // Numbers and words can always be written.
    let parameters = serde_json::to_string(&method.settings()).unwrap_or_default();
    format!("{}\n{}\n{parameters}\n{rest}", env!("CARGO_PKG_VERSION"), method.name())
}

/// The record of a run on a release, and the method as it is recorded: the encoder's rule may have
/// decided `samples`.
pub(super) fn record(
    method: &Arc<dyn Method>,
    released: &Privatised,
    terms: &Terms,
    training_seed: u64,
) -> Result<(Arc<dyn Method>, Record), PipelineError> {
    let seed = released.statement().seed.map_or(Seed::Os, Seed::Given);
    let guarantees = &released.statement().guarantees;
    let encoded = guarantees.iter().find(|it| it.unit == Unit::Feature).and_then(|it| it.parameters.get("samples"));
    let method = match encoded.filter(|_| method.reports().is_some()) {
        Some(samples) => {
            let mut settings = method.settings();
            settings.insert("samples", samples);
            method::configure(method.name(), &settings)?
        }
        None => Arc::clone(method),
    };
    let record = Record::new(released.data().name(), &*method, terms.texts(), seed, training_seed);
    Ok((method, record))
}

/// From a release to a run.
pub(super) struct Work<'a> {
    pub method: Arc<dyn Method>,
    pub record: Record,
    pub truth: Option<&'a Private<Dataset>>,
    /// The graphs on which the networks depend.
    pub known: Vec<Identity>,
    pub site: &'a Site<'a>,
    pub hooks: &'a dyn Hooks,
}

impl Work<'_> {
    /// Learns, scores and writes.
    pub fn finish<'d>(
        self,
        train: TrainingView<'_, 'd>,
        validation: Option<TrainingView<'_, 'd>>,
        clock: &mut Clock,
    ) -> Result<(Run, Option<Score>), PipelineError> {
        let Work { method, mut record, truth, known, site, hooks } = self;
        let epochs = (method.training().epochs as u64).saturating_mul(u64::from(method.networks()));
        hooks.step(Step::Train { epochs });
        let mut watch = |metrics: &EpochMetrics| hooks.epoch(metrics);
        let TrainingView { released, rounds } = train;
        let train = TrainingView { released: &mut *released, rounds };
        let learned = learn(&*method, train, validation, record.training_seed, &mut watch)?;
        hooks.step(Step::Write);
        record.seconds.train = clock.lap();
        let mut run = Run::new(record, method, released.clone(), learned)?;
        run.about(known);
        // Where whole nodes are protected, only their owner sees the model applied to them.
        let nobody = run.answers_about_nobody();
        let owners = truth.filter(|_| nobody).map(|truth| everyone(&run, truth)).transpose()?;
        let about = owners.as_ref().unwrap_or(&run);
        let posteriors = about.posteriors()?;
        let score = truth.map(|truth| score(&posteriors, about.released().data(), truth, &Truth::for_scoring_only()));
        run.record_mut().seconds.evaluate = clock.lap();
        if let Some(folder) = site.folder() {
            run.fill(folder, &posteriors, score.as_ref())?;
        }
        Ok((run, score))
    }
}

/// Seconds since the last look.
pub(super) struct Clock(Instant);

impl Clock {
    pub fn start() -> Clock {
        Clock(Instant::now())
    }

    pub fn lap(&mut self) -> f64 {
        let seconds = self.0.elapsed().as_secs_f64();
        self.0 = Instant::now();
        seconds
    }
}
