//! From tables to a data set, checked against its declarations.

use std::path::{Path, PathBuf};

use super::meta::{self, Encoding, Meta};
use super::tables::{self, FeatureRows};
use crate::dataset::{Dataset, Declared};
use crate::features::{Encoded, Features, Sparse};
use crate::graph::{Direction, Graph, NodeId};
use crate::ids::NodeNames;
use crate::labels::Labels;
use crate::read::entries::Entries;
use crate::read::error::{Place, ReadError};
use crate::read::npy;
use crate::read::rows::{Entry, one_per_node};
use crate::read::text::parse_u64;
use crate::split::{Part, Split};

/// The tables, each with its file.
struct Tables {
    edges: Option<(PathBuf, Vec<(NodeId, NodeId)>)>,
    features: Option<(PathBuf, FeatureRows)>,
    dense: Option<(PathBuf, Features)>,
    labels: Option<(PathBuf, Vec<Entry<u32>>)>,
    classes: Option<(PathBuf, Vec<Entry<String>>)>,
    splits: Option<(PathBuf, Vec<Entry<Part>>)>,
    names: Option<(PathBuf, Vec<Entry<String>>)>,
}

pub(super) fn read(entries: &Entries) -> Result<Dataset, ReadError> {
    let meta = Meta::read(entries)?;
    let tables = Tables::read(entries, &meta)?;
    let nodes = meta.nodes.map_or_else(|| tables.count_nodes(), |nodes| nodes as u32);
    // A release that protects whole nodes says so.
    if nodes == 0 && (meta.nodes.is_none() || meta.edges_withheld != Some(true)) {
        let problem = "the folder has no nodes".to_owned();
        return Err(ReadError::Unrecognised { path: entries.root().to_owned(), problem });
    }
    let meta_path = meta::path(entries);
    let root = entries.root();
    let Tables { edges, features, dense, labels, classes, splits, names } = tables;
    // Lists of nodes and classes, and the shape of an array, declare their numbers as meta.json
    // does.
    let declares = |number: Option<u64>, listed: bool, key: &str| (number.is_some() || listed) && !meta.counts(key);
    let declared = Declared {
        nodes: declares(meta.nodes, names.is_some() || dense.is_some(), "nodes"),
        dimensions: declares(meta.features, dense.is_some(), "features"),
        classes: declares(meta.classes, classes.is_some(), "classes"),
    };

    let mut dataset =
        graph(entries, &meta, nodes, edges)?.with_declared(declared).with_public(meta.declared_public.clone());
    let features = match (features, dense) {
        (Some((path, rows)), _) => Some((features_of(&path, &meta_path, rows, &meta, nodes)?, path)),
        (None, Some((path, dense))) => Some((dense, path)),
        (None, None) => None,
    };
    let found = features.as_ref().map_or(0, |(features, _)| features.nonzeros());
    let place = features.as_ref().map_or(root, |(_, path)| path);
    check_count(place, "feature nonzeros", found, meta.feature_nonzeros)?;
    if let Some((features, path)) = features {
        if matches!(features, Features::Dense(_)) {
            check_count(&path, "feature columns", features.columns(), meta.features)?;
        }
        check_range(&features, &meta, &meta_path)?;
        dataset = dataset.with_features(features).map_err(ReadError::misfit(&path))?;
    }
    if let Some([low, high]) = meta.feature_range {
        dataset = dataset.with_feature_range(low, high).map_err(ReadError::misfit(&meta_path))?;
    }
    if let Some(labels) = labels_of(&meta, nodes, labels, classes)? {
        dataset = dataset.with_labels(labels).map_err(ReadError::misfit(root))?;
    }
    if let Some((path, entries)) = splits {
        let parts = one_per_node(&path, "split of node", nodes, entries)?;
        let parts = parts.into_iter().map(|part| part.unwrap_or(Part::None)).collect();
        let split = Split::new(parts).drawn_from_labels(meta.counts(meta::SPLIT));
        let split = split.drawn_together(meta.counts(meta::TOGETHER));
        dataset = dataset.with_split(split).map_err(ReadError::misfit(&path))?;
    }
    if let Some((path, entries)) = names {
        let names = names_of(&path, nodes, entries)?;
        dataset = dataset.with_names(names).map_err(ReadError::misfit(&path))?;
    }
    Ok(dataset)
}

