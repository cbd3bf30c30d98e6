//! A noisy number of edges, for an owner who wants to know more before a method is chosen.

use veil_graph::Dataset;
use veil_privacy::central::{EdgeCount, edge_count};
use veil_privacy::resume::{Bound, SeededId, Wanted};
use veil_privacy::{Epsilon, Private, ReleaseError, Released, Unit};

use super::site::{Bill, Site, in_place};
use super::{Payment, PipelineError, Place};

/// About how many bytes a number takes.
const BYTES: u64 = 64;

/// Charges the ledger and counts the edges, with noise that costs ε of unit *edge*.
///
/// # Errors
/// If the number of nodes is not public, ε is infinite, or the charge fails.
pub fn count_edges(
    data: &Private<Dataset>,
    epsilon: Epsilon,
    payment: &Payment,
) -> Result<Released<u64>, PipelineError> {
    data.public().check(Unit::Edge).map_err(ReleaseError::from)?;
    let wrong = |source| ReleaseError::Parameters { what: "the number of edges", source };
    let count = EdgeCount::new(epsilon).map_err(wrong)?;
    in_place(Place::Memory, |site: &Site<'_>| {
        let wanted = Wanted { data, guarantees: vec![count.guarantee()], public: Vec::new() };
        let about = format!("{}\n{}\n{epsilon}", env!("CARGO_PKG_VERSION"), edge_count::NAME);
        let bill = Bill { releases: vec![wanted], bound: Bound::First, id: SeededId::Release, about, bytes: BYTES };
        let permit = site.pay(bill, payment)?.pop().ok_or(ReleaseError::Nothing)?;
        Ok(count.release(data, permit)?)
    })
}
