//! Edges between whole numbers, which are renumbered in ascending order.
//!
//! Ids that fit 32 bits are stored in 32 bits. If they are dense enough, a bitmap marks the ids
//! that occur, and counting bits gives their rank. Otherwise they are hashed, and the distinct ones
//! sorted.

use std::convert::Infallible;
use std::path::Path;

use rayon::prelude::*;

use super::table::{GROUP, Part, Table};
use super::{Numbered, is_comment, too_many_nodes};
use crate::graph::NodeId;
use crate::ids::NodeNames;
use crate::limits::MOST_NODES;
use crate::read::error::ReadError;
use crate::read::text::{Block, Text};

/// Possible ids per edge up to which a bitmap is cheaper than hashing: 16 bytes per edge.
const SPREAD: u64 = 128;

/// The edges of one block.
enum Edges {
    Narrow(Vec<(u32, u32)>),
    Wide(Vec<[u64; 2]>),
}

pub(super) fn read(text: Text, separator: u8) -> Result<Numbered, ReadError> {
    let path = text.path().to_owned();
    let mut blocks = Vec::new();
    text.parse(
        |block| parse(&block, separator),
        |edges| {
            blocks.push(edges);
            Ok(())
        },
    )?;
    let narrow = blocks.iter().all(|block| matches!(block, Edges::Narrow(_)));
    if !narrow {
        return by_hashing(blocks.into_iter().map(Edges::widened).collect(), &path);
    }
    let blocks: Vec<Vec<(u32, u32)>> = blocks.into_iter().filter_map(Edges::narrow).collect();
    let largest = blocks.par_iter().map(|block| largest(block)).max().unwrap_or(0);
    let count: usize = blocks.iter().map(Vec::len).sum();
    if u64::from(largest) <= SPREAD * count as u64 {
        Ok(by_marking(blocks, count, largest))
    } else {
        by_hashing(blocks.into_iter().map(|block| Edges::Narrow(block).widened()).collect(), &path)
    }
}

impl Edges {
    fn narrow(self) -> Option<Vec<(u32, u32)>> {
        match self {
            Edges::Narrow(edges) => Some(edges),
            Edges::Wide(_) => None,
        }
    }

    fn widened(self) -> Vec<[u64; 2]> {
        match self {
            Edges::Narrow(edges) => edges.into_iter().map(|(a, b)| [u64::from(a), u64::from(b)]).collect(),
            Edges::Wide(edges) => edges,
        }
    }
}

fn largest(edges: &[(u32, u32)]) -> u32 {
    edges.iter().map(|&(a, b)| a.max(b)).max().unwrap_or(0)
}

/// The edges of a block, in 32 bits if possible.
fn parse(block: &Block<'_>, separator: u8) -> Result<Edges, ReadError> {
    // An edge takes at least four bytes, and in most files ten or more.
    let mut narrow: Vec<(u32, u32)> = Vec::with_capacity(block.len() / 12);
    let mut lines = block.lines().filter(|line| !is_comment(line));
    let mut wide = loop {
        let Some(line) = lines.next() else { return Ok(Edges::Narrow(narrow)) };
        let [source, target] = line.at_least(separator)?;
        let (source, target) = (source.as_u64()?, target.as_u64()?);
        match (u32::try_from(source), u32::try_from(target)) {
            (Ok(source), Ok(target)) => narrow.push((source, target)),
            _ => {
                let mut wide = Edges::Narrow(narrow).widened();
                wide.push([source, target]);
                break wide;
            }
        }
    };
    for line in lines {
        let [source, target] = line.at_least(separator)?;
        wide.push([source.as_u64()?, target.as_u64()?]);
    }
    Ok(Edges::Wide(wide))
}

/// Numbers the ids with a bitmap.
fn by_marking(blocks: Vec<Vec<(u32, u32)>>, count: usize, largest: u32) -> Numbered {
    let mut seen = vec![0u64; largest as usize / 64 + 1];
    let mut edges = Vec::with_capacity(count);
    for block in blocks {
        for &(source, target) in &block {
            seen[source as usize / 64] |= 1 << (source % 64);
            seen[target as usize / 64] |= 1 << (target % 64);
        }
        edges.extend(block);
    }
    let mut before = Vec::with_capacity(seen.len());
    let mut total = 0;
    for word in &seen {
        before.push(total);
        total += word.count_ones();
    }
    if total == 0 || total - 1 == largest {
        return Numbered { names: NodeNames::Range(total), edges };
    }
    let rank = |id: u32| -> NodeId {
        let (word, bit) = (id as usize / 64, id % 64);
        before[word] + (seen[word] & ((1 << bit) - 1)).count_ones()
    };
    edges.par_iter_mut().for_each(|(source, target)| (*source, *target) = (rank(*source), rank(*target)));
    let ids = (0..=largest).filter(|&id| seen[id as usize / 64] >> (id % 64) & 1 == 1);
    Numbered { names: NodeNames::from_ascending_numbers(ids.map(u64::from).collect()), edges }
}

/// Numbers the ids by first occurrence, then in ascending order.
fn by_hashing(blocks: Vec<Vec<[u64; 2]>>, path: &Path) -> Result<Numbered, ReadError> {
    let mut table = Table::<Vec<u64>>::default();
    let mut edges = Vec::with_capacity(blocks.iter().map(Vec::len).sum());
    let mut blocks = blocks.into_iter();
    while blocks.len() > 0 {
        let batch: Vec<_> = blocks.by_ref().take(rayon::current_num_threads()).collect();
        let parts: Vec<_> = batch.into_par_iter().map(|block| numbered(&block, &table)).collect();
        for part in parts {
            table.join(part, &mut edges);
        }
        if table.len() as u64 > MOST_NODES {
            return Err(too_many_nodes(path));
        }
    }
    let mut ascending: Vec<(u64, NodeId)> = table.into_ids().into_iter().zip(0..).collect();
    ascending.par_sort_unstable();
    let mut rank = vec![0 as NodeId; ascending.len()];
    for (&(_, appeared), place) in ascending.iter().zip(0..) {
        rank[appeared as usize] = place;
    }
    let ids = ascending.into_iter().map(|(id, _)| id).collect();
    edges.par_iter_mut().for_each(|(source, target)| {
        (*source, *target) = (rank[*source as usize], rank[*target as usize]);
    });
    Ok(Numbered { names: NodeNames::from_ascending_numbers(ids), edges })
}

fn numbered(block: &[[u64; 2]], table: &Table<Vec<u64>>) -> Part<Vec<u64>> {
    let mut part = Part::of(table, block.len());
    for group in block.chunks(GROUP) {
        let Ok(()) = part.extend(table, group, |id| id, |_, _| Ok::<(), Infallible>(()));
    }
    part
}
