//! From released graphs to trained networks, whatever the method.

use std::ops::{ControlFlow, Range};

use veil_graph::{Dataset, Features, Matrix, Part, Split};
use veil_nn::Input;
use veil_nn::training::EpochMetrics;
use veil_privacy::release::{Privatised, Question, Rounds};

use crate::error::LearnError;
use crate::fit::{Fitted, ReportedLabels, Watch, fit_without_edges};
use crate::method::Method;
use crate::parameters::Scaling;
use crate::scaled::Scaled;

/// A graph as a training sees it: what was released of it, and the paid rounds of counts that may
/// still be requested.
#[derive(Debug)]
pub struct TrainingView<'a, 'd> {
    /// What was released; rounds that are requested are added to it.
    pub released: &'a mut Privatised,
    /// The rounds that are paid for.
    pub rounds: Option<&'a mut Rounds<'d>>,
}

impl TrainingView<'_, '_> {
    /// Asks for one more round or batch; `false` if none is left.
    pub(crate) fn request(&mut self, question: Question<'_>) -> Result<bool, LearnError> {
        match self.rounds.as_deref_mut().filter(|rounds| rounds.left() > 0) {
            Some(rounds) => rounds.ask(self.released, question).map(|()| true).map_err(LearnError::from),
            None => Ok(false),
        }
    }
}

/// All that a method learns from.
#[derive(Debug)]
pub struct TrainingData<'a, 'd> {
    /// The graphs: the one to learn from, and one whose nodes validate, if they are not in the
    /// first.
    pub graphs: Vec<TrainingView<'a, 'd>>,
    /// The graphs beside each other.
    pub joined: Dataset,
    /// Labels of the joined graphs.
    pub labels: ReportedLabels,
    /// Scaling of the released features.
    pub scaled: Scaled,
}

impl TrainingData<'_, '_> {
    /// The places of each graph's nodes among those of the joined graphs.
    pub(crate) fn ranges(&self) -> Vec<Range<usize>> {
        let sizes = self.graphs.iter().map(|graph| graph.released.data().nodes() as usize);
        let next = |end: &mut usize, size: usize| {
            let start = std::mem::replace(end, *end + size);
            Some(start..*end)
        };
        sizes.scan(0, next).collect()
    }
}

/// What was learned: one network, or several of which each reads the scores of the earlier ones.
#[derive(Debug)]
pub struct Learned {
    /// The networks in their order. The last one answers.
    pub stages: Vec<Fitted>,
    /// Scaling of the released features.
    pub(crate) scaled: Scaled,
    /// What else was learned, as the method writes it.
    pub(crate) readout: Option<serde_json::Value>,
}

/// Learns from a release; rounds of counts that are requested on the way are added to it. With a
/// second graph, validation nodes are those of that graph (LPGNet, Algorithm 2, lines 15–24), and
/// every round is requested of both.
///
/// # Errors
/// If a release lacks something, the two do not fit together, or a training fails.
pub fn learn<'a, 'd>(
    method: &dyn Method,
    train: TrainingView<'a, 'd>,
    validation: Option<TrainingView<'a, 'd>>,
    seed: u64,
    watch: Watch<'_>,
) -> Result<Learned, LearnError> {
    let scaling = method.reports().map_or(Scaling::None, |reports| reports.scale);
    let scaled = Scaled::of(train.released.data(), scaling);
    if let Some(learned) = method.closed_form(train.released)? {
        return Ok(learned);
    }
    let joined = match &validation {
        None => train.released.data().clone(),
        Some(validation) => joined(train.released.data(), validation.released.data())?,
    };
    let labels = ReportedLabels::of(&joined, train.released.label_mechanism()?)?;
    let graphs = std::iter::once(train).chain(validation).collect();
    method.learn(&mut TrainingData { graphs, joined, labels, scaled }, seed, watch)
}

/// Two graphs beside each other, with training nodes in the first and validation nodes in the
/// second.
fn joined(train: &Dataset, validation: &Dataset) -> Result<Dataset, LearnError> {
    let only = |data: &Dataset, part: Part| -> Result<Dataset, LearnError> {
        let split = data.split().ok_or(LearnError::NoSplit)?;
        let kept = (0..data.nodes()).map(|node| if split.part(node) == part { part } else { Part::None });
        Ok(data.clone().with_split(Split::new(kept.collect()))?)
    };
    Ok(only(train, Part::Train)?.stacked(&only(validation, Part::Val)?)?)
}

/// The edge-free twin: the same kind of network on the same released features and labels, without
/// the released edges. Without features it learns how frequent each class is.
///
/// What an attack finds in the twin, it did not find in the edges.
///
/// # Errors
/// If there are no labels, or training fails.
pub fn edge_free_twin(
    method: &dyn Method,
    released: &Privatised,
    scaled: &Scaled,
    seed: u64,
) -> Result<(Fitted, Input), LearnError> {
    let labels = ReportedLabels::of(released.data(), released.label_mechanism()?)?;
    let nodes = released.data().nodes() as usize;
    let features = if method.reads_features() { scaled.features(released.data())? } else { None };
    let features = features.unwrap_or_else(|| Features::Dense(Matrix::zeros(nodes, 1)));
    let unwatched = &mut |_: &EpochMetrics| ControlFlow::Continue(());
    let fitted = fit_without_edges(method.twin(), &features, &labels, method.training(), seed, unwatched)?;
    Ok((fitted, Input::without_graph(features)?))
}
