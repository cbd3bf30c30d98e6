//! A teacher: a network that learns from private nodes and labels public ones.
//!
//! It runs inside a mechanism, which makes it from its [settings](TeacherSettings) and alone
//! decides what of its answers is released. It keeps nothing of a lesson. It cannot fail: an error
//! would reveal something about the nodes that it was shown. Where training is impossible or
//! diverges, its posterior is uniform.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use veil_graph::random::Random;
use veil_graph::{Dataset, NodeId, caught};
use veil_nn::loss::{Loss, Targets};
use veil_nn::optimiser::Adam;
use veil_nn::training::{self, Keep, Options, Task};
use veil_nn::{Architecture, Description, Input, Kind as Layer, Messages, Model, on_one_core};
use veil_privacy::answers::{self, Tutor, Voter};
use veil_privacy::parameters::{Parameters, Settings};

use super::Learner;
use crate::error::LearnError;
use crate::fit::adam;
use crate::method::{MethodError, most_likely};

/// What all teachers of a release have in common.
#[derive(Debug)]
pub struct Teacher<'a> {
    public: &'a Dataset,
    architecture: Architecture,
    options: Options,
    /// Before its first step.
    adam: Adam,
    /// The whole public graph, for teachers that answer every query.
    whole: Option<Input>,
}

impl<'a> Teacher<'a> {
    /// Teachers with layers of this kind that label public nodes. Widths and training are those of
    /// the student; an MLP has three layers (PrivGNN, §5.3).
    ///
    /// # Errors
    /// If the network cannot be built, or the public graph has no features.
    pub fn new(
        public: &'a Dataset,
        classes: u32,
        (kind, learner): (Layer, &Learner),
        seed: u64,
    ) -> Result<Teacher<'a>, LearnError> {
        let features = public.features().ok_or(LearnError::NoFeatures)?;
        let student = learner.network.description();
        let layers = if kind == Layer::Mlp { 3 } else { student.layers };
        let description = Description { kind, layers, bias: true, ..student };
        let architecture = description.check(features.columns(), classes as usize)?;
        let options = Options {
            epochs: learner.training.epochs,
            adam: adam(&learner.training),
            schedule: learner.training.schedule,
            keep: Keep::Last,
            seed,
            ..Options::default()
        };
        let adam = options.adam.check().map_err(training::TrainingError::from)?;
        Ok(Teacher { public, architecture, options, adam, whole: None })
    }

    /// The same, ready to answer every query.
    ///
    /// # Errors
    /// If the public graph cannot be read.
    pub fn for_all_queries(self) -> Result<Teacher<'a>, LearnError> {
        let whole = Some(self.input(self.public)?);
        Ok(Teacher { whole, ..self })
    }

    /// The posterior of a teacher about one public node, after a lesson with this number.
    pub fn posterior(&self, lesson: &Dataset, number: u32, node: NodeId) -> Vec<f32> {
        self.posterior_with(&mut self.optimiser(), (lesson, number), node)
    }

    /// The same with an optimiser that keeps the state of earlier teachers, as in the published
    /// code. Then the teacher knows something of their lessons too, and its sample is no longer
    /// fresh.
    pub fn posterior_with(&self, adam: &mut Adam, lesson: (&Dataset, u32), node: NodeId) -> Vec<f32> {
        let classes = self.architecture.classes();
        let posterior = unfailing(|| {
            let model = self.taught(adam, lesson)?;
            self.about(&model, node)
        });
        posterior.unwrap_or_else(|| vec![1.0 / classes as f32; classes])
    }

    /// The class that a teacher votes for, for each of these public nodes.
    pub fn votes(&self, lesson: (&Dataset, u32), queries: &[NodeId]) -> Vec<u32> {
        let votes = unfailing(|| {
            let model = self.taught(&mut self.optimiser(), lesson)?;
            let whole = self.whole.as_ref().ok_or(LearnError::NoFeatures)?;
            let classes = most_likely(&model.posteriors(whole)?.to_matrix());
            Ok::<_, LearnError>(queries.iter().map(|&node| classes[node as usize]).collect())
        });
        votes.unwrap_or_else(|| vec![0; queries.len()])
    }

    /// An optimiser before its first step.
    pub fn optimiser(&self) -> Adam {
        self.adam.clone()
    }

    pub(super) fn taught(&self, adam: &mut Adam, (lesson, number): (&Dataset, u32)) -> Result<Model, LearnError> {
        let input = self.input(lesson)?;
        let labels = lesson.labels().ok_or(LearnError::NoLabels)?;
        let known = (0..).zip(labels.iter()).filter_map(|(node, label)| Some((node, label?))).collect();
        let targets = Targets::new(known, labels.nodes(), self.architecture.classes())?;
        let task = Task::new(Loss::cross_entropy(targets), None)?;
        let seed = Random::new(self.options.seed, &format!("teacher {number}")).bits();
        let mut model = Model::new(self.architecture, seed);
        let options = Options { seed, ..self.options };
        training::train_with(adam, &mut model, &input, &task, options, &mut |_| ControlFlow::Continue(()))?;
        Ok(model)
    }

    /// The posterior of a network about a public node, from as many hops around it as it has
    /// layers. Messages of a GCN also depend on the degrees of the farthest nodes.
    pub(super) fn about(&self, model: &Model, node: NodeId) -> Result<Vec<f32>, LearnError> {
        let Description { kind, layers, .. } = *self.architecture.description();
        let hops = if self.is_edge_free() { 0 } else { layers + usize::from(kind == Layer::Gcn) };
        let nodes = self.public.graph().within_hops(&[node], hops)?;
        let around = Dataset::new("around", self.public.graph().induced(&nodes)?, Default::default());
        let features = self.public.features().ok_or(LearnError::NoFeatures)?;
        let input = self.input(&around.with_features(features.selected(&nodes))?)?;
        let row = nodes.iter().position(|&other| other == node).unwrap_or(0);
        Ok(model.posteriors(&input)?.to_matrix().row(row).to_vec())
    }

    /// Whether teachers read no edges.
    fn is_edge_free(&self) -> bool {
        self.architecture.description().kind == Layer::Mlp
    }

    fn input(&self, data: &Dataset) -> Result<Input, LearnError> {
        let features = data.features().ok_or(LearnError::NoFeatures)?.clone();
        if self.is_edge_free() {
            return Ok(Input::without_graph(features)?);
        }
        Ok(Input::new(features, Messages::of(data.graph())?, 0)?)
    }
}

