//! LapGraph: Laplace noise on every pair of nodes, keeping the largest (Wu et al. 2022; Kolluri et
//! al., CCS 2022, Algorithm 1).
//!
//! **Algorithm.** The number of edges E is released as Ẽ = E + discrete Laplace noise of scale
//! 1/ε_count, clamped to the possible range. Each of the n(n−1)/2 cells, 1 for an edge and 0 for
//! none, gets discrete Laplace noise of scale 1/(ε−ε_count) on a grid of 2⁻¹⁰: it becomes 1024a + Z
//! steps, P(Z = k) ∝ e^(−|k|(ε−ε_count)/1024). The Ẽ largest cells are the released edges. Ties are
//! broken by a random 64-bit word, then by the order of cells. Two nodes of a directed graph are
//! adjacent if either lists the other.
//!
//! **Without a matrix.** The largest cells are drawn exactly, but only cells that can be among them
//! are visited: every edge, and the other cells with Z ≥ t, found by skips (`band`). If these are
//! fewer than Ẽ, the cells with t₂ ≤ Z < t follow, and so on. The choice of t affects the running
//! time only.
//!
//! **Guarantee.** ε, unit *edge*, central, pure. One edge more or less changes E by 1, so Ẽ costs
//! ε_count. It changes one cell by 1024 steps, so all noisy cells together cost
//! 1024·(ε−ε_count)/1024 = ε−ε_count. Both together cost ε. Clamping Ẽ, and keeping the Ẽ largest
//! cells by noisy values, random words and ids alone, is post-processing. All sampling is in whole
//! numbers and exact (`the_loss_is_epsilon_exactly`, `the_same_distribution_as_with_a_matrix`).
//!
//! **Not protected.** Participation. The number of edges, up to the noise of Ẽ. All edges of a node
//! together.

mod band;
mod cell;
mod noise;
#[cfg(test)]
mod tests;

use std::num::NonZeroU64;
use std::sync::Arc;

use veil_graph::{Direction, Graph};

use self::cell::Cell;
use self::noise::Noise;
use super::{Entry, ExactGraph, GraphMechanism, shared};
use crate::budget::Epsilon;
use crate::coins::Stream;
use crate::exact::Fraction;
use crate::fault::{self, Fault};
use crate::guarantee::{Guarantee, ParameterList, Status, Unit};
use crate::mechanism::{DiscreteLaplace, ParamError, discrete_laplace};
use crate::parameters::Kind;
use crate::protocol::{ProtocolError, same_nodes};
use crate::registry::{self, ProtocolParamError};

/// The name in the registry and in the coins' context.
pub const NAME: &str = "lapgraph";

/// The entry of the registry.
pub const ENTRY: Entry = Entry {
    name: NAME,
    about: "Laplace noise on every pair of nodes; the largest are edges",
    unit: Unit::Edge,
    status: Status::Proven,
    parameters: registry::defaults::<Options>,
    build: |epsilon, nodes, settings| {
        let Options { epsilon_count, max_edges } = registry::read(settings)?;
        let mechanism = Params { epsilon, epsilon_count, nodes }.check()?;
        ProtocolParamError::too_many(NAME, mechanism.largest_excess(), max_edges)?;
        Ok(Arc::new(mechanism))
    },
};

crate::parameters! {
    /// Parameters besides ε.
    pub struct Options: Edges {
        /// Part of ε spent on the number of edges
        epsilon_count: Epsilon = EPSILON_COUNT => Kind::Epsilon,
        /// Refuse if noise may add more edges than this
        max_edges: u64 = registry::MAX_EDGES => Kind::Whole,
    }
}

/// The default part of ε spent on the number of edges: 0.01.
const EPSILON_COUNT: Epsilon = match Epsilon::from_nanos(10_000_000) {
    Some(epsilon) => epsilon,
    None => Epsilon::INFINITE,
};

/// The largest ε: beyond it the noise hardly moves any cell, and positive levels have too few
/// cells.
const LARGEST_EPSILON: u32 = 1000;

/// Beyond one kept cell in this many, drawing all cells is faster.
const DENSE: u64 = 8;

