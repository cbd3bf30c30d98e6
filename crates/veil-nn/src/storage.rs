//! Where the numbers of a tensor lie.
//!
//! Rows of a large matrix are gathered in no order, so on pages of 4 KiB nearly every row costs a look into the page table.
//! Large tensors therefore ask for huge pages (SpMM on a million nodes: docs/performance.md); a system that has none gives
//! ordinary ones.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// Beyond this the allocator would map fresh pages for every tensor anyway.
const LARGE: usize = 32 << 20;

/// Floats, all zero at first.
#[derive(Debug)]
pub(crate) enum Storage {
    Heap(Vec<f32>),
    Mapped(MmapMut),
}

impl Storage {
    pub fn zeros(length: usize) -> Storage {
        let bytes = length * size_of::<f32>();
        if bytes >= LARGE
            && let Ok(map) = MmapMut::map_anon(bytes)
        {
            #[cfg(target_os = "linux")]
            // A refusal changes the speed and nothing else.
            let _ = map.advise(memmap2::Advice::HugePage);
            return Storage::Mapped(map);
        }
        Storage::Heap(vec![0.0; length])
    }
}

impl Deref for Storage {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        match self {
            Storage::Heap(values) => values,
            // A map starts at a page, and any bytes are floats.
            Storage::Mapped(map) => bytemuck::cast_slice(map),
        }
    }
}

impl DerefMut for Storage {
    fn deref_mut(&mut self) -> &mut [f32] {
        match self {
            Storage::Heap(values) => values,
            Storage::Mapped(map) => bytemuck::cast_slice_mut(map),
        }
    }
}

impl Clone for Storage {
    fn clone(&self) -> Storage {
        match self {
            Storage::Heap(values) => Storage::Heap(values.clone()),
            Storage::Mapped(_) => {
                let mut copy = Storage::zeros(self.len());
                copy.copy_from_slice(self);
                copy
            }
        }
    }
}

impl PartialEq for Storage {
    fn eq(&self, other: &Storage) -> bool {
        **self == **other
    }
}

impl Default for Storage {
    fn default() -> Storage {
        Storage::Heap(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_one_is_mapped_zero_and_can_be_copied() {
        let mut large = Storage::zeros(LARGE / 4);
        assert!(matches!(large, Storage::Mapped(_)));
        assert!(large.iter().all(|&value| value == 0.0));
        large[7] = 3.0;
        let copy = large.clone();
        assert_eq!(copy[7], 3.0);
        assert!(copy == large);
    }
}
