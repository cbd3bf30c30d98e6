//! The release of a data set: the reports of all users.
//!
//! A [`Plan`] holds the mechanisms of a release and their guarantees; a ledger issues a permit for
//! these guarantees (or the caller asks for an unbooked one). `features`, `labels`, `codebook` and
//! `edges` then draw every node's report in parallel, each with the node's own coins. `folder`
//! writes and reads the release with its privacy statement.

pub(crate) mod codebook;
mod edges;
mod features;
mod figures;
mod folder;
mod labels;
pub(crate) mod recompute;

#[cfg(test)]
mod tests;

pub use edges::{EdgePlan, Question, Rounds, clusters_of};
pub use features::{Encoder, FeaturePlan, RangeChoice, Scale};
pub use figures::{Figures, Transcript};
pub use folder::{OpenError, PAGE, Privatised, fill_statement};
pub use labels::LabelPlan;
pub use recompute::NotImplied;

use veil_graph::read::Misfit;
use veil_graph::{Dataset, Features, Fingerprint, NodeId, Split};

use crate::budget::{Delta, Epsilon};
use crate::coins::Inputs;
use crate::fact::{Declarations, Disclosed, Fact, NotPublic, Origin};
use crate::fault::{self, Fault};
use crate::guarantee::{Assumption, Guarantee, Unit};
use crate::mechanism::{Codebook, InputError, ParamError};
use crate::permit::{Permit, PermitError};
use crate::protocol::{ProtocolError, Traffic};
use crate::seal::{Private, Public};
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
    NotPublic(#[from] NotPublic),
    #[error(transparent)]
    Permit(#[from] PermitError),
    #[error("{protocol} compares released features, but no features are released")]
    NeedsFeatures { protocol: &'static str },
    #[error("a codebook needs released labels of training nodes, but none are released")]
    NoLabelsForCodebook,
    #[error("{name} has no effect with a codebook, which reads the direction of a vector")]
    NotOfCodebook { name: &'static str },
    #[error("degree-vectors counts neighbours per released label, but no labels are released")]
    NeedsLabels,
    #[error("where whole nodes are protected, features and labels of single nodes are not released")]
    BesideNodes,
    #[error("all {rounds} rounds of this release have been used")]
    NoRoundLeft { rounds: u32 },
    #[error("release {asked} does not include these rounds")]
    OtherRelease { asked: String },
    #[error("the order of the nodes is not that of the first batch")]
    OtherOrder,
    #[error("the order of the nodes does not extend that of the earlier release")]
    NotExtended,
    #[error("these edges cannot be released as an extension of an earlier release: only those of a cascade can")]
    NotExtendable,
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
            | ReleaseError::NoLabelsForCodebook
            | ReleaseError::NotOfCodebook { .. }
            | ReleaseError::NotExtendable
            | ReleaseError::BesideNodes
            | ReleaseError::NotPublic(_)
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
            ReleaseError::NotOfCodebook { .. } => "leave it unset, or choose the encoder multi-bit",
            ReleaseError::NeedsLabels | ReleaseError::NoLabelsForCodebook => "set epsilon-labels, for example to 3",
            ReleaseError::Parameters { source, .. } => return source.hint(),
            ReleaseError::NotPublic(error) => return error.hint(),
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
    /// The mechanism of the features.
    pub encoder: Encoder,
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

impl Options {
    /// What would leave without a mechanism.
    fn disclosed(&self, public: &Public<'_>) -> Result<Disclosed, NotPublic> {
        let raw = |epsilon: Option<Epsilon>| epsilon.is_some_and(|epsilon| !epsilon.is_finite());
        let of = |fact: Fact| (fact, public.origin(fact));
        if self.edges.protects_nodes() {
            // No node is in the release. Which ones are for training is their own business, unless
            // it was drawn from labels, or changes with the number of nodes.
            let together = public.split.is_some_and(Split::is_drawn_together) && self.edges.counts_nodes();
            let split = if together { (Fact::Split, Origin::Computed) } else { of(Fact::Split) };
            let facts = vec![of(Fact::Dimensions), of(Fact::Classes), split];
            return Disclosed::decide(public.name, public.declarations, facts, &[Unit::Node]);
        }
        let mut facts = vec![of(Fact::Nodes)];
        if self.epsilon_features.is_some() {
            // Which columns are constant decides how many are left.
            let by_columns = self.scale == Scale::MinMax;
            facts.extend((!by_columns).then(|| of(Fact::Dimensions)));
            let by_range = self.encoder == Encoder::MultiBit;
            facts.extend(by_range.then(|| (Fact::Columns, self.columns(public))));
        }
        facts.extend(self.epsilon_labels.map(|_| of(Fact::Classes)));
        facts.extend(public.split.map(|_| of(Fact::Split)));
        facts.extend(raw(self.epsilon_features).then(|| of(Fact::Features)));
        facts.extend(raw(self.epsilon_labels).then(|| of(Fact::Labels)));
        // What is withheld is protected too.
        let mut units = Vec::new();
        units.extend((public.dimensions.is_some() && !raw(self.epsilon_features)).then_some(Unit::Feature));
        units.extend((public.classes.is_some() && !raw(self.epsilon_labels)).then_some(Unit::Label));
        match &self.edges {
            EdgePlan::Raw => {}
            EdgePlan::Withheld => units.push(Unit::Edge),
            edges => units.extend(edges.guarantees().iter().map(|guarantee| guarantee.unit)),
        }
        Disclosed::decide(public.name, public.declarations, facts, &units)
    }

    /// Where the range of the released columns comes from.
    fn columns(&self, public: &Public<'_>) -> Origin {
        match (self.scale, self.range) {
            (Scale::MinMax, _) | (_, RangeChoice::FromData) => Origin::Computed,
            // Rows of sum 1 are in [0, 1], whatever the data.
            (Scale::Rows, RangeChoice::Public) | (_, RangeChoice::Given(_)) => Origin::Given,
            (Scale::None, RangeChoice::Public) => public.origin(Fact::Columns),
        }
    }
}

/// Bytes of an entry of a table, at most: two numbers of ten digits and a little.
const ENTRY: u64 = 24;

/// Bytes of everything whose size does not depend on the data: statements, counts, digests.
const SMALL_FILES: u64 = 1 << 17;

/// Options, checked against the facts of the data set: each that leaves is the same in all adjacent
/// inputs, given, or declared public.
#[derive(Clone, Debug)]
pub struct Plan {
    features: Option<FeaturePlan>,
    /// In the place of features.
    codebook: Option<Codebook>,
    labels: Option<LabelPlan>,
    edges: EdgePlan,
    /// The data whose facts were decided.
    data: (Fingerprint, Inputs),
    /// What leaves without a mechanism.
    disclosed: Disclosed,
    /// Further assumptions about everything that is released with noise.
    assumptions: Vec<Assumption>,
    /// How many graphs that share edges are released, if there are others.
    graphs: Option<u32>,
}

/// The result of a release.
#[derive(Debug)]
pub struct Release<'a> {
    /// The released data.
    pub released: Privatised,
    /// The remaining rounds of degree vectors, or batches of a cascade.
    pub rounds: Rounds<'a>,
    /// The traffic between nodes: it depends on the true graph and is not part of the release.
    pub traffic: Private<Traffic>,
}

impl Plan {
    /// Checks the options.
    ///
    /// # Errors
    /// If the release is empty, data are missing, a parameter is not accepted, or a fact would
    /// leave that is not public.
    pub fn new(data: &Private<Dataset>, options: Options) -> Result<Plan, ReleaseError> {
        let raw = data.open();
        // Only reports have repeated neighbours.
        let reported = raw.edges_withheld() || raw.graph().has_repetitions();
        if reported || matches!(raw.features(), Some(Features::Encoded(_))) {
            return Err(ReleaseError::AlreadyReleased { data: data.public().name.to_owned() });
        }
        let public = data.public();
        if options.epsilon_features.is_some() && public.dimensions.is_none() {
            return Err(ReleaseError::NoFeatures { data: public.name.to_owned() });
        }
        let labels = options.epsilon_labels.map(|epsilon| LabelPlan::new(data, epsilon)).transpose()?;
        if options.epsilon_features.is_none() && labels.is_none() && options.edges == EdgePlan::Withheld {
            return Err(ReleaseError::Nothing);
        }
        let encoded = options.epsilon_features.is_some() && options.encoder == Encoder::MultiBit;
        options.edges.check(&public, encoded, labels.is_some())?;
        if let (true, Some(features)) = (options.edges.protects_nodes(), raw.features()) {
            features::refuse_what_is_no_number(data, features)?;
        }
        // Before anything is computed from all users' data.
        let disclosed = options.disclosed(&public)?;
        let by_codebook = options.encoder == Encoder::Codebook;
        let codebook = by_codebook.then(|| codebook::plan(data, &options, labels.is_some())).transpose()?.flatten();
        let Options { epsilon_features, samples, range, scale, edges, .. } = options;
        let epsilon_features = epsilon_features.filter(|_| !by_codebook);
        let features = epsilon_features.map(|epsilon| FeaturePlan::new(data, epsilon, samples, range, scale));
        Ok(Plan {
            features: features.transpose()?,
            codebook,
            labels,
            edges,
            data: (data.fingerprint(), data.facts()),
            disclosed,
            assumptions: Vec::new(),
            graphs: None,
        })
    }

    /// The release of the labels, if any.
    pub fn labels(&self) -> Option<&LabelPlan> {
        self.labels.as_ref()
    }

    /// Adds an assumption, such as that other releases are about the same nodes or edges.
    pub fn with_assumption(mut self, assumption: Assumption) -> Plan {
        self.assumptions.push(assumption);
        self
    }

    /// Notes that it is one of so many releases of one graph: each guarantee says what all of them
    /// cost together.
    pub fn sharing_edges(self, graphs: u32) -> Plan {
        Plan { graphs: Some(graphs), ..self }
    }

    /// The facts on whose declaration the plan relies.
    pub fn declared(&self) -> Declarations {
        self.disclosed.declared()
    }

    /// The guarantee beside the facts that leave with it, under the further assumptions. What is
    /// released unperturbed assumes nothing.
    fn promised(&self, guarantee: Guarantee) -> Guarantee {
        let mut guarantee = self.disclosed.beside(guarantee);
        if guarantee.epsilon.is_finite() {
            guarantee.assumptions.extend_from_slice(&self.assumptions);
            guarantee.assumptions.extend(self.graphs.map(|graphs| {
                let whole = guarantee.epsilon.times(graphs).unwrap_or(Epsilon::INFINITE);
                let relationship = guarantee.per_relationship.map(|it| it.times(graphs).unwrap_or(Epsilon::INFINITE));
                let delta = guarantee.delta.times(graphs).unwrap_or(Delta::ONE);
                Assumption::SharedEdges { whole, delta, relationship }
            }));
        }
        guarantee
    }

    fn feature_guarantee(&self) -> Option<Guarantee> {
        let by_encoder = self.features.as_ref().map(FeaturePlan::guarantee);
        by_encoder.or_else(|| self.codebook.map(|it| it.guarantee())).map(|it| self.promised(it))
    }

    fn label_guarantee(&self) -> Option<Guarantee> {
        self.labels.as_ref().map(|plan| self.promised(plan.guarantee()))
    }

    fn edge_guarantees(&self) -> Vec<Guarantee> {
        self.edges.guarantees().into_iter().map(|guarantee| self.promised(guarantee)).collect()
    }

    /// The guarantees of the release. What they show of the data is given or declared public.
    pub fn guarantees(&self) -> Vec<Guarantee> {
        self.feature_guarantee().into_iter().chain(self.label_guarantee()).chain(self.edge_guarantees()).collect()
    }

    /// About how many bytes the files of the release take, so that a full disk is noticed before a
    /// charge. It follows from the raw data and is for their owner alone.
    pub fn bytes(&self, data: &Private<Dataset>) -> u64 {
        let raw = data.open();
        let nodes = u64::from(raw.nodes());
        let features = match (&self.features, raw.features()) {
            (Some(FeaturePlan::Encoded { encoder, .. }), _) => nodes * u64::from(encoder.samples()) * ENTRY,
            (Some(FeaturePlan::Raw { .. }), Some(Features::Dense(matrix))) => matrix.values().len() as u64 * 4,
            (Some(FeaturePlan::Raw { .. }), Some(features)) => features.nonzeros() as u64 * ENTRY,
            _ if self.codebook.is_some() => nodes * ENTRY,
            _ => 0,
        };
        let names: u64 = (0..raw.nodes()).map(|node| raw.names().name(node).len() as u64).sum();
        SMALL_FILES + features + 3 * nodes * ENTRY + names + self.edges.entries(raw) * ENTRY
    }

    /// Makes the release. In the local model, this includes the first round of degree vectors, with
    /// the released labels as clusters.
    ///
    /// # Errors
    /// If the permit does not allow it, or a node's data cannot be reported.
    pub fn release(self, data: &Private<Dataset>, mut permit: Permit) -> Result<Release<'_>, ReleaseError> {
        if self.data != (data.fingerprint(), data.facts()) {
            return Err(PermitError::OtherData { release: permit.release().to_string() }.into());
        }
        let (of_features, of_labels, of_edges) =
            (self.feature_guarantee(), self.label_guarantee(), self.edge_guarantees());
        let features = self.features.zip(of_features.clone());
        let features = features.map(|(plan, promised)| plan.release(data, promised, &mut permit)).transpose()?;
        let mechanism = self.labels.as_ref().and_then(LabelPlan::mechanism);
        let labels = self.labels.zip(of_labels);
        let labels = labels.map(|(plan, promised)| plan.release(data, promised, &mut permit)).transpose()?;
        let hints = match (self.codebook.zip(of_features), &labels) {
            (Some((codebook, promised)), Some(labels)) => {
                let labels = (labels.value(), mechanism);
                Some(codebook::release(&codebook, data, labels, promised, &mut permit)?)
            }
            _ => None,
        };
        let (edges, traffic) = self.edges.release(data, &of_edges, features.as_ref(), &mut permit)?;
        let truth = data.open().labels().filter(|_| fault::is(Fault::FirstClustersFromTruth));
        let clusters = labels.as_ref().map(|labels| clusters_of(truth.unwrap_or(labels.value())));
        let (lists, figures, mut rounds) = match edges {
            None => (None, None, Rounds::none(data)),
            Some(ReleasedEdges::Lists(lists, figures)) => (Some(lists), figures.map(|it| *it), Rounds::none(data)),
            Some(ReleasedEdges::Figures(figures, rounds)) => (None, Some(*figures), rounds),
        };
        let public = (&data.public(), self.disclosed.declared());
        let mut released = Privatised::new(public, (features, hints), labels, lists, figures, &permit)?;
        let graph = data.open().graph();
        if fault::is(Fault::EdgesInStatement) {
            released.withhold(format!("all of the {} edges", graph.edges()));
        }
        if fault::is(Fault::NodesFromEdges) {
            let connected = (0..graph.nodes()).filter(|&node| graph.degree(node) > 0).count();
            released.withhold(format!("nothing about {connected} nodes"));
        }
        if let Some(clusters) = clusters.filter(|_| rounds.begins_with_labels()) {
            rounds.ask(&mut released, Question::Clusters(&clusters))?;
        }
        Ok(Release { released, rounds, traffic: Private::seal(traffic) })
    }
}

/// For `map_err`: the data of this node cannot be reported.
fn at_node(data: &Private<Dataset>, node: NodeId) -> impl FnOnce(InputError) -> ReleaseError {
    move |source| ReleaseError::Input { node: data.public().names.name(node).into_owned(), source }
}
