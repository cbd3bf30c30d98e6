//! A training on a release that was made earlier: nothing more is released or charged.
//!
//! The method that made a release also learns from it, with the parameters in its statement. So a
//! run on a release answers like a run on the raw data, and a further graph is released as the
//! first was. An MLP learns from any features, and a GNN from any edges.

use std::sync::Arc;

use veil_graph::{Dataset, Features, Labels, Part};
use veil_privacy::identity::Identity;
use veil_privacy::mechanism::codebook;
use veil_privacy::parameters::{Group, Settings};
use veil_privacy::release::{EdgePlan, Encoder, Privatised};
use veil_privacy::{Private, Unit};

use super::site::in_place;
use super::train::{Clock, Work, record};
use super::{Hooks, Job, Payment, PipelineError, Place, Terms, Trained};
use crate::error::LearnError;
use crate::learn::TrainingView;
use crate::method::on_graph::{gnn, mlp};
use crate::method::{self, Facts, Method, Shape};
use crate::parameters::{Reads, Recipe};
use crate::run::Run;

/// The method that made a release, and the settings of its edges. Where several make such a
/// release, it is the named one.
fn maker(released: &Privatised, named: Option<&str>) -> (&'static str, Settings) {
    let guarantees = &released.statement().guarantees;
    let made = |entry: &method::Entry| Some((entry.name, guarantees.iter().find_map(|it| entry.recognise(it))?));
    let named = named.and_then(|name| method::find(name).ok()).and_then(made);
    named.or_else(|| method::entries().iter().find_map(made)).unwrap_or_else(|| {
        let reads = if released.data().edges_withheld() { Reads::None } else { Reads::All };
        (gnn::NAME, Settings::from_iter([("reads", reads.name().into())]))
    })
}

/// The settings of features and labels that a release decided.
fn decided_by(released: &Privatised) -> Settings {
    let of = |unit: Unit| released.statement().guarantees.iter().find(|it| it.unit == unit);
    let mut settings = Settings::default();
    for (unit, name) in [(Unit::Feature, "epsilon-features"), (Unit::Label, "epsilon-labels")] {
        if let Some(guarantee) = of(unit) {
            settings.insert(name, guarantee.epsilon.to_string());
        }
    }
    if of(Unit::Feature).is_some_and(|it| it.mechanism == codebook::NAME) {
        settings.insert("feature-encoder", Encoder::Codebook.name());
    }
    let listed = |name| of(Unit::Feature).and_then(|it| it.parameters.get(name));
    if let Some(samples) = listed("samples") {
        settings.insert("samples", samples);
    }
    // Features without a scale in their statement were not scaled.
    settings.insert("scale", listed("scale").unwrap_or("none"));
    settings
}

/// The method that learns from a release: the named one, or the one that made the release, with
/// these settings.
///
/// # Errors
/// If the method cannot learn from this release, or a setting was decided when the release was
/// made.
pub fn method_on(
    released: &Privatised,
    name: Option<&str>,
    given: &Settings,
) -> Result<Arc<dyn Method>, PipelineError> {
    let (maker, of_edges) = maker(released, name);
    let entry = method::find(name.unwrap_or(maker))?;
    let data = || released.data().name().to_owned();
    if ![maker, gnn::NAME, mlp::NAME].contains(&entry.name) {
        return Err(PipelineError::NotOnRelease { data: data(), method: entry.name, maker });
    }
    let mut decided = decided_by(released);
    // A GNN may read less than the released edges.
    let by_maker = entry.name == maker && maker != gnn::NAME;
    if entry.name == maker {
        decided = decided.overridden_by(&of_edges);
    }
    if name.is_none() && maker == gnn::NAME {
        decided.insert("recipe", Recipe::GraphPrivatizer.name());
    }
    // Some defaults of the release are those of the recipe.
    if let Some(recipe) = given.get("recipe") {
        decided.insert("recipe", recipe.clone());
    }
    let made = entry.configure(&decided)?;
    let method = entry.configure(&decided.overridden_by(given))?;
    for (made, now) in made.list().into_iter().zip(method.list()) {
        let of_release = match made.group {
            Group::Release => true,
            Group::Edges => by_maker && of_edges.contains(&made.name),
            _ => false,
        };
        // Standardisation follows the release.
        let word = |it: &Option<serde_json::Value>| it.as_ref().and_then(|it| it.as_str().map(str::to_owned));
        let standardised = made.name == "scale"
            && (word(&made.value).as_deref(), word(&now.value).as_deref()) == (Some("none"), Some("standard"));
        if of_release && made.value != now.value && !standardised {
            return Err(PipelineError::Decided { data: data(), name: made.name });
        }
    }
    Ok(method)
}

/// Fails where the method of a run would release other edges of a further graph than the run was
/// trained on: a GNN on noisy edges that another method released.
pub(super) fn refuse_other_edges(run: &Run) -> Result<(), PipelineError> {
    let (released, method) = (run.released(), run.method());
    let noisy = |it: &&veil_privacy::Guarantee| it.unit.is_about_edges() && it.epsilon.is_finite();
    let classes = run.shape().map_or(0, |(_, classes)| classes);
    match released.statement().guarantees.iter().find(noisy) {
        Some(it) if method.edges(released.data().nodes(), classes)? == EdgePlan::Raw => {
            Err(PipelineError::OtherEdges { method: method.name(), mechanism: it.mechanism.clone() })
        }
        _ => Ok(()),
    }
}

pub(super) fn check(job: &Job, released: &Privatised) -> Result<Arc<dyn Method>, PipelineError> {
    let Job { method, terms, payment, .. } = job;
    decide(&**method, terms, payment, released)
}

fn decide(
    method: &dyn Method,
    terms: &Terms,
    payment: &Payment,
    released: &Privatised,
) -> Result<Arc<dyn Method>, PipelineError> {
    let declared = (!terms.declared.is_empty()).then_some("a declaration");
    let unused = terms.first_set().or(declared).or(payment.ledger.as_ref().map(|_| "a ledger"));
    if let Some(name) = unused {
        return Err(PipelineError::NoEffect { name, input: "a release" });
    }
    let method = method_on(released, Some(method.name()), &method.settings())?;
    let data = released.data();
    let validated = data.split().is_some_and(|split| split.count(Part::Val) > 0);
    let classes = data.labels().map(Labels::classes).ok_or(LearnError::NoLabels)?;
    let settings = method.decided(Facts { validated, classes, nodes: data.nodes() })?;
    let method = method::configure(method.name(), &settings)?;
    let features = data.features().map(Features::columns);
    let trained = data.split().map_or(0, |split| split.count(Part::Train));
    let others = (data.nodes() as usize).saturating_sub(trained);
    method.check(Shape { features, classes: classes as usize, validated, others })?;
    Ok(method)
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
    let method = decide(&**method, terms, payment, &released)?;
    if let Some(truth) = &truth {
        let (run, truth) = (released.data().nodes(), truth.public().nodes);
        if run != truth {
            return Err(PipelineError::OtherSize { truth, run });
        }
    }
    let (run, score) = in_place(place, |site| {
        let mut clock = Clock::start();
        let (method, record) = record(&method, &released, terms, site.training_seed(payment)?)?;
        let known = truth.iter().map(Identity::of).collect();
        let work = Work { method, record, truth: truth.as_ref(), known, site, hooks };
        work.finish(TrainingView { released: &mut released, rounds: None }, None, &mut clock)
    })?;
    Ok(Trained { run, score, inference: None, total: Vec::new(), truth })
}
