//! What a release promises, in words that mean one thing each.
//!
//! A [`Guarantee`] names the [`Unit`] that it protects, whom one has to [`Trust`], ε and δ, and its [`Status`]: whether
//! that is proven. `compose` adds guarantees up, each unit for itself; `statement` says it all in sentences that an
//! owner can publish.

mod compose;
mod statement;

#[cfg(test)]
mod tests;

pub use compose::{Spent, compose};
pub use statement::{Booking, Statement};

use serde::{Deserialize, Serialize};

use crate::budget::{Delta, Epsilon};

/// What one ε protects: in which one thing two inputs may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// One user's feature vector, replaced by any other in the public range.
    Feature,
    /// One user's label, replaced by any other class.
    Label,
    /// One bit of one user's neighbour list.
    EdgeBit,
    /// One element of one user's neighbour set, exchanged for any other.
    EdgeSet,
    /// One undirected edge of the graph, present or absent.
    Edge,
    /// One node with its features, label and edges, present or absent.
    Node,
}

impl Unit {
    /// All units, in the order in which they are listed.
    pub const ALL: [Unit; 6] = [Unit::Feature, Unit::Label, Unit::EdgeBit, Unit::EdgeSet, Unit::Edge, Unit::Node];

    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Feature => "feature",
            Unit::Label => "label",
            Unit::EdgeBit => "edge-bit",
            Unit::EdgeSet => "edge-set",
            Unit::Edge => "edge",
            Unit::Node => "node",
        }
    }

    /// Whether it is one of the views on edges.
    pub fn is_about_edges(self) -> bool {
        matches!(self, Unit::EdgeBit | Unit::EdgeSet | Unit::Edge)
    }

    /// What is protected, as the subject of a sentence.
    pub fn in_words(self) -> &'static str {
        match self {
            Unit::Feature => "Each user's whole feature vector",
            Unit::Label => "Each user's label",
            Unit::EdgeBit => "Each single entry of a user's neighbour list (whether or not one given node is in it)",
            Unit::EdgeSet => "Which node a neighbour of a user is (not how many neighbours there are)",
            Unit::Edge => "Each single edge (whether or not it exists)",
            Unit::Node => "Each single node with its features, label and edges (whether or not it is in the data)",
        }
    }
}

impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// A word that names no unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is not a unit of protection (feature, label, edge-bit, edge-set, edge, node)")]
pub struct UnknownUnit {
    /// The word.
    pub given: String,
}

impl std::str::FromStr for Unit {
    type Err = UnknownUnit;

    fn from_str(text: &str) -> Result<Unit, UnknownUnit> {
        Unit::ALL.into_iter().find(|unit| unit.name() == text).ok_or_else(|| UnknownUnit { given: text.to_owned() })
    }
}

/// Whom the protected have to trust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// Nobody: each user perturbs their own data before it leaves them.
    Local,
    /// The owner, who holds the raw data and perturbs what leaves.
    Central,
}

impl Trust {
    /// The name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Trust::Local => "local",
            Trust::Central => "central",
        }
    }
}

/// Whether the promise holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// There is a proof that we checked, and the sampling is exact.
    Proven,
    /// It is published, but not proven or not checked.
    Claimed,
    /// A counterexample exists.
    Refuted,
    /// Nothing is promised: the data are released as they are.
    None,
}

impl Status {
    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Status::Proven => "proven",
            Status::Claimed => "claimed",
            Status::Refuted => "refuted",
            Status::None => "none",
        }
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl Guarantee {
    /// The status as a table shows it: with a known seed there is nothing to be proud of.
    pub fn shown_status(&self) -> String {
        // A seed takes something away from a proof alone; to the others it adds.
        let joined = if self.status == Status::Proven { "but" } else { "and" };
        if self.reproducible {
            format!("{}, {joined} NOT PRIVATE (seed)", self.status)
        } else {
            self.status.to_string()
        }
    }
}

/// What one release promises about one unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Guarantee {
    /// What is protected.
    pub unit: Unit,
    /// From whom.
    pub trust: Trust,
    /// ε of one report (local) or of the release (central).
    pub epsilon: Epsilon,
    /// δ, likewise.
    pub delta: Delta,
    /// Whether this holds.
    pub status: Status,
    /// Whether the noise came from a known seed: then, whatever the status, nothing is private.
    pub reproducible: bool,
    /// ε for a relationship that two users report, where there is one: an undirected edge is one bit in two lists.
    pub per_relationship: Option<Epsilon>,
    /// The mechanism.
    pub mechanism: String,
    /// All its parameters, in its canonical text.
    pub parameters: String,
    /// What must be true for the promise to hold.
    pub assumptions: Vec<String>,
    /// What is not protected.
    pub not_protected: Vec<String>,
    /// Where the promise and its proof come from.
    pub source: String,
}
