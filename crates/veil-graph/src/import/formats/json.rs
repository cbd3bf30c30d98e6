//! JSON: an object per line, or an array of objects.

use std::io::BufReader;
use std::path::Path;

use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::super::error::ImportError;
use super::super::table::{Builder, Table, Wanted};
use super::{Format, Options};
use crate::read::ReadError;
use crate::read::text::{Source, Text};

pub(super) const LINES: Format =
    Format { described: ".jsonl, .ndjson", endings: &["jsonl", "ndjson"], read: read_lines };

pub(super) const ARRAY: Format =
    Format { described: ".json (an array of objects)", endings: &["json"], read: read_array };

fn read_lines(path: &Path, _: Options, wanted: Wanted<'_>) -> Result<Table, ImportError> {
    let mut builder = Builder::new(path, "row");
    let object = |line: crate::read::text::Line<'_>| {
        let object = serde_json::from_slice::<Map<String, Value>>(line.bytes());
        let object = object.map_err(|error| line.unexpected(format!("an object in JSON ({error})")))?;
        Ok((line.number(), object))
    };
    Text::open(path)?.parse(
        |block| block.lines().map(object).collect::<Result<Vec<_>, ReadError>>(),
        |rows| rows.into_iter().try_for_each(|(line, object)| add(&mut builder, Some(line), &object)),
    )?;
    builder.finish(wanted)
}

fn read_array(path: &Path, _: Options, wanted: Wanted<'_>) -> Result<Table, ImportError> {
    let mut builder = Builder::new(path, "element");
    let mut deserializer = serde_json::Deserializer::from_reader(BufReader::new(Source::open(path)?));
    let objects = Objects { builder: &mut builder, failed: None };
    let failed = objects.deserialize(&mut deserializer).map_err(ReadError::json(path))?;
    failed.map_or(Ok(()), Err)?;
    deserializer.end().map_err(ReadError::json(path))?;
    builder.finish(wanted)
}

/// Adds an object as a row.
pub(in crate::import) fn add(
    builder: &mut Builder,
    line: Option<u64>,
    object: &Map<String, Value>,
) -> Result<(), ReadError> {
    let texts: Vec<(&String, String)> = object.iter().map(|(key, value)| (key, text(value))).collect();
    builder.row(line, None, texts.iter().map(|(key, text)| (key.as_str(), text.as_str())))
}

/// A value as the text of a cell.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    }
}

/// The objects of an array, added one by one.
pub(in crate::import) struct Objects<'a> {
    pub(in crate::import) builder: &'a mut Builder,
    pub(in crate::import) failed: Option<ReadError>,
}

impl<'de> DeserializeSeed<'de> for Objects<'_> {
    type Value = Option<ReadError>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<ReadError>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Objects<'_> {
    type Value = Option<ReadError>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an array of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut objects: A) -> Result<Option<ReadError>, A::Error> {
        while let Some(object) = objects.next_element::<Map<String, Value>>()? {
            if self.failed.is_none() {
                self.failed = add(self.builder, None, &object).err();
            }
        }
        Ok(self.failed)
    }
}
