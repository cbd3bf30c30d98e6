//! The release of edges: as reported lists, as a noisy graph, as degree vectors, as the rows of a
//! cascade, unperturbed, or not. Moments of whole nodes are released in their place.

use std::collections::VecDeque;
use std::sync::Arc;

use veil_graph::{Dataset, Features, Graph, Labels};

use super::features::raw_guarantee;
use super::figures::{Figures, Transcript};
use super::{Privatised, ReleaseError};
use crate::central::moments::Adjacency;
use crate::central::{self, ExactGraph, GraphMechanism, Moments, NeighbourSums, neighbour_sums};
use crate::coins::{Inputs, Stream};
use crate::fault::{self, Fault};
use crate::guarantee::{Guarantee, Unit};
use crate::permit::Permit;
use crate::protocol::cascade::{self, Extension, Messages, Order};
use crate::protocol::degree_vectors::{self, Counts};
use crate::protocol::{Cascade, DegreeVectors, Protocol, ProtocolError, Reports, Traffic};
use crate::seal::{Private, Public, Released};

/// The width of messages that is assumed where space is reserved.
const USUAL_WIDTH: u64 = 64;

/// The release of the edges.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum EdgePlan {
    /// Not released.
    #[default]
    Withheld,
    /// Unperturbed (ε = inf).
    Raw,
    /// Every node's list, by a local protocol.
    Lists(Arc<dyn Protocol>),
    /// The whole graph, by its owner.
    Graph(Arc<dyn GraphMechanism>),
    /// Every node's noisy numbers of neighbours per cluster, round by round.
    Vectors(DegreeVectors),
    /// Every node's noisy sum of messages from earlier neighbours, batch by batch.
    Cascade(Cascade),
    /// Every node's noisy sum of its neighbours' messages, hop by hop.
    Sums(NeighbourSums),
    /// Noisy moments of whole nodes. Nothing else leaves, no node and no edge.
    Moments(Moments),
}

/// The released edges.
pub(super) enum ReleasedEdges<'a> {
    /// As lists, and figures that users reported beside them.
    Lists(Released<Graph>, Option<Box<Released<Figures>>>),
    /// As figures alone, some of which may follow in rounds.
    Figures(Box<Released<Figures>>, Rounds<'a>),
}

impl EdgePlan {
    /// Checks, before anything is charged, that required data are released and have the right size.
    pub(super) fn check(&self, public: &Public<'_>, features: bool, labels: bool) -> Result<(), ReleaseError> {
        let data = || public.name.to_owned();
        match self {
            EdgePlan::Moments(_) if features || labels => Err(ReleaseError::BesideNodes),
            EdgePlan::Moments(_) if public.dimensions.is_none() => Err(ReleaseError::NoFeatures { data: data() }),
            EdgePlan::Moments(_) if public.classes.is_none() => Err(ReleaseError::NoLabels { data: data() }),
            EdgePlan::Moments(_) if public.split.is_none() => Err(ReleaseError::NoSplit { data: data() }),
            EdgePlan::Graph(mechanism) => Ok(mechanism.fits(public.nodes)?),
            // Counted per predicted class: no other release is required.
            EdgePlan::Vectors(vectors) if !vectors.begins_with_labels() => Ok(()),
            // One cluster for each class, and one for nodes without a label.
            EdgePlan::Vectors(vectors) if vectors.clusters() <= public.classes.unwrap_or(0) => {
                let (clusters, cluster) = (vectors.clusters(), public.classes.unwrap_or(0));
                Err(ProtocolError::NoSuchCluster { node: 0, cluster, clusters }.into())
            }
            EdgePlan::Lists(protocol) if protocol.compares_features() && !features => {
                Err(ReleaseError::NeedsFeatures { protocol: protocol.name() })
            }
            EdgePlan::Lists(protocol) => Ok(protocol.fits(public.nodes)?),
            EdgePlan::Vectors(_) if !labels => Err(ReleaseError::NeedsLabels),
            _ => Ok(()),
        }
    }

    /// The guarantees.
    pub fn guarantees(&self) -> Vec<Guarantee> {
        match self {
            EdgePlan::Withheld => Vec::new(),
            EdgePlan::Raw => vec![raw_guarantee(Unit::Edge)],
            EdgePlan::Lists(protocol) => protocol.guarantees(),
            EdgePlan::Graph(mechanism) => mechanism.guarantees(),
            EdgePlan::Vectors(vectors) => vectors.guarantees(),
            EdgePlan::Cascade(cascade) => cascade.guarantees(),
            EdgePlan::Sums(sums) => sums.guarantees(),
            EdgePlan::Moments(moments) => moments.guarantees(),
        }
    }

