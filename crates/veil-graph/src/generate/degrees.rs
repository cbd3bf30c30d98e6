//! Expected degrees: a power law with a given mean and maximum.

/// Quantiles of a power law with this exponent, scaled to this mean, at most `maximum`, in
/// descending order.
///
/// Quantiles instead of draws, so that the tail of a small graph does not depend on chance.
pub(super) fn power_law(nodes: usize, exponent: f64, mean: f64, maximum: f64) -> Vec<f64> {
    // The inverse of P[degree > x] = x^−(exponent−1).
    let raw = |node: usize| ((node as f64 + 0.5) / nodes as f64).powf(-1.0 / (exponent - 1.0));
    let mut weights: Vec<f64> = (0..nodes).map(raw).collect();
    // Capping lowers the mean and scaling up caps more, so the factor is found by bisection. Sixty
    // halvings exhaust a double.
    let (mut low, mut high) = (0.0, maximum);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        let sum: f64 = weights.iter().map(|&weight| (weight * middle).min(maximum)).sum();
        if sum < mean * nodes as f64 { low = middle } else { high = middle }
    }
    weights.iter_mut().for_each(|weight| *weight = (*weight * high).min(maximum));
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_and_the_maximum_are_met() {
        for (nodes, exponent, mean, maximum) in
            [(2708, 2.8, 2.9, 170.0), (1000, 2.1, 40.0, 50.0), (10, 3.0, 5.0, 5.0), (1, 2.5, 1.0, 9.0)]
        {
            let weights = power_law(nodes, exponent, mean, maximum);
            let found = weights.iter().sum::<f64>() / nodes as f64;
            assert!((found - mean).abs() < 1e-6 * mean, "mean {found} instead of {mean}");
            assert!(weights.is_sorted_by(|a, b| a >= b) && weights[0] <= maximum);
        }
    }

    #[test]
    fn the_tail_falls_as_the_exponent_says() {
        // Ten times the degree: 10^−1.5 of the nodes, where nothing is capped.
        let weights = power_law(100_000, 2.5, 3.0, 1e9);
        let above = |degree: f64| weights.iter().filter(|&&weight| weight > degree).count() as f64;
        assert!((above(100.0) / above(10.0) - 10f64.powf(-1.5)).abs() < 0.001);
    }
}
