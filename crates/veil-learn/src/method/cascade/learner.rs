//! The batches of a cascade: order, messages, rows, readout, self-training.

use serde::{Deserialize, Serialize};
use veil_graph::{Dataset, NodeId, Part};
use veil_nn::Model;
use veil_privacy::ReleaseError;
use veil_privacy::protocol::cascade::{Messages, Order, STEPS, carried};
use veil_privacy::release::{Privatised, Question, Transcript};

use super::labels::hard;
use super::readout::{Reading, Received};
use super::state::State;
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
/// The probability of a class that was believed to be impossible.
const SURELY_NOT: f64 = 1e-12;

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
    /// What features say; none if no features are released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stack: Option<Stack>,
    /// How frequent each class is, where no features are released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    frequencies: Option<Vec<f64>>,
    batches: Vec<Batch>,
}

/// How one batch is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Batch {
    /// What is believed before the rows, if self-training changed it.
    pub prior: Option<Prior>,
    pub reading: Reading,
    /// Weights of belief, likelihood and two forms of the row itself.
    pub combination: Combination,
}

/// The stack and a network that learned from what was believed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Prior {
    pub network: usize,
    pub member: Member,
    pub combination: Combination,
}

impl Memory {
    /// Where classes are known by their frequency alone.
    pub fn of_frequencies(frequencies: Vec<f64>, batches: Vec<Batch>) -> Memory {
        Memory { stack: None, frequencies: Some(frequencies), batches }
    }

    /// What is believed about the nodes of a graph before any row.
    fn before(&self, nodes: u32, views: Option<&Views<'_>>, networks: &[Model]) -> Result<Scores, LearnError> {
        match (&self.stack, views, &self.frequencies) {
            (Some(stack), Some(views), _) => stack.scores(views, networks),
            (None, _, Some(frequencies)) => Ok(Scores::alike(nodes as usize, frequencies)),
            _ => Err(LearnError::NoNetwork),
        }
    }

