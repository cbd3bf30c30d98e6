//! Which runs are meant: a partial point, such as `{ case = "gp", epsilon-edges = ["1", "4"] }`.

use serde_json::Value;

use super::settings::{is_known, name_of, plain};
use super::text::{Table, Wrong};
use super::wanted::Wanted;

/// What a run must be. Of a list of values any one will do.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Condition {
    pub line: usize,
    wanted: Vec<(String, Vec<Value>)>,
}

impl Condition {
    pub fn read(table: Table) -> Result<Condition, Wrong> {
        let line = table.line;
        let mut wanted = Vec::new();
        for (key, item) in table.rest() {
            let name = name_of(&key);
            if !["case", "data", "seed"].contains(&name) && !is_known(name) {
                return Wrong::new(item.line, format!("`{key}` is neither case, data, seed nor a parameter"));
            }
            // Names are texts, also where they look like numbers.
            let is_name = name == "case" || name == "data";
            let values = item.some()?.into_iter().map(|item| {
                let value = item.one()?;
                Ok(if let (true, Some(text)) = (is_name, value.as_str()) { Value::from(text) } else { plain(&value) })
            });
            wanted.push((name.to_owned(), values.collect::<Result<_, Wrong>>()?));
        }
        if wanted.is_empty() {
            return Wrong::new(line, "nothing is said about the runs that are meant");
        }
        Ok(Condition { line, wanted })
    }

    /// Whether a run is meant. A run that has no such parameter is not.
    pub fn holds(&self, run: &Wanted) -> bool {
        self.wanted.iter().all(|(name, values)| run.fact(name).is_some_and(|fact| values.contains(&fact)))
    }
}
