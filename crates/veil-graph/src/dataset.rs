//! A data set: a graph and the data on its nodes.

mod given;
mod holders;
mod transform;

pub use holders::{Apart, Counts, Holder, Holders, HoldersError, Overlap, Range, Ranges};

use sha2::{Digest, Sha256};

use crate::bytes::hex;
use crate::features::{Features, StackError};
use crate::graph::{Direction, Dropped, Graph, GraphError};
use crate::homophily;
use crate::ids::{MISSING, NodeNames};
use crate::labels::{LabelError, Labels};
use crate::split::{Part, Split};

/// A graph with the data on its nodes. Every part has one entry per node, which the `with_…`
/// methods check.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    name: String,
    graph: Graph,
    edges_withheld: bool,
    dropped: Dropped,
    names: NodeNames,
    features: Option<Features>,
    feature_range: Option<(f32, f32)>,
    labels: Option<Labels>,
    split: Option<Split>,
    declared: Declared,
    public: Vec<String>,
}

/// Which numbers were declared, as opposed to counted in the data.
///
/// A number of feature columns that was counted as one more than the largest column in use depends
/// on private features. Such a number is released only if the owner declares it public.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// The nodes. If only edges name nodes, isolated nodes are missing.
    pub nodes: bool,
    /// The number of feature columns.
    pub dimensions: bool,
    /// The number of classes.
    pub classes: bool,
}

