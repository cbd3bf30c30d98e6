//! Assumptions of a guarantee.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

use super::{Status, Trust};
use crate::budget::{Delta, Epsilon};
use crate::mechanism::ValueRange;

/// An assumption of a guarantee; [`Display`](fmt::Display) gives its sentence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Assumption {
    /// The node set is public.
    PublicNodes,
    /// The number of feature dimensions is public.
    PublicDimensions,
    /// The classes are public.
    PublicClasses,
    /// The range of the features is public.
    PublicRange {
        /// The range.
        range: ValueRange,
    },
    /// Each user computes their own report.
    OwnReports,
    /// The owner of the graph is trusted.
    TrustedOwner,
    /// The cryptographic primitives behind the noise are secure.
    Coins,
    /// Hyper-parameters do not depend on the protected data.
    UntunedParameters,
    /// The split does not depend on the labels, unless it was declared public.
    SplitWithoutLabels,
    /// A user reports either a codeword or a class of their features.
    CodewordOrClass,
    /// The clusters of degree vectors are computed from released data.
    ClustersFromReleased,
    /// The messages of neighbours are computed from released data and earlier hops.
    MessagesFromReleased,
    /// The budget is split over rounds.
    Rounds {
        /// Local: each user counts; central: the owner counts.
        trust: Trust,
        /// The number of rounds.
        rounds: u32,
    },
    /// The order of a cascade was fixed before the first batch, without reading edges.
    OrderWithoutEdges,
    /// Both ends of an edge used the same order of a cascade.
    SameOrder,
    /// Both ends of an edge used the same list of nodes.
    SameList,
    /// A cascade of a graph that grew extends an earlier one.
    Extends {
        /// The id of the earlier release.
        release: String,
        /// The number of its nodes.
        nodes: u32,
    },
    /// The public side of a student does not depend on the private graph.
    IndependentPublicGraph,
    /// The running time is not observed.
    UnobservedTime,
    /// A false claim of two-hop randomised response.
    TwoHopsPublic,
    /// A false claim of GraphPrivatizer.
    SameCandidates,
    /// Several graphs of a run share edges.
    SharedEdges {
        /// ε of all of them together.
        whole: Epsilon,
        /// δ of all of them together.
        #[serde(default, skip_serializing_if = "is_zero")]
        delta: Delta,
        /// What all of them cost a relationship that both ends report, if that is more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        relationship: Option<Epsilon>,
    },
    /// The graphs of a run share no nodes and no edges.
    SeparateGraphs,
    /// Several graphs of a run have nodes in common, and each is released on its own.
    SharedNodes {
        /// The number of graphs.
        graphs: u32,
    },
    /// A model was trained on another graph.
    TrainedOn {
        /// The name of the data set.
        data: String,
        /// The release of its edges, if there is one.
        edges: Option<ReleasedAt>,
    },
}

