//! Layers with their gradients, and the table that registers them.
//!
//! `layer` defines the interface, `kind` derives names and checks from the table. To add a layer:
//! a type that implements [`Layer`], an entry in the table below, a gradient check in `tests.rs`.

mod batch_norm;
mod form;
mod gat;
mod gatv2;
mod heads;
mod kind;
mod layer;
mod linear;
#[cfg(test)]
mod tests;
mod transformer;

pub use batch_norm::{BatchNorm, Normalised};
pub use form::Form;
pub(crate) use form::{Attention, Combination};
pub use gat::Gat;
pub use gatv2::GatV2;
pub(crate) use heads::Shape;
pub(crate) use kind::Size;
use kind::{Entry, registry};
pub use layer::{Copied, Layer, Pass, Source};
use layer::{bias_backward, both};
pub use linear::Linear;
pub use transformer::Transformer;

registry! {
    Mlp = Entry {
        name: "mlp",
        help: "Linear layers, which do not read edges",
        heads: false, reads_edges: false, optional_bias: true,
        new: |size, random| Box::new(Linear::new(size.inputs, size.outputs, size.bias, random)),
    };
    Gcn = Entry {
        name: "gcn",
        help: "Graph convolutions (Kipf and Welling 2017)",
        heads: false, reads_edges: true, optional_bias: false,
        new: |size, random| Box::new(Linear::gcn(size.inputs, size.outputs, random)),
    };
    Sage = Entry {
        name: "sage",
        help: "GraphSAGE with the mean (Hamilton et al. 2017)",
        heads: false, reads_edges: true, optional_bias: false,
        new: |size, random| Box::new(Linear::sage(size.inputs, size.outputs, random)),
    };
    Gat = Entry {
        name: "gat",
        help: "Graph attention (Veličković et al. 2018)",
        heads: true, reads_edges: true, optional_bias: false,
        new: |size, random| Box::new(Gat::new(size.inputs, size.outputs, size.heads, random)),
    };
    Gatv2 = Entry {
        name: "gatv2",
        help: "Graph attention with scores that depend on both ends (Brody et al. 2022)",
        heads: true, reads_edges: true, optional_bias: false,
        new: |size, random| Box::new(GatV2::new(size.inputs, size.outputs, size.heads, random)),
    };
    Gt = Entry {
        name: "gt",
        help: "Graph transformer (Shi et al. 2021)",
        heads: true, reads_edges: true, optional_bias: false,
        new: |size, random| Box::new(Transformer::new(size.inputs, size.outputs, size.heads, random)),
    };
    Gconv = Entry {
        name: "gconv",
        help: "Sums of neighbours (Morris et al. 2019)",
        heads: false, reads_edges: true, optional_bias: false,
        new: |size, random| Box::new(Linear::graph_conv(size.inputs, size.outputs, random)),
    };
}
