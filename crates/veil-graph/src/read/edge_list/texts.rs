//! Edges between texts, numbered by first occurrence and finally in ascending order.

use std::borrow::Cow;
use std::sync::{PoisonError, RwLock};

use super::table::{GROUP, Ids, Part, Table, Texts};
use super::{Numbered, is_comment, too_many_nodes};
use crate::ids::NodeNames;
use crate::limits::MOST_NODES;
use crate::read::error::{Place, ReadError};
use crate::read::text::{Block, Field, Line, Text};

pub(super) fn read(text: Text, separator: u8) -> Result<Numbered, ReadError> {
    let path = text.path().to_owned();
    // Blocks are parsed, then joined, then the next ones are parsed, so this lock is never
    // contended.
    let table = RwLock::new(Table::default());
    let mut edges = Vec::new();
    text.parse(
        |block| parse(&block, separator, &table.read().unwrap_or_else(PoisonError::into_inner)),
        |part| {
            let mut table = table.write().unwrap_or_else(PoisonError::into_inner);
            table.join(part, &mut edges);
            if table.len() as u64 > MOST_NODES { Err(too_many_nodes(&path)) } else { Ok(()) }
        },
    )?;
    let texts = table.into_inner().unwrap_or_else(PoisonError::into_inner).into_ids();
    let place = || Place::file(&path);
    let name = |node| match std::str::from_utf8(texts.get(node)) {
        Ok(name) => Ok(name.to_owned()),
        Err(_) => Err(ReadError::NotUtf8 { place: place() }),
    };
    let names = (0..texts.len() as u32).map(name).collect::<Result<_, _>>()?;
    drop(texts);
    let repeated = |name: String| ReadError::Repeated { place: place(), what: format!("node {name}") };
    let names = NodeNames::sorted_texts(names, &mut edges).map_err(repeated)?;
    Ok(Numbered { names, edges })
}

fn parse(block: &Block<'_>, separator: u8, table: &Table<Texts>) -> Result<Part<Texts>, ReadError> {
    let mut part = Part::of(table, block.len() / 16);
    let mut lines = block.lines().filter(|line| !is_comment(line));
    let mut group: Vec<Line<'_>> = Vec::with_capacity(GROUP);
    let mut edges: Vec<[Cow<'_, [u8]>; 2]> = Vec::with_capacity(GROUP);
    loop {
        group.clear();
        group.extend(lines.by_ref().take(GROUP));
        edges.clear();
        let mut broken = Ok(());
        for line in &group {
            match line.at_least(separator) {
                Ok(fields) => edges.push(fields.map(Field::into_bytes)),
                Err(error) => {
                    broken = Err(error);
                    break;
                }
            }
        }
        // Errors of earlier lines are reported first.
        part.extend(table, &edges, |id| id, |edge, end| check(&group[edge].at_least::<2>(separator)?[end]))?;
        broken?;
        if group.len() < GROUP {
            return Ok(part);
        }
    }
}

fn check(id: &Field<'_>) -> Result<(), ReadError> {
    match id.as_str()? {
        "" => Err(id.unexpected("the id of a node")),
        _ => Ok(()),
    }
}
