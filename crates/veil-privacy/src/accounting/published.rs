//! The figures of papers, as their authors computed them. Nothing here is a guarantee.
//!
//! **PrivGNN** (Olatunji, Funke and Khosla 2022, Tables 3 and 4) took Laplace noise of scale 1/λ
//! with sensitivity 1, the improved bound of Poisson sampling, the orders 2 to 32 and the classical
//! conversion. Removing a node can move a posterior by 2 in L1 distance, so this understates the
//! cost of the mechanism; see [`noisy_argmax`].
//!
//! **PATE** (Papernot et al. 2017) took the data-independent bound on moments. It is a proof for
//! Laplace votes, but not a tight one: [`votes`] is.

use libm::{exp, expm1, log, log1p};
use serde::Serialize;

use super::error::{AccountingError, delta, positive};
use super::{Queries, Query, conversion};

/// PrivGNN's largest order.
const PRIVGNN_ORDERS: u32 = 32;
/// PATE's largest moment.
const PATE_MOMENTS: u32 = 8;
/// Posteriors are rounded to multiples of 2⁻²⁰ before noise is added.
pub const POSTERIOR_STEP_EXPONENT: u32 = 20;

/// A figure as computed by a paper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Published {
    /// ε.
    pub epsilon: f64,
    /// The order (PrivGNN) or moment (PATE) that gives it.
    pub order: f64,
}

impl Queries {
    /// ε by the improved bound at the orders 2 to 32 with the classical conversion, not rounded.
    ///
    /// # Errors
    /// A δ outside (0, 1).
    pub fn published(&self, delta_wanted: f64) -> Result<Published, AccountingError> {
        let wanted = delta(delta_wanted)?;
        let figures = self.sampled_moments(PRIVGNN_ORDERS).map(|(order, ln_moment)| {
            let divergence = self.count() as f64 * ln_moment / (order - 1.0);
            Published { epsilon: conversion::classical(order, divergence, wanted), order }
        });
        Ok(smallest(figures))
    }
}

/// PrivGNN's ε in its tables.
///
/// # Errors
/// A λ that is not positive and finite, γ outside (0, 1], no queries, a δ outside (0, 1).
pub fn privgnn(lambda: f64, queries: u64, gamma: f64, delta: f64) -> Result<Published, AccountingError> {
    let lambda = positive("lambda", lambda)?;
    Queries::new(Query::Laplace { shift: lambda }, gamma, queries)?.published(delta)
}

/// PrivGNN's Theorem 9, Equation 7: ln(1/√δ) + Q·ln(1 + γ²(⅔e^λ + ⅓e^−2λ − 1)).
///
/// Not proven, also apart from the sensitivity: it takes the divergence of order 2 with ln(1/δ)/2,
/// where Lemma 5 has ln(1/δ).
///
/// # Errors
/// As [`privgnn`].
pub fn theorem_9(lambda: f64, queries: u64, gamma: f64, delta_wanted: f64) -> Result<f64, AccountingError> {
    let (lambda, wanted) = (positive("lambda", lambda)?, delta(delta_wanted)?);
    Queries::new(Query::Laplace { shift: lambda }, gamma, queries)?;
    let each = if lambda < 300.0 {
        log1p(gamma * gamma * (2.0 / 3.0 * expm1(lambda) + expm1(-2.0 * lambda) / 3.0))
    } else {
        lambda + log(2.0 / 3.0 * gamma * gamma + (1.0 - gamma * gamma) * exp(-lambda))
    };
    Ok(-log(wanted) / 2.0 + queries as f64 * each)
}

/// PATE's ε for noisy votes, whatever the votes are: the smallest of (Q·min(2λ²l(l+1), 2λl) +
/// ln(1/δ))/l over the moments l = 1…8. The tables of PrivGNN leave the pure bound 2λQ out, so this
/// does.
///
/// # Errors
/// A λ that is not positive and finite, no queries, a δ outside (0, 1).
pub fn pate(lambda: f64, queries: u64, delta_wanted: f64) -> Result<Published, AccountingError> {
    let (lambda, wanted) = (positive("lambda", lambda)?, delta(delta_wanted)?);
    if queries == 0 {
        return Err(AccountingError::NoQueries);
    }
    let figures = (1..=PATE_MOMENTS).map(|moment| {
        let order = f64::from(moment);
        let each = (2.0 * lambda * lambda * order * (order + 1.0)).min(2.0 * lambda * order);
        Published { epsilon: (queries as f64 * each - log(wanted)) / order, order }
    });
    Ok(smallest(figures))
}

/// The cost of PrivGNN's noisy argmax: that of the noisy posterior, which determines the label.
///
/// The posterior is rounded to a grid of 2²⁰ steps and gets discrete Laplace noise of 2²⁰/λ steps.
/// Two posteriors are at most 2·2²⁰ steps apart, and rounding adds at most one for each class. No
/// part of it moves by more than 2²⁰ steps.
///
/// # Errors
/// As [`privgnn`], and fewer than two classes.
pub fn noisy_argmax(lambda: f64, classes: u32, queries: u64, gamma: f64) -> Result<Queries, AccountingError> {
    let lambda = positive("lambda", lambda)?;
    if classes < 2 {
        return Err(AccountingError::Classes { given: classes });
    }
    let unit = 1_u64 << POSTERIOR_STEP_EXPONENT;
    let query = Query::DiscreteLaplaceVector {
        steps: 2 * unit + u64::from(classes),
        each: unit,
        scale_steps: unit as f64 / lambda,
    };
    Queries::new(query, gamma, queries)
}

/// The data-independent cost of PATE's noisy votes: discrete Laplace noise of scale 1/λ on each
/// count.
///
/// A node is in one teacher's part, and a teacher has one vote: at most one count falls by one and
/// one grows by one.
///
/// # Errors
/// A λ that is not positive and finite, no queries.
pub fn votes(lambda: f64, queries: u64) -> Result<Queries, AccountingError> {
    let lambda = positive("lambda", lambda)?;
    let query = Query::DiscreteLaplaceVector { steps: 2, each: 1, scale_steps: 1.0 / lambda };
    Queries::new(query, 1.0, queries)
}

fn smallest(figures: impl Iterator<Item = Published>) -> Published {
    let none = Published { epsilon: f64::INFINITY, order: f64::NAN };
    figures.fold(none, |best, next| if next.epsilon < best.epsilon { next } else { best })
}
