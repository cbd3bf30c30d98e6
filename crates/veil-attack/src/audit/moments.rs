//! Moments of whole nodes with Gaussian noise.
//!
//! **Exact.** How far a node moves each part is computed here from rows of length 1, not taken from
//! the mechanism; the loss is the bound of zCDP at these distances, for all parts together.
//!
//! **Worlds.** Many executions of whole releases with a node, and without it or with its opposite
//! in another class in its place. Its features are unlike those of all others, and it has a class
//! of its own. The evidence is the likelihood ratio of all numbers under Gaussian noise, of the
//! second phase given the first.
//!
//! **Code.** Whole releases of few nodes over all decisions of their coins, where a node is added
//! and where it is replaced.

use rayon::prelude::*;
use veil_graph::random::Random;
use veil_graph::{Dataset, Part};
use veil_privacy::central::Moments;
use veil_privacy::central::moments::{Adjacency, NAME, Noise, NoisyMoments, Params};
use veil_privacy::release::{EdgePlan, Options as Planned};
use veil_privacy::{Coins, Delta, ParamError, Private, Unit};

use super::code::world::{self, Refusal, data, featured, labelled, nobody, release};
use super::code::{Enumerated, Pair, Promised, Reach, chosen, compare, together};
use super::exact::{Losses, of_zcdp};
use super::guesses::judge_worlds;
use super::{Audit, AuditError, Canaries, Claim, Exact, Options, Witness};

/// Nodes besides the one under test.
const OTHERS: usize = 20;

/// The features of the others and of the node under test.
const USUAL: [f32; 2] = [1.0, 0.0];
const MARKED: [f32; 2] = [-3.0, 4.0];

/// The node that takes its place.
const OPPOSITE: [f32; 2] = [3.0, -4.0];

/// A node by its features and its class.
type Member = ([f32; 2], u32);

/// Audits the guarantee.
///
/// # Errors
/// If there is no noise and hence no guarantee.
pub fn of_nodes(mechanism: &Moments, options: &Options) -> Result<Vec<Audit>, AuditError> {
    let noise = mechanism.noise().ok_or(ParamError::NotPrivatised)?;
    let audit = |claim: Claim| {
        let exact = of_parts(mechanism.params(), noise, &claim);
        let canaries = worlds(mechanism, noise, &claim, options)?;
        Ok(Audit::new(claim, Some(exact), Some(canaries), None))
    };
    mechanism.guarantees().iter().map(Claim::from).map(audit).collect()
}

/// The loss where every part moves as far as it can.
fn of_parts(params: &Params, noise: &Noise, claim: &Claim) -> Exact {
    let one = f64::from(params.steps);
    // A row of length 1 with half a step beside it is 5/4 long, squared. A sum moves by two rows at
    // most, whose halves cancel; products by ‖zzᵀ − yyᵀ‖² ≤ 2; sums of two classes by a row each.
    let (sum, second, classes) = match params.adjacency {
        Adjacency::Added => (1.25, 1.0, 1.25),
        Adjacency::Replaced => (4.0, 2.0, 2.5),
    };
    let cost = |moved: f64, variance: u64| moved / (2.0 * variance as f64);
    // ‖zzᵀ‖² is Σ over the diagonal and twice what is above it, whose noise may have half of the
    // variance.
    let of_second = noise.diagonal.variance().min(noise.above.variance().saturating_mul(2));
    let rho = cost(sum * one.powi(2), noise.sum.variance())
        + cost(second * one.powi(4), of_second)
        + cost(classes * one.powi(2), noise.classes.variance());
    let mut losses = Losses::default();
    losses.add(of_zcdp(rho, claim.claimed.epsilon, claim.claimed.delta));
    let compared = "any rows of length at most 1 that differ in one node: the bound of zCDP on δ (discrete Gaussian; \
                    Canonne, Kamath, Steinke 2020, Proposition 12) at the largest distances of the sum, the second \
                    moments and the class sums together";
    losses.finish(compared.to_owned(), true, None)
}

/// A private graph without edges: usual nodes of class 0, and perhaps another one.
fn with_others(member: Option<Member>) -> Result<Dataset, AuditError> {
    let rows: Vec<&[f32]> = [&USUAL[..]; OTHERS].into_iter().chain(member.iter().map(|(row, _)| &row[..])).collect();
    let labels = [Some(0); OTHERS].into_iter().chain(member.map(|(_, class)| Some(class)));
    let graph = world::edges(rows.len() as u32, &[])?;
    labelled(featured(data(graph), &rows)?, 2, &labels.collect::<Vec<_>>(), &vec![Part::Train; rows.len()])
}

