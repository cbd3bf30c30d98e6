//! The facts that an owner declares public.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Fact, Missing, Origin, Standing};
use crate::guarantee::Unit;
use crate::parameters::UnknownWord;

/// A set of facts that the owner of data declares public: words such as `nodes,classes`.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Declarations(u8);

impl Declarations {
    /// No fact.
    pub const NONE: Declarations = Declarations(0);

    /// Every fact: for experiments of which nothing leaves.
    pub const ALL: Declarations = Declarations(u8::MAX);

    /// Whether a fact is declared public.
    pub fn contains(self, fact: Fact) -> bool {
        self.0 & bit(fact) != 0
    }

    /// These and one more.
    #[must_use]
    pub fn with(self, fact: Fact) -> Declarations {
        Declarations(self.0 | bit(fact))
    }

    /// The facts of both.
    #[must_use]
    pub fn and(self, other: Declarations) -> Declarations {
        Declarations(self.0 | other.0)
    }

    /// Whether nothing is declared.
    pub fn is_empty(self) -> bool {
        self.iter().next().is_none()
    }

    /// The facts, in the order of [`Fact::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Fact> {
        Fact::ALL.into_iter().filter(move |&fact| self.contains(fact))
    }

    /// Decides whether a fact may leave beside a guarantee for a unit.
    ///
    /// # Errors
    /// If it is neither given, nor equal in all adjacent inputs, nor declared.
    pub fn standing(self, fact: Fact, unit: Unit, origin: Origin) -> Result<Standing, Missing> {
        match origin {
            Origin::Given => Ok(Standing::Given),
            Origin::Computed if fact.is_equal_for(unit) => Ok(Standing::Equal),
            Origin::Computed if self.contains(fact) => Ok(Standing::Declared),
            Origin::Computed => Err(Missing { fact, unit }),
        }
    }
}

fn bit(fact: Fact) -> u8 {
    1 << fact as u8
}

impl From<Fact> for Declarations {
    fn from(fact: Fact) -> Declarations {
        Declarations::NONE.with(fact)
    }
}

impl FromIterator<Fact> for Declarations {
    fn from_iter<I: IntoIterator<Item = Fact>>(facts: I) -> Declarations {
        facts.into_iter().fold(Declarations::NONE, Declarations::with)
    }
}

impl FromStr for Declarations {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Declarations, UnknownWord> {
        text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::parse).collect()
    }
}

impl fmt::Display for Declarations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.iter().map(Fact::name).collect();
        f.pad(&words.join(","))
    }
}

impl fmt::Debug for Declarations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Declarations({self})")
    }
}

impl Serialize for Declarations {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Declarations {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Declarations, D::Error> {
        Ok(Vec::<Fact>::deserialize(deserializer)?.into_iter().collect())
    }
}
