//! Edges between texts, which are numbered in the order in which they first appear.
//!
//! Each block numbers its own texts; the blocks are then joined in the order of the file, so the numbers do not
//! depend on the threads. The hash tables are only ever asked, never listed.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{Numbered, is_comment, too_many_nodes};
use crate::graph::NodeId;
use crate::ids::NodeNames;
use crate::read::error::{Place, ReadError};
use crate::read::limits::MOST_NODES;
use crate::read::text::{Block, Field, Text};

/// The edges of one block between its own texts.
struct Part {
    names: Vec<String>,
    edges: Vec<(u32, u32)>,
}

pub(super) fn read(text: Text, separator: u8) -> Result<Numbered, ReadError> {
    let path = text.path().to_owned();
    let mut known: HashMap<String, NodeId> = HashMap::new();
    let mut edges = Vec::new();
    text.parse(
        |block| parse(&block, separator),
        |part| {
            let mut nodes = Vec::with_capacity(part.names.len());
            for name in part.names {
                let next = known.len() as NodeId;
                nodes.push(*known.entry(name).or_insert(next));
            }
            if known.len() as u64 > MOST_NODES {
                return Err(too_many_nodes(&path));
            }
            edges.extend(part.edges.iter().map(|&(source, target)| (nodes[source as usize], nodes[target as usize])));
            Ok(())
        },
    )?;
    let mut names = vec![String::new(); known.len()];
    for (name, node) in known {
        names[node as usize] = name;
    }
    let repeated = |name: String| ReadError::Repeated { place: Place::file(&path), what: format!("the node {name}") };
    Ok(Numbered { names: NodeNames::from_texts(names).map_err(repeated)?, edges })
}

fn parse(block: &Block<'_>, separator: u8) -> Result<Part, ReadError> {
    let mut known: HashMap<Cow<'_, [u8]>, u32> = HashMap::new();
    let mut part = Part { names: Vec::new(), edges: Vec::new() };
    for line in block.lines().filter(|line| !is_comment(line)) {
        let [source, target] = line.at_least(separator)?;
        let source = intern(source, &mut known, &mut part.names)?;
        let target = intern(target, &mut known, &mut part.names)?;
        part.edges.push((source, target));
    }
    Ok(part)
}

/// The number of a text in this block.
fn intern<'a>(
    field: Field<'a>,
    known: &mut HashMap<Cow<'a, [u8]>, u32>,
    names: &mut Vec<String>,
) -> Result<u32, ReadError> {
    if let Some(&number) = known.get(field.bytes()) {
        return Ok(number);
    }
    if field.bytes().is_empty() {
        return Err(field.unexpected("the id of a node"));
    }
    let number = names.len() as u32;
    names.push(field.as_str()?.to_owned());
    known.insert(field.into_bytes(), number);
    Ok(number)
}
