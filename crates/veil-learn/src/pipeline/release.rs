//! A release without a model: features, labels, and edges or a noisy graph.

use std::sync::Arc;

use veil_graph::Dataset;
use veil_privacy::protocol::Traffic;
use veil_privacy::release::{EdgePlan, Plan, Privatised};
use veil_privacy::{Private, ReleaseError, Truth};

use super::graphs::{refuse_student, reported};
use super::payment::{Payment, Planned};
use super::site::in_place;
use super::train::about;
use super::{Hooks, PipelineError, Place, Step, Terms};
use crate::method::Method;
use crate::parameters::Reports;

/// A release, and what only the owner may know about it.
#[derive(Debug)]
pub struct Unmodelled {
    /// The release.
    pub released: Privatised,
    /// Messages between users: they follow from the true graph and are not part of the release.
    pub traffic: Traffic,
}

/// Releases features and labels by `reports`, and edges by the mechanism of a method; without one,
/// edges are withheld.
///
/// # Errors
/// If something is missing or out of range, or a charge or the writing fails.
pub fn release(
    data: &Private<Dataset>,
    reports: &Reports,
    method: Option<&Arc<dyn Method>>,
    terms: &Terms,
    payment: &Payment,
    place: Place<'_>,
    hooks: &dyn Hooks,
) -> Result<Unmodelled, PipelineError> {
    let facts = data.public();
    method.map_or(Ok(()), |method| refuse_student(&**method))?;
    let edges = match method {
        None => EdgePlan::Withheld,
        Some(method) => method.edges(facts.nodes, facts.classes.unwrap_or(0))?,
    };
    if edges.needs_predictions() {
        return Err(PipelineError::NeedsTraining);
    }
    let plan = Plan::new(data, reported(reports, edges, terms)?)?;
    let settings = method.map(|method| about(&**method, ""));
    let about = format!("{} {reports:?} {terms:?}\n{settings:?}", env!("CARGO_PKG_VERSION"));
    in_place(place, |site| {
        hooks.step(Step::Release);
        let planned = Planned { data, plan, public: false, trained: 0 };
        let release = payment.release_all(vec![planned], about, site)?.pop().ok_or(ReleaseError::Nothing)?;
        hooks.step(Step::Write);
        if let Some(folder) = site.folder() {
            release.released.fill(folder)?;
        }
        let traffic = *release.traffic.for_scoring(&Truth::for_scoring_only());
        Ok(Unmodelled { released: release.released, traffic })
    })
}
