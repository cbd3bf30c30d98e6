//! The batches of a cascade: order, messages, rows, readout, self-training.

use serde::{Deserialize, Serialize};
use veil_graph::{NodeId, Part};
use veil_nn::Model;
use veil_privacy::ReleaseError;
use veil_privacy::protocol::cascade::{Messages, Order, STEPS};
use veil_privacy::release::Question;

use super::readout::{Reading, Received};
use crate::error::LearnError;
use crate::fit::{Fitted, ReportedLabels, Watch};
use crate::learn::{TrainingData, TrainingView};
use crate::method::edge_free::StackParams;
use crate::method::edge_free::combine::Combination;
use crate::method::edge_free::scores::Scores;
use crate::method::edge_free::stack::{Stack, Trainer};
use crate::method::edge_free::views::{Material, Member, Views};
use crate::method::lpgnet::bayes::Evidence;
use crate::parameters::{Mlp, Training};

/// The weight of a believed class in self-training, beside 1 for a training label.
const BELIEVED: f32 = 0.7;
/// Epochs of self-training, as a share of those of the stack.
const EPOCHS: f64 = 0.6;
/// From so many labels on self-training needs less weight decay.
const MANY_LABELS: usize = 3000;
/// The smallest scale by which rows are divided.
const LEAST_SCALE: f64 = 0.1;

/// Everything that a cascade needs besides its release.
pub(super) struct Learner<'a> {
    pub network: &'a Mlp,
    pub training: &'a Training,
    pub self_training: u32,
    pub stack: &'a StackParams,
    pub batches: u32,
    /// The scale of the noise, in messages.
    pub scale: f64,
    pub seed: u64,
}

/// What was learned, besides the networks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Memory {
    stack: Stack,
    batches: Vec<Batch>,
}

/// How one batch is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Batch {
    /// What is believed before the rows, if self-training changed it.
    prior: Option<Prior>,
    reading: Reading,
    /// Weights of belief, likelihood and two forms of the row itself.
    combination: Combination,
}

/// The stack and a network that learned from what was believed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Prior {
    network: usize,
    member: Member,
    combination: Combination,
}

impl Memory {
    /// Whether a network reads neighbours of features.
    fn hops(&self) -> bool {
        let prior = |batch: &Batch| batch.prior.as_ref().is_some_and(|it| it.member.hops > 0);
        self.stack.hops() || self.batches.iter().any(prior)
    }

    /// Whether it can read so many batches and classes.
    pub fn fits(&self, batches: usize, classes: usize) -> bool {
        let prior = |it: &Prior| it.combination.fits(2, classes);
        let fits = |it: &Batch| {
            it.prior.as_ref().is_none_or(prior) && it.reading.fits(classes) && it.combination.fits(4, classes)
        };
        self.stack.fits(usize::MAX, classes) && self.batches.len() == batches && self.batches.iter().all(fits)
    }
}

/// What is known and believed about all nodes, while batches are read.
struct State {
    /// Nodes whose classes the public knows something about, ascending.
    labels: Vec<Evidence>,
    /// ln P(class) by the stack.
    stack: Scores,
    /// What is believed before rows.
    prior: Scores,
    /// What is believed now.
    now: Scores,
    /// What the rows of earlier nodes said: the likelihood, and two forms of the row itself.
    said: [Scores; 3],
    done: Vec<bool>,
}

impl State {
    fn new(stack: &Scores, labels: Vec<Evidence>) -> State {
        let nodes = stack.nodes();
        let none = Scores::zeros(nodes, stack.classes());
        let logarithms = stack.logarithms();
        State {
            labels,
            stack: logarithms.clone(),
            prior: logarithms,
            now: stack.clone(),
            said: [none.clone(), none.clone(), none],
            done: vec![false; nodes],
        }
    }

    /// Probabilities of the classes, with what is known of labels.
    fn known(&self) -> Scores {
        let mut posteriors = self.now.posteriors();
        for Evidence { node, likelihood } in &self.labels {
            let row = posteriors.row_mut(*node);
            row.iter_mut().zip(likelihood).for_each(|(p, likely)| *p *= likely);
            let sum: f64 = row.iter().sum();
            match sum > 0.0 {
                true => row.iter_mut().for_each(|it| *it /= sum),
                false => row.copy_from_slice(likelihood),
            }
        }
        posteriors
    }

    /// What is believed about nodes without rows is what is believed before rows.
    fn believe(&mut self, prior: Scores) {
        for node in (0..self.done.len()).filter(|&node| !self.done[node]) {
            self.now.row_mut(node).copy_from_slice(prior.row(node));
        }
        self.prior = prior.logarithms();
    }

