//! Arrays as NumPy writes them, and invalid ones.

use super::write::head;
use super::*;
use crate::read::fixtures::npy;

fn read(bytes: &[u8]) -> Result<Array<&[u8]>, ReadError> {
    Array::read(bytes, bytes.len() as u64, Source::file(Path::new("a.npy")))
}

fn message<T>(result: Result<T, ReadError>) -> String {
    result.err().expect("should be refused").to_string()
}

/// A header with another version and text.
fn with_head(version: u8, text: &str, elements: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    match version {
        1 => bytes.extend((text.len() as u16).to_le_bytes()),
        _ => bytes.extend((text.len() as u32).to_le_bytes()),
    }
    bytes.extend(text.as_bytes());
    bytes.extend(elements);
    bytes
}

#[test]
fn every_type_of_number_is_read_in_both_byte_orders() {
    let little = |descr: &str, bytes: &[u8]| read(&npy(descr, &[2], bytes)).unwrap().floats().unwrap();
    assert_eq!(little("|b1", &[0, 1]), [0.0, 1.0]);
    assert_eq!(little("|i1", &[255, 1]), [-1.0, 1.0]);
    assert_eq!(little("|u1", &[255, 1]), [255.0, 1.0]);
    assert_eq!(little("<f2", &[0x00, 0x3c, 0x00, 0xc1]), [1.0, -2.5]);
    assert_eq!(little(">f2", &[0x3c, 0x00, 0x00, 0x01]), [1.0, 2f32.powi(-24)]);
    macro_rules! both {
        ($number:ty, $code:literal) => {
            let numbers: [$number; 2] = [3 as $number, 77 as $number];
            let bytes = |big: bool| -> Vec<u8> {
                numbers.iter().flat_map(|n| if big { n.to_be_bytes() } else { n.to_le_bytes() }).collect()
            };
            for (order, big) in [("<", false), (">", true)] {
                let array = npy(&format!("{order}{}", $code), &[2], &bytes(big));
                assert_eq!(read(&array).unwrap().floats().unwrap(), [3.0, 77.0], "{order}{}", $code);
                let whole = read(&array).unwrap().integers::<u32>();
                if $code.starts_with('f') {
                    assert!(whole.is_err());
                } else {
                    assert_eq!(whole.unwrap(), [3, 77]);
                }
            }
        };
    }
    both!(i16, "i2");
    both!(i32, "i4");
    both!(i64, "i8");
    both!(u16, "u2");
    both!(u32, "u4");
    both!(u64, "u8");
    both!(f32, "f4");
    both!(f64, "f8");
    assert!(half(0x7c00).is_infinite() && half(0x7e00).is_nan());
}

#[test]
fn numbers_that_do_not_fit_name_their_element() {
    let array = npy("<i4", &[2], &[1, 0, 0, 0, 255, 255, 255, 255]);
    let text = message(read(&array).unwrap().integers::<u32>());
    assert!(text.contains("element 1:") && text.contains("\"-1\"") && text.contains("4294967295"), "{text}");
    let array = npy("<u8", &[1], &u64::MAX.to_le_bytes());
    assert!(read(&array).unwrap().integers::<u32>().is_err());
    assert_eq!(read(&array).unwrap().integers::<u64>().unwrap(), [u64::MAX]);
}

#[test]
fn versions_orders_and_spellings_of_the_head() {
    let elements: Vec<u8> = (0u8..6).collect();
    let rows = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }\n";
    for version in [1, 2, 3] {
        let array = read(&with_head(version, rows, &elements)).map(|array| array.matrix().unwrap());
        assert_eq!(array.unwrap().row(1), [3.0, 4.0, 5.0]);
    }
    let columns = "{\"shape\":(2L,3L),'fortran_order':True,'descr':\"|u1\"}";
    let matrix = read(&with_head(1, columns, &elements)).unwrap().matrix().unwrap();
    assert_eq!((matrix.row(0), matrix.row(1)), (&[0.0, 2.0, 4.0][..], &[1.0, 3.0, 5.0][..]));
    let scalar = "{'descr': '|u1', 'fortran_order': False, 'shape': ()}";
    assert_eq!(read(&with_head(1, scalar, &[7])).unwrap().integers::<u32>().unwrap(), [7]);
    let nothing = read(&npy("<f4", &[0, 5], &[])).unwrap().matrix().unwrap();
    assert_eq!((nothing.rows(), nothing.columns()), (0, 5));
}

