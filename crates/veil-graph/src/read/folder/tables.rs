//! The tables of the folder: a known header, then rows.

use std::path::Path;

use crate::graph::NodeId;
use crate::read::error::{Place, ReadError};
use crate::read::limits::{MOST_CLASSES, MOST_FEATURES};
use crate::read::text::{Field, OwnedLine, Text};
use crate::split::Part;

/// Dense features.
pub(super) const DENSE: &str = "features.npy";

/// An entry for one node, and its line.
pub(super) struct Entry<T> {
    pub(super) node: NodeId,
    pub(super) value: T,
    pub(super) line: u64,
}

/// The rows of `features.csv`.
pub(super) enum FeatureRows {
    /// (node, feature, value).
    Values(Vec<(NodeId, u32, f32)>),
    /// (node, feature, whether the sign is positive).
    Signs(Vec<(NodeId, u32, bool)>),
}

/// `edges.csv`: `src,dst`.
pub(super) fn edges(path: &Path, nodes: u32) -> Result<Vec<(NodeId, NodeId)>, ReadError> {
    let text = with_header(path, &["src", "dst"])?;
    rows(text, |[source, target]| Ok((source.as_node(nodes)?, target.as_node(nodes)?)))
}

/// `features.csv`: `node,feature,value` or `node,feature,sign`.
pub(super) fn features(path: &Path, nodes: u32, columns: Option<u32>) -> Result<FeatureRows, ReadError> {
    let (text, header) = open(path)?;
    let column = |field: Field<'_>| {
        let limit = columns.unwrap_or(MOST_FEATURES as u32);
        let column = field.as_u32()?;
        if column < limit { Ok(column) } else { Err(field.unexpected(format!("a feature below {limit}"))) }
    };
    if is_header(&header, &["node", "feature", "sign"]) {
        rows(text, |[node, feature, sign]| {
            let positive = match sign.bytes() {
                b"1" | b"+1" => true,
                b"-1" => false,
                _ => return Err(sign.unexpected("1 or -1")),
            };
            Ok((node.as_node(nodes)?, column(feature)?, positive))
        })
        .map(FeatureRows::Signs)
    } else if is_header(&header, &["node", "feature", "value"]) {
        rows(text, |[node, feature, value]| Ok((node.as_node(nodes)?, column(feature)?, value.as_f32()?)))
            .map(FeatureRows::Values)
    } else {
        Err(header.line().unexpected("the header \"node,feature,value\" or \"node,feature,sign\""))
    }
}

/// `labels.csv`: `node,label`.
pub(super) fn labels(path: &Path, nodes: u32, classes: Option<u32>) -> Result<Vec<Entry<u32>>, ReadError> {
    let text = with_header(path, &["node", "label"])?;
    rows(text, |[node, label]| {
        Ok(Entry { line: node.line(), node: node.as_node(nodes)?, value: class(&label, classes)? })
    })
}

/// `classes.csv`: `label,name`.
pub(super) fn classes(path: &Path, classes: Option<u32>) -> Result<Vec<Entry<String>>, ReadError> {
    let text = with_header(path, &["label", "name"])?;
    rows(text, |[label, name]| {
        Ok(Entry { line: label.line(), node: class(&label, classes)?, value: name.as_str()?.to_owned() })
    })
}

/// `splits.csv`: `node,split`.
pub(super) fn splits(path: &Path, nodes: u32) -> Result<Vec<Entry<Part>>, ReadError> {
    let text = with_header(path, &["node", "split"])?;
    rows(text, |[node, part]| {
        let value = match part.bytes() {
            b"train" => Part::Train,
            b"val" => Part::Val,
            b"test" => Part::Test,
            b"none" => Part::None,
            _ => return Err(part.unexpected("train, val, test or none")),
        };
        Ok(Entry { line: node.line(), node: node.as_node(nodes)?, value })
    })
}

/// `nodes.csv`: `node,name`.
pub(super) fn names(path: &Path, nodes: u32) -> Result<Vec<Entry<String>>, ReadError> {
    let text = with_header(path, &["node", "name"])?;
    rows(text, |[node, name]| {
        if name.bytes().is_empty() {
            return Err(name.unexpected("the name of a node"));
        }
        Ok(Entry { line: node.line(), node: node.as_node(nodes)?, value: name.as_str()?.to_owned() })
    })
}

fn class(field: &Field<'_>, classes: Option<u32>) -> Result<u32, ReadError> {
    let limit = classes.unwrap_or(MOST_CLASSES as u32);
    let label = field.as_u32()?;
    if label < limit { Ok(label) } else { Err(field.unexpected(format!("a label below {limit}"))) }
}

/// Opens a table and takes its first line.
fn open(path: &Path) -> Result<(Text, OwnedLine), ReadError> {
    let mut text = Text::open(path)?;
    match text.take_line()? {
        Some(header) => Ok((text, header)),
        None => Err(ReadError::format(Place::file(path), "the table is empty")),
    }
}

fn is_header(line: &OwnedLine, names: &[&str]) -> bool {
    let fields: Result<Vec<_>, _> = line.line().fields(b',').collect();
    fields.is_ok_and(|fields| fields.iter().map(Field::bytes).eq(names.iter().map(|name| name.as_bytes())))
}

fn with_header(path: &Path, names: &[&str]) -> Result<Text, ReadError> {
    let (text, header) = open(path)?;
    if is_header(&header, names) {
        Ok(text)
    } else {
        Err(header.line().unexpected(format!("the header {:?}", names.join(","))))
    }
}

/// All rows of a table, in order.
fn rows<const N: usize, T: Send>(
    text: Text,
    row: impl Fn([Field<'_>; N]) -> Result<T, ReadError> + Sync,
) -> Result<Vec<T>, ReadError> {
    let mut all = Vec::new();
    text.parse(
        |block| block.lines().map(|line| row(line.exactly(b',')?)).collect::<Result<Vec<T>, ReadError>>(),
        |rows| {
            // Most tables are one block, which is moved.
            if all.is_empty() {
                all = rows
            } else {
                all.extend(rows)
            }
            Ok(())
        },
    )?;
    Ok(all)
}
