//! Degree vectors: noisy numbers of neighbours per cluster.
//!
//! **Exact.** The change by one entry, one exchanged neighbour or one edge is measured on the
//! counting code itself (without noise), in the data and in small random graphs. The loss of
//! discrete Laplace noise is at most its step times the L1 distance, summed over all rounds. With
//! randomised response on each neighbour's cluster the loss is that of one response.
//!
//! **Canaries.** One execution of all rounds, with the same clusters. In the local model half of
//! the nodes are carriers, whose lists consist of a canary. In the central model canaries are
//! disjoint pairs of nodes with an edge or without, in the true graph. `plant` determines which
//! counts a canary changes, and `walk` which sums of their evidence are guessed.

mod adjacent;
mod plant;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use veil_graph::Dataset;
use veil_privacy::mechanism::DiscreteLaplace;
use veil_privacy::protocol::DegreeVectors;
use veil_privacy::protocol::degree_vectors::{Counts, Distribution, NAME, Noise};
use veil_privacy::release::clusters_of;
use veil_privacy::{Coins, Fraction, ParamError, Unit};

pub(super) use self::plant::Choice;
use self::plant::{Place, Planted};
use super::exact::{Loss, Losses, between, log_ratio};
use super::guesses::{Canary, judge};
use super::walk::Walk;
use super::{Audit, AuditError, Canaries, Claim, Exact, Options};

/// Audits every guarantee: for the chosen unit, and the one that follows from it.
///
/// # Errors
/// If there is no noise and hence no guarantee, or there are too few nodes for a canary.
pub fn degree_vectors(mechanism: &DegreeVectors, data: &Dataset, options: &Options) -> Result<Vec<Audit>, AuditError> {
    let least = 3;
    if (data.nodes() as usize) < least {
        return Err(AuditError::TooSmall { mechanism: NAME.to_owned(), nodes: data.nodes() as usize, least });
    }
    let clusters = clusters(mechanism.clusters(), data);
    let audit = |claim: Claim| {
        let (exact, walk) = match mechanism.noise() {
            Noise::None => return Err(ParamError::NotPrivatised.into()),
            Noise::OnCounts(noise) => {
                let exact = of_counts(mechanism, noise, &claim, data, &clusters, options)?;
                let moved = plant::counts_moved(claim.unit) * mechanism.rounds() as usize;
                (exact, Walk::of_counts(moved, noise.distribution(0).step().to_f64()))
            }
            Noise::OnNeighbours(noise) => {
                let size = log_ratio(&noise.keep(), &noise.exchange());
                let walk =
                    Walk::new(mechanism.rounds() as usize, size, noise.keep().to_f64(), noise.exchange().to_f64());
                (of_answers(mechanism, &claim, &walk)?, walk)
            }
        };
        let planted = plant::plant(claim.unit, data, &clusters, options)?;
        let canaries =
            planted.map(|planted| one_run(mechanism, &planted, &clusters, &walk, &claim, options)).transpose()?;
        Ok(Audit::new(claim, Some(exact), canaries, None))
    };
    mechanism.guarantees().iter().map(Claim::from).map(audit).collect()
}

/// So many public clusters: the labels, where there are some, else any.
pub(super) fn clusters(number: u32, data: &Dataset) -> Vec<u32> {
    let all = data.labels().map_or_else(|| (0..data.nodes()).collect(), clusters_of);
    all.into_iter().map(|cluster| cluster % number).collect()
}