/// Everything that decides how the teachers of a release learn, as plain values.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TeacherSettings {
    layers: Layer,
    classes: u32,
    learner: Settings,
    seed: u64,
    /// Whether each teacher answers every query.
    every_query: bool,
}

impl TeacherSettings {
    /// Teachers that answer one query each.
    pub fn new(classes: u32, (layers, learner): (Layer, &Learner), seed: u64) -> TeacherSettings {
        TeacherSettings { layers, classes, learner: learner.settings(), seed, every_query: false }
    }

    /// Teachers that answer every query.
    #[must_use]
    pub fn for_all_queries(self) -> TeacherSettings {
        TeacherSettings { every_query: true, ..self }
    }
}

impl<'a> answers::Teacher<'a> for Teacher<'a> {
    type Settings = TeacherSettings;
    type Error = LearnError;

    fn new(settings: TeacherSettings, public: &'a Dataset) -> Result<Teacher<'a>, LearnError> {
        let TeacherSettings { layers, classes, learner, seed, every_query } = settings;
        let mut described = Learner::default();
        described.apply(&learner).map_err(MethodError::from)?;
        let teacher = Teacher::new(public, classes, (layers, &described), seed)?;
        if every_query { teacher.for_all_queries() } else { Ok(teacher) }
    }
}

impl<'a> Tutor<'a> for Teacher<'a> {
    fn posterior(&self, lesson: &Dataset, number: u32, query: NodeId) -> Vec<f32> {
        Teacher::posterior(self, lesson, number, query)
    }
}

impl<'a> Voter<'a> for Teacher<'a> {
    fn votes(&self, lesson: &Dataset, number: u32, queries: &[NodeId]) -> Vec<u32> {
        Teacher::votes(self, (lesson, number), queries)
    }
}

/// The result of some work on one core; `None` if it fails or panics, because outside these must
/// look alike.
fn unfailing<T>(work: impl FnOnce() -> Result<T, LearnError>) -> Option<T> {
    caught(|| on_one_core(work)).and_then(Result::ok)
}
