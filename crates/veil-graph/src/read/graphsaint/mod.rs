//! The GraphSAINT layout (Zeng et al. 2020; Flickr): a folder with
//!
//! - `adj_full.npz`: the links as a scipy matrix (the training graph `adj_train.npz` is not read);
//! - `feats.npy`: one dense row of features per node, which also gives the number of nodes;
//! - `class_map.json`: {node: class}, or {node: [0, 1, 0]} with a single one; `roles` reads it and
//! - `role.json`: {"tr": […], "va": […], "te": […]}, the nodes for training, validation and
//!   testing.
//!
//! Data with several labels per node (Yelp, Amazon) are refused. The graph is undirected.

mod roles;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use super::arrays::{check_width, labels, node_count, scipy_links, undirected};
use super::entries::Entries;
use super::error::ReadError;
use super::npy::{self, Source};
use super::npz::Npz;
use crate::dataset::{Dataset, Declared};
use crate::features::Features;

pub(super) const DESCRIBED: &str = "GraphSAINT's adj_full.npz, feats.npy, class_map.json, role.json";

/// Whether a folder has the files of this layout.
pub(super) fn looks_like(entries: &Entries) -> bool {
    ["adj_full.npz", "class_map.json"].iter().all(|file| entries.has(file))
}

/// Reads a folder.
pub(super) fn read(entries: &Entries) -> Result<Dataset, ReadError> {
    let path = entries.root();
    let file = |name: &str, holds: &str| existing(path, name, holds);
    let feats = file("feats.npy", "the features")?;
    let adjacency = file("adj_full.npz", "the links")?;
    let class_map = file("class_map.json", "the labels")?;
    let role = file("role.json", "the split")?;

    let features = npy::read_matrix(&feats)?;
    let source = Source::file(&feats);
    check_width(&source, features.columns())?;
    let nodes = node_count(&source, features.rows())?;
    if features.columns() == 0 {
        // Rows without columns take no bytes, so any number of them could be declared.
        return Err(source.format("the features have no columns"));
    }
    let classes = roles::classes(&class_map, nodes)?;
    let labels = labels(&Source::part(&class_map, "node "), &class_map, classes, None)?;
    let split = roles::split(&role, nodes)?;
    let links = scipy_links(&mut Npz::open(&adjacency)?, nodes)?;
    let built = undirected(&adjacency, nodes, &links)?;
    drop(links);

    Dataset::new(entries.dataset_name(), built.graph, built.dropped)
        .with_features(Features::Dense(features))
        .and_then(|dataset| dataset.with_labels(labels))
        .and_then(|dataset| dataset.with_split(split))
        .map(|dataset| dataset.with_declared(Declared { nodes: true, dimensions: true, classes: false }))
        .map_err(ReadError::misfit(path))
}

fn existing(folder: &Path, name: &str, holds: &str) -> Result<PathBuf, ReadError> {
    let path = folder.join(name);
    if path.is_file() {
        return Ok(path);
    }
    Err(ReadError::Missing { path, needed_for: format!("{holds} of the GraphSAINT layout") })
}
