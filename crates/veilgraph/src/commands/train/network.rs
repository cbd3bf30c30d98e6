//! The flags of a training: which network, and how it learns.

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Serialize;
use veil_learn::{Edges, Parameters};
use veil_nn::Kind;
use veil_privacy::Unit;

use crate::output::Output;

/// Which network, and how it is trained.
#[derive(Args, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct NetworkFlags {
    /// The kind of network: mlp, gcn, sage, gat, gatv2, gt or gconv [default: gcn; mlp for mlp and lpgnet, sage for students]
    #[arg(long, help_heading = "Network")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Kind>,
    /// How many layers [default: 2]
    #[arg(long, value_name = "N", help_heading = "Network")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<usize>,
    /// Numbers per node between layers [default: 16; 64 for degree-vectors and students, 256 for methods on edges]
    #[arg(long, value_name = "N", help_heading = "Network")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<usize>,
    /// Heads of attention [default: 4 for gat, else 1]
    #[arg(long, value_name = "N", help_heading = "Network")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heads: Option<usize>,
    /// Whether an MLP's layers add a bias [default: true; false for mlp and lpgnet]
    #[arg(long, value_name = "BOOL", help_heading = "Network")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bias: Option<bool>,
    /// What follows a hidden layer [default: selu; relu for degree-vectors and methods]
    #[arg(long, value_parser = PossibleValuesParser::new(["none", "relu", "selu"]), help_heading = "Network")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activation: Option<String>,
    /// Whether hidden layers are normalised over their nodes [default: false; true for students]
    #[arg(long, value_name = "BOOL", help_heading = "Network")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_norm: Option<bool>,
    /// The share of hidden numbers that a training step drops [default: 0.5; 0.1 for methods on edges]
    #[arg(long, value_name = "P", allow_hyphen_values = true, help_heading = "Network")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropout: Option<f32>,
    /// Hops of feature propagation along the released edges [default: 0]
    #[arg(long, value_name = "K", help_heading = "Network")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kx: Option<usize>,
    /// Hops of label propagation along the released edges [default: 0]
    #[arg(long, value_name = "K", help_heading = "Network")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ky: Option<usize>,
    /// degree-vectors: what the networks read besides the vectors [default: released]
    #[arg(long, value_parser = PossibleValuesParser::new(["none", "released"]), help_heading = "Network")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub features: Option<String>,
    /// lpgnet: what reads the counts, a network (as published) or Bayes' rule (knows the noise, falls back to no edges) [default: network]
    #[arg(long, value_parser = PossibleValuesParser::new(["network", "bayes"]), help_heading = "Network")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readout: Option<String>,
    /// How many training steps, of each network [default: 100; 500 for methods, 60 for class-sums]
    #[arg(long, value_name = "N", help_heading = "Training")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epochs: Option<usize>,
    /// The learning rate [default: 0.01]
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, help_heading = "Training")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lr: Option<f64>,
    /// How the learning rate changes [default: constant; linear-to-zero for methods on edges]
    #[arg(long, value_parser = PossibleValuesParser::new(["constant", "linear-to-zero"]), help_heading = "Training")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// How strongly weights are pulled to 0 [default: 0.001; 0.0005 for methods on edges, 0 for students]
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, help_heading = "Training")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight_decay: Option<f64>,
    /// Which epoch is kept [default: reference; lowest-validation-loss for degree-vectors and methods on edges, last for students]
    #[arg(long, value_parser = PossibleValuesParser::new(["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"]), help_heading = "Training")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select: Option<String>,
}

impl NetworkFlags {
    /// A flag that these edges make no use of may be a misunderstanding: say so.
    pub fn warn_of_useless(&self, parameters: &Parameters, output: &Output) {
        let Parameters { edges, model, .. } = *parameters;
        let vectors = edges == Edges::DegreeVectors;
        let useless = [
            ("--model", vectors && self.model.is_some_and(|model| model != Kind::Mlp)),
            ("--heads", vectors && self.heads.is_some()),
            ("--activation", vectors && self.activation.as_deref().is_some_and(|it| it != "relu")),
            ("--kx", (vectors || edges == Edges::Empty) && self.kx.is_some_and(|hops| hops > 0)),
            ("--ky", (vectors || edges == Edges::Empty) && self.ky.is_some_and(|hops| hops > 0)),
            ("--bias", !vectors && self.bias == Some(false) && model != Kind::Mlp),
            ("--readout", self.readout.is_some() && !(vectors && parameters.unit == Unit::Edge)),
            ("--features", (!vectors || parameters.unit == Unit::Edge) && self.features.is_some()),
        ];
        for (flag, _) in useless.into_iter().filter(|&(_, useless)| useless) {
            output.warning(&format!("{flag} means nothing with --edges {edges}"));
        }
    }
}
