//! Sums over neighbours with Gaussian noise, hop by hop.
//!
//! **Exact.** How far one edge moves the rows (in L2) is measured on the code itself, without
//! noise, in the data and in small random graphs under random messages. The loss is the bound of
//! zCDP at that distance, for all hops together.
//!
//! **Canaries.** One execution of all hops; a message is the whole of one public class. Canaries
//! are disjoint pairs of nodes with an edge or without. The evidence is the likelihood ratio of
//! both rows under Gaussian noise.
//!
//! **Code.** Whole releases of a few nodes over all decisions of their coins, in one hop and in two
//! of which the second depends on the rows of the first, also for a caller that tries long
//! messages.

use veil_graph::random::Random;
use veil_graph::{Dataset, Graph, Matrix, NodeId};
use veil_privacy::central::NeighbourSums;
use veil_privacy::central::neighbour_sums::{Messages, NAME, Params};
use veil_privacy::protocol::degree_vectors::Counts;
use veil_privacy::release::{EdgePlan, Options as Planned, Privatised, Question, ReleaseError, Rounds};
use veil_privacy::{Coins, Delta, Epsilon, ParamError, Unit};

use super::adjacent::{Change, Side, as_listed, changed, direction, disjoint_pairs, drawn, small, smallest, toggled};
use super::code::world::{self, Refusal, data as facts, release};
use super::code::{Enumerated, Pair, Promised, Reach, chosen, compare, together};
use super::counts::clusters;
use super::exact::{Losses, of_zcdp};
use super::guesses::judge_canaries_of_one_run;
use super::{Audit, AuditError, Canaries, Claim, Exact, Options, Witness};

/// The width of messages.
const WIDTH: u32 = 4;

/// Audits the guarantee.
///
/// # Errors
/// If there is no noise and hence no guarantee, or there are too few nodes for a canary.
pub fn hops(mechanism: &NeighbourSums, data: &Dataset, options: &Options) -> Result<Vec<Audit>, AuditError> {
    let (nodes, least) = (data.nodes() as usize, 3);
    if nodes < least {
        return Err(AuditError::TooSmall { mechanism: NAME.to_owned(), nodes, least });
    }
    let audit = |claim: Claim| {
        let exact = of_rows(mechanism, &claim, data, options)?;
        let canaries = one_run(mechanism, &claim, data, options)?;
        Ok(Audit::new(claim, Some(exact), Some(canaries), None))
    };
    mechanism.guarantees().iter().map(Claim::from).map(audit).collect()
}

/// The rows of a hop without noise.
fn exact(mechanism: &NeighbourSums, graph: &Graph, messages: &Messages) -> Result<Counts, AuditError> {
    let without = Params { epsilon: Epsilon::INFINITE, ..*mechanism.params() }.check()?;
    Ok(without.hop(graph, messages, &Coins::reproducible(0).for_scoring("audit no noise"))?)
}

/// Messages of one class each, by its direction.
fn messages_of(classes: impl IntoIterator<Item = u32>) -> Result<Messages, AuditError> {
    let one = |class: u32| (0..WIDTH).map(move |it| f32::from(u8::from(it == class % WIDTH)));
    let values: Vec<f32> = classes.into_iter().flat_map(one).collect();
    let rows = Matrix::from_values(values.len() / WIDTH as usize, WIDTH as usize, values);
    let rows = rows.map_err(|error| AuditError::Code { problem: error.to_string() })?;
    Ok(Messages::of(&rows, veil_privacy::central::neighbour_sums::STEPS))
}

