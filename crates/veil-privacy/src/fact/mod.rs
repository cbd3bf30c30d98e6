//! Facts: what leaves without a mechanism, and who said that it may.
//!
//! A guarantee is about everything that leaves, not about one mechanism. The number of nodes, the
//! classes, the ranges of columns and the like leave without noise. Where such a [`Fact`] differs
//! between two adjacent inputs it tells them apart with certainty, and no finite ε holds. So each
//! fact that a plan needs is one of three things ([`Standing`]), or there is no plan:
//!
//! - *equal* in all adjacent inputs of the protected unit, though it was computed from the data
//!   (the classes, for the unit edge);
//! - *given* by the owner, independently of the data (a list of nodes, a range);
//! - *declared* public by the owner, by name ([`Declarations`]): the guarantee then covers adjacent
//!   inputs that agree on it.
//!
//! [`Declarations::standing`] decides. `disclosed` collects the facts of one plan; the statement
//! lists those that were declared in its first paragraph, the others as not protected.

mod declarations;
mod disclosed;
#[cfg(test)]
mod tests;

pub use declarations::Declarations;
pub(crate) use disclosed::Disclosed;

use crate::guarantee::Unit;

crate::words! {
    /// Something that leaves without a mechanism.
    #[derive(PartialOrd, Ord)]
    pub enum Fact: "fact" {
        /// The number and the ids of the nodes.
        Nodes = "nodes",
        /// The number of feature dimensions.
        Dimensions = "dimensions",
        /// The number and the names of the classes.
        Classes = "classes",
        /// The minima and maxima of the feature columns, and which of them are constant.
        Columns = "columns",
        /// The split into training, validation and test nodes.
        Split = "split",
        /// The number of nodes of a private graph that labels a public one.
        PrivateNodes = "private-nodes",
        /// The features themselves.
        Features = "features",
        /// The labels themselves.
        Labels = "labels",
    }
}

/// How a fact came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The owner gave it, independently of the data.
    Given,
    /// It was computed from the data.
    Computed,
}

/// Why a fact may leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It was given independently of the data.
    Given,
    /// It is the same in all adjacent inputs of the unit.
    Equal,
    /// The owner declared it public.
    Declared,
}

impl Standing {
    /// Why the fact may leave.
    pub fn in_words(self) -> &'static str {
        match self {
            Standing::Given => "given",
            Standing::Equal => "the same whatever is protected",
            Standing::Declared => "declared public",
        }
    }
}

impl Fact {
    /// What it is.
    pub fn in_words(self) -> &'static str {
        match self {
            Fact::Nodes => "the number and the ids of the nodes",
            Fact::Dimensions => "the number of feature dimensions",
            Fact::Classes => "the classes",
            Fact::Columns => "the ranges of the feature columns, and which of them are constant",
            Fact::Split => "the split into training, validation and test nodes",
            Fact::PrivateNodes => "the number of private nodes",
            Fact::Features => "the features themselves",
            Fact::Labels => "the labels of training and validation nodes themselves",
        }
    }

    /// Why it is not public by itself.
    pub fn why_not_public(self) -> &'static str {
        match self {
            Fact::Nodes => "they were collected from the data, so one entry more or less can change them",
            Fact::Dimensions => {
                "they were counted up to the largest one in use, so one user's features can change them"
            }
            Fact::Classes => "they were counted among the labels, so one user's label can change them",
            Fact::Columns => "they are minima and maxima over all users, so one user's features can change them",
            Fact::Split => "it was drawn with the labels in view or over all nodes, so one user can change it",
            Fact::PrivateNodes => "one private node more or less changes it",
            Fact::Features => "they are every user's own",
            Fact::Labels => "they are every user's own",
        }
    }

    /// How the owner gives it, independently of the data.
    pub fn given_by(self) -> &'static str {
        match self {
            Fact::Nodes => "give the list of nodes (nodes.csv, or their number in meta.json)",
            Fact::Dimensions => "give their number (features in meta.json)",
            Fact::Classes => "give their number (classes in meta.json, or classes.csv)",
            Fact::Columns => {
                "give a range that holds for any user (feature_range in meta.json), without min–max scaling"
            }
            Fact::Split => {
                "use a split that depends neither on labels nor, where nodes are added or removed, on other nodes"
            }
            Fact::PrivateNodes => "use parameters that do not depend on it",
            Fact::Features | Fact::Labels => "release them with a finite ε",
        }
    }

    /// Whether an owner may declare it public for every release to come, with the data. What is
    /// every user's own is declared for one release at a time.
    pub fn may_be_stored(self) -> bool {
        !matches!(self, Fact::Features | Fact::Labels)
    }

    /// Whether it is the same in all adjacent inputs of a unit even if it was computed from the
    /// data: what the unit protects did not take part in it.
    pub fn is_equal_for(self, unit: Unit) -> bool {
        let edges = unit.is_about_edges();
        match self {
            // Any table may name a node that no other names.
            Fact::Nodes => false,
            Fact::Dimensions | Fact::Columns | Fact::Features => edges || unit == Unit::Label,
            Fact::Classes | Fact::Split | Fact::Labels => edges || unit == Unit::Feature,
            Fact::PrivateNodes => unit != Unit::Node,
        }
    }
}

/// A fact that is neither equal in all adjacent inputs of a unit, nor given, nor declared public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The fact.
    pub fact: Fact,
    /// A unit that would not be protected.
    pub unit: Unit,
}

/// Why there is no plan: facts that would leave are not public.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{data}: {}", in_sentences(missing))]
pub struct NotPublic {
    /// The name of the data set.
    pub data: String,
    /// The facts, each once.
    pub missing: Vec<Missing>,
}

fn in_sentences(missing: &[Missing]) -> String {
    let sentence = |&Missing { fact, unit }: &Missing| {
        let (what, why) = (fact.in_words(), fact.why_not_public());
        format!("{what} (fact {fact}) would leave without noise, but {why}: no ε of unit {unit} covers that")
    };
    missing.iter().map(sentence).collect::<Vec<_>>().join("; ")
}

impl NotPublic {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        true
    }

    /// Both ways out.
    pub fn hint(&self) -> Option<String> {
        let ways: Vec<&str> = self.missing.iter().map(|missing| missing.fact.given_by()).collect();
        Some(format!("{}; or, if it is public, declare it: declare-public = {}", ways.join("; "), self.facts()))
    }

    /// The facts.
    pub fn facts(&self) -> Declarations {
        self.missing.iter().map(|missing| missing.fact).collect()
    }
}
