//! Compressed Arrow blocks: what their buffers declare to unpack to.
//!
//! Each compressed buffer begins with its length before compression, which the decoder allocates.
//! So these numbers are added up and limited before a block is decoded.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use arrow_ipc::{Block, root_as_message};

/// The bytes of a message that say that it continues a stream.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// The bytes to which the buffers of a block (which lies within the file) unpack. Buffers that are
/// not compressed count nothing: they are part of the file.
pub(super) fn declared_bytes(file: &File, block: &Block) -> Result<u64, String> {
    let number = |number: i64| u64::try_from(number).map_err(|_| "a negative length".to_owned());
    let (start, head, body) =
        (number(block.offset())?, number(i64::from(block.metaDataLength()))?, number(block.bodyLength())?);
    let mut message = vec![0; head as usize];
    read_at(file, start, &mut message)?;
    let skipped = if message.starts_with(&CONTINUATION) { 8 } else { 4 };
    let message = message.get(skipped..).ok_or("a block without a message")?;
    let message = root_as_message(message).map_err(|error| error.to_string())?;
    let dictionary = message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
    let Some(batch) = message.header_as_record_batch().or(dictionary) else { return Ok(0) };
    if batch.compression().is_none() {
        return Ok(0);
    }
    let mut unpacked = 0u64;
    for buffer in batch.buffers().into_iter().flatten() {
        let (offset, length) = (number(buffer.offset())?, number(buffer.length())?);
        if length == 0 {
            continue;
        }
        if length < 8 || offset.saturating_add(length) > body {
            return Err("a buffer is declared outside its block".to_owned());
        }
        let mut declared = [0; 8];
        read_at(file, start + head + offset, &mut declared)?;
        // -1 marks a buffer that is not compressed after all.
        unpacked = unpacked.saturating_add(u64::try_from(i64::from_le_bytes(declared)).unwrap_or(0));
    }
    Ok(unpacked)
}

fn read_at(mut file: &File, at: u64, bytes: &mut [u8]) -> Result<(), String> {
    file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(bytes)).map_err(|error| error.to_string())
}
