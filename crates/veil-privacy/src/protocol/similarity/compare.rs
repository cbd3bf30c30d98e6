//! Comparing a node with its neighbours.

use rayon::prelude::*;
use veil_graph::{Direction, Features, Graph, NodeId};

use super::Measure;
use super::mix::{Mix, Sums};
use super::vector::{Vector, Vectors};

/// The number of nodes per task.
const BATCH: usize = 512;

/// A similarity as a weighted sum over one or two vectors of each node.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The measure.
    pub measure: Measure,
    /// The compared vectors.
    pub parts: Vec<Term>,
}

/// One of the compared vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// The weight of its similarity.
    pub weight: f64,
    /// Its definition.
    pub mix: Mix,
}

/// The profile of a node: a vector for each part.
pub type Profile = Vec<Vector>;

impl Comparison {
    /// Whether a profile depends on the features of neighbours.
    pub fn aggregates(&self) -> bool {
        self.parts.iter().any(|part| part.mix.aggregates())
    }

    /// One node's profile; the arguments are those of [`Mix::vector`].
    pub fn profile(&self, features: &Features, me: usize, neighbours: &[NodeId]) -> Profile {
        self.parts.iter().map(|part| part.mix.vector(features, me, neighbours)).collect()
    }

    /// The similarity of two nodes.
    pub fn similarity(&self, mine: &Profile, theirs: &Profile) -> f64 {
        let pairs = self.parts.iter().zip(mine.iter().zip(theirs));
        pairs
            .map(|(part, (mine, theirs))| {
                let (mine, theirs) = (mine.view(), theirs.view());
                part.weight * self.measure.of(mine.product(&theirs), mine.square(), theirs.square())
            })
            .sum()
    }
}

/// The profiles of all nodes.
pub(in crate::protocol) struct Profiles<'a> {
    comparison: &'a Comparison,
    parts: Vec<Vectors>,
}

/// One node's vectors spread out, to compare it with all its neighbours; all zero between two uses.
pub(in crate::protocol) struct Workspace {
    spread: Vec<Vec<f32>>,
}

impl<'a> Profiles<'a> {
    /// Computes the profile of every node.
    pub(in crate::protocol) fn build(comparison: &'a Comparison, graph: &Graph, features: &Features) -> Profiles<'a> {
        let width = features.columns();
        let shape = (graph.nodes() as usize, width, Mix::stored_whole(features));
        let parts = comparison.parts.iter().map(|part| {
            let make = |row: usize, sums: &mut Sums, columns: &mut Vec<u32>, values: &mut Vec<f32>| {
                part.mix.append(features, row, graph.neighbours(row as NodeId), sums, columns, values)
            };
            Vectors::build(shape, || Sums::new(width), make)
        });
        Profiles { comparison, parts: parts.collect() }
    }

    pub(in crate::protocol) fn workspace(&self) -> Workspace {
        Workspace { spread: vec![Vec::new(); self.parts.len()] }
    }

    /// The similarity of all adjacent nodes: a number for each entry of the graph, in its order. It
    /// is exactly symmetric, so mutual neighbours are compared once.
    pub(in crate::protocol) fn of_entries(&self, graph: &Graph) -> Vec<f64> {
        let mutual = graph.direction() == Direction::Undirected;
        // The smaller number compares; in its row it writes to the end, which is where the larger
        // ones stand.
        let first_later =
            |me: NodeId| if mutual { graph.neighbours(me).partition_point(|&other| other < me) } else { 0 };
        let mut all = vec![0.0; graph.entries()];
        let mut tasks = Vec::new();
        let mut rest = all.as_mut_slice();
        for first in (0..graph.nodes()).step_by(BATCH) {
            let nodes = first..graph.nodes().min(first.saturating_add(BATCH as u32));
            let (entries, others) = rest.split_at_mut(nodes.clone().map(|me| graph.degree(me)).sum());
            tasks.push((nodes, entries));
            rest = others;
        }
        tasks.into_par_iter().for_each(|(nodes, mut entries)| {
            let mut workspace = self.workspace();
            for me in nodes {
                let (row, others) = entries.split_at_mut(graph.degree(me));
                let first = first_later(me);
                self.similarities(me, &graph.neighbours(me)[first..], &mut workspace, &mut row[first..]);
                entries = others;
            }
        });
        if mutual {
            // Nodes come ascending, and so do the smaller ones in each row: each finds its place
            // next to the one before.
            let (offsets, targets) = (graph.offsets(), graph.targets());
            let mut next = offsets.to_vec();
            for me in 0..graph.nodes() {
                for at in offsets[me as usize] + first_later(me)..offsets[me as usize + 1] {
                    let place = &mut next[targets[at] as usize];
                    all[*place] = all[at];
                    *place += 1;
                }
            }
        }
        all
    }

    /// The similarity of a node to each of `neighbours`, in their order.
    pub(in crate::protocol) fn similarities(
        &self,
        me: NodeId,
        neighbours: &[NodeId],
        workspace: &mut Workspace,
        out: &mut [f64],
    ) {
        out.fill(0.0);
        let measure = self.comparison.measure;
        for ((part, vectors), spread) in self.comparison.parts.iter().zip(&self.parts).zip(&mut workspace.spread) {
            let mine = vectors.view(me as usize);
            let (columns, values) = mine.listed();
            if mine.is_listed() {
                spread.resize(vectors.width(), 0.0);
                for (&column, &value) in columns.iter().zip(values) {
                    spread[column as usize] = value;
                }
            }
            for (&neighbour, out) in neighbours.iter().zip(out.iter_mut()) {
                let theirs = vectors.view(neighbour as usize);
                let product =
                    if mine.is_listed() { mine.product_spread(spread, &theirs) } else { mine.product(&theirs) };
                *out += part.weight * measure.of(product, mine.square(), theirs.square());
            }
            for &column in columns {
                spread[column as usize] = 0.0;
            }
        }
    }

    /// The size of a node's profile in bytes, without parts that follow from its features.
    pub(in crate::protocol) fn bytes(&self, node: NodeId) -> u64 {
        let parts = self.comparison.parts.iter().zip(&self.parts).filter(|(part, _)| part.mix.aggregates());
        parts.map(|(_, vectors)| vectors.bytes(node as usize)).sum()
    }
}
