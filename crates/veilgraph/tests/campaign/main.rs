//! The fault campaign: what an unlucky or hostile machine does to every file and every release.
//!
//! Each module tries something many times and counts what went wrong. `inputs` reads mutated files,
//! `kills` ends the real binary at random moments, `folders` edits signed folders, `ledgers`
//! damages ledgers, `power` cuts the power. A small version runs with all other tests; `make
//! campaign` runs the whole one and prints a table, whose last run is in docs/reliability.md.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what fails here fails a test")]

#[path = "../../../veil-graph/tests/hostile/corpus.rs"]
mod corpus;
#[path = "../../../veil-graph/src/read/fixtures/mod.rs"]
#[allow(dead_code, reason = "a part of it is used here")]
mod fixtures;
mod folders;
#[path = "../../../veil-graph/tests/hostile/harness.rs"]
#[allow(dead_code, reason = "a part of it is used here")]
mod harness;
mod inputs;
mod kills;
mod ledgers;
#[path = "../../../veil-graph/tests/hostile/mutations.rs"]
mod mutations;
mod power;
mod size;
mod tally;
#[path = "../world/mod.rs"]
mod world;