impl Tables {
    fn read(entries: &Entries, meta: &Meta) -> Result<Tables, ReadError> {
        // Limits were checked when meta.json was read, so these numbers fit 32 bits.
        let declared = |number: Option<u64>| number.map(|number| number as u32);
        let nodes = declared(meta.nodes).unwrap_or_else(|| meta::most_nodes_of(entries));
        let (columns, classes) = (declared(meta.features), declared(meta.classes));
        let tables = Tables {
            edges: with(entries.table("edges")?, |path| tables::edges(path, nodes))?,
            features: with(entries.table("features")?, |path| tables::features(path, nodes, columns))?,
            dense: with(entries.has(tables::DENSE).then(|| entries.path(tables::DENSE)), |path| {
                npy::read_matrix(path).map(Features::Dense)
            })?,
            labels: with(entries.table("labels")?, |path| tables::labels(path, nodes, classes))?,
            classes: with(entries.table("classes")?, |path| tables::classes(path, classes))?,
            splits: with(entries.table("splits")?, |path| tables::splits(path, nodes))?,
            names: with(entries.table("nodes")?, |path| tables::names(path, nodes))?,
        };
        if let (Some(_), Some((path, _))) = (&tables.features, &tables.dense) {
            return Err(ReadError::repeated(Place::file(path), "features"));
        }
        Ok(tables)
    }

    /// One more than the largest node of any table.
    fn count_nodes(&self) -> u32 {
        fn of<T>(table: &Option<(PathBuf, Vec<T>)>, node: impl Fn(&T) -> NodeId) -> u32 {
            let nodes = table.iter().flat_map(|(_, rows)| rows).map(node);
            nodes.max().map_or(0, |largest| largest + 1)
        }
        let features = match &self.features {
            Some((_, FeatureRows::Values(rows))) => rows.iter().map(|row| row.0 + 1).max(),
            Some((_, FeatureRows::Signs(rows))) => rows.iter().map(|row| row.0 + 1).max(),
            None => self.dense.as_ref().map(|(_, dense)| dense.rows() as u32),
        };
        let edges = of(&self.edges, |&(source, target)| source.max(target));
        let entries = of(&self.labels, |entry| entry.node).max(of(&self.splits, |entry| entry.node));
        edges.max(features.unwrap_or(0)).max(entries).max(of(&self.names, |entry| entry.node))
    }
}

/// Reads a file if it exists, and keeps its path.
fn with<T>(
    path: Option<PathBuf>,
    read: impl FnOnce(&Path) -> Result<T, ReadError>,
) -> Result<Option<(PathBuf, T)>, ReadError> {
    path.map(|path| read(&path).map(|table| (path, table))).transpose()
}

fn graph(
    entries: &Entries,
    meta: &Meta,
    nodes: u32,
    edges: Option<(PathBuf, Vec<(NodeId, NodeId)>)>,
) -> Result<Dataset, ReadError> {
    let name = meta.name.clone().unwrap_or_else(|| entries.dataset_name());
    let direction = if meta.directed == Some(true) { Direction::Directed } else { Direction::Undirected };
    if meta.edges_withheld == Some(true) {
        return match edges {
            None => Ok(Dataset::with_edges_withheld(name, nodes)),
            Some((path, _)) => Err(ReadError::format(Place::file(&path), "edges, which meta.json declares withheld")),
        };
    }
    let Some((path, edges)) = edges else {
        return match meta.edges.filter(|&declared| declared > 0) {
            Some(declared) => {
                Err(ReadError::missing(entries.path("edges.csv"), format!("meta.json declares {declared} edges")))
            }
            None => Ok(Dataset::new(name, Graph::empty(nodes, direction), Default::default())),
        };
    };
    if meta.repeated_edges == Some(true) {
        let graph = Graph::from_reports(nodes, edges).map_err(ReadError::misfit(&path))?;
        check_count(&path, "edges", graph.edges(), meta.edges)?;
        return Ok(Dataset::new(name, graph, Default::default()));
    }
    let built = Graph::from_edges(nodes, &edges, direction).map_err(ReadError::misfit(&path))?;
    check_count(&path, "edges", built.graph.edges(), meta.edges)?;
    Ok(Dataset::new(name, built.graph, built.dropped))
}

fn features_of(
    path: &Path,
    meta_path: &Path,
    rows: FeatureRows,
    meta: &Meta,
    nodes: u32,
) -> Result<Features, ReadError> {
    let width = |largest: Option<u32>| {
        meta.features.map_or_else(|| largest.map_or(0, |column| column as usize + 1), |columns| columns as usize)
    };
    match (rows, meta.encoding) {
        (FeatureRows::Values(rows), None) => {
            let width = width(rows.iter().map(|row| row.1).max());
            let sparse = Sparse::from_triples(nodes as usize, width, &rows).map_err(ReadError::misfit(path))?;
            Ok(Features::Sparse(sparse))
        }
        (FeatureRows::Signs(rows), Some(encoding)) => {
            let width = width(rows.iter().map(|row| row.1).max());
            encoded(path, rows, encoding, nodes, width).map(Features::Encoded)
        }
        (FeatureRows::Values(_), Some(_)) => {
            let problem = "an encoding is declared, but the features are values, not signs";
            Err(ReadError::format(Place::part(meta_path, "encoding"), problem))
        }
        (FeatureRows::Signs(_), None) => {
            let problem = format!("missing, but required for the signs in {}", path.display());
            Err(ReadError::format(Place::part(meta_path, "encoding"), problem))
        }
    }
}