    /// The features of a graph, if they are read, with neighbours if a network reads these.
    fn views<'d>(&self, data: &'d Dataset) -> Result<Option<Views<'d>>, LearnError> {
        let prior = |batch: &Batch| batch.prior.as_ref().is_some_and(|it| it.member.hops > 0);
        let hops = |stack: &Stack| stack.hops() || self.batches.iter().any(prior);
        self.stack.as_ref().map(|stack| Views::of(data, 0, hops(stack))).transpose()
    }

    /// Whether it can read so many batches and classes.
    pub fn fits(&self, batches: usize, classes: usize) -> bool {
        let prior = |it: &Prior| it.member.is_usual() && it.combination.fits(2, classes);
        let fits = |it: &Batch| {
            it.prior.as_ref().is_none_or(prior) && it.reading.fits(classes) && it.combination.fits(4, classes)
        };
        let begins = match (&self.stack, &self.frequencies) {
            (Some(stack), None) => stack.fits(usize::MAX, classes),
            (None, Some(frequencies)) => {
                frequencies.len() == classes && frequencies.iter().all(|it| (0.0..=1.0).contains(it))
            }
            _ => false,
        };
        begins && self.batches.len() == batches && self.batches.iter().all(fits)
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
                ask(graph, order, batch, &state.known(), range.start, &mut received)?;
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
        Ok((networks, Memory { stack: Some(stack), frequencies: None, batches }))
    }

    /// Asks for the rows of another graph, and reads them as was learned.
    pub fn infer(
        &self,
        memory: &Memory,
        networks: &[Model],
        graph: &mut TrainingView<'_, '_>,
    ) -> Result<(), LearnError> {
        let data = graph.released.data().clone();
        if memory.frequencies.is_some() {
            // Nothing distinguishes the nodes of a graph without labels and features.
            return Err(LearnError::NoFeatures);
        }
        let views = memory.views(&data)?;
        let mut state = State::new(&memory.before(data.nodes(), views.as_ref(), networks)?, Vec::new());
        let order = self.order(graph, &state, 0)?;
        for (number, batch) in (0..).zip(&memory.batches) {
            let mut received = Received::new(self.scale);
            ask(graph, &order, number, &state.known(), 0, &mut received)?;
            batch.expect(&mut state, views.as_ref(), networks)?;
            state.hear(&received, &batch.reading);
            state.conclude(&received.nodes, &batch.combination);
        }
        graph.released.believe(state.known().to_matrix());
        Ok(())
    }

    /// Asks for the rows of the nodes that were added since an earlier release, and reads them as
    /// the last batch of the training. What was believed about the nodes of that release stays.
    pub fn extend(
        &self,
        memory: &Memory,
        networks: &[Model],
        graph: &mut TrainingView<'_, '_>,
        earlier: &Privatised,
    ) -> Result<(), LearnError> {
        let data = graph.released.data().clone();
        let order = earlier.cascade().and_then(Transcript::order).ok_or(LearnError::NoRows)?;
        let beliefs = earlier.figures().beliefs.as_ref().ok_or(LearnError::NoBeliefs)?;
        let places = carried(earlier.data().names(), data.names()).map_err(ReleaseError::from)?;
        let views = memory.views(&data)?;
        let mut state = State::new(&memory.before(data.nodes(), views.as_ref(), networks)?, Vec::new());
        let batch = memory.batches.last().ok_or(LearnError::NoRows)?;
        batch.expect(&mut state, views.as_ref(), networks)?;
        for (old, &new) in places.iter().enumerate() {
            // The logarithms of probabilities are scores of these probabilities.
            let row = state.now.row_mut(new as usize);
            row.iter_mut().zip(beliefs.row(old)).for_each(|(out, &it)| *out = libm::log(f64::from(it).max(SURELY_NOT)));
        }
        let known = state.known();
        let mut is_new = vec![true; data.nodes() as usize];
        places.iter().for_each(|&old| is_new[old as usize] = false);
        let new = sorted_by_certainty((0..data.nodes()).filter(|&node| is_new[node as usize]), &known);
        let sequence = order.sequence().iter().map(|&old| places[old as usize]).chain(new).collect();
        let order = Order::new(sequence, places.len(), 1).map_err(ReleaseError::from)?;
        // New rows are read as those of the training are: they have to be of the same messages.
        let said = memory.frequencies.as_ref().map_or_else(|| known.clone(), |it| hard(&known, it));
        let mut received = Received::new(self.scale);
        ask(graph, &order, 0, &said, 0, &mut received)?;
        state.hear(&received, &batch.reading);
        state.conclude(&received.nodes, &batch.combination);
        graph.released.believe(state.known().to_matrix());
        Ok(())
    }

    /// Nodes whose class is known, then the others, the most certain first. The order of a release
    /// is that of its first batch.
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
        let known = known.slice(start..start + nodes as usize);
        let mut sequence: Vec<NodeId> = (0..nodes).filter(|&node| sender[node as usize]).collect();
        let senders = sequence.len();
        sequence.extend(sorted_by_certainty((0..nodes).filter(|&node| !sender[node as usize]), &known));
        Order::new(sequence, senders, self.batches).map_err(|error| ReleaseError::from(error).into())
    }

    /// A network that learns from labels and from what is believed about nodes with rows.
    pub fn self_trained(
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

impl Batch {
    /// What is believed before the rows of this batch.
    fn expect(&self, state: &mut State, views: Option<&Views<'_>>, networks: &[Model]) -> Result<(), LearnError> {
        let (Some(Prior { network, member, combination }), Some(views)) = (&self.prior, views) else { return Ok(()) };
        let network = networks.get(*network).ok_or(LearnError::NoNetwork)?;
        let own = views.logarithms(*member, network)?;
        state.believe(combination.apply(&[&state.stack, &own]));
        Ok(())
    }
}

/// Nodes, the most certain first.
fn sorted_by_certainty(nodes: impl Iterator<Item = NodeId>, known: &Scores) -> Vec<NodeId> {
    let certainty = |node: NodeId| known.row(node as usize).iter().copied().fold(0.0, f64::max);
    let mut sorted: Vec<(f64, NodeId)> = nodes.map(|node| (certainty(node), node)).collect();
    sorted.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    sorted.into_iter().map(|(_, node)| node).collect()
}

/// The rows of a batch: asked for, or those of the release. `said` are the messages of all nodes.
pub(super) fn ask(
    graph: &mut TrainingView<'_, '_>,
    order: &Order,
    batch: u32,
    said: &Scores,
    start: usize,
    received: &mut Received,
) -> Result<(), LearnError> {
    let there = |graph: &TrainingView<'_, '_>| graph.released.cascade().map_or(0, |it| it.batches().len());
    if there(graph) <= batch as usize {
        let nodes = start..start + order.nodes();
        let messages = Messages::of(&said.slice(nodes).to_matrix(), STEPS);
        if !graph.request(Question::Batch { order, messages: &messages })? {
            return Err(LearnError::NoRows);
        }
    }
    let rows = graph.released.cascade().and_then(|it| it.batches().get(batch as usize));
    let nodes = order.batch(batch).iter().map(|&node| start + node as usize);
    received.add(nodes, rows.ok_or(LearnError::NoRows)?, STEPS);
    Ok(())
}
