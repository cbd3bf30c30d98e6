//! One network on a released graph: any kind of layers, behind K_x hops of propagation along the
//! released edges.
//!
//! An [`EdgeSource`] says what is released of the edges; everything else is the same for
//! GraphPrivatizer, the thesis' protocols, the honest baselines, DpGCN, and the networks on all
//! edges or none. Where the reports of users are not yet a graph, their server estimates one first
//! (`blink`).

mod blink;
pub mod dpgcn;
pub mod gnn;
pub mod lists;
pub mod mlp;

use std::fmt::Debug;
use std::sync::Arc;

use veil_graph::Dataset;
use veil_nn::{Description, Input, Kind as Layer, Messages};
use veil_privacy::parameters;
use veil_privacy::parameters::{Described, Kind, Parameters, Settings};
use veil_privacy::release::{EdgePlan, Privatised};

use super::{Facts, Method, MethodError, ModelState, Shape};
use crate::deployed::{Deployed, Surface};
use crate::error::LearnError;
use crate::fit::{Watch, check_training, fit, fit_without_edges};
use crate::learn::{Learned, TrainingData};
use crate::parameters::{Network, Propagation, Recipe, Reports, Training};
use crate::scaled::Scaled;
use blink::Estimated;

parameters! {
    /// Everything but the edges.
    pub struct Common: Training {
        /// Paper whose settings are the defaults
        recipe: Recipe = Recipe::GraphPrivatizer => Kind::Word(Recipe::WORDS),
    }
    with {
        /// Features and labels.
        reports: Reports = Recipe::GraphPrivatizer.reports(),
        /// The network.
        network: Network = Recipe::GraphPrivatizer.network(Layer::Gcn),
        /// Propagation.
        propagation: Propagation = Propagation::default(),
        /// The training.
        training: Training = Recipe::GraphPrivatizer.training(),
    }
}

impl Common {
    /// The published settings of a paper, for this kind of layers.
    fn published(recipe: Recipe, model: Layer) -> Common {
        Common {
            recipe,
            reports: recipe.reports(),
            network: recipe.network(model),
            propagation: Propagation::default(),
            training: recipe.training(),
        }
    }
}

/// What is released of the edges.
pub trait EdgeSource: Debug + Send + Sync {
    /// Its parameters.
    fn list(&self) -> Vec<Described>;

    /// The release, for a graph of so many nodes.
    ///
    /// # Errors
    /// If a parameter is missing or out of range.
    fn plan(&self, nodes: u32) -> Result<EdgePlan, MethodError>;

    /// The graph that the server estimates from the reports, if they are not the graph themselves.
    ///
    /// # Errors
    /// If the release lacks something.
    fn estimate(&self, released: &Privatised) -> Result<Option<Estimated>, LearnError> {
        let _ = released;
        Ok(None)
    }

    /// Whether the network reads edges.
    fn reads_edges(&self) -> bool {
        true
    }
}

/// A network on a released graph, with all its parameters.
#[derive(Debug)]
struct OnGraph<S> {
    name: &'static str,
    source: S,
    common: Common,
}

/// Configures a method: `settings` override the recipe, whose published settings override nothing.
fn configure<S: EdgeSource + 'static>(
    name: &'static str,
    mut source: S,
    set: impl FnOnce(&mut S, &Settings) -> Result<(), MethodError>,
    (recipe, model): (Recipe, Layer),
    settings: &Settings,
) -> Result<Arc<dyn Method>, MethodError> {
    let own = source.list();
    let (mut of_source, mut of_common) = (Settings::default(), Settings::default());
    for (name, value) in settings.iter() {
        let belongs = own.iter().any(|it| it.name == name);
        if belongs { &mut of_source } else { &mut of_common }.insert(name, value.clone());
    }
    set(&mut source, &of_source)?;
    let mut chosen = Common { recipe, ..Common::default() };
    if let Some(recipe) = settings.get("recipe") {
        chosen.set("recipe", recipe)?;
    }
    let mut common = Common::published(chosen.recipe, model);
    common.apply(&of_common)?;
    Ok(Arc::new(OnGraph { name, source, common }))
}