/// Noise on counts: the largest change that adjacent inputs make, times the step of the noise.
fn of_counts(
    mechanism: &DegreeVectors,
    noise: DiscreteLaplace,
    claim: &Claim,
    data: &Dataset,
    clusters: &[u32],
    options: &Options,
) -> Result<Exact, AuditError> {
    let step = noise.distribution(0).step();
    let loss = |distance: u64| {
        let moved = distance * u64::from(mechanism.rounds());
        let whole = Fraction::new(moved, 1_u32).unwrap_or_else(Fraction::zero);
        let delta = Walk::of_counts(moved as usize, step.to_f64()).delta(claim.claimed.epsilon);
        Loss { epsilon: (&whole * &step).to_f64(), delta }
    };
    let mut known = BTreeMap::new();
    let mut losses = Losses::default();
    for distance in adjacent::distances(mechanism, claim.unit, data, clusters, options)? {
        losses.add(*known.entry(distance).or_insert_with(|| loss(distance)));
    }
    let why = match claim.unit {
        Unit::EdgeBit => "an entry of a list is counted in one cluster, so it moves one count by 1",
        Unit::EdgeSet => "a neighbour is taken out of one count and put into another, so two counts move by 1",
        _ => "an edge is counted once at each of its ends, so two counts move by 1",
    };
    let compared = format!(
        "the true counts of adjacent inputs, in the data and in random graphs of up to 12 nodes under random clusters: {why}, and never \
         more; the loss of discrete Laplace noise is at most its exact step, {step}, times that distance, and {} rounds add up",
        mechanism.rounds()
    );
    Ok(losses.finish(compared, true, None))
}

/// Randomised response on each neighbour's cluster: all pairs of clusters.
fn of_answers(mechanism: &DegreeVectors, claim: &Claim, walk: &Walk) -> Result<Exact, AuditError> {
    let listed = |cluster: u32| match mechanism.distribution(cluster) {
        Distribution::OfNeighbour(answers) => (0_u32..).zip(answers).collect(),
        Distribution::Certain | Distribution::OfCount(_) => Vec::new(),
    };
    let clusters: Vec<Vec<(u32, Fraction)>> = (0..mechanism.clusters()).map(listed).collect();
    let mut losses = Losses::default();
    for (place, one) in clusters.iter().enumerate() {
        for other in &clusters[place + 1..] {
            let once = between(one, other, claim.claimed.epsilon);
            let epsilon = once.epsilon * f64::from(mechanism.rounds());
            losses.add(Loss { epsilon, delta: walk.delta(claim.claimed.epsilon) });
        }
    }
    let compared = format!(
        "what is counted for one neighbour, for all pairs of its {} clusters: the answers for the other neighbours do not depend on it, counting \
         is post-processing, and {} rounds add up",
        mechanism.clusters(),
        mechanism.rounds()
    );
    Ok(losses.finish(compared, true, None))
}

/// All rounds, once, and what they say about the canaries.
fn one_run(
    mechanism: &DegreeVectors,
    planted: &Planted,
    clusters: &[u32],
    walk: &Walk,
    claim: &Claim,
    options: &Options,
) -> Result<Canaries, AuditError> {
    let coins = Coins::reproducible(options.seed);
    let mut scores = vec![0.0; planted.canaries.len()];
    for round in 0..mechanism.rounds() {
        let purpose = format!("audit {NAME} {} as {} round {round}", mechanism.unit(), claim.unit);
        let counts = mechanism.round(&planted.graph, clusters, &coins.for_scoring(&purpose))?;
        for (score, canary) in scores.iter_mut().zip(&planted.canaries) {
            *score += canary.places.iter().map(|place| evidence(mechanism.noise(), place, &counts)).sum::<f64>();
        }
    }
    let scored = planted.canaries.iter().zip(scores);
    let canaries: Vec<Canary> = scored.map(|(canary, score)| Canary { secret: canary.secret, score }).collect();
    Ok(judge(&canaries, &walk.rule(canaries.len()), claim.claimed))
}

/// log P[count | `true`]/P[count | `false`].
fn evidence(noise: Noise, place: &Place, counts: &Counts) -> f64 {
    let count = counts.row(place.node as usize)[place.cluster as usize];
    let says = match noise {
        Noise::None => 0.0,
        // e^−s|k−c−1| to e^−s|k−c|.
        Noise::OnCounts(noise) => {
            let step = noise.distribution(0).step().to_f64();
            if count > place.without { step } else { -step }
        }
        // The list has one entry, so this is its answer or not.
        Noise::OnNeighbours(noise) => {
            if count > place.without {
                log_ratio(&noise.keep(), &noise.exchange())
            } else {
                0.0
            }
        }
    };
    if place.with == plant::With::True { says } else { -says }
}