/// The largest squared distance that an edge makes, and the loss at it.
fn of_rows(mechanism: &NeighbourSums, claim: &Claim, data: &Dataset, options: &Options) -> Result<Exact, AuditError> {
    let noise = mechanism.noise().ok_or(ParamError::NotPrivatised)?;
    let mut random = Random::new(options.seed, "audit/sums/adjacent");
    let graph = as_listed(data.graph(), direction(Unit::Edge))?;
    let mut losses = Losses::default();
    for pair in 0..=options.pairs {
        let (graph, changes) = match pair {
            0 => smallest(Unit::Edge)?,
            pair if pair % 64 == 1 => (graph.clone().into_owned(), drawn(&graph, Unit::Edge, &mut random)),
            _ => {
                let graph = small(direction(Unit::Edge), &mut random)?;
                let changes = drawn(&graph, Unit::Edge, &mut random);
                (graph, changes)
            }
        };
        let messages = messages_of((0..graph.nodes()).map(|_| random.below(WIDTH as usize) as u32))?;
        let squared = moved(mechanism, &graph, &changes, &messages)?;
        let rho = f64::from(mechanism.params().hops) * squared / (2.0 * noise.variance() as f64);
        losses.add(of_zcdp(rho, claim.claimed.epsilon, claim.claimed.delta));
    }
    let compared = "the true rows of adjacent graphs, in the data and in random graphs of up to 12 nodes under random \
                    messages: an edge moves two rows by one message each; the bound of zCDP on δ (discrete Gaussian; \
                    Canonne, Kamath, Steinke 2020, Proposition 12) at that distance, for all hops together";
    Ok(losses.finish(compared.to_owned(), true, None))
}

/// The squared L2 distance of the rows before and after a change.
fn moved(mechanism: &NeighbourSums, graph: &Graph, changes: &[Change], messages: &Messages) -> Result<f64, AuditError> {
    let before = exact(mechanism, &changed(graph, changes, Side::Before)?, messages)?;
    let after = exact(mechanism, &changed(graph, changes, Side::After)?, messages)?;
    let both = before.values().iter().zip(after.values());
    Ok(both.map(|(one, other)| (one.abs_diff(*other) as f64).powi(2)).sum())
}

/// All hops, once, and what their rows say about the canaries.
fn one_run(
    mechanism: &NeighbourSums,
    claim: &Claim,
    data: &Dataset,
    options: &Options,
) -> Result<Canaries, AuditError> {
    let variance = mechanism.noise().ok_or(ParamError::NotPrivatised)?.variance() as f64;
    let mut random = Random::new(options.seed, "audit/sums/canaries");
    let mut nodes: Vec<NodeId> = (0..data.nodes()).collect();
    random.shuffle(&mut nodes);
    let graph = as_listed(data.graph(), direction(Unit::Edge))?;
    let (pairs, rest) = disjoint_pairs(&graph, &nodes, options.canaries)?;
    let planted: Vec<([NodeId; 2], bool)> = pairs.into_iter().map(|pair| (pair, random.below(2) == 1)).collect();
    let with = |there: &dyn Fn(bool) -> bool| -> Result<Graph, AuditError> {
        let added = planted.iter().filter(|(_, secret)| there(*secret));
        let changes: Vec<Change> = added.flat_map(|([a, b], _)| toggled(&rest, Unit::Edge, *a, *b)).collect();
        Ok(changed(&rest, &changes, Side::After)?)
    };
    let messages = messages_of(clusters(WIDTH, data))?;
    let (truth, none, all) = (with(&|secret| secret)?, rest.clone(), with(&|_| true)?);
    let (without, with) = (exact(mechanism, &none, &messages)?, exact(mechanism, &all, &messages)?);
    let mut scores = vec![0.0; planted.len()];
    for hop in 0..mechanism.params().hops {
        let coins = Coins::reproducible(options.seed).for_scoring(&format!("audit {NAME} hop {hop}"));
        let rows = mechanism.hop(&truth, &messages, &coins)?;
        for (score, (ends, _)) in scores.iter_mut().zip(&planted) {
            for &node in ends {
                let node = node as usize;
                let far = |exact: &Counts| {
                    let both = rows.row(node).iter().zip(exact.row(node));
                    both.map(|(a, b)| (a.abs_diff(*b) as f64).powi(2)).sum::<f64>()
                };
                *score += (far(&without) - far(&with)) / (2.0 * variance);
            }
        }
    }
    let of = |secret: bool| -> Vec<f64> {
        let scored = planted.iter().zip(&scores).filter(|((_, it), _)| *it == secret);
        scored.map(|(_, &score)| score).collect()
    };
    Ok(judge_canaries_of_one_run(&of(true), &of(false), claim.claimed))
}

