//! Advice on the method, with a noisy number of edges for an owner who pays for one.

use veil_graph::Dataset;
use veil_privacy::central::{EdgeCount, edge_count};
use veil_privacy::guarantee::{Source, Spent};
use veil_privacy::resume::{Bound, SeededId, Wanted};
use veil_privacy::{Delta, Epsilon, Private, ReleaseError, Released, Trust, Unit};

use super::site::{Bill, Site, in_place};
use super::{Payment, PipelineError, Place};
use crate::choose::{Answer, ChooseError, Question, choose};

/// About how many bytes a number takes.
const BYTES: u64 = 64;

/// Chooses a method. With a ledger, a budget that could not pay for it is refused. With an ε for
/// that, the edges are counted first, with noise, which makes the answer more precise; the count is
/// charged, and returned.
///
/// # Errors
/// As [`choose`], and if the ledger cannot pay for the method and the count, or a charge fails.
pub fn advise(
    data: &Private<Dataset>,
    mut question: Question,
    count: Option<Epsilon>,
    payment: &Payment,
) -> Result<(Answer, Option<u64>), PipelineError> {
    if count.is_some() && (question.trust, question.unit) != (Trust::Central, Unit::Edge) {
        return Err(ChooseError::NotCounted.into());
    }
    // Everything that can be wrong is found before anything is charged.
    let answer = choose(data, &question)?;
    if let Some(path) = &payment.ledger {
        let spends = answer.candidates.iter().find_map(|it| Some((it.unit?, it.epsilon?, it.delta)));
        let (unit, epsilon, delta) = spends.unwrap_or((question.unit, question.epsilon, Delta::ZERO));
        let asked = Spent::Finite(epsilon).plus(count.map_or(Spent::Nothing, Spent::Finite));
        payment.open(path)?.afford(&[(unit, asked, delta)])?;
    }
    let Some(epsilon) = count else { return Ok((answer, None)) };
    let edges = *count_edges(data, epsilon, payment)?.value();
    let nodes = f64::from(data.public().nodes.max(1));
    // A count of 0 is noise: at least one edge is expected.
    question.mean_degree = Some((2.0 * edges.max(1) as f64 / nodes, Source::Noisy));
    Ok((choose(data, &question)?, Some(edges)))
}

/// Charges the ledger, if there is one, and counts the edges, with noise that costs ε of unit
/// *edge*.
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
