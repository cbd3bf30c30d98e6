//! A run of a method that releases a student: a private graph is asked for labels of public nodes, and the student learns from them.
//!
//! The same steps as `veil train` takes, without a ledger and without going on: who is killed asks again.

use std::ops::ControlFlow;

use veil_graph::Dataset;
use veil_learn::run::{Record, Seed};
use veil_learn::teaching::Asking;
use veil_learn::{LearnError, Method, Parameters, Run, Scaling, Seen, learn};
use veil_nn::training::EpochMetrics;
use veil_privacy::answers::Kept;
use veil_privacy::release::RangeChoice;
use veil_privacy::{Coins, Permit, Private, Resumable};

use super::plan::DataSets;
use super::settings::Division;
use super::wanted::Wanted;
use super::work::{Work, WorkError};

/// What is decided by the method.
const DECIDED: [&str; 7] =
    ["edges", "epsilon-edges", "epsilon-features", "epsilon-labels", "split", "range", "inference-data"];

/// Checks a run as `veil train` does before it asks anything.
pub(super) fn checked(wanted: &Wanted, parameters: Parameters, sets: &DataSets) -> Result<Work, String> {
    let (settings, method) = (&wanted.settings, parameters.method.map_or("", Method::name));
    if let Some(name) = settings.first_of(&DECIDED) {
        return Err(format!("{name} does not go with {method}, which releases a student"));
    }
    if settings.first_of(&["scale"]).is_some() && parameters.scale != Scaling::None {
        return Err(format!("scale does not go with {method}, which compares features as they are"));
    }
    if !wanted.attacks.is_empty() {
        return Err(format!("attacks look for edges, and {method} learns on public ones: say `where` they are meant"));
    }
    let name = settings.public(&wanted.data).ok_or_else(|| format!("{method} needs `public`"))?;
    let private = Private::seal(sets.get(&wanted.data).ok_or("no data")?.clone());
    let public = sets.get(&name).ok_or("no data")?;
    let text = |error: LearnError| error.to_string();
    let parameters = Asking::new(&parameters, &private, public, wanted.seed).map_err(text)?.parameters().clone();
    Ok(Work {
        data: wanted.data.clone(),
        public: Some(name),
        inference: None,
        parameters,
        division: Division::Public,
        range: (RangeChoice::Public, "public".to_owned()),
        seed: wanted.seed,
        attacks: Vec::new(),
    })
}

/// Asks for labels, and trains the student.
pub(super) fn taught(work: &Work, private: &Private<Dataset>, public: &Dataset) -> Result<Run, WorkError> {
    let Work { parameters, seed, .. } = work;
    let asking = Asking::new(parameters, private, public, *seed)?;
    let kept = Kept::in_memory(asking.queries().len());
    let mut released = asking.answers(permit(&asking, private, *seed)?, kept, &|| ())?;
    let go_on = &mut |_: &EpochMetrics| ControlFlow::Continue(());
    let learned = learn(Seen { released: &mut released, rounds: None }, None, parameters, *seed, go_on)?;
    let name = released.data().name().to_owned();
    let mut record = Record::new(&name, parameters.clone(), work.asked(), Seed::Given(*seed), *seed);
    record.stages = learned.stages.len();
    record.best_epoch = learned.stages.last().map_or(0, |stage| stage.kept);
    Ok(Run::new(record, released, learned)?)
}

/// The noise is that of `veil train`: with a seed it also depends on the id of the release, which is a hash of all that decides it. The key that would let
/// it go on is kept as long as this takes.
fn permit(asking: &Asking<'_>, private: &Private<Dataset>, seed: u64) -> Result<Permit, WorkError> {
    let about = format!("{}\nnot booked\n{:?}", asking.about(), Some(seed));
    let folder = tempfile::tempdir().map_err(|source| WorkError::Temporary { source })?;
    let (coins, key) = (Coins::reproducible(seed), folder.path().join("key"));
    Ok(Resumable::begin(private, coins, vec![asking.guarantee().clone()], &key, &about)?.unbooked())
}
