//! The similarity of two nodes by their released features.
//!
//! A node mixes its own released features with the mean of its neighbours' ([`Mix`]), sends the
//! result ([`Profile`]) and compares it with received ones ([`Comparison`]). The simulation stores
//! the profiles of all nodes ([`Profiles`]) and compares a node with all its neighbours at once,
//! with identical results.

mod compare;
mod mix;
mod vector;

#[cfg(test)]
mod tests;

pub(super) use compare::Profiles;
pub use compare::{Comparison, Profile, Term};
pub use mix::Mix;
pub use vector::Vector;

crate::words! {
    /// A measure of similarity of two feature vectors.
    #[derive(Default)]
    pub enum Measure: "measure" {
        /// The cosine of their angle; 0 if one of them is zero.
        #[default]
        Cosine = "cosine",
        /// The negated distance.
        Euclidean = "euclidean",
    }
}

impl Measure {
    /// From the product of two vectors and each one's product with itself. The same for (a, b) and
    /// (b, a).
    fn of(self, product: f64, a: f64, b: f64) -> f64 {
        match self {
            Measure::Cosine if a <= 0.0 || b <= 0.0 => 0.0,
            // One root of the product: a vector compared with itself gives exactly 1.
            Measure::Cosine => product / (a * b).sqrt(),
            Measure::Euclidean => -((a + b) - 2.0 * product).max(0.0).sqrt(),
        }
    }
}
