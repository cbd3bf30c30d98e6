//! What the array-based layouts share: links, sparse rows and labels, checked.
//!
//! The *positions* of the entries of an adjacency matrix are links; their values (weights) are not
//! read, as in PyTorch Geometric.

use std::path::Path;

use super::error::{Place, ReadError};
use super::npy::Source;
use super::npz::Npz;
use crate::features::{Features, Sparse};
use crate::graph::{Built, Direction, Graph, NodeId};
use crate::labels::Labels;
use crate::limits::{self, MOST_COLUMNS};

const MOST_CLASSES: u32 = limits::MOST_CLASSES as u32;

/// The number of nodes, which must fit 32 bits.
pub(super) fn node_count(source: &Source, nodes: usize) -> Result<u32, ReadError> {
    let limit = u64::from(u32::MAX - 1);
    u32::try_from(nodes).ok().filter(|&nodes| u64::from(nodes) <= limit).ok_or_else(|| ReadError::TooLarge {
        place: source.whole(),
        what: format!("the number of nodes, {nodes},"),
        limit,
    })
}

/// The links of a square CSR matrix in an archive: arrays `…indices`, `…indptr`, `…shape`.
pub(super) fn compressed_links(npz: &mut Npz, prefix: &str) -> Result<(u32, Vec<(NodeId, NodeId)>), ReadError> {
    let rows = npz.square(&format!("{prefix}shape"))?;
    let offsets = npz.offsets(&format!("{prefix}indptr"), rows)?;
    let name = format!("{prefix}indices");
    let targets = npz.integers::<NodeId>(&name)?;
    let source = npz.source(&name);
    let nodes = node_count(&npz.source(&format!("{prefix}shape")), rows)?;
    check_end(&npz.source(&format!("{prefix}indptr")), &offsets, targets.len())?;
    check_nodes(&source, &targets, nodes)?;
    let mut links = Vec::with_capacity(targets.len());
    for (row, range) in (0..nodes).zip(offsets.windows(2)) {
        links.extend(targets[range[0]..range[1]].iter().map(|&target| (row, target)));
    }
    Ok((nodes, links))
}

/// The links of a square matrix of `scipy.sparse.save_npz`: CSR, CSC or COO, between `nodes` nodes.
pub(super) fn scipy_links(npz: &mut Npz, nodes: u32) -> Result<Vec<(NodeId, NodeId)>, ReadError> {
    let format = if npz.has("format") { Some(npz.text("format")?) } else { None };
    let found = npz.square("shape")?;
    ReadError::check_count(npz.source("shape").whole(), "nodes", found, nodes as usize)?;
    let coordinates = match format.as_deref() {
        // The rows of a CSC matrix are columns, and links have no direction here.
        Some("csr" | "csc") => false,
        Some("coo") => true,
        None => npz.has("row"),
        Some(other) => {
            return Err(ReadError::unexpected(npz.source("format").whole(), other, "\"csr\", \"csc\" or \"coo\""));
        }
    };
    if !coordinates {
        return Ok(compressed_links(npz, "")?.1);
    }
    let sources = npz.integers::<NodeId>("row")?;
    let targets = npz.integers::<NodeId>("col")?;
    ReadError::check_count(npz.source("col").whole(), "ends of links", targets.len(), sources.len())?;
    check_nodes(&npz.source("row"), &sources, nodes)?;
    check_nodes(&npz.source("col"), &targets, nodes)?;
    Ok(sources.into_iter().zip(targets).collect())
}

/// The sparse rows of a CSR matrix in an archive: arrays `…data`, `…indices`, `…indptr`, `…shape`.
pub(super) fn compressed_features(npz: &mut Npz, prefix: &str) -> Result<Features, ReadError> {
    let (rows, width) = npz.sides(&format!("{prefix}shape"))?;
    check_width(&npz.source(&format!("{prefix}shape")), width)?;
    let offsets = npz.offsets(&format!("{prefix}indptr"), rows)?;
    let columns = npz.integers::<u32>(&format!("{prefix}indices"))?;
    let values = npz.floats(&format!("{prefix}data"))?;
    let place = Place::part(npz.path(), format!("{prefix}indices"));
    let sparse = Sparse::from_parts(offsets, columns, values, width);
    Ok(Features::Sparse(sparse.map_err(|source| ReadError::Inconsistent { place, source: source.into() })?))
}

/// The dense rows of an array in an archive, one per node. Their number is checked before
/// unpacking.
pub(super) fn dense_rows(npz: &mut Npz, name: &str, nodes: u32) -> Result<Features, ReadError> {
    let array = npz.array(name)?;
    let (rows, columns) = array.sides()?;
    check_width(array.source(), columns)?;
    ReadError::check_count(array.source().whole(), "rows of features", rows, nodes as usize)?;
    array.matrix().map(Features::Dense)
}

/// Checks the number of columns against its limit.
pub(super) fn check_width(source: &Source, width: usize) -> Result<(), ReadError> {
    if width <= MOST_COLUMNS {
        return Ok(());
    }
    let what = format!("the number of feature columns, {width},");
    Err(ReadError::TooLarge { place: source.whole(), what, limit: MOST_COLUMNS as u64 })
}

fn check_end(source: &Source, offsets: &[usize], entries: usize) -> Result<(), ReadError> {
    match offsets.last() {
        Some(&last) if last == entries => Ok(()),
        _ => Err(source.format(format!("the last row does not end at the {entries} entries"))),
    }
}

fn check_nodes(source: &Source, ends: &[NodeId], nodes: u32) -> Result<(), ReadError> {
    match ends.iter().position(|&end| end >= nodes) {
        None => Ok(()),
        Some(index) => Err(ReadError::NoSuchNode { place: source.element(index), id: ends[index].to_string(), nodes }),
    }
}

/// Labels from one class per node. The number of classes is that of names, or follows from the
/// largest label.
pub(super) fn labels(
    source: &Source,
    path: &Path,
    classes: Vec<Option<u32>>,
    names: Option<Vec<String>>,
) -> Result<Labels, ReadError> {
    if let Some(node) = classes.iter().position(|&class| class.is_some_and(|class| class >= MOST_CLASSES)) {
        let what = format!("label {}", classes[node].unwrap_or_default());
        return Err(ReadError::TooLarge { place: source.element(node), what, limit: u64::from(MOST_CLASSES) - 1 });
    }
    let largest = classes.iter().flatten().max().map_or(0, |&largest| largest + 1);
    match names {
        None => Labels::new(largest, classes).map_err(ReadError::misfit(path)),
        Some(names) => {
            let count = (names.len().min(MOST_CLASSES as usize) as u32).max(largest);
            let labels = Labels::new(count, classes).map_err(ReadError::misfit(path))?;
            labels.with_names(names).map_err(ReadError::misfit(path))
        }
    }
}

/// The undirected graph of checked links.
pub(super) fn undirected(path: &Path, nodes: u32, links: &[(NodeId, NodeId)]) -> Result<Built, ReadError> {
    Graph::from_edges(nodes, links, Direction::Undirected).map_err(ReadError::misfit(path))
}

/// The default name of a data set: its file name without extension.
pub(super) fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "data".to_owned(), |stem| stem.to_string_lossy().into_owned())
}
