//! Y_v = (mean of X_u over what v receives)·W₁ + X_v·W₂ + b (GraphSAGE: Hamilton et al. 2017). Without messages the mean is 0.

use super::rooted::Rooted;

/// Neighbours' mean and the node itself, as PyG's `SAGEConv`.
pub type Sage = Rooted<true>;
