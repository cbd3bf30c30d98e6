//! From a request to a data set: read, number, encode, assemble.

use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::columns::Encoder;
use super::edges;
use super::error::ImportError;
use super::formats::{self, Options};
use super::networks::Network;
use super::report::Report;
use super::request::{Classes, FeatureColumns, Request, Unlisted};
use super::table::{Header, Table, Wanted};
use super::values::Cells;
use super::{Imported, labels, networks, nodes};
use crate::dataset::{Dataset, DatasetError, Declared};
use crate::graph::{Direction, Graph, NodeId};
use crate::ids::Ids;
use crate::misfit::Misfit;

/// The fact that a list of nodes is, in reports.
const NODE_LIST: &str = "the list of nodes";

/// The tables of a request.
pub(super) struct Tables {
    edges: Option<Table>,
    nodes: Option<Table>,
    /// The direction that the file declares.
    direction: Option<Direction>,
}

/// Reads tables and makes a data set of them. Nothing is written.
///
/// # Errors
/// If a file cannot be read, a column is missing or does not hold what it should, or something
/// would have to be guessed that changes what the data mean.
pub fn import(request: &Request) -> Result<Imported, ImportError> {
    request.check()?;
    assemble(request, &Tables::read(request)?)
}

/// A table in memory: its columns, and its rows.
pub type Rows = (SchemaRef, Vec<RecordBatch>);

/// Makes a data set of tables in memory, which messages call `edges` and `nodes`. Files of the
/// request are not read.
///
/// # Errors
/// As [`import`].
pub fn import_tables(request: &Request, edges: Option<&Rows>, nodes: Option<&Rows>) -> Result<Imported, ImportError> {
    let named = |table: Option<&Rows>, name: &str| table.map(|_| PathBuf::from(name));
    let (of_edges, of_nodes) = (named(edges, "edges"), named(nodes, "nodes"));
    let request = Request { network: None, edges: of_edges, nodes: of_nodes, ..request.clone() };
    request.check()?;
    let ends: Wanted<'_> = &|header| edges::ends(&request, header);
    let columns: Wanted<'_> = &|header| node_columns(&request, header);
    let read = |name: &str, table: Option<&Rows>, wanted| {
        table.map(|(schema, rows)| formats::of_batches(Path::new(name), (schema, rows), wanted)).transpose()
    };
    let tables = Tables { edges: read("edges", edges, ends)?, nodes: read("nodes", nodes, columns)?, direction: None };
    assemble(&request, &tables)
}

/// Makes a data set of tables.
pub(super) fn assemble(request: &Request, tables: &Tables) -> Result<Imported, ImportError> {
    let mut report = Report::default();
    tables.describe(request, &mut report);

    let (mut ids, first_rows) = match &tables.nodes {
        Some(table) => {
            let listed = nodes::listed(table, &mut report)?;
            (listed.ids, listed.rows)
        }
        None => (Ids::default(), Vec::new()),
    };
    let mut pairs = match &tables.edges {
        Some(table) => edges::pairs(table, request, &mut ids, tables.nodes.as_ref(), &mut report)?,
        None => Vec::new(),
    };
    if ids.len() == 0 {
        return Err(ImportError::NoNodes { path: request.main_path().to_owned() });
    }
    let (names, places) = ids.finish();
    let nodes = names.len() as u32;
    let place = |node: NodeId| places[node as usize];
    pairs.iter_mut().for_each(|(source, target)| (*source, *target) = (place(*source), place(*target)));
    let mut rows: Vec<Option<usize>> = vec![None; names.len()];
    for (&row, &place) in first_rows.iter().zip(&places) {
        rows[place as usize] = Some(row);
    }

    let path = request.main_path();
    let misfit = |source: Misfit| ImportError::Inconsistent { path: path.to_owned(), source };
    let direction = request.direction.or(tables.direction).unwrap_or(Direction::Undirected);
    let built = Graph::from_edges(nodes, &pairs, direction).map_err(|source| misfit(source.into()))?;
    drop(pairs);
    for (count, what) in [(built.dropped.duplicates, "duplicate edges"), (built.dropped.self_loops, "self loops")] {
        if count > 0 {
            report.dropped.push(format!("{count} {what}"));
        }
    }
    let name = request.name.clone().unwrap_or_else(|| stem(path));
    let mut dataset =
        Dataset::new(name, built.graph, built.dropped).with_names(names).map_err(|source| misfit(source.into()))?;
    report.warnings.extend(dataset.warnings());
    // A list of nodes is given if it is apart from the edges. Programs that write both into one
    // file take the nodes from the data.
    let listed = tables.nodes.is_some() && request.network.is_none() && request.unlisted != Unlisted::Added;
    let mut declared = Declared { nodes: listed, dimensions: false, classes: false };
    let facts = if listed { &mut report.given } else { &mut report.collected };
    facts.push(NODE_LIST.to_owned());

    if let Some(table) = &tables.nodes {
        let mut columns = table.columns.iter().skip(1);
        if let Some(column) = request.label.as_ref().and_then(|_| columns.next()) {
            let listed = request.classes.as_ref().map(Classes::names).unwrap_or_default();
            let cells = Cells { table, column, rows: &rows, listed: &listed };
            let (labels, given) = labels::of(cells, request, &mut report)?;
            declared.classes = given;
            dataset = dataset.with_labels(labels).map_err(|source| misfit(source.into()))?;
        }
        let mut encoder = Encoder::default();
        if table.keyed && request.features == FeatureColumns::All {
            encoder.found_columns(&table.path);
        }
        for column in columns {
            let listed = request.categories_of(&column.name).unwrap_or_default();
            encoder.add(Cells { table, column, rows: &rows, listed }, request, &mut report)?;
        }
        if let Some((features, bounded, given)) = encoder.finish(nodes, &table.path, &mut report)? {
            declared.dimensions = given;
            dataset = dataset.with_features(features).map_err(|source| misfit(source.into()))?;
            if bounded {
                dataset = dataset.with_feature_range(0.0, 1.0).map_err(|source| misfit(source.into()))?;
            }
        }
    }
    Ok(Imported { dataset: dataset.with_declared(declared), report })
}

