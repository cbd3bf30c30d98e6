//! DpGCN (Wu et al. 2022; LPGNet, §2.2): a graph convolution on a graph that was released with
//! noise, once, so that training and any number of queries cost nothing more. The noise is
//! LapGraph's or EdgeRand's ([`central`]); the authors found LapGraph better.

use std::sync::LazyLock;

use veil_nn::Kind as Layer;
use veil_privacy::central;
use veil_privacy::parameters::{Described, Kind, Parameters, Settings};
use veil_privacy::release::EdgePlan;
use veil_privacy::{Epsilon, Guarantee, Status, Unit, parameters};

use super::{EdgeSource, configure};
use crate::method::{Entry, MethodError, settings_of};
use crate::parameters::Recipe;

/// The name of the method.
pub const NAME: &str = "dpgcn";

/// The names of all mechanisms that release a graph.
fn graphs() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> =
        LazyLock::new(|| central::ENTRIES.iter().map(|entry| entry.name).collect());
    &NAMES
}

parameters! {
    /// Parameters of the edges.
    pub struct Params: Edges {
        /// Mechanism that releases the graph
        graph: String = central::lap_graph::NAME.to_owned() => Kind::Word(graphs()),
        /// ε of the edges; inf releases them unchanged
        epsilon_edges: Option<Epsilon> = None => Kind::Epsilon,
    }
    with {
        /// LapGraph's parameters, of which EdgeRand reads `max-edges`.
        options: central::lap_graph::Options = central::lap_graph::Options::default(),
    }
}

impl EdgeSource for Params {
    fn list(&self) -> Vec<Described> {
        Parameters::list(self)
    }

    fn plan(&self, nodes: u32) -> Result<EdgePlan, MethodError> {
        let epsilon = self.epsilon_edges.ok_or(MethodError::Missing { method: NAME, name: "epsilon-edges" })?;
        if !epsilon.is_finite() {
            return Ok(EdgePlan::Raw);
        }
        let entry = central::find(&self.graph).ok_or(MethodError::Missing { method: NAME, name: "graph" })?;
        let protocol = entry.name;
        let read = (entry.parameters)().settings();
        let settings: Settings = self
            .options
            .settings()
            .iter()
            .filter(|(name, _)| read.contains(name))
            .map(|(n, v)| (n, v.clone()))
            .collect();
        let built = (entry.build)(epsilon, nodes, &settings);
        built.map(EdgePlan::Graph).map_err(|source| MethodError::Protocol { protocol, source })
    }
}

pub(in crate::method) fn entry() -> Entry {
    let about = "GNN on a noisy graph from LapGraph or EdgeRand (DpGCN)";
    let entry = Entry::new(NAME, about, |settings| {
        let set = |params: &mut Params, settings: &_| Ok(params.apply(settings)?);
        configure(NAME, Params::default(), set, (Recipe::Lpgnet, Layer::Gcn), settings)
    });
    Entry { unit: Some(Unit::Edge), status: Status::Proven, recognise: Box::new(recognise), ..entry }
}

fn recognise(guarantee: &Guarantee) -> Option<Settings> {
    let graph = central::find(&guarantee.mechanism)?.name;
    let mut settings = settings_of(guarantee, [("epsilon-count", "epsilon-count")]);
    settings.insert("graph", graph);
    Some(settings)
}
