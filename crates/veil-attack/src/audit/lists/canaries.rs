//! One run of the protocol, and guesses of the carriers' coins from its reports.
//!
//! A carrier's report is scored by log P[report | one list]/P[report | the other], from the exact
//! distribution of the protocol; a report that is impossible with the other list scores ∞. A
//! carrier is guessed if the score is at least half the claimed ε, a rule fixed by the claim alone.

use rayon::prelude::*;
use veil_graph::random::Random;
use veil_graph::{Dataset, Graph, NodeId};
use veil_privacy::protocol::{Exact, Protocol, Reports, TwoHopRr};
use veil_privacy::{Coins, Fraction, Stream};

use super::carriers::{Carrier, draw, planted};
use super::{Outcomes, replacements, slots};
use crate::audit::exact::log_ratio;
use crate::audit::guesses::{Canary, Rule, judge};
use crate::audit::{AuditError, Canaries, Claim, Options};

/// Plants, runs and guesses; `None` if no list can carry a canary.
pub(super) fn run(
    protocol: &dyn Protocol,
    data: &Dataset,
    claim: &Claim,
    options: &Options,
) -> Result<Option<Canaries>, AuditError> {
    let canaries = plant(protocol, data, claim, options)?;
    let rule = Rule::AtLeast(claim.claimed.epsilon / 2.0);
    Ok((!canaries.is_empty()).then(|| judge(&canaries, &rule, claim.claimed)))
}

/// The canaries after the run.
pub(super) fn plant(
    protocol: &dyn Protocol,
    data: &Dataset,
    claim: &Claim,
    options: &Options,
) -> Result<Vec<Canary>, AuditError> {
    let purpose = format!("audit/{}/{}", claim.mechanism, claim.unit);
    let mut random = Random::new(options.seed, &purpose);
    let carriers = draw(protocol, data.graph(), claim.unit, options.canaries, &mut random);
    if carriers.is_empty() {
        return Ok(Vec::new());
    }
    let secrets: Vec<bool> = carriers.iter().map(|_| random.bits() & 1 == 1).collect();
    let chosen = |place: usize, carrier: &Carrier| if secrets[place] { Some(carrier.one) } else { carrier.other };
    let lists = planted(data.graph(), &carriers, claim.unit, chosen)?;
    let coins = Coins::reproducible(options.seed).for_scoring(&purpose);
    let reports = protocol.run(&lists, data.features(), &coins)?;
    let scores = scores(protocol, data, &carriers, &reports, &coins)?;
    Ok(secrets.into_iter().zip(scores).map(|(secret, score)| Canary { secret, score }).collect())
}

/// The score of each carrier: positive for one list, negative for the other.
fn scores(
    protocol: &dyn Protocol,
    data: &Dataset,
    carriers: &[Carrier],
    reports: &Reports,
    coins: &Stream,
) -> Result<Vec<f64>, AuditError> {
    let (graph, lists) = (data.graph(), &reports.lists);
    let each = |score: &(dyn Fn(&Carrier, &[NodeId]) -> f64 + Sync)| {
        Ok(carriers.par_iter().map(|carrier| score(carrier, lists.neighbours(carrier.node))).collect())
    };
    match protocol.exact() {
        Exact::GraphPrivatizer(it) => {
            // The named nodes and those that they compare keep their lists, as in the run.
            let slots = slots::Slots::new(it, data)?;
            each(&|carrier, report| {
                let outcomes = |neighbour| slots.outcomes(neighbour, carrier.node);
                of_one(report, &outcomes(carrier.one), &carrier.other.map(outcomes).unwrap_or_default())
            })
        }
        Exact::DummyExchange(_) | Exact::ShuffledQuery(_) => {
            let outcomes = replacements::outcomes(protocol, data, carriers, coins)?;
            let reported = carriers.iter().map(|carrier| lists.neighbours(carrier.node));
            Ok(reported.zip(&outcomes).map(|(report, [one, other])| of_one(report, one, other)).collect())
        }
        Exact::TwoHopRr(it) => each(&|carrier, report| of_two_hops(it, graph, carrier, report)),
        Exact::Slots { keep, exchange } => {
            let drawn = log_ratio(&keep, &exchange);
            each(&|carrier, report| {
                let says = |node| f64::from(u8::from(report.contains(&node)));
                drawn * (says(carrier.one) - carrier.other.map_or(0.0, says))
            })
        }
        Exact::Bits([[_, flip], [_, keep]]) => {
            let bit = log_ratio(&keep, &flip);
            each(&|carrier, report| {
                let says = |node| if report.binary_search(&node).is_ok() { bit } else { -bit };
                // The other end of an edge has no bit about it, unless something is wrong.
                let back = !protocol.hears(carrier.one, carrier.node)
                    && lists.neighbours(carrier.one).binary_search(&carrier.node).is_ok();
                says(carrier.one) - carrier.other.map_or(0.0, says) + if back { bit } else { 0.0 }
            })
        }
        Exact::DegreeAndBits { degree, bits: [[_, flip], [_, keep]] } => {
            let (bit, step) = (log_ratio(&keep, &flip), degree.distribution(0).step().to_f64());
            let counted = |node: NodeId| reports.degrees.as_ref().and_then(|all| all.get(node as usize)).copied();
            each(&|carrier, report| {
                let says = |node| if report.binary_search(&node).is_ok() { bit } else { -bit };
                match carrier.other {
                    // Two lists of one neighbour have the same degree.
                    Some(other) => says(carrier.one) - says(other),
                    None => {
                        let more = counted(carrier.node).map_or(0.0, |degree| if degree > 0 { step } else { -step });
                        says(carrier.one) + more
                    }
                }
            })
        }
    }
}

/// Of a report of one node.
fn of_one(report: &[NodeId], one: &Outcomes, other: &Outcomes) -> f64 {
    let chance = |outcomes: &Outcomes| {
        let found = outcomes.iter().find(|(node, _)| report == [*node]);
        found.map_or_else(Fraction::zero, |(_, chance)| chance.clone())
    };
    let (one, other) = (chance(one), chance(other));
    // Both are zero only if the distribution is wrong.
    if one.is_zero() && other.is_zero() { f64::NAN } else { log_ratio(&one, &other) }
}

/// The score of the two-hop list of one neighbour against the empty list, which reports nothing.
fn of_two_hops(protocol: &TwoHopRr, graph: &Graph, carrier: &Carrier, report: &[NodeId]) -> f64 {
    if !report.is_empty() {
        return f64::INFINITY;
    }
    let [flip, keep] = protocol.distribution(true).map(|chance| chance.to_f64().ln());
    let further = graph.neighbours(carrier.one).iter().filter(|&&node| node != carrier.node).count();
    flip + further as f64 * keep
}
