//! One file per command, each from arguments to result.

pub mod account;
pub mod attack;
pub mod audit;
pub mod bench;
pub mod data;
pub mod demo;
pub mod device;
pub mod evaluate;
pub mod interrupt;
pub mod lab;
pub mod ledger;
mod method_flags;
pub mod methods;
mod parameter_flags;
pub mod predict;
pub mod privatize;
pub mod report;
pub mod reproduce;
mod statement;
pub mod sweep;
mod terms;
pub mod train;