/// Executions with the node and with what is in its place, and what their numbers say.
fn worlds(mechanism: &Moments, noise: &Noise, claim: &Claim, options: &Options) -> Result<Canaries, AuditError> {
    let member = (MARKED, 1);
    let other = match mechanism.params().adjacency {
        Adjacency::Added => None,
        Adjacency::Replaced => Some((OPPOSITE, 0)),
    };
    let (with, without) = (Private::seal(with_others(Some(member))?), Private::seal(with_others(other)?));
    let of = |member: Member, found: &NoisyMoments| evidence(mechanism, noise, found, member);
    let ratio = |found: &NoisyMoments| of(member, found) - other.map_or(0.0, |other| of(other, found));
    let planned = Planned { edges: EdgePlan::Moments(*mechanism), ..Planned::default() };
    let scores = |data: &Private<Dataset>, name: &str| -> Result<Vec<f64>, AuditError> {
        let mut random = Random::new(options.seed, &format!("audit/moments/{name}"));
        let seeds: Vec<u64> = (0..options.canaries).map(|_| random.bits()).collect();
        let execution = |seed| {
            let released = release(data, &planned, Coins::reproducible(seed), &nobody);
            let released = released.map_err(|problem| AuditError::Code { problem: problem.to_string() })?;
            let found = released.figures().moments.as_ref().ok_or(AuditError::NoGuarantee { subject: NAME })?;
            Ok(ratio(found))
        };
        seeds.into_par_iter().map(execution).collect()
    };
    Ok(judge_worlds(&scores(&with, "with")?, &scores(&without, "without")?, claim.claimed))
}

/// The logarithm of the likelihood ratio of others with this node to others alone.
fn evidence(mechanism: &Moments, noise: &Noise, found: &NoisyMoments, (features, own): Member) -> f64 {
    let one = f64::from(mechanism.params().steps);
    let row = |features: [f32; 2], centre: &[f64]| {
        let point = features.map(f64::from);
        let unit = |[x, y]: [f64; 2]| {
            let length = x.hypot(y);
            if length > 0.0 { [x / length, y / length] } else { [0.0, 0.0] }
        };
        let [x, y] = unit(point);
        unit([x - centre[0], y - centre[1]]).map(|it| (it * one).trunc())
    };
    // For numbers with this noise: those that were found, those of the others, and what the node
    // adds.
    let ratio = |variance: u64, numbers: &[[f64; 3]]| {
        let of = |[found, others, added]: &[f64; 3]| added * (found - others - added / 2.0);
        numbers.iter().map(of).sum::<f64>() / variance as f64
    };
    let others = OTHERS as f64;
    let counted = |found: &[i64], many: f64, usual: [f64; 2], added: f64, marked: [f64; 2]| -> Vec<[f64; 3]> {
        let exact = [usual[0], usual[1], one / 2.0].map(|it| it * many);
        let own = [marked[0], marked[1], one / 2.0].map(|it| it * added);
        found.iter().zip(exact.into_iter().zip(own)).map(|(&it, (exact, own))| [it as f64, exact, own]).collect()
    };
    let still = [0.0, 0.0];
    let (usual, marked) = (row(USUAL, &still), row(features, &still));
    let mut score = ratio(noise.sum.variance(), &counted(found.sum(), others, usual, 1.0, marked));
    let centre = mechanism.centre(found.sum());
    let (usual, marked) = (row(USUAL, &centre), row(features, &centre));
    for (place, numbers) in found.second().enumerate() {
        for (column, &number) in (place..).zip(numbers) {
            let product = |row: [f64; 2]| row[place] * row[column];
            let variance = if column == place { noise.diagonal.variance() } else { noise.above.variance() };
            score += ratio(variance, &[[number as f64, others * product(usual), product(marked)]]);
        }
    }
    for (class, numbers) in found.classes().iter().enumerate() {
        let many = if class == 0 { others } else { 0.0 };
        let added = if class == own as usize { 1.0 } else { 0.0 };
        score += ratio(noise.classes.variance(), &counted(numbers, many, usual, added, marked));
    }
    score
}

/// Whole releases of one training node beside one that is not for training: of its row, with one
/// feature and no class, and of its class, without a feature. A row with a class would have more
/// numbers than can be enumerated.
pub(super) fn code(adjacency: Adjacency) -> Result<Option<(Enumerated, Option<Witness>)>, AuditError> {
    let row = || small_release(adjacency, &[1.0], &[-1.0], 0, "the row of one training node");
    let class = || small_release(adjacency, &[], &[], 1, "the class of one training node");
    together([row(), class()])
}

