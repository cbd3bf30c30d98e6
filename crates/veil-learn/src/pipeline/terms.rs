//! The split and the range of a release, and what its owner declares public.

use std::fmt;
use std::str::FromStr;

use veil_graph::{Dataset, DatasetError, Fractions, Part, Split};
use veil_privacy::mechanism::ValueRange;
use veil_privacy::release::RangeChoice;
use veil_privacy::{Declarations, Unit};

use crate::method::Entry;

/// Where the split and the range come from, and what the owner of the data declares public.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terms {
    /// The split; `None` is the data's own.
    pub split: Option<SplitChoice>,
    /// The range of the features.
    pub range: RangeChoice,
    /// The facts that the owner declares public: words such as `nodes,classes`.
    pub declared: Declarations,
    /// Whether each node draws its part of a random split by itself, as guarantees about whole
    /// nodes require; see [`of`](Terms::of).
    pub each: bool,
}

/// Training, validation and test nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SplitChoice {
    /// The split of the data.
    Public,
    /// All nodes are training nodes.
    All,
    /// A random split by these fractions.
    Random(Fractions),
}

impl SplitChoice {
    /// The data with this split; `each`: every node draws its part by itself.
    ///
    /// # Errors
    /// If the split does not fit the data.
    pub fn apply(self, data: Dataset, each: bool, seed: u64) -> Result<Dataset, DatasetError> {
        match self {
            SplitChoice::Public => Ok(data),
            SplitChoice::All => everyone(data, Part::Train),
            SplitChoice::Random(fractions) => {
                let together = || Split::random(data.nodes(), fractions, seed);
                let split = if each { Split::random_each(data.names(), fractions, seed) } else { together() };
                data.with_split(split)
            }
        }
    }
}

/// The data with all nodes in one part.
pub(super) fn everyone(data: Dataset, part: Part) -> Result<Dataset, DatasetError> {
    let split = Split::new(vec![part; data.nodes() as usize]);
    data.with_split(split)
}

impl FromStr for SplitChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<SplitChoice, String> {
        match text {
            "public" => Ok(SplitChoice::Public),
            "all" => Ok(SplitChoice::All),
            _ => text.parse().map(SplitChoice::Random).map_err(|error: veil_graph::FractionsError| error.to_string()),
        }
    }
}

impl fmt::Display for SplitChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SplitChoice::Public => f.write_str("public"),
            SplitChoice::All => f.write_str("all"),
            SplitChoice::Random(fractions) => fractions.fmt(f),
        }
    }
}

/// A range as it is written: `public`, `data` or two numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct RangeText(pub RangeChoice);

impl FromStr for RangeText {
    type Err = String;

    fn from_str(text: &str) -> Result<RangeText, String> {
        let choice = match text {
            "public" => RangeChoice::Public,
            "data" => RangeChoice::FromData,
            _ => {
                let ends = text.split_once(',');
                let ends = ends.and_then(|(low, high)| Some((low.trim().parse().ok()?, high.trim().parse().ok()?)));
                let (low, high) = ends.ok_or("expected public, data, or two numbers such as 0,1")?;
                RangeChoice::Given(ValueRange::new(low, high).map_err(|error| error.to_string())?)
            }
        };
        Ok(RangeText(choice))
    }
}

impl fmt::Display for RangeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            RangeChoice::Public => f.write_str("public"),
            RangeChoice::FromData => f.write_str("data"),
            RangeChoice::Given(range) => write!(f, "{},{}", range.low(), range.high()),
        }
    }
}

impl Terms {
    /// The same terms for this method: if it protects whole nodes, the parts of other nodes must
    /// not change with one.
    #[must_use]
    pub fn of(self, method: &Entry) -> Terms {
        Terms { each: method.unit == Some(Unit::Node) && !method.public_graph, ..self }
    }

    /// The first of the two that differs from the data's own.
    pub(super) fn first_set(&self) -> Option<&'static str> {
        match (self.split, self.range) {
            (Some(SplitChoice::All | SplitChoice::Random(_)), _) => Some("a split"),
            (_, RangeChoice::FromData | RangeChoice::Given(_)) => Some("a range"),
            _ => None,
        }
    }

    /// The split and the range, as a record keeps them.
    pub fn texts(&self) -> (String, String) {
        let split = self.split.unwrap_or(SplitChoice::Public);
        (split.to_string(), RangeText(self.range).to_string())
    }
}
