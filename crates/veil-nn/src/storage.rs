//! The memory of tensors.
//!
//! It starts at a cache line: a row of 16 floats across two lines takes longer to gather.
//!
//! Rows of a large matrix are gathered in random order, so with pages of 4 KiB nearly every row
//! costs a page table lookup. Large tensors therefore request huge pages; a system without them
//! gives ordinary ones.
//!
//! Every training step allocates the same tensors. While a [`Recycling`] lives on this thread,
//! freed memory is kept for the next tensor of the same size: fresh pages would cost up to a third
//! of a step (docs/performance.md).

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// Above this, the allocator would map fresh pages for every tensor anyway.
const LARGE: usize = 32 << 20;

/// Floats.
#[derive(Debug)]
pub(crate) struct Storage(Buffer);

#[derive(Debug)]
enum Buffer {
    /// The lines, and the number of floats.
    Heap(Vec<Line>, usize),
    Mapped(MmapMut),
}

/// A cache line.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct Line([f32; 16]);

/// Freed memory of this thread.
#[derive(Default)]
struct Shelf {
    /// The number of [`Recycling`]s.
    users: usize,
    buffers: Vec<Buffer>,
}

thread_local! {
    static SHELF: RefCell<Shelf> = RefCell::default();
}

impl Buffer {
    fn zeros(length: usize) -> Buffer {
        let bytes = length * size_of::<f32>();
        if bytes >= LARGE
            && let Ok(map) = MmapMut::map_anon(bytes)
        {
            #[cfg(target_os = "linux")]
            // A refusal affects only the speed.
            let _ = map.advise(memmap2::Advice::HugePage);
            return Buffer::Mapped(map);
        }
        Buffer::Heap(vec![Line([0.0; 16]); length.div_ceil(16)], length)
    }

    fn values(&self) -> &[f32] {
        match self {
            Buffer::Heap(lines, length) => &bytemuck::cast_slice(lines)[..*length],
            // A map starts at a page, and any bytes are floats.
            Buffer::Mapped(map) => bytemuck::cast_slice(map),
        }
    }

    fn values_mut(&mut self) -> &mut [f32] {
        match self {
            Buffer::Heap(lines, length) => &mut bytemuck::cast_slice_mut(lines)[..*length],
            Buffer::Mapped(map) => bytemuck::cast_slice_mut(map),
        }
    }

    /// The memory of this length that was freed last: it may still be in the cache.
    fn from_shelf(length: usize) -> Option<Buffer> {
        let take = |shelf: &RefCell<Shelf>| {
            let buffers = &mut shelf.borrow_mut().buffers;
            let place = buffers.iter().rposition(|buffer| buffer.values().len() == length)?;
            Some(buffers.remove(place))
        };
        SHELF.try_with(take).ok().flatten()
    }
}

impl Storage {
    /// Zeros.
    pub fn zeros(length: usize) -> Storage {
        Storage(match Buffer::from_shelf(length) {
            Some(mut buffer) => {
                buffer.values_mut().fill(0.0);
                buffer
            }
            None => Buffer::zeros(length),
        })
    }

    /// Unspecified numbers: the caller overwrites all of them.
    pub fn scratch(length: usize) -> Storage {
        let mut buffer = Buffer::from_shelf(length).unwrap_or_else(|| Buffer::zeros(length));
        if cfg!(debug_assertions) {
            // So that tests detect numbers that were not overwritten.
            buffer.values_mut().fill(f32::NAN);
        }
        Storage(buffer)
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        let buffer = std::mem::replace(&mut self.0, Buffer::Heap(Vec::new(), 0));
        // The shelf is gone when the thread ends.
        let _ = SHELF.try_with(|shelf| {
            let mut shelf = shelf.borrow_mut();
            if shelf.users > 0 && !buffer.values().is_empty() {
                shelf.buffers.push(buffer);
            }
        });
    }
}

impl Deref for Storage {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        self.0.values()
    }
}

impl DerefMut for Storage {
    fn deref_mut(&mut self) -> &mut [f32] {
        self.0.values_mut()
    }
}

impl Clone for Storage {
    fn clone(&self) -> Storage {
        let mut copy = Storage::scratch(self.len());
        copy.copy_from_slice(self);
        copy
    }
}

impl Default for Storage {
    fn default() -> Storage {
        Storage(Buffer::Heap(Vec::new(), 0))
    }
}

impl PartialEq for Storage {
    fn eq(&self, other: &Storage) -> bool {
        **self == **other
    }
}

/// While one lives, this thread keeps the memory of freed tensors.
#[derive(Debug)]
pub(crate) struct Recycling(
    /// Not [`Send`]: it belongs to its thread.
    std::marker::PhantomData<*const ()>,
);

impl Recycling {
    pub fn start() -> Recycling {
        // A thread that is ending keeps nothing.
        let _ = SHELF.try_with(|shelf| shelf.borrow_mut().users += 1);
        Recycling(std::marker::PhantomData)
    }
}

impl Drop for Recycling {
    fn drop(&mut self) {
        let emptied = SHELF.try_with(|shelf| {
            let mut shelf = shelf.borrow_mut();
            shelf.users -= 1;
            if shelf.users == 0 { std::mem::take(&mut shelf.buffers) } else { Vec::new() }
        });
        drop(emptied);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept() -> usize {
        SHELF.with(|shelf| shelf.borrow().buffers.len())
    }

    #[test]
    fn large_storage_is_zeroed_and_clonable() {
        let mut large = Storage::zeros(LARGE / 4);
        assert!(matches!(large.0, Buffer::Mapped(_)));
        assert!(large.iter().all(|&value| value == 0.0));
        large[7] = 3.0;
        let copy = large.clone();
        assert_eq!(copy[7], 3.0);
        assert!(copy == large);
    }

    #[test]
    fn storage_starts_at_a_cache_line() {
        let some: Vec<Storage> = [1, 4, 100, 1000, LARGE / 4].map(Storage::zeros).into_iter().collect();
        assert!(some.iter().all(|storage| storage.as_ptr().addr().is_multiple_of(64)));
        assert_eq!(some.iter().map(|storage| storage.len()).collect::<Vec<_>>(), [1, 4, 100, 1000, LARGE / 4]);
    }

    #[test]
    fn memory_is_kept_only_while_recycling() {
        drop(Storage::zeros(100));
        assert_eq!(kept(), 0);
        let outer = Recycling::start();
        let inner = Recycling::start();
        let mut dirty = Storage::zeros(100);
        dirty.fill(7.0);
        drop(dirty);
        assert_eq!(kept(), 1);
        assert!(Storage::zeros(100).iter().all(|&value| value == 0.0));
        drop(Storage::zeros(99));
        assert_eq!(kept(), 2);
        drop(inner);
        assert_eq!(kept(), 2);
        drop(outer);
        assert_eq!(kept(), 0);
    }
}
