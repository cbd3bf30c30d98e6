//! A training of a student: the private graph labels nodes of the public one, and the student
//! learns from these labels.
//!
//! Answers take long, so they can be interrupted: the key of the release, the answers so far and
//! everything else that was decided lie in a [`Workplace`] beside the result, and the same job
//! resumes from there. All answers are charged once, together, before the first.

use std::sync::Arc;

use veil_graph::Dataset;
use veil_privacy::Private;
use veil_privacy::answers::{AnswerError, Kept};
use veil_privacy::identity::Identity;
use veil_privacy::release::Privatised;

use super::train::{Clock, Work, in_place, record};
use super::{Hooks, Job, Payment, PipelineError, Place, Step, Terms, Trained, Workplace};
use crate::learn::TrainingView;
use crate::method::student::LabelSource;
use crate::method::{self, Facts, Method};

pub(super) fn check(job: &Job, private: &Private<Dataset>, public: &Dataset) -> Result<Arc<dyn Method>, PipelineError> {
    let method = decide(&*job.method, &job.terms, private)?;
    source(&*method, private, public, job.payment.seed.unwrap_or(0))?;
    Ok(method)
}

fn decide(method: &dyn Method, terms: &Terms, private: &Private<Dataset>) -> Result<Arc<dyn Method>, PipelineError> {
    if let Some(name) = terms.first_set() {
        return Err(PipelineError::NoEffect { name, input: "a student" });
    }
    let settings = method.decided(Facts { validated: false, ..Facts::of(&private.public(), None) })?;
    Ok(method::configure(method.name(), &settings)?)
}

fn source<'a>(
    method: &dyn Method,
    private: &'a Private<Dataset>,
    public: &'a Dataset,
    seed: u64,
) -> Result<Box<dyn LabelSource + 'a>, PipelineError> {
    let source = method.label_source(private, public, seed)?;
    source.ok_or(PipelineError::PublicGraph { method: method.name(), needed: false })
}

pub(super) fn run(
    method: &Arc<dyn Method>,
    terms: &Terms,
    payment: &Payment,
    private: Private<Dataset>,
    public: Dataset,
    place: Place<'_>,
    hooks: &dyn Hooks,
) -> Result<Trained, PipelineError> {
    let workplace = match place {
        Place::Memory => Workplace::temporary()?,
        Place::Folder(out) => Workplace::of(out)?,
    };
    match answers((method, terms, payment), (&private, &public), &workplace, hooks) {
        Ok((method, mut released, training_seed)) => {
            let truth = public.labels().is_some().then(|| Private::seal(public.clone()));
            let (run, score) = in_place(place, |folder| {
                let mut clock = Clock::start();
                let (method, record) = record(&method, &released, terms, training_seed)?;
                let known = truth.iter().map(Identity::of).collect();
                let work = Work { method, record, truth: truth.as_ref(), known, folder, hooks };
                work.finish(TrainingView { released: &mut released, rounds: None }, None, &mut clock)
            })?;
            workplace.finish()?;
            Ok(Trained { run, score, inference: None, total: Vec::new(), truth: Some(private) })
        }
        // Nothing was begun, so nothing stays.
        Err((error, false)) => {
            workplace.finish()?;
            Err(error)
        }
        Err((error, true)) => Err(error),
    }
}

type Answered = (Arc<dyn Method>, Privatised, u64);

/// The public graph with its released labels. An error says whether something was spent, so that
/// the workplace must stay.
fn answers(
    (method, terms, payment): (&Arc<dyn Method>, &Terms, &Payment),
    (private, public): (&Private<Dataset>, &Dataset),
    workplace: &Workplace,
    hooks: &dyn Hooks,
) -> Result<Answered, (PipelineError, bool)> {
    let resumed = workplace.key().exists();
    let before = |error: PipelineError| (error, resumed);
    if !resumed {
        workplace.forget("training-seed.json").map_err(before)?;
    }
    let decided = workplace.decided("training-seed.json", || payment.training_seed().map_err(PipelineError::from));
    let training_seed: u64 = decided.map_err(before)?;
    let method = decide(&**method, terms, private).map_err(before)?;
    let source = source(&*method, private, public, training_seed).map_err(before)?;
    warn_about_delta(&*method, private.public().nodes, hooks);
    let about = about(&*method, public, training_seed, source.queries());
    let guarantees = vec![source.guarantee().clone()];
    let permit = payment.resumable(private, guarantees, &workplace.key(), &about).map_err(before)?;
    let spent = |error: PipelineError| (error, true);
    let mut clock = Clock::start();
    let queries = source.queries().len();
    let kept = if source.keeps_answers() {
        let classes = private.public().classes.unwrap_or(0);
        let kept = Kept::open(&workplace.file("answers.csv"), permit.release(), queries, classes);
        kept.map_err(|error| spent(AnswerError::from(error).into()))?
    } else {
        Kept::in_memory(queries)
    };
    let missing = kept.missing().len();
    hooks.step(Step::Answers { teachers: source.teachers(missing), kept: queries - missing, queries });
    let released = source.answer(permit, kept, &|| hooks.answered()).map_err(|error| spent(error.into()))?;
    hooks.step(Step::Answered { seconds: clock.lap() });
    Ok((method, released, training_seed))
}

/// Everything that decides the answers besides the data and the guarantee: an interrupted release
/// is recognised by it.
fn about(method: &dyn Method, public: &Dataset, seed: u64, queries: &[veil_graph::NodeId]) -> String {
    // Numbers and words can always be written.
    let parameters = serde_json::to_string(&method.settings()).unwrap_or_default();
    let (version, name, public) = (env!("CARGO_PKG_VERSION"), method.name(), public.fingerprint());
    format!("{version}\n{name}\n{parameters}\n{public}\n{seed}\n{queries:?}")
}

/// A δ that is not a small probability.
fn warn_about_delta(method: &dyn Method, nodes: u32, hooks: &dyn Hooks) {
    let settings = method.settings();
    let Some(delta) = settings.get("delta").and_then(serde_json::Value::as_f64) else { return };
    if delta >= 1.0 / f64::from(nodes.max(1)) {
        hooks.warn(&format!(
            "δ = {delta} is not below 1/{nodes}: so large a δ allows a mechanism that publishes a whole node now and then"
        ));
    }
}
