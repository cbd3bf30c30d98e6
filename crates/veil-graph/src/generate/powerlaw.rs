//! A graph without node data, for measuring time and memory.

use super::degrees::power_law;
use super::edges::distinct;
use super::error::{ParameterError, check};
use super::weights::Weights;
use crate::dataset::{Dataset, Declared};
use crate::graph::{Direction, Dropped, Graph, NodeId};
use crate::random::Random;

/// An undirected graph whose expected degrees follow a power law (Chung and Lu 2002).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerLaw {
    /// Number of nodes.
    pub nodes: u32,
    /// Number of edges.
    pub edges: usize,
    /// Exponent: the share of nodes with degree x falls as x^−exponent.
    pub exponent: f64,
    /// The largest expected degree. Actual degrees vary around their expectations.
    pub max_degree: u32,
}

impl Default for PowerLaw {
    fn default() -> PowerLaw {
        PowerLaw { nodes: 100_000, edges: 1_000_000, exponent: 2.5, max_degree: 2_000 }
    }
}

/// Checked parameters: such a graph exists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CheckedPowerLaw(PowerLaw);

impl PowerLaw {
    /// The same kind of graph with another number of nodes and, unless given, the same number of
    /// edges per node. A largest degree that would not fit shrinks.
    pub fn with_size(mut self, nodes: u32, edges: Option<usize>) -> PowerLaw {
        let per_node = self.edges as f64 / f64::from(self.nodes.max(1));
        self.edges = edges.unwrap_or((per_node * f64::from(nodes)) as usize);
        self.nodes = nodes;
        self.max_degree = self.max_degree.min(nodes.saturating_sub(1)).max(1);
        self
    }

    /// Checks that such a graph exists.
    ///
    /// # Errors
    /// If a parameter is out of range or does not fit the others.
    pub fn check(self) -> Result<CheckedPowerLaw, ParameterError> {
        let PowerLaw { nodes, edges, exponent, max_degree } = self;
        check((2..=1 << 31).contains(&nodes), "nodes", nodes, "from 2 to 2147483648")?;
        check(exponent > 2.0 && exponent <= 10.0, "exponent", exponent, "above 2 and at most 10")?;
        check((1..nodes).contains(&max_degree), "max_degree", max_degree, format!("from 1 to {}", nodes - 1))?;
        let pairs = u64::from(nodes) * u64::from(nodes - 1) / 2;
        // Duplicates are drawn again: beyond a quarter of all pairs this would take too long.
        check(edges as u64 <= pairs / 4, "edges", edges, format!("at most a quarter of the {pairs} pairs of nodes"))?;
        let most = u64::from(nodes) * u64::from(max_degree) / 2;
        check(edges as u64 <= most, "edges", edges, format!("at most {most}, or max_degree larger"))?;
        Ok(CheckedPowerLaw(self))
    }
}

impl CheckedPowerLaw {
    /// The graph of this seed.
    pub fn generate(&self, seed: u64) -> Dataset {
        let PowerLaw { nodes, edges, exponent, max_degree } = self.0;
        let mean = 2.0 * edges as f64 / f64::from(nodes);
        let mut degrees = power_law(nodes as usize, exponent, mean, f64::from(max_degree));
        // A node's number must not reveal its degree.
        Random::new(seed, "degrees").shuffle(&mut degrees);
        let weights = Weights::new(&degrees);
        drop(degrees);
        let edges = distinct(Vec::new(), edges, seed, |place, random| {
            (weights.at(place) as NodeId, weights.draw(random) as NodeId)
        });
        drop(weights);
        let built = Graph::from_edges(nodes, &edges, Direction::Undirected)
            .unwrap_or_else(|error| unreachable!("weights give nodes below their own number: {error}"));
        Dataset::new("powerlaw", built.graph, Dropped::default())
            .with_declared(Declared { nodes: true, ..Declared::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_exact_and_the_tail_is_heavy() {
        let parameters = PowerLaw { nodes: 20_000, edges: 200_000, exponent: 2.5, max_degree: 1000 };
        let dataset = parameters.check().unwrap().generate(1);
        let summary = dataset.summary();
        assert_eq!((summary.nodes, summary.edges), (20_000, 200_000));
        assert!((800..=1150).contains(&summary.max_degree), "largest degree {}", summary.max_degree);
        // The median of a power law with exponent 2.5 lies at about half its mean.
        let mut degrees: Vec<usize> = (0..20_000).map(|node| dataset.graph().degree(node)).collect();
        degrees.sort_unstable();
        assert!((9..=13).contains(&degrees[10_000]), "median {}", degrees[10_000]);
    }

    #[test]
    fn a_seed_gives_one_graph() {
        let parameters = PowerLaw { nodes: 1000, edges: 5000, exponent: 2.5, max_degree: 100 }.check().unwrap();
        assert_eq!(parameters.generate(1), parameters.generate(1));
        assert_ne!(parameters.generate(1), parameters.generate(2));
    }

    #[test]
    fn invalid_parameters_are_refused() {
        let refused = |change: fn(&mut PowerLaw)| {
            let mut parameters = PowerLaw::default();
            change(&mut parameters);
            parameters.check().unwrap_err().name
        };
        assert_eq!(refused(|p| p.nodes = 0), "nodes");
        assert_eq!(refused(|p| p.exponent = 2.0), "exponent");
        assert_eq!(refused(|p| p.exponent = f64::NAN), "exponent");
        assert_eq!(refused(|p| p.max_degree = p.nodes), "max_degree");
        assert_eq!(refused(|p| p.max_degree = 0), "max_degree");
        assert_eq!(refused(|p| p.edges = usize::MAX), "edges");
        assert_eq!(refused(|p| p.max_degree = 19), "edges");
    }
}
