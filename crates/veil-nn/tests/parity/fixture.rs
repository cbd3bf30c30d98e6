//! Reads the fixtures of `scripts/fixtures/make.py`.

use std::path::Path;

use serde_json::Value;
use veil_graph::{Features, Matrix};
use veil_nn::{Input, Messages, Parameter, Tensor};

/// One file under `tests/fixtures`.
pub fn read(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name).with_extension("json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Twelve nodes: one isolated, one with a self loop, one without incoming messages.
pub fn messages() -> Messages {
    let graph = read("graph");
    let mut lists = vec![Vec::new(); whole(&graph["nodes"])];
    for edge in graph["edges"].as_array().unwrap() {
        lists[whole(&edge[1])].push(whole(&edge[0]) as u32);
    }
    Messages::from_lists(&lists).unwrap()
}

/// The graph with these features behind some hops.
pub fn input(features: &Value, hops: usize) -> Input {
    Input::new(Features::Dense(matrix(features).to_matrix()), messages(), hops).unwrap()
}

pub fn whole(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

pub fn wholes(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(|value| whole(value) as u32).collect()
}

/// Rows of numbers; a flat list is one row.
pub fn rows(value: &Value) -> Vec<Vec<f64>> {
    let numbers = |list: &[Value]| list.iter().map(|value| value.as_f64().unwrap()).collect();
    let list = value.as_array().unwrap();
    match list.first() {
        Some(Value::Array(_)) => list.iter().map(|row| numbers(row.as_array().unwrap())).collect(),
        _ => vec![numbers(list)],
    }
}

pub fn matrix(value: &Value) -> Tensor {
    let rows = rows(value);
    let values = rows.iter().flatten().map(|&value| value as f32).collect();
    Tensor::from(&Matrix::from_values(rows.len(), rows[0].len(), values).unwrap())
}

/// torch stores the weights of linear layers as outputs × inputs, this crate as inputs × outputs;
/// attention vectors are alike.
pub fn ours(name: &str, value: &Value) -> Tensor {
    let is_linear = name.ends_with("weight") && value[0].is_array();
    if is_linear { matrix(value).transposed() } else { matrix(value) }
}

pub fn set(parameter: &mut Parameter, name: &str, value: &Value) {
    let tensor = ours(name, value);
    let shape = |tensor: &Tensor| (tensor.rows(), tensor.columns());
    assert_eq!(shape(&tensor), shape(&parameter.value), "shape of {name}");
    *parameter = Parameter::new(tensor);
}

/// Within 1e-5, relative to the number itself or, for a sum that cancels, to a typical number of
/// the matrix. A number that cancels completely is compared relative to its terms, around 0.1.
pub fn close(what: &str, found: &Tensor, expected: &Tensor) {
    assert_eq!((found.rows(), found.columns()), (expected.rows(), expected.columns()), "shape of {what}");
    let all = || (0..expected.rows()).flat_map(|row| expected.row(row).iter().copied());
    let typical = (all().map(|value| value * value).sum::<f32>() / all().count().max(1) as f32).sqrt();
    for row in 0..expected.rows() {
        for (column, (&found, &expected)) in found.row(row).iter().zip(expected.row(row)).enumerate() {
            let allowed = 1e-5 * expected.abs().max(typical).max(0.1);
            assert!((found - expected).abs() <= allowed, "{what}[{row}][{column}]: {found} instead of {expected}");
        }
    }
}
