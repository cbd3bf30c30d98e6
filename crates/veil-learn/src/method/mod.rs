//! Methods: from parameters to what is released, how it is learned from, and how it answers.
//!
//! A [`Method`] is configured once from [`Settings`] (flags, files, sweeps), and then says what is
//! released of edges ([`Method::edges`]), how networks learn from it ([`Method::learn`]), what
//! further graphs need ([`Method::infer`]) and how the model answers ([`Method::deploy`]). The
//! pipeline calls these in their order and knows no method by name.
//!
//! [`entries`] is the one table of all methods. Where edges are protected:
//!
//! - `on_graph`: one network on a released graph. [`gnn`](on_graph::gnn) (edges unchanged),
//!   [`mlp`](on_graph::mlp) (no edges), [`dpgcn`](on_graph::dpgcn) (a noisy graph), and every local
//!   protocol that reports neighbour lists ([`lists`](on_graph::lists)).
//! - [`edge_free`]: the best that can be done without edges, and [`cascade`]: the same with noisy
//!   sums in which every edge is counted once, by the owner or by users ([`cascade::local`]).
//! - [`gap`]: networks on noisy sums of neighbours' representations.
//! - [`lpgnet`]: a stack of MLPs on noisy cluster degree vectors; [`degree_vectors`] is the same in
//!   the local model. `hints` adds what users say about their own class.
//!
//! Where whole nodes are protected: [`moments`] releases a linear model, [`student`] a model on a
//! public graph.

pub mod cascade;
pub mod degree_vectors;
pub mod edge_free;
mod error;
pub mod gap;
mod hints;
pub mod lpgnet;
pub mod moments;
pub mod on_graph;
pub mod registry;
pub mod student;
#[cfg(test)]
mod tests;

pub use error::MethodError;
pub use registry::{Entry, configure, find};
use registry::{configured, settings_of};

use std::fmt::Debug;
use std::sync::OnceLock;

use veil_graph::{Dataset, NodeId};
use veil_nn::{Description, Model};
use veil_privacy::parameters::{Described, Settings};
use veil_privacy::release::{EdgePlan, Privatised};
use veil_privacy::{Private, Public, protocol};

use crate::deployed::{Deployed, Surface};
use crate::error::LearnError;
use crate::fit::Watch;
use crate::learn::{Learned, TrainingData, TrainingView};
use crate::parameters::{Recipe, Reports, Training};
use crate::scaled::Scaled;
use student::LabelSource;

/// Every method: the owner's, the local protocols, the students.
pub fn entries() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        let owner = [
            on_graph::mlp::entry(),
            edge_free::entry(),
            on_graph::gnn::entry(),
            on_graph::dpgcn::entry(),
            lpgnet::entry(),
            cascade::entry(),
            gap::entry(),
            gap::progressive(),
            gap::dpdgc::entry(),
            moments::entry(),
        ];
        let lists = protocol::ENTRIES.iter().map(on_graph::lists::entry);
        let local = [degree_vectors::entry(), cascade::local::entry()];
        let students =
            [student::privgnn::entry(), student::pate::entry(), student::class_sums::entry(), student::dp_mlp::entry()];
        owner.into_iter().chain(lists).chain(local).chain(students).collect()
    })
}

/// A method with all its parameters checked.
pub trait Method: Debug + Send + Sync {
    /// The name on the command line and in files.
    fn name(&self) -> &'static str;

    /// Every parameter with its current value.
    fn list(&self) -> Vec<Described>;

    /// Every parameter that is set.
    fn settings(&self) -> Settings {
        self.list().into_iter().filter_map(|it| Some((it.name, it.value?))).collect()
    }

    /// The parameters with every default decided that depends on the data: by default the epoch
    /// whose weights are kept.
    ///
    /// # Errors
    /// If a decision needs something that is out of range.
    fn decided(&self, facts: Facts) -> Result<Settings, LearnError> {
        let mut settings = self.settings();
        let select = self.training().select.unwrap_or_else(|| Recipe::Lpgnet.select(facts.validated));
        settings.insert("select", select.name());
        Ok(settings)
    }

    /// What is released of features and labels; `None` for methods with a public graph, which
    /// release labels of public nodes alone.
    fn reports(&self) -> Option<&Reports>;

    /// How its networks are trained.
    fn training(&self) -> &Training;

    /// What is released of the edges of a graph with so many nodes and classes.
    ///
    /// # Errors
    /// If a parameter is missing or out of range.
    fn edges(&self, nodes: u32, classes: u32) -> Result<EdgePlan, MethodError>;

    /// Checks whether a training can begin, before anything is charged.
    ///
    /// # Errors
    /// If the data lack something, or the network cannot be built.
    fn check(&self, shape: Shape) -> Result<(), LearnError>;

    /// Checks whether another graph can be learned from or asked about, before anything is charged.
    ///
    /// # Errors
    /// If it cannot.
    fn check_other(&self, _other: Other) -> Result<(), LearnError> {
        Ok(())
    }

