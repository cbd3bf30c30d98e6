//! Kinds of layers: what a registry entry holds, and what derives from it.

use std::fmt;
use std::str::FromStr;

use veil_graph::random::Random;

use super::{Kind, Layer};
use crate::model::DescriptionError;

/// A registered kind of layer.
pub(crate) struct Entry {
    /// Name on the command line and in files.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// Whether it may have several heads.
    pub heads: bool,
    /// Whether its output depends on edges.
    pub reads_edges: bool,
    /// Whether it can be built without a bias.
    pub optional_bias: bool,
    /// Builds a layer with random weights.
    pub new: fn(Size, &mut Random) -> Box<dyn Layer>,
}

/// The size of a layer: `outputs` columns for each of `heads` heads.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub inputs: usize,
    pub outputs: usize,
    pub heads: usize,
    pub bias: bool,
}

/// Declares [`Kind`] and its entries.
macro_rules! registry {
    ($($kind:ident = Entry { name: $name:literal, help: $help:literal, $($rest:tt)* };)*) => {
        /// The kind of layer that a network repeats.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum Kind {
            $(#[doc = $help] #[serde(rename = $name)] $kind,)*
        }

        impl Kind {
            /// Every kind, in the order of the registry.
            pub const ALL: [Kind; [$($name),*].len()] = [$(Kind::$kind),*];

            fn entry(self) -> &'static Entry {
                match self {
                    $(Kind::$kind => &Entry { name: $name, help: $help, $($rest)* },)*
                }
            }
        }
    };
}
pub(super) use registry;

impl Kind {
    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// One line of help.
    pub fn help(self) -> &'static str {
        self.entry().help
    }

    /// Whether its layers may have several heads.
    pub fn has_heads(self) -> bool {
        self.entry().heads
    }

    /// Whether its output depends on edges.
    pub fn reads_edges(self) -> bool {
        self.entry().reads_edges
    }

    /// Whether it can be built without a bias.
    pub fn has_optional_bias(self) -> bool {
        self.entry().optional_bias
    }

    /// A layer of this kind with random weights.
    pub(crate) fn layer(self, size: Size, random: &mut Random) -> Box<dyn Layer> {
        (self.entry().new)(size, random)
    }

    /// The names of all kinds with a property, separated by commas.
    pub(crate) fn names(with: impl Fn(Kind) -> bool) -> String {
        let names: Vec<&str> = Kind::ALL.into_iter().filter(|&kind| with(kind)).map(Kind::name).collect();
        names.join(", ")
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Kind {
    type Err = DescriptionError;

    fn from_str(text: &str) -> Result<Kind, DescriptionError> {
        let found = Kind::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| DescriptionError::UnknownKind { found: text.to_owned() })
    }
}
