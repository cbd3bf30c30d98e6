//! An attack on edges with all its parameters: what is queried, which pairs are rated, what the
//! attacker believes.

use std::fmt;
use std::sync::Arc;

use veil_graph::Graph;
use veil_learn::run::Weights;
use veil_learn::{Surface, WhiteBox};
use veil_privacy::parameters;
use veil_privacy::parameters::{Kind, Parameters, Settings};

use super::{AttackError, EdgeRating, run};
use crate::pairs::{Pairs, Sample};
use crate::scores::{Scores, Scoring};

parameters! {
    /// What an attack on edges queries, and which pairs it rates.
    pub struct Scope: Attack {
        /// Attack surface: pipeline (as deployed, with feature propagation) or model (the network
        /// only, as in the papers)
        surface: Surface = Surface::Pipeline => Kind::Word(Surface::WORDS),
        /// Weights of the chosen epoch, or of the last epoch as in the papers
        weights: Weights = Weights::Chosen => Kind::Word(Weights::WORDS),
        /// Sample of pairs: balanced (as many edges as non-edges), or all pairs among random
        /// (unbalanced), lowest-degree or highest-degree nodes
        sample: Sample = Sample::Balanced => Kind::Word(Sample::WORDS),
        /// Number of edges, and of non-edges, in a balanced sample
        pairs: usize = 500 => Kind::Whole,
        /// Number of nodes in the other samples
        nodes: usize = 500 => Kind::Whole,
        /// Attacker's estimate of the share of edges among the pairs [the true share]
        belief: Option<f64> = None => Kind::Real,
    }
}

impl Scope {
    /// The size of the sample; `given` are the settings of the caller, of which none may be without
    /// effect.
    fn size(&self, given: &Settings) -> Result<usize, AttackError> {
        let (size, name, requires) = match self.sample {
            Sample::Balanced => (self.pairs, "nodes", "sample = unbalanced, low-degree or high-degree"),
            _ => (self.nodes, "pairs", "sample = balanced"),
        };
        if given.contains(name) {
            return Err(AttackError::Requires { name, requires });
        }
        self.sample.check(size)?;
        Ok(size)
    }
}

/// An attack on the edges of a trained model, with all its parameters checked.
#[derive(Clone)]
pub struct EdgeAttack {
    name: &'static str,
    settings: Settings,
    rating: Arc<dyn EdgeRating<dyn WhiteBox> + Send + Sync>,
    sample: Sample,
    size: usize,
    /// Part of the model that is queried.
    pub surface: Surface,
    /// Weights of the model.
    pub weights: Weights,
    /// Share of the pairs that the attacker believes to be edges.
    pub belief: Option<f64>,
}

impl EdgeAttack {
    pub(crate) fn new(
        name: &'static str,
        parameters: &impl Parameters,
        scope: &Scope,
        given: &Settings,
        rating: impl EdgeRating<dyn WhiteBox> + Send + Sync + 'static,
    ) -> Result<EdgeAttack, AttackError> {
        let Scope { surface, weights, sample, belief, .. } = *scope;
        let size = scope.size(given)?;
        Scoring { belief, seed: 0 }.check()?;
        let (settings, rating) = (parameters.settings(), Arc::new(rating));
        Ok(EdgeAttack { name, settings, rating, sample, size, surface, weights, belief })
    }

    /// The name in the registry.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Every parameter that is set, with defaults.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Draws the pairs from the true graph.
    ///
    /// # Errors
    /// If the sample would have no edge, nothing but edges, or too many pairs.
    pub fn pairs(&self, truth: &Graph, seed: u64) -> Result<Pairs, AttackError> {
        Pairs::sample(truth, self.sample, self.size, seed)
    }

    /// Attacks a model.
    ///
    /// # Errors
    /// If the model has another number of nodes than the true graph, or cannot answer.
    pub fn run(&self, model: &(dyn WhiteBox + 'static), pairs: &Pairs, seed: u64) -> Result<Scores, AttackError> {
        run(&*self.rating, model, pairs, Scoring { belief: self.belief, seed })
    }
}

impl fmt::Debug for EdgeAttack {
    /// Every parameter, so that two attacks that print alike are the same.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EdgeAttack").field("name", &self.name).field("settings", &self.settings).finish()
    }
}

impl PartialEq for EdgeAttack {
    fn eq(&self, other: &EdgeAttack) -> bool {
        (self.name, &self.settings) == (other.name, &other.settings)
    }
}
