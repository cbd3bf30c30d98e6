//! A given number of distinct edges from a way to draw one.

use rayon::prelude::*;

use crate::graph::NodeId;
use crate::random::Random;

/// Edges per stream of random numbers, so that streams can run in parallel.
const BLOCK: usize = 1 << 16;

/// How often missing edges are drawn again. Each round finds most of them: the parameters leave
/// room.
const ROUNDS: u64 = 64;

/// `start` and further edges up to `count`, without duplicates and self loops; a duplicate is drawn
/// again.
///
/// `draw` receives a random place in [0, 1) for one end. Places are stratified in ascending order,
/// so that weighted draws of that end access memory sequentially. If possible edges are nearly
/// exhausted, the result may be shorter.
pub(super) fn distinct(
    start: Vec<(NodeId, NodeId)>,
    count: usize,
    seed: u64,
    draw: impl Fn(f64, &mut Random) -> (NodeId, NodeId) + Sync,
) -> Vec<(NodeId, NodeId)> {
    let more = |missing: usize, round: u64| {
        let mut edges = vec![(0, 0); missing];
        edges.par_chunks_mut(BLOCK).enumerate().for_each(|(block, edges)| {
            let mut random = Random::new(seed, &format!("edges {round} {block}"));
            for (edge, index) in edges.iter_mut().zip(block * BLOCK..) {
                let place = (index as f64 + random.unit()) / missing as f64;
                *edge = draw(place, &mut random);
            }
        });
        edges
    };
    let mut edges = start;
    edges.append(&mut more(count.saturating_sub(edges.len()), 0));
    tidy(&mut edges);

    // Duplicates are few: they are redrawn into a small list, and looked up in the large one.
    let mut added: Vec<(NodeId, NodeId)> = Vec::new();
    for round in 1..=ROUNDS {
        let missing = count.saturating_sub(edges.len() + added.len());
        if missing == 0 {
            break;
        }
        let mut new = more(missing, round);
        tidy(&mut new);
        new.retain(|edge| edges.binary_search(edge).is_err());
        added.append(&mut new);
        tidy(&mut added);
    }
    edges.append(&mut added);
    edges
}

/// Smaller end first, sorted, without self loops and duplicates.
fn tidy(edges: &mut Vec<(NodeId, NodeId)>) {
    edges.par_iter_mut().for_each(|edge| *edge = (edge.0.min(edge.1), edge.0.max(edge.1)));
    edges.par_sort_unstable_by_key(|&(source, target)| u64::from(source) << 32 | u64::from(target));
    edges.dedup();
    edges.retain(|&(source, target)| source != target);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_distinct_and_have_the_given_number() {
        let draw = |_, random: &mut Random| (random.below(50) as NodeId, random.below(50) as NodeId);
        let mut edges = distinct(vec![(7, 3), (3, 7), (1, 1)], 800, 1, draw);
        assert_eq!(edges.len(), 800);
        assert!(edges.contains(&(3, 7)) && edges.iter().all(|&(source, target)| source < target));
        edges.sort_unstable();
        assert!(edges.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn exhausted_edges_end_the_search() {
        assert_eq!(distinct(Vec::new(), 10, 1, |_, random| (0, random.below(3) as NodeId)), [(0, 1), (0, 2)]);
    }

    #[test]
    fn the_same_on_any_number_of_threads() {
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let draw = |place: f64, random: &mut Random| ((place * 5000.0) as NodeId, random.below(5000) as NodeId);
            pool.install(|| distinct(Vec::new(), 200_000, 9, draw))
        };
        assert_eq!(run(1), run(3));
    }
}
