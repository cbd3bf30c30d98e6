//! Mechanisms, protocols, accounting and a budget ledger for differentially private releases of
//! graphs.
//!
//! This crate is the only way from private to released data. Raw data are sealed in a [`Private`]
//! value. A [`release::Plan`] lists the mechanisms of a release and their guarantees
//! ([`Guarantee`], with exact budgets). What leaves without a mechanism is a [`Fact`]: there is a
//! plan only if each is the same in all adjacent inputs, given, or declared public by the owner. A
//! [`Ledger`] charges the release and issues a [`Permit`]. The release consumes the permit and
//! draws each node's report with the node's own [`coins`].
//!
//! - [`mechanism`]: mechanisms for single values and vectors; [`sampler`] and [`exact`]: exact
//!   sampling, with thresholds rounded towards more privacy.
//! - [`protocol`]: local protocols for edges; [`device`]: one node's part of a protocol, on a
//!   device.
//! - [`central`]: mechanisms for an owner who releases a whole graph; [`answers`]: labels of public
//!   nodes, answered from a private graph.
//! - [`accounting`]: the cost of many answers; [`resume`]: resuming an interrupted release.
//! - [`integrity`]: digests and signatures of folders that are handed over.
//! - [`registry`] and [`mod@parameters`]: mechanisms by name, and self-describing parameters.
//!
//! ```
//! use veil_graph::{Dataset, Direction, Dropped, Graph};
//! use veil_privacy::parameters::Settings;
//! use veil_privacy::release::{EdgePlan, Options, Plan};
//! use veil_privacy::{Coins, Fact, Private, Request, protocol};
//!
//! let graph = Graph::from_edges(4, &[(0, 1), (1, 2), (2, 3)], Direction::Undirected)?.graph;
//! // The owner declares that the number and the ids of the nodes are public.
//! let data = Private::seal(Dataset::new("path", graph, Dropped::default())).declaring(Fact::Nodes);
//!
//! // Every neighbour is reported by randomised response over all other nodes, at ε = 2.
//! let entry = protocol::find("neighbour-krr").expect("it is in the registry");
//! let edges = EdgePlan::Lists((entry.build)("2".parse()?, 4, &Settings::default())?);
//! let plan = Plan::new(&data, Options { edges, ..Options::default() })?;
//!
//! // No ledger here: the statement says so.
//! let permit = Request::new(&data, Coins::from_os()?, plan.guarantees())?.unbooked();
//! let released = plan.release(&data, permit)?.released;
//! assert_eq!(released.data().graph().neighbours(1).len(), 2);
//! let statement = released.statement().to_markdown();
//! assert!(statement.contains("is protected with ε = 2") && statement.contains("Declared public"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod accounting;
pub mod answers;
pub mod budget;
pub mod central;
pub mod coins;
pub mod device;
pub mod exact;
pub mod fact;
#[cfg(feature = "faults")]
pub mod fault;
#[cfg(not(feature = "faults"))]
mod fault;
pub mod guarantee;
pub mod identity;
pub mod integrity;
pub mod ledger;
pub mod mechanism;
pub mod parameters;
mod permit;
pub mod protocol;
pub mod registry;
pub mod release;
pub mod resume;
pub mod sampler;
mod seal;
#[cfg(test)]
mod testing;

pub use budget::{BudgetError, Delta, Epsilon};
pub use coins::{Coins, CoinsError, Context, NodeCoins, Stream};
pub use exact::Fraction;
pub use fact::{Declarations, Fact, NotPublic};
pub use guarantee::{Assumption, Booking, Guarantee, ParameterList, Spent, Statement, Status, Trust, Unit};
pub use ledger::{Budget, Consent, Ledger, LedgerError};
pub use mechanism::{InputError, ParamError};
pub use permit::{Permit, PermitError, ReleaseId, Request, RequestError};
pub use release::ReleaseError;
pub use resume::{About, Bound, KeyError, Resumable, SeededId, Wanted};
pub use seal::{Private, Public, Released, Truth};
