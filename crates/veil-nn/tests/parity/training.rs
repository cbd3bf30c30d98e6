//! Adam's steps and whole trainings agree with torch.

use std::ops::ControlFlow;

use serde_json::Value;
use veil_nn::loss::{Loss, Targets};
use veil_nn::optimiser::{Params, Schedule};
use veil_nn::training::{Options, Task, train};
use veil_nn::{Activation, Description, Kind, Model, Parameter, Tensor};

use crate::fixture::{close, input, matrix, ours, read, rows, whole, wholes};

#[test]
fn adam_with_and_without_decay_at_a_constant_and_a_falling_rate() {
    let fixture = read("optimiser/adam");
    let options = &fixture["options"];
    let number = |name: &str| options[name].as_f64().unwrap();
    for case in fixture["cases"].as_array().unwrap() {
        let schedule = match case["schedule"].as_str().unwrap() {
            "constant" => Schedule::Constant,
            _ => Schedule::LinearToZero,
        };
        let params = Params {
            learning_rate: number("rate"),
            betas: (number("beta1"), number("beta2")),
            epsilon: number("eps"),
            weight_decay: case["weight_decay"].as_f64().unwrap(),
        };
        let mut adam = params.check().unwrap();
        let mut parameter = Parameter::new(matrix(&fixture["start"]));
        for step in 0..whole(&options["steps"]) {
            let rate = schedule.rate(params.learning_rate, step, whole(&options["steps"]));
            assert!((rate - case["rates"][step].as_f64().unwrap()).abs() < 1e-12, "rate of step {step}");
            parameter.gradient = matrix(&fixture["gradients"][step]);
            adam.step(rate, vec![&mut parameter]);
            close(&format!("step {step} of {case:.40}"), &parameter.value, &matrix(&case["after"][step]));
        }
    }
}

/// A network with the initial weights of the fixture.
fn model(fixture: &Value) -> Model {
    let options = &fixture["options"];
    let kind: Kind = options["kind"].as_str().unwrap().parse().unwrap();
    let activation = match options["activation"].as_str().unwrap() {
        "relu" => Activation::Relu,
        _ => Activation::Selu,
    };
    let description = Description {
        kind,
        activation,
        hidden: whole(&options["hidden"]),
        heads: options["heads"].as_u64().unwrap_or(1) as usize,
        batch_norm: options["batch_norm"].as_bool().unwrap_or(false),
        dropout: 0.0,
        ..Description::default()
    };
    let classes = rows(&fixture["output"])[0].len();
    let mut model = Model::new(description.check(rows(&fixture["input"])[0].len(), classes).unwrap(), 1);
    let names: Vec<String> = model.tensors().into_iter().map(|(name, _)| name).collect();
    let initial = fixture["initial"].as_object().unwrap();
    for (parameter, name) in
        model.parameters_mut().into_iter().zip(names.iter().filter(|name| !name.contains("running")))
    {
        *parameter = Parameter::new(ours(name, &initial[name]));
    }
    model
}

fn check(name: &str) {
    let fixture = read(name);
    let options = &fixture["options"];
    let mut model = model(&fixture);
    let input = input(&fixture["input"], 0);
    let labels = wholes(&fixture["labels"]);
    let pairs = wholes(&fixture["nodes"]).into_iter().map(|node| (node, labels[node as usize])).collect();
    let targets = Targets::new(pairs, labels.len(), model.architecture().classes()).unwrap();
    let task = Task::new(Loss::cross_entropy(targets), None).unwrap();
    let adam = Params {
        learning_rate: options["rate"].as_f64().unwrap(),
        weight_decay: options["weight_decay"].as_f64().unwrap(),
        ..Params::default()
    };
    let options = Options { epochs: whole(&options["epochs"]), adam, ..Options::default() };
    let trained = train(&mut model, &input, &task, options, &mut |_| ControlFlow::Continue(())).unwrap();
    let row = |values: Vec<f32>| Tensor::from_values(1, values.len(), values).unwrap();
    let losses = trained.history.iter().map(|epoch| epoch.train_loss as f32).collect();
    close(&format!("{name}: losses"), &row(losses), &matrix(&fixture["losses"]));
    for (tensor_name, tensor) in model.tensors() {
        close(&format!("{name}: {tensor_name}"), tensor, &ours(&tensor_name, &fixture["final"][&tensor_name]));
    }
    close(&format!("{name}: output"), &model.predict(&input).unwrap(), &matrix(&fixture["output"]));
}

#[test]
fn twenty_epochs_of_gcn() {
    check("training/gcn");
}

#[test]
fn twenty_epochs_of_gat() {
    check("training/gat");
}

#[test]
fn twenty_epochs_of_sage_with_batch_norm() {
    check("training/sage-batch-norm");
}
