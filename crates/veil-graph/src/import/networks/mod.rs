//! Files that hold a whole graph: nodes and edges with attributes, as two tables.
//!
//! `graph_ml` and `node_link` read them. [`open_bare`] makes a data set of one without attributes;
//! of attributes an owner says what they are, so they are imported, never guessed.

mod graph_ml;
mod node_link;

use std::path::Path;

use super::error::{ImportError, listed};
use super::plan::{Tables, assemble};
use super::request::{FeatureColumns, Request};
use super::table::Builder;
use crate::dataset::Dataset;
use crate::graph::Direction;
use crate::read::{Place, ReadError};

/// The column with the id of a node, and those with the ends of an edge.
const ID: &str = "id";
const ENDS: [&str; 2] = ["source", "target"];

/// Endings of GraphML files.
const GRAPH_ML: &str = "graphml";
/// The ending of node-link files.
const NODE_LINK: &str = "json";

/// Tables in progress, with the columns `id`, or `source` and `target`, and attributes.
pub(super) struct Network {
    pub(super) nodes: Builder,
    pub(super) edges: Builder,
    pub(super) direction: Option<Direction>,
}

impl Network {
    fn new(path: &Path) -> Network {
        let (mut nodes, mut edges) = (Builder::new(path, "node"), Builder::new(path, "edge"));
        nodes.declare(ID);
        for end in ENDS {
            edges.declare(end);
        }
        Network { nodes, edges, direction: None }
    }
}

/// Whether a file is one of these, by its name.
#[must_use]
pub fn is_network(path: &Path) -> bool {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().to_ascii_lowercase());
    [GRAPH_ML, NODE_LINK].iter().any(|ending| has_ending(&name, ending))
}

/// Whether a name has an ending, compressed or not.
fn has_ending(name: &str, ending: &str) -> bool {
    let plain = [".gz", ".zst"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(name);
    plain.rsplit_once('.').is_some_and(|(_, found)| found.eq_ignore_ascii_case(ending))
}

/// Reads a file by its name.
pub(super) fn read(path: &Path) -> Result<Network, ImportError> {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    if has_ending(&name, GRAPH_ML) {
        Ok(graph_ml::read(path)?)
    } else if has_ending(&name, NODE_LINK) {
        Ok(node_link::read(path)?)
    } else {
        let known = format!(".{GRAPH_ML}; .{NODE_LINK} (NetworkX's node-link data)");
        Err(ImportError::UnknownFormat { path: path.to_owned(), known })
    }
}

/// A graph whose nodes have no attributes.
pub(crate) fn open_bare(path: &Path) -> Result<Dataset, ReadError> {
    let as_read = |error| match error {
        ImportError::Read(error) => error,
        other => ReadError::format(Place::file(path), other.to_string()),
    };
    let network = read(path).map_err(as_read)?;
    let attributes: Vec<String> = network.nodes.names().iter().filter(|name| *name != ID).cloned().collect();
    if !attributes.is_empty() {
        let problem = listed(&attributes);
        return Err(ReadError::Attributes { path: path.to_owned(), attributes: problem });
    }
    let features = FeatureColumns::These(Vec::new());
    let request = Request { network: Some(path.to_owned()), features, ..Request::default() };
    let tables = Tables::of_network(network, &request).map_err(as_read)?;
    Ok(assemble(&request, &tables).map_err(as_read)?.dataset)
}
