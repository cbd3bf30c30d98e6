//! Parameters that several methods share: what users report, the network, its training.
//!
//! A method embeds the groups that it reads ([`parameters!`](veil_privacy::parameters!)), so every
//! parameter has one name, one help text and one meaning. A [`Recipe`] is a paper's published
//! choice of all of them.

mod recipe;
mod words;

pub use recipe::Recipe;
pub(crate) use words::layers;
pub use words::{Choose, Paired, Readout, Reads, Reported, Scaling, Select, UseFeatures};

use veil_nn::optimiser::Schedule;
use veil_nn::{Activation, Description, Kind as Layer};
use veil_privacy::parameters::{Group, Kind, Parameters, Settings};
use veil_privacy::release::Encoder;
use veil_privacy::{Epsilon, parameters};

use crate::method::{self, MethodError};
use crate::pipeline::PipelineError;

parameters! {
    /// What is released of features and labels.
    pub struct Reports: Release {
        /// ε of each user's features; inf: no noise [withheld]
        epsilon_features: Option<Epsilon> = None => Kind::Epsilon,
        /// ε of each user's label; inf: no noise
        epsilon_labels: Option<Epsilon> = None => Kind::Epsilon,
        /// Encoder of features [multi-bit]
        feature_encoder: Option<Encoder> = None => Kind::Word(Encoder::WORDS),
        /// Dimensions sampled per feature report [set by ε]
        samples: Option<u32> = None => Kind::Whole,
        /// Feature scaling
        scale: Scaling = Scaling::None => Kind::Word(Scaling::WORDS),
    }

    /// Layers of linear maps.
    pub struct Mlp: Network {
        /// Number of layers
        layers: usize = 2 => Kind::Whole,
        /// Width of the hidden layers
        hidden: usize = 16 => Kind::Whole,
        /// Bias in MLP layers
        bias: bool = true => Kind::Switch,
        /// Batch normalisation of hidden layers
        batch_norm: bool = false => Kind::Switch,
        /// Dropout rate
        dropout: f32 = 0.5 => Kind::Real,
    }

    /// A graph network.
    pub struct Network: Network {
        /// Layer type
        model: Layer = Layer::Gcn => Kind::Word(layers()),
        /// Attention heads [4 for gat, else 1]
        heads: Option<usize> = None => Kind::Whole,
        /// Activation function
        activation: Activation = Activation::Selu => Kind::Word(&["none", "relu", "selu"]),
    }
    with {
        /// Its layers.
        layers: Mlp = Mlp::default(),
    }

    /// Propagation along the released edges (LPGNN's KProp).
    pub struct Propagation: Network {
        /// Hops of feature propagation, K_x
        kx: usize = 0 => Kind::Whole,
        /// Hops of label propagation, K_y
        ky: usize = 0 => Kind::Whole,
    }

    /// How a network is trained.
    pub struct Training: Training {
        /// Number of epochs
        epochs: usize = 100 => Kind::Whole,
        /// Learning rate
        lr: f64 = 0.01 => Kind::Real,
        /// Learning-rate schedule
        schedule: Schedule = Schedule::Constant => Kind::Word(&["constant", "linear-to-zero"]),
        /// Weight decay
        weight_decay: f64 = 0.001 => Kind::Real,
        /// Epoch whose weights are kept [the recipe's]
        select: Option<Select> = None => Kind::Word(Select::WORDS),
    }
}

impl Reports {
    /// The settings of a release without a model: of features and labels, which nothing scales
    /// unless that is asked for, and of edges.
    ///
    /// # Errors
    /// If a value is out of range, or a parameter is that of a training.
    pub fn apart(settings: &Settings) -> Result<(Reports, Settings), PipelineError> {
        let mut reports = Reports { scale: Scaling::None, ..Reports::default() };
        let mut edges = Settings::default();
        for (name, value) in settings.iter() {
            if !reports.set(name, value).map_err(MethodError::from)? {
                edges.insert(name, value.clone());
            }
        }
        let trains = |name: &str| {
            let all = method::entries().iter().flat_map(method::Entry::parameters);
            all.into_iter().any(|it| it.name == name && matches!(it.group, Group::Network | Group::Training))
        };
        let of_training = edges.names().find(|name| trains(name)).map(str::to_owned);
        match of_training {
            Some(name) => Err(PipelineError::OnlyTrained { name }),
            None => Ok((reports, edges)),
        }
    }

    /// Whether vectors of features are released, which networks read.
    pub fn vectors(&self) -> bool {
        self.epsilon_features.is_some() && !self.hints()
    }

    /// Whether features are reported by a codebook instead.
    pub fn hints(&self) -> bool {
        self.epsilon_features.is_some() && self.feature_encoder == Some(Encoder::Codebook)
    }
}

impl Mlp {
    /// An MLP with ReLU.
    pub fn description(&self) -> Description {
        let Mlp { layers, hidden, bias, batch_norm, dropout } = *self;
        let (kind, activation) = (Layer::Mlp, Activation::Relu);
        Description { kind, layers, hidden, heads: 1, activation, dropout, batch_norm, bias }
    }
}

impl Network {
    /// The network in veil-nn's terms.
    pub fn description(&self) -> Description {
        let Network { model, heads, activation, ref layers } = *self;
        Description {
            kind: model,
            heads: heads.unwrap_or(if model == Layer::Gat { 4 } else { 1 }),
            activation,
            bias: layers.bias || !model.has_optional_bias(),
            ..layers.description()
        }
    }
}
