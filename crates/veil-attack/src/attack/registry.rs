//! The table of attacks.

use std::fmt;

use veil_privacy::parameters::{Described, Settings};

use super::{AttackError, EdgeAttack};
use crate::{linkteller, lsa, membership};

/// An attack with all its parameters checked.
#[derive(Clone, Debug, PartialEq)]
pub enum Attack {
    /// Finds private edges.
    Edges(EdgeAttack),
    /// Tells the nodes that a model learned from.
    Membership(membership::Params),
}

/// One line of the table.
pub struct Entry {
    /// The name on the command line and in files.
    pub name: &'static str,
    /// The name in tables and pictures.
    pub title: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// Whether it needs nothing of a model but a [table](super::Table) of posteriors.
    pub on_posteriors: bool,
    pub(crate) parameters: fn() -> Vec<Described>,
    #[allow(clippy::type_complexity, reason = "an alias would hide the arguments")]
    pub(crate) configure: fn(&Settings) -> Result<Attack, AttackError>,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Entry {
    /// Every parameter with its default.
    pub fn parameters(&self) -> Vec<Described> {
        (self.parameters)()
    }

    /// The attack with these settings over its defaults.
    ///
    /// # Errors
    /// If a name is no parameter of this attack, or a value is out of range or without effect.
    pub fn configure(&self, settings: &Settings) -> Result<Attack, AttackError> {
        (self.configure)(settings)
    }
}

/// All attacks.
pub static ENTRIES: &[Entry] = &[linkteller::ENTRY, lsa::ENTRY, membership::ENTRY];

/// The attack of this name.
///
/// # Errors
/// If there is none.
pub fn find(name: &str) -> Result<&'static Entry, AttackError> {
    let found = ENTRIES.iter().find(|it| it.name == name);
    found.ok_or_else(|| AttackError::Unknown { given: name.to_owned() })
}

/// The attack on edges of this name with these settings.
///
/// # Errors
/// As [`find`] and [`Entry::configure`], and if the attack is not on edges.
pub fn on_edges(name: &str, settings: &Settings) -> Result<EdgeAttack, AttackError> {
    let entry = find(name)?;
    match entry.configure(settings)? {
        Attack::Edges(attack) => Ok(attack),
        Attack::Membership(_) => Err(AttackError::NotOnEdges { name: entry.name }),
    }
}

/// The name, in tables and pictures, of the attack whose figures are so called: a sweep may have
/// variants of an attack, named after it or not.
pub fn title(name: &str) -> String {
    ENTRIES.iter().find(|it| it.name == name).map_or_else(|| name.replace('_', " "), |it| it.title.to_owned())
}

pub(super) fn names() -> String {
    ENTRIES.iter().map(|it| it.name).collect::<Vec<_>>().join(", ")
}
