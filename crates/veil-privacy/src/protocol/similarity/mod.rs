//! How alike two nodes' released features are.
//!
//! A node mixes its own released features with the mean of its neighbours' ([`Mix`]), sends the result ([`Profile`]), and
//! compares what it has got ([`Comparison`]). The simulator holds the same vectors of all nodes in one place
//! ([`Profiles`]) and compares one node with all its neighbours at once; the numbers are the same to the last bit.

mod compare;
mod mix;
mod vector;

#[cfg(test)]
mod tests;

pub(super) use compare::Profiles;
pub use compare::{Comparison, Part, Profile};
pub use mix::Mix;
pub use vector::Vector;

crate::words! {
    /// How two feature vectors are compared.
    #[derive(Default)]
    pub enum Measure: "measure" {
        /// The cosine of their angle; 0 if one of them is zero.
        #[default]
        Cosine = "cosine",
        /// Minus their distance.
        Euclidean = "euclidean",
    }
}

impl Measure {
    /// From the product of two vectors and each one's product with itself. The same for (a, b) and (b, a).
    fn of(self, product: f64, a: f64, b: f64) -> f64 {
        match self {
            Measure::Cosine if a <= 0.0 || b <= 0.0 => 0.0,
            // One root of the product, not two roots: a vector compared with itself then gives exactly 1.
            Measure::Cosine => product / (a * b).sqrt(),
            Measure::Euclidean => -((a + b) - 2.0 * product).max(0.0).sqrt(),
        }
    }
}
