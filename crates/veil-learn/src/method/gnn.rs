//! Any network on the edges as they are: what privacy is paid for with. It promises nothing about edges, and its statement
//! says so.

use super::{Method, published};
use crate::parameters::{Edges, Parameters};

pub(super) fn defaults() -> Parameters {
    Parameters { method: Some(Method::Gnn), edges: Edges::Raw, ..published() }
}