    /// The same for the nodes that were added since an earlier release.
    ///
    /// # Errors
    /// If it counts edges more than once, so that it cannot be extended.
    pub fn extending(self, extension: Extension) -> Result<EdgePlan, ReleaseError> {
        let EdgePlan::Cascade(cascade) = self else { return Err(ReleaseError::NotExtendable) };
        let wrong = |source| ReleaseError::Parameters { what: "an extension", source };
        cascade.extending(extension).map(EdgePlan::Cascade).map_err(wrong)
    }

    /// Whether some of it answers questions that are made from predictions.
    pub fn needs_predictions(&self) -> bool {
        match self {
            EdgePlan::Vectors(vectors) => vectors.rounds() > 1 || vectors.unit() == Unit::Edge,
            EdgePlan::Cascade(_) | EdgePlan::Sums(_) => true,
            EdgePlan::Withheld | EdgePlan::Raw | EdgePlan::Lists(_) | EdgePlan::Graph(_) | EdgePlan::Moments(_) => {
                false
            }
        }
    }

    /// Whether whole nodes are protected: then nothing is released about any of them.
    pub fn protects_nodes(&self) -> bool {
        matches!(self, EdgePlan::Moments(_))
    }

    /// Whether adjacent inputs have different numbers of nodes.
    pub(super) fn counts_nodes(&self) -> bool {
        matches!(self, EdgePlan::Moments(moments) if moments.params().adjacency == Adjacency::Added)
    }

    /// The number of rounds or batches, each with coins of its own.
    fn rounds(&self) -> u32 {
        match self {
            EdgePlan::Vectors(vectors) => vectors.rounds(),
            EdgePlan::Cascade(cascade) => cascade.params().batches,
            EdgePlan::Sums(sums) => sums.params().hops,
            EdgePlan::Moments(_) => central::moments::ROUNDS,
            _ => 1,
        }
    }

    /// About how many entries the released edges have.
    pub(super) fn entries(&self, raw: &Dataset) -> u64 {
        let (nodes, entries) = (u64::from(raw.nodes()), raw.graph().entries() as u64);
        match self {
            EdgePlan::Withheld => 0,
            EdgePlan::Raw | EdgePlan::Lists(_) => entries,
            EdgePlan::Graph(mechanism) => match mechanism.exact() {
                // Cells without an edge that become one.
                ExactGraph::Cells([[_, added], _]) => entries + (added.to_f64() * (nodes * nodes / 2) as f64) as u64,
                ExactGraph::LapGraph(_) => entries,
            },
            EdgePlan::Vectors(vectors) => nodes * u64::from(vectors.clusters()) * u64::from(vectors.rounds()),
            // Rows, the classes of their pairs, and beliefs.
            EdgePlan::Cascade(cascade) => 3 * nodes * u64::from(cascade.params().classes),
            // The width of messages is chosen by whoever asks.
            EdgePlan::Sums(sums) => nodes * u64::from(sums.params().hops) * USUAL_WIDTH,
            EdgePlan::Moments(moments) => {
                let columns = raw.features().map_or(0, |features| features.columns() as u64);
                columns.min(moments.params().dimensions.into()).saturating_pow(2) / 2
            }
        }
    }

