//! Small good files for the tests: arrays, archives of arrays, pickles.

use std::io::{Cursor, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// An NPY array from its type, shape and bytes.
pub(super) fn npy(descr: &str, shape: &[usize], elements: &[u8]) -> Vec<u8> {
    let lengths: String = shape.iter().map(|length| format!("{length}, ")).collect();
    let text =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({lengths}), }}\n").replace("(, )", "()");
    let text = text.replace(", )", ",)");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(elements);
    bytes
}

/// A vector of 32-bit whole numbers.
pub(super) fn i4(numbers: &[i32]) -> Vec<u8> {
    npy("<i4", &[numbers.len()], &numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>())
}

/// A vector of 64-bit whole numbers.
pub(super) fn i8(numbers: &[i64]) -> Vec<u8> {
    npy("<i8", &[numbers.len()], &numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>())
}

/// A vector or matrix of 32-bit floats.
pub(super) fn f4(shape: &[usize], numbers: &[f32]) -> Vec<u8> {
    npy("<f4", shape, &numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>())
}

/// An archive of arrays; every second one is packed.
pub(super) fn npz(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (index, (name, bytes)) in arrays.iter().enumerate() {
        let method = if index % 2 == 0 { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        writer.start_file(format!("{name}.npy"), SimpleFileOptions::default().compression_method(method)).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Writes files into a folder.
pub(super) fn put<'a>(folder: &Path, files: impl IntoIterator<Item = (&'a str, Vec<u8>)>) {
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
}
