//! Membership inference: did a model learn from a node?
//!
//! [`attack`] does everything, from a run and raw data to a [`Report`]. `population` divides the
//! nodes: members (nodes that the model may have learned from), others of the same kind that it did
//! not learn from, and a pool for shadow models. `matched` draws as many members as others in
//! every class: a model is more certain about some classes than about others, and that alone would
//! tell members from others. `shadows` trains the shadow models. `Answers` are all that an
//! attack sees of a model: the posterior of a node, and its class, which the adversary knows.
//!
//! Five [`Signal`]s rate the answers. `answers` holds those that need nothing else: the loss (Yeom
//! et al. 2018), the confidence and the entropy (Salem et al. 2019; Song and Mittal 2021).
//! `vectors` learns from shadow models what sorted posteriors of members look like (Shokri et al.
//! 2017; Salem et al. 2019). `lira` compares the certainty about a node with that of shadows that
//! did not learn from it (Carlini et al. 2022). Shadows also choose every threshold, because an
//! adversary does not know the truth. `scores` compares with the truth.
//!
//! **What the figures mean.** An AUC of 1/2 says that these attacks found nothing; a stronger one
//! might. No figure of one model tests an ε: ε bounds all attacks, on two worlds that differ in one
//! node.

mod answers;
mod lira;
mod matched;
mod population;
mod scores;
mod shadows;
mod vectors;

#[cfg(test)]
mod tests;

pub use population::RawData;
pub use scores::Scores;

use serde::Serialize;
use veil_graph::DatasetError;
use veil_learn::Run;
use veil_learn::pipeline::{Hooks, PipelineError};
use veil_privacy::parameters::{Kind, Parameters, Settings};
use veil_privacy::{parameters, words};

use crate::attack::{Attack, AttackError, Entry};
use answers::Answers;
use population::{Population, Queried, SMALLEST_POOL};

/// The name of the attack.
pub const NAME: &str = "membership";

/// The smallest number of shadows: about half of them did not learn from a node of their pool, and
/// a deviation needs two.
pub const FEWEST_SHADOWS: usize = 4;

parameters! {
    /// Parameters of the attack on membership.
    pub struct Params: Attack {
        /// Number of shadow models
        shadows: usize = 8 => Kind::Whole,
        /// Attack all nodes, without matching class frequencies of members and non-members (which
        /// alone reveal membership)
        unmatched: bool = false => Kind::Switch,
    }
}

/// The line in the table of attacks.
pub(crate) const ENTRY: Entry = Entry {
    name: NAME,
    title: "membership inference",
    about: "Infer which nodes a model was trained on (Shokri et al. 2017; Carlini et al. 2022)",
    on_posteriors: false,
    parameters: || Params::default().list(),
    configure,
};

fn configure(settings: &Settings) -> Result<Attack, AttackError> {
    let mut params = Params::default();
    params.apply(settings)?;
    Ok(Attack::Membership(params))
}

/// Role of a node of the pool for a shadow model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// The shadow learned from it.
    Member,
    /// It did not.
    Other,
    /// The node chose an epoch, and is neither.
    Validation,
}

/// A model like the attacked one, trained by the adversary, who therefore knows its members.
#[derive(Clone, Debug)]
struct Shadow {
    /// Answers about the pool from which its members were drawn: the same nodes in the same order
    /// for all shadows.
    pub pool: Answers,
    /// The role of each of these nodes.
    pub roles: Vec<Role>,
    /// Answers about the attacked nodes. It learned from none of them.
    pub attacked: Answers,
}

words! {
    /// What an answer is rated by: the higher, the more likely a member.
    pub enum Signal: "signal" {
        /// The probability of the true class.
        Loss = "loss",
        /// The probability of the most likely class.
        Confidence = "confidence",
        /// The entropy of the posterior.
        Entropy = "entropy",
        /// A classifier of sorted posteriors that learned from shadows.
        ConfidenceVector = "confidence-vector",
        /// The certainty about the true class, in deviations above that of shadows.
        LikelihoodRatio = "likelihood-ratio",
    }
}

/// Success of one signal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// The signal.
    #[serde(rename = "attack")]
    pub signal: Signal,
    /// Its success.
    #[serde(flatten)]
    pub scores: Scores,
}

