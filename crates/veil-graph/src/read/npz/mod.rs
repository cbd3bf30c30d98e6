//! NPZ: a zip archive of arrays. `archive` decompresses only the requested arrays, within limits;
//! this file reads the layout of shchur/gnn-benchmark:
//!
//! - `adj_indices`, `adj_indptr`, `adj_shape`: the links as a CSR matrix (in one direction or
//!   both);
//! - `attr_data`, `attr_indices`, `attr_indptr`, `attr_shape`, or a dense `attr_matrix`: the
//!   features;
//! - `labels`: one class per node; `class_names`: the names of the classes.
//!
//! All but the links may be absent. The graph is undirected. `plain` reads archives of SciPy and of
//! an edge index.

mod archive;
mod plain;
#[cfg(test)]
mod tests;

use std::path::Path;

pub(super) use archive::Npz;

use super::arrays::{compressed_features, compressed_links, dense_rows, labels, stem, undirected};
use super::entries::Entries;
use super::error::ReadError;
use crate::dataset::{Dataset, Declared};
use crate::features::Features;
use crate::graph::Dropped;

pub(super) const DESCRIBED: &str =
    "an NPZ archive (gnn-benchmark, a SciPy matrix, or an edge_index), or a folder with one";

/// An archive, or a folder with one, of no other layout.
pub(super) fn looks_like(entries: &Entries) -> bool {
    let mut archives = entries.names().iter().filter(|name| name.ends_with(".npz"));
    match (archives.next().map(String::as_str), archives.next()) {
        (Some("adj_full.npz" | "adj_train.npz" | "reddit_data.npz" | "reddit_graph.npz"), _) => false,
        (only, second) => only.is_some() && second.is_none(),
    }
}

/// Reads an archive, or the one in a folder.
pub(super) fn read(entries: &Entries) -> Result<Dataset, ReadError> {
    let archive = entries.names().iter().find(|name| name.ends_with(".npz"));
    match archive {
        Some(name) => read_file(&entries.path(name)),
        None => Err(ReadError::Missing { path: entries.path("*.npz"), needed_for: "the data set itself".into() }),
    }
}

fn read_file(path: &Path) -> Result<Dataset, ReadError> {
    let mut npz = Npz::open(path)?;
    if !npz.has("adj_indices")
        && let Some(dataset) = plain::read(&mut npz, path)?
    {
        return Ok(dataset);
    }
    let (nodes, links) = compressed_links(&mut npz, "adj_")?;
    let built = undirected(path, nodes, &links)?;
    drop(links);
    let dropped = Dropped { zeros: npz.zeros("adj_data"), ..built.dropped };
    let declared = Declared { nodes: true, dimensions: true, classes: npz.has("class_names") };
    let mut dataset = Dataset::new(stem(path), built.graph, dropped).with_declared(declared);
    if let Some(features) = features(&mut npz, nodes)? {
        dataset = dataset.with_features(features).map_err(ReadError::misfit(path))?;
    }
    if npz.has("labels_data") {
        return Err(npz.source("labels_data").format("several labels per node are not supported"));
    }
    if npz.has("labels") {
        let classes = npz.integers::<u32>("labels")?.into_iter().map(Some).collect();
        let names = if npz.has("class_names") { Some(npz.texts("class_names")?) } else { None };
        let labels = labels(&npz.source("labels"), path, classes, names)?;
        dataset = dataset.with_labels(labels).map_err(ReadError::misfit(path))?;
    }
    Ok(dataset)
}

fn features(npz: &mut Npz, nodes: u32) -> Result<Option<Features>, ReadError> {
    if npz.has("attr_matrix") {
        dense_rows(npz, "attr_matrix", nodes).map(Some)
    } else if npz.has("attr_data") || npz.has("attr_indices") {
        compressed_features(npz, "attr_").map(Some)
    } else {
        Ok(None)
    }
}
