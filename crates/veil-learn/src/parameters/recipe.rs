//! Published choices of all shared parameters.

use veil_nn::optimiser::Schedule;
use veil_nn::{Activation, Kind as Layer};
use veil_privacy::{Epsilon, words};

use super::{Mlp, Network, Reports, Scaling, Select, Training};

words! {
/// The paper whose training settings are the defaults.
pub enum Recipe: "recipe" {
    /// GraphPrivatizer, Appendix A: 16 hidden units, SELU, 100 epochs, and the rule of its code for
    /// the epoch. Its min–max scaling (`scale = minmax`) reads everybody's features, so it is not
    /// the default: the owner declares `columns` public first.
    GraphPrivatizer = "graph-privatizer",
    /// LPGNet, §5.1 and the authors' code: public features and labels, rows scaled to sum 1, ReLU,
    /// a learning rate that falls to 0, the epoch with the lowest validation loss.
    ///
    /// 256 hidden units are what a grid over the edge-free MLP finds. It reads no edge, so nothing
    /// is spent on it. Dropout hardly matters there (docs/reproduction.md).
    Lpgnet = "lpgnet",
}
}

impl Recipe {
    /// What is released of features and labels.
    pub fn reports(self) -> Reports {
        match self {
            Recipe::GraphPrivatizer => Reports::default(),
            Recipe::Lpgnet => Reports {
                epsilon_features: Some(Epsilon::INFINITE),
                epsilon_labels: Some(Epsilon::INFINITE),
                scale: Scaling::Rows,
                ..Reports::default()
            },
        }
    }

    /// A graph network.
    pub fn network(self, model: Layer) -> Network {
        match self {
            Recipe::GraphPrivatizer => Network { model, ..Network::default() },
            Recipe::Lpgnet => {
                let layers = Mlp { bias: true, ..Recipe::Lpgnet.mlp() };
                Network { model, heads: None, activation: Activation::Relu, layers }
            }
        }
    }

    /// An MLP.
    pub fn mlp(self) -> Mlp {
        match self {
            Recipe::GraphPrivatizer => Mlp::default(),
            Recipe::Lpgnet => Mlp { hidden: 256, dropout: 0.1, bias: false, ..Mlp::default() },
        }
    }

    /// Its training.
    pub fn training(self) -> Training {
        match self {
            Recipe::GraphPrivatizer => Training::default(),
            Recipe::Lpgnet => {
                Training { epochs: 500, schedule: Schedule::LinearToZero, weight_decay: 5e-4, ..Training::default() }
            }
        }
    }

    /// The rule for the epoch, with or without validation nodes.
    pub fn select(self, validated: bool) -> Select {
        match self {
            _ if !validated => Select::Last,
            Recipe::GraphPrivatizer => Select::Reference,
            Recipe::Lpgnet => Select::LowestValidationLoss,
        }
    }
}
