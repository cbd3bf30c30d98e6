//! Every layer agrees with PyG's, forward and backward, as first layer and as hidden layer.

use veil_graph::random::Random;
use veil_nn::Tensor;
use veil_nn::layers::{BatchNorm, Gat, GatV2, Layer, Linear, Source, Transformer};

use crate::fixture::{close, input, matrix, ours, read, set, whole};

/// `build` makes a layer with so many outputs and heads.
fn check(name: &str, build: impl Fn(usize, usize, &mut Random) -> Box<dyn Layer>) {
    let fixture = read(&format!("layers/{name}"));
    let hops = fixture["options"]["hops"].as_u64().unwrap_or(0) as usize;
    let (output, upstream) = (matrix(&fixture["output"]), matrix(&fixture["upstream"]));
    let heads = fixture["options"]["heads"].as_u64().unwrap_or(1) as usize;
    let mut layer = build(output.columns(), heads, &mut Random::new(1, "any weights: they are replaced"));
    let names: Vec<&str> = layer.parameters().iter().map(|(name, _)| *name).collect();
    let given: Vec<&String> = fixture["parameters"].as_object().unwrap().keys().collect();
    assert_eq!(names.len(), given.len(), "{name}: parameters {names:?} and {given:?}");
    for (parameter, parameter_name) in layer.parameters_mut().into_iter().zip(&names) {
        set(parameter, parameter_name, &fixture["parameters"][parameter_name]);
    }
    let gradients = &fixture["gradients"];
    let first = input(&fixture["input"], hops);
    let rows = matrix(&fixture["input"]);
    let mut run = |source: Source, as_what: &str| -> Option<Tensor> {
        let pass = layer.forward(source);
        close(&format!("{name} {as_what}"), pass.output(), &output);
        let below = layer.backward(source, &pass, upstream.clone());
        for (parameter_name, parameter) in layer.parameters() {
            let expected = ours(parameter_name, &gradients[parameter_name]);
            close(&format!("{name} {as_what}: gradient of {parameter_name}"), &parameter.gradient, &expected);
        }
        below
    };
    assert!(run(Source::features(&first), "on features").is_none());
    if hops == 0 {
        let below = run(Source::hidden(&first, &rows), "on hidden rows").unwrap();
        close(&format!("{name}: gradient of the input"), &below, &matrix(&gradients["input"]));
    }
}

#[test]
fn linear() {
    check("linear", |outputs, _, random| Box::new(Linear::new(5, outputs, true, random)));
    check("linear-no-bias", |outputs, _, random| Box::new(Linear::new(5, outputs, false, random)));
}

#[test]
fn gcn_with_and_without_hops_before() {
    for name in ["gcn", "kprop-gcn"] {
        check(name, |outputs, _, random| Box::new(Linear::gcn(5, outputs, random)));
    }
}

#[test]
fn sage_and_graph_conv() {
    check("sage", |outputs, _, random| Box::new(Linear::sage(5, outputs, random)));
    check("gconv", |outputs, _, random| Box::new(Linear::graph_conv(5, outputs, random)));
}

#[test]
fn attention() {
    for name in ["gat-concat", "gat-odd", "gat-single"] {
        check(name, |outputs, heads, random| Box::new(Gat::new(5, outputs / heads, heads, random)));
    }
    for name in ["gatv2-concat", "gatv2-single"] {
        check(name, |outputs, heads, random| Box::new(GatV2::new(5, outputs / heads, heads, random)));
    }
    for name in ["gt-concat", "gt-single"] {
        check(name, |outputs, heads, random| Box::new(Transformer::new(5, outputs / heads, heads, random)));
    }
}

#[test]
fn propagation() {
    for name in ["kprop-1", "kprop-3"] {
        let fixture = read(&format!("layers/{name}"));
        let hops = whole(&fixture["options"]["hops"]);
        let input = input(&fixture["input"], 0);
        let step = input.topology().propagation(veil_nn::graph::Aggregate::Symmetric).unwrap();
        close(name, &step.apply(matrix(&fixture["input"]), hops), &matrix(&fixture["output"]));
        let below = step.backward(matrix(&fixture["upstream"]), hops);
        close(&format!("{name}: gradient"), &below, &matrix(&fixture["gradients"]["input"]));
    }
}

#[test]
fn batch_norm() {
    for (name, training) in [("batch-norm-train", true), ("batch-norm-eval", false)] {
        let fixture = read(&format!("layers/{name}"));
        let x = matrix(&fixture["input"]);
        let mut norm = BatchNorm::new(x.columns());
        set(&mut norm.weight, "weight", &fixture["parameters"]["weight"]);
        set(&mut norm.bias, "bias", &fixture["parameters"]["bias"]);
        norm.running_mean = matrix(&fixture["buffers"]["running_mean"]);
        norm.running_variance = matrix(&fixture["buffers"]["running_var"]);
        if training {
            let (y, normalised) = norm.train(&x);
            close(name, &y, &matrix(&fixture["output"]));
            let below = norm.backward(&normalised, matrix(&fixture["upstream"]));
            let gradients = &fixture["gradients"];
            close("gradient of the input", &below, &matrix(&gradients["input"]));
            close("gradient of the weight", &norm.weight.gradient, &matrix(&gradients["weight"]));
            close("gradient of the bias", &norm.bias.gradient, &matrix(&gradients["bias"]));
        } else {
            close(name, &norm.evaluate(&x), &matrix(&fixture["output"]));
        }
        close("running mean", &norm.running_mean, &matrix(&fixture["buffers_after"]["running_mean"]));
        close("running variance", &norm.running_variance, &matrix(&fixture["buffers_after"]["running_var"]));
    }
}