/// Streams of coins by purpose; the bands use those from `BANDS` on.
const COUNT: u32 = 0;
const EDGES: u32 = 1;
const BANDS: u32 = 2;

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The privacy loss of the release.
    pub epsilon: Epsilon,
    /// The part spent on the number of edges.
    pub epsilon_count: Epsilon,
    /// The number of nodes.
    pub nodes: u32,
}

/// Checked parameters, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LapGraph {
    params: Params,
    count: DiscreteLaplace,
    noise: Noise,
    /// If more than one in this many cells is kept, all cells are drawn.
    dense: u64,
}

impl Params {
    /// Splits the budget.
    ///
    /// # Errors
    /// If ε is infinite or too large to add noise, or the count leaves no budget for the edges.
    pub fn check(self) -> Result<LapGraph, ParamError> {
        self.on_grid(noise::STEPS, DENSE)
    }

    /// The same mechanism on a grid of one step instead of 1024, and drawn without a matrix up to
    /// half of the cells: so that an auditor can enumerate all its noise on a few nodes.
    ///
    /// # Errors
    /// As [`check`](Params::check).
    pub fn coarse(self) -> Result<LapGraph, ParamError> {
        self.on_grid(NonZeroU64::MIN, 2)
    }

    fn on_grid(self, steps: NonZeroU64, dense: u64) -> Result<LapGraph, ParamError> {
        let Params { epsilon, epsilon_count, .. } = self;
        let (Some(whole), Some(count)) = (epsilon.nanos(), epsilon_count.nanos()) else {
            return Err(ParamError::NotPrivatised);
        };
        if epsilon.as_f64() > f64::from(LARGEST_EPSILON) {
            return Err(ParamError::AsGoodAsRaw { epsilon, largest: LARGEST_EPSILON });
        }
        let rest = whole.checked_sub(count).and_then(Epsilon::from_nanos);
        let rest = rest.ok_or(ParamError::NothingAfterCount { epsilon, count: epsilon_count })?;
        let count = discrete_laplace::Params { epsilon: epsilon_count, sensitivity: 1 }.check()?;
        let rest = if fault::is(Fault::CountFreeOfCharge) { epsilon } else { rest };
        Ok(LapGraph { params: self, count, noise: Noise::on_grid(rest, steps)?, dense })
    }
}

impl LapGraph {
    /// The number of edges that the noise of the count adds at most, with probability 1 − 10⁻⁸,
    /// from public numbers.
    pub fn largest_excess(&self) -> u64 {
        let made_up = (20.0 / self.params.epsilon_count.as_f64()) as u64;
        made_up.min(shared::cells(self.params.nodes))
    }

    /// The noise of Ẽ.
    pub fn count_noise(&self) -> DiscreteLaplace {
        self.count
    }

    /// The exact loss of one cell with an edge against none: 1024 steps of the sampler's rate.
    pub fn cell_loss(&self) -> Fraction {
        self.noise.loss()
    }

    /// Ẽ.
    fn noisy_count(&self, edges: usize, coins: &Stream) -> u64 {
        // There are fewer than 2⁶³ cells, and edges.
        let noisy = self.count.release_one(edges as i64, &mut coins.of_round(COUNT).node(0));
        let noisy = if fault::is(Fault::CountWithoutNoise) { edges as i64 } else { noisy };
        (noisy.max(0) as u64).min(shared::cells(self.params.nodes))
    }

