//! The shapes of published data sets, filled at random, and one large graph.

use veil_graph::generate::PowerLaw;
use veil_graph::random::Random;
use veil_graph::{Direction, Encoded, Features, Graph, Matrix, Sparse};

use crate::graph::Messages;
use crate::input::Input;

/// The sizes of a data set.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Nodes.
    pub nodes: u32,
    /// Messages: directed edges; an undirected edge counts twice.
    pub messages: usize,
    /// Dimensions of the features.
    pub features: usize,
    /// Classes.
    pub classes: usize,
    /// Hops of propagation before the first layer.
    pub hops: usize,
}

/// Cora (McCallum et al. 2000).
pub const CORA: Shape = Shape { nodes: 2708, messages: 10_556, features: 1433, classes: 7, hops: 16 };
/// LastFM Asia (Rozemberczki and Sarkar 2020), as reduced by GraphPrivatizer.
pub const LASTFM: Shape = Shape { nodes: 7083, messages: 51_628, features: 7842, classes: 18, hops: 16 };
/// Facebook pages (Rozemberczki et al. 2021).
pub const FACEBOOK: Shape = Shape { nodes: 22_470, messages: 341_824, features: 4714, classes: 4, hops: 4 };
/// The sample of the private graph from which a PrivGNN teacher learns.
pub const TEACHER: Shape = Shape { nodes: 750, messages: 9000, features: 767, classes: 10, hops: 0 };
/// A large graph with a power-law degree distribution and dense features.
pub const MILLION: Shape = Shape { nodes: 1_000_000, messages: 20_000_000, features: 64, classes: 16, hops: 0 };

impl Shape {
    /// Encoded features, as of the multi-bit encoder at ε = 3: one sign per node; edges drawn
    /// uniformly.
    pub fn with_reports(self, seed: u64) -> Input {
        let mut random = Random::new(seed, "reports");
        let (rows, width) = (self.nodes as usize, self.features);
        let columns = (0..rows).map(|_| random.below(width) as u32).collect();
        let positive = (0..rows).map(|_| random.below(2) == 1).collect();
        let reports = Encoded::from_reports((rows, width, 1), (0.5, 0.55 * width as f32), columns, positive)
            .unwrap_or_else(|error| unreachable!("one sign per row, below the width: {error}"));
        self.input(Features::Encoded(reports), self.uniform_graph(seed))
    }

    /// Binary features with this share of ones; edges drawn uniformly.
    pub fn with_binary_features(self, share: f64, seed: u64) -> Input {
        let mut random = Random::new(seed, "binary features");
        let mut set = Vec::new();
        for row in 0..self.nodes {
            set.extend((0..self.features as u32).filter(|_| random.unit() < share).map(|column| (row, column, 1.0)));
        }
        let sparse = Sparse::from_triples(self.nodes as usize, self.features, &set)
            .unwrap_or_else(|error| unreachable!("columns below the width, each once: {error}"));
        self.input(Features::Sparse(sparse), self.uniform_graph(seed))
    }

    /// Dense features, uniform in ±1; power-law degrees.
    ///
    /// # Errors
    /// If no such graph of this size exists.
    pub fn with_power_law(self, seed: u64) -> Result<Input, veil_graph::generate::ParameterError> {
        let graph = PowerLaw::default().with_size(self.nodes, Some(self.messages / 2)).check()?.generate(seed);
        Ok(self.input(self.dense_features(seed), graph.graph().clone()))
    }

    /// A class for every node.
    pub fn labels(self, seed: u64) -> Vec<u32> {
        let mut random = Random::new(seed, "labels");
        (0..self.nodes).map(|_| random.below(self.classes) as u32).collect()
    }

    fn dense_features(self, seed: u64) -> Features {
        let mut random = Random::new(seed, "dense features");
        let count = self.nodes as usize * self.features;
        let values = (0..count).map(|_| (2.0 * random.unit() - 1.0) as f32).collect();
        let matrix = Matrix::from_values(self.nodes as usize, self.features, values)
            .unwrap_or_else(|error| unreachable!("as many values as were drawn: {error}"));
        Features::Dense(matrix)
    }

    fn uniform_graph(self, seed: u64) -> Graph {
        let mut random = Random::new(seed, "edges");
        let mut edges: Vec<(u32, u32)> = Vec::new();
        while edges.len() < self.messages / 2 {
            for _ in edges.len()..self.messages / 2 {
                let (a, b) = (random.below(self.nodes as usize) as u32, random.below(self.nodes as usize) as u32);
                edges.push((a.min(b), a.max(b)));
            }
            edges.retain(|(a, b)| a != b);
            edges.sort_unstable();
            edges.dedup();
        }
        let built = Graph::from_edges(self.nodes, &edges, Direction::Undirected);
        built.unwrap_or_else(|error| unreachable!("ends are below the number of nodes: {error}")).graph
    }

    fn input(self, features: Features, graph: Graph) -> Input {
        let messages = Messages::of(&graph).unwrap_or_else(|error| unreachable!("far fewer than 2³² edges: {error}"));
        Input::new(features, messages, self.hops).unwrap_or_else(|error| unreachable!("one row per node: {error}"))
    }
}