/// A node with these features, in the first class if there are any, against none, or against one
/// with other features and no class.
fn small_release(
    adjacency: Adjacency,
    own: &[f32],
    other: &[f32],
    classes: u32,
    compared: &str,
) -> Result<(Enumerated, Option<Witness>), AuditError> {
    let class = (classes > 0).then_some(0);
    let input = |trained: Option<(&[f32], Option<u32>)>| -> Result<Dataset, AuditError> {
        let rows: Vec<&[f32]> = [own].into_iter().chain(trained.map(|(row, _)| row)).collect();
        let labels: Vec<Option<u32>> = [class].into_iter().chain(trained.map(|(_, label)| label)).collect();
        let parts: Vec<Part> = [Part::Test].into_iter().chain(trained.map(|_| Part::Train)).collect();
        labelled(featured(data(world::edges(rows.len() as u32, &[])?), &rows)?, classes, &labels, &parts)
    };
    let there = ("a training node", input(Some((own, class)))?);
    let other = match adjacency {
        Adjacency::Added => ("no training node", input(None)?),
        Adjacency::Replaced => ("a training node with the opposite features and no class", input(Some((other, None)))?),
    };
    // A δ so large that the mass outside of the window of Gaussian noise is a small part of it.
    let delta: Delta = "0.01".parse().map_err(|_| AuditError::Code { problem: "10⁻² is not a δ".to_owned() })?;
    let params = Params { epsilon: chosen(4), delta, adjacency, dimensions: 1, steps: 2 };
    let mechanism = params.check()?;
    let promised = Promised::about(Unit::Node, &mechanism.guarantees());
    let promised = promised.ok_or(AuditError::NoGuarantee { subject: NAME })?;
    let planned = Planned { edges: EdgePlan::Moments(mechanism), ..Planned::default() };
    compare(compared, &[Pair::new(there, other)], promised, Reach::Least(LEAST), |data, coins| {
        Ok::<_, Refusal>((&release(data, &planned, coins, &nobody)?).into())
    })
}

/// Executions less likely than this are cut off.
const LEAST: f64 = 3e-8;

#[cfg(test)]
mod tests {
    use super::super::{Finding, Verdict};
    use super::*;

    #[test]
    fn small_releases_hold() {
        for adjacency in Adjacency::ALL {
            let (found, witness) = code(adjacency).unwrap().unwrap();
            assert_eq!((found.finding, witness.is_none()), (Finding::Holds, true), "{adjacency}: {found:?}");
            // Most of what happens was compared, and the node shows.
            assert!(found.outside < 0.05 && found.loss > 1.0, "{adjacency}: {found:?}");
        }
    }

    fn mechanism(epsilon: &str, adjacency: Adjacency) -> Moments {
        let (epsilon, delta) = (epsilon.parse().unwrap(), "0.00001".parse().unwrap());
        Params { epsilon, delta, adjacency, dimensions: 9, steps: 4096 }.check().unwrap()
    }

    /// The promise is kept, and the same noise under a sixteenth of its ε is not.
    #[test]
    fn worlds_with_and_without_a_node_are_told_apart_as_promised() {
        let options = Options { pairs: 10, canaries: 2000, seed: 5 };
        for adjacency in Adjacency::ALL {
            let honest = mechanism("4", adjacency);
            for audit in of_nodes(&honest, &options).unwrap() {
                assert_ne!(audit.verdict, Verdict::Violated, "{audit:?}");
            }
            let mut claim = Claim::from(&honest.guarantees()[0]);
            claim.claimed.epsilon /= 16.0;
            let noise = honest.noise().unwrap();
            let canaries = worlds(&honest, noise, &claim, &options).unwrap();
            let audit = Audit::new(claim, None, Some(canaries), None);
            assert_eq!(audit.verdict, Verdict::Violated, "{audit:?}");
        }
    }

    /// Noise for a node that is added is too little for one that is replaced: the arithmetic sees
    /// it without knowing the mechanism's own factor.
    #[test]
    fn noise_of_the_other_adjacency_is_too_little() {
        let (added, replaced) = (mechanism("4", Adjacency::Added), mechanism("4", Adjacency::Replaced));
        let claim = Claim::from(&replaced.guarantees()[0]);
        let loss = |noise| of_parts(replaced.params(), noise, &claim).epsilon;
        assert!(loss(replaced.noise().unwrap()) <= 4.0 && loss(added.noise().unwrap()) > 4.0);
    }
}