    /// Draws every node's report under the permitted guarantees. Degree vectors follow later, in
    /// rounds.
    pub(super) fn release<'a>(
        &self,
        data: &'a Private<Dataset>,
        promised: &[Guarantee],
        features: Option<&Released<Features>>,
        permit: &mut Permit,
    ) -> Result<(Option<ReleasedEdges<'a>>, Traffic), ReleaseError> {
        let rounds = self.rounds();
        if *self == EdgePlan::Withheld {
            return Ok((None, Traffic::default()));
        }
        let inputs = match (self, features) {
            (EdgePlan::Lists(protocol), Some(features)) if protocol.compares_features() => {
                Inputs::of().with_features(features.value()).digest()
            }
            _ => Inputs::none(),
        };
        let (guarantees, mut streams) = permit.redeem(data, promised, inputs, rounds)?;
        let graph = data.open().graph();
        let (lists, traffic) = match self {
            EdgePlan::Withheld | EdgePlan::Raw => (graph.clone(), Traffic::default()),
            EdgePlan::Vectors(vectors) => {
                let rounds = Rounds::new(data, permit, Counted::Vectors(*vectors), streams);
                let figures = Figures { vectors: Some(Vec::new()), ..Figures::default() };
                let edges = ReleasedEdges::Figures(Box::new(Released::new(figures, guarantees)), rounds);
                return Ok((Some(edges), Traffic::default()));
            }
            EdgePlan::Cascade(cascade) => {
                let rounds = Rounds::new(data, permit, Counted::Cascade { cascade: *cascade, order: None }, streams);
                let figures = Figures { cascade: Some(Transcript::default()), ..Figures::default() };
                let edges = ReleasedEdges::Figures(Box::new(Released::new(figures, guarantees)), rounds);
                return Ok((Some(edges), Traffic::default()));
            }
            EdgePlan::Sums(sums) => {
                let rounds = Rounds::new(data, permit, Counted::Sums(*sums), streams);
                let figures = Figures { sums: Some(Vec::new()), ..Figures::default() };
                let edges = ReleasedEdges::Figures(Box::new(Released::new(figures, guarantees)), rounds);
                return Ok((Some(edges), Traffic::default()));
            }
            EdgePlan::Moments(moments) => {
                let found = moments.release(data.open(), streams.make_contiguous())?;
                let figures = Figures { moments: Some(found), ..Figures::default() };
                let edges = ReleasedEdges::Figures(Box::new(Released::new(figures, guarantees)), Rounds::none(data));
                return Ok((Some(edges), Traffic::default()));
            }
            EdgePlan::Graph(mechanism) => {
                let stream = streams.pop_front().ok_or(ReleaseError::NoRoundLeft { rounds })?;
                (mechanism.run(graph, &stream)?, Traffic::default())
            }
            EdgePlan::Lists(protocol) => {
                let stream = streams.pop_front().ok_or(ReleaseError::NoRoundLeft { rounds })?;
                let Reports { lists, degrees, traffic } =
                    protocol.run(graph, features.map(Released::value), &stream)?;
                let figures = degrees.map(|degrees| Figures { degrees: Some(degrees), ..Figures::default() });
                let figures = figures.map(|figures| Box::new(Released::new(figures, guarantees.clone())));
                return Ok((Some(ReleasedEdges::Lists(Released::new(lists, guarantees), figures)), traffic));
            }
        };
        Ok((Some(ReleasedEdges::Lists(Released::new(lists, guarantees), None)), traffic))
    }
}

/// The remaining rounds of degree vectors, or batches of a cascade. A caller passes clusters or
/// messages computed from released data and receives noisy numbers; nothing else leaves the seal.
#[derive(Debug)]
pub struct Rounds<'a> {
    data: &'a Private<Dataset>,
    /// The release to which they belong.
    release: String,
    counted: Counted,
    streams: VecDeque<Stream>,
}

/// What is counted.
#[derive(Debug)]
enum Counted {
    Nothing,
    Vectors(DegreeVectors),
    Sums(NeighbourSums),
    /// The order is fixed by the first batch.
    Cascade {
        cascade: Cascade,
        order: Option<Order>,
    },
}

