//! Labelled graphs with features: a degree-corrected block model (Karrer and Newman 2011) whose
//! nodes have bags of words.

use super::degrees::power_law;
use super::edges::distinct;
use super::error::{ParameterError, check};
use super::weights::Weights;
use super::words::Words;
use crate::dataset::{Dataset, Declared};
use crate::features::{Features, Sparse};
use crate::graph::{Direction, Dropped, Graph, NodeId};
use crate::labels::Labels;
use crate::random::Random;
use crate::split::{Fractions, Part, Split};

/// The parameters. [`citation`](Community::citation), [`social`](Community::social) and
/// [`bipartite`](Community::bipartite) are presets.
#[derive(Clone, Debug, PartialEq)]
pub struct Community {
    /// The name of the data set.
    pub name: String,
    /// Number of nodes.
    pub nodes: u32,
    /// Relative sizes of the classes. Every class has at least one node.
    pub class_shares: Vec<f64>,
    /// Mean degree.
    pub mean_degree: f64,
    /// Exponent of the power law of degrees.
    pub exponent: f64,
    /// The largest expected degree.
    pub max_degree: f64,
    /// Share of edges within a class.
    pub homophily: f64,
    /// Number of features: the size of the vocabulary.
    pub features: u32,
    /// Mean number of words of a node.
    pub words_per_node: f64,
    /// Words per topic of a class. Topics overlap.
    pub topic_words: u32,
    /// Share of a node's words from the topic of its class; 0 makes features uninformative.
    pub topic_share: f64,
    /// The split.
    pub parts: Parts,
}

/// The kind of split.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parts {
    /// As the public splits of the citation graphs: equally many training nodes per class, then
    /// others at random.
    PerClass {
        /// Training nodes per class.
        train_per_class: u32,
        /// Validation nodes.
        val: u32,
        /// Test nodes.
        test: u32,
    },
    /// Fractions of all nodes, at random.
    Shares(Fractions),
    /// No split.
    None,
}

/// Checked parameters: such a graph exists.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedCommunity {
    parameters: Community,
    class_sizes: Vec<usize>,
    edges: usize,
}

impl Community {
    /// Similar to the citation graph Cora: seven classes of unequal size, sparse, heavy-tailed,
    /// homophilous, 0/1 words.
    pub fn citation() -> Community {
        Community {
            name: "citation".to_owned(),
            nodes: 2708,
            class_shares: vec![351.0, 217.0, 418.0, 818.0, 426.0, 298.0, 180.0],
            mean_degree: 3.9,
            exponent: 2.8,
            max_degree: 160.0,
            homophily: 0.81,
            features: 1433,
            words_per_node: 18.2,
            topic_words: 150,
            topic_share: 0.25,
            parts: Parts::PerClass { train_per_class: 20, val: 500, test: 1000 },
        }
    }

    /// Similar to a friendship graph: ten times denser, less homophilous, with few words.
    pub fn social() -> Community {
        Community {
            name: "social".to_owned(),
            nodes: 5000,
            class_shares: vec![5.0, 4.0, 3.0, 2.0, 1.0],
            mean_degree: 40.0,
            exponent: 2.5,
            max_degree: 500.0,
            homophily: 0.7,
            features: 500,
            words_per_node: 12.0,
            topic_words: 100,
            topic_share: 0.15,
            parts: Parts::Shares(shares(0.5, 0.25, 0.25)),
        }
    }

    /// Two classes with edges only between them, as between patients and clinics. Features are
    /// weak. 70 % of the nodes are for testing, and 20 % of the others for validation (as in
    /// LPGNet's example).
    pub fn bipartite() -> Community {
        Community {
            name: "bipartite".to_owned(),
            nodes: 3000,
            class_shares: vec![1.0, 1.0],
            mean_degree: 6.0,
            exponent: 3.0,
            max_degree: 60.0,
            homophily: 0.0,
            features: 200,
            words_per_node: 10.0,
            topic_words: 100,
            topic_share: 0.1,
            parts: Parts::Shares(shares(0.24, 0.06, 0.70)),
        }
    }

    /// The same kind of graph with another number of nodes. Degrees and split counts that would not
    /// fit shrink in proportion.
    pub fn with_nodes(mut self, nodes: u32) -> Community {
        let shrink = (f64::from(nodes) / f64::from(self.nodes.max(1))).min(1.0);
        self.nodes = nodes;
        self.mean_degree = self.mean_degree.min((f64::from(nodes) / 10.0).max(1.0));
        self.max_degree = self.max_degree.min((f64::from(nodes) / 4.0).max(self.mean_degree));
        if let Parts::PerClass { train_per_class, val, test } = &mut self.parts {
            for count in [train_per_class, val, test] {
                *count = (f64::from(*count) * shrink) as u32;
            }
        }
        self
    }

