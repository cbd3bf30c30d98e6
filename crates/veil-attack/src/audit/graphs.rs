//! Mechanisms that release a whole graph.
//!
//! **Exact.** EdgeRand flips each pair of nodes independently, and two graphs that differ in one
//! edge differ in one pair, so the two distributions of a pair determine the loss. LapGraph
//! releases a function of a noisy number of edges and noisy pairs, so its loss is at most that of
//! these two noises for the change by one edge. This bound is tight where the number is revealed;
//! the distribution of the released graph is not computed.
//!
//! **Canaries.** Pairs of nodes with an edge or without, in the true graph, and one release. With
//! EdgeRand every pair is evidence of e^ε to 1. With LapGraph a released pair is evidence for an
//! edge, the more the fewer pairs without an edge are released; a pair that is not released is
//! hardly evidence. So only released pairs are guessed, and `Plan` adds edges until about half of
//! the edges are released.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use veil_graph::random::Random;
use veil_graph::{Dataset, Direction, Graph, NodeId};
use veil_privacy::central::{ExactGraph, GraphMechanism, LapGraph};
use veil_privacy::{Coins, Fraction};

use super::exact::{Loss, Losses, between, log_ratio};
use super::guesses::{Canary, Rule, judge};
use super::{Audit, AuditError, Claim, Exact, Options};

/// The largest number of pairs for which edges are added for LapGraph: every pair has to be drawn.
const MOST_CELLS: u64 = 1 << 23;

/// The largest number of nodes of the random graphs in which a change is measured.
const SMALL: usize = 12;

/// The distribution of a pair without an edge, and of one with an edge.
type Cells = [[Fraction; 2]; 2];

/// Audits the guarantee of a mechanism about one edge.
///
/// # Errors
/// If it does not fit the number of nodes, or there are fewer than two.
pub fn central(mechanism: &dyn GraphMechanism, data: &Dataset, options: &Options) -> Result<Audit, AuditError> {
    let least = 2;
    let too_small =
        || AuditError::TooSmall { mechanism: mechanism.name().to_owned(), nodes: data.nodes() as usize, least };
    if (data.nodes() as usize) < least {
        return Err(too_small());
    }
    mechanism.fits(data.nodes())?;
    let claim = mechanism.guarantees().first().map(Claim::from).ok_or_else(too_small)?;
    let (exact, evidence) = match mechanism.exact() {
        ExactGraph::Cells(cells) => (of_coins(&cells, &claim), Evidence::of_coins(&cells)),
        ExactGraph::LapGraph(mechanism) => (of_noise(mechanism, &claim, data, options)?, Evidence::of_noise(mechanism)),
    };
    let plan = Plan::new(data, &evidence, options)?;
    let released = mechanism.run(&plan.graph, &Coins::reproducible(options.seed).for_scoring("audit graph"))?;
    let canaries: Vec<Canary> = plan
        .canaries
        .iter()
        .map(|&((a, b), secret)| {
            let score = if released.has_edge(a, b) { evidence.released } else { evidence.withheld };
            Canary { secret, score }
        })
        .collect();
    // A score is maximal or zero: all others than zero are guessed.
    let canaries = judge(&canaries, &Rule::AtLeast(0.0), claim.claimed);
    Ok(Audit::new(claim, Some(exact), Some(canaries), None))
}

/// The evidence of a pair for an edge, if it is released and if it is not.
struct Evidence {
    released: f64,
    withheld: f64,
    /// The best share of edges among all pairs, if it matters.
    density: Option<f64>,
}

impl Evidence {
    fn of_coins([[without_0, without_1], [with_0, with_1]]: &Cells) -> Evidence {
        let (released, withheld) = (log_ratio(with_1, without_1), log_ratio(with_0, without_0));
        Evidence { released, withheld, density: None }
    }

    /// A pair is released if its value is above some level. From a level of 1 (an edge without
    /// noise) on, that is e^ε' times as likely with an edge, the most there is, and at 1 it happens
    /// to half of all edges and to e^−ε'/2 of the other pairs. As many pairs come out as there are
    /// edges; so this is the level if e^−ε' times as many pairs are edges as are none.
    fn of_noise(mechanism: &LapGraph) -> Evidence {
        let loss = mechanism.cell_loss().to_f64();
        Evidence { released: loss, withheld: 0.0, density: Some(1.0 / (1.0 + loss.exp())) }
    }
}

/// A graph with canaries in it: which pairs, and whether they are edges.
struct Plan {
    graph: Graph,
    canaries: Vec<((NodeId, NodeId), bool)>,
}

impl Plan {
    /// At most a quarter of all pairs are canaries, so that the graph stays realistic.
    fn new(data: &Dataset, evidence: &Evidence, options: &Options) -> Result<Plan, AuditError> {
        Plan::drawn(data, evidence, options, false)
    }

    /// The same with every coin inverted.
    #[cfg(test)]
    fn flipped(data: &Dataset, evidence: &Evidence, options: &Options) -> Result<Plan, AuditError> {
        Plan::drawn(data, evidence, options, true)
    }

