//! PrivGNN (Olatunji, Funke, Khosla 2021; 004): for every public node that is asked about, a teacher learns from private nodes that
//! are like it, and its label leaves with noise; a student learns from these labels on the public graph
//! ([`veil_privacy::answers`], [`teaching`](crate::teaching)).

use veil_nn::optimiser::Schedule;
use veil_nn::{Activation, Kind};
use veil_privacy::Epsilon;
use veil_privacy::protocol::Measure;

use super::Method;
use crate::parameters::{Choose, Edges, Parameters, Release, Scaling, Select};

pub(super) fn defaults() -> Parameters {
    Parameters { method: Some(Method::Privgnn), release: Some(Release::Krr), k: Some(750), denoise: true, ..student() }
}

/// Networks and training of section 5.3, for student and teachers alike: two layers of GraphSAGE, 64 hidden numbers, batch normalisation,
/// dropout ½, 500 steps of Adam. δ and the number of queries are ours: below one over the number of nodes for any graph of
/// fewer than a hundred thousand, and the paper's larger choice.
pub(super) fn student() -> Parameters {
    Parameters {
        edges: Edges::Raw,
        epsilon_features: Some(Epsilon::INFINITE),
        scale: Scaling::None,
        delta: 1e-5,
        queries: Some(1000),
        choose: Some(Choose::Random),
        measure: Measure::Euclidean,
        teacher: Some(Kind::Sage),
        model: Kind::Sage,
        layers: 2,
        hidden: Some(64),
        activation: Activation::Relu,
        batch_norm: true,
        dropout: 0.5,
        epochs: 500,
        lr: 0.01,
        schedule: Schedule::Constant,
        weight_decay: 0.0,
        select: Some(Select::Last),
        ..Parameters::default()
    }
}
