//! Flags of every release: split, range, declarations, given facts, ledger and seed.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, ValueEnum};
use veil_graph::Dataset;
use veil_learn::pipeline::{Payment, RangeText, SplitChoice, Terms};
use veil_privacy::{Consent, Declarations, Status};

use crate::failure::Failure;
use crate::output::say_waiting;

/// What the owner declares public.
#[derive(Args)]
pub struct DeclareFlags {
    /// Facts that the owner declares public, so that no ε protects them, such as nodes,classes
    /// (all: nodes, dimensions, classes, columns, split, private-nodes, features, labels)
    #[arg(long, value_name = "FACTS", help_heading = "Privacy")]
    declare_public: Option<Declarations>,
}

impl DeclareFlags {
    pub fn declared(&self) -> Declarations {
        self.declare_public.unwrap_or_default()
    }
}

/// Facts that the owner gives, independently of the data.
#[derive(Args)]
pub struct GivenFlags {
    /// List of the nodes, one id per line; without one, an edge list has the nodes that its edges
    /// name
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    nodes: Option<PathBuf>,
    /// Number of classes [default: as stored, or counted in the labels]
    #[arg(long, value_name = "N", help_heading = "Data")]
    classes: Option<u32>,
}

impl GivenFlags {
    /// The data with the given facts.
    pub fn apply(&self, mut data: Dataset) -> Result<Dataset, Failure> {
        if let Some(path) = &self.nodes {
            let text =
                std::fs::read_to_string(path).map_err(|source| Failure::Unreadable { path: path.clone(), source })?;
            data = data.with_node_list(&text)?;
        }
        match self.classes {
            Some(classes) => Ok(data.with_classes(classes)?),
            None => Ok(data),
        }
    }

    /// The first of these flags that was set, for inputs that have their own.
    pub fn first_set(&self) -> Option<&'static str> {
        self.nodes.as_ref().map(|_| "--nodes").or(self.classes.map(|_| "--classes"))
    }
}

/// The split, the range, and what is declared public.
#[derive(Args)]
pub struct TermsFlags {
    /// Range of the features: public (the stored one; 0,1 after scaling), LOW,HIGH, or data
    /// (computed from all raw features; requires --declare-public columns) [default: public]
    #[arg(long, allow_hyphen_values = true, help_heading = "Data")]
    range: Option<RangeText>,
    /// Split: public (stored), all (all train) or TRAIN,VAL,TEST [default: public]
    #[arg(long, help_heading = "Data")]
    split: Option<SplitChoice>,
    #[command(flatten)]
    declare: DeclareFlags,
}

impl TermsFlags {
    pub fn terms(&self) -> Terms {
        Terms {
            each: false,
            split: self.split,
            range: self.range.map(|it| it.0).unwrap_or_default(),
            declared: self.declare.declared(),
        }
    }

    /// Takes what a file sets and no flag does.
    pub fn fill(&mut self, flags: &BTreeMap<&'static str, String>) -> Result<(), Failure> {
        fn filled<T: FromStr<Err: Display>>(
            slot: &mut Option<T>,
            (name, text): (&str, Option<&String>),
        ) -> Result<(), Failure> {
            if let (None, Some(text)) = (&slot, text) {
                let wrong = |error: T::Err| Failure::Usage(format!("{name} = {text:?}: {error}"));
                *slot = Some(text.parse().map_err(wrong)?);
            }
            Ok(())
        }
        let of = |name: &'static str| (name, flags.get(name));
        filled(&mut self.split, of("split"))?;
        filled(&mut self.range, of("range"))?;
        filled(&mut self.declare.declare_public, of("declare-public"))
    }

    /// Whether a fact is declared public.
    pub fn declares(&self) -> bool {
        !self.declare.declared().is_empty()
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
    /// For a result at this path, which an interrupted command may have begun.
    pub fn payment(&self, out: &Path) -> Result<Payment, Failure> {
        let consent = |accepted: &Acceptable| match accepted {
            Acceptable::Claimed => Consent::Status(Status::Claimed),
            Acceptable::Refuted => Consent::Status(Status::Refuted),
            Acceptable::None => Consent::Status(Status::None),
            Acceptable::Seeded => Consent::Seeded,
        };
        let (ledger, accept) = (self.ledger.clone(), self.accept.iter().map(consent).collect());
        Ok(Payment { ledger, accept, seed: self.seed, drawn: None, waiting: Some(say_waiting) }.resuming(out)?)
    }
}

/// A random seed for something that nobody needs to repeat.
pub fn random_seed() -> Result<u64, Failure> {
    getrandom::u64().map_err(|source| veil_privacy::CoinsError::NoRandomness { source }.into())
}