/// Number of attacked nodes, and of nodes to draw them from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Drawn {
    /// Attacked nodes.
    pub asked: usize,
    /// Nodes to draw from.
    pub available: usize,
}

/// Result of an attack on membership.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Members.
    pub members: Drawn,
    /// Others.
    pub others: Drawn,
    /// Whether every class has as many members as others.
    pub classes_matched: bool,
    /// The graphs in which the attacked nodes are queried.
    pub asked_in: &'static str,
    /// Number of shadow models.
    pub shadows: usize,
    /// Nodes from which shadows draw their members. None of them is attacked.
    pub shadow_pool: usize,
    /// Nodes that each shadow learns from.
    pub shadow_members: usize,
    /// The success of each signal.
    pub found: Vec<Found>,
}

/// Why an attack on membership failed.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum MembershipError {
    #[error(transparent)]
    Attack(#[from] AttackError),
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    #[error("{answers} posteriors for {nodes} nodes")]
    Length { answers: usize, nodes: usize },
    #[error("a node has class {class}, but posteriors have {classes} classes")]
    NoSuchClass { class: u32, classes: usize },
    #[error("a posterior contains {value}, which is not a probability")]
    NoProbability { value: f32 },
    #[error("no {what} with known classes")]
    Nobody { what: &'static str },
    #[error("{shadows} shadow models are too few: at least {FEWEST_SHADOWS} are needed")]
    TooFewShadows { shadows: usize },
    #[error("a shadow model answered about {found} nodes instead of {expected}")]
    OtherNodes { found: usize, expected: usize },
    #[error("no shadow model has both members and others in its pool")]
    NothingToLearn,
    #[error("the classifier of sorted posteriors cannot be trained: {0}")]
    Classifier(Box<dyn std::error::Error + Send + Sync>),
    #[error("the split of the run has no test nodes to compare members with")]
    NoTestNodes,
    #[error("{data} has no labels: the class of every attacked node must be known")]
    NoLabels { data: String },
    #[error("{truth} and {outside} have no class in common: there are no nodes to attack")]
    NoCommonClass { truth: String, outside: String },
    #[error("{nodes} nodes are too few to train shadow models on: at least {SMALLEST_POOL} are needed")]
    SmallPool { nodes: usize },
    #[error("node {node} is in {first} and in {second}: members, others and shadow data must be disjoint")]
    SharedNode { node: String, first: String, second: String },
}

impl From<DatasetError> for MembershipError {
    fn from(error: DatasetError) -> MembershipError {
        MembershipError::Pipeline(error.into())
    }
}

impl MembershipError {
    /// Whether the caller asked for something that cannot be done.
    pub fn is_usage(&self) -> bool {
        match self {
            MembershipError::TooFewShadows { .. } | MembershipError::NoTestNodes | MembershipError::NoLabels { .. } => {
                true
            }
            MembershipError::Attack(error) => error.is_usage(),
            MembershipError::Pipeline(error) => error.is_usage(),
            _ => false,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            MembershipError::Attack(error) => error.hint(),
            MembershipError::Pipeline(error) => error.hint(),
            _ => None,
        }
    }
}

/// Attacks a run: trains shadow models with its parameters, and tells members from others by all
/// signals.
///
/// Members are the training nodes of the run, compared with its test nodes; with outside data the
/// training nodes of `truth`, compared with nodes of the outside data. The model is then applied to
/// both graphs, so that a student, which was trained on public data, can be queried about the
/// private graph of its teachers. Shadow models train on a random half of the test nodes or the
/// outside data; the other half is attacked.
///
/// # Errors
/// If there are too few nodes or shadows, or data and model do not fit together.
pub fn attack(
    run: &Run,
    data: RawData,
    params: &Params,
    seed: u64,
    hooks: &dyn Hooks,
) -> Result<Report, MembershipError> {
    if params.shadows < FEWEST_SHADOWS {
        return Err(MembershipError::TooFewShadows { shadows: params.shadows });
    }
    let population = Population::new(data, run, !params.unmatched, seed)?;
    let attacked = population.answers(run, true, seed)?;
    let training = shadows::Training { run, population: &population, seed, hooks };
    let shadows = training.shadows(params.shadows)?;
    let is_member = |role: &&Role| **role == Role::Member;
    let Population { members, others, available, queried, pool } = &population;
    Ok(Report {
        members: Drawn { asked: members.len(), available: available[0] },
        others: Drawn { asked: others.len(), available: available[1] },
        classes_matched: !params.unmatched,
        asked_in: match queried {
            Queried::OfRun(_) => "the run's graph",
            Queried::Separate(_) => "the graph among members, and that among others",
        },
        shadows: shadows.len(),
        shadow_pool: pool.nodes.len(),
        shadow_members: shadows.first().map_or(0, |shadow| shadow.roles.iter().filter(is_member).count()),
        found: rate(&attacked, &shadows, seed)?,
    })
}

/// Rates the answers about members and about others by every signal. The seed is that of the
/// classifier's weights and of the resamples.
fn rate([members, others]: &[Answers; 2], shadows: &[Shadow], seed: u64) -> Result<Vec<Found>, MembershipError> {
    for (answers, what) in [(members, "members"), (others, "others")] {
        if answers.len() == 0 {
            return Err(MembershipError::Nobody { what });
        }
    }
    let attacked = &members.followed_by(others)?;
    let is_member: Vec<bool> = (0..attacked.len()).map(|place| place < members.len()).collect();
    check(attacked, shadows)?;
    let found = |signal: Signal| -> Result<Found, MembershipError> {
        let (ratings, learned) = match signal {
            Signal::Loss => simple(attacked, shadows, Answers::losses),
            Signal::Confidence => simple(attacked, shadows, Answers::confidences),
            Signal::Entropy => simple(attacked, shadows, Answers::entropies),
            Signal::ConfidenceVector => {
                let classifier = vectors::Classifier::train(shadows, seed)?;
                let of_shadows = shadows.iter().map(|shadow| classifier.ratings(&shadow.pool));
                let of_shadows = of_shadows.collect::<Result<Vec<_>, _>>()?;
                let known = of_shadows.iter().zip(shadows).flat_map(|(ratings, shadow)| known(ratings, shadow));
                (classifier.ratings(attacked)?, known.collect())
            }
            Signal::LikelihoodRatio => (lira::ratings(attacked, shadows), lira::among_shadows(shadows)),
        };
        let threshold = scores::threshold(&learned);
        Ok(Found { signal, scores: Scores::new(&ratings, &is_member, threshold, seed) })
    };
    Signal::ALL.into_iter().map(found).collect()
}

fn check(attacked: &Answers, shadows: &[Shadow]) -> Result<(), MembershipError> {
    if shadows.len() < FEWEST_SHADOWS {
        return Err(MembershipError::TooFewShadows { shadows: shadows.len() });
    }
    let pool = shadows[0].roles.len();
    for shadow in shadows {
        let pairs = [(shadow.attacked.len(), attacked.len()), (shadow.pool.len(), pool), (shadow.roles.len(), pool)];
        if let Some(&(found, expected)) = pairs.iter().find(|(found, expected)| found != expected) {
            return Err(MembershipError::OtherNodes { found, expected });
        }
    }
    let has_both = |shadow: &Shadow| [Role::Member, Role::Other].iter().all(|role| shadow.roles.contains(role));
    if shadows.iter().any(has_both) { Ok(()) } else { Err(MembershipError::NothingToLearn) }
}

/// Ratings by the answer alone; beside them those of shadows, with the truth about each.
fn simple(attacked: &Answers, shadows: &[Shadow], rate: impl Fn(&Answers) -> Vec<f64>) -> (Vec<f64>, Vec<(f64, bool)>) {
    let learned = shadows.iter().flat_map(|shadow| known(&rate(&shadow.pool), shadow)).collect();
    (rate(attacked), learned)
}

/// The ratings of a shadow's members and others, with the truth about each.
fn known(ratings: &[f64], shadow: &Shadow) -> Vec<(f64, bool)> {
    let rated = ratings.iter().zip(&shadow.roles).filter(|(_, role)| **role != Role::Validation);
    rated.map(|(&rating, &role)| (rating, role == Role::Member)).collect()
}
