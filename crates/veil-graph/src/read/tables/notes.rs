//! Declarations about the whole data set, in the key-value metadata of a file.

use serde::{Deserialize, Serialize};

use super::super::error::{Place, ReadError};
use super::container::Table;

/// The key of [`Notes`].
pub(crate) const NOTES_KEY: &str = "veilgraph.meta";
/// The key of [`Encoding`].
pub(crate) const ENCODING_KEY: &str = "veilgraph.encoding";
/// The version of this layout.
pub(crate) const VERSION: u32 = 1;

/// What the rows do not contain. Floats are written in 64 bits, which hold 32-bit floats exactly.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Notes {
    /// The version of the layout.
    pub(crate) version: u32,
    /// The name of the data set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// Whether edges have a direction.
    #[serde(default)]
    pub(crate) directed: bool,
    /// Whether the edges were withheld; then the table has none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) edges_withheld: bool,
    /// Whether edges are reported rows, in which duplicates are kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) repeated_edges: bool,
    /// The number of feature columns, of which the last may be empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) features: Option<u32>,
    /// The declared public range of the features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) feature_range: Option<(f64, f64)>,
    /// The number of classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) classes: Option<u32>,
    /// Which of these numbers were counted in the data when the tables were written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) counted: Vec<String>,
    /// The facts that the owner declares public for every release.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) declared_public: Vec<String>,
    /// The names of the classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) class_names: Option<Vec<String>>,
}

/// The encoding of signs: offset + scale · sign.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Encoding {
    /// The value without a sign.
    pub(crate) offset: f64,
    /// The factor of a sign.
    pub(crate) scale: f64,
    /// The number of signs per node.
    pub(crate) signs_per_node: usize,
}

impl Notes {
    /// The notes of a table, if any.
    pub(super) fn of(table: &Table) -> Result<Option<Notes>, ReadError> {
        let Some(notes) = note::<Notes>(table, NOTES_KEY)? else { return Ok(None) };
        if notes.version != VERSION {
            let place = Place::part(table.path(), NOTES_KEY);
            return Err(ReadError::unexpected(place, &notes.version.to_string(), format!("version {VERSION}")));
        }
        Ok(Some(notes))
    }
}

/// The parsed value of a key, if present.
pub(super) fn note<T: for<'a> Deserialize<'a>>(table: &Table, key: &str) -> Result<Option<T>, ReadError> {
    let parse = |text| serde_json::from_str(text);
    let invalid = |error: serde_json::Error| ReadError::format(Place::part(table.path(), key), error.to_string());
    table.note(key).map(parse).transpose().map_err(invalid)
}
