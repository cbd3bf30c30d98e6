//! The release of edges: as reported lists, as a noisy graph, as degree vectors, as the rows of a
//! cascade, unperturbed, or not.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use veil_graph::write::WriteError;
use veil_graph::{Dataset, Features, Graph, Labels, Matrix};

use super::features::raw_guarantee;
use super::recompute::{NotImplied, Stated};
use super::transcript::{self, Transcript};
use super::{OpenError, Privatised, ReleaseError, vectors};
use crate::central::{ExactGraph, GraphMechanism};
use crate::coins::{Inputs, Stream};
use crate::fault::{self, Fault};
use crate::guarantee::{Guarantee, Unit};
use crate::permit::Permit;
use crate::protocol::cascade::{self, Messages, Order};
use crate::protocol::degree_vectors::{self, Counts};
use crate::protocol::{Cascade, DegreeVectors, Protocol, ProtocolError, Reports, Traffic};
use crate::seal::{Private, Public, Released};

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
}

/// The released edges.
pub(super) enum ReleasedEdges<'a> {
    /// As lists.
    Lists(Released<Graph>),
    /// As figures alone, some of which may follow in rounds.
    Figures(Box<Released<Figures>>, Rounds<'a>),
}

/// What is released of the edges besides lists. A kind of figures is a field; its file in a released
/// folder is known here alone.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Degree vectors, round by round, if such are released.
    pub vectors: Option<Vec<Counts>>,
    /// Rows of a cascade, batch by batch, if such are released.
    pub cascade: Option<Transcript>,
    /// Probabilities of the classes, for each node, that were computed from what was released.
    pub beliefs: Option<Matrix>,
}

impl Figures {
    /// What they are, for the statement.
    pub(super) fn about(&self) -> Option<&'static str> {
        let vectors = self.vectors.as_ref().map(|_| "noisy counts of neighbours per cluster");
        vectors.or_else(|| self.cascade.as_ref().map(|_| "noisy sums of messages from earlier neighbours"))
    }

    /// Writes the files.
    pub(super) fn fill(&self, folder: &Path) -> Result<(), WriteError> {
        let vectors = self.vectors.as_deref().filter(|rounds| !rounds.is_empty());
        put(folder, vectors::FILE, vectors.map(vectors::to_csv))?;
        put(folder, transcript::FILE, self.cascade.as_ref().and_then(transcript::to_csv))?;
        put(folder, transcript::BELIEFS, self.beliefs.as_ref().map(transcript::beliefs_to_csv))
    }

    /// Reads the files of a release of so many nodes.
    pub(super) fn open(folder: &Path, nodes: usize) -> Result<Figures, OpenError> {
        let vectors = get(folder, vectors::FILE, |text| vectors::from_csv(text, nodes))?;
        let cascade = get(folder, transcript::FILE, |text| transcript::from_csv(text, nodes))?;
        let beliefs = get(folder, transcript::BELIEFS, |text| transcript::beliefs_from_csv(text, nodes))?;
        Ok(Figures { vectors, cascade, beliefs })
    }
}

/// Writes a file, if there is something to write.
fn put(folder: &Path, file: &str, text: Option<String>) -> Result<(), WriteError> {
    let path = folder.join(file);
    text.map_or(Ok(()), |text| std::fs::write(&path, text).map_err(WriteError::io(&path)))
}

