//! Activations, softmax and dropout scaling agree with torch.

use serde_json::Value;
use veil_nn::Tensor;
use veil_nn::kernels::activation::{Activation, Dropout, activate};
use veil_nn::kernels::softmax::softmax;

use crate::fixture::{close, matrix, read, rows};

/// The output and, times the upstream gradient, the gradient of the input.
fn run(x: &Tensor, kind: Activation, dropout: Option<Dropout>, upstream: &Tensor) -> (Tensor, Tensor) {
    let (mut out, mut slope) = (vec![0.0; x.values().len()], vec![0.0; x.values().len()]);
    activate(kind, x.values(), x.stride(), dropout, &mut out, Some(&mut slope));
    for (slope, &upstream) in slope.iter_mut().zip(upstream.values()) {
        *slope *= upstream;
    }
    (unpadded(&out, x), unpadded(&slope, x))
}

fn unpadded(values: &[f32], like: &Tensor) -> Tensor {
    let values = values.chunks_exact(like.stride()).flat_map(|row| &row[..like.columns()]).copied().collect();
    Tensor::from_values(like.rows(), like.columns(), values).unwrap()
}

#[test]
fn relu_and_selu() {
    for (name, kind) in [("relu", Activation::Relu), ("selu", Activation::Selu)] {
        let fixture = read(&format!("layers/{name}"));
        let (out, gradient) = run(&matrix(&fixture["input"]), kind, None, &matrix(&fixture["upstream"]));
        close(name, &out, &matrix(&fixture["output"]));
        close(&format!("{name}: gradient"), &gradient, &matrix(&fixture["gradients"]["input"]));
    }
}

#[test]
fn rows_of_softmax() {
    let fixture = read("layers/softmax");
    let x = matrix(&fixture["input"]);
    let mut values = x.values().to_vec();
    softmax(&mut values, x.stride(), x.columns());
    close("softmax", &unpadded(&values, &x), &matrix(&fixture["output"]));
}

/// The factor of a kept number in a fixture.
fn scale(fixture: &Value) -> f64 {
    let pairs = rows(&fixture["input"]).concat().into_iter().zip(rows(&fixture["output"]).concat());
    pairs.filter(|&(x, y)| x != 0.0 && y != 0.0).map(|(x, y)| y / x).next().unwrap()
}

#[test]
fn dropout_scales_what_it_keeps() {
    for name in ["dropout-quarter", "dropout-half"] {
        let fixture = read(&format!("layers/{name}"));
        let probability = fixture["options"]["p"].as_f64().unwrap() as f32;
        let (x, ones) = (matrix(&fixture["input"]), Tensor::from_rows(&[[1.0; 5]; 12]));
        let dropout = Some(Dropout { probability, key: 3 });
        let (out, slope) = run(&x, Activation::None, dropout, &ones);
        let expected = scale(&fixture) as f32;
        let mut kept = 0;
        for row in 0..x.rows() {
            for ((&x, &out), &slope) in x.row(row).iter().zip(out.row(row)).zip(slope.row(row)) {
                assert!(slope == 0.0 || (slope - expected).abs() < 1e-6, "{name}: {slope} instead of {expected}");
                assert!((out - x * slope).abs() <= 1e-6 * x.abs(), "{name}: {out} of {x}");
                kept += usize::from(slope != 0.0);
            }
        }
        assert!((1..60).contains(&kept), "{name}: {kept} of 60 kept");
    }
}
