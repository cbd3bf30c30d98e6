//! A cascade that begins with released labels alone: no features are released.
//!
//! 1. **Frequencies.** The classes of nodes without a label are as frequent as released labels say,
//!    corrected for their noise.
//! 2. **Order.** Training nodes first, whose labels say something; then the others; at random among
//!    themselves, because nothing else is known of them. Where labels are noisy, the first third of
//!    the training nodes has no row: it would hear hardly anybody.
//! 3. **Messages** are the likeliest class as a whole, or nothing where a node's class is as
//!    uncertain as that of any other. Soft messages would make all rows alike.
//! 4. **Readout** as with features, but beliefs and means are learned together, in a few passes:
//!    before the rows nearly nothing is believed.
//! 5. **Hints.** Where users say something about their own class, the answers are weighed with it
//!    if validation labels say that it helps (`hints`). Messages are not: hints are too weak.
//!
//! Everything after the rows is post-processing.

use veil_graph::random::Random;
use veil_graph::{Features, Matrix, NodeId, Part};
use veil_privacy::ReleaseError;
use veil_privacy::protocol::cascade::{Heard, Order};

use super::learner::{Batch, Learner, Memory, ask};
use super::readout::{Reading, Received};
use super::state::{State, weighed};
use crate::error::LearnError;
use crate::fit::{Fitted, Watch, fit_without_edges};
use crate::learn::{TrainingData, TrainingView};
use crate::method::edge_free::combine::Combination;
use crate::method::edge_free::scores::Scores;
use crate::method::hints::{self, Hints};
use crate::method::lpgnet::bayes::Evidence;

/// The weight of a likelihood where too few validation nodes have a row: neighbours are not
/// independent.
const USUAL_WEIGHT: f64 = 0.7;
/// So few validation labels say nothing about weights.
const FEW_LABELS: usize = 40;
/// Passes in which beliefs and means are learned together.
const PASSES: usize = 4;
/// A node whose class is known no better sends nothing: the share of the entropy of the classes
/// that is gone.
const WORTH_SAYING: f64 = 0.03;
/// One of so many training nodes with a noisy label has no row.
const SILENT: usize = 3;
/// Steps of EM for the frequencies.
const STEPS: usize = 200;

impl Learner<'_> {
    /// Learns from a release without features.
    pub fn learn_from_labels(
        &self,
        data: &mut TrainingData<'_, '_>,
        heard: Heard,
        watch: Watch<'_>,
    ) -> Result<(Vec<Fitted>, Memory), LearnError> {
        let ranges = data.ranges();
        let TrainingData { graphs, joined, labels, .. } = data;
        let (training, validation) = (labels.evidence(joined, Part::Train), labels.evidence(joined, Part::Val));
        if validation.is_empty() {
            return Err(LearnError::NoValidationLabels);
        }
        let nodes = joined.nodes() as usize;
        let frequencies = frequencies(&training, labels.classes());
        // The edge-free twin: without features a network learns how frequent each class is.
        let nothing = Features::Dense(Matrix::zeros(nodes, 1));
        let (network, training_of) = (self.network.description(), self.training);
        let network = fit_without_edges(network, &nothing, labels, training_of, self.seed, watch)?;
        let everything = [&training[..], &validation[..]].concat();
        let mut state = State::new(&Scores::alike(nodes, &frequencies), training);
        let orders: Vec<Order> = graphs
            .iter()
            .zip(&ranges)
            .map(|(graph, range)| self.random_order(graph, &state, heard, range.start))
            .collect::<Result<_, LearnError>>()?;
        let mut batches = Vec::new();
        for batch in 0..self.batches {
            let said = hard(&weighed(state.now.posteriors(), &everything), &frequencies);
            let mut received = Received::new(self.scale);
            for ((graph, order), range) in graphs.iter_mut().zip(&orders).zip(&ranges) {
                ask(graph, order, batch, &said, range.start, &mut received)?;
            }
            let reading = read(&received, &state, &everything);
            state.hear(&received, &reading);
            let told: Vec<Evidence> = validation.iter().filter(|it| state.done[it.node]).cloned().collect();
            let combination = if told.len() < FEW_LABELS {
                let (weights, biases) = (vec![1.0, USUAL_WEIGHT], vec![0.0; frequencies.len()]);
                Combination { parts: vec![0, 1], weights, biases }
            } else {
                let choices: Vec<Vec<usize>> = (1..=4).map(|parts| (0..parts).collect()).collect();
                Combination::chosen(&choices, &state.parts(), &told, self.stack.class_bias)
            };
            state.conclude(&received.nodes, &combination);
            batches.push(Batch { prior: None, reading, combination });
        }
        let mut answers = state.known();
        let reports: Vec<Option<u32>> = graphs.iter().flat_map(|graph| hints::reports(graph.released)).collect();
        let believed = state.now.posteriors();
        if let Some(hints) = Hints::learn(&reports, &validation, &|node| believed.row(node).to_vec()) {
            let told = reports.iter().enumerate().filter_map(|(node, report)| Some((node, (*report)?)));
            told.for_each(|(node, report)| hints.weigh(answers.row_mut(node), report));
        }
        for (graph, range) in graphs.iter_mut().zip(ranges) {
            graph.released.believe(answers.slice(range).to_matrix());
        }
        Ok((vec![network], Memory::of_frequencies(frequencies, batches)))
    }

    /// Training nodes, then the others. The order of a release is that of its first batch.
    fn random_order(
        &self,
        graph: &TrainingView<'_, '_>,
        state: &State,
        heard: Heard,
        start: usize,
    ) -> Result<Order, LearnError> {
        if let Some(order) = graph.released.cascade().and_then(|it| it.order()) {
            return Ok(order.clone());
        }
        let nodes = graph.released.data().nodes();
        let mut labelled: Vec<NodeId> = Vec::new();
        let mut is_labelled = vec![false; nodes as usize];
        let mut certain = true;
        for label in &state.labels {
            let Some(node) = label.node.checked_sub(start).filter(|&node| node < nodes as usize) else { continue };
            labelled.push(node as NodeId);
            is_labelled[node] = true;
            certain &= label.likelihood.iter().filter(|&&likely| likely > 0.0).count() == 1;
        }
        let mut others: Vec<NodeId> = (0..nodes).filter(|&node| !is_labelled[node as usize]).collect();
        // Public randomness: the order says nothing about edges.
        let mut random = Random::new(self.seed, "order of a cascade");
        random.shuffle(&mut labelled);
        random.shuffle(&mut others);
        let senders = match (certain, heard) {
            (true, _) => labelled.len(),
            (false, Heard::Earlier) => labelled.len() / SILENT,
            (false, Heard::All) => 0,
        };
        let sequence = labelled.into_iter().chain(others).collect();
        Order::new(sequence, senders, self.batches).map_err(|error| ReleaseError::from(error).into())
    }
}

