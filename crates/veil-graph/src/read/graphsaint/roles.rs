//! `class_map.json` and `role.json`: streamed, so that only one class and one part per node is
//! stored.

use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::read::error::ReadError;
use crate::split::{Part, Split};

/// Reads a JSON file with a seed. Errors of the seed get their line and column.
fn read_json<'de, S: DeserializeSeed<'de>>(path: &Path, seed: S) -> Result<S::Value, ReadError> {
    let file = File::open(path).map_err(|error| ReadError::io(path, error))?;
    let mut json = serde_json::Deserializer::from_reader(BufReader::with_capacity(1 << 16, file));
    let value = seed.deserialize(&mut json);
    value.and_then(|value| json.end().map(|()| value)).map_err(ReadError::json(path))
}

/// The class of each node, if given.
pub(super) fn classes(path: &Path, nodes: u32) -> Result<Vec<Option<u32>>, ReadError> {
    read_json(path, ClassMap { nodes })
}

struct ClassMap {
    nodes: u32,
}

impl<'de> DeserializeSeed<'de> for ClassMap {
    type Value = Vec<Option<u32>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ClassMap {
    type Value = Vec<Option<u32>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object that maps nodes to classes")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut classes = vec![None; self.nodes as usize];
        while let Some(key) = map.next_key::<String>()? {
            let shown: String = key.chars().take(40).collect();
            let slot = key.parse().ok().and_then(|node: u32| classes.get_mut(node as usize));
            let slot =
                slot.ok_or_else(|| A::Error::custom(format!("{shown:?} is not one of the {} nodes", self.nodes)))?;
            let class = map.next_value_seed(Class)?;
            if slot.replace(class).is_some() {
                return Err(A::Error::custom(format!("duplicate node {shown}")));
            }
        }
        Ok(classes)
    }
}

/// A class: a number, or a list with a single one.
struct Class;

impl<'de> DeserializeSeed<'de> for Class {
    type Value = u32;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u32, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Class {
    type Value = u32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a class (a whole number from 0 up, or a list with a single 1)")
    }

    fn visit_u64<E: Error>(self, class: u64) -> Result<u32, E> {
        // `Labels` uses the largest number for "no label".
        u32::try_from(class)
            .ok()
            .filter(|&class| class < u32::MAX)
            .ok_or_else(|| E::custom(format!("class {class} is too large")))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<u32, A::Error> {
        let mut class = None;
        let mut place = 0;
        while let Some(value) = list.next_element::<f64>()? {
            let one = value == 1.0;
            if !one && value != 0.0 {
                return Err(A::Error::custom(format!("found {value} in a list of zeros and ones")));
            }
            if one && class.replace(place).is_some() {
                return Err(A::Error::custom("several labels per node are not supported"));
            }
            place += 1;
        }
        class.ok_or_else(|| A::Error::custom("a list without a 1 has no class"))
    }
}

/// The part of each node; nodes that are not listed have none.
pub(super) fn split(path: &Path, nodes: u32) -> Result<Split, ReadError> {
    let parts = RefCell::new(vec![Part::None; nodes as usize]);
    read_json(path, Roles { parts: &parts })?;
    Ok(Split::new(parts.into_inner()))
}

struct Roles<'a> {
    parts: &'a RefCell<Vec<Part>>,
}

impl<'de> DeserializeSeed<'de> for Roles<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Roles<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the lists \"tr\", \"va\" and \"te\"")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut found = [false; 3];
        while let Some(key) = map.next_key::<String>()? {
            let (index, part) = match key.as_str() {
                "tr" => (0, Part::Train),
                "va" => (1, Part::Val),
                "te" => (2, Part::Test),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            if std::mem::replace(&mut found[index], true) {
                return Err(A::Error::custom(format!("duplicate key {key:?}")));
            }
            map.next_value_seed(Role { parts: self.parts, part })?;
        }
        match found.iter().position(|found| !found) {
            Some(index) => Err(A::Error::custom(format!("the list {:?} is missing", ["tr", "va", "te"][index]))),
            None => Ok(()),
        }
    }
}

/// The nodes of one part.
struct Role<'a> {
    parts: &'a RefCell<Vec<Part>>,
    part: Part,
}

impl<'de> DeserializeSeed<'de> for Role<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Role<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of nodes")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut parts = self.parts.borrow_mut();
        let nodes = parts.len();
        while let Some(node) = list.next_element::<i64>()? {
            let slot = usize::try_from(node).ok().and_then(|node| parts.get_mut(node));
            let slot = slot.ok_or_else(|| A::Error::custom(format!("node {node} is not one of the {nodes} nodes")))?;
            if std::mem::replace(slot, self.part) != Part::None {
                return Err(A::Error::custom(format!("duplicate node {node}")));
            }
        }
        Ok(())
    }
}