    /// Cells that include the `kept` largest, starting with those that reach `level` (at least 1).
    fn largest(&self, truth: &Graph, kept: u64, level: u64, coins: &Stream) -> Vec<Cell> {
        let (nodes, coins_of_edges) = (truth.nodes(), coins.of_round(EDGES));
        let edges = |level| cell::edges(&self.noise, truth, level, &coins_of_edges);
        let (mut from, mut stream) = (level, BANDS);
        let mut cells = edges(reach(from));
        let first = band::Band::new(self.noise, from, None, nodes);
        let found = first.find(nodes, |row| shared::ones_of_row(truth, row), &coins.of_round(stream));
        if fault::is(Fault::BandForgotten) {
            return edges(i64::MIN);
        }
        // All other cells are below the level. Nearly always this suffices.
        if (cells.len() + found.len()) as u64 >= kept {
            cells.extend(found);
            return cells;
        }
        cells = edges(i64::MIN);
        cells.extend(found);
        cells.sort_unstable_by_key(|cell| cell.pair);
        while from > 1 {
            let below = Some(from);
            (from, stream) = (self.noise.next_level(from), stream + 1);
            let band = band::Band::new(self.noise, from, below, nodes);
            let found = band.find(nodes, |row| cell::numbers_in(&cells, row), &coins.of_round(stream));
            cells.extend(found);
            if cells.iter().filter(|cell| cell.value >= reach(from)).count() as u64 >= kept {
                return cells;
            }
            cells.sort_unstable_by_key(|cell| cell.pair);
        }
        // All remaining cells are 0 or less.
        cells.extend(cell::rest(&self.noise, nodes, &cells, &coins.of_round(stream + 1)));
        cells
    }
}

impl GraphMechanism for LapGraph {
    fn name(&self) -> &'static str {
        NAME
    }

    fn parameters(&self) -> ParameterList {
        let Params { epsilon, epsilon_count, nodes } = self.params;
        ParameterList::default().with("epsilon", epsilon).with("epsilon-count", epsilon_count).with("nodes", nodes)
    }

    fn guarantees(&self) -> Vec<Guarantee> {
        let mut guarantee = shared::guarantee(self.params.epsilon, NAME, self.parameters());
        guarantee.not_protected.push("the number of edges, up to the noise of the count".to_owned());
        guarantee.source =
            "LapGraph (Wu et al. 2022) as in DpGCN (Kolluri et al. 2022, Algorithm 1), on a grid of 2^-10; \
                            proof beside the code, veil-privacy/central/lap_graph"
                .to_owned();
        vec![guarantee]
    }

    fn fits(&self, nodes: u32) -> Result<(), ProtocolError> {
        same_nodes(self.params.nodes, nodes)
    }

    fn run(&self, graph: &Graph, coins: &Stream) -> Result<Graph, ProtocolError> {
        self.fits(graph.nodes())?;
        let truth = shared::undirected(graph)?;
        let kept = self.noisy_count(truth.edges(), coins);
        let all = shared::cells(graph.nodes());
        let cells = if kept > all / self.dense {
            cell::every(&self.noise, &truth, &coins.of_round(EDGES))
        } else {
            self.largest(&truth, kept, self.noise.level(kept, all), coins)
        };
        top(cells, kept, graph.nodes())
    }

    fn exact(&self) -> ExactGraph<'_> {
        ExactGraph::LapGraph(self)
    }
}

/// A level as a value.
fn reach(level: u64) -> i64 {
    i64::try_from(level).unwrap_or(i64::MAX)
}

/// The graph of the `kept` largest cells.
fn top(mut cells: Vec<Cell>, kept: u64, nodes: u32) -> Result<Graph, ProtocolError> {
    if (kept as usize) < cells.len() {
        let dropped = first_dropped(&cells, kept as usize);
        // In order: building a graph from sorted rows is faster.
        cells.retain(|cell| *cell > dropped);
    }
    let edges: Vec<_> = cells.into_iter().map(Cell::ends).collect();
    Ok(Graph::from_edges(nodes, &edges, Direction::Undirected)?.graph)
}

/// The largest cell that is not kept; `kept` is below the number of cells.
fn first_dropped(cells: &[Cell], kept: usize) -> Cell {
    // By value first: values take a third of the memory of cells.
    let mut values: Vec<i64> = cells.iter().map(|cell| cell.value).collect();
    let (_, &mut value, _) = values.select_nth_unstable_by(kept, |a, b| b.cmp(a));
    let above = cells.iter().filter(|cell| cell.value > value).count();
    let mut equal: Vec<Cell> = cells.iter().filter(|cell| cell.value == value).copied().collect();
    *equal.select_nth_unstable_by(kept - above, |a, b| b.cmp(a)).1
}
