//! A cascade of users that report bits instead of sums, where ε is so large that few of them are
//! false.
//!
//! A sum of messages says how many neighbours of each class a user has; with little noise it says
//! no more at a larger ε. Bits ([`edge_flip`](veil_privacy::protocol::edge_flip): randomised
//! response about each node before the user in the public list, or about all) then say *who* the
//! neighbours are, so that the server can hear both ends of an edge and what is behind it.
//!
//! 1. **Before**: what features say (the stack without edges) or, without features, how frequent
//!    the classes are; and training labels.
//! 2. **Links** (`links`): belief propagation along the reported pairs.
//! 3. **A network** on features that are averaged over two hops along the links, each weighted with
//!    the probability that it is an edge.
//! 4. **Combination** of all of them, by weights that are fitted on validation labels. Where links
//!    say nothing, the weights are those of what was believed before.
//! 5. **Self-training** as for rows: a network on features learns from what is believed now, and
//!    the links are read again.
//!
//! Everything after the reports is post-processing.

mod links;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use veil_graph::{Dataset, Features, Graph, Matrix, Part};
use veil_nn::graph::Topology;
use veil_nn::{Messages, Model};
use veil_privacy::protocol::cascade;
use veil_privacy::protocol::{Exact, Protocol};

use self::links::{Chances, Links, Said, Start};
use super::labels::frequencies;
use super::learner::{Learner, Prior};
use super::state::{State, weighed};
use crate::error::LearnError;
use crate::fit::{Fitted, ReportedLabels, Watch, fit_without_edges};
use crate::learn::{TrainingData, TrainingView};
use crate::method::edge_free::combine::Combination;
use crate::method::edge_free::scores::Scores;
use crate::method::edge_free::stack::{Stack, Trainer};
use crate::method::edge_free::views::{View, Views};
use crate::method::lpgnet::bayes::Evidence;

/// Hops of the network along the links.
const HOPS: usize = 2;
/// Scores that are combined: before, and four for each start or, with features, a network.
const PARTS: [usize; 2] = [9, 6];

/// What was learned, besides the networks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Memory {
    /// What features say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stack: Option<Along>,
    /// What is believed before the links, if self-training changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prior: Option<Prior>,
    /// How frequent each class is, where no features are released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    frequencies: Option<Vec<f64>>,
    /// Weights of what is combined.
    links: Combination,
}

/// The stack, and the network that reads features along links.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Along {
    stack: Stack,
    view: View,
    network: usize,
}

impl Memory {
    /// Whether it can read links of so many classes.
    pub fn fits(&self, classes: usize) -> bool {
        let begins = match (&self.stack, &self.frequencies) {
            (Some(along), None) => along.stack.fits(usize::MAX, classes),
            (None, Some(frequencies)) => {
                frequencies.len() == classes && frequencies.iter().all(|it| (0.0..=1.0).contains(it))
            }
            _ => false,
        };
        let prior = self.prior.as_ref().is_none_or(|it| it.combination.fits(2, classes));
        begins && prior && self.links.fits(PARTS[usize::from(self.stack.is_some())], classes)
    }
}

/// What a release of bits says about how they were drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bits {
    chances: Chances,
    /// Whether both ends have a bit.
    both: bool,
}

impl Bits {
    /// Those of a protocol, if it reports bits.
    pub fn of(protocol: &dyn Protocol, heard: cascade::Heard) -> Option<Bits> {
        let Exact::Bits([[_, flip], [_, keep]]) = protocol.exact() else { return None };
        let both = heard == cascade::Heard::All;
        // Two bits that are drawn one by one.
        let of = |chance: f64| if both { chance * chance } else { chance };
        Some(Bits { chances: Chances { edge: of(keep.to_f64()), other: of(flip.to_f64()) }, both })
    }

    /// How many false links a node of so many is expected to have.
    pub fn false_links(&self, nodes: u32) -> f64 {
        f64::from(nodes) * self.chances.other
    }
}

