//! Partition of the nodes for the release of a student model (PrivGNN, section 5): the owner's
//! *private* graph, a *public* graph with nodes for training and testing, and the nodes *outside*
//! of both.
//!
//! Outside nodes are never trained on: a membership attack uses them as non-members, and to train
//! its shadow models.

mod overlapping;

use std::fmt;
use std::str::FromStr;

pub use overlapping::Overlap;

use super::{Dataset, DatasetError};
use crate::graph::NodeId;
use crate::labels::Labels;
use crate::random::Random;
use crate::split::{Part, Split};

/// The holder of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// The owner of the private graph.
    Private,
    /// The public; the student learns from it.
    PublicTrain,
    /// The public; the student is scored on it.
    PublicTest,
    /// Outside of both.
    Outside,
}

/// Numbers of nodes per holder, drawn at random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Private nodes of each class.
    pub private_per_class: usize,
    /// Public nodes for training.
    pub public_train: usize,
    /// Public nodes for testing.
    pub public_test: usize,
}

/// Numbers between two inclusive bounds: `2018`, `2016..2017`, `..2017` or `2019..`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    low: f64,
    high: f64,
}

/// Values of a node attribute per holder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranges {
    /// Private nodes.
    pub private: Range,
    /// Public nodes for training.
    pub public_train: Range,
    /// Public nodes for testing.
    pub public_test: Range,
}

/// Why nodes cannot be partitioned.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HoldersError {
    #[error("class {class} has {found} nodes, fewer than the {requested} private nodes per class")]
    TooFewOfClass { class: String, found: usize, requested: usize },
    #[error("{found} nodes are not private, fewer than the {requested} public nodes")]
    TooFewLeft { found: usize, requested: usize },
    #[error("{first} for {one} and {second} for {other} overlap")]
    Overlap { first: Range, one: &'static str, second: Range, other: &'static str },
    #[error("no node is {what}")]
    NoNodes { what: &'static str },
    #[error("{text:?} is not a range such as 2018, 2016..2017, ..2017 or 2019.. (bounds are inclusive)")]
    NoRange { text: String },
}

/// The holder of each node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holders {
    of: Vec<Holder>,
    /// Whether labels decided who holds a node.
    from_labels: bool,
}

/// A data set, partitioned by holder.
#[derive(Clone, Debug, PartialEq)]
pub struct Apart {
    /// The private graph; all of its nodes are training nodes.
    pub private: Dataset,
    /// The public graph; all of its nodes are training or test nodes.
    pub public: Dataset,
    /// The remaining nodes, if any, without a split.
    pub outside: Option<Dataset>,
    /// Edges between different holders, which are in none of the graphs.
    pub edges_dropped: usize,
}

impl Holders {
    /// Draws private nodes of each class, and public ones from the rest, at random.
    ///
    /// # Errors
    /// If there are too few nodes.
    pub fn random(labels: &Labels, counts: Counts, seed: u64) -> Result<Holders, HoldersError> {
        let Counts { private_per_class: requested, public_train, public_test } = counts;
        let mut of = vec![Holder::Outside; labels.nodes()];
        let mut order: Vec<NodeId> = (0..labels.nodes() as NodeId).collect();
        Random::new(seed, "holders").shuffle(&mut order);
        let mut taken = vec![0; labels.classes() as usize];
        for &node in &order {
            if let Some(class) = labels.get(node)
                && taken[class as usize] < requested
            {
                taken[class as usize] += 1;
                of[node as usize] = Holder::Private;
            }
        }
        if let Some(class) = taken.iter().position(|&found| found < requested) {
            let name = labels.names().and_then(|names| names.get(class)).map(|name| format!("{class} ({name})"));
            let class_name = name.unwrap_or_else(|| class.to_string());
            return Err(HoldersError::TooFewOfClass { class: class_name, found: taken[class], requested });
        }
        // Shuffled again: in the old order, the first remaining nodes belong to the large classes.
        let mut left: Vec<NodeId> = order.into_iter().filter(|&node| of[node as usize] == Holder::Outside).collect();
        Random::new(seed, "holders: public").shuffle(&mut left);
        let requested = public_train.saturating_add(public_test);
        if left.len() < requested {
            return Err(HoldersError::TooFewLeft { found: left.len(), requested });
        }
        for (place, &node) in left[..requested].iter().enumerate() {
            of[node as usize] = if place < public_train { Holder::PublicTrain } else { Holder::PublicTest };
        }
        Holders { of, from_labels: true }.check()
    }

