//! Thresholds rounded towards more privacy, and probabilities as fractions.
//!
//! A mechanism's threshold is a rounded irrational number. Rounded the wrong way, or computed in
//! f64, it spends more than the stated ε (at ε = 37 and two values by 7.4). Here e^ε is enclosed
//! between two fixed-point numbers, every step rounded down for the lower and up for the upper one;
//! the thresholds are then rounded towards more noise.

mod exponential;
mod fraction;
#[cfg(test)]
mod tests;
mod threshold;

pub use exponential::{FRACTION_BITS, exp_bounds, exp_bounds_to};
pub use fraction::Fraction;
pub use threshold::{flip_threshold, one_bit_floor};