/// Whole releases of a few nodes. Messages have one number, on a grid of one step.
pub(super) fn code() -> Result<Option<(Enumerated, Option<Witness>)>, AuditError> {
    let one = || small_release(1, 4, 1e-9, "one hop of two nodes, for a caller that tries long messages");
    let two =
        || small_release(2, 8, 1e-8, "two hops of two nodes, the second with messages from the rows of the first");
    together([one(), two()])
}

fn small_release(
    hops: u32,
    epsilon: u32,
    least: f64,
    compared: &str,
) -> Result<(Enumerated, Option<Witness>), AuditError> {
    // A δ so large that the mass outside of the window of Gaussian noise is a small part of it.
    let delta: Delta = "0.001".parse().map_err(|_| AuditError::Code { problem: "10⁻³ is not a δ".to_owned() })?;
    let mechanism = Params { epsilon: chosen(epsilon), delta, hops, steps: 1 }.check()?;
    let promised = Promised::about(Unit::Edge, &mechanism.guarantees());
    let promised = promised.ok_or(AuditError::NoGuarantee { subject: NAME })?;
    let pairs = [Pair::new(
        ("an edge between 0 and 1", facts(world::edges(2, &[(0, 1)])?)),
        ("no edge", facts(world::edges(2, &[])?)),
    )];
    let sent = |values: [f32; 2], steps: u32| -> Result<Messages, ReleaseError> {
        Ok(Messages::of(&Matrix::from_values(2, 1, values.to_vec()).map_err(veil_graph::read::Misfit::from)?, steps))
    };
    let ask = |rounds: &mut Rounds<'_>, released: &mut Privatised| -> Result<(), ReleaseError> {
        let before = released.figures().sums.as_ref().and_then(|hops| hops.last());
        let sign = |node: usize| if before.is_some_and(|rows| rows.row(node)[0] < 1) { -1.0 } else { 1.0 };
        let values = [sign(0), sign(1)];
        if rounds.ask(released, Question::Hop(&sent(values, 3)?)).is_ok() {
            return Ok(());
        }
        rounds.ask(released, Question::Hop(&sent(values, 1)?))
    };
    let options = Planned { edges: EdgePlan::Sums(mechanism), ..Planned::default() };
    compare(compared, &pairs, promised, Reach::Least(least), |data, coins| -> Result<_, Refusal> {
        Ok((&release(data, &options, coins, &ask)?).into())
    })
}

#[cfg(test)]
mod tests {
    use super::super::Finding;
    use super::*;

    #[test]
    fn small_releases_hold() {
        let (found, witness) = code().unwrap().unwrap();
        assert_eq!((found.finding, witness.is_none()), (Finding::Holds, true), "{found:?}");
    }

    /// An edge reaches the sensitivity that the noise is made for, and no more.
    #[test]
    fn an_edge_moves_two_rows_by_one_message_each() {
        let mechanism = Params { epsilon: chosen(1), delta: "0.00001".parse().unwrap(), hops: 2, steps: 4096 };
        let mechanism = mechanism.check().unwrap();
        let (graph, changes) = smallest(Unit::Edge).unwrap();
        let squared = moved(&mechanism, &graph, &changes, &messages_of([0, 1, 2]).unwrap()).unwrap();
        assert_eq!(squared as u64, mechanism.noise().unwrap().sensitivity_squared());
    }
}