impl Imported {
    /// As it is, with this list of its nodes, one id per line: see [`Dataset::with_node_list`].
    ///
    /// # Errors
    /// If the list does not fit.
    pub fn with_node_list(self, text: &str) -> Result<Imported, DatasetError> {
        let Imported { dataset, mut report } = self;
        let dataset = dataset.with_node_list(text)?;
        report.collected.retain(|fact| fact != NODE_LIST);
        report.given.push(NODE_LIST.to_owned());
        Ok(Imported { dataset, report })
    }
}

impl Request {
    /// The file that names the data set, and errors about all of it.
    fn main_path(&self) -> &Path {
        let path = self.network.as_ref().or(self.edges.as_ref()).or(self.nodes.as_ref());
        path.map_or(Path::new("data"), |path| path.as_path())
    }
}

impl Tables {
    fn read(request: &Request) -> Result<Tables, ImportError> {
        if let Some(path) = &request.network {
            return Tables::of_network(networks::read(path)?, request);
        }
        let ends: Wanted<'_> = &|header| edges::ends(request, header);
        let columns: Wanted<'_> = &|header| node_columns(request, header);
        let options = Options { headless: request.headless };
        Ok(Tables {
            edges: request.edges.as_ref().map(|path| formats::read(path, options, ends)).transpose()?,
            nodes: request.nodes.as_ref().map(|path| formats::read(path, options, columns)).transpose()?,
            direction: None,
        })
    }

    /// The tables of a file that holds both.
    pub(super) fn of_network(network: Network, request: &Request) -> Result<Tables, ImportError> {
        let edges = network.edges.finish(&|header| edges::ends(request, header))?;
        let nodes = network.nodes.finish(&|header| node_columns(request, header))?;
        Ok(Tables { edges: Some(edges), nodes: Some(nodes), direction: network.direction })
    }

    /// Says what was assumed about the files, and which columns are not read.
    fn describe(&self, request: &Request, report: &mut Report) {
        for table in [&self.edges, &self.nodes].into_iter().flatten() {
            report.guessed.extend(table.guessed.iter().cloned());
            let read = |name: &&String| !table.columns.iter().any(|column| column.name == **name);
            let dropped: Vec<String> = table.names.iter().filter(read).cloned().collect();
            if !dropped.is_empty() {
                report.dropped.push(format!("of {}: {}", file_name(&table.path), super::error::listed(&dropped)));
            }
        }
        if let (Some(edges), None, None) = (&self.edges, &request.ends, &request.network)
            && let [source, target] = edges.columns.as_slice()
        {
            report.guessed.push(format!("an edge goes from {} to {}", source.name, target.name));
        }
        if let (Some(nodes), None, None) = (&self.nodes, &request.id, &request.network)
            && let Some(id) = nodes.columns.first()
        {
            report.guessed.push(format!("the id of a node is in column {}", id.name));
        }
        match (request.direction, self.direction, &self.edges) {
            (None, None, Some(_)) => {
                report.guessed.push("edges have no direction: a–b and b–a are the same edge".to_owned());
            }
            (Some(Direction::Undirected), Some(Direction::Directed), _) => {
                report.dropped.push("the direction of the edges".to_owned());
            }
            (_, _, None) => report.warnings.push("there is no table of edges: the graph has none".to_owned()),
            _ => {}
        }
    }
}

/// The columns of a table of nodes. Those about which something is said must be features.
fn node_columns(request: &Request, header: &Header<'_>) -> Result<Vec<usize>, ImportError> {
    let wanted = nodes::columns(request, header)?;
    let features = wanted.iter().skip(1 + usize::from(request.label.is_some())).map(|&place| &header.names[place]);
    for column in request.told_columns() {
        if !features.clone().any(|feature| feature == column) {
            let (path, columns) = (header.path.to_owned(), features.cloned().collect());
            return Err(ImportError::NoSuchColumn { path, column: column.clone(), columns });
        }
    }
    Ok(wanted)
}

/// The name of a file, for messages.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

fn stem(path: &Path) -> String {
    let name = file_name(path);
    name.split('.').find(|part| !part.is_empty()).unwrap_or("data").to_owned()
}
