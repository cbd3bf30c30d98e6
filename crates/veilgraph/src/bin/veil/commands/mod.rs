//! One file per command, each from arguments to result.

pub mod account;
pub mod attack;
pub mod audit;
pub mod bench;
mod bench_central;
mod bench_local;
mod bench_subject;
pub mod data;
pub mod demo;
pub mod device;
pub mod evaluate;
mod flags;
mod inferring;
pub mod ledger;
mod paying;
pub mod predict;
pub mod privatize;
mod releasing;
pub mod report;
pub mod reproduce;
pub mod resuming;
pub mod sweep;
pub mod train;
