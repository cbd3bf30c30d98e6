//! A training on a release that was made earlier: nothing more is released or charged.

use std::sync::Arc;

use veil_graph::{Dataset, Part};
use veil_privacy::Private;
use veil_privacy::parameters::{Group, Settings};
use veil_privacy::release::Privatised;
use veil_privacy::{Guarantee, Unit};

use super::train::{Clock, Work, in_place, record};
use super::{Hooks, Job, Payment, PipelineError, Place, Terms, Trained};
use crate::learn::TrainingView;
use crate::method::on_graph::{gnn, mlp};
use crate::method::{self, Facts, Method, degree_vectors};
use crate::parameters::Recipe;

/// The method that reads a release if none is named, and the settings that the release decided.
pub fn default_method(released: &Privatised) -> (&'static str, Settings) {
    if released.vectors().is_empty() {
        return (gnn::NAME, Settings::from_iter([("recipe", Recipe::GraphPrivatizer.name().into())]));
    }
    (degree_vectors::NAME, Settings::default())
}

/// The settings of a method that its release decided.
pub fn decided_by(released: &Privatised, method: &str) -> Settings {
    let guarantees = &released.statement().guarantees;
    let of = |unit: Unit| guarantees.iter().find(|it: &&Guarantee| it.unit == unit);
    let mut settings = Settings::default();
    for (unit, name) in [(Unit::Feature, "epsilon-features"), (Unit::Label, "epsilon-labels")] {
        if let Some(guarantee) = of(unit) {
            settings.insert(name, guarantee.epsilon.to_string());
        }
    }
    // Scaling before a release is in its statement: no word about it means none.
    let scale = of(Unit::Feature).and_then(|it| it.parameters.get("scale")).unwrap_or("none");
    settings.insert("scale", scale);
    if let (degree_vectors::NAME, Some(counted)) = (method, guarantees.iter().find(|it| it.mechanism == degree_vectors::NAME)) {
        settings.insert("epsilon-edges", counted.epsilon.to_string());
        for name in ["rounds", "unit"] {
            if let Some(value) = counted.parameters.get(name) {
                settings.insert(name, value);
            }
        }
    }
    settings
}

/// The method that learns from a release: the named one or the one that reads what was released, with these settings.
///
/// # Errors
/// If the method cannot learn from a release, or a setting was decided when the release was made.
pub fn method_on(
    released: &Privatised,
    name: Option<&str>,
    given: &Settings,
) -> Result<Arc<dyn Method>, PipelineError> {
    let (default, defaults) = default_method(released);
    let entry = method::find(name.unwrap_or(default))?;
    let data = || released.data().name().to_owned();
    if ![gnn::NAME, mlp::NAME, degree_vectors::NAME].contains(&entry.name) {
        return Err(PipelineError::NotOnRelease { data: data(), method: entry.name });
    }
    let decided = decided_by(released, entry.name);
    for it in entry.parameters() {
        let of_release = it.group == Group::Release || (it.group == Group::Edges && decided.contains(&it.name));
        // Standardisation happens after the release.
        let after = it.name == "scale" && given.word("scale") == Some("standard") && decided.word("scale") == Some("none");
        let differs = given.get(&it.name).is_some_and(|value| decided.get(&it.name) != Some(value));
        if of_release && differs && !after {
            return Err(PipelineError::Decided { data: data(), name: it.name });
        }
    }
    let defaults = if entry.name == default { defaults } else { Settings::default() };
    Ok(entry.configure(&defaults.overridden_by(&decided).overridden_by(given))?)
}

pub(super) fn check(job: &Job, released: &Privatised) -> Result<Arc<dyn Method>, PipelineError> {
    decide(&*job.method, released)
}

fn decide(method: &dyn Method, released: &Privatised) -> Result<Arc<dyn Method>, PipelineError> {
    let data = released.data();
    let validated = data.split().is_some_and(|split| split.count(Part::Val) > 0);
    let classes = data.labels().map_or(0, veil_graph::Labels::classes);
    let settings = method.decided(Facts { validated, classes })?;
    Ok(method::configure(method.name(), &settings)?)
}

pub(super) fn run(
    method: &Arc<dyn Method>,
    terms: &Terms,
    payment: &Payment,
    mut released: Privatised,
    truth: Option<Private<Dataset>>,
    place: Place<'_>,
    hooks: &dyn Hooks,
) -> Result<Trained, PipelineError> {
    let method = decide(&**method, &released)?;
    if let Some(truth) = &truth {
        let (run, truth) = (released.data().nodes(), truth.public().nodes);
        if run != truth {
            return Err(PipelineError::OtherSize { truth, run });
        }
    }
    let (run, score) = in_place(place, |folder| {
        let mut clock = Clock::start();
        let (method, record) = record(&method, &released, terms, payment.training_seed()?)?;
        let work = Work { method, record, truth: truth.as_ref(), folder, hooks };
        work.finish(TrainingView { released: &mut released, rounds: None }, None, &mut clock)
    })?;
    Ok(Trained { run, score, inference: None, truth })
}