    /// Checks that such a graph exists.
    ///
    /// # Errors
    /// If a parameter is out of range or does not fit the others.
    pub fn check(self) -> Result<CheckedCommunity, ParameterError> {
        let unit = |share: f64| (0.0..=1.0).contains(&share);
        check((2..=1 << 31).contains(&self.nodes), "nodes", self.nodes, "from 2 to 2147483648")?;
        let nodes = f64::from(self.nodes);
        let classes = self.class_shares.len();
        check((1..=self.nodes as usize).contains(&classes), "classes", classes, "from 1 to the number of nodes")?;
        for &share in &self.class_shares {
            check(share > 0.0 && share.is_finite(), "class_shares", share, "above 0")?;
        }
        check(unit(self.homophily), "homophily", self.homophily, "from 0 to 1")?;
        check(self.exponent > 2.0 && self.exponent <= 10.0, "exponent", self.exponent, "above 2 and at most 10")?;
        check(self.mean_degree > 0.0 && self.mean_degree <= nodes / 4.0, "mean_degree", self.mean_degree, {
            format!("above 0 and at most a quarter of the {nodes} nodes")
        })?;
        check(self.max_degree >= self.mean_degree && self.max_degree < nodes, "max_degree", self.max_degree, {
            format!("from the mean degree, {}, to below the number of nodes", self.mean_degree)
        })?;
        check((1..=1 << 24).contains(&self.features), "features", self.features, "from 1 to 16777216")?;
        check((1..=self.features).contains(&self.topic_words), "topic_words", self.topic_words, {
            format!("from 1 to the {} features", self.features)
        })?;
        check(unit(self.topic_share), "topic_share", self.topic_share, "from 0 to 1")?;
        let (words, most) = (self.words_per_node, f64::from(self.features) / 2.0);
        check(words > 0.0 && words <= most, "words_per_node", words, {
            format!("above 0 and at most half of the {} features", self.features)
        })?;

        let class_sizes = sizes(&self.class_shares, self.nodes as usize);
        let edges = (self.mean_degree * nodes / 2.0).round() as usize;
        let pairs = |size: usize| size as f64 * (size as f64 - 1.0) / 2.0;
        let within: f64 = class_sizes.iter().map(|&size| pairs(size)).sum();
        let across = pairs(self.nodes as usize) - within;
        // Duplicates are drawn again: with half of the pairs free, this ends soon.
        let (wanted, room) = (self.homophily * edges as f64, within / 2.0);
        check(wanted <= room, "homophily", self.homophily, {
            format!("at most {:.3}: classes have room for {room} edges", room / edges as f64)
        })?;
        let (wanted, room) = ((1.0 - self.homophily) * edges as f64, across / 2.0);
        check(wanted <= room, "homophily", self.homophily, {
            format!("at least {:.3}: between classes there is room for {room} edges", 1.0 - room / edges as f64)
        })?;
        if let Parts::PerClass { train_per_class, val, test } = self.parts {
            let smallest = class_sizes.iter().copied().min().unwrap_or(0);
            check(train_per_class as usize <= smallest, "train_per_class", train_per_class, {
                format!("at most the {smallest} nodes of the smallest class")
            })?;
            let left = self.nodes as usize - train_per_class as usize * classes;
            check(val as usize + test as usize <= left, "val + test", u64::from(val) + u64::from(test), {
                format!("at most the {left} nodes that are not for training")
            })?;
        }
        Ok(CheckedCommunity { parameters: self, class_sizes, edges })
    }
}

/// Fractions that are known to be valid.
fn shares(train: f64, val: f64, test: f64) -> Fractions {
    Fractions::new(train, val, test).unwrap_or_else(|_| unreachable!("the presets' fractions add up to 1"))
}

/// Class sizes in proportion to shares, each at least 1, with sum `nodes`.
fn sizes(shares: &[f64], nodes: usize) -> Vec<usize> {
    let total: f64 = shares.iter().sum();
    let exact: Vec<f64> = shares.iter().map(|share| share / total * nodes as f64).collect();
    let mut sizes: Vec<usize> = exact.iter().map(|exact| *exact as usize).collect();
    // The remainder of rounding down goes to the classes with the largest fractions.
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    let left = nodes.saturating_sub(sizes.iter().sum());
    order.iter().take(left).for_each(|&class| sizes[class] += 1);
    for class in 0..sizes.len() {
        if sizes[class] == 0
            && let Some(largest) = (0..sizes.len()).max_by_key(|&class| sizes[class])
        {
            sizes[largest] -= 1;
            sizes[class] = 1;
        }
    }
    sizes
}