    /// Assigns each node by a value, such as a year.
    ///
    /// # Errors
    /// If ranges overlap, or there are no private or public training nodes.
    pub fn by_value(values: &[f64], ranges: Ranges) -> Result<Holders, HoldersError> {
        let named = [
            (ranges.private, "private nodes", Holder::Private),
            (ranges.public_train, "public training nodes", Holder::PublicTrain),
            (ranges.public_test, "public test nodes", Holder::PublicTest),
        ];
        for (place, &(first, one, _)) in named.iter().enumerate() {
            if let Some(&(second, other, _)) = named[place + 1..].iter().find(|(second, ..)| first.overlaps(*second)) {
                return Err(HoldersError::Overlap { first, one, second, other });
            }
        }
        let holder = |value: f64| named.iter().find(|(range, ..)| range.holds(value)).map(|&(.., holder)| holder);
        let of = values.iter().map(|&value| holder(value).unwrap_or(Holder::Outside)).collect();
        Holders { of, from_labels: false }.check()
    }

    /// Requires private and public training nodes.
    fn check(self) -> Result<Holders, HoldersError> {
        let missing = [(Holder::Private, "private"), (Holder::PublicTrain, "public and for training")]
            .into_iter()
            .find(|(holder, _)| !self.of.contains(holder));
        match missing {
            Some((_, what)) => Err(HoldersError::NoNodes { what }),
            None => Ok(self),
        }
    }

    /// The holder of each node.
    pub fn holders(&self) -> &[Holder] {
        &self.of
    }
}

impl Dataset {
    /// Partitions a data set by the holders of its nodes. Nodes keep their names and data; edges
    /// between different holders are dropped. What was given is still given, except for the nodes
    /// where labels decided who holds them.
    ///
    /// # Errors
    /// If there is not one holder per node.
    pub fn apart(&self, holders: &Holders) -> Result<Apart, DatasetError> {
        DatasetError::check("holders", self.nodes(), holders.of.len())?;
        let part = |suffix: &str, held: &dyn Fn(Holder) -> Option<Part>| -> Result<Dataset, DatasetError> {
            let (kept, parts): (Vec<NodeId>, Vec<Part>) =
                (0..).zip(&holders.of).filter_map(|(node, &holder)| Some((node, held(holder)?))).unzip();
            let split = parts.iter().any(|&part| part != Part::None).then(|| Split::new(parts));
            let mut taken = self.selected(&kept, split)?;
            taken.name = format!("{}-{suffix}", self.name);
            taken.declared.nodes &= !holders.from_labels;
            Ok(taken)
        };
        let private = part("private", &|holder| (holder == Holder::Private).then_some(Part::Train))?;
        let public = part("public", &|holder| match holder {
            Holder::PublicTrain => Some(Part::Train),
            Holder::PublicTest => Some(Part::Test),
            _ => None,
        })?;
        let outside = part("outside", &|holder| (holder == Holder::Outside).then_some(Part::None))?;
        let kept: usize = [&private, &public, &outside].iter().map(|data| data.graph.edges()).sum();
        Ok(Apart {
            private,
            public,
            outside: (outside.nodes() > 0).then_some(outside),
            edges_dropped: self.graph.edges().saturating_sub(kept),
        })
    }
}

impl Range {
    fn holds(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    fn overlaps(self, other: Range) -> bool {
        self.low <= other.high && other.low <= self.high
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { low, high } = *self;
        match (low.is_finite(), high.is_finite()) {
            (true, true) if low == high => write!(f, "{low}"),
            (true, true) => write!(f, "{low}..{high}"),
            (true, false) => write!(f, "{low}.."),
            (false, true) => write!(f, "..{high}"),
            (false, false) => f.write_str(".."),
        }
    }
}

impl FromStr for Range {
    type Err = HoldersError;

    fn from_str(text: &str) -> Result<Range, HoldersError> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let or = |text: &str, open: f64| if text.trim().is_empty() { Some(open) } else { number(text) };
        let ends = match text.split_once("..") {
            None => number(text).map(|value| (value, value)),
            Some((low, high)) => or(low, f64::NEG_INFINITY).zip(or(high, f64::INFINITY)),
        };
        match ends {
            Some((low, high)) if low <= high && (low.is_finite() || high.is_finite()) => Ok(Range { low, high }),
            _ => Err(HoldersError::NoRange { text: text.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests;
