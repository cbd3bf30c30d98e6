//! `*_target.csv`: the class of each node.

use std::collections::BTreeMap;
use std::path::Path;

use super::super::error::ReadError;
use super::super::rows::{Entry, collect, names, open_with_header};
use crate::limits::MOST_CLASSES;

/// The column of the classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Twitch: whether a streamer uses mature language, True or False.
    Mature,
    /// Facebook: the name of the class.
    PageType,
    /// The class as a number.
    Target,
}

/// Parsed classes.
pub(super) struct Target {
    kind: Kind,
    pub(super) entries: Vec<Entry<u32>>,
    pub(super) classes: u32,
    pub(super) names: Option<Vec<String>>,
}

impl Target {
    /// One more than the largest node.
    pub(super) fn largest_node(&self) -> Option<u32> {
        self.entries.iter().map(|entry| entry.node + 1).max()
    }

    /// Whether these are the targets of a Twitch graph.
    pub(super) fn is_twitch(&self) -> bool {
        self.kind == Kind::Mature
    }
}

/// Reads the table. The node is `new_id`, or `id` if there is no such column.
pub(super) fn read(path: &Path, nodes: u32) -> Result<Target, ReadError> {
    let (text, header) = open_with_header(path)?;
    let columns = names(&header, b',')?;
    let column = |name: &str| columns.iter().position(|found| found == name);
    let node_column = ["new_id", "id", "node_id", "node"].into_iter().find_map(column);
    let kinds = [("mature", Kind::Mature), ("page_type", Kind::PageType), ("target", Kind::Target)];
    let label_column = kinds.into_iter().find_map(|(name, kind)| Some((column(name)?, kind)));
    let (Some(node_column), Some((label_column, kind))) = (node_column, label_column) else {
        return Err(header.line().unexpected("a header with new_id or id, and with mature, page_type or target"));
    };

    let rows = collect(text, |line| {
        let (mut node, mut label, mut count) = (None, None, 0);
        for field in line.fields(b',') {
            let field = field?;
            if count == node_column {
                node = Some(field.as_node(nodes)?);
            } else if count == label_column {
                label = Some(match kind {
                    Kind::Mature => match field.bytes() {
                        b"True" | b"true" | b"1" => Label::Class(1),
                        b"False" | b"false" | b"0" => Label::Class(0),
                        _ => return Err(field.unexpected("True or False")),
                    },
                    Kind::Target => Label::Class(field.as_below(MOST_CLASSES, "class")?),
                    Kind::PageType if field.bytes().is_empty() => return Err(field.unexpected("the name of a class")),
                    Kind::PageType => Label::Name(field.as_str()?.to_owned()),
                });
            }
            count += 1;
        }
        match (node, label) {
            (Some(node), Some(value)) if count == columns.len() => Ok(Entry { node, value, line: line.number() }),
            _ => Err(line.unexpected(format!("{} fields, as in the header", columns.len()))),
        }
    })?;
    Ok(numbered(kind, rows))
}

enum Label {
    Class(u32),
    Name(String),
}

/// Numbers class names in sorted order.
fn numbered(kind: Kind, rows: Vec<Entry<Label>>) -> Target {
    let mut known: BTreeMap<String, u32> = BTreeMap::new();
    for row in &rows {
        if let Label::Name(name) = &row.value
            && !known.contains_key(name)
        {
            known.insert(name.clone(), 0);
        }
    }
    known.values_mut().zip(0..).for_each(|(class, number)| *class = number);
    let class = |label: Label| match label {
        Label::Class(class) => class,
        Label::Name(name) => known.get(&name).copied().unwrap_or(0),
    };
    let entries: Vec<Entry<u32>> =
        rows.into_iter().map(|Entry { node, value, line }| Entry { node, value: class(value), line }).collect();
    let (classes, names) = match kind {
        Kind::Mature => (2, Some(vec!["not mature".to_owned(), "mature".to_owned()])),
        Kind::PageType => (known.len() as u32, Some(known.into_keys().collect())),
        Kind::Target => (entries.iter().map(|entry| entry.value + 1).max().unwrap_or(0), None),
    };
    Target { kind, entries, classes, names }
}
