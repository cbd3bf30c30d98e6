//! Distances between two posteriors, named and defined as in `scipy.spatial.distance`.

use veil_privacy::words;

words! {
    /// A distance. He et al. 2021 use all eight.
    #[derive(Default)]
    pub enum Metric: "metric" {
        /// 1 − Pearson's correlation: the cosine distance after each vector's mean is subtracted.
        #[default]
        Correlation = "correlation",
        /// 1 − the cosine of the angle.
        Cosine = "cosine",
        /// The length of the difference.
        Euclidean = "euclidean",
        /// The largest difference.
        Chebyshev = "chebyshev",
        /// Σ|a−b| / Σ|a+b|.
        BrayCurtis = "braycurtis",
        /// Σ |a−b| / (|a|+|b|).
        Canberra = "canberra",
        /// Σ|a−b|.
        CityBlock = "cityblock",
        /// Σ(a−b)².
        SquaredEuclidean = "sqeuclidean",
    }
}

impl Metric {
    /// The distance of two vectors of the same length. Finite vectors never give NaN: where scipy
    /// divides 0 by 0,
    ///
    /// * `correlation` with a constant vector and `cosine` with a zero vector are 1, as if
    ///   unrelated;
    /// * `braycurtis`, and each term of `canberra`, is 0: nothing differs.
    pub fn distance(self, left: &[f64], right: &[f64]) -> f64 {
        let both = || left.iter().zip(right).map(|(&l, &r)| (l, r));
        match self {
            Metric::Correlation => cosine_distance(&centred(left), &centred(right)),
            Metric::Cosine => cosine_distance(left, right),
            Metric::Euclidean => both().map(|(l, r)| (l - r).powi(2)).sum::<f64>().sqrt(),
            Metric::Chebyshev => both().map(|(l, r)| (l - r).abs()).fold(0.0, largest),
            Metric::BrayCurtis => {
                share(both().map(|(l, r)| (l - r).abs()).sum(), both().map(|(l, r)| (l + r).abs()).sum())
            }
            Metric::Canberra => both().map(|(l, r)| share((l - r).abs(), l.abs() + r.abs())).sum(),
            Metric::CityBlock => both().map(|(l, r)| (l - r).abs()).sum(),
            Metric::SquaredEuclidean => both().map(|(l, r)| (l - r).powi(2)).sum(),
        }
    }
}

/// A vector minus its mean. A constant one becomes exactly 0: its computed mean need not equal its
/// values, and the remaining rounding errors would correlate with anything.
fn centred(values: &[f64]) -> Vec<f64> {
    if values.windows(2).all(|next| next[0] == next[1]) {
        return vec![0.0; values.len()];
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| value - mean).collect()
}

fn cosine_distance(left: &[f64], right: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    // The root of the product, not the product of the roots: equal vectors then have a cosine of
    // exactly 1, and tie.
    let norms = (dot(left, left) * dot(right, right)).sqrt();
    if norms == 0.0 { 1.0 } else { 1.0 - (dot(left, right) / norms).clamp(-1.0, 1.0) }
}

/// part / whole; 0 / 0 is 0.
fn share(part: f64, whole: f64) -> f64 {
    if part == 0.0 { 0.0 } else { part / whole }
}

/// The larger one. Unlike `f64::max` it keeps NaN, so that a wrong posterior is noticed.
fn largest(left: f64, right: f64) -> f64 {
    if right > left || right.is_nan() { right } else { left }
}
