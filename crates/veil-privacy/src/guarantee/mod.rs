//! What a release promises, in words that mean one thing each.
//!
//! A [`Guarantee`] names the [`Unit`] that it protects, whom one has to [`Trust`], ε and δ, and its [`Status`]: whether
//! that is proven. `compose` adds guarantees up, each unit for itself; `statement` says it all in sentences that an
//! owner can publish.

mod assumption;
mod compose;
mod parameter_list;
mod statement;

#[cfg(test)]
mod tests;

pub use assumption::{Assumption, ReleasedAt};
pub use compose::{Spent, compose};
pub use parameter_list::ParameterList;
pub use statement::{Booking, Statement};

use serde::{Deserialize, Serialize};

use crate::budget::{Delta, Epsilon};

crate::words! {
    /// What one ε protects: in which one thing two inputs may differ.
    #[derive(PartialOrd, Ord)]
    pub enum Unit: "unit of protection" {
        /// One user's feature vector, replaced by any other in the public range.
        Feature = "feature",
        /// One user's label, replaced by any other class.
        Label = "label",
        /// One bit of one user's neighbour list.
        EdgeBit = "edge-bit",
        /// One element of one user's neighbour set, exchanged for any other.
        EdgeSet = "edge-set",
        /// One undirected edge of the graph, present or absent.
        Edge = "edge",
        /// One node with its features, label and edges, present or absent.
        Node = "node",
    }
}

impl Unit {
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

crate::words! {
    /// Whom the protected have to trust.
    pub enum Trust: "trust model" {
        /// Nobody: each user perturbs their own data before it leaves them.
        Local = "local",
        /// The owner, who holds the raw data and perturbs what leaves.
        Central = "central",
    }
}

crate::words! {
    /// Whether the promise holds.
    pub enum Status: "status" {
        /// There is a proof that we checked, and the sampling is exact.
        Proven = "proven",
        /// It is published, but not proven or not checked.
        Claimed = "claimed",
        /// A counterexample exists.
        Refuted = "refuted",
        /// Nothing is promised: the data are released as they are.
        None = "none",
    }
}

impl Status {
    /// The status as a table shows it: noise from a known seed protects nothing.
    pub fn shown(self, reproducible: bool) -> String {
        // A seed takes something away from a proof alone; to the others it adds.
        let joined = if self == Status::Proven { "but" } else { "and" };
        if reproducible { format!("{self}, {joined} NOT PRIVATE (seed)") } else { self.to_string() }
    }
}

impl Guarantee {
    /// The status as a table shows it.
    pub fn shown_status(&self) -> String {
        self.status.shown(self.reproducible)
    }

    /// The assumptions that say that something was read which ε does not cover.
    pub fn unaccounted(&self) -> impl Iterator<Item = &Assumption> {
        self.assumptions.iter().filter(|assumption| !assumption.is_accounted())
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
    /// All its parameters.
    pub parameters: ParameterList,
    /// What must be true for the promise to hold.
    #[serde(serialize_with = "assumption::with_text")]
    pub assumptions: Vec<Assumption>,
    /// What is not protected.
    pub not_protected: Vec<String>,
    /// Where the promise and its proof come from.
    pub source: String,
}
