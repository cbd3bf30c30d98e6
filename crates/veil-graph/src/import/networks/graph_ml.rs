//! GraphML: `key` elements name attributes, `data` elements hold them.
//!
//! Entities are those of XML itself: a file cannot define others, so none can expand. Defaults are
//! copied into each row that lacks the value, so what they take is bounded by the bytes that were
//! read. What other programs nest in `data` (positions, colours) is skipped. Nested graphs,
//! hyperedges and edges with directions of their own are refused.

use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::Path;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::super::table::{Builder, default_bytes, most_default_bytes};
use super::{ENDS, ID, Network};
use crate::graph::Direction;
use crate::read::text::{Source, unwrapped};
use crate::read::{Place, ReadError};

/// An attribute: its name and default.
struct Key {
    name: String,
    default: Option<String>,
    of_nodes: bool,
    of_edges: bool,
}

/// What is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Nothing,
    Key,
    Node,
    Edge,
}

/// The state between two events.
struct State {
    network: Network,
    keys: BTreeMap<String, Key>,
    within: Within,
    /// The key whose default, or whose value, is being read.
    key: Option<String>,
    /// Elements inside of it.
    nested: usize,
    graphs: usize,
    text: String,
    /// The cells of the node or edge so far, by column.
    cells: BTreeMap<String, String>,
    /// What the default values take that were copied into rows so far.
    defaults: u64,
    /// Bytes that were read.
    read: u64,
}

pub(super) fn read(path: &Path) -> Result<Network, ReadError> {
    let mut reader = Reader::from_reader(BufReader::with_capacity(1 << 16, Source::open(path)?));
    reader.config_mut().expand_empty_elements = true;
    let mut state = State {
        network: Network::new(path),
        keys: BTreeMap::new(),
        within: Within::Nothing,
        key: None,
        nested: 0,
        graphs: 0,
        text: String::new(),
        cells: BTreeMap::new(),
        defaults: 0,
        read: 0,
    };
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer);
        let event = match event {
            Ok(event) => event,
            Err(quick_xml::Error::Io(error)) => {
                let error =
                    std::sync::Arc::try_unwrap(error).unwrap_or_else(|error| std::io::Error::other(error.to_string()));
                return Err(unwrapped(path, error));
            }
            Err(error) => return Err(ReadError::format(Place::byte(path, reader.error_position()), error.to_string())),
        };
        let done = matches!(event, Event::Eof);
        let place = || Place::byte(path, reader.buffer_position());
        state.read = reader.buffer_position();
        state.event(event, &place)?;
        let limit = most_default_bytes(state.read);
        if state.defaults > limit {
            let what = "the size of default values, copied into every row,".to_owned();
            return Err(ReadError::TooLarge { place: place(), what, limit });
        }
        if done {
            return if state.graphs == 0 {
                Err(ReadError::format(Place::file(path), "there is no element \"graph\""))
            } else if state.within != Within::Nothing {
                Err(ReadError::format(Place::file(path), "the file ends within an element"))
            } else {
                Ok(state.network)
            };
        }
    }
}

