//! Protocols in which every node reports a list of nodes.
//!
//! Two inputs are adjacent if, in one node's list, one neighbour is exchanged for another
//! (*edge-set*), or is present in one of them only (*edge-bit*). Where a pair of nodes is in one
//! list only, an edge that both ends list is audited too (*edge*). All other lists, and the answers
//! of other nodes, are the same. The guarantee holds for every list, so the auditor chooses the
//! shortest: the report of a node with one neighbour depends on that neighbour alone.
//!
//! `pairs` draws the compared inputs. The comparison follows from
//! [`Protocol::exact`]: `slots` (GraphPrivatizer: the
//! candidates of a neighbour), `removals` (two hops: nodes that a shorter list cannot report),
//! `replacements` (the thesis: one node determined by the neighbour) and `symmetric` (independent
//! slots or bits: one pair is representative). For the guesses, `carriers` replaces the lists of
//! some nodes, and `canaries` runs the protocol once and scores the reports of these nodes by their
//! exact likelihood. `words` writes nodes by name.

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

/// The smallest number of nodes with two possible neighbours for a node.
const LEAST: usize = 3;

/// The possible replacements of one neighbour, with exact probabilities.
type Outcomes = Vec<(NodeId, Fraction)>;

/// The result of comparing exact distributions, with a counterexample if there is one.
struct Finding {
    exact: Exact,
    witness: Option<Witness>,
}

/// Audits each guarantee of a protocol on this data set, by its distributions and by canaries.
/// Features are compared unperturbed.
///
/// # Errors
/// If the data have fewer than three nodes or lack compared features, or the protocol is for
/// another number of nodes.
pub fn audit(protocol: &dyn Protocol, data: &Dataset, options: &Options) -> Result<Vec<Audit>, AuditError> {
    let (mechanism, nodes) = (|| protocol.name().to_owned(), data.nodes() as usize);
    if nodes < LEAST {
        return Err(AuditError::TooSmall { mechanism: mechanism(), nodes, least: LEAST });
    }
    if protocol.compares_features() && data.features().is_none() {
        return Err(AuditError::Missing { mechanism: mechanism(), what: "features" });
    }
    let one = |claim: Claim| {
        let canaries = canaries::run(protocol, data, &claim, options)?;
        let Finding { exact, witness } = compare(protocol, data, &claim, options)?;
        Ok(Audit::new(claim, Some(exact), canaries, witness))
    };
    claims(protocol).into_iter().map(one).collect()
}

/// What is promised about units and, where a pair of nodes is in one list only, about a
/// relationship as an edge.
fn claims(protocol: &dyn Protocol) -> Vec<Claim> {
    let of = |guarantee: Guarantee| {
        let claim = Claim::from(&guarantee);
        let once = guarantee.per_relationship == Some(guarantee.epsilon);
        let both = once.then(|| Claim { unit: Unit::Edge, ..claim.clone() });
        std::iter::once(claim).chain(both)
    };
    protocol.guarantees().into_iter().flat_map(of).collect()
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
        // Lists of the same size have the same degree.
        protocol::Exact::DegreeAndBits { bits, .. } if claim.unit == Unit::EdgeSet => {
            Ok(symmetric::exchanged(&bits, promise))
        }
        protocol::Exact::DegreeAndBits { degree, bits } => Ok(symmetric::flipped_and_counted(&bits, degree, promise)),
    }
}