/// How frequent the classes are of which these labels are noisy reports: the most likely
/// frequencies (EM).
pub(super) fn frequencies(labels: &[Evidence], classes: usize) -> Vec<f64> {
    let mut shares = vec![1.0 / classes.max(1) as f64; classes];
    for _ in 0..STEPS {
        // A class that was never seen is rare, not impossible.
        let mut sums = vec![0.5; classes];
        for label in labels {
            let all: f64 = shares.iter().zip(&label.likelihood).map(|(share, likely)| share * likely).sum();
            let parts = shares.iter().zip(&label.likelihood).map(|(share, likely)| share * likely / all);
            sums.iter_mut().zip(parts).filter(|(_, part)| part.is_finite()).for_each(|(sum, part)| *sum += part);
        }
        let all: f64 = sums.iter().sum();
        shares = sums.into_iter().map(|sum| sum / all).collect();
    }
    shares
}

/// The whole of the likeliest class of each node, or nothing.
pub(super) fn hard(known: &Scores, frequencies: &[f64]) -> Scores {
    let entropy = |shares: &[f64]| -shares.iter().map(|it| it * libm::log(it + 1e-12)).sum::<f64>();
    let most = entropy(frequencies).max(1e-12);
    known.clone().mapped(|_, row| {
        let worth_saying = entropy(row) < (1.0 - WORTH_SAYING) * most;
        let best = (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]).then(b.cmp(&a)));
        row.iter_mut().for_each(|it| *it = 0.0);
        if let Some(best) = best.filter(|_| worth_saying) {
            row[best] = 1.0;
        }
    })
}

/// Learns to read rows together with what they say about their nodes.
fn read(received: &Received, state: &State, labels: &[Evidence]) -> Reading {
    let before = state.now.logarithms();
    let mut reading = Reading::learn(received, &weighed(before.posteriors(), labels));
    for _ in 1..PASSES {
        let likelihoods = reading.likelihoods(received, before.classes());
        let mut beliefs = before.clone();
        for (&node, likelihood) in received.nodes.iter().zip(&likelihoods) {
            beliefs.row_mut(node).iter_mut().zip(likelihood).for_each(|(it, likely)| *it += USUAL_WEIGHT * likely);
        }
        reading = Reading::learn(received, &weighed(beliefs.posteriors(), labels));
    }
    reading
}