/// The guarantee of another release, in short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleasedAt {
    /// ε.
    pub epsilon: Epsilon,
    /// δ.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delta: Delta,
    /// Whether the guarantee holds.
    pub status: Status,
    /// Whether the noise is derived from a known seed.
    pub reproducible: bool,
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Assumption::PublicNodes => "the number and the names of the nodes are public",
            Assumption::PublicDimensions => "the number of feature dimensions is public",
            Assumption::PublicClasses => "the classes are public",
            Assumption::PublicRange { range } => {
                return write!(f, "the range {range} of the features is public; values outside it are clipped");
            }
            Assumption::OwnReports => {
                "each user computes their report from their own data; a data holder who computes it for them learns the raw \
                 data, and the guarantee holds against everyone else"
            }
            Assumption::TrustedOwner => {
                "the owner holds the raw graph and is trusted; the guarantee holds against everyone else"
            }
            Assumption::Coins => "ChaCha20 and HMAC-SHA-256, from which the noise is derived, are secure",
            Assumption::UntunedParameters => {
                "hyper-parameters were not tuned on the protected graph: ε does not account for such tuning"
            }
            Assumption::SplitWithoutLabels => {
                "the split into training, validation and test nodes does not depend on the labels, unless it was declared public"
            }
            Assumption::CodewordOrClass => {
                "training users report a codeword and all others a class, never both; the classes' centres are computed from \
                 codewords and released labels"
            }
            Assumption::ClustersFromReleased => {
                "clusters are computed from released data only: released features and labels, and the results of earlier \
                 rounds (adaptive composition)"
            }
            Assumption::MessagesFromReleased => {
                "messages are computed from released data and earlier hops only (adaptive composition)"
            }
            Assumption::Rounds { trust, rounds } => {
                let who = match trust {
                    Trust::Local => "each user reports",
                    Trust::Central => "the owner counts",
                };
                let plural = if *rounds == 1 { "" } else { "s" };
                return write!(f, "{who} once per round, and ε is split evenly over {rounds} round{plural}");
            }
            Assumption::OrderWithoutEdges => {
                "the order of the nodes was fixed before the first batch and does not depend on edges; messages are computed \
                 from released data and earlier batches"
            }
            Assumption::SameOrder => {
                "per relationship: both ends followed the protocol with the same order, whose digest was published before the \
                 first batch where all users see it; otherwise a relationship costs 2ε"
            }
            Assumption::SameList => {
                "per relationship: both ends used the same list of nodes, which was published where all users see it, did not \
                 depend on edges, and names everybody once; otherwise a relationship costs 2ε. Devices know numbers of nodes \
                 alone and cannot check it"
            }
            Assumption::Extends { release, nodes } => {
                return write!(
                    f,
                    "this release extends release {release}, whose {nodes} nodes keep their places in the order and have no \
                     row here, and no other release extends it: every edge is in one row of all these releases, so together \
                     they cost the largest of their ε. Nodes are recognised by their names: whoever has another name than \
                     before is a new node, whose edges cost ε again. When nodes were added does not depend on the protected edge; edges \
                     that appeared later between the earlier nodes are not counted"
                );
            }
            Assumption::IndependentPublicGraph => {
                "the public graph, its features and the choice of the queried nodes do not depend on the private graph"
            }
            Assumption::UnobservedTime => "the running time is not observed",
            Assumption::TwoHopsPublic => {
                "claimed, but false: the set of nodes within two hops is public and does not depend on the edge"
            }
            Assumption::SameCandidates => "claimed, but false: all neighbours have the same candidates",
            Assumption::SharedEdges { whole, delta, relationship } => {
                write!(
                    f,
                    "the training, validation and inference graphs of this run share edges: each is released at this ε, all \
                     of them together at ε = {whole}"
                )?;
                and_delta(f, *delta)?;
                return relationship.map_or(Ok(()), |both| write!(f, ", ε = {both} per relationship"));
            }
            Assumption::SeparateGraphs => {
                "the training, validation and inference graphs of one model share no node and no edge; if they do, their ε \
                 and δ add up"
            }
            Assumption::SharedNodes { graphs } => {
                return write!(
                    f,
                    "the {graphs} graphs of this run have nodes in common: this ε is that of one graph, and the ε and δ of \
                     all graphs add up"
                );
            }
            Assumption::TrainedOn { data, edges: None } => {
                return write!(f, "the model was trained on {data}, without edges");
            }
            Assumption::TrainedOn { data, edges: Some(ReleasedAt { epsilon, delta, status, reproducible }) } => {
                write!(f, "the model was trained on {data}, whose edges were released at ε = {epsilon}")?;
                and_delta(f, *delta)?;
                return write!(f, " ({})", status.shown(*reproducible));
            }
        };
        f.write_str(text)
    }
}

/// As serde asks.
fn is_zero(delta: &Delta) -> bool {
    delta.is_zero()
}

/// A δ beside an ε, if it is not 0.
fn and_delta(f: &mut fmt::Formatter<'_>, delta: Delta) -> fmt::Result {
    if delta.is_zero() { Ok(()) } else { write!(f, ", δ = {delta}") }
}

/// Assumptions in `privacy.json`: each with its sentence as `text`, which is not read back.
pub(super) fn with_text<S: Serializer>(assumptions: &[Assumption], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Written<'a> {
        #[serde(flatten)]
        assumption: &'a Assumption,
        text: String,
    }
    serializer.collect_seq(assumptions.iter().map(|assumption| Written { assumption, text: assumption.to_string() }))
}