    /// Takes in what rows say.
    fn hear(&mut self, received: &Received, reading: &Reading) {
        let classes = self.now.classes();
        let scale = received.scale.max(LEAST_SCALE);
        let likelihoods = reading.likelihoods(received, classes);
        for (place, (&node, likelihood)) in received.nodes.iter().zip(&likelihoods).enumerate() {
            self.done[node] = true;
            self.said[0].row_mut(node).copy_from_slice(likelihood);
            let mut row = vec![0.0; classes];
            received.spread(place, &mut row);
            let all: f64 = row.iter().map(|it| it.abs()).sum::<f64>().max(3.0 * scale + 1.0);
            let both = self.said[1].row_mut(node).iter_mut().zip(&row);
            both.for_each(|(out, it)| *out = libm::asinh(it / (2.0 * scale)));
            self.said[2].row_mut(node).iter_mut().zip(&row).for_each(|(out, it)| *out = it / all);
        }
    }

    fn parts(&self) -> [&Scores; 4] {
        let [likelihood, size, share] = &self.said;
        [&self.prior, likelihood, size, share]
    }

    /// Combines belief and rows for these nodes.
    fn conclude(&mut self, nodes: &[usize], combination: &Combination) {
        let combined = combination.apply(&self.parts());
        nodes.iter().for_each(|&node| self.now.row_mut(node).copy_from_slice(combined.row(node)));
    }
}

