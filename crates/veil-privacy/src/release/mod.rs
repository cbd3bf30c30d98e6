//! The release of a data set: the reports of all users.
//!
//! A [`Plan`] holds the mechanisms of a release and their guarantees; a ledger issues a permit for
//! these guarantees (or the caller asks for an unbooked one). `features`, `labels` and `edges` then
//! draw every node's report in parallel, each with the node's own coins. `folder` writes and reads
//! the release with its privacy statement.

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
use crate::fault::{self, Fault};
use crate::guarantee::{Assumption, Guarantee};
use crate::mechanism::{InputError, ParamError};
use crate::permit::{Permit, PermitError};
use crate::protocol::{ProtocolError, Traffic};
use crate::seal::Private;
use edges::ReleasedEdges;

/// Why a release could not be planned or made.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    #[error("nothing to release: no ε is set for features, labels or edges")]
    Nothing,
    #[error("{data} has no features to release")]
    NoFeatures { data: String },
    #[error("{data} has no labels to release")]
    NoLabels { data: String },
    #[error("{data} has no split into training, validation and test nodes: only labels of the first two are released")]
    NoSplit { data: String },
    #[error("{what}: {source}")]
    Parameters { what: &'static str, source: ParamError },
    #[error("node {node}: {source}")]
    Input { node: String, source: InputError },
    #[error(transparent)]
    Permit(#[from] PermitError),
    #[error("{protocol} compares released features, but no features are released")]
    NeedsFeatures { protocol: &'static str },
    #[error("degree-vectors counts neighbours per released label, but no labels are released")]
    NeedsLabels,
    #[error("all {rounds} rounds of degree vectors have been used")]
    NoRoundLeft { rounds: u32 },
    #[error("release {asked} does not include these rounds of degree vectors")]
    OtherRelease { asked: String },
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    #[error(transparent)]
    Misfit(#[from] Misfit),
    #[error("{data} is already a release: it consists of reports")]
    AlreadyReleased { data: String },
    #[error("the split of {data} has no training or validation nodes, so no label would be released")]
    NobodyAsked { data: String },
    #[error("{nodes} reports of {samples} signs each exceed the limit of {limit} signs: sample fewer dimensions")]
    TooManySigns { nodes: usize, samples: usize, limit: usize },
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

/// The options of a release.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// ε of a feature vector; `None` withholds the features.
    pub epsilon_features: Option<Epsilon>,
    /// ε of a label; `None` withholds the labels.
    pub epsilon_labels: Option<Epsilon>,
    /// The number of sampled dimensions per report; `None` follows the rule of the encoder.
    pub samples: Option<u32>,
    /// The source of the feature range.
    pub range: RangeChoice,
    /// The scaling of features.
    pub scale: Scale,
    /// The release of the edges.
    pub edges: EdgePlan,
}

/// Options, checked against the public facts of the data set.
#[derive(Clone, Debug)]
pub struct Plan {
    features: Option<FeaturePlan>,
    labels: Option<LabelPlan>,
    edges: EdgePlan,
    /// Whether the node set was computed from the edges.
    nodes_counted: bool,
    /// Further assumptions about the edges.
    about_edges: Vec<Assumption>,
}

/// The result of a release.
#[derive(Debug)]
pub struct Release<'a> {
    /// The released data.
    pub released: Privatised,
    /// The remaining rounds of degree vectors.
    pub rounds: Rounds<'a>,
    /// The traffic between nodes: it depends on the true graph and is not part of the release.
    pub traffic: Private<Traffic>,
}

impl Plan {
    /// Checks the options.
    ///
    /// # Errors
    /// If the release is empty, data are missing, or a parameter is not accepted.
    pub fn new(data: &Private<Dataset>, options: Options) -> Result<Plan, ReleaseError> {
        let raw = data.open();
        // Only reports have repeated neighbours.
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

    /// The release of the labels, if any.
    pub fn labels(&self) -> Option<&LabelPlan> {
        self.labels.as_ref()
    }

    /// Adds an assumption about the edges, such as that other releases share them.
    pub fn with_assumption(mut self, about_edges: Assumption) -> Plan {
        self.about_edges.push(about_edges);
        self
    }

    fn edge_guarantees(&self) -> Vec<Guarantee> {
        let mut guarantees = self.edges.guarantees(self.nodes_counted);
        guarantees.iter_mut().for_each(|guarantee| guarantee.assumptions.extend_from_slice(&self.about_edges));
        guarantees
    }

    /// The guarantees of the release.
    pub fn guarantees(&self) -> Vec<Guarantee> {
        let features = self.features.iter().map(FeaturePlan::guarantee);
        features.chain(self.labels.iter().map(LabelPlan::guarantee)).chain(self.edge_guarantees()).collect()
    }

    /// Makes the release. In the local model, this includes the first round of degree vectors, with
    /// the released labels as clusters.
    ///
    /// # Errors
    /// If the permit does not allow it, or a node's data cannot be reported.
    pub fn release(self, data: &Private<Dataset>, mut permit: Permit) -> Result<Release<'_>, ReleaseError> {
        let of_edges = self.edge_guarantees();
        let features = self.features.map(|plan| plan.release(data, &mut permit)).transpose()?;
        let labels = self.labels.map(|plan| plan.release(data, &mut permit)).transpose()?;
        let (edges, traffic) = self.edges.release(data, &of_edges, features.as_ref(), &mut permit)?;
        let truth = data.open().labels().filter(|_| fault::is(Fault::FirstClustersFromTruth));
        let clusters = labels.as_ref().map(|labels| clusters_of(truth.unwrap_or(labels.value())));
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
        let graph = data.open().graph();
        if fault::is(Fault::EdgesInStatement) {
            released.withhold(format!("all of the {} edges", graph.edges()));
        }
        if fault::is(Fault::NodesFromEdges) {
            let connected = (0..graph.nodes()).filter(|&node| graph.degree(node) > 0).count();
            released.withhold(format!("nothing about {connected} nodes"));
        }
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
