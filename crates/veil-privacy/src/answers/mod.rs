//! Labels of public nodes, answered from a private graph (PrivGNN, PATE, class sums).
//!
//! The owner of a private labelled graph answers label queries about public nodes. Teachers
//! ([`Teacher`]) learn from parts of the private graph; only noisy labels are released.
//! [`PerQuery`] draws a fresh sample and trains a teacher for every query (PrivGNN, Algorithm 1).
//! [`Votes`] trains a few teachers on disjoint parts, which vote (PATE). [`ClassSums`] has no
//! teachers: it releases noisy sums of embedded features per class, from which labels are computed.
//! [`NoisyGradients`] are those from which a network learns (DP-SGD); it labels the public nodes.
//! The protected unit is one private node with its features, its label and its edges.
//!
//! `label` has the mechanisms that release one label, `lesson` the input of a teacher, `teacher`
//! what the compiler enforces of one and what it does not, `kept` the stored answers of a resumable
//! release: they depend on the key of the release alone, so resuming gives the same answers at no
//! further cost.

pub mod class_sums;
pub mod gradients;
mod kept;
mod label;
mod lesson;
mod nearest;
pub mod per_query;
mod promise;
mod teacher;
pub mod votes;

#[cfg(test)]
mod tests;

pub use class_sums::{ClassSums, Embedding, Sums};
pub use gradients::{Gradients, Layers, NoisyGradients};
pub use kept::{Kept, KeptError};
pub use label::{LabelMechanism, LabelRelease, NoisyLogPosterior};
pub use lesson::Lesson;
pub(crate) use per_query::loss_of_one_label;
pub use per_query::{PerQuery, Teach};
pub use teacher::{Teacher, Tutor, Voter};
pub use votes::{Vote, Votes};

use veil_graph::read::Misfit;
use veil_graph::{Dataset, Features, GraphError, Labels, NodeId, Part, ShapeError, Split};

use crate::accounting::AccountingError;
use crate::budget::{BudgetError, Delta, Epsilon};
use crate::coins::Inputs;
use crate::fact::NotPublic;
use crate::guarantee::{Guarantee, Status};
use crate::mechanism::ParamError;
use crate::permit::{Permit, PermitError};
use crate::release::Privatised;
use crate::seal::{Private, Public};

/// How the promise of a mechanism follows from the parameters of a statement.
type Recompute = fn(&Guarantee) -> Result<(Epsilon, Delta, Status), AnswerError>;

/// The mechanisms, by name.
const MECHANISMS: [(&str, Recompute); 4] = [
    (per_query::NAME, per_query::recomputed),
    (votes::NAME, votes::recomputed),
    (class_sums::NAME, class_sums::recomputed),
    (gradients::NAME, gradients::recomputed),
];

/// The promise of a stated mechanism by its parameters; `None` if it is not one of these.
pub(crate) fn recomputed(stated: &Guarantee) -> Option<Result<(Epsilon, Delta, Status), AnswerError>> {
    let (_, recompute) = MECHANISMS.iter().find(|(name, _)| *name == stated.mechanism)?;
    Some(recompute(stated))
}

/// The public side of a release: a graph and the queried nodes.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The public graph. Of its labels, if any, only the classes are used.
    pub public: &'a Dataset,
    /// The queried nodes, in their order.
    pub queries: &'a [NodeId],
}