impl Learner<'_> {
    pub fn learn(
        &self,
        data: &mut TrainingData<'_, '_>,
        watch: Watch<'_>,
    ) -> Result<(Vec<Fitted>, Memory), LearnError> {
        let ranges = data.ranges();
        let TrainingData { graphs, joined, labels, .. } = data;
        let views = Views::of(joined, labels.training(), self.stack.neighbours)?;
        let (training, validation) = (labels.evidence(joined, Part::Train), labels.evidence(joined, Part::Val));
        if validation.is_empty() {
            return Err(LearnError::NoValidationLabels);
        }
        let trainer = Trainer { network: self.network, training: self.training, labels, seed: self.seed };
        let (mut networks, stack, scores) = trainer.stack(&views, &validation, self.stack.class_bias, &mut *watch)?;
        let member = views.self_trained(stack.members.first().ok_or(LearnError::NoNetwork)?.view);
        let material = if self.self_training > 0 { Some(views.material(member)?) } else { None };
        let mut state = State::new(&scores, training);
        let mut batches = Vec::new();
        let orders: Vec<Order> = graphs
            .iter()
            .zip(&ranges)
            .map(|(graph, range)| self.order(graph, &state, range.start))
            .collect::<Result<_, LearnError>>()?;
        for batch in 0..self.batches {
            let mut received = Received::new(self.scale);
            for ((graph, order), range) in graphs.iter_mut().zip(&orders).zip(&ranges) {
                self.ask(graph, order, batch, &state.known(), range.start, &mut received)?;
            }
            let mut prior: Option<Prior> = None;
            let mut network: Option<Fitted> = None;
            let mut round = 0;
            let (reading, combination) = loop {
                let reading = Reading::learn(&received, &state.known());
                state.hear(&received, &reading);
                let heard: Vec<Evidence> = validation.iter().filter(|it| state.done[it.node]).cloned().collect();
                let choices: Vec<Vec<usize>> = (1..=4).map(|parts| (0..parts).collect()).collect();
                let combination = Combination::chosen(&choices, &state.parts(), &heard, self.stack.class_bias);
                state.conclude(&received.nodes, &combination);
                let Some(material) = material.as_ref().filter(|_| round < self.self_training) else {
                    break (reading, combination);
                };
                round += 1;
                let fitted = self.self_trained(material, &state, labels, &validation, &mut *watch)?;
                let own = views.logarithms(member, &fitted.chosen)?;
                let weights =
                    Combination::fitted(vec![0, 1], &[&state.stack, &own], &validation, self.stack.class_bias);
                state.believe(weights.apply(&[&state.stack, &own]));
                prior = Some(Prior { network: networks.len(), member, combination: weights });
                network = Some(fitted);
            };
            networks.extend(network);
            batches.push(Batch { prior, reading, combination });
        }
        let answers = state.known();
        for (graph, range) in graphs.iter_mut().zip(ranges) {
            graph.released.believe(answers.slice(range).to_matrix());
        }
        Ok((networks, Memory { stack, batches }))
    }

    /// Asks for the rows of another graph, and reads them as was learned.
    pub fn infer(
        &self,
        memory: &Memory,
        networks: &[Model],
        graph: &mut TrainingView<'_, '_>,
    ) -> Result<(), LearnError> {
        let data = graph.released.data().clone();
        let views = Views::of(&data, 0, memory.hops())?;
        let mut state = State::new(&memory.stack.scores(&views, networks)?, Vec::new());
        let order = self.order(graph, &state, 0)?;
        for (number, batch) in (0..).zip(&memory.batches) {
            let mut received = Received::new(self.scale);
            self.ask(graph, &order, number, &state.known(), 0, &mut received)?;
            if let Some(Prior { network, member, combination }) = &batch.prior {
                let network = networks.get(*network).ok_or(LearnError::NoNetwork)?;
                let own = views.logarithms(*member, network)?;
                state.believe(combination.apply(&[&state.stack, &own]));
            }
            state.hear(&received, &batch.reading);
            state.conclude(&received.nodes, &batch.combination);
        }
        graph.released.believe(state.known().to_matrix());
        Ok(())
    }

    /// Nodes whose class is known, then the others, the most certain first. The order of a release is
    /// that of its first batch.
    fn order(&self, graph: &TrainingView<'_, '_>, state: &State, start: usize) -> Result<Order, LearnError> {
        if let Some(order) = graph.released.cascade().and_then(|it| it.order()) {
            return Ok(order.clone());
        }
        let nodes = graph.released.data().nodes();
        let certain = |it: &&Evidence| it.likelihood.iter().filter(|&&likely| likely > 0.0).count() == 1;
        let mut sender = vec![false; nodes as usize];
        for label in state.labels.iter().filter(certain) {
            if let Some(sender) = label.node.checked_sub(start).and_then(|node| sender.get_mut(node)) {
                *sender = true;
            }
        }
        let known = state.known();
        let certainty = |node: NodeId| {
            let row = known.row(start + node as usize);
            row.iter().copied().fold(0.0, f64::max)
        };
        let mut sequence: Vec<NodeId> = (0..nodes).filter(|&node| sender[node as usize]).collect();
        let senders = sequence.len();
        let mut others: Vec<(f64, NodeId)> =
            (0..nodes).filter(|&node| !sender[node as usize]).map(|node| (certainty(node), node)).collect();
        others.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        sequence.extend(others.into_iter().map(|(_, node)| node));
        Order::new(sequence, senders, self.batches).map_err(|error| ReleaseError::from(error).into())
    }

    /// The rows of a batch: asked for, or those of the release.
    fn ask(
        &self,
        graph: &mut TrainingView<'_, '_>,
        order: &Order,
        batch: u32,
        known: &Scores,
        start: usize,
        received: &mut Received,
    ) -> Result<(), LearnError> {
        let there = |graph: &TrainingView<'_, '_>| graph.released.cascade().map_or(0, |it| it.batches().len());
        if there(graph) <= batch as usize {
            let nodes = start..start + order.nodes();
            let messages = Messages::of(&known.slice(nodes).to_matrix(), STEPS);
            if !graph.request(Question::Batch { order, messages: &messages })? {
                return Err(LearnError::NoRows);
            }
        }
        let rows = graph.released.cascade().and_then(|it| it.batches().get(batch as usize));
        let nodes = order.batch(batch).iter().map(|&node| start + node as usize);
        received.add(nodes, rows.ok_or(LearnError::NoRows)?, STEPS);
        Ok(())
    }

    /// A network that learns from labels and from what is believed about nodes with rows.
    fn self_trained(
        &self,
        material: &Material,
        state: &State,
        labels: &ReportedLabels,
        validation: &[Evidence],
        watch: Watch<'_>,
    ) -> Result<Fitted, LearnError> {
        let known = state.known();
        let mut weight = vec![0.0_f32; known.nodes()];
        state.done.iter().zip(&mut weight).filter(|(done, _)| **done).for_each(|(_, weight)| *weight = BELIEVED);
        validation.iter().for_each(|label| weight[label.node] = 0.0);
        state.labels.iter().for_each(|label| weight[label.node] = 1.0);
        let wanted = (0..known.nodes()).filter(|&node| weight[node] > 0.0).map(|node| {
            let row = known.row(node).iter().map(|&it| it as f32 * weight[node]);
            (node as NodeId, row.collect())
        });
        let wanted: Vec<(NodeId, Vec<f32>)> = wanted.collect();
        let many = labels.training() >= MANY_LABELS;
        let weight_decay = self.training.weight_decay * if many { 1.0 } else { 10.0 };
        let epochs = ((self.training.epochs as f64 * EPOCHS) as usize).max(1);
        let training = Training { epochs, ..self.training.clone() };
        let seed = self.seed.wrapping_add(1);
        let trainer = Trainer { network: self.network, training: &training, labels, seed };
        trainer.one(material, Some(&wanted), (self.network.dropout, weight_decay), watch)
    }
}
