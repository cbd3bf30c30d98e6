//! A trained model on a further graph, whose edges are released at their own price,
//! once, and the answers are a run of their own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use veil_graph::write::WriteError;
use veil_graph::{Dataset, Labels};
use veil_privacy::guarantee::{Assumption, ReleasedAt, Spent, compose_releases};
use veil_privacy::identity::Identity;
use veil_privacy::protocol::cascade::{Extension, carried};
use veil_privacy::release::{Plan, Release};
use veil_privacy::{Delta, Epsilon, Guarantee, Private, ReleaseError, Status, Truth, Unit};

use super::graphs::{fits_model, inference_plan, other_graph};
use super::payment::{Payment, Planned};
use super::released::refuse_other_edges;
use super::site::in_place;
use super::train::about;
use super::workplace::refuse_complete;
use super::{Hooks, PipelineError, Place, RangeText, Step, Terms, shown};
use crate::error::LearnError;
use crate::method::{self, Method};
use crate::metrics::Classification;
use crate::run::{Record, Run, Score, Seed, score, score_all};

/// The same model about another graph.
#[derive(Debug)]
pub struct Inferred {
    /// The run about that graph.
    pub run: Run,
    /// Its folder, if it has one.
    pub out: Option<PathBuf>,
    /// How right the answers are, where true labels are known: for their owner, not part of the
    /// release.
    pub classification: Option<Classification>,
    /// The sum of ε and δ per unit over all graphs that the answers depend on: what holds for nodes
    /// or edges that are in all of them.
    pub total: Vec<(Unit, Spent, Delta)>,
}

impl Inferred {
    /// The same where the folder of the whole training was moved to its place.
    pub(super) fn moved(self, place: Place<'_>) -> Inferred {
        let name = self.out.as_ref().and_then(|out| out.file_name()).map(PathBuf::from);
        let out = shown(place).zip(name).map(|(folder, name)| folder.join(INFERENCE).join(name));
        Inferred { out, ..self }
    }
}

/// The folder of inferences in the folder of a run.
const INFERENCE: &str = "inference";

/// Where answers about a graph are kept in the folder of a run. Nothing is made there.
pub fn place_in(run: &Path, graph: &Private<Dataset>) -> PathBuf {
    let plain = |letter: char| if letter.is_alphanumeric() || "-_".contains(letter) { letter } else { '-' };
    run.join(INFERENCE).join(graph.public().name.chars().map(plain).collect::<String>())
}

/// How a further graph is released.
#[derive(Clone, Copy, Debug, Default)]
pub struct Further {
    /// Overrides ε of the edges in the training; how many rounds share it was decided when the
    /// networks were trained.
    pub epsilon_edges: Option<Epsilon>,
    /// Whether nodes of the training graph may be released again: their ε add up.
    pub repeat_nodes: bool,
    /// The graph is that of the run, to which nodes were added: what the run released is extended,
    /// and every edge costs ε once in all of its releases.
    pub evolving: bool,
}