    /// Whether what users of a graph of so many nodes say about their own class, by a codebook, is
    /// read.
    fn reads_hints(&self, _nodes: u32) -> bool {
        false
    }

    /// Learns from released data.
    ///
    /// # Errors
    /// If the release lacks something, or a training fails.
    fn learn(&self, data: &mut TrainingData<'_, '_>, seed: u64, watch: Watch<'_>) -> Result<Learned, LearnError>;

    /// What follows from a release in closed form; `None` where something has to be learned.
    /// Methods that protect whole nodes release no labels to learn from.
    ///
    /// # Errors
    /// If the release lacks something.
    fn closed_form(&self, _released: &Privatised) -> Result<Option<Learned>, LearnError> {
        Ok(None)
    }

    /// Requests the rounds of counts that a trained model needs about another graph.
    ///
    /// # Errors
    /// If model and release do not fit together, or there are too few rounds.
    fn infer(&self, _state: ModelState<'_>, _graph: &mut TrainingView<'_, '_>) -> Result<(), LearnError> {
        Ok(())
    }

    /// The model as a service about the nodes of a release.
    ///
    /// # Errors
    /// If model and release do not fit together.
    fn deploy(&self, released: &Privatised, state: ModelState<'_>, surface: Surface) -> Result<Deployed, LearnError>;

    /// The network of the edge-free twin, which is trained like this method but reads no edge.
    fn twin(&self) -> Description;

    /// Whether networks read the released features.
    fn reads_features(&self) -> bool {
        true
    }

    /// Whether the first network reads no edge, so that it is the twin itself.
    fn first_network_is_edge_free(&self) -> bool {
        false
    }

    /// Whether learned numbers besides the weights belong to a model (`readout.json`); an error
    /// describes those that do not fit.
    ///
    /// # Errors
    /// If they are not those of this method.
    fn check_readout(&self, _readout: Option<&serde_json::Value>, _classes: usize) -> Result<(), String> {
        Ok(())
    }

    /// How many networks are trained.
    fn networks(&self) -> u32 {
        1
    }

    /// How often teachers train on the private graph, as a multiple of a training on all of its
    /// nodes.
    fn teachings(&self, _nodes: u32) -> f64 {
        0.0
    }

    /// Where the labels of public nodes come from, for methods with a public graph.
    ///
    /// # Errors
    /// If the two graphs do not fit together, or a parameter is missing or out of range.
    fn label_source<'a>(
        &self,
        _private: &'a Private<Dataset>,
        _public: &'a Dataset,
        _seed: u64,
    ) -> Result<Option<Box<dyn LabelSource + 'a>>, LearnError> {
        Ok(None)
    }
}

/// The part of [`Method`] that is the same for every struct of parameters with the fields
/// `reports`, `network` and `training` in a module with a `NAME`.
macro_rules! described_by_parameters {
    () => {
        fn name(&self) -> &'static str {
            NAME
        }

        fn list(&self) -> Vec<Described> {
            Parameters::list(self)
        }

        fn reports(&self) -> Option<&Reports> {
            Some(&self.reports)
        }

        fn training(&self) -> &Training {
            &self.training
        }

        fn twin(&self) -> Description {
            self.network.description()
        }
    };
}
use described_by_parameters;

/// Public facts that some defaults depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Whether there are validation nodes.
    pub validated: bool,
    /// Number of classes.
    pub classes: u32,
    /// Number of nodes.
    pub nodes: u32,
}

/// Public facts that a training depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of released features, if any are released.
    pub features: Option<usize>,
    /// Number of classes.
    pub classes: usize,
    /// Whether there are validation nodes.
    pub validated: bool,
    /// Number of nodes that are no training nodes.
    pub others: usize,
}

/// Public facts about another graph than that of the training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Other {
    /// Number of nodes.
    pub nodes: u32,
    /// Whether it validates: the model learns from it, and its labels are released.
    pub validates: bool,
    /// Whether features of its nodes are released.
    pub features: bool,
}

/// What was learned, as the methods read it.
#[derive(Clone, Copy, Debug)]
pub struct ModelState<'a> {
    /// The networks in their order; the last one answers.
    pub stages: &'a [Model],
    /// Scaling of the released features.
    pub scaled: &'a Scaled,
    /// The release of the same graph that is extended to nodes that were added since.
    pub extends: Option<&'a Privatised>,
    /// What else was learned.
    pub readout: Option<&'a serde_json::Value>,
}

impl Facts {
    /// The facts of a graph, with validation nodes in this graph or in another one.
    pub fn of(data: &Public<'_>, validation: Option<&Public<'_>>) -> Facts {
        Facts {
            validated: crate::fit::validated(data, validation),
            classes: data.classes.unwrap_or(0),
            nodes: data.nodes,
        }
    }
}

/// The most likely class of each row, the first among equals.
pub fn most_likely(scores: &veil_graph::Matrix) -> Vec<u32> {
    let best = |row: &[f32]| {
        let best = (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]).then(b.cmp(&a)));
        best.map_or(0, |class| class as NodeId)
    };
    (0..scores.rows()).map(|row| best(scores.row(row))).collect()
}
