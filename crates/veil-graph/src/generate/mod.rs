//! Data that nobody has to download: seeded, with stated statistics, in time linear in what is made.
//!
//! [`Community`] makes labelled graphs with features: like a citation network, like a social network, or bipartite.
//! It draws `degrees` (how popular each node is), then `edges` between classes as homophily says, with the weighted
//! draws of `weights`, then `words` on the nodes. [`PowerLaw`] makes nothing but a large graph. Parameters are
//! checked once; after that generating cannot fail, and a seed gives the same data on any number of cores.

mod community;
mod degrees;
mod edges;
mod error;
mod powerlaw;
mod weights;
mod words;

pub use community::{CheckedCommunity, Community, Parts};
pub use error::ParameterError;
pub use powerlaw::{CheckedPowerLaw, PowerLaw};
