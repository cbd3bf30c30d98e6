//! One file per command, each from arguments to result.

pub mod bench;
pub mod data;
pub mod demo;
pub mod ledger;
pub mod privatize;