    fn drawn(data: &Dataset, evidence: &Evidence, options: &Options, flipped: bool) -> Result<Plan, AuditError> {
        let nodes = u64::from(data.nodes());
        let cells = nodes * (nodes - 1) / 2;
        let mut random = Random::new(options.seed, "audit/graphs");
        let most = usize::try_from(cells.div_ceil(4)).unwrap_or(usize::MAX);
        let mut chosen = BTreeSet::new();
        while chosen.len() < options.canaries.min(most) {
            chosen.insert(pair(nodes, &mut random));
        }
        let ascending = |(a, b): (NodeId, NodeId)| (a.min(b), a.max(b));
        let mut edges: Vec<(NodeId, NodeId)> =
            data.graph().iter_edges().filter(|&pair| !chosen.contains(&ascending(pair))).collect();
        let canaries: Vec<((NodeId, NodeId), bool)> =
            chosen.iter().map(|&pair| (pair, (random.below(2) == 1) != flipped)).collect();
        // Half of the canaries are edges, about. How their coins fell must not show in any other
        // edge: worlds that differ in one coin differ in one edge.
        let expected = edges.len() + chosen.len() / 2;
        edges.extend(canaries.iter().filter(|(_, secret)| *secret).map(|(pair, _)| pair));
        if let Some(density) = evidence.density.filter(|_| cells <= MOST_CELLS) {
            let missing = density * cells as f64 - expected as f64;
            let share = missing / (cells as usize - chosen.len()) as f64;
            let any = (0..data.nodes()).flat_map(|a| (a + 1..data.nodes()).map(move |b| (a, b)));
            // Existing edges are not counted twice.
            edges.extend(any.filter(|_| random.unit() < share).filter(|pair| !chosen.contains(pair)));
        }
        Ok(Plan { graph: Graph::from_edges(data.nodes(), &edges, Direction::Undirected)?.graph, canaries })
    }
}

/// Any two nodes, the smaller first.
fn pair(nodes: u64, random: &mut Random) -> (NodeId, NodeId) {
    let one = random.below(nodes as usize) as NodeId;
    let other = random.below(nodes as usize - 1) as NodeId;
    let other = other + NodeId::from(other >= one);
    (one.min(other), one.max(other))
}

/// One pair of nodes, with an edge and without.
fn of_coins(cells: &Cells, claim: &Claim) -> Exact {
    let listed = |edge| [false, true].into_iter().zip(cells[usize::from(edge)].clone()).collect::<Vec<_>>();
    let mut losses = Losses::default();
    losses.add(between(&listed(true), &listed(false), claim.claimed.epsilon));
    let compared = "one pair of nodes, with an edge and without: every pair has a coin of its own, and adjacent graphs differ in one";
    losses.finish(compared.to_owned(), true, None)
}

/// The change of the number of edges and of the pairs by one edge, times the losses of their
/// noises.
fn of_noise(mechanism: &LapGraph, claim: &Claim, data: &Dataset, options: &Options) -> Result<Exact, AuditError> {
    let (count, cell) = (mechanism.count_noise().distribution(0).step(), mechanism.cell_loss());
    let mut random = Random::new(options.seed, "audit/graphs/adjacent");
    let mut losses = Losses::default();
    for number in 0..options.pairs.max(1) {
        let nodes = if number == 0 { 2 } else { 2 + random.below(SMALL - 1) as u64 };
        let changed = pair(nodes, &mut random);
        let others = (0..nodes as NodeId).flat_map(|b| (0..b).map(move |a| (a, b))).filter(|&pair| pair != changed);
        let mut edges: Vec<(NodeId, NodeId)> = others.filter(|_| random.below(3) == 0).collect();
        let without = Graph::from_edges(nodes as u32, &edges, Direction::Undirected)?.graph;
        edges.push(changed);
        let with = Graph::from_edges(nodes as u32, &edges, Direction::Undirected)?.graph;
        losses.add(loss(&with, &without, &count, &cell, claim.claimed.epsilon));
    }
    let compared = format!(
        "the number of edges and the pairs of adjacent graphs of up to {SMALL} nodes: an edge changes the number by 1 and one pair from 0 to 1, whatever \
         the graph, so the two exact noises lose {count} and {cell} at most; what is released follows from the noisy number and the noisy \
         pairs, here of {} nodes (the distribution of the released graph itself is not enumerated)",
        data.nodes()
    );
    Ok(losses.finish(compared, true, None))
}

/// Both noises together.
fn loss(with: &Graph, without: &Graph, count: &Fraction, cell: &Fraction, claimed: f64) -> Loss {
    let times = |step: &Fraction, change: usize| &Fraction::new(change, 1_u32).unwrap_or_else(Fraction::zero) * step;
    let cells = |one: &Graph, other: &Graph| one.iter_edges().filter(|&(a, b)| !other.has_edge(a, b)).count();
    let (number, cells) = (with.edges().abs_diff(without.edges()), cells(with, without) + cells(without, with));
    Loss::at_most((&times(count, number) + &times(cell, cells)).to_f64(), claimed)
}
