//! The fault campaign: what is damaged, interrupted or hostile must not cost privacy.
#![allow(clippy::unwrap_used, clippy::panic, reason = "what fails here fails a test")]

mod ledgers;
mod power;
mod size;
mod tally;
#[path = "../world/mod.rs"]
mod world;
