//! Features: JSON `{"node": [feature, …], …}` or CSV `node_id,feature_id,value`.

use std::fmt;
use std::path::Path;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};

use super::super::error::{Place, ReadError};
use super::super::rows::{collect, names, open_with_header};
use super::super::text::{parse_u64, read_whole};
use crate::graph::NodeId;
use crate::limits::MOST_FEATURES;

/// The size limit of a JSON file, uncompressed. The largest of the layout has some 50 MB.
const MOST_BYTES: u64 = 1 << 30;

/// Parsed features.
pub(super) struct Entries {
    /// One more than the largest node, with features or without.
    pub(super) nodes: u32,
    /// One more than the largest feature.
    pub(super) width: usize,
    pub(super) triples: Vec<(NodeId, u32, f32)>,
}

impl Entries {
    fn new(nodes: u32, triples: Vec<(NodeId, u32, f32)>) -> Entries {
        let width = triples.iter().map(|&(_, feature, _)| feature as usize + 1).max().unwrap_or(0);
        Entries { nodes, width, triples }
    }
}

/// Lists of features, each with value 1. Duplicate features count once.
pub(super) fn from_json(path: &Path, nodes: u32) -> Result<Entries, ReadError> {
    let bytes = read_whole(path, MOST_BYTES)?;
    let mut rows = Rows { limit: nodes, pairs: Vec::new(), listed: Vec::new() };
    let mut json = serde_json::Deserializer::from_slice(&bytes);
    let parsed = rows.deserialize_into(&mut json).and_then(|()| json.end());
    parsed.map_err(ReadError::json(path))?;
    rows.listed.sort_unstable();
    if let Some(pair) = rows.listed.windows(2).find(|pair| pair[0] == pair[1]) {
        let what = format!("list of node {}", pair[0]);
        return Err(ReadError::Repeated { place: Place::part(path, format!("key {:?}", pair[0].to_string())), what });
    }
    rows.pairs.sort_unstable();
    rows.pairs.dedup();
    let nodes = rows.listed.last().map_or(0, |&largest| largest + 1);
    Ok(Entries::new(nodes, rows.pairs.into_iter().map(|(node, feature)| (node, feature, 1.0)).collect()))
}

/// A row per value.
pub(super) fn from_csv(path: &Path, nodes: u32) -> Result<Entries, ReadError> {
    let (text, header) = open_with_header(path)?;
    if names(&header, b',')? != ["node_id", "feature_id", "value"] {
        return Err(header.line().unexpected("the header \"node_id,feature_id,value\""));
    }
    let triples = collect(text, |line| {
        let [node, feature, value] = line.exactly(b',')?;
        let column = feature.as_u32()?;
        if u64::from(column) >= MOST_FEATURES {
            return Err(feature.unexpected(format!("a feature below {MOST_FEATURES}")));
        }
        Ok((node.as_node(nodes)?, column, value.as_f32()?))
    })?;
    let nodes = triples.iter().map(|&(node, ..)| node + 1).max().unwrap_or(0);
    Ok(Entries::new(nodes, triples))
}

/// The content of the JSON, collected while it is parsed.
struct Rows {
    limit: u32,
    pairs: Vec<(NodeId, u32)>,
    listed: Vec<NodeId>,
}

impl Rows {
    fn deserialize_into<'de, D: serde::Deserializer<'de>>(&mut self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Rows {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object {node: [features]}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(node) = map.next_key_seed(Node(self.limit))? {
            self.listed.push(node);
            map.next_value_seed(List { node, pairs: &mut self.pairs })?;
        }
        Ok(())
    }
}

/// A key: a node.
struct Node(u32);

impl<'de> DeserializeSeed<'de> for Node {
    type Value = NodeId;

    fn deserialize<D: serde::Deserializer<'de>>(self, json: D) -> Result<NodeId, D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for Node {
    type Value = NodeId;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the number of a node below {}", self.0)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<NodeId, E> {
        let number = parse_u64(text.as_bytes()).filter(|&number| number < u64::from(self.0));
        let short: String = text.chars().take(40).collect();
        number.map(|number| number as NodeId).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(&short), &self))
    }
}

/// A value: the features of a node.
struct List<'a> {
    node: NodeId,
    pairs: &'a mut Vec<(NodeId, u32)>,
}

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of feature numbers below {MOST_FEATURES}")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(feature) = list.next_element::<u64>()? {
            if feature >= MOST_FEATURES {
                return Err(A::Error::invalid_value(serde::de::Unexpected::Unsigned(feature), &self));
            }
            self.pairs.push((self.node, feature as u32));
        }
        Ok(())
    }
}
