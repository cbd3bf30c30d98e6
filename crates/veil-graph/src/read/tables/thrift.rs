//! The structure of Parquet's footer and page headers (Thrift, compact protocol), as far as their
//! declarations.
//!
//! The Parquet library allocates memory for some declared counts and recurses into the declared
//! schema. Failures of either cannot be caught, so both are checked here first, without allocating.

/// The limit for nested structures. Parquet's own need six.
const MAX_DEPTH: u32 = 32;

/// The limit for nested columns. Ours are lists: three levels.
const MAX_SCHEMA_DEPTH: usize = 32;

/// The content of a page header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PageHeader {
    /// Bytes of the header itself.
    pub(super) length: usize,
    /// Bytes of the page in the file, after the header.
    pub(super) compressed: i64,
    /// Bytes of the page, uncompressed.
    pub(super) uncompressed: i64,
    /// Values in the page, including missing ones and list ends.
    pub(super) values: i64,
    /// Whether it holds the dictionary.
    pub(super) dictionary: bool,
    /// The number of its encoding.
    pub(super) encoding: i64,
}

/// Whether every count in a footer fits into the footer and its schema is not too deep.
pub(super) fn footer_is_sound(bytes: &[u8]) -> bool {
    let mut walk = Walk { bytes, at: 0 };
    walk.structure(0, &mut |walk, field, kind, depth| match (field, kind) {
        (2, 9) => walk.schema(depth),
        _ => walk.skip(kind, depth),
    })
    .is_some()
}

/// The page header at the start of these bytes, if complete.
pub(super) fn page_header(bytes: &[u8]) -> Option<PageHeader> {
    let mut walk = Walk { bytes, at: 0 };
    let mut header = PageHeader::default();
    walk.structure(0, &mut |walk, field, kind, depth| {
        match (field, kind) {
            (2, 5) => header.uncompressed = walk.zigzag()?,
            (3, 5) => header.compressed = walk.zigzag()?,
            // The headers of data pages (5), dictionary pages (7) and data pages of version 2 (8).
            (5 | 7 | 8, 12) => {
                header.dictionary = field == 7;
                let encoding = if field == 8 { 4 } else { 2 };
                walk.structure(depth, &mut |walk, inner, kind, depth| {
                    match (inner, kind) {
                        (1, 5) => header.values = walk.zigzag()?,
                        (inner, 5) if inner == encoding => header.encoding = walk.zigzag()?,
                        _ => walk.skip(kind, depth)?,
                    }
                    Some(())
                })?;
            }
            _ => walk.skip(kind, depth)?,
        }
        Some(())
    })?;
    header.length = walk.at;
    Some(header)
}

/// A position in Thrift bytes. Methods return `None` where the bytes end or are contradictory.
struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Walk<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn zigzag(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// A declared count of items of at least one byte each.
    fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.varint()?).ok()?;
        (count <= self.bytes.len() - self.at).then_some(count)
    }

    fn list(&mut self) -> Option<(usize, u8)> {
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.count()? } else { usize::from(head >> 4) };
        (count <= self.bytes.len() - self.at).then_some((count, head & 15))
    }

    /// Visits the fields of a structure: their number, their type, the depth below them.
    fn structure(&mut self, depth: u32, visit: &mut dyn FnMut(&mut Self, i64, u8, u32) -> Option<()>) -> Option<()> {
        if depth >= MAX_DEPTH {
            return None;
        }
        let mut field = 0i64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(());
            }
            field = match head >> 4 {
                0 => self.zigzag()?,
                step => field.checked_add(i64::from(step))?,
            };
            visit(self, field, head & 15, depth + 1)?;
        }
    }

    fn skip(&mut self, kind: u8, depth: u32) -> Option<()> {
        if depth >= MAX_DEPTH {
            return None;
        }
        match kind {
            // In a structure the type is the boolean itself; in a list it takes a byte.
            1 | 2 => {}
            3 => drop(self.byte()?),
            4..=6 => drop(self.varint()?),
            7 => self.bytes_of(8)?,
            8 => {
                let length = self.count()?;
                self.bytes_of(length)?;
            }
            9 | 10 => {
                let (count, kind) = self.list()?;
                (0..count).try_for_each(|_| self.element(kind, depth + 1))?;
            }
            11 => {
                let count = self.count()?;
                let kinds = if count > 0 { self.byte()? } else { 0 };
                (0..count).try_for_each(|_| {
                    self.element(kinds >> 4, depth + 1)?;
                    self.element(kinds & 15, depth + 1)
                })?;
            }
            12 => self.structure(depth, &mut |walk, _, kind, depth| walk.skip(kind, depth))?,
            13 => self.bytes_of(16)?,
            _ => return None,
        }
        Some(())
    }

    fn element(&mut self, kind: u8, depth: u32) -> Option<()> {
        if matches!(kind, 1 | 2) { self.bytes_of(1) } else { self.skip(kind, depth) }
    }

    fn bytes_of(&mut self, count: usize) -> Option<()> {
        self.at = self.at.checked_add(count).filter(|&end| end <= self.bytes.len())?;
        Some(())
    }

    /// The schema is a tree in depth-first order: each element declares its number of children.
    fn schema(&mut self, depth: u32) -> Option<()> {
        let (count, kind) = self.list()?;
        let mut open: Vec<i64> = Vec::new();
        for _ in 0..count {
            if kind != 12 {
                return None;
            }
            let mut children = 0;
            self.structure(depth, &mut |walk, field, kind, depth| {
                match (field, kind) {
                    (5, 5) => children = walk.zigzag()?,
                    _ => walk.skip(kind, depth)?,
                }
                Some(())
            })?;
            while open.last() == Some(&0) {
                open.pop();
            }
            if let Some(last) = open.last_mut() {
                *last -= 1;
            }
            if children > 0 {
                open.push(children);
            }
            if open.len() > MAX_SCHEMA_DEPTH {
                return None;
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Field numbers are relative to the previous field: 0x15 is "the next field, an i32".
    const PAGE: [u8; 13] = [0x15, 0x00, 0x15, 0xc8, 0x01, 0x15, 0x14, 0x2c, 0x15, 0x06, 0x15, 0x10, 0x00];

    #[test]
    fn a_page_header_is_parsed() {
        let mut bytes = PAGE.to_vec();
        bytes.extend([0x00, 0xff, 0xff]);
        let header = page_header(&bytes).unwrap();
        assert_eq!((header.length, header.uncompressed, header.compressed), (14, 100, 10));
        assert_eq!((header.values, header.encoding, header.dictionary), (3, 8, false));
        assert!((0..14).all(|length| page_header(&bytes[..length]).is_none()));
    }

    #[test]
    fn counts_beyond_the_bytes_and_deep_structures_are_refused() {
        // Field 4, a list of structures: 2³⁰ of them in no bytes.
        assert!(!footer_is_sound(&[0x49, 0xfc, 0x80, 0x80, 0x80, 0x80, 0x04, 0x00]));
        // Field 1, a structure in a structure in a structure …
        assert!(!footer_is_sound(&[0x1c; 100]));
        // Field 2, a schema: each of 200 elements has one child.
        let mut deep = vec![0x29, 0xfc, 0xc8, 0x01];
        deep.extend([0x55, 0x02, 0x00].repeat(200));
        deep.push(0);
        assert!(!footer_is_sound(&deep));
        let mut flat = vec![0x29, 0xfc, 0xc8, 0x01, 0x55, 0x8e, 0x03, 0x00];
        flat.extend([0x55, 0x00, 0x00].repeat(199));
        flat.push(0);
        assert!(footer_is_sound(&flat));
    }
}
