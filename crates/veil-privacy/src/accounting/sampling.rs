//! Poisson sampling: each record is in the sample with probability γ, afresh for each query.
//!
//! Without the record an answer is distributed as Q, with it as (1−γ)Q + γP. Averaging over the
//! rest of the sample does not increase the moments, which are jointly convex, so the pair
//! suffices. At an integer order α the moment of (1−γ)Q + γP over Q is, by the binomial theorem,
//! Σ_l C(α,l)(1−γ)^(α−l)γ^l·E_l with E_l = E_Q[(P/Q)^l]. It grows with each E_l, so bounds on these
//! bound it. This is [`improved`]. The other direction is Q over (1−γ)Q + γP.
//!
//! **When the improved bound covers both directions.** If some exchange of outcomes turns P into Q
//! and Q into P, the other direction is never larger, at any real α ≥ 1 (Mironov, Talwar and Zhang
//! 2019, Theorem 5; Zhu and Wang 2019 have the bound without the factor under related conditions).
//! A short proof: with r = P/Q, the exchange gives E_Q[f(r)] = E_Q[r·f(1/r)] for every f. Let w =
//! 1−γ+γr and φ(x) = x^α − x^(1−α). The moments of the two directions differ by E_Q[φ(w)], which is
//! half of E_Q[φ(w) + r·φ(w')], w' = 1−γ+γ/r. For r ≥ 1 put u = r(1−γ)+γ ≥ 1. Then w' = u/r, and
//! r·φ(u/r) = −u·φ(r/u), as multiplying out shows. Since r/u = 1 + (w−1)/u, and φ is convex on x ≥
//! 1 with φ(1) = 0, u·φ(r/u) ≤ φ(w): what stands in the brackets is not negative. For r < 1 it is r
//! times what stands there for 1/r. ∎
//!
//! Laplace and Gaussian noise, continuous or on a grid, also on vectors, are exchanged by a
//! reflection at the middle of the two true values, randomised response by swapping two of its
//! values. What is known only by its pure loss is dominated by binary randomised response. So the
//! improved bound holds for every [`Query`](super::Query). [`general`] needs no symmetry.

use libm::{log, log1p};

use super::logs::{LnFactorials, ln_1p_exp, ln_expm1, ln_sum_exp};

/// The Rényi divergence at an integer order of a mechanism on a sample, for **any** mechanism whose
/// own is `divergence(l)` at the orders l = 2…`order`: Theorem 8 of PrivGNN, from Zhu and Wang
/// 2019. It covers both directions.
///
/// # Panics
/// If the order is below 2.
pub fn general(order: u32, gamma: f64, divergence: impl Fn(u32) -> f64) -> f64 {
    let ln_moments = moments(order, divergence);
    let factorials = LnFactorials::up_to(order as usize);
    // The factor 3 is on E_l, not on E_l − 1, from l = 3 on: 3E − 1 = 3(E−1) + 2.
    let ln_excesses = ln_moments.iter().enumerate().map(|(at, &ln_moment)| {
        if at == 0 { ln_expm1(ln_moment) } else { ln_moment + log(3.0 - libm::exp(-ln_moment)) }
    });
    binomial(order, gamma, &ln_excesses.collect::<Vec<_>>(), &factorials) / f64::from(order - 1)
}

/// As [`general`] without its factor 3, for pairs with an exchange symmetry: see above.
///
/// # Panics
/// If the order is below 2.
pub fn improved(order: u32, gamma: f64, divergence: impl Fn(u32) -> f64) -> f64 {
    let ln_excesses: Vec<f64> = moments(order, divergence).into_iter().map(ln_expm1).collect();
    binomial(order, gamma, &ln_excesses, &LnFactorials::up_to(order as usize)) / f64::from(order - 1)
}

/// ln E_l for l = 2…order.
fn moments(order: u32, divergence: impl Fn(u32) -> f64) -> Vec<f64> {
    assert!(order >= 2, "Poisson sampling is bounded at integer orders from 2 on");
    (2..=order).map(|l| f64::from(l - 1) * divergence(l)).collect()
}

/// ln Σ_l C(α,l)(1−γ)^(α−l)γ^l·E_l, given ln(E_l − 1) for l = 2…α (or more).
///
/// The weights add up to 1 and E₀ = E₁ = 1, so the sum less 1 is one of positive terms: nothing
/// cancels for small γ.
pub(super) fn binomial(order: u32, gamma: f64, ln_excesses: &[f64], factorials: &LnFactorials) -> f64 {
    let alpha = order as usize;
    let (ln_in, ln_out) = (log(gamma), log1p(-gamma));
    let terms: Vec<f64> = (2..=alpha)
        .map(|l| {
            // Of those outside none at γ = 1 is 0·(−∞).
            let outside = if l == alpha { 0.0 } else { (alpha - l) as f64 * ln_out };
            factorials.choose(alpha, l) + outside + l as f64 * ln_in + ln_excesses[l - 2]
        })
        .collect();
    ln_1p_exp(ln_sum_exp(&terms))
}
