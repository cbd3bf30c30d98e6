//! Labels for public nodes, answered from a private graph: what PrivGNN and PATE release.
//!
//! The owner of a private labelled graph is asked for the label of some public nodes. Teachers, which are handed in as functions, learn from
//! parts of the private graph; what they say stays here, and only a noisy label comes out. [`PerQuery`] draws a fresh sample for every
//! question and trains a teacher for it (PrivGNN, Algorithm 1); [`Votes`] trains a few teachers on disjoint parts, which then vote (PATE).
//! [`ClassSums`] has no teachers: it releases noisy sums of what the nodes of each class look like, once, and labels are read from these.
//! Either way one private node more or less, with its features, its label and its edges, is what the guarantee is about.
//!
//! `label` is how one label leaves, `lesson` what a teacher is shown, `kept` the answers of a release that may be interrupted: they
//! depend on the release's key alone, so one that continues gives the same answers and costs nothing more.

pub mod class_sums;
mod kept;
mod label;
mod lesson;
mod nearest;
pub mod per_query;
mod promise;
pub mod votes;

#[cfg(test)]
mod tests;

pub use class_sums::{ClassSums, Embedding, Sums};
pub use kept::{Kept, KeptError};
pub use label::{LabelRelease, NoisyLogPosterior};
pub use lesson::Lesson;
pub(crate) use per_query::loss_of_one_label;
pub use per_query::{PerQuery, Teach};
pub use votes::{Vote, Votes};

use veil_graph::read::Misfit;
use veil_graph::{Dataset, Features, GraphError, Labels, NodeId, NodeNames, Part, ShapeError, Split};

use crate::accounting::AccountingError;
use crate::budget::BudgetError;
use crate::guarantee::Guarantee;
use crate::mechanism::ParamError;
use crate::permit::{Permit, PermitError};
use crate::release::Privatised;
use crate::seal::{Private, Public};

/// The public side of a release: a graph, and the nodes whose labels are asked for.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The public graph. Of its labels, if it has any, only the classes are looked at.
    pub public: &'a Dataset,
    /// The nodes that are asked about, in their order.
    pub queries: &'a [NodeId],
}

