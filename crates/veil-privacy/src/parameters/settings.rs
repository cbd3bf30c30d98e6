//! Values by name, before they are read as parameters of a method.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Values by name. A later value of a name replaces an earlier one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Settings(BTreeMap<String, Value>);

impl Settings {
    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// The text of a word.
    pub fn word(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Value::as_str)
    }

    /// Whether a name has a value.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Sets a value; returns the one that it replaces.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        self.0.insert(name.into(), value.into())
    }

    /// Removes a value.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name)
    }

    /// These, overridden by others.
    pub fn overridden_by(mut self, others: &Settings) -> Settings {
        self.0.extend(others.0.clone());
        self
    }

    /// All of them in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As a map.
    pub fn into_map(self) -> BTreeMap<String, Value> {
        self.0
    }
}

impl<N: Into<String>> FromIterator<(N, Value)> for Settings {
    fn from_iter<I: IntoIterator<Item = (N, Value)>>(values: I) -> Settings {
        Settings(values.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }
}
