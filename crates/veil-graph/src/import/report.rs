//! What became of files and columns, for people and machines.

use serde::Serialize;

/// What became of a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// What each column became.
    pub columns: Vec<ColumnReport>,
    /// What was assumed, because neither files nor flags say.
    pub guessed: Vec<String>,
    /// What the data set does not hold.
    pub dropped: Vec<String>,
    /// What may be a mistake in the data.
    pub warnings: Vec<String>,
    /// Facts that do not depend on the data, so that a release may state them.
    pub given: Vec<String>,
    /// Facts that were collected from the data: a release of a unit they depend on requires that
    /// they are declared public.
    pub collected: Vec<String>,
}

/// What a column became.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColumnReport {
    /// The name of the column.
    pub column: String,
    /// The name of its file.
    pub file: String,
    /// What it became.
    pub becomes: String,
    /// The first of its features, if any.
    pub first_feature: Option<u32>,
    /// The number of its features.
    pub features: u32,
    /// How many values are missing.
    pub missing: usize,
}