impl Learner<'_> {
    /// Learns from reported bits.
    pub fn learn_from_bits(
        &self,
        data: &mut TrainingData<'_, '_>,
        bits: Bits,
        watch: Watch<'_>,
    ) -> Result<(Vec<Fitted>, Memory), LearnError> {
        let ranges = data.ranges();
        let TrainingData { graphs, joined, labels, .. } = data;
        let (training, validation) = (labels.evidence(joined, Part::Train), labels.evidence(joined, Part::Val));
        if validation.is_empty() {
            return Err(LearnError::NoValidationLabels);
        }
        let reports: Vec<&Graph> = graphs.iter().map(|graph| graph.released.data().graph()).collect();
        let heard = Heard { links: Links::of(&reports, bits.both), training, bits };
        let (networks, memory, answers) = match joined.features() {
            Some(_) => self.with_features(joined, labels, &heard, &validation, watch)?,
            None => {
                let frequencies = frequencies(&heard.training, labels.classes());
                // The edge-free twin: without features a network learns how frequent each class is.
                let nothing = Features::Dense(Matrix::zeros(joined.nodes() as usize, 1));
                let description = self.network.description();
                let network = fit_without_edges(description, &nothing, labels, self.training, self.seed, watch)?;
                let (_, parts) = heard
                    .parts(&Scores::alike(joined.nodes() as usize, &frequencies), &[Start::Alike, Start::Believed]);
                let links = combined(&parts, &validation, self.stack.class_bias);
                let answers = links.apply(&parts.iter().collect::<Vec<_>>());
                (vec![network], Memory { stack: None, prior: None, frequencies: Some(frequencies), links }, answers)
            }
        };
        let answers = weighed(answers.posteriors(), &heard.training);
        for (graph, range) in graphs.iter_mut().zip(ranges) {
            graph.released.believe(answers.slice(range).to_matrix());
        }
        Ok((networks, memory))
    }

    fn with_features(
        &self,
        joined: &Dataset,
        labels: &ReportedLabels,
        heard: &Heard,
        validation: &[Evidence],
        watch: Watch<'_>,
    ) -> Result<(Vec<Fitted>, Memory, Scores), LearnError> {
        let biased = self.stack.class_bias;
        let views = Views::of(joined, labels.training(), self.stack.neighbours)?;
        let trainer = Trainer { network: self.network, training: self.training, labels, seed: self.seed };
        let (mut networks, stack, scores) = trainer.stack(&views, validation, biased, &mut *watch)?;
        let view = stack.members.first().ok_or(LearnError::NoNetwork)?.view;
        let (said, mut parts) = heard.parts(&scores, &[Start::Believed]);
        let topology = along(&heard.links, &said)?;
        let (fitted, _) = trainer.best(&views.along(view, &topology, HOPS)?, &mut *watch)?;
        let of_network = views.logarithms_along(view, &topology, HOPS, &fitted.chosen)?;
        let along_links = networks.len();
        networks.push(fitted);
        parts.push(of_network.clone());
        let mut links = combined(&parts, validation, biased);
        let mut answers = links.apply(&parts.iter().collect::<Vec<_>>());
        let member = views.self_trained(view);
        let material = if self.self_training > 0 { Some(views.material(member)?) } else { None };
        let mut state = State::new(&scores, heard.training.clone());
        state.done.fill(true);
        let mut prior = None;
        for _ in 0..self.self_training {
            let Some(material) = &material else { break };
            state.now = answers;
            let fitted = self.self_trained(material, &state, labels, validation, &mut *watch)?;
            let own = views.logarithms(member, &fitted.chosen)?;
            let combination = Combination::fitted(vec![0, 1], &[&state.stack, &own], validation, biased);
            let improved = combination.apply(&[&state.stack, &own]);
            prior = Some(Prior { network: along_links + 1, member, combination });
            networks.truncate(along_links + 1);
            networks.push(fitted);
            let (_, mut parts) = heard.parts(&improved, &[Start::Believed]);
            parts.push(of_network.clone());
            links = combined(&parts, validation, biased);
            answers = links.apply(&parts.iter().collect::<Vec<_>>());
        }
        let stack = Some(Along { stack, view, network: along_links });
        Ok((networks, Memory { stack, prior, frequencies: None, links }, answers))
    }

    /// Reads the bits of another graph, as was learned.
    pub fn infer_from_bits(
        &self,
        memory: &Memory,
        networks: &[Model],
        graph: &mut TrainingView<'_, '_>,
        bits: Bits,
    ) -> Result<(), LearnError> {
        let data: Dataset = graph.released.data().clone();
        // Nothing distinguishes the nodes of a graph without labels and features.
        let Along { stack, view, network } = memory.stack.as_ref().ok_or(LearnError::NoFeatures)?;
        let hops = stack.hops() || memory.prior.as_ref().is_some_and(|it| it.member.hops > 0);
        let views = Views::of(&data, 0, hops)?;
        let heard = Heard { links: Links::of(&[data.graph()], bits.both), training: Vec::new(), bits };
        let before = stack.scores(&views, networks)?;
        let (said, mut parts) = heard.parts(&before, &[Start::Believed]);
        let network = networks.get(*network).ok_or(LearnError::NoNetwork)?;
        let of_network = views.logarithms_along(*view, &along(&heard.links, &said)?, HOPS, network)?;
        if let Some(prior) = &memory.prior {
            let own = networks.get(prior.network).ok_or(LearnError::NoNetwork)?;
            let own = views.logarithms(prior.member, own)?;
            let improved = prior.combination.apply(&[&before.logarithms(), &own]);
            (_, parts) = heard.parts(&improved, &[Start::Believed]);
        }
        parts.push(of_network);
        let answers = memory.links.apply(&parts.iter().collect::<Vec<_>>());
        graph.released.believe(answers.posteriors().to_matrix());
        Ok(())
    }
}

/// Reported pairs, how they were drawn, and what is known of training labels.
struct Heard {
    links: Links,
    training: Vec<Evidence>,
    bits: Bits,
}

impl Heard {
    /// What links say, and the scores that are combined: what was believed before, and what links
    /// say from each start. The links are those of the last.
    fn parts(&self, before: &Scores, starts: &[Start]) -> (Said, Vec<Scores>) {
        let known = logarithms(weighed(before.posteriors(), &self.training));
        let mut parts = vec![before.logarithms()];
        let mut read = |start: &Start| {
            let said = self.links.read(&known, *start, self.bits.chances);
            let [sums, one, two] = self.links.averages(&said.beliefs, &said.edge);
            parts.extend([said.likelihoods.clone(), sums, one, two]);
            said
        };
        let said = starts.iter().map(&mut read).last().unwrap_or_else(|| read(&Start::Believed));
        (said, parts)
    }
}

/// ln of probabilities, none of which is impossible.
fn logarithms(probabilities: Scores) -> Scores {
    const IMPOSSIBLE: f64 = 1e-12;
    probabilities.mapped(|_, row| row.iter_mut().for_each(|it| *it = libm::log(it.max(IMPOSSIBLE))))
}

fn along(links: &Links, said: &Said) -> Result<Arc<Topology>, LearnError> {
    Ok(Arc::new(Topology::new(Messages::weighted_with_loops(&links.weighted(&said.edge))?)))
}

fn combined(parts: &[Scores], validation: &[Evidence], biased: bool) -> Combination {
    Combination::grown(&parts.iter().collect::<Vec<_>>(), validation, biased)
}
