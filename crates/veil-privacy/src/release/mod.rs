//! Releasing a data set: every user's report, gathered into something that can be published.
//!
//! A [`Plan`] says what would be released and what that promises; a permit for these promises comes from a ledger (or
//! from the admission that there is none); `features`, `labels` and `edges` then ask every node for its report, each with
//! that node's own coins, in parallel; `folder` writes what came out, with the privacy statement, and reads it again.

mod edges;
mod features;
mod folder;
mod labels;
mod vectors;

#[cfg(test)]
mod tests;

pub use edges::{EdgePlan, Rounds, clusters_of};
pub use features::{FeaturePlan, RangeChoice, Scale};
pub use folder::{OpenError, Privatised};
pub use labels::LabelPlan;

use veil_graph::read::Misfit;
use veil_graph::{Dataset, Features, NodeId};

use crate::budget::Epsilon;
use crate::guarantee::{Assumption, Guarantee};
use crate::mechanism::{InputError, ParamError};
use crate::permit::{Permit, PermitError};
use crate::protocol::{ProtocolError, Traffic};
use crate::seal::Private;
use edges::ReleasedEdges;

/// Why a release could not be planned or made.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    /// Nothing was asked for.
    #[error("nothing to release: neither features, labels nor edges are given an ε")]
    Nothing,
    /// There are no features.
    #[error("{data} has no features to release")]
    NoFeatures {
        /// The data set.
        data: String,
    },
    /// There are no labels.
    #[error("{data} has no labels to release")]
    NoLabels {
        /// The data set.
        data: String,
    },
    /// It is not known whose labels may be released.
    #[error("{data} has no split, so it is not known which labels are for training: give one")]
    NoSplit {
        /// The data set.
        data: String,
    },
    /// A mechanism cannot run with these parameters.
    #[error("{what}: {source}")]
    Parameters {
        /// What was to be released.
        what: &'static str,
        /// What is wrong.
        source: ParamError,
    },
    /// A node's data cannot be reported.
    #[error("node {node}: {source}")]
    Input {
        /// The node, as it is called outside.
        node: String,
        /// What is wrong with its data.
        source: InputError,
    },
    /// A permit is missing or for something else.
    #[error(transparent)]
    Permit(#[from] PermitError),
    /// A protocol compares features, and none are to be released.
    #[error("{protocol} compares released features, but no features are to be released")]
    NeedsFeatures {
        /// The protocol.
        protocol: &'static str,
    },
    /// Degree vectors count neighbours per released label, and none are to be released.
    #[error("degree-vectors counts neighbours per released label, but no labels are to be released")]
    NeedsLabels,
    /// All rounds of degree vectors have been asked.
    #[error("all {rounds} rounds of degree vectors that were paid for have been asked")]
    NoRoundLeft {
        /// How many there were.
        rounds: u32,
    },
    /// Counts were to be added to a release that did not promise them.
    #[error("release {asked} did not promise these rounds of degree vectors")]
    OtherRelease {
        /// The release.
        asked: String,
    },
    /// A protocol could not run.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// What came out has another shape than what went in.
    #[error(transparent)]
    Misfit(#[from] Misfit),
    /// The data set is a release itself.
    #[error("{data} has been released already: what it holds are reports")]
    AlreadyReleased {
        /// The data set.
        data: String,
    },
    /// No node is for training or validation.
    #[error("the split of {data} has no nodes for training or validation, so no label would be released")]
    NobodyAsked {
        /// The data set.
        data: String,
    },
    /// The reports would not fit into memory.
    #[error(
        "{nodes} reports of {samples} signs each are more than the {limit} signs that fit: sample fewer dimensions"
    )]
    TooManySigns {
        /// How many nodes report.
        nodes: usize,
        /// How many signs each of them sends.
        samples: usize,
        /// How many signs a release may hold.
        limit: usize,
    },
}

impl ReleaseError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        match self {
            ReleaseError::Nothing
            | ReleaseError::NoSplit { .. }
            | ReleaseError::NobodyAsked { .. }
            | ReleaseError::TooManySigns { .. }
            | ReleaseError::NeedsFeatures { .. }
            | ReleaseError::NeedsLabels
            | ReleaseError::Parameters { .. } => true,
            ReleaseError::Protocol(error) => error.is_usage(),
            _ => false,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            ReleaseError::Nothing => "set epsilon-features, epsilon-labels, or edges with epsilon-edges",
            ReleaseError::NoSplit { .. } | ReleaseError::NobodyAsked { .. } => {
                "draw a split, for example 0.5,0.25,0.25 (train,validation,test)"
            }
            ReleaseError::NoFeatures { .. } => "leave epsilon-features unset",
            ReleaseError::NoLabels { .. } => {
                "leave epsilon-labels unset to release the rest; training a model requires labels"
            }
            ReleaseError::NeedsFeatures { .. } => "set epsilon-features, for example to 3",
            ReleaseError::NeedsLabels => "set epsilon-labels, for example to 3",
            ReleaseError::Parameters { source, .. } => return source.hint(),
            ReleaseError::Protocol(error) => return error.hint(),
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

/// What a user asks for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// ε of a feature vector; `None` withholds the features.
    pub epsilon_features: Option<Epsilon>,
    /// ε of a label; `None` withholds the labels.
    pub epsilon_labels: Option<Epsilon>,
    /// How many dimensions a report samples; `None` follows the encoder's rule.
    pub samples: Option<u32>,
    /// Where the range of the features comes from.
    pub range: RangeChoice,
    /// What happens to features first.
    pub scale: Scale,
    /// What is released of the edges.
    pub edges: EdgePlan,
}

