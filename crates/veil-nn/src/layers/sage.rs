//! Y_v = (mean of X_u over neighbours)·W₁ + X_v·W₂ + b (GraphSAGE: Hamilton et al. 2017).
//!
//! Without messages the mean is 0.

use super::rooted::Rooted;

/// The mean of neighbours and the node itself, as PyG's `SAGEConv`.
pub type Sage = Rooted<true>;
