use veil_graph::random::Random;
use veil_graph::{Direction, Graph, Matrix, NodeId};

use super::links::{Chances, Links, Start};
use crate::method::edge_free::scores::Scores;

const NODES: u32 = 600;
const CHANCES: Chances = Chances { edge: 0.998, other: 0.002 };

/// A graph in which nodes of one class are neighbours, or of different ones, with its false links;
/// and beliefs that are right about seven in ten nodes.
fn world(alike: bool) -> (Graph, Scores, impl Fn(usize) -> usize) {
    let class = |node: usize| node % 2;
    let mut random = Random::new(3, "links");
    let mut pairs: Vec<(NodeId, NodeId)> = Vec::new();
    for u in 0..NODES {
        for v in 0..u {
            let same = class(u as usize) == class(v as usize);
            let chance = if same == alike { 0.02 } else { 0.001 };
            if random.unit() < chance + CHANCES.other {
                pairs.push((u, v));
            }
        }
    }
    let graph = Graph::from_edges(NODES, &pairs, Direction::Undirected).unwrap().graph;
    let row = |node: u32| {
        let right = random.unit() < 0.7;
        let believed = if right { class(node as usize) } else { 1 - class(node as usize) };
        [0.4, -0.4].map(|it| if believed == 0 { it } else { -it })
    };
    let rows: Vec<f32> = (0..NODES).flat_map(row).collect();
    (graph, Scores::of(&Matrix::from_values(NODES as usize, 2, rows).unwrap()), class)
}

fn right(scores: &Scores, class: &impl Fn(usize) -> usize) -> f64 {
    let right = (0..scores.nodes()).filter(|&it| scores.row(it)[class(it)] > scores.row(it)[1 - class(it)]);
    right.count() as f64 / scores.nodes() as f64
}

#[test]
fn links_improve_beliefs_whoever_is_linked_to_whom() {
    for alike in [true, false] {
        let (graph, before, class) = world(alike);
        let links = Links::of(&[&graph], false);
        let said = links.read(&before, Start::Believed, CHANCES);
        assert!(right(&before, &class) < 0.75);
        assert!(right(&said.beliefs, &class) > 0.95, "{alike}: {}", right(&said.beliefs, &class));
        assert!(right(&said.likelihoods, &class) > 0.9);
        // Who starts from classes that attract each other learns nothing of those that do not.
        let other = links.read(&before, Start::Alike, CHANCES);
        assert!(!alike || right(&other.beliefs, &class) > 0.95);
        // Links between classes that are seldom neighbours are more often false.
        let lists = links.weighted(&said.edge);
        let mean = |same: bool| {
            let of = |(me, list): (usize, &Vec<(NodeId, f32)>)| {
                list.iter()
                    .filter(|(it, _)| (class(me) == class(*it as usize)) == same)
                    .map(|it| it.1)
                    .collect::<Vec<_>>()
            };
            let all: Vec<f32> = lists.iter().enumerate().flat_map(of).collect();
            all.iter().sum::<f32>() / all.len() as f32
        };
        assert!(mean(alike) > mean(!alike) + 0.2, "{} {}", mean(alike), mean(!alike));
        for (me, list) in lists.iter().enumerate() {
            assert!(list.iter().all(|&(other, weight)| lists[other as usize].contains(&(me as NodeId, weight))));
        }
    }
}

/// One end reports a pair, or both do; several graphs are beside each other.
#[test]
fn links_are_pairs_that_one_end_or_both_report() {
    let lists = Graph::from_rows(vec![0, 1, 2, 4], vec![1, 0, 0, 1]).unwrap();
    let sizes = |both| Links::of(&[&lists, &lists], both).weighted(&[0.5; 12]).iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(sizes(false), [2, 2, 2, 2, 2, 2]);
    assert_eq!(sizes(true), [1, 1, 0, 1, 1, 0]);
    let averages = Links::of(&[&lists], true).averages(&Scores::alike(3, &[1.0, 1.0]).posteriors(), &[1.0; 2]);
    assert!((averages[1].row(0)[0] - 0.5 / 1.3).abs() < 1e-9 && averages[1].row(2) == [0.0, 0.0]);
}