fn encoded(
    path: &Path,
    mut rows: Vec<(NodeId, u32, bool)>,
    encoding: Encoding,
    nodes: u32,
    width: usize,
) -> Result<Encoded, ReadError> {
    let declared = u64::from(nodes).saturating_mul(encoding.signs_per_node);
    check_count(path, "signs", rows.len(), Some(declared))?;
    rows.sort_unstable_by_key(|&(node, feature, _)| (node, feature));
    // There are nodes × signs_per_node rows now, so this number does not exceed the rows of the
    // file.
    let per_node = encoding.signs_per_node as usize;
    if let Some(at) = (0..rows.len()).find(|&at| rows[at].0 as usize != at / per_node) {
        let node = rows[at].0.min((at / per_node) as NodeId);
        let problem = format!("node {node} does not have the {per_node} signs that meta.json declares");
        return Err(ReadError::format(Place::file(path), problem));
    }
    let (columns, signs) = rows.into_iter().map(|(_, feature, positive)| (feature, positive)).unzip();
    let shape = (nodes as usize, width, per_node);
    Encoded::from_reports(shape, (encoding.offset, encoding.scale), columns, signs).map_err(ReadError::misfit(path))
}

/// A declared range applies to every value (for reports, to the unknown true values).
fn check_range(features: &Features, meta: &Meta, meta_path: &Path) -> Result<(), ReadError> {
    let (Some([low, high]), false) = (meta.feature_range, matches!(features, Features::Encoded(_))) else {
        return Ok(());
    };
    match features.range() {
        Some((smallest, largest)) if smallest < low || largest > high => {
            let problem = format!("the features lie between {smallest} and {largest}, not between {low} and {high}");
            Err(ReadError::format(Place::part(meta_path, "feature_range"), problem))
        }
        _ => Ok(()),
    }
}

fn labels_of(
    meta: &Meta,
    nodes: u32,
    labels: Option<(PathBuf, Vec<Entry<u32>>)>,
    classes: Option<(PathBuf, Vec<Entry<String>>)>,
) -> Result<Option<Labels>, ReadError> {
    let named = classes.as_ref().and_then(|(_, entries)| entries.iter().map(|entry| entry.node + 1).max());
    let used = labels.as_ref().and_then(|(_, entries)| entries.iter().map(|entry| entry.value + 1).max());
    let count = meta.classes.map_or_else(|| named.max(used).unwrap_or(0), |classes| classes as u32);
    if labels.is_none() && count == 0 {
        return Ok(None);
    }
    // Classes without labels are kept: a release may withhold labels and still declare the classes.
    let (path, values) = match labels {
        Some((path, entries)) => (path.clone(), one_per_node(&path, "label of node", nodes, entries)?),
        None => (PathBuf::new(), vec![None; nodes as usize]),
    };
    let labels = Labels::new(count, values).map_err(ReadError::misfit(&path))?;
    let Some((path, entries)) = classes else { return Ok(Some(labels)) };
    check_count(&path, "class names", entries.len(), Some(u64::from(count)))?;
    let names = one_per_node(&path, "name of class", count, entries)?.into_iter().flatten().collect();
    labels.with_names(names).map(Some).map_err(ReadError::misfit(&path))
}

fn names_of(path: &Path, nodes: u32, entries: Vec<Entry<String>>) -> Result<NodeNames, ReadError> {
    check_count(path, "names of nodes", entries.len(), Some(u64::from(nodes)))?;
    let names: Vec<String> = one_per_node(path, "name of node", nodes, entries)?.into_iter().flatten().collect();
    // Numbers only in their canonical form: a name must survive a round trip.
    let number = |name: &String| parse_u64(name.as_bytes()).filter(|number| number.to_string() == *name);
    if let Some(numbers) = names.iter().map(number).collect::<Option<Vec<u64>>>()
        && numbers.is_sorted_by(|a, b| a < b)
    {
        return Ok(NodeNames::from_ascending_numbers(numbers));
    }
    NodeNames::from_texts(names).map_err(|name| ReadError::repeated(Place::file(path), format!("name {name:?}")))
}

fn check_count(path: &Path, what: &'static str, found: usize, declared: Option<u64>) -> Result<(), ReadError> {
    match declared {
        Some(declared) if declared != found as u64 => {
            Err(ReadError::WrongCount { place: Place::file(path), what, found: found as u64, declared })
        }
        _ => Ok(()),
    }
}
