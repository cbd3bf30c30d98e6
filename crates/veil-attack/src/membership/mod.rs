//! Membership inference: was a node's data learned from?
//!
//! Who is asked about are members (nodes that the model may have learned from) and others of the same kind that it did not. `matched`
//! draws as many of both in every class: a model is surer about some classes than about others, and that alone would tell members
//! from others where their classes differ. [`Answers`] are all that an attack sees of a model: a posterior, and the class of the
//! node, which the adversary knows as it knows the node.
//!
//! Five attacks rate the answers. `answers` holds those that need nothing else: the loss (Yeom et al. 2018), the confidence and the
//! entropy (Salem et al. 2019; Song and Mittal 2021). `vectors` learns from [`Shadow`] models what sorted posteriors of members look
//! like (Shokri et al. 2017; Salem et al. 2019). `lira` asks how much surer the model is about this very node than shadows are that did not
//! learn from it (Carlini et al. 2022). Shadows also choose every threshold: an adversary does not see how right it is. `scores`
//! compares with the truth.
//!
//! **What the figures mean.** An AUC of 1/2 says that these attacks found nothing; a stronger one might. No figure of one model tests
//! an ε: that bounds all attacks, and two worlds that differ in one node.

mod answers;
mod lira;
mod matched;
mod scores;
mod vectors;

#[cfg(test)]
mod tests;

pub use answers::Answers;
pub use matched::matched;
pub use scores::{AtFpr, Scores};

use crate::attack::AttackError;

/// What a shadow model did with a node of its pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It learned from it.
    Member,
    /// It did not.
    Other,
    /// Something between: the node chose an epoch.
    Neither,
}

/// A model like the one that is attacked, trained by the adversary, who therefore knows its members.
#[derive(Clone, Debug)]
pub struct Shadow {
    /// What it says of the pool from which its members were drawn, the same nodes in the same order for all shadows.
    pub pool: Answers,
    /// What each of these nodes was to it.
    pub roles: Vec<Role>,
    /// What it says of the nodes that are asked about. It learned from none of them.
    pub attacked: Answers,
}

/// The nodes that are asked about: what the model said of them, and who is a member.
#[derive(Clone, Debug)]
pub struct Attacked {
    answers: Answers,
    is_member: Vec<bool>,
}

/// How an answer is turned into a rating: the higher, the more likely a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Attack {
    /// How likely the model finds the true class.
    Loss,
    /// How likely it finds its own answer.
    Confidence,
    /// How little it hesitates between all classes.
    Entropy,
    /// What a classifier of sorted posteriors says that learned from shadows.
    ConfidenceVector,
    /// By how many deviations it is surer of the true class than shadows are.
    LikelihoodRatio,
}

impl Attack {
    /// Every attack.
    pub const ALL: [Attack; 5] =
        [Attack::Loss, Attack::Confidence, Attack::Entropy, Attack::ConfidenceVector, Attack::LikelihoodRatio];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Attack::Loss => "loss",
            Attack::Confidence => "confidence",
            Attack::Entropy => "entropy",
            Attack::ConfidenceVector => "confidence vector",
            Attack::LikelihoodRatio => "likelihood ratio",
        }
    }
}

/// What an attack found.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Found {
    /// Which attack.
    pub attack: Attack,
    /// How right it was.
    #[serde(flatten)]
    pub scores: Scores,
}

/// The fewest shadows: about half of them did not learn from a node of their pool, and two make a deviation.
pub const FEWEST_SHADOWS: usize = 4;

