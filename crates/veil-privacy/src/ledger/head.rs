//! The head of a ledger: how many entries it has, and the link that commits to all of them.
//!
//! A head that is kept elsewhere (in a file, in the statement of a release) shows whether a ledger
//! was replaced by an older copy: a ledger contains every head that it ever had.
//!
//! Links are keyed with the ledger's salt, so a head in a published statement says nothing about
//! the data, whose fingerprint it commits to.

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};
use veil_graph::bytes::{from_hex, hex};

/// A link of the chain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Link(pub(super) [u8; 32]);

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Link({self})")
    }
}

impl Serialize for Link {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Link {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Link, D::Error> {
        let text = String::deserialize(deserializer)?;
        from_hex(&text).map(Link).ok_or_else(|| D::Error::custom("a head has 64 hexadecimal digits"))
    }
}

/// The head of a ledger after so many entries; as text `ENTRIES:HEX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Head {
    /// The number of entries up to here.
    pub entries: u64,
    /// The link that commits to them, to the budgets and to the snapshots.
    pub head: Link,
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.entries, self.head)
    }
}

/// Why a text is not a head.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is not the head of a ledger (a number of entries, a colon, 64 hexadecimal digits)")]
pub struct HeadTextError {
    pub given: String,
}

impl FromStr for Head {
    type Err = HeadTextError;

    fn from_str(text: &str) -> Result<Head, HeadTextError> {
        let parts = text.trim().split_once(':');
        let head = parts
            .and_then(|(entries, link)| Some(Head { entries: entries.parse().ok()?, head: Link(from_hex(link)?) }));
        // Messages stay short, whatever the file is.
        head.ok_or_else(|| HeadTextError { given: text.chars().take(100).collect() })
    }
}
