//! Ids numbered by first occurrence, in a hash table.
//!
//! There is one table for the whole file. Several blocks are parsed in parallel against the table
//! as it was before them; each collects unknown ids in a small table. Then these join the large one
//! in the order of the file, so the numbers do not depend on threads. After the first blocks nearly
//! every id is known, so joining is cheap.
//!
//! The hash has random keys, so that no file can force collisions. Tables are never iterated.

use std::hash::{BuildHasher, Hash, RandomState};

use crate::graph::NodeId;

/// Edges looked up together.
pub(super) const GROUP: usize = 32;

/// The minimum number of slots, which is always a power of two.
const FEWEST_SLOTS: usize = 1 << 10;

/// A list of distinct ids.
pub(super) trait Ids: Default {
    type Id: Hash + Eq + ?Sized;

    fn len(&self) -> usize;
    fn get(&self, place: u32) -> &Self::Id;
    fn push(&mut self, id: &Self::Id);
}

impl Ids for Vec<u64> {
    type Id = u64;

    fn len(&self) -> usize {
        self.len()
    }

    fn get(&self, place: u32) -> &u64 {
        &self[place as usize]
    }

    fn push(&mut self, &id: &u64) {
        self.push(id);
    }
}

/// Concatenated texts, and the end of each.
#[derive(Default)]
pub(super) struct Texts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Ids for Texts {
    type Id = [u8];

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, place: u32) -> &[u8] {
        let place = place as usize;
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.bytes[start..self.ends[place]]
    }

    fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
    }
}

/// Ids and their numbers, in both directions. At most three of four slots are used.
#[derive(Default)]
pub(super) struct Table<I> {
    ids: I,
    slots: Vec<Slot>,
    keys: RandomState,
}

/// Half of a hash, and the number of its id plus one; zero if free.
#[derive(Clone, Copy, Default)]
struct Slot {
    hash: u32,
    after: u32,
}

impl<I: Ids> Table<I> {
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn into_ids(self) -> I {
        self.ids
    }

    /// The first slot for a hash. There is at least one slot.
    #[inline]
    fn first(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    fn find(&self, hash: u64, id: &I::Id) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mut at = self.first(hash);
        loop {
            let slot = self.slots[at];
            let place = slot.after.checked_sub(1)?;
            if slot.hash == upper(hash) && self.ids.get(place) == id {
                return Some(place);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// The first number with the same half of the hash: nearly always that of its id.
    #[inline]
    fn same_hash(&self, first: Slot, hash: u64) -> Option<u32> {
        let (mut slot, mut at) = (first, hash as usize);
        while slot.after != 0 && slot.hash != upper(hash) {
            at = at.wrapping_add(1);
            slot = self.slots[at & (self.slots.len() - 1)];
        }
        slot.after.checked_sub(1)
    }

    /// Adds an unknown id.
    fn insert(&mut self, hash: u64, id: &I::Id) -> u32 {
        let place = self.ids.len() as u32;
        self.ids.push(id);
        if self.ids.len() > self.slots.len() / 4 * 3 {
            self.grow();
        } else {
            self.occupy(hash, place);
        }
        place
    }

    fn grow(&mut self) {
        let slots = (2 * self.slots.len()).max(FEWEST_SLOTS);
        // The old slots are freed first; the new ones are filled from the ids, so both never exist
        // at once.
        self.slots = Vec::new();
        self.slots = vec![Slot::default(); slots];
        for place in 0..self.ids.len() as u32 {
            self.occupy(self.keys.hash_one(self.ids.get(place)), place);
        }
    }

    /// Takes the next free slot, which exists.
    fn occupy(&mut self, hash: u64, place: u32) {
        let mut at = self.first(hash);
        while self.slots[at].after != 0 {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = Slot { hash: upper(hash), after: place + 1 };
    }

    /// Adds the unknown ids of a block, and appends its edges.
    pub(super) fn join(&mut self, part: Part<I>, edges: &mut Vec<(NodeId, NodeId)>) {
        let Part { before, fresh, edges: joining } = part;
        let nodes: Vec<NodeId> = (0..fresh.len() as u32)
            .map(|place| {
                let id = fresh.ids.get(place);
                let hash = self.keys.hash_one(id);
                self.find(hash, id).unwrap_or_else(|| self.insert(hash, id))
            })
            .collect();
        let node = |number: u32| if number < before { number } else { nodes[(number - before) as usize] };
        edges.extend(joining.into_iter().map(|(source, target)| (node(source), node(target))));
    }
}

fn upper(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// The edges of one block. Numbers below `before` are nodes of the table; the others are indices in
/// `fresh`, plus `before`.
pub(super) struct Part<I> {
    before: u32,
    fresh: Table<I>,
    edges: Vec<(u32, u32)>,
}

impl<I: Ids> Part<I> {
    pub(super) fn of(table: &Table<I>, edges: usize) -> Part<I> {
        let fresh = Table { keys: table.keys.clone(), ..Table::default() };
        Part { before: table.len() as u32, fresh, edges: Vec::with_capacity(edges) }
    }

    /// Appends up to [`GROUP`] edges. An unknown id is checked, by its edge in the group and its
    /// end (0 or 1).
    ///
    /// The table is larger than the caches, so all ids of the group take one step before any takes
    /// the next: memory accesses overlap.
    pub(super) fn extend<T, E>(
        &mut self,
        table: &Table<I>,
        edges: &[[T; 2]],
        id: impl Fn(&T) -> &I::Id,
        check: impl Fn(usize, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        debug_assert!(edges.len() <= GROUP);
        let ends = edges.as_flattened();
        let mut hashes = [0u64; 2 * GROUP];
        for (hash, end) in hashes.iter_mut().zip(ends) {
            *hash = table.keys.hash_one(id(end));
        }
        let mut slots = [Slot::default(); 2 * GROUP];
        if !table.slots.is_empty() {
            for (slot, &hash) in slots.iter_mut().zip(&hashes).take(ends.len()) {
                *slot = table.slots[table.first(hash)];
            }
        }
        let mut guesses = [None; 2 * GROUP];
        for ((guess, slot), &hash) in guesses.iter_mut().zip(slots).zip(&hashes).take(ends.len()) {
            *guess = table.same_hash(slot, hash).map(|place| (place, table.ids.get(place)));
        }
        let mut numbers = [0u32; 2 * GROUP];
        for (at, end) in ends.iter().enumerate() {
            numbers[at] = match guesses[at] {
                Some((place, guessed)) if guessed == id(end) => place,
                _ => self.number(table, hashes[at], id(end), || check(at / 2, at % 2))?,
            };
        }
        self.edges.extend(numbers.as_chunks().0.iter().take(edges.len()).map(|&[source, target]| (source, target)));
        Ok(())
    }

    fn number<E>(
        &mut self,
        table: &Table<I>,
        hash: u64,
        id: &I::Id,
        check: impl FnOnce() -> Result<(), E>,
    ) -> Result<u32, E> {
        if let Some(node) = table.find(hash, id) {
            return Ok(node);
        }
        let place = match self.fresh.find(hash, id) {
            Some(place) => place,
            None => {
                check()?;
                self.fresh.insert(hash, id)
            }
        };
        Ok(self.before + place)
    }
}
