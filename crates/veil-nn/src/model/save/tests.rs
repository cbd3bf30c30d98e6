use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::kernels::tests::fixed;

fn weights() -> Vec<(String, Tensor)> {
    let wide = Tensor::from_rows(&[[1.0, -2.0, 3.5, 0.0, 1e-40], [5.0, 6.0, 7.0, 8.0, f32::MAX]]);
    vec![("0.weight".into(), wide), ("1.bias".into(), Tensor::from_rows(&[[0.25]]))]
}

fn encoded() -> Vec<u8> {
    let weights = weights();
    let tensors: Vec<(String, &Tensor)> = weights.iter().map(|(name, tensor)| (name.clone(), tensor)).collect();
    encode(&json!({"kind": "gcn", "hidden": 16}), &tensors).unwrap()
}

/// A file with this header and `data` bytes.
fn file(header: &str, data: usize) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(header.as_bytes());
    bytes.resize(bytes.len() + data, 0);
    bytes
}

fn described(tensors: &str) -> String {
    format!(r#"{{"__metadata__":{{"veil-model":"{{\"version\":1,\"model\":null}}"}}{tensors}}}"#)
}

fn error(bytes: &[u8]) -> SaveError {
    decode::<Value>(bytes).unwrap_err()
}

#[test]
fn weights_survive_a_round_trip() {
    let (description, tensors) = decode::<Value>(&encoded()).unwrap();
    assert_eq!(description, json!({"kind": "gcn", "hidden": 16}));
    assert_eq!(tensors, weights());
}

#[test]
fn other_programs_read_the_file_and_its_bytes_are_deterministic() {
    let bytes = encoded();
    let theirs = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let weight = theirs.tensor("0.weight").unwrap();
    assert_eq!((weight.dtype(), weight.shape(), weight.data().len()), (Dtype::F32, &[2, 5][..], 40));
    let mut reversed = weights();
    reversed.reverse();
    let tensors: Vec<(String, &Tensor)> = reversed.iter().map(|(name, tensor)| (name.clone(), tensor)).collect();
    assert_eq!(encode(&json!({"hidden": 16, "kind": "gcn"}), &tensors).unwrap(), bytes);
    let header =
        r#"{"__metadata__":{"veil-model":"{\"version\":1,\"model\":{\"hidden\":16,\"kind\":\"gcn\"}}"},"0.weight":{"#;
    assert!(bytes[8..].starts_with(header.as_bytes()), "{}", String::from_utf8_lossy(&bytes));
}

#[test]
fn every_shorter_or_longer_file_is_refused() {
    let mut bytes = encoded();
    for length in 0..bytes.len() {
        let found = error(&bytes[..length]);
        assert!(matches!(found, SaveError::NotSafetensors { .. } | SaveError::Length { .. }), "{length}: {found}");
    }
    bytes.push(0);
    assert!(matches!(error(&bytes), SaveError::Length { expected: 44, found: 45 }));
}

#[test]
fn inconsistent_headers_are_refused() {
    for length in [u64::MAX, u64::MAX - 7, 100_000_000, 1 << 40] {
        let mut bytes = encoded();
        bytes[..8].copy_from_slice(&length.to_le_bytes());
        assert!(matches!(error(&bytes), SaveError::NotSafetensors { .. }), "{length}");
    }
    let tensor = |name: &str, shape: &str, from: u64, to: u64| {
        format!(r#","{name}":{{"dtype":"F32","shape":{shape},"data_offsets":[{from},{to}]}}"#)
    };
    let refused = [
        // Beyond the end, overlapping, with a gap, reversed, of another size than the shape, of a
        // size that overflows.
        tensor("a", "[1,4]", 0, 16),
        tensor("a", "[1,2]", 0, 8) + &tensor("b", "[1,1]", 4, 8),
        tensor("a", "[1,1]", 4, 8),
        tensor("a", "[1,1]", 8, 4),
        tensor("a", "[1,1]", 0, 8),
        tensor("a", "[4294967296,4294967296]", 0, 8),
        tensor("a", "[1,2]", 0, 8) + r#","b":{"dtype":"F32","shape":[-1,2],"data_offsets":[0,8]}"#,
        r#","a":{"dtype":"Q7","shape":[1,2],"data_offsets":[0,8]}"#.to_owned(),
        r#","a":7"#.to_owned(),
    ];
    for tensors in refused {
        let found = error(&file(&described(&tensors), 8));
        assert!(matches!(found, SaveError::NotSafetensors { .. } | SaveError::Length { .. }), "{tensors}: {found}");
    }
    assert!(decode::<Value>(&file(&described(&tensor("a", "[1,2]", 0, 8)), 8)).is_ok());
}

/// Eight tensors whose sizes add up to 2⁶⁴ − 8: with the header's length the sum overflows.
#[test]
fn sizes_whose_sum_overflows_are_refused() {
    let size = (1u64 << 61) - 1;
    let tensors: String = (0..8)
        .map(|n| {
            format!(r#","{n}":{{"dtype":"U8","shape":[{size}],"data_offsets":[{},{}]}}"#, n * size, (n + 1) * size)
        })
        .collect();
    assert!(matches!(error(&file(&described(&tensors), 0)), SaveError::Length { found: 0, .. }));
}

#[test]
fn invalid_utf8_is_refused() {
    let mut bytes = file(&described(r#","name":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}"#), 4);
    let name = bytes.windows(6).position(|bytes| bytes == b"\"name\"").unwrap();
    assert!(decode::<Value>(&bytes).is_ok());
    bytes[name + 1] = 0xff;
    assert!(matches!(error(&bytes), SaveError::NotSafetensors { .. }));
    let deep = "[".repeat(100_000);
    assert!(matches!(error(&file(&deep, 0)), SaveError::NotSafetensors { .. }));
    let deep = format!(r#"{{"__metadata__":{{"veil-model":"{deep}"}}}}"#);
    assert!(matches!(error(&file(&deep, 0)), SaveError::Description { .. }));
}

#[test]
fn files_of_other_programs_are_recognised() {
    assert!(matches!(error(&file("{}", 0)), SaveError::NoDescription));
    assert!(matches!(error(&file(r#"{"__metadata__":{"format":"pt"}}"#, 0)), SaveError::NoDescription));
    let with = |text: &str| file(&json!({"__metadata__": {"veil-model": text}}).to_string(), 0);
    assert!(matches!(error(&with(r#"{"version":2}"#)), SaveError::UnknownVersion { found: 2, known: 1 }));
    for text in ["", "{}", r#"{"version":1}"#, r#"{"version":-1,"model":1}"#, r#"{"version":"1","model":1}"#, "[1]"] {
        assert!(matches!(error(&with(text)), SaveError::Description { .. }), "{text}");
    }
    let number = decode::<u32>(&with(r#"{"version":1,"model":"gcn"}"#));
    assert!(matches!(number, Err(SaveError::Description { .. })));
}

#[test]
fn only_finite_matrices_of_floats_are_read() {
    let one = |dtype: &str, shape: &str, bytes: usize| {
        let tensor = format!(r#","a":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[0,{bytes}]}}"#);
        error(&file(&described(&tensor), bytes))
    };
    assert!(matches!(one("F64", "[1,1]", 8), SaveError::WrongType { name, found } if name == "a" && found == "F64"));
    // The last three have no bytes, whatever their other dimension.
    for (shape, bytes) in [
        ("[2]", 8),
        ("[1,1,2]", 8),
        ("[]", 4),
        ("[0,0]", 0),
        ("[1152921504606846976,0]", 0),
        ("[0,9223372036854775807]", 0),
    ] {
        let found = one("F32", shape, bytes);
        assert!(matches!(found, SaveError::NotAMatrix { .. }), "{shape}: {found}");
    }
    let bad = Tensor::from_rows(&[[0.0, 1.0], [2.0, f32::NAN]]);
    let refused = encode(&(), &[("w".to_owned(), &bad)]).unwrap_err();
    assert_eq!(refused.to_string(), "matrix \"w\" holds a value that is not finite (row 1, column 1)");
    let mut bytes = encoded();
    let end = bytes.len();
    bytes[end - 4..].copy_from_slice(&f32::INFINITY.to_le_bytes());
    assert!(matches!(error(&bytes), SaveError::NotFinite { name, row: 0, column: 0 } if name == "1.bias"));
}

#[test]
fn a_model_takes_exactly_its_own_weights_or_none() {
    let mut places = [("1.bias", Tensor::zeros(1, 1)), ("0.weight", Tensor::zeros(2, 5))];
    let mut into =
        |decoded| fill(decoded, places.iter_mut().map(|(name, place)| ((*name).to_owned(), place)).collect());

    let mut missing = weights();
    missing.remove(0);
    assert!(matches!(into(missing), Err(SaveError::Missing { name }) if name == "0.weight"));
    let mut more = weights();
    more.push(("2.weight".into(), Tensor::zeros(1, 1)));
    assert!(matches!(into(more), Err(SaveError::Unexpected { name }) if name == "2.weight"));
    let mut other = weights();
    other[0].1 = other[0].1.transposed();
    assert_eq!(into(other).unwrap_err().to_string(), "matrix \"0.weight\" should be 2×5, but is 5×2");
    assert!(places.iter().all(|(_, place)| place.values().iter().all(|&value| value == 0.0)));

    fill(weights(), places.iter_mut().map(|(name, place)| ((*name).to_owned(), place)).collect()).unwrap();
    assert_eq!((&places[0].1, &places[1].1), (&weights()[1].1, &weights()[0].1));
}

proptest! {
    #![proptest_config(fixed(512))]

    #[test]
    fn a_damaged_file_never_panics(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut bytes = encoded();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        // Changed weights are accepted; any other damage is an error.
        if let Ok((_, tensors)) = decode::<Value>(&bytes) {
            prop_assert!(tensors.iter().all(|(_, tensor)| tensor.values().iter().all(|value| value.is_finite())));
        }
    }
}
