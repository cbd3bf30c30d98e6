//! Parallel composition: a cascade and its extensions cost the largest of their ε, not the sum
//! ([`protocol::cascade`](crate::protocol::cascade)).
//!
//! An entry of an extension counts with that of the release that it extends if this ledger booked
//! that release earlier, for the same unit, and nothing else extends it. Whatever is otherwise adds
//! up like any other release, so an account is never too small; a charge says what is wrong.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::content::Row;
use crate::guarantee::{ParameterList, Spent, Unit};
use crate::protocol::cascade;

/// The part of a stored guarantee that says what it extends.
#[derive(Deserialize)]
struct Stored {
    mechanism: String,
    parameters: ParameterList,
}

/// Why an entry is not booked together with the release that it says it extends.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotParallel {
    /// Nothing to count it with.
    #[error("this ledger has no charge of a cascade with that id for {0}")]
    Unknown(Unit),
    /// Both may have a row for the same new node.
    #[error("release {0} extends it already: extend that one, or release anew at an ε of its own")]
    Extended(String),
}

/// The releases of one unit, each beside those that it is counted with.
pub(super) struct Chains<'a> {
    unit: Unit,
    /// The chain of each release that can be extended; none if its id is not unique.
    of: BTreeMap<&'a str, Option<usize>>,
    /// By which release another one is extended.
    extended: BTreeMap<String, &'a str>,
    /// The largest loss of each chain.
    losses: Vec<Spent>,
}

impl<'a> Chains<'a> {
    /// The chains of all entries of a unit.
    pub fn of(unit: Unit, entries: impl Iterator<Item = &'a Row>) -> Chains<'a> {
        let mut chains = Chains { unit, of: BTreeMap::new(), extended: BTreeMap::new(), losses: Vec::new() };
        entries.filter(|entry| entry.unit == unit).for_each(|entry| drop(chains.add(entry)));
        chains
    }

    /// Adds an entry of the unit; an error says why it counts on its own although it extends
    /// another release.
    pub fn add(&mut self, entry: &'a Row) -> Result<(), NotParallel> {
        let stored: Option<Stored> = serde_json::from_str(&entry.guarantee).ok();
        let Some(Stored { parameters, .. }) = stored.filter(|it| it.mechanism == cascade::NAME) else {
            self.losses.push(entry.loss());
            return Ok(());
        };
        let extends = cascade::extended(cascade::NAME, &parameters).map(|(extends, _)| extends);
        let place = extends.map(|extends| self.place(extends)).transpose();
        let chain = match place {
            Ok(Some(chain)) => chain,
            Ok(None) | Err(_) => {
                self.losses.push(Spent::Nothing);
                self.losses.len() - 1
            }
        };
        self.losses[chain] = self.losses[chain].max(entry.loss());
        if let (Ok(_), Some(extends)) = (&place, extends) {
            self.extended.insert(extends.to_owned(), &entry.release);
        }
        let once = !self.of.contains_key(entry.release.as_str()) && !cascade::counts_twice(&parameters);
        self.of.insert(&entry.release, once.then_some(chain));
        place.map(drop)
    }

    /// The chain of a release that is to be extended.
    fn place(&self, release: &str) -> Result<usize, NotParallel> {
        match (self.extended.get(release), self.of.get(release)) {
            (Some(&other), _) => Err(NotParallel::Extended(other.to_owned())),
            (None, Some(&Some(chain))) => Ok(chain),
            _ => Err(NotParallel::Unknown(self.unit)),
        }
    }

    /// The sum over all chains.
    pub fn spent(&self) -> Spent {
        self.losses.iter().fold(Spent::Nothing, |sum, &loss| sum.plus(loss))
    }
}
