//! A model whose every influence is known: `hops` times, each node becomes the mean of itself and
//! its neighbours.
//!
//! What it says after `hops` means are its "posteriors": no softmax, so it is linear and influences
//! are exact sums.

use veil_graph::random::Random;
use veil_graph::{Direction, Graph, Matrix, NodeId};
use veil_learn::{Predictor, PredictorError, WhiteBox};

pub struct Averaging {
    pub graph: Graph,
    pub features: Matrix,
    pub hops: usize,
}

impl Averaging {
    /// The same features, no edges.
    pub fn edge_free(&self) -> Averaging {
        let graph = Graph::empty(self.graph.nodes(), Direction::Undirected);
        Averaging { graph, features: self.features.clone(), hops: self.hops }
    }

    fn known(&self, node: NodeId) -> Result<usize, PredictorError> {
        let nodes = self.nodes();
        if (node as usize) < nodes { Ok(node as usize) } else { Err(PredictorError::NoSuchNode { node, nodes }) }
    }

    fn average(&self, mut values: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
        for _ in 0..self.hops {
            values = (0..self.graph.nodes())
                .map(|node| {
                    let mut sum = values[node as usize].clone();
                    for &neighbour in self.graph.neighbours(node) {
                        sum.iter_mut().zip(&values[neighbour as usize]).for_each(|(sum, value)| *sum += value);
                    }
                    sum.iter().map(|sum| sum / (1 + self.graph.degree(node)) as f64).collect()
                })
                .collect();
        }
        values
    }
}

impl Predictor for Averaging {
    fn nodes(&self) -> usize {
        self.features.rows()
    }

    fn classes(&self) -> usize {
        self.features.columns()
    }

    fn features(&self, node: NodeId) -> Result<Vec<f32>, PredictorError> {
        Ok(self.features.row(self.known(node)?).to_vec())
    }

    fn posteriors(&self, nodes: &[NodeId], changed: &[(NodeId, Vec<f32>)]) -> Result<Matrix, PredictorError> {
        let wide = |row: &[f32]| row.iter().map(|&value| f64::from(value)).collect::<Vec<f64>>();
        let mut values: Vec<Vec<f64>> = (0..self.nodes()).map(|node| wide(self.features.row(node))).collect();
        for (node, features) in changed {
            values[self.known(*node)?] = wide(features);
        }
        let answers = self.average(values);
        let mut asked = Matrix::zeros(nodes.len(), self.classes());
        for (row, &node) in nodes.iter().enumerate() {
            let answer = &answers[self.known(node)?];
            asked.row_mut(row).iter_mut().zip(answer).for_each(|(to, from)| *to = *from as f32);
        }
        Ok(asked)
    }
}

impl WhiteBox for Averaging {
    /// A linear model: what the source's features give when every other node has none.
    fn influences(&self, pairs: &[(NodeId, NodeId)]) -> Result<Vec<f64>, PredictorError> {
        pairs
            .iter()
            .map(|&(source, target)| {
                let mut values = vec![vec![0.0; self.classes()]; self.nodes()];
                values[source as usize] = self.features(source)?.into_iter().map(f64::from).collect();
                let moved = &self.average(values)[self.known(target)?];
                Ok(moved.iter().map(|value| value * value).sum::<f64>().sqrt())
            })
            .collect()
    }
}

/// Two groups of nodes; links and features mostly follow the group.
pub fn homophilous(nodes: u32, hops: usize, seed: u64) -> Averaging {
    let mut random = Random::new(seed, "testing");
    let mut edges = Vec::new();
    for left in 0..nodes {
        for right in left + 1..nodes {
            let chance = if left % 2 == right % 2 { 0.15 } else { 0.03 };
            if random.unit() < chance {
                edges.push((left, right));
            }
        }
    }
    let features = (0..nodes).flat_map(|node| {
        let own = 0.35 + 0.3 * random.unit() as f32 + if node % 2 == 0 { 0.1 } else { -0.1 };
        [own, 1.0 - own]
    });
    let features = Matrix::from_values(nodes as usize, 2, features.collect()).unwrap();
    Averaging { graph: undirected(nodes, &edges), features, hops }
}

pub fn undirected(nodes: u32, edges: &[(NodeId, NodeId)]) -> Graph {
    Graph::from_edges(nodes, edges, Direction::Undirected).unwrap().graph
}

/// Runs the same work on pools of 1, 2 and 7 threads; all must agree.
pub fn on_any_pool<T: PartialEq + std::fmt::Debug + Send>(work: impl Fn() -> T + Sync) -> T {
    let on = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(&work);
    let one = on(1);
    assert_eq!(one, on(2));
    assert_eq!(one, on(7));
    one
}

/// A graph like a citation network, with the papers' split.
pub fn citation(nodes: u32, seed: u64) -> veil_graph::Dataset {
    let generator = veil_graph::generate::Community::citation().with_nodes(nodes).check().expect("a generator");
    let data = generator.generate(seed);
    let split = veil_graph::Split::random(nodes, "0.5,0.25,0.25".parse().expect("fractions"), seed);
    data.with_split(split).expect("a split")
}
