//! NetworkX's node-link data: `{"directed": …, "nodes": [{"id": …}], "links": [{"source": …}]}`,
//! also with `edges` for `links`. Nodes and links are added one by one.

use std::fmt;
use std::io::BufReader;
use std::path::Path;

use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};

use super::super::formats::json::Objects;
use super::Network;
use crate::graph::Direction;
use crate::read::text::Source;
use crate::read::{Place, ReadError};

pub(super) fn read(path: &Path) -> Result<Network, ReadError> {
    let mut network = Network::new(path);
    let mut failed = None;
    let mut deserializer = serde_json::Deserializer::from_reader(BufReader::new(Source::open(path)?));
    let whole = Whole { network: &mut network, failed: &mut failed };
    let parts = deserializer.deserialize_map(whole).map_err(ReadError::json(path))?;
    deserializer.end().map_err(ReadError::json(path))?;
    if let Some(error) = failed {
        return Err(error);
    }
    match parts {
        (true, true) => Ok(network),
        (nodes, _) => {
            let missing = if nodes { "links (or edges)" } else { "nodes" };
            Err(ReadError::format(Place::file(path), format!("node-link data without {missing}")))
        }
    }
}

struct Whole<'a> {
    network: &'a mut Network,
    failed: &'a mut Option<ReadError>,
}

impl<'de> Visitor<'de> for Whole<'_> {
    /// Whether there are nodes, and links.
    type Value = (bool, bool);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with nodes and links, as NetworkX writes them")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(bool, bool), A::Error> {
        let (mut nodes, mut links) = (false, false);
        while let Some(key) = map.next_key::<String>()? {
            let (builder, seen) = match key.as_str() {
                "nodes" => (&mut self.network.nodes, &mut nodes),
                "links" | "edges" => (&mut self.network.edges, &mut links),
                "directed" => {
                    let directed = map.next_value::<bool>()?;
                    let direction = if directed { Direction::Directed } else { Direction::Undirected };
                    self.network.direction = Some(direction);
                    continue;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            if std::mem::replace(seen, true) {
                return Err(A::Error::custom(format!("duplicate key {key}")));
            }
            let failed = map.next_value_seed(Objects { builder, failed: None })?;
            if self.failed.is_none() {
                *self.failed = failed;
            }
        }
        Ok((nodes, links))
    }
}
