//! The graphs of a training: which ones there are, whether they fit together, and what is released
//! of each.

use std::sync::Arc;

use veil_graph::{Dataset, Part};
use veil_privacy::guarantee::Assumption;
use veil_privacy::parameters::Settings;
use veil_privacy::protocol::cascade::Extension;
use veil_privacy::release::{EdgePlan, Encoder, Options, Plan, Release};
use veil_privacy::{Delta, Epsilon, Private, Public, ReleaseError};

use super::PipelineError;
use super::payment::{Payment, Planned};
use super::site::Site;
use super::terms::{SplitChoice, Terms, everyone};
use crate::error::LearnError;
use crate::method::{self, Facts, Method, MethodError, Other, Shape};
use crate::parameters::{Reports, Scaling};

/// The graphs of a training.
#[derive(Debug)]
pub struct Graphs {
    pub(super) train: Private<Dataset>,
    pub(super) validation: Option<Private<Dataset>>,
    pub(super) inference: Option<Private<Dataset>>,
    evolving: bool,
    /// Two of them that have nodes in common, and which.
    shared: Option<(String, String, String)>,
    /// Whether each of these nodes may be released once per graph.
    repeated: bool,
}

impl Graphs {
    /// One graph with the requested split, of which the terms declare facts public.
    ///
    /// # Errors
    /// If the split does not fit, or the system has no randomness for it.
    pub fn one(train: Dataset, terms: &Terms, payment: &Payment) -> Result<Graphs, PipelineError> {
        Graphs::new(train, None, None, false, &mut terms.clone(), payment)
    }

    /// A training graph, one whose nodes validate, and one to answer about. `evolving`: they are
    /// one graph at different times and share edges, so they share ε. A graph without a split is
    /// all for training if another one is given, and all for validation if it validates.
    ///
    /// # Errors
    /// If the graphs do not fit together.
    pub fn new(
        train: Dataset,
        validation: Option<Dataset>,
        inference: Option<Dataset>,
        evolving: bool,
        terms: &mut Terms,
        payment: &Payment,
    ) -> Result<Graphs, PipelineError> {
        let several = validation.is_some() || inference.is_some();
        if evolving && !several {
            return Err(PipelineError::OneGraph);
        }
        if several && train.split().is_none() {
            terms.split.get_or_insert(SplitChoice::All);
        }
        let validation = match validation {
            Some(data) if data.split().is_none() => Some(everyone(data, Part::Val)?),
            other => other,
        };
        let train = match terms.split {
            Some(split) => split.apply(train, terms.each, payment.any_seed()?)?,
            None => train,
        };
        if let Some(validation) = &validation {
            // Graphs that cannot be put side by side are found before anything is charged.
            let apart = |source| {
                let (validation, train) = (validation.name().to_owned(), train.name().to_owned());
                PipelineError::Validation { validation, train, source }
            };
            drop(train.stacked(validation).map_err(apart)?);
        }
        let shared = shared([Some(&train), validation.as_ref(), inference.as_ref()]);
        let seal = |data| Private::seal(data).declaring(terms.declared);
        let (validation, inference) = (validation.map(seal), inference.map(seal));
        Ok(Graphs { train: seal(train), validation, inference, evolving, shared, repeated: false })
    }

    /// The same graphs, whose common nodes are released once per graph: their ε add up.
    #[must_use]
    pub fn with_repeated_nodes(self) -> Graphs {
        Graphs { repeated: true, ..self }
    }

    /// The training graph.
    pub fn into_train(self) -> Private<Dataset> {
        self.train
    }

    /// The method with every default decided. If the graphs share edges, each gets an equal part of
    /// ε (Flickr in LPGNet's experiments); the whole is also returned.
    pub(super) fn decide(&self, method: &dyn Method) -> Result<(Arc<dyn Method>, Option<Epsilon>), PipelineError> {
        let (part, whole) = if self.evolving { self.divide(method)? } else { (method.settings(), None) };
        // Some defaults depend on ε of one graph.
        let part = method::configure(method.name(), &part)?;
        let other = self.validation.as_ref().map(Private::public);
        let decided = part.decided(Facts::of(&self.train.public(), other.as_ref()))?;
        Ok((method::configure(method.name(), &decided)?, whole))
    }