/// Reads a file, if it exists.
fn get<T>(folder: &Path, file: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, OpenError> {
    let path = folder.join(file);
    if !path.exists() {
        return Ok(None);
    }
    let broken = |problem: String| OpenError::Statement { path: path.clone(), problem };
    let text = std::fs::read_to_string(&path).map_err(|error| broken(error.to_string()))?;
    parse(&text).map(Some).map_err(broken)
}

impl EdgePlan {
    /// Checks, before anything is charged, that required data are released and have the right size.
    pub(super) fn check(&self, public: &Public<'_>, features: bool, labels: bool) -> Result<(), ReleaseError> {
        match self {
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
        }
    }

    /// The number of rounds or batches, each with coins of its own.
    fn rounds(&self) -> u32 {
        match self {
            EdgePlan::Vectors(vectors) => vectors.rounds(),
            EdgePlan::Cascade(cascade) => cascade.params().batches,
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
            EdgePlan::Graph(mechanism) => {
                let stream = streams.pop_front().ok_or(ReleaseError::NoRoundLeft { rounds })?;
                (mechanism.run(graph, &stream)?, Traffic::default())
            }
            EdgePlan::Lists(protocol) => {
                let stream = streams.pop_front().ok_or(ReleaseError::NoRoundLeft { rounds })?;
                let Reports { lists, traffic } = protocol.run(graph, features.map(Released::value), &stream)?;
                (lists, traffic)
            }
        };
        Ok((Some(ReleasedEdges::Lists(Released::new(lists, guarantees))), traffic))
    }
}

/// What mechanism and parameters of a statement imply, if figures are released by that mechanism.
pub(super) fn implied(stated: &Stated<'_>) -> Option<Result<Vec<Guarantee>, NotImplied>> {
    let vectors = || {
        let params = degree_vectors::Params {
            epsilon: stated.read("epsilon")?,
            rounds: stated.read("rounds")?,
            unit: stated.read("unit")?,
            clusters: stated.read("clusters")?,
        };
        Ok(params.check().map_err(|error| stated.refused(error))?.guarantees())
    };
    let rows = || {
        let params = cascade::Params {
            epsilon: stated.read("epsilon")?,
            unit: stated.read("unit")?,
            classes: stated.read("classes")?,
            batches: stated.read("batches")?,
            steps: stated.read("steps")?,
            paired: stated.read("paired")?,
        };
        Ok(params.check().map_err(|error| stated.refused(error))?.guarantees())
    };
    match stated.mechanism() {
        degree_vectors::NAME => Some(vectors()),
        cascade::NAME => Some(rows()),
        _ => None,
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
    /// The order is fixed by the first batch.
    Cascade {
        cascade: Cascade,
        order: Option<Order>,
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

    /// One round: every node counts its neighbours in these clusters; the reports are added to the
    /// release.
    ///
    /// # Errors
    /// If no round is left, the rounds belong to another release, or there is not one cluster per
    /// node.
    pub fn ask(&mut self, released: &mut Privatised, clusters: &[u32]) -> Result<(), ReleaseError> {
        self.belongs_to(released)?;
        let Counted::Vectors(vectors) = self.counted else { return Err(ReleaseError::NoRoundLeft { rounds: 0 }) };
        let stream = self.streams.pop_front().ok_or(ReleaseError::NoRoundLeft { rounds: vectors.rounds() })?;
        let truth = || self.data.open().labels().map_or_else(|| clusters.to_vec(), clusters_of);
        let last = fault::is(Fault::LastClustersFromTruth) && self.streams.is_empty();
        let clusters = if last { &truth() } else { clusters };
        let own = || degree_vectors::coins_of(&stream, clusters);
        let shared = fault::is(Fault::RoundsShareCoins) || fault::is(Fault::MechanismsShareCoins);
        let coins = if shared { stream } else { own() };
        let counts: Counts = vectors.round(self.data.open().graph(), clusters, &coins)?;
        released.add_vectors(counts);
        Ok(())
    }

    /// The next batch of a cascade: its nodes sum the messages of their earlier neighbours; the rows
    /// are added to the release. The first batch fixes the order.
    ///
    /// # Errors
    /// If no batch is left, the batches belong to another release, the order is not that of the first
    /// batch, or order and messages do not fit the graph.
    pub fn ask_batch(
        &mut self,
        released: &mut Privatised,
        order: &Order,
        messages: &Messages,
    ) -> Result<(), ReleaseError> {
        self.belongs_to(released)?;
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
        released.add_batch(used, rows);
        Ok(())
    }

    fn belongs_to(&self, released: &Privatised) -> Result<(), ReleaseError> {
        if self.release == released.statement().release {
            return Ok(());
        }
        Err(ReleaseError::OtherRelease { asked: released.statement().release.clone() })
    }
}

/// The clusters of the first round: released labels, and one more cluster for nodes without a
/// label.
pub fn clusters_of(labels: &Labels) -> Vec<u32> {
    labels.iter().map(|label| label.unwrap_or(labels.classes())).collect()
}
