//! `meta.json`: the declarations of a folder.

use std::path::{Path, PathBuf};

use crate::limits::{MOST_CLASSES, MOST_FEATURES, most_nodes};
use crate::read::entries::Entries;
use crate::read::error::{Place, ReadError};
use crate::read::rows::bytes_on_disk;
use crate::read::text::read_whole;

pub(super) const NAME: &str = "meta.json";

/// The key of a split that was drawn with the labels in view.
pub(crate) const SPLIT: &str = "split";

/// The key of a split that was drawn over all nodes.
pub(crate) const TOGETHER: &str = "split-together";

/// The version of the format.
pub(crate) const FORMAT: u64 = 1;

const LARGEST_FILE: u64 = 1 << 20;

/// The keys of `meta.json`, in the order in which they are written. All are optional; unknown ones
/// are ignored.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Meta {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) format: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) edges: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) edges_withheld: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) repeated_edges: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) directed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) features: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) feature_nonzeros: Option<u64>,
    /// For other readers; not read here.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub(crate) feature_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) feature_range: Option<[f32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) encoding: Option<Encoding>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) classes: Option<u64>,
    /// Which of these numbers were counted in the data when the folder was written, and `split` if
    /// the split was drawn with the labels in view.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) counted: Vec<String>,
    /// The facts that the owner declares public for every release.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) declared_public: Vec<String>,
}

/// The encoding of features: offset + scale × sign, with `signs_per_node` signs per node.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Encoding {
    pub(crate) offset: f32,
    pub(crate) scale: f32,
    pub(crate) signs_per_node: u64,
}

impl Meta {
    /// Whether the writer computed something from the data.
    pub(super) fn counts(&self, key: &str) -> bool {
        self.counted.iter().any(|counted| counted == key)
    }

    /// Reads and checks `meta.json`; without the file, nothing is declared.
    pub(super) fn read(entries: &Entries) -> Result<Meta, ReadError> {
        if !entries.has(NAME) {
            return Ok(Meta::default());
        }
        let path = entries.path(NAME);
        let bytes = read_whole(&path, LARGEST_FILE)?;
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        let meta: Meta = serde_json::from_slice(bytes).map_err(ReadError::json(&path))?;
        meta.check(&path, entries)?;
        Ok(meta)
    }

    fn check(&self, path: &Path, entries: &Entries) -> Result<(), ReadError> {
        if let Some(format) = self.format.filter(|&format| format != FORMAT) {
            let place = Place::part(path, "format");
            return Err(ReadError::unexpected(place, &format.to_string(), format!("version {FORMAT} of the format")));
        }
        let limits = [
            ("nodes", self.nodes, u64::from(most_nodes_of(entries))),
            ("features", self.features, MOST_FEATURES),
            ("classes", self.classes, MOST_CLASSES),
        ];
        for (key, declared, limit) in limits {
            if declared.is_some_and(|declared| declared > limit) {
                let what = format!("the number of {key}");
                return Err(ReadError::TooLarge { place: Place::part(path, key), what, limit });
            }
        }
        if self.repeated_edges == Some(true) && self.directed != Some(true) {
            let problem = "only directed edges can be repeated";
            return Err(ReadError::format(Place::part(path, "repeated_edges"), problem));
        }
        let Some(encoding) = self.encoding else { return Ok(()) };
        let broken = |problem: &str| Err(ReadError::format(Place::part(path, "encoding"), problem));
        if !(encoding.offset.is_finite() && encoding.scale.is_finite()) {
            return broken("offset and scale must be finite 32-bit numbers");
        }
        if encoding.signs_per_node == 0 || self.features.is_some_and(|features| encoding.signs_per_node > features) {
            return broken("signs_per_node must be at least 1 and at most the number of features");
        }
        Ok(())
    }
}

/// The path of `meta.json`, which need not exist.
pub(super) fn path(entries: &Entries) -> PathBuf {
    entries.path(NAME)
}

/// The limit for nodes, from the size of all files of the folder.
pub(super) fn most_nodes_of(entries: &Entries) -> u32 {
    let paths: Vec<PathBuf> = entries.names().iter().map(|name| entries.path(name)).collect();
    most_nodes(bytes_on_disk(paths.iter().map(PathBuf::as_path)))
}
