//! Models like that of a run, and its model on other graphs: what an attack needs that measures how
//! much a run reveals.
//!
//! Nothing here is charged, so nothing that comes of it may be published.

use std::sync::Arc;

use veil_graph::Dataset;
use veil_privacy::parameters::{Group, Settings};
use veil_privacy::{Declarations, Private, Truth};

use super::graphs::{Graphs, inference_plan};
use super::inference::{answer, terms_of};
use super::payment::{Payment, Planned};
use super::released::refuse_other_edges;
use super::site::Site;
use super::{Hooks, Input, Job, PipelineError, Place, Silent, Terms, Trained};
use crate::error::LearnError;
use crate::fit::validated;
use crate::method::on_graph::gnn;
use crate::method::{self, Method};
use crate::run::Run;

/// A model like that of a run, trained with the same parameters on the training nodes of other
/// data. Without validation nodes its last epoch is used. A shadow of a student has its network,
/// and learns from labels directly, without teachers or noise.
///
/// # Errors
/// If the data lack something, or training fails.
pub fn shadow(run: &Run, data: Dataset, seed: u64, hooks: &dyn Hooks) -> Result<Run, PipelineError> {
    let record = run.record();
    let mut settings = record.parameters.clone();
    let mut entry = method::find(&record.method)?;
    if entry.public_graph {
        let network = |it: &veil_privacy::parameters::Described| matches!(it.group, Group::Network | Group::Training);
        let copied = run.method().list().into_iter().filter(network).filter_map(|it| Some((it.name, it.value?)));
        let unchanged = [("epsilon-features", "inf"), ("epsilon-labels", "inf"), ("scale", "none")];
        settings = copied.chain(unchanged.map(|(name, word)| (name.to_owned(), word.into()))).collect();
        entry = method::find(gnn::NAME)?;
    }
    refuse_other_edges(run)?;
    // Nothing of it leaves.
    let terms = Terms { declared: Declarations::ALL, ..terms_of(run)? };
    let payment = Payment::experiment(seed);
    let graphs = Graphs::one(data, &terms, &payment)?;
    if !validated(&graphs.train.public(), None) {
        settings.insert("select", "last");
    }
    let job = Job { method: entry.configure(&settings)?, terms, payment, input: Input::Graphs(graphs) };
    Ok(job.run(Place::Memory, hooks)?.run)
}

/// The model of a run on another raw graph, as an adversary who holds that graph would query it.
/// Where the run reads noisy edges, these are made noisy in the same way, from this seed.
///
/// # Errors
/// If the model does not fit the graph.
pub fn elsewhere(run: &Run, data: &Private<Dataset>, seed: u64) -> Result<Run, PipelineError> {
    refuse_other_edges(run)?;
    let (_, classes) = run.shape().ok_or(LearnError::NoNetwork)?;
    let method: &Arc<dyn Method> = run.method();
    let plan = inference_plan(&**method, data, &terms_of(run)?, classes, None)?;
    let release = Payment::experiment(seed).release_further(
        Planned::new(&**method, data, plan),
        String::new(),
        &Site::memory(),
    )?;
    Ok(answer(run, Arc::clone(method), run.record().clone(), release, data, false, (None, None))?.run)
}

/// The model of a run on all nodes of its raw graph, for scoring only.
pub(super) fn everyone(run: &Run, truth: &Private<Dataset>) -> Result<Run, PipelineError> {
    let raw = truth.for_scoring(&Truth::for_scoring_only()).clone();
    elsewhere(run, &Private::seal(raw).declaring(Declarations::ALL), 0)
}

/// A training in memory that is booked nowhere: for experiments, attacks and audits.
///
/// # Errors
/// If the data lack something, or training fails.
pub fn experiment(
    method: &str,
    settings: &Settings,
    data: Dataset,
    terms: Terms,
    seed: u64,
) -> Result<Trained, PipelineError> {
    let (payment, terms) = (Payment::experiment(seed), terms.of(method::find(method)?));
    let input = Input::Graphs(Graphs::one(data, &terms, &payment)?);
    let job = Job { method: method::configure(method, settings)?, terms, payment, input };
    job.run(Place::Memory, &Silent)
}