    /// How many graphs there are.
    fn count(&self) -> u32 {
        1 + u32::from(self.validation.is_some()) + u32::from(self.inference.is_some())
    }

    /// The settings for one of several graphs that share ε, and the whole ε.
    fn divide(&self, method: &dyn Method) -> Result<(Settings, Option<Epsilon>), PipelineError> {
        let finite = |epsilon: Option<Epsilon>| epsilon.is_some_and(Epsilon::is_finite);
        if method.reports().is_some_and(|it| finite(it.epsilon_features) || finite(it.epsilon_labels)) {
            return Err(PipelineError::RepeatedReports);
        }
        let mut settings = method.settings();
        let whole = settings.get("epsilon-edges").and_then(|it| serde_json::from_value::<Epsilon>(it.clone()).ok());
        let Some(whole) = whole.filter(|epsilon| epsilon.is_finite()) else { return Ok((settings, None)) };
        let graphs = self.count();
        let part = whole.divided_by(graphs).ok_or(PipelineError::NothingPerGraph { whole, graphs })?;
        settings.insert("epsilon-edges", part.to_string());
        Ok((settings, Some(whole)))
    }

    /// What would be released of each graph. Everything is checked that can be checked before a
    /// charge.
    pub(super) fn plan(
        &self,
        method: &dyn Method,
        terms: &Terms,
        whole: Option<Epsilon>,
    ) -> Result<Plans<'_>, PipelineError> {
        let public = self.train.public();
        let other = self.validation.as_ref().map(Private::public);
        let own = plan(method, &self.train, terms)?;
        // Every graph has the δ of one, and all of them together have the sum.
        let of_edges = own.guarantees().into_iter().filter(|it| it.unit.is_about_edges()).map(|it| it.delta).max();
        let delta = of_edges.unwrap_or(Delta::ZERO).times(self.count());
        let several = self.validation.is_some() || self.inference.is_some();
        let shared = match whole {
            _ if !several => None,
            Some(whole) => {
                delta.ok_or(PipelineError::NothingPerGraph { whole, graphs: self.count() })?;
                None
            }
            None if self.repeated => Some(Assumption::SharedNodes { graphs: self.count() }),
            None => Some(Assumption::SeparateGraphs),
        };
        let planned = |data, plan: Plan| {
            let plan = match &shared {
                Some(assumption) => plan.with_assumption(assumption.clone()),
                None if several && whole.is_some() => plan.sharing_edges(self.count()),
                None => plan,
            };
            Planned::new(method, data, plan)
        };
        let own = planned(&self.train, own);
        check(method, &public, other.as_ref())?;
        let mut all = vec![own];
        if let Some(data) = &self.validation {
            refuse_minmax(method)?;
            if method.edges(public.nodes, public.classes.unwrap_or(0))?.protects_nodes() {
                return Err(PipelineError::NoEffect { name: "a validation graph", input: method.name() });
            }
            if method.reports().is_some_and(Reports::hints) {
                // Centres come from training users of the same graph.
                return Err(PipelineError::NoEffect { name: "a codebook of features", input: "a validation graph" });
            }
            method.check_other(other_graph(method, &data.public(), true))?;
            all.push(planned(data, plan(method, data, terms)?));
        }
        if let Some(data) = &self.inference {
            let shape = (public.dimensions.unwrap_or(0), public.classes.unwrap_or(0));
            fits_model(method, shape, public.class_names, &data.public())?;
            method.check_other(other_graph(method, &data.public(), false))?;
            all.push(planned(data, inference_plan(method, data, terms, shape.1, None)?));
        }
        let promises = all.iter().flat_map(|planned| planned.plan.guarantees()).any(|it| it.epsilon.is_finite());
        if self.evolving && whole.is_none() && promises {
            // Only an ε of edges is shared by graphs.
            return Err(PipelineError::NoEffect { name: "evolving", input: method.name() });
        }
        if let (Some((one, other, nodes)), false) = (&self.shared, self.evolving || self.repeated)
            && promises
        {
            let (one, other, nodes) = (one.clone(), other.clone(), nodes.clone());
            return Err(PipelineError::RepeatedNodes { one, other, nodes });
        }
        Ok(Plans { all, validated: self.validation.is_some() })
    }
}

