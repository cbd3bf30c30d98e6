//! The edge-free floor: an MLP on the features. It uses no edge, so it protects all of them perfectly; a private method that
//! answers worse than this has no use (003, section 2.3).

use veil_nn::Kind;

use super::{Method, published};
use crate::parameters::{Edges, Parameters};

pub(super) fn defaults() -> Parameters {
    Parameters { method: Some(Method::Mlp), edges: Edges::Empty, model: Kind::Mlp, bias: false, ..published() }
}
