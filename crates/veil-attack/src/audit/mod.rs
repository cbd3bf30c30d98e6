//! The auditor: does a mechanism keep its guarantee?
//!
//! A [`Claim`] is the guarantee under test. There are three ways to test it. [`code`] runs whole
//! releases of small adjacent inputs over all decisions of their coins: only this can show that the
//! code keeps its guarantee. [`exact`] computes with the thresholds and steps that a mechanism
//! declares: it checks the arithmetic of the proof, for all adjacent pairs or for those of the
//! data, and can prove a violation by a [`Witness`] (two inputs and an output). Canaries need no
//! distribution: a coin chooses one of two adjacent inputs, the mechanism runs, and an adversary
//! guesses the coins from the output. [`guesses`] says which canaries are guessed, and [`bounds`]
//! which ε so many right guesses refute.
//!
//! Good inputs and guesses depend on the mechanism: [`values`] (labels and features), [`lists`]
//! (neighbour lists), [`counts`] (degree vectors), [`cascade`] (sums over earlier neighbours),
//! [`sums`] (sums over all neighbours), [`graphs`] (whole graphs), [`moments`] (sums over whole
//! nodes), [`answers`] (labels of public nodes). [`pipeline`] guesses from a model after a whole
//! training instead. An [`Audit`] holds all findings and the [`Verdict`]; [`subjects`] is the table
//! of everything that can be audited.

mod adjacent;
pub mod answers;
pub mod bounds;
pub mod cascade;
pub mod code;
pub mod counts;
mod error;
pub mod exact;
pub mod graphs;
pub mod guesses;
pub mod lists;
pub mod moments;
pub mod pipeline;
mod report;
mod subject;
pub mod sums;
#[cfg(test)]
mod tests;
pub mod values;
mod walk;

pub use code::{Enumerated, Finding};
pub use error::AuditError;
pub use report::{Audit, CERTAIN, Canaries, Claim, Exact, Promise, Quantiles, Setup, TOLERANCE, Verdict, Witness};
pub use subject::{Subject, every, find, subjects};

use veil_graph::generate::{Asked, Kind};
use veil_graph::{Dataset, FractionsError, Split};
use veil_privacy::protocol::cascade::Heard;
use veil_privacy::release::EdgePlan;
use veil_privacy::{Epsilon, Trust, Unit};

/// The extent of an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Number of adjacent pairs that are compared exactly, if there are more.
    pub pairs: usize,
    /// The largest number of canaries.
    pub canaries: usize,
    /// Seed of the pairs, the canaries and the mechanism's coins.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options { pairs: 2000, canaries: 1000, seed: 1 }
    }
}

/// The data that are audited if none are given: a generated citation graph of 1,000 nodes.
///
/// # Errors
/// None that a caller could cause.
pub fn generated() -> Result<Dataset, AuditError> {
    let failed = |problem: String| AuditError::Generated { problem };
    let asked = Asked { nodes: Some(1000), ..Asked::default() };
    let data = asked.generate(Kind::Citation, 1).map_err(|error| failed(error.to_string()))?;
    let shares = "0.5,0.25,0.25".parse().map_err(|error: FractionsError| failed(error.to_string()))?;
    let split = Split::random(data.nodes(), shares, 1);
    Ok(data.with_split(split)?)
}

/// Audits a release of edges by its kind; `None` if it promises nothing.
fn of_edges(plan: &EdgePlan, data: &Dataset, options: &Options) -> Result<Option<Vec<Audit>>, AuditError> {
    Ok(Some(match plan {
        EdgePlan::Lists(protocol) => lists::audit(&**protocol, data, options)?,
        EdgePlan::Vectors(vectors) => counts::degree_vectors(vectors, data, options)?,
        EdgePlan::Graph(central) => vec![graphs::central(&**central, data, options)?],
        EdgePlan::Cascade(mechanism) => cascade::both_forms(mechanism, data, options)?,
        EdgePlan::Sums(mechanism) => sums::hops(mechanism, data, options)?,
        EdgePlan::Moments(mechanism) => moments::of_nodes(mechanism, options)?,
        EdgePlan::Raw | EdgePlan::Withheld => return Ok(None),
    }))
}

/// Enumerates small releases of edges by their kind; `build` plans one for so many nodes. `None` if
/// it promises nothing.
fn code_of_edges(
    build: &dyn Fn(u32) -> Result<EdgePlan, AuditError>,
    claim: &Claim,
    claimed: Epsilon,
) -> Result<Option<(Enumerated, Option<Witness>)>, AuditError> {
    let other = || AuditError::Code { problem: "the kind of release depends on the number of nodes".to_owned() };
    match build(3)? {
        EdgePlan::Lists(_) => {
            let list = |nodes| match build(nodes)? {
                EdgePlan::Lists(protocol) => Ok(protocol),
                _ => Err(other()),
            };
            code::lists::lists(&list, claim.unit)
        }
        EdgePlan::Graph(_) => {
            let graph = |nodes| match build(nodes)? {
                EdgePlan::Graph(mechanism) => Ok(mechanism),
                _ => Err(other()),
            };
            code::graphs::graphs(&graph)
        }
        EdgePlan::Vectors(vectors) => code::counts::vectors(vectors.unit(), claim.unit, claimed),
        EdgePlan::Cascade(cascade) => {
            // An owner counts every edge once.
            let (protected, heard) = match claim.trust {
                Trust::Local => (Unit::EdgeBit, cascade.params().heard),
                Trust::Central => (Unit::Edge, Heard::Earlier),
            };
            code::cascade::rows(protected, heard, claim.unit)
        }
        EdgePlan::Sums(_) => sums::code(),
        EdgePlan::Moments(mechanism) => moments::code(mechanism.params().adjacency),
        EdgePlan::Raw | EdgePlan::Withheld => Ok(None),
    }
}
