//! NPZ: a zip archive of arrays. `archive` unpacks the arrays that are asked for and nothing else, within limits;
//! this file reads the layout of shchur/gnn-benchmark:
//!
//! - `adj_indices`, `adj_indptr`, `adj_shape`: the links as a CSR matrix (in one direction or both);
//! - `attr_data`, `attr_indices`, `attr_indptr`, `attr_shape`, or a dense `attr_matrix`: the features;
//! - `labels`: one class per node; `class_names`: what the classes are called.
//!
//! All but the links may be absent. The graph is undirected.

mod archive;
#[cfg(test)]
mod tests;

use std::path::Path;

pub(super) use archive::Npz;

use super::arrays::{check_width, compressed_features, compressed_links, entries, labels, stem, undirected};
use super::error::ReadError;
use crate::dataset::Dataset;
use crate::features::Features;

/// Whether these are the names of one archive, or of a folder with one.
pub(super) fn looks_like(entries: &[String]) -> bool {
    entries.iter().filter(|name| name.ends_with(".npz")).count() == 1
}

/// Reads an archive, or the one in a folder.
pub(super) fn read(path: &Path) -> Result<Dataset, ReadError> {
    if !path.is_dir() {
        return read_file(path);
    }
    let mut archives = entries(path)?.into_iter().filter(|name| name.ends_with(".npz"));
    match (archives.next(), archives.next()) {
        (Some(only), None) => read_file(&path.join(only)),
        (None, _) => Err(ReadError::Missing { path: path.join("*.npz"), needed_for: "the data set itself".into() }),
        (Some(first), Some(second)) => Err(ReadError::Unrecognised {
            path: path.to_owned(),
            problem: format!("holds several archives ({first}, {second}, …): give the path of one"),
        }),
    }
}

fn read_file(path: &Path) -> Result<Dataset, ReadError> {
    let mut npz = Npz::open(path)?;
    let (nodes, links) = compressed_links(&mut npz, "adj_")?;
    let built = undirected(path, nodes, &links)?;
    drop(links);
    let mut dataset = Dataset::new(stem(path), built.graph, built.dropped);
    if let Some(features) = features(&mut npz)? {
        dataset = dataset.with_features(features).map_err(ReadError::misfit(path))?;
    }
    if npz.has("labels_data") {
        return Err(npz.source("labels_data").format("several labels per node: such data are not read"));
    }
    if npz.has("labels") {
        let classes = npz.integers::<u32>("labels")?.into_iter().map(Some).collect();
        let names = if npz.has("class_names") { Some(npz.texts("class_names")?) } else { None };
        let labels = labels(&npz.source("labels"), path, classes, names)?;
        dataset = dataset.with_labels(labels).map_err(ReadError::misfit(path))?;
    }
    Ok(dataset)
}

fn features(npz: &mut Npz) -> Result<Option<Features>, ReadError> {
    if npz.has("attr_matrix") {
        let matrix = npz.array("attr_matrix")?.matrix()?;
        check_width(&npz.source("attr_matrix"), matrix.columns())?;
        Ok(Some(Features::Dense(matrix)))
    } else if npz.has("attr_data") || npz.has("attr_indices") {
        compressed_features(npz, "attr_").map(Some)
    } else {
        Ok(None)
    }
}
