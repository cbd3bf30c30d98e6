//! The guarantees of a release.
//!
//! A [`Guarantee`] names the protected [`Unit`], the [`Trust`] model, ε and δ, and its [`Status`],
//! with its [`Assumption`]s and the parameters of its mechanism ([`ParameterList`]). `compose` adds
//! guarantees up per unit; `statement` writes them as a privacy statement, and [`Meaning`] says
//! what ε and δ let an attacker learn.

mod assumption;
mod compose;
pub mod html;
mod meaning;
mod parameter_list;
mod statement;

#[cfg(test)]
mod tests;

pub use assumption::{Assumption, ReleasedAt};
pub use compose::{Spent, compose, compose_releases};
pub use meaning::{FALSE_POSITIVES, Meaning, Prior, Source};
pub use parameter_list::ParameterList;
pub use statement::{Booking, Statement};

use serde::{Deserialize, Serialize};

use crate::budget::{Delta, Epsilon};

crate::words! {
    /// The unit of protection: what distinguishes two adjacent inputs.
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
    /// Whether it is a view on edges.
    pub fn is_about_edges(self) -> bool {
        matches!(self, Unit::EdgeBit | Unit::EdgeSet | Unit::Edge)
    }

    /// One sentence: what one ε of it protects, and against whom.
    pub fn about(self) -> &'static str {
        match self {
            Unit::Feature => "one user's features; the user perturbs them and trusts nobody",
            Unit::Label => "one user's label; the user perturbs it and trusts nobody",
            Unit::EdgeBit => {
                "whether one given node is in one user's list; nobody is trusted; a relationship is in two lists and costs twice"
            }
            Unit::EdgeSet => "who one neighbour of a user is, not how many there are; nobody is trusted",
            Unit::Edge => "whether one undirected edge exists; the owner of the graph is trusted",
            Unit::Node => "whether one person with features, label and edges is in the data; the owner is trusted",
        }
    }

    /// Every unit with its sentence, one per line.
    pub fn list() -> String {
        let lines = Unit::ALL.map(|unit| format!("  {:<9} {}", unit.name(), unit.about()));
        lines.join("\n")
    }

    /// The unit as the subject of a sentence.
    pub fn in_words(self) -> &'static str {
        match self {
            Unit::Feature => "Each user's whole feature vector",
            Unit::Label => "Each user's label",
            Unit::EdgeBit => "Each single entry of a user's neighbour list (whether or not one given node is in it)",
            Unit::EdgeSet => "The identity of each neighbour of a user (not the number of neighbours)",
            Unit::Edge => "Each single edge (whether or not it exists)",
            Unit::Node => "Each single node with its features, label and edges (whether or not it is in the data)",
        }
    }
}

crate::words! {
    /// The trust model.
    pub enum Trust: "trust model" {
        /// Local: each user perturbs their own data and trusts no other party.
        Local = "local",
        /// Central: users trust the owner, who holds the raw data and perturbs the release.
        Central = "central",
    }
}

crate::words! {
    /// Whether a guarantee holds.
    pub enum Status: "status" {
        /// Proven: the proof has been checked, and the sampling is exact.
        Proven = "proven",
        /// Claimed: published, but not proven or not checked.
        Claimed = "claimed",
        /// Refuted: a counterexample exists.
        Refuted = "refuted",
        /// No guarantee: the data are released unperturbed.
        None = "none",
    }
}

impl Status {
    /// The status as a table shows it: noise from a known seed protects nothing.
    pub fn shown(self, reproducible: bool) -> String {
        // A known seed contradicts a proof only.
        let joined = if self == Status::Proven { "but" } else { "and" };
        if reproducible { format!("{self}, {joined} NOT PRIVATE (seed)") } else { self.to_string() }
    }
}

impl Guarantee {
    /// The status as a table shows it.
    pub fn shown_status(&self) -> String {
        self.status.shown(self.reproducible)
    }
}

/// The guarantee of one release for one unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Guarantee {
    /// The protected unit.
    pub unit: Unit,
    /// The trust model.
    pub trust: Trust,
    /// ε of one report (local) or of the release (central).
    pub epsilon: Epsilon,
    /// δ, likewise.
    pub delta: Delta,
    /// Whether the guarantee holds.
    pub status: Status,
    /// Whether the noise is derived from a known seed: then nothing is private, whatever the
    /// status.
    pub reproducible: bool,
    /// ε of a relationship that both ends report, if it applies: an undirected edge is one bit in
    /// two lists.
    pub per_relationship: Option<Epsilon>,
    /// The mechanism.
    pub mechanism: String,
    /// All its parameters.
    pub parameters: ParameterList,
    /// The assumptions of the guarantee.
    #[serde(serialize_with = "assumption::with_text")]
    pub assumptions: Vec<Assumption>,
    /// What is not protected.
    pub not_protected: Vec<String>,
    /// The source of the guarantee and its proof.
    pub source: String,
}
