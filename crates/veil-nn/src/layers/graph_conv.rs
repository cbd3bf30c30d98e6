//! Y_v = (Σ X_u over neighbours)·W₁ + X_v·W₂ + b (GraphConv: Morris et al. 2019).

use super::rooted::Rooted;

/// The sum of neighbours and the node itself, as PyG's `GraphConv`.
pub type GraphConv = Rooted<false>;