/// Why queries cannot be answered.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    #[error("{data} has no features, which teachers and comparisons require")]
    NoFeatures { data: String },
    #[error("{data} has no labels to answer with")]
    NoLabels { data: String },
    #[error("{public} has {found} feature dimensions, but {private} has {expected}")]
    OtherFeatures { private: String, expected: usize, public: String, found: usize },
    #[error("{shown} of {private} is in {public}: what is public cannot be protected")]
    Shown { private: String, public: String, shown: String },
    #[error("{public} and {private} have {}: {public} has {found}, {private} has {expected}",
        if *disjoint { "no classes in common" } else { "different classes, or a different order" })]
    OtherClasses { disjoint: bool, private: String, expected: String, public: String, found: String },
    #[error("γ must be above 0 and at most 1, not {given}")]
    BadGamma { given: f64 },
    #[error("K must be at least 1: a teacher requires a node to learn from")]
    NoNeighbours,
    #[error("K is {k}, but {data} has only {nodes} nodes")]
    TooManyNeighbours { k: u32, data: String, nodes: u32 },
    #[error("the parameter {name} is missing or out of range")]
    NoParameter { name: &'static str },
    #[error("the number of teachers must be between 1 and {most}, not {given}")]
    Teachers { given: u32, most: u32 },
    #[error("the number of noisy gradients must be between 1 and {most}, not {given}")]
    Gradients { given: u32, most: u32 },
    #[error("all {gradients} noisy gradients of this release have been used")]
    NoGradientLeft { gradients: u32 },
    #[error("there must be at least one query")]
    NoQueries,
    #[error("queried node {node} is not below the {nodes} public nodes")]
    NoSuchQuery { node: NodeId, nodes: u32 },
    #[error("the settings of teachers cannot be written: {source}")]
    Settings { source: serde_json::Error },
    #[error("teachers cannot learn: {problem}")]
    Teacher { problem: String },
    #[error(transparent)]
    NotPublic(#[from] NotPublic),
    #[error(transparent)]
    Parameters(#[from] ParamError),
    #[error(transparent)]
    Accounting(#[from] AccountingError),
    #[error(transparent)]
    Budget(#[from] BudgetError),
    #[error(transparent)]
    Permit(#[from] PermitError),
    #[error(transparent)]
    Kept(#[from] KeptError),
    #[error(transparent)]
    Misfit(#[from] Misfit),
    #[error(transparent)]
    Graph(#[from] GraphError),
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

impl AnswerError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        match self {
            AnswerError::Accounting(error) => error.is_usage(),
            AnswerError::Settings { .. }
            | AnswerError::NoGradientLeft { .. }
            | AnswerError::Permit(_)
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
            AnswerError::NotPublic(error) => error.hint(),
            _ => None,
        }
    }
}

impl Asked<'_> {
    /// Checks that both graphs have features and the private one labels, and that they have nothing
    /// in common as far as can be detected: not the same data, and no node of the same name (unless
    /// names are mere numbers).
    ///
    /// # Errors
    /// If data are missing, or the public graph contains private nodes.
    pub fn apart(private: &Private<Dataset>, public: &Dataset) -> Result<(), AnswerError> {
        let facts = private.public();
        let without_features = [(facts.name, facts.dimensions.is_none()), (public.name(), public.features().is_none())];
        if let Some((data, _)) = without_features.into_iter().find(|(_, missing)| *missing) {
            return Err(AnswerError::NoFeatures { data: data.to_owned() });
        }
        if facts.classes.is_none() {
            return Err(AnswerError::NoLabels { data: facts.name.to_owned() });
        }
        match private.open().shared_with(public) {
            None => Ok(()),
            Some(shown) => {
                let (private, public) = (facts.name.to_owned(), public.name().to_owned());
                Err(AnswerError::Shown { private, public, shown })
            }
        }
    }

    /// Checks these queries against the facts of a private graph, which must be public.
    fn check(&self, private: &Public<'_>) -> Result<(), AnswerError> {
        promise::disclosed(private)?;
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
                // Classes without names: the last ones may have no public node.
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

    /// The queries and the public graph decide the answers, and so do the settings of teachers: the
    /// coins depend on them.
    fn inputs(&self, teachers: &str) -> Inputs {
        Inputs::of()
            .with("public", &self.public.fingerprint().0)
            .with_numbers("queries", self.queries)
            .with("teachers", teachers.as_bytes())
            .digest()
    }

    /// The public graph with the answers as training labels.
    fn answered(
        &self,
        private: &Private<Dataset>,
        answers: &[u32],
        guarantees: Vec<Guarantee>,
        permit: &Permit,
    ) -> Result<Privatised, AnswerError> {
        let withheld = "the teachers and their answers without noise";
        self.labelled(private, answers, &|_| false, (guarantees, withheld), permit)
    }

    /// The same where some queried nodes are not for training; `withheld` names withheld data.
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
        let declared = promise::disclosed(&facts)?.declared();
        Ok(Privatised::answered(data, (facts.name, declared), (guarantees, withheld), permit))
    }
}
