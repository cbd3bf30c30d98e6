//! Noisy cells.

use veil_graph::{Graph, NodeId};

use super::noise::Noise;
use crate::central::shared::{cells_of_row, every_row, ones_of_row};
use crate::coins::{NodeCoins, Stream};
use crate::fault::{self, Fault};

/// A pair of nodes with its noisy value. In the order in which cells are preferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell {
    /// 1024a + Z.
    pub(super) value: i64,
    /// Decides between equal values.
    word: u64,
    /// Row and column: 32 bits each.
    pub(super) pair: u64,
}

impl Cell {
    /// Cell number `cell` of `row`, with the next word of the coins.
    pub(super) fn new(value: i64, row: NodeId, cell: u32, coins: &mut NodeCoins) -> Cell {
        Cell {
            value,
            word: if fault::is(Fault::TieById) { 0 } else { coins.order() },
            pair: first_of(row) | u64::from(row + 1 + cell),
        }
    }

    /// The two nodes, the smaller first.
    pub(super) fn ends(self) -> (NodeId, NodeId) {
        ((self.pair >> 32) as NodeId, self.pair as NodeId)
    }

    /// Its number in its row.
    fn number(&self) -> u32 {
        let (row, column) = self.ends();
        column - row - 1
    }
}

/// Not above any pair of the row, and above all pairs of earlier rows.
fn first_of(row: NodeId) -> u64 {
    u64::from(row) << 32
}

/// The numbers of those of the cells (ascending in their pairs) that are in the row.
pub(super) fn numbers_in(cells: &[Cell], row: NodeId) -> impl Iterator<Item = u32> + '_ {
    let start = cells.partition_point(|cell| cell.pair < first_of(row));
    cells[start..].iter().take_while(move |cell| cell.ends().0 == row).map(Cell::number)
}

/// The edges whose values reach the level, ascending. An edge has the same value whatever the
/// level.
pub(super) fn edges(noise: &Noise, truth: &Graph, level: i64, coins: &Stream) -> Vec<Cell> {
    every_row(truth.nodes(), coins, |row, coins, out| {
        for number in ones_of_row(truth, row) {
            let value = noise.value(true, coins);
            let cell = Cell::new(value, row, number, coins);
            if value >= level {
                out.push(cell);
            }
        }
    })
}

/// All cells, ascending.
pub(super) fn every(noise: &Noise, truth: &Graph, coins: &Stream) -> Vec<Cell> {
    every_row(truth.nodes(), coins, |row, coins, out| {
        let mut ones = ones_of_row(truth, row).peekable();
        for number in 0..cells_of_row(truth.nodes(), row) {
            let edge = ones.next_if_eq(&number).is_some();
            let value = noise.value(edge, coins);
            let cell = Cell::new(value, row, number, coins);
            let tie_to_edges = edge && fault::is(Fault::TieToEdges);
            out.push(if tie_to_edges { Cell { word: u64::MAX, ..cell } } else { cell });
        }
    })
}

/// All cells that are not known; they are no edges and at most 0.
pub(super) fn rest(noise: &Noise, nodes: u32, known: &[Cell], coins: &Stream) -> Vec<Cell> {
    every_row(nodes, coins, |row, coins, out| {
        let mut known = numbers_in(known, row).peekable();
        for number in 0..cells_of_row(nodes, row) {
            if known.next_if_eq(&number).is_none() {
                // Below 0 the noise is as above, mirrored.
                let value = -noise.value_from(0, coins);
                out.push(Cell::new(value, row, number, coins));
            }
        }
    })
}
