//! A teacher: a network that learns from private nodes and is asked about public ones.
//!
//! It runs inside a mechanism, which alone decides what of its answers leaves. It cannot fail: an error would tell something about the nodes
//! that it was shown. Where training is impossible or diverges, it knows nothing and says so with a uniform posterior.

use std::ops::ControlFlow;

use veil_graph::random::Random;
use veil_graph::{Dataset, NodeId, caught};
use veil_nn::loss::{Loss, Targets};
use veil_nn::optimiser::Adam;
use veil_nn::training::{self, Keep, Options, Task};
use veil_nn::{Architecture, Description, Input, Kind, Messages, Model, on_one_core};
use veil_privacy::answers::Lesson;

use crate::error::LearnError;
use crate::fit::adam;
use crate::learn::most_likely;
use crate::parameters::Parameters;

/// What all teachers of a release have in common.
#[derive(Debug)]
pub struct Teacher<'a> {
    public: &'a Dataset,
    queries: &'a [NodeId],
    architecture: Architecture,
    options: Options,
    /// Before its first step.
    adam: Adam,
    /// The whole public graph, for teachers who answer every question.
    whole: Option<Input>,
}

impl<'a> Teacher<'a> {
    /// Teachers with these parameters, who will be asked about these nodes. Layers, hidden numbers and training are those of the student;
    /// an MLP has three layers (004, section 5.3).
    ///
    /// # Errors
    /// If there is no such network, or the public graph has no features.
    pub fn new(
        public: &'a Dataset,
        queries: &'a [NodeId],
        classes: u32,
        parameters: &Parameters,
        seed: u64,
    ) -> Result<Teacher<'a>, LearnError> {
        let features = public.features().ok_or(LearnError::NoFeatures)?;
        let kind = parameters.teacher.unwrap_or(Kind::Sage);
        let layers = if kind == Kind::Mlp { 3 } else { parameters.layers };
        let description = Description { kind, layers, bias: true, ..parameters.description() };
        let architecture = description.check(features.columns(), classes as usize)?;
        let options = Options {
            epochs: parameters.epochs,
            adam: adam(parameters),
            schedule: parameters.schedule,
            keep: Keep::Last,
            seed,
            ..Options::default()
        };
        let adam = options.adam.check().map_err(training::TrainingError::from)?;
        Ok(Teacher { public, queries, architecture, options, adam, whole: None })
    }

    /// The same, ready to answer every question.
    ///
    /// # Errors
    /// If the public graph cannot be read.
    pub fn for_all_questions(self) -> Result<Teacher<'a>, LearnError> {
        let whole = Some(self.input(self.public)?);
        Ok(Teacher { whole, ..self })
    }

    /// What a teacher says about the one public node that its lesson is about.
    pub fn posterior(&self, lesson: &Lesson) -> Vec<f32> {
        self.posterior_with(&mut self.optimiser(), lesson)
    }

    /// The same, of a teacher whose optimiser goes on from what those before it left, as in the published code. Then it knows something of their lessons
    /// too, and no sample is fresh any more.
    pub fn posterior_with(&self, adam: &mut Adam, lesson: &Lesson) -> Vec<f32> {
        let classes = self.architecture.classes();
        let said = unfailing(|| {
            let model = self.taught(adam, lesson)?;
            self.about(&model, self.queries[lesson.number as usize])
        });
        said.unwrap_or_else(|| vec![1.0 / classes as f32; classes])
    }

    /// Which class a teacher votes for, for every public node that is asked about.
    pub fn votes(&self, lesson: &Lesson) -> Vec<u32> {
        let said = unfailing(|| {
            let model = self.taught(&mut self.optimiser(), lesson)?;
            let whole = self.whole.as_ref().ok_or(LearnError::NoFeatures)?;
            let classes = most_likely(&model.posteriors(whole)?.to_matrix());
            Ok::<_, LearnError>(self.queries.iter().map(|&node| classes[node as usize]).collect())
        });
        said.unwrap_or_else(|| vec![0; self.queries.len()])
    }

    /// An optimiser that has not moved anything yet.
    pub fn optimiser(&self) -> Adam {
        self.adam.clone()
    }

    pub(super) fn taught(&self, adam: &mut Adam, lesson: &Lesson) -> Result<Model, LearnError> {
        let input = self.input(&lesson.data)?;
        let labels = lesson.data.labels().ok_or(LearnError::NoLabels)?;
        let known = (0..).zip(labels.iter()).filter_map(|(node, label)| Some((node, label?))).collect();
        let targets = Targets::new(known, labels.nodes(), self.architecture.classes())?;
        let task = Task::new(Loss::cross_entropy(targets), None)?;
        let seed = Random::new(self.options.seed, &format!("teacher {}", lesson.number)).bits();
        let mut model = Model::new(self.architecture, seed);
        let options = Options { seed, ..self.options };
        training::train_with(adam, &mut model, &input, &task, options, &mut |_| ControlFlow::Continue(()))?;
        Ok(model)
    }

    /// What a network says about a public node, from as many hops around it as it has layers: all that it would see of it. Messages of a GCN also
    /// depend on how many neighbours the farthest have.
    pub(super) fn about(&self, model: &Model, node: NodeId) -> Result<Vec<f32>, LearnError> {
        let Description { kind, layers, .. } = *self.architecture.description();
        let hops = if self.is_blind() { 0 } else { layers + usize::from(kind == Kind::Gcn) };
        let nodes = self.public.graph().within_hops(&[node], hops)?;
        let around = Dataset::new("around", self.public.graph().induced(&nodes)?, Default::default());
        let features = self.public.features().ok_or(LearnError::NoFeatures)?;
        let input = self.input(&around.with_features(features.selected(&nodes))?)?;
        let row = nodes.iter().position(|&other| other == node).unwrap_or(0);
        Ok(model.posteriors(&input)?.to_matrix().row(row).to_vec())
    }

    /// Whether teachers do not look at edges.
    fn is_blind(&self) -> bool {
        self.architecture.description().kind == Kind::Mlp
    }

    fn input(&self, data: &Dataset) -> Result<Input, LearnError> {
        let features = data.features().ok_or(LearnError::NoFeatures)?.clone();
        if self.is_blind() {
            return Ok(Input::without_graph(features)?);
        }
        Ok(Input::new(features, Messages::of(data.graph())?, 0)?)
    }
}

/// What some work gives, on one core; `None` if it fails or even panics: whoever is outside must not see which.
fn unfailing<T>(work: impl FnOnce() -> Result<T, LearnError>) -> Option<T> {
    caught(|| on_one_core(work)).and_then(Result::ok)
}
