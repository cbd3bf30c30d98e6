//! A training of a student: the private graph labels nodes of the public one, and the student
//! learns from these labels.
//!
//! Answers take long, so those of an interrupted job are kept in its
//! [`Workplace`](super::Workplace). All answers are charged once, together, before the first.

use std::sync::Arc;

use veil_graph::{Dataset, Features};
use veil_privacy::answers::{AnswerError, Kept};
use veil_privacy::identity::Identity;
use veil_privacy::release::Privatised;
use veil_privacy::resume::{Bound, SeededId, Wanted};
use veil_privacy::{Private, ReleaseError};

use super::payment::size_of_run;
use super::site::{Bill, Site, in_place};
use super::train::{Clock, Work, about, record};
use super::{Hooks, Job, Payment, PipelineError, Place, Step, Terms, Trained};
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
    let (run, score) = in_place(place, |site| {
        let (method, mut released, training_seed) = answers(method, terms, payment, (&private, &public), site, hooks)?;
        let truth = public.labels().is_some().then(|| Private::seal(public.clone()));
        let mut clock = Clock::start();
        let (method, record) = record(&method, &released, terms, training_seed)?;
        let known = truth.iter().map(Identity::of).collect();
        let work = Work { method, record, truth: truth.as_ref(), known, site, hooks };
        work.finish(TrainingView { released: &mut released, rounds: None }, None, &mut clock)
    })?;
    Ok(Trained { run, score, inference: None, total: Vec::new(), truth: Some(private) })
}

/// The public graph with its released labels.
fn answers(
    method: &Arc<dyn Method>,
    terms: &Terms,
    payment: &Payment,
    (private, public): (&Private<Dataset>, &Dataset),
    site: &Site<'_>,
    hooks: &dyn Hooks,
) -> Result<(Arc<dyn Method>, Privatised, u64), PipelineError> {
    let method = decide(&**method, terms, private)?;
    let training_seed = site.training_seed(payment)?;
    let source = source(&*method, private, public, training_seed)?;
    warn_about_delta(&*method, private.public().nodes, hooks);
    let queries = source.queries().len();
    let rest = format!("{}\n{training_seed}\n{:?}", public.fingerprint(), source.queries());
    let wanted = Wanted { data: private, guarantees: vec![source.guarantee().clone()], public: Vec::new() };
    // The public graph is written with its answers.
    let entries = public.graph().entries() + public.features().map_or(0, Features::nonzeros);
    let bytes = size_of_run(&*method, &private.public()) + entries as u64 * 24 + (1 << 17);
    let (bound, id, about) = (Bound::First, SeededId::Release, about(&*method, &rest));
    let permits = site.pay(Bill { releases: vec![wanted], bound, id, about, bytes }, payment)?;
    let permit = permits.into_iter().next().ok_or(ReleaseError::Nothing)?;
    let mut clock = Clock::start();
    let kept = match site.workplace().filter(|_| source.keeps_answers()) {
        Some(workplace) => {
            let classes = private.public().classes.unwrap_or(0);
            Kept::open(&workplace.file("answers.csv"), &permit, queries, classes).map_err(AnswerError::from)?
        }
        None => Kept::in_memory(queries),
    };
    if kept.damaged() > 0 {
        hooks.warn(&format!("{} kept answers were damaged: their nodes are asked again", kept.damaged()));
    }
    let missing = kept.missing().len();
    hooks.step(Step::Answers { teachers: source.teachers(missing), kept: queries - missing, queries });
    let released = source.answer(permit, kept, &|| hooks.answered())?;
    hooks.step(Step::Answered { seconds: clock.lap() });
    Ok((method, released, training_seed))
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
