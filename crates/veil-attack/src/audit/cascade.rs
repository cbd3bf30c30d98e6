//! Cascades: noisy sums of the messages of earlier neighbours, batch by batch.
//!
//! **Exact.** The change by one entry, one exchanged neighbour or one edge is measured on the code
//! itself (without noise), with lists of the data and in small random graphs, over all batches,
//! under random orders and messages. The loss of discrete Laplace noise is at most its step times
//! the L1 distance.
//!
//! **Canaries.** One execution of all batches; a message is the whole of one public class. In the
//! local model half of the nodes are carriers, which are the last in the order and whose lists
//! consist of a canary. Edges are disjoint pairs of nodes with an edge or without, listed at both
//! ends. The evidence of a row is its exact likelihood ratio; a canary is guessed where that is the
//! most that the promise allows.
//!
//! **Relationships.** Where each user computes their own row, the promise about an edge that both
//! ends list is audited too, as one about the unit *edge* without a trusted owner.

mod adjacent;
mod plant;
#[cfg(test)]
mod tests;

use veil_graph::Dataset;
use veil_privacy::mechanism::DiscreteLaplace;
use veil_privacy::protocol::Cascade;
use veil_privacy::protocol::cascade::{Heard, Messages, NAME, Params};
use veil_privacy::{Coins, Epsilon, Fraction, ParamError, Unit};

use self::plant::Planted;
use super::adjacent::Side;
use super::counts::clusters;
use super::exact::{Loss, Losses};
use super::guesses::{Canary, Rule, judge};
use super::{Audit, AuditError, Canaries, Claim, Exact, Options, Promise};

/// The share of the promised ε from which evidence is guessed: all of it, up to rounding.
const NEARLY_ALL: f64 = 1.0 - 1e-9;

/// Audits the guarantees of both forms with these parameters: of the owner, and of users who each
/// compute their own row, as devices do. The one that was given comes first.
///
/// # Errors
/// As for [`rows`].
pub fn both_forms(mechanism: &Cascade, data: &Dataset, options: &Options) -> Result<Vec<Audit>, AuditError> {
    let other = if mechanism.params().unit == Unit::Edge { Unit::EdgeBit } else { Unit::Edge };
    // An owner counts every edge once.
    let heard = if other == Unit::Edge { Heard::Earlier } else { mechanism.params().heard };
    let other = Params { unit: other, heard, ..*mechanism.params() }.check()?;
    Ok([rows(mechanism, data, options)?, rows(&other, data, options)?].concat())
}

/// Audits every guarantee: for the chosen unit, for a relationship, and the one that follows.
///
/// # Errors
/// If there is no noise and hence no guarantee, or there are too few nodes for a canary or for the
/// batches.
pub fn rows(mechanism: &Cascade, data: &Dataset, options: &Options) -> Result<Vec<Audit>, AuditError> {
    let (nodes, least) = (data.nodes() as usize, mechanism.params().batches.max(3) as usize);
    if nodes < least {
        return Err(AuditError::TooSmall { mechanism: NAME.to_owned(), nodes, least });
    }
    let noise = mechanism.noise().ok_or(ParamError::NotPrivatised)?;
    let classes = clusters(mechanism.params().classes, data);
    let audit = |claim: Claim| {
        let exact = of_rows(mechanism, noise, &claim, data, options)?;
        let planted = plant::plant(mechanism, claim.unit, data, &classes, options)?;
        let run = |planted: Planted| one_run(mechanism, noise, &planted, &classes, &claim, options);
        let canaries = planted.map(run).transpose()?;
        Ok(Audit::new(claim, Some(exact), canaries, None))
    };
    claims(mechanism).into_iter().map(audit).collect()
}

/// What is promised about units, and about a relationship as an edge.
fn claims(mechanism: &Cascade) -> Vec<Claim> {
    let mut claims = Vec::new();
    for guarantee in mechanism.guarantees() {
        let claim = Claim::from(&guarantee);
        let of_relationship = guarantee.per_relationship.map(|epsilon| {
            let claimed = Promise { epsilon: epsilon.as_f64(), ..claim.claimed };
            Claim { unit: Unit::Edge, claimed, ..claim.clone() }
        });
        claims.push(claim);
        claims.extend(of_relationship);
    }
    claims
}

