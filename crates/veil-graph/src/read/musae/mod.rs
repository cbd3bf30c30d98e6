//! MUSAE and KarateClub: `*_edges.csv`, `*_target.csv`, and features as JSON or CSV.
//!
//! `features` streams the JSON, without building a tree; `target` reads the classes; this file
//! combines them. Every file may be gzipped.

mod features;
mod target;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use super::entries::Entries;
use super::error::{Place, ReadError};
use super::rows::{self, bytes_on_disk, names, open_with_header, same_per_node};
use crate::dataset::{Dataset, Declared};
use crate::features::{Features, Sparse};
use crate::graph::{Direction, Graph, NodeId};
use crate::labels::Labels;
use crate::limits::most_nodes;

pub(super) const DESCRIBED: &str =
    "a folder with *_edges.csv and *_target.csv or features as *.json (MUSAE, KarateClub; .gz too)";

/// Known names of the two columns of edges.
const EDGES: [[&str; 2]; 3] = [["from", "to"], ["id_1", "id_2"], ["node_1", "node_2"]];

/// The features of all six Twitch countries share a vocabulary, so that a model can be transferred.
const TWITCH_VOCABULARY: usize = 3170;

/// The files of the layout.
struct Files {
    edges: PathBuf,
    json: Option<PathBuf>,
    csv: Option<PathBuf>,
    target: Option<PathBuf>,
    name: String,
}

/// Names with this ending, compressed or not. `DE_edges.csv.gz` and `edges.csv` both end in
/// `edges.csv`.
fn ending<'a>(entries: &'a Entries, ending: &str) -> Vec<&'a str> {
    let fits = |name: &&str| {
        let plain = name.strip_suffix(".gz").unwrap_or(name);
        plain.strip_suffix(ending).is_some_and(|start| start.is_empty() || start.ends_with('_'))
    };
    entries.names().iter().map(String::as_str).filter(fits).collect()
}

fn json(entries: &Entries) -> Vec<&str> {
    let named = |name: &&str| {
        name.strip_suffix(".gz").unwrap_or(name).ends_with(".json") && *name != "meta.json" && !name.contains("target")
    };
    let all: Vec<&str> = entries.names().iter().map(String::as_str).filter(named).collect();
    let features: Vec<&str> = all.iter().copied().filter(|name| name.contains("features")).collect();
    if features.is_empty() { all } else { features }
}

/// A folder with a table of edges and one more file of the layout.
pub(super) fn looks_like(entries: &Entries) -> bool {
    let prefixed = ending(entries, "edges.csv").iter().any(|name| !name.starts_with("edges."));
    let others = !ending(entries, "target.csv").is_empty() || !json(entries).is_empty();
    let target = !ending(entries, "target.csv").is_empty();
    !entries.is_single_file() && (prefixed && others || entries.has_table("edges") && target)
}

impl Files {
    fn of(entries: &Entries) -> Result<Files, ReadError> {
        let one = |names: Vec<&str>, what: &str| match names.as_slice() {
            [] => Ok(None),
            [name] => Ok(Some(entries.path(name))),
            [_, second, ..] => {
                Err(ReadError::repeated(Place::file(&entries.path(second)), format!("file with the {what}")))
            }
        };
        let edges = one(ending(entries, "edges.csv"), "edges")?
            .ok_or_else(|| ReadError::missing(entries.path("*_edges.csv"), "the edges of the graph"))?;
        let json = one(json(entries), "features")?;
        let csv = one(ending(entries, "features.csv"), "features")?;
        if let (Some(_), Some(path)) = (&json, &csv) {
            return Err(ReadError::repeated(Place::file(path), "file with the features"));
        }
        let target = one(ending(entries, "target.csv"), "targets")?;
        let file_name = edges.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let prefix = file_name.split("_edges.csv").next().filter(|prefix| *prefix != file_name);
        let name = prefix.map_or_else(|| entries.dataset_name(), str::to_owned);
        Ok(Files { edges, json, csv, target, name })
    }

    fn all(&self) -> impl Iterator<Item = &Path> {
        let others = [&self.json, &self.csv, &self.target].into_iter().flatten();
        std::iter::once(&self.edges).chain(others).map(PathBuf::as_path)
    }
}

/// Reads the folder.
pub(super) fn read(entries: &Entries) -> Result<Dataset, ReadError> {
    let files = Files::of(entries)?;
    let limit = most_nodes(bytes_on_disk(files.all()));
    let edges = read_edges(&files.edges, limit)?;
    let features = match (&files.json, &files.csv) {
        (Some(path), _) => Some((path, features::from_json(path, limit)?)),
        (None, Some(path)) => Some((path, features::from_csv(path, limit)?)),
        (None, None) => None,
    };
    let mut target = files.target.as_ref().map(|path| Ok((path, target::read(path, limit)?))).transpose()?;

    let of_edges = edges.iter().map(|&(source, target)| source.max(target) + 1).max();
    let of_features = features.as_ref().map(|(_, features)| features.nodes);
    let of_target = target.as_ref().and_then(|(_, target)| target.largest_node());
    let nodes = of_edges.max(of_features).max(of_target).unwrap_or(0);
    let mut built = Graph::from_edges(nodes, &edges, Direction::Undirected).map_err(ReadError::misfit(&files.edges))?;
    drop(edges);

    // A French streamer of Twitch is there twice, with other views but the same class.
    let entries = target.as_mut().map(|(path, target)| (path.clone(), std::mem::take(&mut target.entries)));
    let mut values = Vec::new();
    if let Some((path, entries)) = entries {
        (values, built.dropped.rows) = same_per_node(&path, "label of node", nodes, entries)?;
    }
    // Twitch's vocabulary and classes are known; for other data sets they are counted. Nodes are
    // listed with their features and labels, unless an edge names a further one.
    let twitch = target.as_ref().is_some_and(|(_, target)| target.is_twitch());
    let mut dataset = Dataset::new(files.name, built.graph, built.dropped).with_declared(Declared {
        nodes: of_edges <= of_features.max(of_target),
        dimensions: twitch,
        classes: twitch,
    });
    if let Some((path, features)) = features {
        let width = features.width.max(if twitch { TWITCH_VOCABULARY } else { 0 });
        let sparse = Sparse::from_triples(nodes as usize, width, &features.triples);
        let sparse = sparse.map_err(ReadError::misfit(path))?;
        dataset = dataset.with_features(Features::Sparse(sparse)).map_err(ReadError::misfit(path))?;
    }
    if let Some((path, target)) = target {
        let (classes, class_names) = (target.classes, target.names);
        let mut labels = Labels::new(classes, values).map_err(ReadError::misfit(path))?;
        if let Some(class_names) = class_names {
            labels = labels.with_names(class_names).map_err(ReadError::misfit(path))?;
        }
        dataset = dataset.with_labels(labels).map_err(ReadError::misfit(path))?;
    }
    Ok(dataset)
}

fn read_edges(path: &Path, nodes: u32) -> Result<Vec<(NodeId, NodeId)>, ReadError> {
    let (text, header) = open_with_header(path)?;
    let found = names(&header, b',')?;
    if !EDGES.iter().any(|known| found.iter().eq(known)) {
        return Err(header.line().unexpected("the header \"from,to\", \"id_1,id_2\" or \"node_1,node_2\""));
    }
    rows::edges(text, b',', nodes)
}
