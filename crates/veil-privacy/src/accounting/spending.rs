//! A privacy cost with its proof.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::budget::{BudgetError, Epsilon};

/// Spendings are rounded up by this share of their terms, and δ is reduced by it.
pub const MARGIN: f64 = 1e-9;

/// An ε with its proof.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spending {
    /// Rounded up. With [`Proof::Sum`] it holds at δ = 0 too.
    pub epsilon: f64,
    /// The Rényi order, if the proof has one.
    pub order: Option<f64>,
    /// Why it holds.
    pub proof: Proof,
}

/// Why a spending holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Rényi divergences add up, and become ε by the tight [conversion](super::conversion).
    Renyi,
    /// The same on Poisson samples, by the improved [bound](super::sampling).
    SampledRenyi,
    /// The exact δ(ε) of the composed pair, which is finite (Zhu, Dong and Wang 2022, Theorems 10
    /// and 11).
    ExactComposition,
    /// The same of the binary randomised response that dominates any query of that pure loss.
    ExactCompositionOfPure,
    /// Pure losses, each ln(1+γ(e^ε−1)) on a sample, add up.
    Sum,
}

impl Proof {
    /// The word for machines.
    pub fn name(self) -> &'static str {
        match self {
            Proof::Renyi => "renyi",
            Proof::SampledRenyi => "sampled-renyi",
            Proof::ExactComposition => "exact-composition",
            Proof::ExactCompositionOfPure => "exact-composition-of-pure",
            Proof::Sum => "sum",
        }
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Proof::Renyi => "Rényi divergences added up, tight conversion (Canonne, Kamath, Steinke 2020)",
            Proof::SampledRenyi => {
                "Rényi divergences on Poisson samples, bound for symmetric pairs (Zhu, Wang 2019; Mironov, Talwar, Zhang 2019), tight conversion"
            }
            Proof::ExactComposition => "exact composition of a finite dominating pair (Zhu, Dong, Wang 2022)",
            Proof::ExactCompositionOfPure => {
                "exact composition of the binary randomised response that dominates a pure loss (Kairouz, Oh, Viswanath 2015; Zhu, Dong, Wang 2022)"
            }
            Proof::Sum => "sum of pure losses",
        })
    }
}

impl Serialize for Proof {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Spending {
    /// The ε that a ledger books: rounded up to a multiple of 10⁻⁹, and at least that.
    ///
    /// # Errors
    /// Above the largest budget.
    pub fn budget(&self) -> Result<Epsilon, BudgetError> {
        Epsilon::from_f64_rounded_up(self.epsilon.max(1e-9))
    }
}