/// Why no label could be asked for.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// One of the two graphs has no features.
    #[error("{data} has no features: teachers learn from them and public nodes are compared by them")]
    NoFeatures {
        /// The data set.
        data: String,
    },
    /// The private graph has no labels.
    #[error("{data} has no labels: they are what is asked for")]
    NoLabels {
        /// The data set.
        data: String,
    },
    /// Features of different width.
    #[error("{public} has {found} features and {private} has {expected}: teachers read the same features of both")]
    OtherFeatures {
        /// The private data set.
        private: String,
        /// Its features.
        expected: usize,
        /// The public data set.
        public: String,
        /// Its features.
        found: usize,
    },
    /// The public graph is the private one, or shows some of it.
    #[error("{shown} of {private} is in {public} too: what is public cannot be protected")]
    Shown {
        /// The private data set.
        private: String,
        /// The public data set.
        public: String,
        /// What is in both.
        shown: String,
    },
    /// The classes of the two graphs are not the same.
    #[error("{public} and {private} have {}: {public} has {found}, {private} has {expected}",
        if *disjoint { "no classes in common" } else { "other classes, or in another order" })]
    OtherClasses {
        /// Whether they have nothing to do with each other.
        disjoint: bool,
        /// The private data set.
        private: String,
        /// Its classes.
        expected: String,
        /// The public data set.
        public: String,
        /// Its classes.
        found: String,
    },
    /// γ is no probability.
    #[error("γ is {given}: it must be above 0 and at most 1")]
    BadGamma {
        /// What was given.
        given: f64,
    },
    /// No neighbours.
    #[error("K is 0: a teacher needs at least one node to learn from")]
    NoNeighbours,
    /// More neighbours than there are nodes.
    #[error("K is {k}, but {data} has {nodes} nodes: give at most that many")]
    TooManyNeighbours {
        /// What was asked for.
        k: u32,
        /// The private data set.
        data: String,
        /// Its nodes.
        nodes: u32,
    },
    /// No teachers, or more than nodes.
    #[error("{given} teachers cannot share {nodes} nodes: give at least 1 and at most that many")]
    Teachers {
        /// What was asked for.
        given: u32,
        /// Nodes of the private data set.
        nodes: u32,
    },
    /// Nothing is asked.
    #[error("no public node is asked about: give at least one query")]
    NoQueries,
    /// A node that is not there.
    #[error("public node {node} is asked about, but there are {nodes}")]
    NoSuchQuery {
        /// The node.
        node: NodeId,
        /// How many there are.
        nodes: u32,
    },
    /// A mechanism cannot run with these parameters.
    #[error(transparent)]
    Parameters(#[from] ParamError),
    /// What it costs cannot be said.
    #[error(transparent)]
    Accounting(#[from] AccountingError),
    /// What it costs is more than can be written down.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// A permit is missing or for something else.
    #[error(transparent)]
    Permit(#[from] PermitError),
    /// The answers of an interrupted release cannot be read, or new ones not kept.
    #[error(transparent)]
    Kept(#[from] KeptError),
    /// Parts that do not fit together.
    #[error(transparent)]
    Misfit(#[from] Misfit),
    /// A subgraph that cannot be.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// Features that cannot be multiplied.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

impl AnswerError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        match self {
            AnswerError::Accounting(error) => error.is_usage(),
            AnswerError::Permit(_)
            | AnswerError::Kept(_)
            | AnswerError::Misfit(_)
            | AnswerError::Graph(_)
            | AnswerError::Shape(_) => false,
            _ => true,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            AnswerError::Accounting(error) => error.hint(),
            AnswerError::Parameters(error) => error.hint(),
            _ => None,
        }
    }
}

impl Asked<'_> {
    /// Whether a private graph and a public one have what is needed, and nothing in common as far as can be seen: not the same data, and no node of
    /// the same name, where names are more than numbers in the order of a file.
    ///
    /// # Errors
    /// If something is missing, or private nodes are shown.
    pub fn apart(private: &Private<Dataset>, public: &Dataset) -> Result<(), AnswerError> {
        let facts = private.public();
        let without_features = [(facts.name, facts.dimensions.is_none()), (public.name(), public.features().is_none())];
        if let Some((data, _)) = without_features.into_iter().find(|(_, missing)| *missing) {
            return Err(AnswerError::NoFeatures { data: data.to_owned() });
        }
        if facts.classes.is_none() {
            return Err(AnswerError::NoLabels { data: facts.name.to_owned() });
        }
        let names = [private.open(), public].map(Dataset::names);
        let mut shown = (private.fingerprint() == public.fingerprint()).then(|| "all".to_owned());
        if !names.iter().any(|names| matches!(names, NodeNames::Range(_))) {
            let mut theirs = (0..public.nodes()).map(|node| names[1].name(node));
            shown =
                shown.or_else(|| theirs.find(|name| names[0].node(name).is_some()).map(|name| format!("node {name}")));
        }
        match shown {
            None => Ok(()),
            Some(shown) => {
                let (private, public) = (facts.name.to_owned(), public.name().to_owned());
                Err(AnswerError::Shown { private, public, shown })
            }
        }
    }

    /// Whether labels of these nodes can be asked of such a private graph: from what is public about it alone.
    fn check(&self, private: &Public<'_>) -> Result<(), AnswerError> {
        let named = |data: &str| data.to_owned();
        let (ours, theirs) = (private.name, self.public.name());
        let expected = private.dimensions.ok_or_else(|| AnswerError::NoFeatures { data: named(ours) })?;
        let found = self.public.features().map(Features::columns);
        let found = found.ok_or_else(|| AnswerError::NoFeatures { data: named(theirs) })?;
        if expected != found {
            return Err(AnswerError::OtherFeatures { private: named(ours), expected, public: named(theirs), found });
        }
        let classes = private.classes.ok_or_else(|| AnswerError::NoLabels { data: named(ours) })?;
        if let Some(labels) = self.public.labels() {
            let (apart, disjoint) = match (private.class_names, labels.names()) {
                (Some(ours), Some(theirs)) => (ours != theirs, !ours.iter().any(|name| theirs.contains(name))),
                // Classes without names are counted: the last ones may have no public node.
                _ => (labels.classes() > classes, false),
            };
            if apart {
                let in_words = |classes: u32, names: Option<&[String]>| match names {
                    Some(names) => format!("{} ({})", names.len(), names.join(", ")),
                    None => classes.to_string(),
                };
                return Err(AnswerError::OtherClasses {
                    disjoint,
                    private: named(ours),
                    expected: in_words(classes, private.class_names),
                    public: named(theirs),
                    found: in_words(labels.classes(), labels.names()),
                });
            }
        }
        if self.queries.is_empty() {
            return Err(AnswerError::NoQueries);
        }
        let nodes = self.public.nodes();
        match self.queries.iter().find(|&&node| node >= nodes) {
            Some(&node) => Err(AnswerError::NoSuchQuery { node, nodes }),
            None => Ok(()),
        }
    }

    /// The public graph with answers for labels, which may be learned from: what a student sees.
    fn answered(
        &self,
        private: &Private<Dataset>,
        answers: &[u32],
        guarantees: Vec<Guarantee>,
        permit: &Permit,
    ) -> Result<Privatised, AnswerError> {
        let withheld = "what teachers said before noise was added, and the teachers";
        self.labelled(private, answers, &|_| false, (guarantees, withheld), permit)
    }

    /// The same where some nodes that are asked about may not be learned from, and with what else is withheld.
    fn labelled(
        &self,
        private: &Private<Dataset>,
        answers: &[u32],
        unlearned: &dyn Fn(NodeId) -> bool,
        (guarantees, withheld): (Vec<Guarantee>, &str),
        permit: &Permit,
    ) -> Result<Privatised, AnswerError> {
        let nodes = self.public.nodes();
        let mut values = vec![None; nodes as usize];
        let tested = |node| self.public.split().is_some_and(|split| split.part(node) == Part::Test);
        let mut parts: Vec<Part> = (0..nodes).map(|node| if tested(node) { Part::Test } else { Part::None }).collect();
        for (&node, &answer) in self.queries.iter().zip(answers) {
            values[node as usize] = Some(answer);
            if !unlearned(node) {
                parts[node as usize] = Part::Train;
            }
        }
        let facts = private.public();
        let mut labels = Labels::new(facts.classes.unwrap_or(0), values).map_err(Misfit::from)?;
        if let Some(names) = facts.class_names {
            labels = labels.with_names(names.to_vec()).map_err(Misfit::from)?;
        }
        let data = self.public.clone().with_labels(labels).map_err(Misfit::from)?;
        let data = data.with_split(Split::new(parts)).map_err(Misfit::from)?;
        Ok(Privatised::answered(data, facts.name, (guarantees, withheld), permit))
    }
}