#[test]
fn texts_lose_their_padding() {
    let array = npy("|S3", &[2], b"ab\0csr");
    assert_eq!(read(&array).unwrap().texts().unwrap(), ["ab", "csr"]);
    let characters = |big: bool| -> Vec<u8> {
        ['é', '\0']
            .iter()
            .flat_map(|&c| if big { (c as u32).to_be_bytes() } else { (c as u32).to_le_bytes() })
            .collect()
    };
    assert_eq!(read(&npy("<U2", &[1], &characters(false))).unwrap().texts().unwrap(), ["é"]);
    assert_eq!(read(&npy(">U2", &[1], &characters(true))).unwrap().texts().unwrap(), ["é"]);
    assert!(message(read(&npy("|S1", &[1], &[0xff])).unwrap().texts()).contains("not UTF-8"));
    assert!(message(read(&npy("<U1", &[1], &[0, 0, 0, 0xff])).unwrap().texts()).contains("element 0"));
}

#[test]
fn unsupported_arrays_are_refused_with_a_reason() {
    let head = |text: &str| message(read(&with_head(1, text, &[0; 8])));
    let shaped = |shape: &str| head(&format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}"));
    assert!(head("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}").contains("Python objects"));
    assert!(head("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}").contains("records"));
    assert!(head("{'descr': '<c16', 'fortran_order': False, 'shape': (1,)}").contains("<c16"));
    assert!(head("{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1,)}").contains("not supported"));
    assert!(head("{'descr': '|S0', 'fortran_order': False, 'shape': (9999999999,)}").contains("length 0"));
    assert!(head("{'descr': '<f8', 'shape': (1,)}").contains("fortran_order"));
    assert!(head("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}").contains("duplicate"));
    assert!(shaped("(-1,)").contains("nonnegative integer"));
    assert!(shaped("(1, 1, 1)").contains("two dimensions"));
    assert!(shaped("(99999999999999999999999,)").contains("nonnegative integer"));
    assert!(shaped("(9999999999999999999, 9999999999)").contains("does not fit into memory"));
    assert!(shaped("(1000000000000,)").contains("8000000000000"), "checked against the 8 bytes that are there");
    assert!(shaped("((((((((((((((1,)").contains("byte"));
    assert!(message(read(b"PK\x03\x04....")).contains("not an NPY"));
    assert!(message(read(b"\x93NUM")).contains("truncated"));
    assert!(message(read(b"\x93NUMPY\x09\x00\x10\x00")).contains("9.0"));
    assert!(message(read(b"\x93NUMPY\x02\x00\xff\xff\xff\xff")).contains("exceeds"));
    assert!(message(read(b"\x93NUMPY\x01\x00\xff\xff{'descr'")).contains("65535 bytes"));
    assert!(message(read(&npy("<f4", &[1, 1], &f32::NAN.to_le_bytes())).unwrap().matrix()).contains("row 0, column 0"));
    assert!(message(read(&npy("<f4", &[1], &[0; 4])).unwrap().matrix()).contains("expected a matrix"));
    assert!(message(read(&npy("<f4", &[1], &[0; 4])).unwrap().texts()).contains("floating-point"));
}

#[test]
fn a_written_matrix_is_read_back() {
    let matrix = Matrix::from_values(3, 2, vec![0.0, -1.5, 3.25, f32::MIN_POSITIVE, 1e30, 7.0]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("features.npy");
    write_matrix(&mut std::fs::File::create(&path).unwrap(), &matrix).unwrap();
    assert_eq!(read_matrix(&path).unwrap(), matrix);
    assert_eq!(head("<f4", "(3, 2)").len() % 64, 0);
    assert!(message(read_matrix(&folder.path().join("none.npy"))).contains("none.npy"));
}