impl State {
    fn event(&mut self, event: Event<'_>, place: &impl Fn() -> Place) -> Result<(), ReadError> {
        match event {
            Event::Start(start) => self.start(&start, place),
            Event::End(end) => self.end(end.local_name().into_inner(), place),
            Event::Text(text) if self.key.is_some() && self.nested == 0 => {
                self.text.push_str(&text.xml_content(XmlVersion::Implicit1_0));
                Ok(())
            }
            Event::CData(text) if self.key.is_some() && self.nested == 0 => {
                self.text.push_str(&text.xml_content(XmlVersion::Implicit1_0));
                Ok(())
            }
            Event::GeneralRef(entity) if self.key.is_some() && self.nested == 0 => {
                let escaped = format!("&{};", &*entity);
                let plain = quick_xml::escape::unescape(&escaped);
                self.text.push_str(&plain.map_err(|error| ReadError::format(place(), error.to_string()))?);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn start(&mut self, element: &BytesStart<'_>, place: &impl Fn() -> Place) -> Result<(), ReadError> {
        let refused = |problem: &str| Err(ReadError::format(place(), problem));
        if self.key.is_some() && !(self.within == Within::Key) {
            self.nested += 1;
            return Ok(());
        }
        match (element.local_name().into_inner(), self.within) {
            ("key", Within::Nothing) => {
                let id = required(element, "id", place)?;
                let domain = attribute(element, "for", place)?.unwrap_or_else(|| "all".to_owned());
                let name = attribute(element, "attr.name", place)?.unwrap_or_else(|| id.clone());
                // The columns of ids have their names already.
                let taken = name == ID || ENDS.contains(&name.as_str());
                let name = if taken { format!("attribute {name}") } else { name };
                let all = domain == "all";
                let key =
                    Key { name, default: None, of_nodes: all || domain == "node", of_edges: all || domain == "edge" };
                if self.keys.insert(id.clone(), key).is_some() {
                    return Err(ReadError::repeated(place(), format!("key {id:?}")));
                }
                (self.within, self.key) = (Within::Key, Some(id));
                self.text.clear();
            }
            ("default", Within::Key) => self.text.clear(),
            ("graph", Within::Nothing) => {
                self.graphs += 1;
                if self.graphs > 1 {
                    return refused("a second graph in one file is not supported");
                }
                self.network.direction = match attribute(element, "edgedefault", place)?.as_deref() {
                    Some("directed") => Some(Direction::Directed),
                    Some("undirected") => Some(Direction::Undirected),
                    None => None,
                    Some(_) => return refused("edgedefault is neither directed nor undirected"),
                };
            }
            ("node", Within::Nothing) => {
                self.within = Within::Node;
                self.cells = BTreeMap::from([(ID.to_owned(), required(element, "id", place)?)]);
            }
            ("edge", Within::Nothing) => {
                let directed = attribute(element, "directed", place)?.map(|it| it == "true" || it == "1");
                if directed.is_some_and(|it| Some(it) != self.network.direction.map(|it| it == Direction::Directed)) {
                    return refused("an edge whose direction differs from that of the graph is not supported");
                }
                self.within = Within::Edge;
                let mut cells = BTreeMap::new();
                for end in ENDS {
                    cells.insert(end.to_owned(), required(element, end, place)?);
                }
                self.cells = cells;
            }
            ("data", Within::Node | Within::Edge) => {
                let id = required(element, "key", place)?;
                if !self.keys.contains_key(&id) {
                    return refused("data of a key that is not declared");
                }
                self.key = Some(id);
                self.text.clear();
            }
            ("graph" | "node" | "edge", Within::Node | Within::Edge) => {
                return refused("graphs within nodes are not supported");
            }
            ("hyperedge", _) => return refused("hyperedges are not supported"),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, element: &str, place: &impl Fn() -> Place) -> Result<(), ReadError> {
        if self.nested > 0 {
            self.nested -= 1;
            return Ok(());
        }
        match (element, self.within) {
            ("default", Within::Key) => {
                let default = self.text.trim().to_owned();
                if let Some(key) = self.key.as_ref().and_then(|id| self.keys.get_mut(id)) {
                    key.default = Some(default);
                }
            }
            ("key", Within::Key) => (self.within, self.key) = (Within::Nothing, None),
            ("data", Within::Node | Within::Edge) => {
                let key = self.key.take().and_then(|id| self.keys.get(&id));
                if let Some(key) = key
                    && self.cells.insert(key.name.clone(), self.text.trim().to_owned()).is_some()
                {
                    return Err(ReadError::repeated(place(), format!("data {:?}", key.name)));
                }
            }
            ("node", Within::Node) => {
                self.within = Within::Nothing;
                let keys = self.keys.values().filter(|key| key.of_nodes);
                self.defaults += add(&mut self.network.nodes, self.read, &mut self.cells, keys)?;
            }
            ("edge", Within::Edge) => {
                self.within = Within::Nothing;
                let keys = self.keys.values().filter(|key| key.of_edges);
                self.defaults += add(&mut self.network.edges, self.read, &mut self.cells, keys)?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// Adds a row, with the defaults of what it does not say; returns what these take.
fn add<'a>(
    builder: &mut Builder,
    read: u64,
    cells: &mut BTreeMap<String, String>,
    keys: impl Iterator<Item = &'a Key>,
) -> Result<u64, ReadError> {
    let mut defaults = 0;
    for key in keys {
        if let Some(default) = &key.default
            && !cells.contains_key(&key.name)
        {
            defaults += default_bytes(default);
            cells.insert(key.name.clone(), default.clone());
        }
    }
    builder.row(None, Some(read), cells.iter().map(|(name, text)| (name.as_str(), text.as_str())))?;
    Ok(defaults)
}

fn required(element: &BytesStart<'_>, name: &str, place: &impl Fn() -> Place) -> Result<String, ReadError> {
    attribute(element, name, place)?
        .ok_or_else(|| ReadError::format(place(), format!("an element without its attribute {name:?}")))
}

fn attribute(element: &BytesStart<'_>, name: &str, place: &impl Fn() -> Place) -> Result<Option<String>, ReadError> {
    let broken = |problem: String| ReadError::format(place(), problem);
    let Some(found) = element.try_get_attribute(name).map_err(|error| broken(error.to_string()))? else {
        return Ok(None);
    };
    let value = found.normalized_value(XmlVersion::Implicit1_0).map_err(|error| broken(error.to_string()))?;
    Ok(Some(value.trim().to_owned()))
}
