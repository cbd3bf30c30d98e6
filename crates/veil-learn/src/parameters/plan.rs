//! What parameters release: from words to mechanisms that are checked.

use std::sync::Arc;

use veil_graph::Dataset;
use veil_privacy::central::{edge_rand, lap_graph};
use veil_privacy::protocol::{
    Protocol, degree_vectors, dummy_exchange, edge_flip, graph_privatizer, neighbour_krr, shuffled_query, two_hop_rr,
};
use veil_privacy::release::{EdgePlan, Options, RangeChoice};
use veil_privacy::{Epsilon, Private};

use super::{Edges, Parameters, ParametersError, Scaling};

/// How many rounds of degree vectors there may be.
const MOST_ROUNDS: u32 = 100;

impl Parameters {
    /// What is to be released of these data.
    ///
    /// # Errors
    /// If something is missing or out of range.
    pub fn options(&self, data: &Private<Dataset>, range: RangeChoice) -> Result<Options, ParametersError> {
        self.check_method()?;
        if self.scale == Scaling::Standard && self.epsilon_features.is_some_and(Epsilon::is_finite) {
            return Err(ParametersError::StandardReports);
        }
        Ok(Options {
            epsilon_features: self.epsilon_features,
            epsilon_labels: self.epsilon_labels,
            samples: self.samples,
            range,
            scale: self.scale.into(),
            edges: self.edge_plan(data)?,
        })
    }

    /// Fails where these are not parameters of the method that they are said to be of.
    ///
    /// # Errors
    /// If the method decides otherwise.
    pub fn check_method(&self) -> Result<(), ParametersError> {
        let Parameters { edges, model, .. } = *self;
        match self.method {
            Some(method) if !method.allows(self) => Err(ParametersError::NotOfMethod { method, edges, model }),
            _ => Ok(()),
        }
    }

    /// What is to be released of a graph that a model is asked about, which may have no labels: those stay where they are.
    ///
    /// # Errors
    /// As [`options`](Self::options).
    pub fn inference_options(
        &self,
        data: &Private<Dataset>,
        classes: u32,
        range: RangeChoice,
    ) -> Result<Options, ParametersError> {
        let edges = self.edge_plan_of(data.public().nodes, classes)?;
        Ok(Options { epsilon_labels: None, edges, ..self.options(data, range)? })
    }

    /// What is to be released of the edges.
    ///
    /// # Errors
    /// If ε is missing, or the protocol cannot run with these parameters.
    pub fn edge_plan(&self, data: &Private<Dataset>) -> Result<EdgePlan, ParametersError> {
        let public = data.public();
        self.edge_plan_of(public.nodes, public.classes.unwrap_or(0))
    }

    /// The same for so many nodes in so many classes.
    fn edge_plan_of(&self, nodes: u32, classes: u32) -> Result<EdgePlan, ParametersError> {
        let edges = self.edges;
        let wrong = |source| ParametersError::Protocol { edges, source };
        let epsilon = match (edges, self.epsilon_edges) {
            (Edges::Raw | Edges::Empty, Some(epsilon)) if epsilon.is_finite() => {
                return Err(ParametersError::UselessEpsilon { edges });
            }
            (Edges::Raw, _) => return Ok(EdgePlan::Raw),
            (Edges::Empty, _) => return Ok(EdgePlan::Withheld),
            (_, Some(epsilon)) => epsilon,
            (_, None) => return Err(ParametersError::NoEpsilon { edges }),
        };
        let measure = self.measure;
        let protocol: Arc<dyn Protocol> = match edges {
            Edges::GraphPrivatizer => {
                let Parameters { strategy, alpha, delta, similarity: reading, .. } = *self;
                // Whatever is out of range is said, also where ε = inf makes it useless: then any finite one stands in.
                let finite = Some(epsilon).filter(|epsilon| epsilon.is_finite()).or(Epsilon::from_nanos(1));
                let params =
                    |epsilon| graph_privatizer::Params { epsilon, strategy, alpha, threshold: delta, measure, reading };
                let checked = params(finite.unwrap_or(epsilon)).check().map_err(wrong)?;
                if !epsilon.is_finite() {
                    return Ok(EdgePlan::Raw);
                }
                Arc::new(checked)
            }
            _ if !epsilon.is_finite() && edges != Edges::DegreeVectors => return Ok(EdgePlan::Raw),
            Edges::TwoHopRr => Arc::new(two_hop_rr::Params { epsilon }.check().map_err(wrong)?),
            Edges::DummyExchange => {
                let (most_dummies, candidates) = (self.max_dummies, self.candidates);
                let params = dummy_exchange::Params { epsilon, measure, most_dummies, candidates };
                Arc::new(params.check().map_err(wrong)?)
            }
            Edges::ShuffledQuery => Arc::new(shuffled_query::Params { epsilon, measure }.check().map_err(wrong)?),
            Edges::NeighbourKrr => Arc::new(neighbour_krr::Params { epsilon, nodes }.check().map_err(wrong)?),
            Edges::EdgeFlip => {
                let params = edge_flip::Params { epsilon, nodes, max_edges: self.max_edges };
                let flip = params.check().map_err(wrong)?;
                self.few_enough(flip.expected_edges())?;
                Arc::new(flip)
            }
            Edges::LapGraph => {
                let params = lap_graph::Params { epsilon, epsilon_count: self.epsilon_count, nodes };
                let noisy = params.check().map_err(wrong)?;
                // The noise of the count makes up so many edges, or takes them away, in all but one of 10⁸ cases; and there
                // are no more than there are pairs.
                let pairs = u64::from(nodes) * u64::from(nodes.saturating_sub(1)) / 2;
                let made_up = (20.0 / self.epsilon_count.as_f64()) as u64;
                self.few_enough(made_up.min(pairs))?;
                return Ok(EdgePlan::Graph(Arc::new(noisy)));
            }
            Edges::EdgeRand => {
                let params = edge_rand::Params { epsilon, nodes, max_edges: self.max_edges };
                let flip = params.check().map_err(wrong)?;
                self.few_enough(flip.expected_edges())?;
                return Ok(EdgePlan::Graph(Arc::new(flip)));
            }
            Edges::DegreeVectors | Edges::Raw | Edges::Empty => {
                let rounds = self.rounds();
                if rounds > MOST_ROUNDS {
                    return Err(ParametersError::TooManyRounds { rounds, limit: MOST_ROUNDS });
                }
                // One cluster per class; where labels are the first clusters, also one for nodes without.
                // Where there is no class, whoever trains says so.
                let clusters = if self.is_central() { classes.max(1) } else { classes.saturating_add(1) };
                let params = degree_vectors::Params { epsilon, rounds, unit: self.unit, clusters };
                return Ok(EdgePlan::Vectors(params.check().map_err(wrong)?));
            }
        };
        Ok(EdgePlan::Lists(protocol))
    }

    fn few_enough(&self, expected: u64) -> Result<(), ParametersError> {
        let (edges, limit) = (self.edges, self.max_edges);
        if expected > limit { Err(ParametersError::TooManyEdges { edges, expected, limit }) } else { Ok(()) }
    }
}
