//! The row of every node, and the columns that are read of it.

use super::edges::{find, id, node};
use super::error::{Contradiction, ImportError};
use super::plan::file_name;
use super::report::Report;
use super::request::{FeatureColumns, Request};
use super::table::{Header, Table};
use crate::ids::Ids;
use crate::read::headers::IDS;

/// The columns to read: the id first, then the label if there is one, then features.
pub(super) fn columns(request: &Request, header: &Header<'_>) -> Result<Vec<usize>, ImportError> {
    let id = match &request.id {
        Some(id) => find(header, id)?,
        None if header.headless && header.names.len() == 1 => 0,
        None => {
            let place = |known: &&str| header.names.iter().position(|name| name.eq_ignore_ascii_case(known));
            IDS.iter().find_map(place).filter(|_| !header.headless).ok_or_else(|| ImportError::UnknownId {
                path: header.path.to_owned(),
                columns: header.names.to_vec(),
            })?
        }
    };
    let mut wanted = vec![id];
    if let Some(label) = &request.label {
        wanted.push(find(header, label)?);
    }
    match &request.features {
        FeatureColumns::All => {
            let others = (0..header.names.len()).filter(|place| !wanted.contains(place));
            let others: Vec<usize> = others.collect();
            wanted.extend(others);
        }
        FeatureColumns::These(names) => {
            for name in names {
                wanted.push(find(header, name)?);
            }
        }
    }
    let role = |place: usize| match place {
        0 => "the id of a node",
        1 if request.label.is_some() => "the label of a node",
        _ => "a feature",
    };
    for (second, column) in wanted.iter().enumerate() {
        if let Some(first) = wanted[..second].iter().position(|other| other == column) {
            let column = header.names[*column].clone();
            return Err(ImportError::TwoRoles { column, first: role(first), second: role(second) });
        }
    }
    Ok(wanted)
}

/// The nodes of a table, and the row of each.
pub(super) struct Listed {
    pub(super) ids: Ids,
    pub(super) rows: Vec<usize>,
}

/// Finds the row of every node. Rows that say the same of a node are one; rows that contradict each
/// other are an error.
pub(super) fn listed(table: &Table, report: &mut Report) -> Result<Listed, ImportError> {
    let Some((column, others)) = table.columns.split_first() else { return Err(ImportError::NoTables) };
    column.has_text(&table.path)?;
    let mut listed = Listed { ids: Ids::default(), rows: Vec::with_capacity(table.rows) };
    let mut repeated = Vec::new();
    for row in 0..table.rows {
        let name = id(table, column, row, "id of the node")?;
        let known = listed.ids.len();
        let place = node(&mut listed.ids, name, || table.place(row, column))? as usize;
        if place == known {
            listed.rows.push(row);
            continue;
        }
        let first = listed.rows[place];
        for other in others {
            let [before, found] = [first, row].map(|row| other.texts.get(row).chars().take(60).collect::<String>());
            if other.texts.get(first) != other.texts.get(row) {
                return Err(ImportError::from(Box::new(Contradiction {
                    place: table.place(row, other),
                    node: name.chars().take(60).collect(),
                    column: other.name.clone(),
                    found,
                    first: before,
                    first_at: table.row_name(first),
                })));
            }
        }
        repeated.push(name);
    }
    if let Some(first) = repeated.first() {
        let name = file_name(&table.path);
        report.warnings.push(format!(
            "{name}: {} rows repeat a node with the same values (the first: {first}); each node is read once",
            repeated.len()
        ));
    }
    Ok(listed)
}