/// Releases what a trained model needs of another graph, and answers about its nodes.
///
/// # Errors
/// If the model does not fit the graph, the graph has nodes of the training graph, or a charge or
/// the writing fails.
pub fn infer(
    run: &Run,
    data: &Private<Dataset>,
    further: Further,
    payment: &Payment,
    place: Place<'_>,
    hooks: &dyn Hooks,
) -> Result<Inferred, PipelineError> {
    fits(run, data)?;
    // Answers that are there are not asked for again.
    if let Place::Folder(out) = place {
        refuse_complete(out)?;
    }
    let mut record = run.record().clone();
    record.epsilon_of_all_graphs = None;
    record.seed = payment.seed.map_or(Seed::Os, Seed::Given);
    let method = match further.epsilon_edges {
        None => Arc::clone(run.method()),
        Some(epsilon) => {
            record.parameters.insert("epsilon-edges", epsilon.to_string());
            method::configure(&record.method, &record.parameters)?
        }
    };
    record.parameters = method.settings();
    if !further.evolving {
        method.check_other(other_graph(&*method, &data.public(), false))?;
    }
    let (_, classes) = run.shape().ok_or(LearnError::NoNetwork)?;
    let extension = further.evolving.then(|| extension(run, data, &*method, payment)).transpose()?;
    let extends = extension.is_some();
    let plan = inference_plan(&*method, data, &terms_of(run)?, classes, extension)?;
    let promises = plan.guarantees().iter().any(|it| it.epsilon.is_finite());
    let shared = shared_with(run, data).filter(|_| promises);
    let apart = match shared {
        // The guarantee itself says how it adds up.
        _ if extends => None,
        None => Some(Assumption::SeparateGraphs),
        Some(_) if further.repeat_nodes => Some(Assumption::SharedNodes { graphs: run.statements().len() as u32 + 1 }),
        Some((one, nodes)) => {
            let other = data.public().name.to_owned();
            return Err(PipelineError::RepeatedNodes { one, other, nodes });
        }
    };
    let assumed = std::iter::once(trained_on(run)).chain(apart);
    let plan = assumed.fold(plan, Plan::with_assumption);
    // Rounds of counts depend on the networks, so the model is a part of what determines them: its
    // content, because whoever edits it keeps its names.
    let model = (run.released().statement().release.clone(), record.training_seed, &record.range, run.digest()?);
    let about = about(&*method, &format!("{model:?} {further:?}"));
    let inferred = in_place(place, |site| {
        hooks.step(Step::Release);
        let release = payment.release_further(Planned::new(&*method, data, plan), about, site)?;
        answer(run, method, record, release, data, extends, (site.folder(), shown(place)))
    })?;
    // An extension is known to its ledger. Before the answers are in their place, a note would keep
    // the same command from ending what was interrupted.
    if promises
        && !extends
        && let Err(error) = run.answered_about(Identity::of(data))
    {
        hooks.warn(&format!("this graph is not in the list of graphs that the model answered about: {error}"));
    }
    Ok(inferred)
}

/// What a further release about a graph that grew extends: the release of the run.
///
/// All releases of a life together cost one ε only if they have the same one, are proven, and are
/// no fork, which only a ledger can know.
fn extension(
    run: &Run,
    data: &Private<Dataset>,
    method: &dyn Method,
    payment: &Payment,
) -> Result<Extension, PipelineError> {
    let released = run.released();
    let seeded = payment.seed.is_some();
    if payment.ledger.is_none() && !seeded {
        return Err(PipelineError::GrowthWithoutLedger);
    }
    let about_edges = |it: &&Guarantee| it.unit.is_about_edges();
    if let Some(before) = released.statement().guarantees.iter().find(about_edges) {
        let data = || released.data().name().to_owned();
        if before.status != Status::Proven || !before.epsilon.is_finite() || (before.reproducible && !seeded) {
            return Err(PipelineError::GrowthOfUnprotected { data: data() });
        }
        let asked = method.settings().get("epsilon-edges").cloned();
        let asked = asked.and_then(|it| serde_json::from_value::<Epsilon>(it).ok());
        if asked != Some(before.epsilon) {
            return Err(PipelineError::OtherGrowth { data: data(), epsilon: before.epsilon });
        }
        // Nodes of any other graph of the run may have rows already.
        let extends = Extension::of_parameters(&before.parameters).is_ok_and(|it| it.is_some());
        if !extends && (run.graphs().len() != 1 || run.record().trained_on.is_some()) {
            return Err(PipelineError::GrowthOfSeveral { data: data() });
        }
    }
    let extension = released.extension().filter(|_| released.figures().beliefs.is_some());
    let extension = extension.ok_or_else(|| PipelineError::NotGrowing { method: method.name() })?;
    let finite = |epsilon: Option<Epsilon>| epsilon.is_some_and(Epsilon::is_finite);
    // Users of earlier nodes would report their features again.
    if method.reports().is_some_and(|it| finite(it.epsilon_features)) {
        return Err(PipelineError::RepeatedReports);
    }
    let public = data.public();
    let earlier = carried(released.data().names(), public.names).map_err(ReleaseError::from)?;
    if earlier.len() == public.nodes as usize {
        return Err(PipelineError::NothingNew { data: public.name.to_owned() });
    }
    Ok(extension)
}

