//! DPDGC (Chien, Chen, Pan, Li, Ozgur and Milenkovic, NeurIPS 2023): the graph and the features are
//! read apart, so that nothing is lost where neighbours are of other classes.
//!
//! 1. **Encoder of the graph.** Every node has a row of W, and node v receives the noisy sum of its
//!    neighbours' rows, A·W (Section 4). It is a hop of
//!    [`neighbour_sums`](veil_privacy::central::neighbour_sums), whose messages are the
//!    rows of W at length 1.
//! 2. **Encoder of the features.** The hidden layer of an MLP, as in [GAP](super).
//! 3. **Head.** An MLP reads both beside each other (LINKX).
//!
//! **W.** With `--encoder random` it has random signs, as many per node as the hidden layer is
//! wide: A·W is a random projection of A, and costs one hop. With `--encoder gradient` it is one
//! noisy step of gradient descent from W = 0. There the gradient of the cross-entropy is Aᵀ(1/C −
//! Y) on the training nodes, so W is the noisy sum of messages y − 1/C: another hop of the same
//! mechanism, in which an edge moves two rows, and both hops share ε. Only half of the training
//! nodes send their label there, and the head learns from the other half: a node finds its own
//! label in A·Aᵀ·Y.
//!
//! **Not the paper's.** The paper trains W by DP-SGD, in which an example is a node with its row of
//! A, then freezes it; here one step is taken, with a sensitivity of √2 where clipping would leave
//! more. The published code replaces one row and counts a sensitivity of 1 for A·W: its ε is that
//! of a directed edge, on samples without replacement, with floating-point noise. An undirected
//! edge is in two rows: ε here is its true one. Rows of A·W stay with the release, so predictions
//! cost nothing more. On another graph, what features say stands for the labels of training nodes.

use veil_graph::random::Random;
use veil_graph::{Dataset, Features, Matrix, NodeId, Part, Split};
use veil_nn::{Description, Input, Model};
use veil_privacy::parameters::{Described, Kind, Parameters};
use veil_privacy::protocol::degree_vectors::Counts;
use veil_privacy::release::{EdgePlan, Privatised, Question};
use veil_privacy::{Epsilon, Status, Unit, parameters, words};

use super::{LENGTH, Messages, STEPS, rows, sums, unit_rows};
use crate::deployed::{Deployed, Surface};
use crate::error::LearnError;
use crate::fit::{ReportedLabels, Watch, check_training, fit_without_edges};
use crate::learn::{Learned, TrainingData, TrainingView};
use crate::method::{Entry, Method, MethodError, ModelState, Shape, configured, described_by_parameters, edge_free};
use crate::parameters::{Mlp, Propagation, Recipe, Reports, Training};
use crate::scaled::Scaled;

/// The name of the method.
pub const NAME: &str = "dpdgc";

words! {
    /// Where the rows of W come from.
    pub enum Encoder: "encoder" {
        /// Random signs.
        Random = "random",
        /// One noisy step of gradient descent.
        Gradient = "gradient",
    }
}

parameters! {
    /// Parameters of DPDGC.
    pub struct Params: Edges {
        /// ε of the edges, for all hops together; inf: no noise
        epsilon_edges: Option<Epsilon> = None => Kind::Epsilon,
        /// δ of all hops together
        delta: f64 = 1e-5 => Kind::Real,
        /// Where the encoder of the graph comes from
        encoder: Encoder = Encoder::Gradient => Kind::Word(Encoder::WORDS),
        /// Width of the representation that nodes send
        width: usize = 16 => Kind::Whole,
    }
    with {
        /// Features and labels.
        reports: Reports = Recipe::Lpgnet.reports(),
        /// Each network.
        network: Mlp = edge_free::network(),
        /// The training of each network.
        training: Training = edge_free::training(),
    }
}

impl Encoder {
    fn hops(self) -> u32 {
        match self {
            Encoder::Random => 1,
            Encoder::Gradient => 2,
        }
    }
}

impl Params {
    /// The network whose hidden layer represents features.
    fn encoder(&self) -> Description {
        Mlp { hidden: self.width, ..self.network.clone() }.description()
    }

    /// The width of what the head reads, for so many classes.
    fn read(&self, classes: usize) -> usize {
        let graph = match self.encoder {
            Encoder::Random => self.width,
            Encoder::Gradient => classes.saturating_mul(2),
        };
        self.width.saturating_add(graph)
    }

    /// Asks for the hops that a graph lacks. `first` is what its nodes send in the first hop, if it
    /// is not random.
    fn ask(&self, graph: &mut TrainingView<'_, '_>, first: impl Fn(&Dataset) -> Matrix) -> Result<(), LearnError> {
        let nodes = graph.released.data().nodes() as usize;
        for hop in 0..self.encoder.hops() {
            if rows(graph.released, hop).is_some() {
                continue;
            }
            let sent = match (self.encoder, hop) {
                (Encoder::Random, _) => signs(nodes, self.width),
                (Encoder::Gradient, 0) => first(graph.released.data()),
                (Encoder::Gradient, _) => {
                    let before = rows(graph.released, hop - 1).ok_or(LearnError::NoRows)?;
                    unit_rows(matrix(before, 1.0))
                }
            };
            if !graph.request(Question::Hop(&Messages::of(&sent, STEPS)))? {
                return Err(LearnError::NoRows);
            }
        }
        Ok(())
    }

