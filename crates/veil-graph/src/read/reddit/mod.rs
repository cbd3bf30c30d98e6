//! The Reddit graph as GraphSAGE published it and DGL packs it: a folder with
//!
//! - `reddit_data.npz`: `feature` (one dense row per node), `label`, `node_types` (1 train, 2
//!   validation, 3 test);
//! - `reddit_graph.npz`: the links as a scipy matrix, in coordinates or in rows.
//!
//! `node_ids` and the weights of links are not read. The graph is undirected.

#[cfg(test)]
mod tests;

use super::arrays::{dense_rows, labels, node_count, scipy_links, undirected};
use super::entries::Entries;
use super::error::{Place, ReadError};
use super::npz::Npz;
use crate::dataset::{Dataset, Declared};
use crate::split::{Part, Split};

const DATA: &str = "reddit_data.npz";
const GRAPH: &str = "reddit_graph.npz";

pub(super) const DESCRIBED: &str = "reddit_data.npz with reddit_graph.npz";

/// Whether a folder has the files of this layout.
pub(super) fn looks_like(entries: &Entries) -> bool {
    [DATA, GRAPH].iter().all(|file| entries.has(file))
}

/// Reads a folder.
pub(super) fn read(entries: &Entries) -> Result<Dataset, ReadError> {
    let path = entries.root();
    let [data_path, graph_path] = [DATA, GRAPH].map(|name| path.join(name));
    for path in [&data_path, &graph_path] {
        if !path.is_file() {
            return Err(ReadError::Missing { path: path.clone(), needed_for: "the Reddit layout".into() });
        }
    }
    let mut data = Npz::open(&data_path)?;
    // The small arrays come first, so that their errors are found before the features are
    // decompressed.
    let classes = data.integers::<u32>("label")?;
    let nodes = node_count(&data.source("label"), classes.len())?;
    let labels = labels(&data.source("label"), &data_path, classes.into_iter().map(Some).collect(), None)?;
    let split = split(&mut data)?;

    let links = scipy_links(&mut Npz::open(&graph_path)?, nodes)?;
    let built = undirected(&graph_path, nodes, &links)?;
    drop(links);

    let features = dense_rows(&mut data, "feature", nodes)?;
    Dataset::new("reddit", built.graph, built.dropped)
        .with_features(features)
        .and_then(|dataset| dataset.with_labels(labels))
        .and_then(|dataset| dataset.with_split(split))
        .map(|dataset| dataset.with_declared(Declared { nodes: true, dimensions: true, classes: false }))
        .map_err(ReadError::misfit(&data_path))
}

fn split(data: &mut Npz) -> Result<Split, ReadError> {
    let types = data.integers::<u32>("node_types")?;
    let part = |(node, kind): (usize, &u32)| match kind {
        1 => Ok(Part::Train),
        2 => Ok(Part::Val),
        3 => Ok(Part::Test),
        other => {
            let place = Place::part(data.path(), format!("node_types[{node}]"));
            Err(ReadError::unexpected(place, &other.to_string(), "1 (train), 2 (validation) or 3 (test)"))
        }
    };
    types.iter().enumerate().map(part).collect::<Result<Vec<_>, _>>().map(Split::new)
}