/// The same code without noise.
fn without_noise(mechanism: &Cascade) -> Result<Cascade, ParamError> {
    Params { epsilon: Epsilon::INFINITE, ..*mechanism.params() }.check()
}

/// The largest change that adjacent inputs make, times the step of the noise.
fn of_rows(
    mechanism: &Cascade,
    noise: DiscreteLaplace,
    claim: &Claim,
    data: &Dataset,
    options: &Options,
) -> Result<Exact, AuditError> {
    let step = noise.distribution(0).step();
    let mut losses = Losses::default();
    for moved in adjacent::moves(mechanism, claim.unit, data, options)? {
        let whole = Fraction::new(moved.steps, 1_u32).unwrap_or_else(Fraction::zero);
        losses.add(Loss::at_most((&whole * &step).to_f64(), claim.claimed.epsilon));
    }
    let steps = mechanism.params().steps;
    let why = match claim.unit {
        Unit::EdgeBit => format!(
            "an entry of a list is in the row of that list's node, so one row moves by one message, {steps} steps at most"
        ),
        Unit::EdgeSet => format!(
            "one message of a row is exchanged for another, so one row moves by two messages, {} steps at most",
            2 * u64::from(steps)
        ),
        _ if mechanism.params().heard == Heard::All => format!(
            "an edge is in the rows of both ends, so two rows of all batches move by one message each, {} steps at most",
            2 * u64::from(steps)
        ),
        _ => format!(
            "an edge is in the row of its later end alone, so one row of all batches moves by one message, {steps} steps at most"
        ),
    };
    let compared = format!(
        "the true rows of adjacent inputs, with lists of the data and in random graphs of up to 12 nodes under random orders and messages: {why}, \
         and never more; the loss of discrete Laplace noise is at most its exact step, {step}, times that distance, whatever the number of \
         batches"
    );
    Ok(losses.finish(compared, true, None))
}

/// The whole of one class, for each node.
fn messages_of(mechanism: &Cascade, classes: &[u32]) -> Result<Messages, AuditError> {
    let &Params { classes: number, steps, .. } = mechanism.params();
    let message = |&class: &u32| (0..number).map(move |it| if it == class { steps } else { 0 });
    Ok(Messages::new(number as usize, steps, classes.iter().flat_map(message).collect())?)
}

/// All batches, once, and what their rows say about the canaries.
fn one_run(
    mechanism: &Cascade,
    noise: DiscreteLaplace,
    planted: &Planted,
    classes: &[u32],
    claim: &Claim,
    options: &Options,
) -> Result<Canaries, AuditError> {
    let exact = without_noise(mechanism)?;
    let (messages, order) = (messages_of(mechanism, classes)?, &planted.order);
    let (before, after) = (planted.with_all(Side::Before)?, planted.with_all(Side::After)?);
    let (coins, none) =
        (Coins::reproducible(options.seed), Coins::reproducible(options.seed).for_scoring("audit no noise"));
    let mut says = vec![0_i64; planted.canaries.len()];
    for batch in 0..order.batches() {
        let purpose = format!("audit {NAME} {} as {} batch {batch}", mechanism.params().unit, claim.unit);
        let released = mechanism.batch(&planted.graph, order, batch, &messages, &coins.for_scoring(&purpose))?;
        let without = exact.batch(&before, order, batch, &messages, &none)?;
        let with = exact.batch(&after, order, batch, &messages, &none)?;
        let rows = released.iter().zip(without.iter().zip(with.iter()));
        for (&node, (row, (without, with))) in order.batch(batch).iter().zip(rows) {
            if let Some(canary) = planted.canary_of(node) {
                says[canary] += nearer(row, with, without);
            }
        }
    }
    let step = noise.distribution(0).step().to_f64();
    let scored = planted.canaries.iter().zip(says);
    let canaries: Vec<Canary> =
        scored.map(|(canary, says)| Canary { secret: canary.secret, score: says as f64 * step }).collect();
    Ok(judge(&canaries, &Rule::AtLeast(claim.claimed.epsilon * NEARLY_ALL), claim.claimed))
}

/// By how many steps a row is nearer to one exact row than to another: log P[row | one]/P[row |
/// other], in steps of the noise.
fn nearer(row: &[i64], one: &[i64], other: &[i64]) -> i64 {
    let apart = |exact: &[i64]| row.iter().zip(exact).map(|(a, b)| (a - b).abs()).sum::<i64>();
    apart(other) - apart(one)
}
