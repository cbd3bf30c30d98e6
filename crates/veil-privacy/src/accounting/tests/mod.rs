//! What is computed, against sums and integrals done another way, published tables and another
//! accountant.

mod composition;
mod crosscheck;
mod divergences;
mod gaussian;
mod limits;
mod tables;

use super::{Queries, Query};

/// Queries that are known to be right.
fn queries(query: Query, gamma: f64, count: u64) -> Queries {
    Queries::new(query, gamma, count).unwrap()
}

#[track_caller]
fn assert_close(found: f64, expected: f64, relative: f64, what: &str) {
    let scale = found.abs().max(expected.abs());
    assert!((found - expected).abs() <= relative * scale, "{what}: {found} and not {expected}");
}
