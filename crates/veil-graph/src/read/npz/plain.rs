//! NPZ archives of one graph, as people save them: `scipy.sparse.save_npz`, or PyG's `edge_index`.
//!
//! - SciPy: `shape` with `indices` and `indptr` (CSR, CSC), or `row` and `col` (COO): a square
//!   matrix.
//! - Edge index: `edge_index` (2 × edges, or edges × 2), and optionally `x` (or `features`,
//!   `node_feat`), `y` (or `labels`, `label`, `node_label`; -1 is unknown), `num_nodes`, and
//!   `train_mask`, `val_mask`, `test_mask`.

use std::path::Path;

use super::Npz;
use crate::dataset::{Dataset, Declared};
use crate::graph::{Dropped, NodeId};
use crate::limits::most_nodes;
use crate::read::arrays::{dense_rows, labels, node_count, scipy_links, stem, undirected};
use crate::read::error::ReadError;
use crate::read::rows::bytes_on_disk;
use crate::split::{Part, Split};

const INDEX: &str = "edge_index";
const FEATURES: [&str; 3] = ["x", "features", "node_feat"];
const LABELS: [&str; 4] = ["y", "labels", "label", "node_label"];
const MASKS: [(&str, Part); 3] = [("train_mask", Part::Train), ("val_mask", Part::Val), ("test_mask", Part::Test)];

/// Reads an archive that is not of gnn-benchmark; `None` if it is neither of these.
pub(super) fn read(npz: &mut Npz, path: &Path) -> Result<Option<Dataset>, ReadError> {
    if npz.has(INDEX) {
        return edge_index(npz, path).map(Some);
    }
    let rows = npz.has("indices") && npz.has("indptr") || npz.has("row") && npz.has("col");
    if !(rows && npz.has("shape")) {
        return Ok(None);
    }
    let side = npz.square("shape")?;
    let nodes = checked_count(npz, "shape", side)?;
    let links = scipy_links(npz, nodes)?;
    let built = undirected(path, nodes, &links)?;
    let dropped = Dropped { zeros: npz.zeros("data"), ..built.dropped };
    // The shape is that of the program that wrote the matrix, by default one more than the largest
    // index: the nodes are collected.
    Ok(Some(Dataset::new(stem(path), built.graph, dropped)))
}

/// The number of nodes, which coordinates do not imply: limited by the size of the file.
fn checked_count(npz: &Npz, name: &str, nodes: usize) -> Result<u32, ReadError> {
    let (source, limit) = (npz.source(name), most_nodes(bytes_on_disk([npz.path()])));
    let nodes = node_count(&source, nodes)?;
    if nodes > limit {
        let what = format!("the number of nodes, {nodes},");
        return Err(ReadError::TooLarge { place: source.whole(), what, limit: limit.into() });
    }
    Ok(nodes)
}

fn edge_index(npz: &mut Npz, path: &Path) -> Result<Dataset, ReadError> {
    let source = npz.source(INDEX);
    let array = npz.array(INDEX)?;
    let (sides, ends) = (array.sides()?, array.integers::<NodeId>()?);
    let links: Vec<(NodeId, NodeId)> = match sides {
        (2, edges) => ends[..edges].iter().copied().zip(ends[edges..].iter().copied()).collect(),
        (_, 2) => ends.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect(),
        (rows, columns) => {
            return Err(source.format(format!("{rows} × {columns}, expected two rows with the ends of the edges")));
        }
    };
    let first = |npz: &Npz, names: &[&'static str]| names.iter().copied().find(|name| npz.has(name));
    let (of_features, of_labels) = (first(npz, &FEATURES), first(npz, &LABELS));
    let classes = of_labels.map(|name| classes(npz, name)).transpose()?;
    // Told by a number or by the rows of the features or labels; otherwise counted.
    let told = if npz.has("num_nodes") {
        let numbers = npz.array("num_nodes")?.integers::<usize>()?;
        match numbers[..] {
            [nodes] => Some(("num_nodes", nodes)),
            _ => return Err(npz.source("num_nodes").format("expected one number")),
        }
    } else if let Some(name) = of_features {
        Some((name, npz.array(name)?.sides()?.0))
    } else {
        of_labels.zip(classes.as_ref().map(Vec::len))
    };
    let largest = links.iter().map(|&(one, other)| one.max(other) as usize + 1).max().unwrap_or(0);
    let (name, count) = told.unwrap_or((INDEX, largest));
    let nodes = checked_count(npz, name, count)?;
    if largest > nodes as usize {
        let (place, id) = (source.whole(), (largest - 1).to_string());
        return Err(ReadError::NoSuchNode { place, id, nodes });
    }
    let built = undirected(path, nodes, &links)?;
    drop((links, ends));
    // PyG derives the number of nodes from the edges where nobody gives it, so the nodes are
    // collected.
    let declared = Declared { nodes: false, dimensions: of_features.is_some(), classes: false };
    let mut dataset = Dataset::new(stem(path), built.graph, built.dropped).with_declared(declared);
    if let Some(name) = of_features {
        let features = dense_rows(npz, name, nodes)?;
        dataset = dataset.with_features(features).map_err(ReadError::misfit(path))?;
    }
    if let (Some(name), Some(classes)) = (of_labels, classes) {
        let labels = labels(&npz.source(name), path, classes, None)?;
        dataset = dataset.with_labels(labels).map_err(ReadError::misfit(path))?;
    }
    if let Some(split) = split(npz, nodes)? {
        dataset = dataset.with_split(split).map_err(ReadError::misfit(path))?;
    }
    Ok(dataset)
}

/// One class per node, of which -1 is unknown.
fn classes(npz: &mut Npz, name: &str) -> Result<Vec<Option<u32>>, ReadError> {
    let numbers = npz.integers::<i64>(name)?;
    let source = npz.source(name);
    let class = |(node, number): (usize, i64)| match (number, u32::try_from(number)) {
        (-1, _) => Ok(None),
        (_, Ok(class)) => Ok(Some(class)),
        _ => Err(ReadError::unexpected(source.element(node), &number.to_string(), "a class, or -1")),
    };
    numbers.into_iter().enumerate().map(class).collect()
}

fn split(npz: &mut Npz, nodes: u32) -> Result<Option<Split>, ReadError> {
    let mut parts = vec![Part::None; nodes as usize];
    let mut any = false;
    for (name, part) in MASKS {
        if !npz.has(name) {
            continue;
        }
        any = true;
        let mask = npz.integers::<u8>(name)?;
        let source = npz.source(name);
        ReadError::check_count(source.whole(), "nodes", mask.len(), nodes as usize)?;
        for (node, _) in mask.iter().enumerate().filter(|(_, set)| **set != 0) {
            if parts[node] != Part::None {
                return Err(ReadError::repeated(source.element(node), format!("part of node {node}")));
            }
            parts[node] = part;
        }
    }
    Ok(any.then(|| Split::new(parts)))
}
