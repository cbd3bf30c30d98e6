//! The words for what a user may choose.

use std::fmt;
use std::str::FromStr;

/// How candidates are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The single most similar neighbour (GP-m, Algorithm 3).
    MostSimilar,
    /// All neighbours above the threshold (GP-t, Algorithm 4).
    Threshold,
}

impl Strategy {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::MostSimilar => "most-similar",
            Strategy::Threshold => "threshold",
        }
    }
}

/// Which text is followed where the paper and its published code differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// Equations 3 and 4 on rectified features, at least δ; δ = 0 is no threshold (§4.2).
    #[default]
    Paper,
    /// α·cos(x) + (1−α)·cos(aggregate), strictly above δ, also at δ = 0.
    Reference,
}

impl Reading {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Reading::Paper => "paper",
            Reading::Reference => "reference",
        }
    }
}

/// A word that names no choice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is not a {what} ({known})")]
pub struct UnknownChoice {
    /// The word.
    pub given: String,
    /// What it should name.
    pub what: &'static str,
    /// The words that do.
    pub known: &'static str,
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Strategy {
    type Err = UnknownChoice;

    fn from_str(text: &str) -> Result<Strategy, UnknownChoice> {
        let found = [Strategy::MostSimilar, Strategy::Threshold].into_iter().find(|choice| choice.name() == text);
        let (what, known) = ("strategy", "most-similar, threshold");
        found.ok_or_else(|| UnknownChoice { given: text.to_owned(), what, known })
    }
}

impl FromStr for Reading {
    type Err = UnknownChoice;

    fn from_str(text: &str) -> Result<Reading, UnknownChoice> {
        let found = [Reading::Paper, Reading::Reference].into_iter().find(|choice| choice.name() == text);
        let (what, known) = ("reading of the similarity", "paper, reference");
        found.ok_or_else(|| UnknownChoice { given: text.to_owned(), what, known })
    }
}