/// Why membership could not be attacked.
#[derive(Debug, thiserror::Error)]
pub enum MembershipError {
    /// The model did not answer as it should.
    #[error(transparent)]
    Attack(#[from] AttackError),
    /// Not one class for each posterior.
    #[error("{answers} posteriors were given for {nodes} nodes")]
    Length {
        /// How many posteriors.
        answers: usize,
        /// How many nodes.
        nodes: usize,
    },
    /// A posterior without a column for the true class.
    #[error("a node is of class {class}, but posteriors have {classes} classes")]
    NoSuchClass {
        /// Its class.
        class: u32,
        /// How many there are.
        classes: usize,
    },
    /// What is no probability.
    #[error("a posterior holds {value}, which is no probability")]
    NoProbability {
        /// The number.
        value: f32,
    },
    /// Nobody to find, or nobody to tell them from.
    #[error("no {what} to ask about: there must be members and others with known classes")]
    Nobody {
        /// Members or others.
        what: &'static str,
    },
    /// Too few shadow models.
    #[error("{shadows} shadow models are too few: at least {FEWEST_SHADOWS} are needed")]
    TooFewShadows {
        /// How many there are.
        shadows: usize,
    },
    /// A shadow that was asked about other nodes.
    #[error("a shadow model answered about {found} nodes, but {expected} are asked about")]
    OtherNodes {
        /// About how many it answered.
        found: usize,
        /// About how many it should.
        expected: usize,
    },
    /// Shadows without members or others have nothing to teach.
    #[error("no shadow model has both members and others in its pool")]
    NothingToLearn,
    /// The classifier of posteriors could not be trained.
    #[error("the classifier of sorted posteriors cannot be trained: {0}")]
    Classifier(Box<dyn std::error::Error + Send + Sync>),
}

impl Attacked {
    /// Members first, then others.
    ///
    /// # Errors
    /// If there are none of either, or answers do not have the same number of classes.
    pub fn new(members: Answers, others: Answers) -> Result<Attacked, MembershipError> {
        for (answers, what) in [(&members, "members"), (&others, "others")] {
            if answers.len() == 0 {
                return Err(MembershipError::Nobody { what });
            }
        }
        let is_member = (0..members.len() + others.len()).map(|place| place < members.len()).collect();
        Ok(Attacked { answers: members.followed_by(&others)?, is_member })
    }

    /// How many members are asked about.
    pub fn members(&self) -> usize {
        self.is_member.iter().filter(|&&member| member).count()
    }

    /// How many others are asked about.
    pub fn others(&self) -> usize {
        self.is_member.len() - self.members()
    }
}

/// Runs every attack. The seed decides what the classifier begins with, and the resamples of the intervals.
///
/// # Errors
/// If there are too few shadows, or they were asked about other nodes.
pub fn run(attacked: &Attacked, shadows: &[Shadow], seed: u64) -> Result<Vec<Found>, MembershipError> {
    check(attacked, shadows)?;
    let found = |attack: Attack| -> Result<Found, MembershipError> {
        let (ratings, learned) = match attack {
            Attack::Loss => simple(attacked, shadows, Answers::losses),
            Attack::Confidence => simple(attacked, shadows, Answers::confidences),
            Attack::Entropy => simple(attacked, shadows, Answers::entropies),
            Attack::ConfidenceVector => {
                let classifier = vectors::Classifier::train(shadows, seed)?;
                let of_shadows = shadows.iter().map(|shadow| classifier.ratings(&shadow.pool));
                let of_shadows = of_shadows.collect::<Result<Vec<_>, _>>()?;
                let known = of_shadows.iter().zip(shadows).flat_map(|(ratings, shadow)| known(ratings, shadow));
                (classifier.ratings(&attacked.answers)?, known.collect())
            }
            Attack::LikelihoodRatio => (lira::ratings(&attacked.answers, shadows), lira::among_shadows(shadows)),
        };
        let threshold = scores::threshold(&learned);
        Ok(Found { attack, scores: Scores::new(&ratings, &attacked.is_member, threshold, seed) })
    };
    Attack::ALL.into_iter().map(found).collect()
}

fn check(attacked: &Attacked, shadows: &[Shadow]) -> Result<(), MembershipError> {
    if shadows.len() < FEWEST_SHADOWS {
        return Err(MembershipError::TooFewShadows { shadows: shadows.len() });
    }
    let pool = shadows[0].roles.len();
    for shadow in shadows {
        let pairs =
            [(shadow.attacked.len(), attacked.answers.len()), (shadow.pool.len(), pool), (shadow.roles.len(), pool)];
        if let Some(&(found, expected)) = pairs.iter().find(|(found, expected)| found != expected) {
            return Err(MembershipError::OtherNodes { found, expected });
        }
    }
    let has_both = |shadow: &Shadow| [Role::Member, Role::Other].iter().all(|role| shadow.roles.contains(role));
    if shadows.iter().any(has_both) { Ok(()) } else { Err(MembershipError::NothingToLearn) }
}

/// Ratings that follow from an answer alone; beside them those of shadows, with who was a member.
fn simple(
    attacked: &Attacked,
    shadows: &[Shadow],
    rate: impl Fn(&Answers) -> Vec<f64>,
) -> (Vec<f64>, Vec<(f64, bool)>) {
    let learned = shadows.iter().flat_map(|shadow| known(&rate(&shadow.pool), shadow)).collect();
    (rate(&attacked.answers), learned)
}

/// The ratings of a shadow's pool with who was a member, without those who were neither.
fn known(ratings: &[f64], shadow: &Shadow) -> Vec<(f64, bool)> {
    let rated = ratings.iter().zip(&shadow.roles).filter(|(_, role)| **role != Role::Neither);
    rated.map(|(&rating, &role)| (rating, role == Role::Member)).collect()
}
