//! Flags of every release: split, range, ledger and seed.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use veil_learn::pipeline::{Payment, RangeText, SplitChoice, Terms};
use veil_privacy::{Consent, Status};

use crate::failure::Failure;

/// The split and the range.
#[derive(Args)]
pub struct TermsFlags {
    /// Range of the features: public (declared, else 0,1), LOW,HIGH, or data (computed from all raw
    /// features)
    #[arg(long, default_value = "public", allow_hyphen_values = true, help_heading = "Data")]
    range: RangeText,
    /// Split: public (stored), all (all train) or TRAIN,VAL,TEST [default: public]
    #[arg(long, help_heading = "Data")]
    split: Option<SplitChoice>,
}

impl TermsFlags {
    pub fn terms(&self) -> Terms {
        Terms { split: self.split, range: self.range.0 }
    }

    /// The first of these flags that was set, for inputs that have their own.
    pub fn first_set(&self) -> Option<&'static str> {
        let (split, range) = self.terms().texts();
        (split != "public").then_some("--split").or((range != "public").then_some("--range"))
    }
}

/// The ledger and the seed.
#[derive(Args)]
pub struct PaymentFlags {
    /// Ledger to charge before the release
    #[arg(long, help_heading = "Privacy")]
    pub ledger: Option<PathBuf>,
    /// Allow a release with this status, or with a seed; the ledger records its loss as unbounded
    #[arg(long, value_name = "STATUS", requires = "ledger", help_heading = "Privacy")]
    accept: Vec<Acceptable>,
    /// Seed of the noise: reproducible, therefore not private
    #[arg(long, allow_hyphen_values = true, help_heading = "Privacy")]
    pub seed: Option<u64>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Acceptable {
    Claimed,
    Refuted,
    None,
    Seeded,
}

impl PaymentFlags {
    pub fn payment(&self) -> Payment {
        let consent = |accepted: &Acceptable| match accepted {
            Acceptable::Claimed => Consent::Status(Status::Claimed),
            Acceptable::Refuted => Consent::Status(Status::Refuted),
            Acceptable::None => Consent::Status(Status::None),
            Acceptable::Seeded => Consent::Seeded,
        };
        Payment { ledger: self.ledger.clone(), accept: self.accept.iter().map(consent).collect(), seed: self.seed }
    }
}

/// A random seed for something that nobody needs to repeat.
pub fn random_seed() -> Result<u64, Failure> {
    getrandom::u64().map_err(|source| veil_privacy::CoinsError::NoRandomness { source }.into())
}