/// What nodes are asked in a round, computed from released data.
#[derive(Clone, Copy, Debug)]
pub enum Question<'a> {
    /// How many neighbours are in each cluster, given the cluster of every node.
    Clusters(&'a [u32]),
    /// What the neighbours of every node send.
    Hop(&'a neighbour_sums::Messages),
    /// What the earlier neighbours of the nodes of the next batch send.
    Batch {
        /// The order of the nodes.
        order: &'a Order,
        /// The message of every node.
        messages: &'a Messages,
    },
}

impl<'a> Rounds<'a> {
    pub(super) fn none(data: &'a Private<Dataset>) -> Rounds<'a> {
        Rounds { data, release: String::new(), counted: Counted::Nothing, streams: VecDeque::new() }
    }

    fn new(data: &'a Private<Dataset>, permit: &Permit, counted: Counted, streams: VecDeque<Stream>) -> Rounds<'a> {
        Rounds { data, release: permit.release().to_string(), counted, streams }
    }

    /// Whether the first round counts per released label.
    pub(super) fn begins_with_labels(&self) -> bool {
        matches!(&self.counted, Counted::Vectors(vectors) if vectors.begins_with_labels())
    }

    /// The number of remaining rounds or batches.
    pub fn left(&self) -> usize {
        self.streams.len()
    }

    /// One round or batch: every node of it reports its numbers, which are added to the release.
    ///
    /// # Errors
    /// If no round is left, the rounds belong to another release, or the question does not fit the
    /// graph.
    pub fn ask(&mut self, released: &mut Privatised, question: Question<'_>) -> Result<(), ReleaseError> {
        if self.release != released.statement().release {
            return Err(ReleaseError::OtherRelease { asked: released.statement().release.clone() });
        }
        match question {
            Question::Clusters(clusters) => self.counts(released.figures_mut(), clusters),
            Question::Hop(messages) => self.hop(released.figures_mut(), messages),
            Question::Batch { order, messages } => self.batch(released.figures_mut(), order, messages),
        }
    }

    /// Every node counts its neighbours in these clusters.
    fn counts(&mut self, figures: &mut Figures, clusters: &[u32]) -> Result<(), ReleaseError> {
        let Counted::Vectors(vectors) = self.counted else { return Err(ReleaseError::NoRoundLeft { rounds: 0 }) };
        let stream = self.streams.pop_front().ok_or(ReleaseError::NoRoundLeft { rounds: vectors.rounds() })?;
        let truth = || self.data.open().labels().map_or_else(|| clusters.to_vec(), clusters_of);
        let last = fault::is(Fault::LastClustersFromTruth) && self.streams.is_empty();
        let clusters = if last { &truth() } else { clusters };
        let own = || degree_vectors::coins_of(&stream, clusters);
        let shared = fault::is(Fault::RoundsShareCoins) || fault::is(Fault::MechanismsShareCoins);
        let coins = if shared { stream } else { own() };
        let counts: Counts = vectors.round(self.data.open().graph(), clusters, &coins)?;
        figures.vectors.get_or_insert_default().push(counts);
        Ok(())
    }

    /// Every node sums the messages of its neighbours.
    fn hop(&mut self, figures: &mut Figures, messages: &neighbour_sums::Messages) -> Result<(), ReleaseError> {
        let Counted::Sums(sums) = self.counted else { return Err(ReleaseError::NoRoundLeft { rounds: 0 }) };
        let rounds = sums.params().hops;
        let stream = self.streams.front().ok_or(ReleaseError::NoRoundLeft { rounds })?;
        let first = figures.sums.iter().flatten().next().map(Counts::clusters);
        if let Some(width) = first.filter(|&width| width != messages.width()) {
            return Err(ProtocolError::Width { width, found: messages.width() }.into());
        }
        let rows = sums.hop(self.data.open().graph(), messages, stream)?;
        self.streams.pop_front();
        figures.sums.get_or_insert_default().push(rows);
        Ok(())
    }

    /// The next batch of a cascade: its nodes sum the messages of their earlier neighbours. The
    /// first batch fixes the order.
    fn batch(&mut self, figures: &mut Figures, order: &Order, messages: &Messages) -> Result<(), ReleaseError> {
        let graph = self.data.open().graph();
        let Counted::Cascade { cascade, order: fixed } = &mut self.counted else {
            return Err(ReleaseError::NoRoundLeft { rounds: 0 });
        };
        let rounds = cascade.params().batches;
        let left = u32::try_from(self.streams.len()).unwrap_or(0);
        let batch = rounds.checked_sub(left).filter(|_| left > 0).ok_or(ReleaseError::NoRoundLeft { rounds })?;
        let any = fault::is(Fault::OtherOrderAccepted);
        if fixed.as_ref().is_some_and(|fixed| fixed != order && !any) {
            return Err(ReleaseError::OtherOrder);
        }
        let names = self.data.public().names;
        let extends = cascade.extends().filter(|_| !fault::is(Fault::OtherExtensionAccepted));
        if extends.is_some_and(|earlier| !earlier.is_extended_by(order, names)) {
            return Err(ReleaseError::NotExtended);
        }
        let by_degree = || -> Result<Order, ProtocolError> {
            let mut sequence = order.sequence().to_vec();
            sequence.sort_by_key(|&node| std::cmp::Reverse(graph.degree(node)));
            Order::new(sequence, order.senders().len(), order.batches())
        };
        let used = if fault::is(Fault::OrderByDegree) { &by_degree()? } else { order };
        let stream = self.streams.front().ok_or(ReleaseError::NoRoundLeft { rounds })?;
        let coins = cascade::coins_of(stream, used, messages);
        let rows = cascade.batch(graph, used, batch, messages, &coins)?;
        self.streams.pop_front();
        *fixed = Some(order.clone());
        figures.cascade.get_or_insert_default().add(used, rows);
        Ok(())
    }
}

/// The clusters of the first round: released labels, and one more cluster for nodes without a
/// label.
pub fn clusters_of(labels: &Labels) -> Vec<u32> {
    labels.iter().map(|label| label.unwrap_or(labels.classes())).collect()
}
