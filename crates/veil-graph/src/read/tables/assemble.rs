//! A data set from its tables.

use std::path::{Path, PathBuf};

use super::container::Table;
use super::notes::{NOTES_KEY, Notes};
use super::{ENDINGS, edges, nodes};
use crate::dataset::{Dataset, Declared};
use crate::graph::{Direction, Dropped, Graph, NodeId};
use crate::ids::NodeNames;
use crate::read::entries::Entries;
use crate::read::error::{Place, ReadError};
use crate::read::folder::meta::{SPLIT, TOGETHER};

/// Reads a folder of tables, or a single edge table.
pub(in crate::read) fn read(entries: &Entries) -> Result<Dataset, ReadError> {
    let name = entries.dataset_name();
    if entries.is_single_file() {
        let table = Table::open(entries.root())?;
        let notes = Notes::of(&table)?.unwrap_or_default();
        let (names, pairs) = edges::without_nodes(&table)?;
        return assemble(table.path(), &name, names, pairs, &notes, false);
    }
    let find = |stem: &str| -> Option<PathBuf> {
        let file = ENDINGS.iter().map(|ending| format!("{stem}.{ending}")).find(|file| entries.has(file))?;
        Some(entries.path(&file))
    };
    let edges = find("edges").ok_or_else(|| ReadError::Missing {
        path: entries.path("edges.parquet"),
        needed_for: "the edges of the graph".to_owned(),
    })?;
    let edges = Table::open(&edges)?;
    let edge_notes = Notes::of(&edges)?;
    let Some(nodes) = find("nodes") else {
        let (names, pairs) = edges::without_nodes(&edges)?;
        return assemble(edges.path(), &name, names, pairs, &edge_notes.unwrap_or_default(), false);
    };
    let table = Table::open(&nodes)?;
    let notes = Notes::of(&table)?.or(edge_notes).unwrap_or_default();
    let nodes = nodes::read(&table, &notes)?;
    let pairs = edges::between(&edges, &nodes.names)?;

    let mut dataset = assemble(edges.path(), &name, nodes.names, pairs, &notes, true)?;
    if let Some(features) = nodes.features {
        dataset = dataset.with_features(features).map_err(ReadError::misfit(table.path()))?;
    }
    if let Some(labels) = nodes.labels {
        dataset = dataset.with_labels(labels).map_err(ReadError::misfit(table.path()))?;
    }
    if let Some(split) = nodes.split {
        let counts = |key: &str| notes.counted.iter().any(|counted| counted == key);
        let split = split.drawn_from_labels(counts(SPLIT)).drawn_together(counts(TOGETHER));
        dataset = dataset.with_split(split).map_err(ReadError::misfit(table.path()))?;
    }
    Ok(dataset)
}

fn assemble(
    path: &Path,
    name: &str,
    names: NodeNames,
    pairs: Vec<(NodeId, NodeId)>,
    notes: &Notes,
    listed: bool,
) -> Result<Dataset, ReadError> {
    let direction = if notes.directed { Direction::Directed } else { Direction::Undirected };
    let (name, nodes) = (notes.name.as_deref().unwrap_or(name), names.len() as u32);
    let dataset = if notes.edges_withheld && pairs.is_empty() {
        Dataset::with_edges_withheld(name, nodes)
    } else if notes.repeated_edges && notes.directed {
        Dataset::new(name, Graph::from_reports(nodes, pairs).map_err(ReadError::misfit(path))?, Dropped::default())
    } else {
        let built = Graph::from_edges(nodes, &pairs, direction).map_err(ReadError::misfit(path))?;
        Dataset::new(name, built.graph, built.dropped)
    };
    let counted = |key: &str| notes.counted.iter().any(|counted| counted == key);
    let declares = |number: Option<u32>, key: &str| number.is_some() && !counted(key);
    let declared = Declared {
        // Listed in a table, by a writer that did not count them in the edges.
        nodes: listed && !counted("nodes"),
        dimensions: declares(notes.features, "features"),
        classes: declares(notes.classes, "classes"),
    };
    let dataset = dataset.with_declared(declared).with_public(notes.declared_public.clone());
    let dataset = dataset.with_names(names).map_err(ReadError::misfit(path))?;
    match notes.feature_range {
        Some((low, high)) => dataset
            .with_feature_range(low as f32, high as f32)
            .map_err(|source| ReadError::Inconsistent { place: Place::part(path, NOTES_KEY), source: source.into() }),
        None => Ok(dataset),
    }
}
