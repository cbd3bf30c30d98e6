//! Which runs are meant: a partial point, such as `{ case = "gp", epsilon-edges = ["1", "4"] }`.
//! What a run is not told has its default, also here.

use serde_json::Value;

use super::settings::{json, kind, plain};
use super::text::{Invalid, Table};
use super::wanted::Wanted;

/// What every run has besides its parameters.
const OF_RUNS: [&str; 3] = ["case", "data", "seed"];

/// What a run must be. Of a list of values any one will do.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Condition {
    pub line: usize,
    wanted: Vec<(String, Vec<Value>)>,
}

impl Condition {
    pub fn read(table: Table) -> Result<Condition, Invalid> {
        let line = table.line;
        let mut wanted = Vec::new();
        for (key, item) in table.rest() {
            let name = known(&key, item.line)?;
            let values = item.some()?.into_iter().map(|item| Ok(value(name, &item.one()?)));
            wanted.push((name.to_owned(), values.collect::<Result<Vec<Value>, Invalid>>()?));
        }
        if wanted.is_empty() {
            return Invalid::new(line, "the condition is empty");
        }
        Ok(Condition { line, wanted })
    }

    /// One that does not stand in the file.
    pub fn new(name: &str, values: &[impl AsRef<str>]) -> Result<Condition, Invalid> {
        let name = known(name, 1)?;
        let values = values.iter().map(|text| value(name, &toml::Value::String(text.as_ref().to_owned()))).collect();
        Ok(Condition { line: 1, wanted: vec![(name.to_owned(), values)] })
    }

    /// Whether a run is meant. A run that has no such parameter is not.
    pub fn holds(&self, run: &Wanted) -> bool {
        let holds = |fact: &Value, values: &[Value]| values.iter().any(|value| is_same(fact, value));
        self.wanted.iter().all(|(name, values)| run.fact(name).is_some_and(|fact| holds(&fact, values)))
    }

    /// Whether it asks about parameters.
    pub fn asks_about_parameters(&self) -> bool {
        self.wanted.iter().any(|(name, _)| !OF_RUNS.contains(&name.as_str()))
    }
}

/// The one name of what a condition asks about.
fn known(key: &str, line: usize) -> Result<&str, Invalid> {
    match OF_RUNS.contains(&key) || kind(key).is_some() {
        true => Ok(key),
        false => Invalid::new(line, format!("`{key}` is neither case, data, seed nor a parameter")),
    }
}

/// Some defaults have fewer digits than they are written with.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => (one - other).abs() <= 1e-7 * one.abs().max(other.abs()),
        _ => one == other,
    }
}

/// Names are texts, also where they look like numbers.
fn value(name: &str, value: &toml::Value) -> Value {
    match value.as_str().filter(|_| name == "case" || name == "data") {
        Some(text) => Value::from(text),
        None => plain(&json(value)),
    }
}
