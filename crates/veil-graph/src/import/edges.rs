//! The ends of every edge, as numbers of nodes.

use super::error::ImportError;
use super::plan::file_name;
use super::report::Report;
use super::request::{Request, Unlisted};
use super::table::{Column, Header, Table};
use crate::graph::NodeId;
use crate::ids::Ids;
use crate::limits::MOST_NODES;
use crate::read::headers::ENDS;
use crate::read::{Place, ReadError};

/// The two columns with the ends of an edge.
pub(super) fn ends(request: &Request, header: &Header<'_>) -> Result<Vec<usize>, ImportError> {
    if let Some([source, target]) = &request.ends {
        let (one, other) = (find(header, source)?, find(header, target)?);
        if one == other {
            let column = header.names[one].clone();
            return Err(ImportError::TwoRoles { column, first: "the source", second: "the target of an edge" });
        }
        return Ok(vec![one, other]);
    }
    if header.headless && header.names.len() >= 2 {
        return Ok(vec![0, 1]);
    }
    let place = |known: &str| header.names.iter().position(|name| name.eq_ignore_ascii_case(known));
    let known = ENDS.iter().find_map(|[source, target]| Some(vec![place(source)?, place(target)?]));
    known.ok_or_else(|| ImportError::UnknownEnds { path: header.path.to_owned(), columns: header.names.to_vec() })
}

/// The column of this name, in any case if no other fits.
pub(super) fn find(header: &Header<'_>, column: &str) -> Result<usize, ImportError> {
    let exact = header.names.iter().position(|name| name == column);
    let alike: Vec<usize> =
        (0..header.names.len()).filter(|&place| header.names[place].eq_ignore_ascii_case(column)).collect();
    match (exact, alike.as_slice()) {
        (Some(place), _) | (None, &[place]) => Ok(place),
        _ => {
            let (path, columns) = (header.path.to_owned(), header.names.to_vec());
            Err(ImportError::NoSuchColumn { path, column: column.to_owned(), columns })
        }
    }
}

/// The edges of a table, whose first two columns are the ends. Nodes of `ids` are `listed` in
/// another table, if there is one.
pub(super) fn pairs(
    table: &Table,
    request: &Request,
    ids: &mut Ids,
    listed: Option<&Table>,
    report: &mut Report,
) -> Result<Vec<(NodeId, NodeId)>, ImportError> {
    let [source, target] = table.columns.as_slice() else { return Err(ImportError::NoTables) };
    source.has_text(&table.path)?;
    target.has_text(&table.path)?;
    let mut pairs = Vec::with_capacity(table.rows);
    let mut unlisted: Option<(Place, String)> = None;
    let (mut count, known) = (0, ids.len());
    for row in 0..table.rows {
        let mut pair = [0; 2];
        let mut whole = true;
        for (end, (column, what)) in pair.iter_mut().zip([(source, "source"), (target, "target")]) {
            let id = id(table, column, row, &format!("{what} of the edge"))?;
            match (listed, request.unlisted) {
                (None, _) | (_, Unlisted::Added) => *end = node(ids, id, || table.place(row, column))?,
                (Some(_), policy) => match ids.get(id) {
                    Some(node) => *end = node,
                    None => {
                        whole = false;
                        if policy == Unlisted::Refused && unlisted.is_none() {
                            unlisted = Some((table.place(row, column), id.chars().take(60).collect()));
                        }
                    }
                },
            }
        }
        if whole {
            pairs.push((pair[0], pair[1]));
        } else {
            count += 1;
        }
    }
    let name = || listed.map_or_else(String::new, |listed| file_name(&listed.path));
    if let (Some((place, node)), Some(listed)) = (unlisted, listed) {
        return Err(ImportError::Unlisted { place, node, listed: listed.path.clone(), edges: count });
    }
    if count > 0 {
        report.dropped.push(format!("{count} edges of nodes that {} does not list", name()));
    }
    if listed.is_some() && ids.len() > known {
        report.warnings.push(format!(
            "{} nodes of edges are not in {}: added without attributes",
            ids.len() - known,
            name()
        ));
    }
    Ok(pairs)
}

/// The node of an id, which may be new.
pub(super) fn node(ids: &mut Ids, id: &str, place: impl Fn() -> Place) -> Result<NodeId, ReadError> {
    ids.node(id).ok_or_else(|| {
        let what = "the number of nodes".to_owned();
        ReadError::TooLarge { place: place(), what, limit: MOST_NODES }
    })
}

/// The id in a row, which must be there.
pub(super) fn id<'a>(table: &'a Table, column: &'a Column, row: usize, what: &str) -> Result<&'a str, ImportError> {
    match column.texts.get(row) {
        "" => Err(ImportError::EmptyId { place: table.place(row, column), what: what.to_owned() }),
        id if id.contains(['\n', '\r']) => {
            let place = table.place(row, column);
            Err(ReadError::unexpected(place, id, "an id without line breaks").into())
        }
        id => Ok(id),
    }
}