/// The first graph that the model depends on or answered about and that has nodes of another graph,
/// and which. Where the owner's list of graphs is missing, as in a published folder, only names in
/// the release can be compared.
fn shared_with(run: &Run, data: &Private<Dataset>) -> Option<(String, String)> {
    let known = run.graphs().iter().find_map(|it| Some((it.data.clone(), it.shared_with(data)?)));
    let released = run.released().data();
    known.or_else(|| {
        let name = released.names().shared_with(data.public().names)?;
        Some((released.name().to_owned(), format!("node {name}")))
    })
}

/// Whether the model of a run, or one like it, can answer about another raw graph.
///
/// # Errors
/// If it cannot.
pub fn fits(run: &Run, data: &Private<Dataset>) -> Result<(), PipelineError> {
    refuse_other_edges(run)?;
    let shape = run.shape().ok_or(LearnError::NoNetwork)?;
    let names = run.released().data().labels().and_then(Labels::names);
    fits_model(&**run.method(), shape, names, &data.public())
}

/// The terms of a run but for its split and its declarations, which are about its own data: its
/// networks learned to read features in this range.
pub(super) fn terms_of(run: &Run) -> Result<Terms, PipelineError> {
    let text = &run.record().range;
    let RangeText(range) = text.parse().map_err(|problem| PipelineError::Range { text: text.clone(), problem })?;
    Ok(Terms { range, ..Terms::default() })
}

/// The training of a model, as an assumption about its answers: its guarantee is in another
/// statement.
fn trained_on(run: &Run) -> Assumption {
    let statement = run.released().statement();
    let edges = statement.guarantees.iter().find(|it| it.unit.is_about_edges());
    let edges = edges.map(|it| {
        let of_all = it.assumptions.iter().find_map(|assumption| match assumption {
            Assumption::SharedEdges { whole, delta, .. } => Some((*whole, *delta)),
            _ => None,
        });
        (it, of_all.unwrap_or((it.epsilon, it.delta)))
    });
    let edges = edges.map(|(it, (epsilon, delta))| ReleasedAt {
        epsilon,
        delta,
        status: it.status,
        reproducible: it.reproducible,
    });
    Assumption::TrainedOn { data: statement.data.clone(), edges }
}

/// Runs the model on a release, scores its answers and writes them.
pub(super) fn answer(
    run: &Run,
    method: Arc<dyn Method>,
    record: Record,
    mut release: Release<'_>,
    data: &Private<Dataset>,
    extends: bool,
    (folder, out): (Option<&Path>, Option<PathBuf>),
) -> Result<Inferred, PipelineError> {
    let trained_on = Some(record.trained_on.clone().unwrap_or_else(|| record.data.clone()));
    let record = Record { data: data.public().name.to_owned(), trained_on, ..record };
    let mut inferred = run.on(record, method, release.released, Some(&mut release.rounds), extends)?;
    inferred.about([Identity::of(data)]);
    let total = compose_releases(inferred.statements());
    let posteriors = inferred.posteriors()?;
    let token = Truth::for_scoring_only();
    let classification = score_all(&posteriors, data, &token);
    if let Some(folder) = folder {
        let score = Score {
            test_accuracy: classification.as_ref().map(|found| found.accuracy),
            classification: classification.clone(),
            ..score(&posteriors, inferred.released().data(), data, &token)
        };
        std::fs::create_dir_all(folder).map_err(WriteError::io(folder))?;
        inferred.fill(folder, &posteriors, Some(&score))?;
    }
    Ok(Inferred { run: inferred, out, classification, total })
}
