//! Protocols in which every node reports a list of nodes.
//!
//! Two inputs are adjacent if in one node's list one neighbour is exchanged for another (*edge-set*), or one is there
//! or not (*edge-bit*). All other lists stay as they are, and so does what others answer. The promise is about any
//! list, so the auditor may choose it, and the shortest tell most: the report of a node with one neighbour says nothing
//! but what became of that one.
//!
//! `pairs` draws the inputs that are compared. What is compared follows from the protocol: `slots` (GraphPrivatizer:
//! what a neighbour can become), `removals` (two hops: what a list without one entry cannot name any more),
//! `replacements` (the thesis: one node that follows from the neighbour) and `symmetric` (neighbour-krr and edge-flip:
//! one pair stands for all). For the guesses, `carriers` replaces the lists of some nodes, and `canaries` runs the
//! protocol once and scores what these nodes report by its exact likelihood. `words` writes nodes by their names.

mod canaries;
mod carriers;
mod pairs;
mod removals;
mod replacements;
mod slots;
mod symmetric;
#[cfg(test)]
mod tests;
mod words;

use veil_graph::{Dataset, NodeId};
use veil_privacy::protocol::{self, Protocol};
use veil_privacy::{Fraction, Guarantee, Unit};

use super::{Audit, AuditError, Claim, Exact, Options, Witness};

/// The fewest nodes among which one node can have one of two others in its list.
const LEAST: usize = 3;

/// What one neighbour can become, with exact probabilities.
type Outcomes = Vec<(NodeId, Fraction)>;

/// What exact distributions say, and the counterexample if they hold one.
struct Finding {
    exact: Exact,
    witness: Option<Witness>,
}

/// Audits each promise of a protocol on this data set: by its distributions and by canaries. Features are compared as they are.
///
/// # Errors
/// If the data have fewer than three nodes or lack features that are compared, or the protocol is for another number of
/// nodes.
pub fn audit(protocol: &dyn Protocol, data: &Dataset, options: &Options) -> Result<Vec<Audit>, AuditError> {
    let (mechanism, nodes) = (|| protocol.name().to_owned(), data.nodes() as usize);
    if nodes < LEAST {
        return Err(AuditError::TooSmall { mechanism: mechanism(), nodes, least: LEAST });
    }
    if protocol.compares_features() && data.features().is_none() {
        return Err(AuditError::Missing { mechanism: mechanism(), what: "features" });
    }
    let one = |guarantee: &Guarantee| {
        let claim = Claim::from(guarantee);
        let canaries = canaries::run(protocol, data, &claim, options)?;
        let Finding { exact, witness } = compare(protocol, data, &claim, options)?;
        Ok(Audit::new(claim, Some(exact), canaries, witness))
    };
    protocol.guarantees().iter().map(one).collect()
}

/// The exact part.
fn compare(protocol: &dyn Protocol, data: &Dataset, claim: &Claim, options: &Options) -> Result<Finding, AuditError> {
    let promise = claim.claimed;
    match protocol.exact() {
        protocol::Exact::GraphPrivatizer(it) => slots::compare(it, data, promise, options),
        protocol::Exact::TwoHopRr(it) => Ok(removals::compare(it, data, promise, options)),
        protocol::Exact::DummyExchange(_) | protocol::Exact::ShuffledQuery(_) => {
            replacements::compare(protocol, data, promise, options)
        }
        protocol::Exact::Slots { keep, exchange } => Ok(symmetric::slots(&keep, &exchange, promise)),
        protocol::Exact::Bits(bits) if claim.unit == Unit::EdgeSet => Ok(symmetric::exchanged(&bits, promise)),
        protocol::Exact::Bits(bits) => Ok(symmetric::flipped(&bits, promise)),
    }
}