/// The first two graphs that have nodes in common, and which.
fn shared(graphs: [Option<&Dataset>; 3]) -> Option<(String, String, String)> {
    let pair = |one: Option<&Dataset>, other: Option<&Dataset>| {
        let (one, other) = (one?, other?);
        Some((one.name().to_owned(), other.name().to_owned(), one.shared_with(other)?))
    };
    let [train, validation, inference] = graphs;
    pair(train, validation).or_else(|| pair(train, inference)).or_else(|| pair(validation, inference))
}

/// What would be released of each graph: of the training graph, then of the one that validates and
/// the one to answer about.
pub(super) struct Plans<'a> {
    all: Vec<Planned<'a>>,
    validated: bool,
}

/// What was released of each graph.
pub(super) struct Releases<'a> {
    pub train: Release<'a>,
    pub validation: Option<Release<'a>>,
    pub inference: Option<Release<'a>>,
}

impl<'a> Plans<'a> {
    /// Charges all of them together, and makes the releases.
    pub fn release(self, payment: &Payment, about: String, site: &Site<'_>) -> Result<Releases<'a>, PipelineError> {
        let mut all = payment.release_all(self.all, about, site)?.into_iter();
        let train = all.next().ok_or(ReleaseError::Nothing)?;
        let validation = if self.validated { all.next() } else { None };
        Ok(Releases { train, validation, inference: all.next() })
    }
}

/// What would be released of a graph to learn from.
pub(super) fn plan(method: &dyn Method, data: &Private<Dataset>, terms: &Terms) -> Result<Plan, PipelineError> {
    let classes = data.public().classes.unwrap_or(0);
    Ok(Plan::new(data, options(method, data, terms, classes)?)?)
}

/// What would be released of a graph that a model for so many classes answers about; it may have no
/// labels, and none are released. It may extend the release of an earlier graph.
pub(super) fn inference_plan(
    method: &dyn Method,
    data: &Private<Dataset>,
    terms: &Terms,
    classes: u32,
    extension: Option<Extension>,
) -> Result<Plan, PipelineError> {
    let options = options(method, data, terms, classes)?;
    if options.edges.protects_nodes() {
        // The model is known; whoever is asked about shows their features.
        let epsilon_features = Some(Epsilon::INFINITE);
        return Ok(Plan::new(data, Options { epsilon_features, range: terms.range, ..Options::default() })?);
    }
    let edges = match extension {
        Some(extension) => options.edges.extending(extension)?,
        None => options.edges,
    };
    // Without labels there are no centres, and users say nothing about themselves.
    let epsilon_features = options.epsilon_features.filter(|_| options.encoder == Encoder::MultiBit);
    Ok(Plan::new(data, Options { epsilon_features, epsilon_labels: None, edges, ..options })?)
}

fn options(
    method: &dyn Method,
    data: &Private<Dataset>,
    terms: &Terms,
    classes: u32,
) -> Result<Options, PipelineError> {
    let edges = method.edges(data.public().nodes, classes)?;
    match method.reports() {
        Some(reports) if reports.hints() && !method.reads_hints(data.public().nodes) => {
            // Nobody reports what nobody reads.
            Err(PipelineError::NoEffect { name: "a codebook of features", input: method.name() })
        }
        Some(reports) => {
            let options = reported(reports, edges, terms)?;
            // Features as they are (ε = ∞), of data that have none: there is nothing to release.
            let none = data.public().dimensions.is_none();
            let epsilon_features = options.epsilon_features.filter(|epsilon| !none || epsilon.is_finite());
            Ok(Options { epsilon_features, ..options })
        }
        None if edges.protects_nodes() => Ok(Options { edges, ..Options::default() }),
        // A student on another public graph: nothing is private there.
        None => Ok(Options { epsilon_features: Some(Epsilon::INFINITE), edges, ..Options::default() }),
    }
}

/// What a method may know of another graph.
pub(super) fn other_graph(method: &dyn Method, graph: &Public<'_>, validates: bool) -> Other {
    let features = graph.dimensions.is_some() && method.reports().is_none_or(Reports::vectors);
    Other { nodes: graph.nodes, validates, features }
}

/// What is released of features, labels and edges.
pub(super) fn reported(reports: &Reports, edges: EdgePlan, terms: &Terms) -> Result<Options, PipelineError> {
    let Reports { epsilon_features, feature_encoder, epsilon_labels, samples, scale } = *reports;
    let encoder = feature_encoder.unwrap_or_default();
    if scale == Scaling::Standard && epsilon_features.is_some_and(Epsilon::is_finite) {
        return Err(MethodError::StandardReports.into());
    }
    let (range, scale) = (terms.range, scale.into());
    Ok(Options { epsilon_features, encoder, epsilon_labels, samples, range, scale, edges })
}

/// Fails for a method whose student learns on a public graph.
pub(super) fn refuse_student(method: &dyn Method) -> Result<(), PipelineError> {
    let entry = method::find(method.name())?;
    if entry.public_graph { Err(PipelineError::PublicGraph { method: entry.name, needed: true }) } else { Ok(()) }
}

/// Whether a training can begin on what would be released, with validation nodes in a graph of
/// their own, if there is one.
pub(super) fn check(
    method: &dyn Method,
    data: &Public<'_>,
    validation: Option<&Public<'_>>,
) -> Result<(), PipelineError> {
    let validated = crate::fit::validated(data, validation);
    let classes = data.classes.ok_or(LearnError::NoLabels)? as usize;
    let reported = method.reports().is_none_or(Reports::vectors);
    let features = data.dimensions.filter(|_| reported);
    let split = data.split.ok_or(LearnError::NoSplit)?;
    let others = data.nodes as usize - split.count(Part::Train).min(data.nodes as usize);
    method.check(Shape { features, classes, validated, others })?;
    // How many private nodes there are is no reason to refuse: that would tell it.
    let hidden = method.edges(data.nodes, data.classes.unwrap_or(0))?.protects_nodes();
    if split.count(Part::Train) == 0 && !hidden {
        return Err(LearnError::NoTrainingLabels.into());
    }
    if let Some(other) = validation {
        let shape = |it: &Public<'_>| (it.dimensions, it.classes, it.feature_range.map(|(low, high)| [low, high]));
        if shape(data) != shape(other) {
            return Err(LearnError::OtherValidation.into());
        }
        if !other.validated {
            return Err(LearnError::NoValidationNodes.into());
        }
    }
    Ok(())
}

/// Fails where a model of this shape (features, classes) cannot answer about a graph.
pub(super) fn fits_model(
    method: &dyn Method,
    (features, classes): (usize, u32),
    class_names: Option<&[String]>,
    graph: &Public<'_>,
) -> Result<(), PipelineError> {
    refuse_minmax(method)?;
    let found = graph.dimensions.unwrap_or(0);
    let read = method.reports().is_none_or(Reports::vectors);
    if read && found != features {
        return Err(LearnError::OtherFeatures { found, expected: features }.into());
    }
    match graph.classes {
        Some(found) if found > classes => {
            Err(PipelineError::MoreClasses { graph: graph.name.to_owned(), found, expected: classes })
        }
        Some(_) if class_names.is_some() && graph.class_names.is_some() && class_names != graph.class_names => {
            Err(PipelineError::OtherClassNames { graph: graph.name.to_owned() })
        }
        _ => Ok(()),
    }
}

/// Min–max scaling uses each graph's own features, and drops columns that are constant in one of
/// them.
pub(super) fn refuse_minmax(method: &dyn Method) -> Result<(), PipelineError> {
    let minmax = |it: &Reports| it.scale == Scaling::Minmax && it.epsilon_features.is_some();
    if method.reports().is_some_and(minmax) { Err(PipelineError::MinmaxOfSeveral) } else { Ok(()) }
}