    /// What the head reads of a graph.
    fn features(&self, encoder: &Model, scaled: &Scaled, released: &Privatised) -> Result<Features, LearnError> {
        let features = scaled.features(released.data())?.ok_or(LearnError::NoFeatures)?;
        let hidden = unit_rows(encoder.hidden(&Input::without_graph(features)?)?.to_matrix());
        let mut parts = vec![hidden];
        for hop in 0..self.encoder.hops() {
            let rows = rows(released, hop).ok_or(LearnError::NoRows)?;
            let squares: f64 = rows.values().iter().map(|&it| (it as f64).powi(2)).sum();
            // One factor for all rows: which of them are long says how little of them is noise.
            let length = (squares / rows.nodes().max(1) as f64).sqrt();
            parts.push(matrix(rows, if length > 0.0 { 1.0 / length } else { 0.0 }));
        }
        let (nodes, width) = (parts[0].rows(), parts.iter().map(Matrix::columns).sum());
        let mut all = Matrix::zeros(nodes, width);
        for node in 0..nodes {
            let values = parts.iter().flat_map(|part| part.row(node));
            all.row_mut(node).iter_mut().zip(values).for_each(|(out, it)| *out = LENGTH * it);
        }
        Ok(Features::Dense(all))
    }
}

/// Released rows, times a factor.
fn matrix(rows: &Counts, factor: f64) -> Matrix {
    let mut matrix = Matrix::zeros(rows.nodes(), rows.clusters());
    matrix.values_mut().iter_mut().zip(rows.values()).for_each(|(out, &it)| *out = (it as f64 * factor) as f32);
    matrix
}

/// Random signs: the same for every graph, and public.
fn signs(nodes: usize, width: usize) -> Matrix {
    let mut random = Random::new(0, "dpdgc/rows");
    let mut matrix = Matrix::zeros(nodes, width);
    matrix.values_mut().iter_mut().for_each(|out| *out = if random.below(2) == 1 { 1.0 } else { -1.0 });
    matrix
}

/// The training nodes divided into those that send their label and those from which the head
/// learns: every other one of each class in a random order, beginning with the head.
fn divided(data: &Dataset, seed: u64) -> Result<[Split; 2], LearnError> {
    let split = data.split().ok_or(LearnError::NoSplit)?;
    let mut nodes: Vec<NodeId> = split.nodes(Part::Train).collect();
    Random::new(seed, "dpdgc/senders").shuffle(&mut nodes);
    nodes.sort_by_key(|&node| data.labels().and_then(|labels| labels.get(node)));
    let mut sends = vec![false; split.parts().len()];
    nodes.iter().skip(1).step_by(2).for_each(|&node| sends[node as usize] = true);
    let kept = |wanted: bool| {
        let parts = split.parts().iter().zip(&sends);
        let parts = parts.map(|(&part, &sends)| if part == Part::Train && sends != wanted { Part::None } else { part });
        Split::new(parts.collect())
    };
    Ok([kept(true), kept(false)])
}

/// y − 1/C for the training nodes of this split, and 0 for all others.
fn residuals(data: &Dataset, split: &Split) -> Matrix {
    let classes = data.labels().map_or(0, |labels| labels.classes() as usize);
    let mut sent = Matrix::zeros(data.nodes() as usize, classes);
    for node in split.nodes(Part::Train) {
        let Some(label) = data.labels().and_then(|labels| labels.get(node)) else { continue };
        let row = sent.row_mut(node as usize);
        row.iter_mut().for_each(|it| *it = -1.0 / classes as f32);
        row[label as usize] += 1.0;
    }
    sent
}

impl Method for Params {
    described_by_parameters!();

    fn edges(&self, _nodes: u32, _classes: u32) -> Result<EdgePlan, MethodError> {
        sums(NAME, self.epsilon_edges, self.delta, self.encoder.hops())
    }

    fn check(&self, Shape { features, classes, validated, .. }: Shape) -> Result<(), LearnError> {
        check_training(&self.training, &Propagation::default(), validated)?;
        self.encoder().check(features.ok_or(LearnError::NoFeatures)?, classes)?;
        self.network.description().check(self.read(classes), classes)?;
        Ok(())
    }

