//! Parquet and Arrow tables.
//!
//! A folder holds `edges.parquet` (or `.arrow`, `.feather`) with the columns `src` and `dst`, and perhaps
//! `nodes.parquet` with `node`, `label`, `split` and features; a single file with two such columns is an edge list.
//! `container` opens a file and hands over its rows; it asks `thrift` whether a footer can be believed. `cells` reads
//! columns of any fitting type; `edges` and `nodes` make pairs and parts of them; `notes` is what a table says
//! about the whole. Names that are numbers are sorted; texts stay in the order of the node table.

mod cells;
mod container;
mod edges;
mod nodes;
mod notes;
#[cfg(test)]
mod tests;
mod thrift;

use std::path::{Path, PathBuf};

use self::container::Table;
use self::notes::Notes;
use super::error::{Place, ReadError};
use crate::dataset::Dataset;
use crate::graph::{Direction, Graph, NodeId};
use crate::ids::NodeNames;

pub(crate) use self::notes::{ENCODING_KEY, Encoding, NOTES_KEY, Notes as TableNotes, VERSION};

const ENDINGS: [&str; 3] = ["parquet", "arrow", "feather"];

/// Whether a folder with these files is of this layout.
pub(super) fn looks_like(entries: &[String]) -> bool {
    ENDINGS.iter().any(|ending| entries.iter().any(|entry| *entry == format!("edges.{ending}")))
}

/// Whether a single file is a table.
pub(super) fn looks_like_file(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known))
}

/// Reads a folder of tables, or an edge table alone.
pub(super) fn read(path: &Path) -> Result<Dataset, ReadError> {
    let name = |path: &Path| path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    if !path.is_dir() {
        let table = Table::open(path)?;
        let notes = Notes::of(&table)?.unwrap_or_default();
        let (names, pairs) = edges::alone(&table)?;
        return assemble(path, &name(path), names, &pairs, &notes);
    }
    let find = |stem: &str| -> Option<PathBuf> {
        ENDINGS.iter().map(|ending| path.join(format!("{stem}.{ending}"))).find(|file| file.is_file())
    };
    let edges = find("edges").ok_or_else(|| ReadError::Missing {
        path: path.join("edges.parquet"),
        needed_for: "the edges of the graph".to_owned(),
    })?;
    let edges = Table::open(&edges)?;
    let edge_notes = Notes::of(&edges)?;
    let Some(nodes) = find("nodes") else {
        let (names, pairs) = edges::alone(&edges)?;
        return assemble(edges.path(), &name(path), names, &pairs, &edge_notes.unwrap_or_default());
    };
    let table = Table::open(&nodes)?;
    let notes = Notes::of(&table)?.or(edge_notes).unwrap_or_default();
    let nodes = nodes::read(&table, &notes)?;
    let pairs = edges::between(&edges, &nodes.names)?;

    let mut dataset = assemble(edges.path(), &name(path), nodes.names, &pairs, &notes)?;
    drop(pairs);
    if let Some(features) = nodes.features {
        dataset = dataset.with_features(features).map_err(ReadError::misfit(table.path()))?;
    }
    if let Some(labels) = nodes.labels {
        dataset = dataset.with_labels(labels).map_err(ReadError::misfit(table.path()))?;
    }
    if let Some(split) = nodes.split {
        dataset = dataset.with_split(split).map_err(ReadError::misfit(table.path()))?;
    }
    Ok(dataset)
}

fn assemble(
    path: &Path,
    name: &str,
    names: NodeNames,
    pairs: &[(NodeId, NodeId)],
    notes: &Notes,
) -> Result<Dataset, ReadError> {
    let direction = if notes.directed { Direction::Directed } else { Direction::Undirected };
    let built = Graph::from_edges(names.len() as u32, pairs, direction).map_err(ReadError::misfit(path))?;
    let name = notes.name.as_deref().unwrap_or(name);
    let dataset = Dataset::new(name, built.graph, built.dropped);
    let dataset = dataset.with_names(names).map_err(ReadError::misfit(path))?;
    match notes.feature_range {
        Some((low, high)) => dataset
            .with_feature_range(low as f32, high as f32)
            .map_err(|source| ReadError::Inconsistent { place: Place::part(path, NOTES_KEY), source: source.into() }),
        None => Ok(dataset),
    }
}