/// Why parts of a data set, or two data sets, do not fit together.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DatasetError {
    #[error("the graph has {nodes} nodes, but there are {found} {what}")]
    WrongSize { what: &'static str, nodes: u32, found: usize },
    #[error("the range of the features, {low} to {high}, is not two finite numbers in ascending order")]
    BadRange { low: f32, high: f32 },
    #[error("only one of the two data sets has {what}")]
    OnlyOne { what: &'static str },
    #[error("the data sets have different numbers of classes: {first} and {second}")]
    OtherClasses { first: u32, second: u32 },
    #[error("class {class} is {first:?} in the first data set and {second:?} in the second")]
    OtherClassNames { class: u32, first: String, second: String },
    #[error(transparent)]
    Features(#[from] StackError),
    #[error(transparent)]
    Graph(#[from] GraphError),
    #[error("the data set has no split")]
    NoSplit,
    #[error("no node is in these parts of the split")]
    NothingLeft,
    #[error("node {node} is not in the list of nodes")]
    NotListed { node: String },
    #[error("node {node} is twice in the list of nodes")]
    ListedTwice { node: String },
    #[error("the list of nodes has {found} nodes")]
    NoNodeList { found: usize },
    #[error("the data set has no labels")]
    NoLabels,
    #[error("the data have {found} classes, so {given} {} cannot be all", if *given == 1 { "class" } else { "classes" })]
    ClassesGiven { given: u32, found: u32 },
    #[error(transparent)]
    Labels(LabelError),
}

impl DatasetError {
    fn check(what: &'static str, nodes: u32, found: usize) -> Result<(), DatasetError> {
        if nodes as usize == found { Ok(()) } else { Err(DatasetError::WrongSize { what, nodes, found }) }
    }
}

/// The identity of the private content of a data set: SHA-256 of its edges, features and labels.
///
/// It is for the owner's ledger and must never be released: a hash of the raw data distinguishes
/// any two worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(pub [u8; 32]);

impl std::fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

/// The statistics of a data set.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Summary {
    /// The name of the data set.
    pub name: String,
    /// Number of nodes.
    pub nodes: u32,
    /// Number of edges, an undirected one counted once.
    pub edges: usize,
    /// Whether the edges were withheld; then their number is meaningless.
    pub edges_withheld: bool,
    /// Whether edges have a direction.
    pub directed: bool,
    /// How features are stored: dense, sparse or encoded; `None` without features.
    pub feature_form: Option<&'static str>,
    /// Number of feature columns.
    pub features: usize,
    /// Number of nonzero features (for encoded reports, of signs).
    pub feature_nonzeros: usize,
    /// Number of classes.
    pub classes: u32,
    /// Nodes that have a label.
    pub labelled: usize,
    /// Nodes per class.
    pub class_sizes: Vec<usize>,
    /// Names of the classes, if any.
    pub class_names: Option<Vec<String>>,
    /// Nodes for training, validation and testing, if there is a split.
    pub split: Option<[usize; 3]>,
    /// Nodes without an edge.
    pub isolated: usize,
    /// Self loops in the file.
    pub self_loops_dropped: usize,
    /// Duplicate edges in the file.
    pub duplicates_dropped: usize,
    /// Rows in the file that say of a node what an earlier one says already.
    pub rows_dropped: usize,
    /// Entries of a matrix in the file that are edges though their value is 0.
    pub zero_entries: usize,
    /// The largest degree.
    pub max_degree: usize,
    /// The mean degree.
    pub mean_degree: f64,
    /// The share of edges between nodes of the same class, among edges between labelled nodes.
    pub homophily: Option<f64>,
}

impl Dataset {
    /// A data set without node data; add them with the `with_…` methods.
    pub fn new(name: impl Into<String>, graph: Graph, dropped: Dropped) -> Dataset {
        let names = NodeNames::Range(graph.nodes());
        // A name is shown on terminals and in statements, so it must not contain control
        // characters.
        let name = name.into().replace(char::is_control, " ");
        Dataset {
            name,
            graph,
            edges_withheld: false,
            dropped,
            names,
            features: None,
            feature_range: None,
            labels: None,
            split: None,
            declared: Declared::default(),
            public: Vec::new(),
        }
    }

    /// A data set with withheld edges: its graph is empty, whatever the true edges.
    pub fn with_edges_withheld(name: impl Into<String>, nodes: u32) -> Dataset {
        let graph = Graph::empty(nodes, Direction::Undirected);
        Dataset { edges_withheld: true, ..Dataset::new(name, graph, Dropped::default()) }
    }

    /// Replaces the graph.
    ///
    /// # Errors
    /// If the graph has another number of nodes.
    pub fn with_graph(mut self, graph: Graph) -> Result<Dataset, DatasetError> {
        DatasetError::check("nodes of the other graph", self.graph.nodes(), graph.nodes() as usize)?;
        (self.graph, self.edges_withheld) = (graph, false);
        Ok(self)
    }

    /// Sets the names of nodes in their files.
    ///
    /// # Errors
    /// If there is not one name per node.
    pub fn with_names(mut self, names: NodeNames) -> Result<Dataset, DatasetError> {
        DatasetError::check("names of nodes", self.graph.nodes(), names.len())?;
        self.names = names;
        Ok(self)
    }

    /// Sets the features.
    ///
    /// # Errors
    /// If there is not one row per node.
    pub fn with_features(mut self, features: Features) -> Result<Dataset, DatasetError> {
        DatasetError::check("rows of features", self.graph.nodes(), features.rows())?;
        self.features = Some(features);
        Ok(self)
    }

    /// Declares the public range of all features.
    ///
    /// # Errors
    /// If it is not two finite numbers in ascending order.
    pub fn with_feature_range(mut self, low: f32, high: f32) -> Result<Dataset, DatasetError> {
        if !(low.is_finite() && high.is_finite() && low < high) {
            return Err(DatasetError::BadRange { low, high });
        }
        self.feature_range = Some((low, high));
        Ok(self)
    }

    /// Sets the labels.
    ///
    /// # Errors
    /// If there is not one entry per node.
    pub fn with_labels(mut self, labels: Labels) -> Result<Dataset, DatasetError> {
        DatasetError::check("labels", self.graph.nodes(), labels.nodes())?;
        self.labels = Some(labels);
        Ok(self)
    }

    /// Sets or replaces the split.
    ///
    /// # Errors
    /// If there is not one part per node.
    pub fn with_split(mut self, split: Split) -> Result<Dataset, DatasetError> {
        DatasetError::check("parts of the split", self.graph.nodes(), split.parts().len())?;
        self.split = Some(split);
        Ok(self)
    }

    /// Sets which numbers were declared.
    pub fn with_declared(mut self, declared: Declared) -> Dataset {
        self.declared = declared;
        self
    }

    /// Sets the facts that the owner declares public for every release, by name. Their meaning is
    /// that of `veil_privacy::Fact`.
    pub fn with_public(mut self, facts: Vec<String>) -> Dataset {
        self.public = facts;
        self
    }

    /// The facts that the owner declares public for every release, by name.
    pub fn public(&self) -> &[String] {
        &self.public
    }

    /// Which numbers were declared, as opposed to counted in the data.
    pub fn declared(&self) -> Declared {
        self.declared
    }

    /// The name of the data set.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Whether the edges were withheld, so that the graph is empty.
    pub fn edges_withheld(&self) -> bool {
        self.edges_withheld
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        self.graph.nodes()
    }

    /// The self loops and duplicates that were dropped.
    pub fn dropped(&self) -> Dropped {
        self.dropped
    }

    /// The names of nodes in their files.
    pub fn names(&self) -> &NodeNames {
        &self.names
    }

    /// The features, if any.
    pub fn features(&self) -> Option<&Features> {
        self.features.as_ref()
    }

    /// The declared public range of the features, if any.
    pub fn feature_range(&self) -> Option<(f32, f32)> {
        self.feature_range
    }

    /// The labels, if any.
    pub fn labels(&self) -> Option<&Labels> {
        self.labels.as_ref()
    }

    /// The split, if any.
    pub fn split(&self) -> Option<&Split> {
        self.split.as_ref()
    }

    /// What may be a mistake in the files that were read.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.dropped.zeros > 0 {
            warnings.push(format!(
                "{} entries of the matrix are stored with value 0: they are edges, as all entries are; remove them \
                 from the matrix (eliminate_zeros in SciPy) if they should not be",
                self.dropped.zeros
            ));
        }
        // Numbers are never read as words.
        if matches!(self.names, NodeNames::Texts(..)) {
            for word in MISSING {
                let Some(node) = self.names.node(word) else { continue };
                let degree = self.graph.degree(node);
                warnings.push(format!(
                    "a node with {degree} edges is called {word:?}: if this is how the file writes a missing id, these \
                     edges belong to different nodes; remove them"
                ));
            }
        }
        warnings
    }

    /// Computes all statistics.
    pub fn summary(&self) -> Summary {
        let graph = &self.graph;
        let degrees = || (0..graph.nodes()).map(|node| graph.degree(node));
        let labels = self.labels.as_ref();
        Summary {
            name: self.name.clone(),
            nodes: graph.nodes(),
            edges: graph.edges(),
            edges_withheld: self.edges_withheld,
            directed: graph.direction() == Direction::Directed,
            feature_form: self.features.as_ref().map(Features::form),
            features: self.features.as_ref().map_or(0, Features::columns),
            feature_nonzeros: self.features.as_ref().map_or(0, Features::nonzeros),
            classes: labels.map_or(0, Labels::classes),
            labelled: labels.map_or(0, Labels::known),
            class_sizes: labels.map_or_else(Vec::new, Labels::class_sizes),
            class_names: labels.and_then(Labels::names).map(<[String]>::to_vec),
            split: self.split.as_ref().map(|split| [Part::Train, Part::Val, Part::Test].map(|part| split.count(part))),
            isolated: self.isolated(),
            self_loops_dropped: self.dropped.self_loops,
            duplicates_dropped: self.dropped.duplicates,
            rows_dropped: self.dropped.rows,
            zero_entries: self.dropped.zeros,
            max_degree: degrees().max().unwrap_or(0),
            mean_degree: if graph.nodes() == 0 { 0.0 } else { graph.entries() as f64 / f64::from(graph.nodes()) },
            homophily: labels.and_then(|labels| homophily::of_edges(graph, |node| labels.get(node))),
        }
    }

    fn isolated(&self) -> usize {
        let mut touched = vec![false; self.graph.nodes() as usize];
        for (source, target) in self.graph.iter_edges() {
            touched[source as usize] = true;
            touched[target as usize] = true;
        }
        touched.iter().filter(|&&touched| !touched).count()
    }

    /// Nodes of this data set that another one has too, as far as can be detected: `all` if the
    /// data are the same, or the first with the same name (unless names are mere numbers).
    pub fn shared_with(&self, other: &Dataset) -> Option<String> {
        if self.nodes() == other.nodes() && self.fingerprint() == other.fingerprint() {
            return Some("all".to_owned());
        }
        self.names.shared_with(&other.names).map(|name| format!("node {name}"))
    }

    /// The fingerprint of edges, features and labels. Names and splits are public and not included.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut hash = Sha256::new();
        let mut buffer = Vec::with_capacity(1 << 16);
        let mut add = |hash: &mut Sha256, words: &[u32]| {
            words.iter().for_each(|word| buffer.extend_from_slice(&word.to_le_bytes()));
            if buffer.len() >= 1 << 15 || words.is_empty() {
                hash.update(&buffer);
                buffer.clear();
            }
        };
        hash.update(b"veilgraph/fingerprint/1");
        add(&mut hash, &[self.graph.nodes(), u32::from(self.graph.direction() == Direction::Directed)]);
        for node in 0..self.graph.nodes() {
            add(&mut hash, &[self.graph.degree(node) as u32]);
            for &target in self.graph.neighbours(node) {
                add(&mut hash, &[target]);
            }
        }
        let width = self.features.as_ref().map_or(u32::MAX, |features| features.columns() as u32);
        add(&mut hash, &[width]);
        if let Some(features) = &self.features {
            for row in 0..features.rows() {
                // Only nonzeros, so that a dense and a sparse copy of the same data have the same
                // fingerprint.
                features.for_stored(row, &mut |column, value| {
                    if value != 0.0 {
                        add(&mut hash, &[column as u32, value.to_bits()]);
                    }
                });
                add(&mut hash, &[u32::MAX, 0]);
            }
        }
        add(&mut hash, &[self.labels.as_ref().map_or(u32::MAX, Labels::classes)]);
        for label in self.labels.iter().flat_map(Labels::iter) {
            add(&mut hash, &[label.unwrap_or(u32::MAX)]);
        }
        add(&mut hash, &[]);
        Fingerprint(hash.finalize().into())
    }
}
