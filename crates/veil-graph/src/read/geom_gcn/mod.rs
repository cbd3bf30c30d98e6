//! Geom-GCN's text files, in which chameleon is published: `out1_graph_edges.txt` and
//! `out1_node_feature_label.txt`.
//!
//! Columns are separated by tabs; the features of a node are one column of numbers separated by
//! commas. The graph is undirected, as in the papers. Of the ten published splits
//! (`*_split_0.6_0.2_*.npz`) the first available one is read.

#[cfg(test)]
mod tests;

use std::path::Path;

use super::entries::Entries;
use super::error::{Place, ReadError};
use super::npz::Npz;
use super::rows::{self, Entry, bytes_on_disk, collect, names, one_per_node, open_with_header};
use super::text::Field;
use crate::dataset::{Dataset, Declared};
use crate::features::{Features, Sparse};
use crate::graph::{Direction, Graph, NodeId};
use crate::labels::Labels;
use crate::limits::{MOST_CLASSES, most_nodes};
use crate::split::{Part, Split};

pub(super) const DESCRIBED: &str = "a folder with out1_graph_edges.txt and out1_node_feature_label.txt (Geom-GCN)";

const EDGES: &str = "out1_graph_edges.txt";
const NODES: &str = "out1_node_feature_label.txt";

/// One of the files, compressed or not.
fn find(entries: &Entries, name: &str) -> Option<std::path::PathBuf> {
    [name.to_owned(), format!("{name}.gz")].into_iter().find(|name| entries.has(name)).map(|name| entries.path(&name))
}

/// A folder with both files.
pub(super) fn looks_like(entries: &Entries) -> bool {
    !entries.is_single_file() && find(entries, EDGES).is_some()
}

/// Reads the folder.
pub(super) fn read(entries: &Entries) -> Result<Dataset, ReadError> {
    let needed = |name: &str, needed_for: &str| {
        find(entries, name).ok_or_else(|| ReadError::missing(entries.path(name), needed_for))
    };
    let (edges_path, nodes_path) = (needed(EDGES, "the edges")?, needed(NODES, "features and labels of the nodes")?);
    let limit = most_nodes(bytes_on_disk([edges_path.as_path(), nodes_path.as_path()]));
    let rows = read_nodes(&nodes_path, limit)?;
    let nodes = rows.iter().map(|row| row.node + 1).max().unwrap_or(0);
    let edges = read_edges(&edges_path, nodes)?;
    let built = Graph::from_edges(nodes, &edges, Direction::Undirected).map_err(ReadError::misfit(&edges_path))?;
    drop(edges);

    let width = rows.first().map_or(0, |row| row.value.width);
    if let Some(row) = rows.iter().find(|row| row.value.width != width) {
        ReadError::check_count(Place::line(&nodes_path, row.line, 2), "features", row.value.width, width)?;
    }
    let rows = one_per_node(&nodes_path, "line of node", nodes, rows)?;
    let (mut triples, mut labels) = (Vec::new(), Vec::with_capacity(rows.len()));
    for (row, node) in rows.into_iter().zip(0..) {
        labels.push(row.as_ref().map(|row| row.label));
        let values = row.map(|row| row.values).unwrap_or_default();
        triples.extend(values.into_iter().map(|(column, value)| (node, column, value)));
    }
    let features = Sparse::from_triples(nodes as usize, width, &triples);
    let features = features.map_err(ReadError::misfit(&nodes_path))?;
    let classes = labels.iter().flatten().max().map_or(0, |&largest| largest + 1);
    let labels = Labels::new(classes, labels).map_err(ReadError::misfit(&nodes_path))?;
    let declared = Declared { nodes: true, dimensions: true, classes: false };
    let dataset = Dataset::new(entries.dataset_name(), built.graph, built.dropped).with_declared(declared);
    let dataset = dataset.with_features(Features::Sparse(features)).and_then(|data| data.with_labels(labels));
    let dataset = dataset.map_err(ReadError::misfit(&nodes_path))?;
    match entries.names().iter().find(|name| name.contains("_split_0.6_0.2_") && name.ends_with(".npz")) {
        Some(name) => {
            let path = entries.path(name);
            dataset.with_split(read_split(&path, nodes)?).map_err(ReadError::misfit(&path))
        }
        None => Ok(dataset),
    }
}

/// Three masks, with a 1 for each node of the part.
fn read_split(path: &Path, nodes: u32) -> Result<Split, ReadError> {
    let mut npz = Npz::open(path)?;
    let mut parts = vec![Part::None; nodes as usize];
    for (name, part) in [("train_mask", Part::Train), ("val_mask", Part::Val), ("test_mask", Part::Test)] {
        let mask = npz.integers::<u8>(name)?;
        let source = npz.source(name);
        ReadError::check_count(source.whole(), "entries of the mask", mask.len(), parts.len())?;
        for (node, (of, inside)) in parts.iter_mut().zip(mask).enumerate() {
            match (inside, *of) {
                (0, _) => {}
                (1, Part::None) => *of = part,
                (1, _) => {
                    return Err(ReadError::repeated(source.element(node), format!("part of node {node}")));
                }
                (other, _) => return Err(ReadError::unexpected(source.element(node), &other.to_string(), "0 or 1")),
            }
        }
    }
    Ok(Split::new(parts))
}

fn read_edges(path: &Path, nodes: u32) -> Result<Vec<(NodeId, NodeId)>, ReadError> {
    let (text, header) = open_with_header(path)?;
    if names(&header, b'\t')? != ["node_id", "node_id"] {
        return Err(header.line().unexpected("the header \"node_id\", tab, \"node_id\""));
    }
    rows::edges(text, b'\t', nodes)
}

/// A row of the node table.
struct Row {
    label: u32,
    width: usize,
    /// The nonzeros.
    values: Vec<(u32, f32)>,
}

fn read_nodes(path: &Path, nodes: u32) -> Result<Vec<Entry<Row>>, ReadError> {
    let (text, header) = open_with_header(path)?;
    if names(&header, b'\t')? != ["node_id", "feature", "label"] {
        return Err(header.line().unexpected("the header \"node_id\", \"feature\", \"label\", separated by tabs"));
    }
    collect(text, |line| {
        let [node, features, label] = line.exactly(b'\t')?;
        let (width, values) = numbers(&features)?;
        let label = label.as_below(MOST_CLASSES, "class")?;
        Ok(Entry { node: node.as_node(nodes)?, value: Row { label, width, values }, line: line.number() })
    })
}

/// The comma-separated numbers of a field: their count, and the nonzeros.
fn numbers(field: &Field<'_>) -> Result<(usize, Vec<(u32, f32)>), ReadError> {
    let (mut width, mut values) = (0, Vec::new());
    for number in field.as_str()?.split(',') {
        let value = number.trim().parse::<f32>().ok().filter(|value| value.is_finite());
        let value = value.ok_or_else(|| {
            let expected = format!("a finite number as feature {width}");
            ReadError::unexpected(field.place(), number, expected)
        })?;
        if value != 0.0 {
            values.push((width as u32, value));
        }
        width += 1;
    }
    Ok((width, values))
}