    fn learn(&self, data: &mut TrainingData<'_, '_>, seed: u64, watch: Watch<'_>) -> Result<Learned, LearnError> {
        let TrainingData { graphs, joined, labels, scaled } = data;
        let features = scaled.features(joined)?.ok_or(LearnError::NoFeatures)?;
        let encoder = fit_without_edges(self.encoder(), &features, labels, &self.training, seed, &mut *watch)?;
        let mut read: Option<Features> = None;
        for graph in graphs.iter_mut() {
            let halves = divided(graph.released.data(), seed)?;
            self.ask(graph, |data| residuals(data, &halves[0]))?;
            let next = self.features(&encoder.chosen, scaled, graph.released)?;
            read = Some(match read {
                None => next,
                Some(before) => before.stacked(&next)?,
            });
        }
        let read = read.ok_or(LearnError::NoRows)?;
        let labels = match self.encoder {
            Encoder::Random => labels.clone(),
            Encoder::Gradient => {
                let mechanism = graphs.first().ok_or(LearnError::NoRows)?.released.label_mechanism()?;
                let [_, learners] = divided(joined, seed)?;
                ReportedLabels::of(&joined.clone().with_split(learners)?, mechanism)?
            }
        };
        let head = self.network.description();
        let head = fit_without_edges(head, &read, &labels, &self.training, seed.wrapping_add(1), watch)?;
        Ok(Learned { stages: vec![encoder, head], scaled: scaled.clone(), readout: None })
    }

    fn infer(&self, state: ModelState<'_>, graph: &mut TrainingView<'_, '_>) -> Result<(), LearnError> {
        let encoder = state.stages.first().ok_or(LearnError::NoNetwork)?;
        let features = state.scaled.features(graph.released.data())?.ok_or(LearnError::NoFeatures)?;
        let mut posteriors = encoder.posteriors(&Input::without_graph(features)?)?.to_matrix();
        let even = 1.0 / posteriors.columns().max(1) as f32;
        posteriors.values_mut().iter_mut().for_each(|it| *it -= even);
        self.ask(graph, |_| posteriors.clone())
    }

    fn deploy(&self, released: &Privatised, state: ModelState<'_>, _surface: Surface) -> Result<Deployed, LearnError> {
        let [encoder, head] = state.stages else { return Err(LearnError::NoNetwork) };
        let read = self.features(encoder, state.scaled, released)?;
        Ok(Deployed::cached(head.posteriors(&Input::without_graph(read)?)?.to_matrix(), released))
    }

    fn first_network_is_edge_free(&self) -> bool {
        true
    }

    fn networks(&self) -> u32 {
        2
    }
}

pub(in crate::method) fn entry() -> Entry {
    let about = "Noisy A·W beside features, read apart (DPDGC, NeurIPS 2023)";
    let entry = Entry::new(NAME, about, configured::<Params>);
    Entry { unit: Some(Unit::Edge), status: Status::Proven, ..entry }
}

#[cfg(test)]
mod tests {
    use veil_graph::{Direction, Graph, Labels};

    use super::*;

    /// Nobody both sends a label and is learned from, and nobody else is moved.
    #[test]
    fn a_training_node_sends_its_label_or_is_learned_from() {
        let parts: Vec<Part> = (0..400).map(|it| if it % 2 == 0 { Part::Train } else { Part::Val }).collect();
        let data = Dataset::new("d", Graph::empty(400, Direction::Undirected), Default::default())
            .with_labels(Labels::new(4, (0..400).map(|it| Some(it % 4))).unwrap())
            .unwrap()
            .with_split(Split::new(parts.clone()))
            .unwrap();
        let [senders, learners] = divided(&data, 7).unwrap();
        for (node, &part) in (0..).zip(&parts) {
            let both = [senders.part(node), learners.part(node)];
            let wanted = if part == Part::Train { 1 } else { 2 };
            assert_eq!(both.iter().filter(|it| **it == part).count(), wanted, "{node}");
        }
        assert_eq!(senders.count(Part::Train), 100);
        assert_ne!(divided(&data, 8).unwrap()[0], senders, "by the seed");
        // Two training nodes, 0 and 2, of two classes: one is learned from whatever the seed.
        let few = (0..400).map(|it| if it < 3 && it % 2 == 0 { Part::Train } else { Part::Val });
        let few = data.clone().with_split(Split::new(few.collect())).unwrap();
        for seed in 0..20 {
            assert_eq!(divided(&few, seed).unwrap().map(|it| it.count(Part::Train)), [1, 1]);
        }
        let sent = residuals(&data, &senders);
        for node in 0..400 {
            let wanted = if senders.part(node as u32) == Part::Train { 0.75 } else { 0.0 };
            assert_eq!(sent.row(node)[node % 4], wanted);
        }
    }

    /// Random rows are the same for every execution, and hops share ε.
    #[test]
    fn an_encoder_decides_the_hops_that_share_epsilon() {
        assert_eq!(signs(5, 3), signs(5, 3));
        assert!(signs(50, 3).values().iter().all(|it| it.abs() == 1.0));
        let hops = |encoder: Encoder| {
            let params = Params { epsilon_edges: "1".parse().ok(), encoder, ..Params::default() };
            match params.edges(10, 3) {
                Ok(EdgePlan::Sums(sums)) => sums.params().hops,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!((hops(Encoder::Random), hops(Encoder::Gradient)), (1, 2));
    }
}