/// Options, checked against the data set's public facts.
#[derive(Clone, Debug)]
pub struct Plan {
    features: Option<FeaturePlan>,
    labels: Option<LabelPlan>,
    edges: EdgePlan,
    /// Whether the nodes were found in the edges.
    nodes_counted: bool,
    /// What else is assumed about the edges.
    about_edges: Vec<Assumption>,
}

/// What a release gave.
#[derive(Debug)]
pub struct Release<'a> {
    /// What may be published.
    pub released: Privatised,
    /// The rounds of degree vectors that are still to be asked.
    pub rounds: Rounds<'a>,
    /// What nodes sent to each other: it follows from the true graph and is not part of the release.
    pub traffic: Private<Traffic>,
}

impl Plan {
    /// Checks the options.
    ///
    /// # Errors
    /// If nothing would be released, or what is asked for is not there or cannot be done.
    pub fn new(data: &Private<Dataset>, options: Options) -> Result<Plan, ReleaseError> {
        let raw = data.open();
        // Only reports name somebody twice.
        let reported = raw.edges_withheld() || raw.graph().has_repetitions();
        if reported || matches!(raw.features(), Some(Features::Encoded(_))) {
            return Err(ReleaseError::AlreadyReleased { data: data.public().name.to_owned() });
        }
        let Options { epsilon_features, epsilon_labels, samples, range, scale, edges } = options;
        let features = epsilon_features.map(|epsilon| FeaturePlan::new(data, epsilon, samples, range, scale));
        let labels = epsilon_labels.map(|epsilon| LabelPlan::new(data, epsilon));
        let nodes_counted = !data.public().declared.nodes;
        let plan = Plan {
            features: features.transpose()?,
            labels: labels.transpose()?,
            edges,
            nodes_counted,
            about_edges: Vec::new(),
        };
        if plan.features.is_none() && plan.labels.is_none() && plan.edges == EdgePlan::Withheld {
            return Err(ReleaseError::Nothing);
        }
        plan.edges.check(&data.public(), plan.features.is_some(), plan.labels.is_some())?;
        Ok(plan)
    }

    /// How the labels will be released, if they will be.
    pub fn labels(&self) -> Option<&LabelPlan> {
        self.labels.as_ref()
    }

    /// The same with one more assumption about the edges, such as that they are in other releases too.
    pub fn with_assumption(mut self, about_edges: Assumption) -> Plan {
        self.about_edges.push(about_edges);
        self
    }

    fn edge_guarantees(&self) -> Vec<Guarantee> {
        let mut guarantees = self.edges.guarantees(self.nodes_counted);
        guarantees.iter_mut().for_each(|guarantee| guarantee.assumptions.extend_from_slice(&self.about_edges));
        guarantees
    }

    /// What the release promises.
    pub fn guarantees(&self) -> Vec<Guarantee> {
        let features = self.features.iter().map(FeaturePlan::guarantee);
        features.chain(self.labels.iter().map(LabelPlan::guarantee)).chain(self.edge_guarantees()).collect()
    }

    /// Makes the release. Of degree vectors in the local model, the first round is asked here, with the released labels as
    /// clusters.
    ///
    /// # Errors
    /// If the permit is for something else, or a node's data cannot be reported.
    pub fn release(self, data: &Private<Dataset>, mut permit: Permit) -> Result<Release<'_>, ReleaseError> {
        let of_edges = self.edge_guarantees();
        let features = self.features.map(|plan| plan.release(data, &mut permit)).transpose()?;
        let labels = self.labels.map(|plan| plan.release(data, &mut permit)).transpose()?;
        let (edges, traffic) = self.edges.release(data, &of_edges, features.as_ref(), &mut permit)?;
        let clusters = labels.as_ref().map(|labels| clusters_of(labels.value()));
        let (lists, vectors) = match edges {
            None => (None, None),
            Some(ReleasedEdges::Lists(lists)) => (Some(lists), None),
            Some(ReleasedEdges::Vectors(vectors, streams)) => {
                let rounds = Rounds::new(data, permit.release().to_string(), *vectors.value(), streams);
                (None, Some((vectors.into_parts().1, rounds)))
            }
        };
        let (promised, mut rounds) = vectors.unwrap_or_else(|| (Vec::new(), Rounds::none(data)));
        let mut released = Privatised::new(&data.public(), features, labels, lists, promised, &permit)?;
        if let Some(clusters) = clusters.filter(|_| rounds.begins_with_labels()) {
            rounds.ask(&mut released, &clusters)?;
        }
        Ok(Release { released, rounds, traffic: Private::seal(traffic) })
    }
}

/// For `map_err`: the data of this node cannot be reported.
fn at_node(data: &Private<Dataset>, node: NodeId) -> impl FnOnce(InputError) -> ReleaseError {
    move |source| ReleaseError::Input { node: data.public().names.name(node).into_owned(), source }
}
