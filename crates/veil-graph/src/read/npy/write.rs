//! Writing a matrix as NPY.

use std::io::{self, Write};

use crate::matrix::Matrix;

/// Writes a matrix of 32-bit floats: NPY 1.0, little-endian, row by row.
pub(crate) fn write_matrix(out: &mut impl Write, matrix: &Matrix) -> io::Result<()> {
    let shape = format!("({}, {})", matrix.rows(), matrix.columns());
    out.write_all(&head("<f4", &shape))?;
    let mut buffer = Vec::with_capacity(1 << 16);
    for values in matrix.values().chunks(1 << 14) {
        buffer.clear();
        values.iter().for_each(|value| buffer.extend_from_slice(&value.to_le_bytes()));
        out.write_all(&buffer)?;
    }
    Ok(())
}

/// The header of an array, padded so that the elements start at a multiple of 64 bytes, as in
/// NumPy.
pub(super) fn head(descr: &str, shape: &str) -> Vec<u8> {
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    while (10 + text.len() + 1) % 64 != 0 {
        text.push(' ');
    }
    text.push('\n');
    let mut head = b"\x93NUMPY\x01\x00".to_vec();
    head.extend_from_slice(&(text.len() as u16).to_le_bytes());
    head.extend_from_slice(text.as_bytes());
    head
}
