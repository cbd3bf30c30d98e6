//! Generated data: seeded, with stated statistics, in time linear in their size.
//!
//! [`Community`] generates labelled graphs with features: similar to a citation network, to a
//! social network, or bipartite. It draws `degrees`, then `edges` between classes by homophily with
//! the weighted draws of `weights`, then `words` on the nodes. [`PowerLaw`] generates a large graph
//! only. Parameters are checked once, after which generating cannot fail. A seed gives the same
//! data on any number of cores. [`Kind`] is the table of all kinds, and [`Asked`] what each takes.

mod community;
mod degrees;
mod edges;
mod error;
mod kind;
mod powerlaw;
mod weights;
mod words;

pub use community::{CheckedCommunity, Community, Parts};
pub use error::ParameterError;
pub use kind::{Asked, Kind};
pub use powerlaw::{CheckedPowerLaw, PowerLaw};
