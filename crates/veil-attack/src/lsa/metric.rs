//! Distances between two posteriors, named and defined as in `scipy.spatial.distance`.

use std::fmt;
use std::str::FromStr;

/// A distance. He et al. 2021 use all eight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metric {
    /// 1 − Pearson's correlation: the cosine distance of what is left when each vector's mean is taken away.
    #[default]
    Correlation,
    /// 1 − the cosine of the angle.
    Cosine,
    /// The length of the difference.
    Euclidean,
    /// The largest difference.
    Chebyshev,
    /// Σ|a−b| / Σ|a+b|.
    BrayCurtis,
    /// Σ |a−b| / (|a|+|b|).
    Canberra,
    /// Σ|a−b|.
    CityBlock,
    /// Σ(a−b)².
    SquaredEuclidean,
}

/// A name that no distance has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is not one of {}", Metric::ALL.map(|metric| metric.to_string()).join(", "))]
pub struct MetricError {
    /// The name that was given.
    pub name: String,
}

impl Metric {
    /// All of them.
    pub const ALL: [Metric; 8] = [
        Metric::Correlation,
        Metric::Cosine,
        Metric::Euclidean,
        Metric::Chebyshev,
        Metric::BrayCurtis,
        Metric::Canberra,
        Metric::CityBlock,
        Metric::SquaredEuclidean,
    ];

    /// The distance of two vectors of the same length. Finite vectors never give NaN: where scipy divides 0 by 0,
    ///
    /// * `correlation` with a constant vector and `cosine` with a zero vector are 1, as if unrelated;
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

    /// The name that scipy gives it.
    fn name(self) -> &'static str {
        match self {
            Metric::Correlation => "correlation",
            Metric::Cosine => "cosine",
            Metric::Euclidean => "euclidean",
            Metric::Chebyshev => "chebyshev",
            Metric::BrayCurtis => "braycurtis",
            Metric::Canberra => "canberra",
            Metric::CityBlock => "cityblock",
            Metric::SquaredEuclidean => "sqeuclidean",
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Metric {
    type Err = MetricError;

    fn from_str(name: &str) -> Result<Metric, MetricError> {
        let known = Metric::ALL.into_iter().find(|metric| metric.name() == name);
        known.ok_or_else(|| MetricError { name: name.to_owned() })
    }
}

/// A vector without its mean. A constant one becomes exactly 0: its computed mean need not equal its values, and the
/// rounding errors that would be left correlate with anything.
fn centred(values: &[f64]) -> Vec<f64> {
    if values.windows(2).all(|next| next[0] == next[1]) {
        return vec![0.0; values.len()];
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| value - mean).collect()
}

fn cosine_distance(left: &[f64], right: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    // The root of the product, not the product of the roots: equal vectors then have a cosine of exactly 1, and tie.
    let norms = (dot(left, left) * dot(right, right)).sqrt();
    if norms == 0.0 { 1.0 } else { 1.0 - (dot(left, right) / norms).clamp(-1.0, 1.0) }
}

/// part / whole, where nothing of nothing is 0.
fn share(part: f64, whole: f64) -> f64 {
    if part == 0.0 { 0.0 } else { part / whole }
}

/// The larger one. Unlike `f64::max` it keeps NaN, so that a wrong posterior is noticed.
fn largest(left: f64, right: f64) -> f64 {
    if right > left || right.is_nan() { right } else { left }
}