impl<S: EdgeSource> Method for OnGraph<S> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn list(&self) -> Vec<Described> {
        self.source.list().into_iter().chain(self.common.list()).collect()
    }

    fn decided(&self, facts: Facts) -> Result<Settings, LearnError> {
        let mut settings = self.settings();
        let Common { recipe, network, training, .. } = &self.common;
        let select = training.select.unwrap_or_else(|| recipe.select(facts.validated));
        settings.insert("select", select.name());
        settings.insert("heads", network.description().heads);
        Ok(settings)
    }

    fn reports(&self) -> Option<&Reports> {
        Some(&self.common.reports)
    }

    fn training(&self) -> &Training {
        &self.common.training
    }

    fn edges(&self, nodes: u32, _classes: u32) -> Result<EdgePlan, MethodError> {
        self.source.plan(nodes)
    }

    fn check(&self, Shape { features, classes, validated, .. }: Shape) -> Result<(), LearnError> {
        let Common { network, propagation, training, .. } = &self.common;
        check_training(training, propagation, validated)?;
        network.description().check(features.ok_or(LearnError::NoFeatures)?, classes)?;
        Ok(())
    }

    fn learn(&self, data: &mut TrainingData<'_, '_>, seed: u64, watch: Watch<'_>) -> Result<Learned, LearnError> {
        let Common { network, propagation, training, .. } = &self.common;
        let mut estimated: Option<Estimated> = None;
        for graph in &data.graphs {
            let Some(next) = self.source.estimate(graph.released)? else { break };
            estimated = Some(match estimated {
                None => next,
                Some(before) => before.beside(next)?,
            });
        }
        let Some(estimated) = estimated else {
            return learn(data, self.source.reads_edges(), (network, propagation, training), seed, watch);
        };
        let TrainingData { joined, labels, scaled, .. } = data;
        let features = scaled.features(joined)?.ok_or(LearnError::NoFeatures)?;
        let input = Input::new(features, estimated.messages()?, propagation.kx)?;
        let fitted = fit(network.description(), &input, labels, training, propagation.ky, seed.into(), watch)?;
        Ok(Learned { stages: vec![fitted], scaled: scaled.clone(), readout: None })
    }

    fn deploy(&self, released: &Privatised, state: ModelState<'_>, surface: Surface) -> Result<Deployed, LearnError> {
        let (reads_edges, propagation) = (self.source.reads_edges(), &self.common.propagation);
        let Some(estimated) = self.source.estimate(released)? else {
            return deploy(released, state, surface, reads_edges, propagation);
        };
        let network = state.stages.last().ok_or(LearnError::NoNetwork)?;
        let hops = if surface == Surface::Pipeline { propagation.kx } else { 0 };
        let features = state.scaled.features(released.data())?.ok_or(LearnError::NoFeatures)?;
        Deployed::of(network, &Input::new(features, estimated.messages()?, hops)?)
    }

    fn twin(&self) -> Description {
        self.common.network.description()
    }
}

/// Trains one network, with or without edges.
pub(super) fn learn(
    data: &mut TrainingData<'_, '_>,
    reads_edges: bool,
    (network, propagation, training): (&Network, &Propagation, &Training),
    seed: u64,
    watch: Watch<'_>,
) -> Result<Learned, LearnError> {
    let TrainingData { joined, labels, scaled, .. } = data;
    let description = network.description();
    let fitted = if joined.edges_withheld() || !reads_edges {
        let features = scaled.features(joined)?.ok_or(LearnError::NoFeatures)?;
        fit_without_edges(description, &features, labels, training, seed, watch)?
    } else {
        let input = network_input(joined, scaled, true, propagation.kx)?;
        fit(description, &input, labels, training, propagation.ky, seed.into(), watch)?
    };
    Ok(Learned { stages: vec![fitted], scaled: scaled.clone(), readout: None })
}

/// One network as a service.
pub(super) fn deploy(
    released: &Privatised,
    ModelState { stages, scaled, .. }: ModelState<'_>,
    surface: Surface,
    reads_edges: bool,
    propagation: &Propagation,
) -> Result<Deployed, LearnError> {
    let network = stages.last().ok_or(LearnError::NoNetwork)?;
    let hops = if surface == Surface::Pipeline { propagation.kx } else { 0 };
    Deployed::of(network, &network_input(released.data(), scaled, reads_edges, hops)?)
}

/// Released features behind `hops` hops along the released lists: a node receives messages from the
/// nodes in its list.
pub(crate) fn network_input(
    data: &Dataset,
    scaled: &Scaled,
    reads_edges: bool,
    hops: usize,
) -> Result<Input, LearnError> {
    let features = scaled.features(data)?.ok_or(LearnError::NoFeatures)?;
    if data.edges_withheld() || !reads_edges {
        return Ok(Input::without_graph(features)?);
    }
    Ok(Input::new(features, Messages::of(data.graph())?, hops)?)
}
