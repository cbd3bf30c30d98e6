//! The tables of the folder: a known header, then rows.

use std::path::Path;

use crate::graph::NodeId;
use crate::limits::{MOST_CLASSES, MOST_FEATURES};
use crate::read::error::ReadError;
use crate::read::rows::{Entry, collect, open_with_header};
use crate::read::text::{Field, OwnedLine, Text};
use crate::split::Part;

/// Dense features.
pub(super) const DENSE: &str = "features.npy";

/// The rows of `features.csv`.
pub(super) enum FeatureRows {
    /// (node, feature, value).
    Values(Vec<(NodeId, u32, f32)>),
    /// (node, feature, whether the sign is positive).
    Signs(Vec<(NodeId, u32, bool)>),
}

/// `edges.csv`: `src,dst`.
pub(super) fn edges(path: &Path, nodes: u32) -> Result<Vec<(NodeId, NodeId)>, ReadError> {
    crate::read::rows::edges(with_header(path, &["src", "dst"])?, b',', nodes)
}

/// `features.csv`: `node,feature,value` or `node,feature,sign`.
pub(super) fn features(path: &Path, nodes: u32, columns: Option<u32>) -> Result<FeatureRows, ReadError> {
    let (text, header) = open_with_header(path)?;
    let limit = columns.map_or(MOST_FEATURES, u64::from);
    let column = |field: Field<'_>| field.as_below(limit, "feature");
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
    let (text, limit) = (with_header(path, &["node", "label"])?, classes.map_or(MOST_CLASSES, u64::from));
    rows(text, |[node, label]| {
        Ok(Entry { line: node.line(), node: node.as_node(nodes)?, value: label.as_below(limit, "label")? })
    })
}

/// `classes.csv`: `label,name`.
pub(super) fn classes(path: &Path, classes: Option<u32>) -> Result<Vec<Entry<String>>, ReadError> {
    let (text, limit) = (with_header(path, &["label", "name"])?, classes.map_or(MOST_CLASSES, u64::from));
    rows(text, |[label, name]| {
        Ok(Entry { line: label.line(), node: label.as_below(limit, "label")?, value: name.as_str()?.to_owned() })
    })
}

/// `splits.csv`: `node,split`.
pub(super) fn splits(path: &Path, nodes: u32) -> Result<Vec<Entry<Part>>, ReadError> {
    let text = with_header(path, &["node", "split"])?;
    rows(text, |[node, part]| {
        let value = Part::from_name(part.as_str()?).ok_or_else(|| part.unexpected("train, val, test or none"))?;
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

/// Opens a table with this header.
fn with_header(path: &Path, names: &[&str]) -> Result<Text, ReadError> {
    let (text, header) = open_with_header(path)?;
    if is_header(&header, names) {
        Ok(text)
    } else {
        Err(header.line().unexpected(format!("the header {:?}", names.join(","))))
    }
}

fn is_header(line: &OwnedLine, names: &[&str]) -> bool {
    let fields: Result<Vec<_>, _> = line.line().fields(b',').collect();
    fields.is_ok_and(|fields| fields.iter().map(Field::bytes).eq(names.iter().map(|name| name.as_bytes())))
}

/// All rows of a table, in order.
fn rows<const N: usize, T: Send>(
    text: Text,
    row: impl Fn([Field<'_>; N]) -> Result<T, ReadError> + Sync,
) -> Result<Vec<T>, ReadError> {
    collect(text, |line| row(line.exactly(b',')?))
}
