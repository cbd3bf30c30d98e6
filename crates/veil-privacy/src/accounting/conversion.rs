//! From a Rényi divergence to (ε, δ).
//!
//! Both conversions hold for every mechanism and every real order above 1.

use libm::{log, log1p};

/// Mironov 2017, Proposition 3 (PrivGNN's Lemma 5): ε = ρ + ln(1/δ)/(α−1).
pub fn classical(order: f64, divergence: f64, delta: f64) -> f64 {
    divergence - log(delta) / (order - 1.0)
}

/// Never larger: ε = ρ + ln((α−1)/α) − (ln δ + ln α)/(α−1), but not below 0 (Balle et al. 2020;
/// Canonne, Kamath and Steinke 2020, Proposition 12).
pub fn tight(order: f64, divergence: f64, delta: f64) -> f64 {
    (divergence + log1p(-1.0 / order) - (log(delta) + log(order)) / (order - 1.0)).max(0.0)
}