impl CheckedCommunity {
    /// The data set of this seed.
    pub fn generate(&self, seed: u64) -> Dataset {
        let parameters = &self.parameters;
        // Nodes in the order of their classes, and their numbers in the data set: a number must not
        // reveal the class.
        let mut names: Vec<NodeId> = (0..parameters.nodes).collect();
        Random::new(seed, "nodes").shuffle(&mut names);
        let classes: Vec<usize> =
            self.class_sizes.iter().enumerate().flat_map(|(class, &size)| std::iter::repeat_n(class, size)).collect();

        let edges: Vec<(NodeId, NodeId)> = self.edges(seed, &classes, &names);
        let mut class_of = vec![0; names.len()];
        for (&name, &class) in names.iter().zip(&classes) {
            class_of[name as usize] = class;
        }
        let features = self.features(seed, &class_of);
        let split = self.split(seed, &class_of);
        let labels = class_of.iter().map(|&class| Some(class as u32));

        let assemble = || -> Result<Dataset, Box<dyn std::error::Error>> {
            let graph = Graph::from_edges(parameters.nodes, &edges, Direction::Undirected)?.graph;
            let (offsets, columns) = features;
            let values = vec![1.0; columns.len()];
            let sparse = Sparse::from_parts(offsets, columns, values, parameters.features as usize)?;
            let dataset = Dataset::new(parameters.name.clone(), graph, Dropped::default())
                .with_features(Features::Sparse(sparse))?
                .with_feature_range(0.0, 1.0)?
                .with_labels(Labels::new(self.class_sizes.len() as u32, labels)?)?
                .with_declared(Declared { nodes: true, dimensions: true, classes: true });
            Ok(match split {
                Some(split) => dataset.with_split(split)?,
                None => dataset,
            })
        };
        assemble().unwrap_or_else(|error| unreachable!("generated parts fit: {error}"))
    }

    /// One edge from every node, so that none is isolated; the others have both ends drawn by
    /// weight.
    fn edges(&self, seed: u64, classes: &[usize], names: &[NodeId]) -> Vec<(NodeId, NodeId)> {
        let parameters = &self.parameters;
        let nodes = classes.len();
        let first = self.edges.min(nodes);
        let mut order: Vec<usize> = (0..nodes).collect();
        let mut random = Random::new(seed, "first edges");
        random.shuffle(&mut order);

        // A node's weight is its expected degree, which does not include its own first edge.
        let drawn = (2 * self.edges - first) as f64 / nodes as f64;
        let mut degrees = power_law(nodes, parameters.exponent, drawn, parameters.max_degree);
        Random::new(seed, "degrees").shuffle(&mut degrees);
        let weights = Weights::new(&degrees);
        let ranges: Vec<_> = self
            .class_sizes
            .iter()
            .scan(0, |end, &size| {
                *end += size;
                Some(*end - size..*end)
            })
            .collect();
        let target = |source: usize, random: &mut Random| {
            let class = ranges[classes[source]].clone();
            // A node cannot link to itself; a class of one node has no other, and the edge is drawn
            // again.
            let within = random.unit() < parameters.homophily;
            (0..64)
                .map(|_| {
                    if within {
                        weights.draw_in(class.clone(), random)
                    } else {
                        weights.draw_outside(class.clone(), random)
                    }
                })
                .find(|&target| target != source)
                .unwrap_or(source)
        };
        let start: Vec<(NodeId, NodeId)> =
            order[..first].iter().map(|&source| (names[source], names[target(source, &mut random)])).collect();
        distinct(start, self.edges, seed, |place, random| {
            let source = weights.at(place);
            (names[source], names[target(source, random)])
        })
    }

    /// Offsets and columns of the nodes' words.
    fn features(&self, seed: u64, class_of: &[usize]) -> (Vec<usize>, Vec<u32>) {
        let parameters = &self.parameters;
        let (features, topic_words) = (parameters.features as usize, parameters.topic_words as usize);
        let words = Words::new(features, self.class_sizes.len(), topic_words, parameters.topic_share, seed);
        let mut random = Random::new(seed, "words");
        let (mut offsets, mut columns) = (vec![0], Vec::new());
        for &class in class_of {
            columns.extend(words.of_node(class, parameters.words_per_node, &mut random));
            offsets.push(columns.len());
        }
        (offsets, columns)
    }

    fn split(&self, seed: u64, class_of: &[usize]) -> Option<Split> {
        match self.parameters.parts {
            Parts::None => None,
            Parts::Shares(fractions) => Some(Split::random(class_of.len() as u32, fractions, seed)),
            Parts::PerClass { train_per_class, val, test } => {
                let mut order: Vec<usize> = (0..class_of.len()).collect();
                Random::new(seed, "split").shuffle(&mut order);
                let mut parts = vec![Part::None; class_of.len()];
                let mut trained = vec![0; self.class_sizes.len()];
                let (mut val, mut test) = (val, test);
                for node in order {
                    let trained = &mut trained[class_of[node]];
                    parts[node] = if *trained < train_per_class {
                        *trained += 1;
                        Part::Train
                    } else if val > 0 {
                        val -= 1;
                        Part::Val
                    } else if test > 0 {
                        test -= 1;
                        Part::Test
                    } else {
                        Part::None
                    };
                }
                Some(Split::new(parts))
            }
        }
    }
}

#[cfg(test)]
mod tests;
