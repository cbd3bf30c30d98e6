//! The settings of a run: its method, parameters of that method, and where its data come from.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use veil_learn::method::{self, Method};
use veil_learn::pipeline::{RangeText, SplitChoice, Terms};
use veil_privacy::Declarations;
use veil_privacy::parameters::{Kind, Settings as Parameters};

use super::text::{Invalid, Item};
use crate::outcome::written;

/// Settings that are not parameters of a method. A file of parameters of one training takes them,
/// too.
pub const OF_RUNS: [&str; 6] = ["method", "split", "range", DECLARED, "inference-data", "public-graph"];

/// The setting that names facts which are declared public: a text, or a list of words.
const DECLARED: &str = "declare-public";

/// Options of a training that sweeps do not have, and why.
const NOT_HERE: [(&str, &str); 8] = [
    ("validation-data", "a sweep validates on the training graph"),
    ("evolving", "the graphs of a sweep share no edges"),
    ("ledger", "a sweep is an experiment, and booked in no ledger"),
    ("seed", "`seeds` lists the seeds of the whole sweep"),
    ("config", "a sweep lists its parameters itself"),
    ("edges", "it was replaced by `method` (raw: method = \"gnn\", recipe = \"graph-privatizer\")"),
    ("public", "it is called `public-graph` now"),
    ("out", "`veil lab sweep --out` names the folder of the whole sweep"),
];

/// A value and its line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Setting {
    pub line: usize,
    pub value: Value,
    /// Whether it is for all cases, so that methods without this parameter skip it.
    pub shared: bool,
}

/// Settings by name; a later value replaces an earlier one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Settings(pub BTreeMap<String, Setting>);

/// The values that a setting takes; `None` if there is no such setting.
pub(super) fn kind(name: &str) -> Option<Kind> {
    static KINDS: OnceLock<BTreeMap<String, Kind>> = OnceLock::new();
    let kinds = KINDS.get_or_init(|| {
        let all = method::entries().iter().flat_map(method::Entry::parameters);
        all.map(|it| (it.name, it.kind)).collect()
    });
    // These are texts, and checked when they are read.
    kinds.get(name).copied().or_else(|| OF_RUNS.contains(&name).then_some(Kind::Word(&[])))
}

impl Setting {
    /// Checks a value by itself.
    pub fn of(name: &str, item: Item, shared: bool) -> Result<Setting, Invalid> {
        let line = item.line;
        if let Some((_, why)) = NOT_HERE.iter().find(|(other, _)| *other == name) {
            return Invalid::new(line, format!("`{name}` has no place in a sweep: {why}"));
        }
        let Some(kind) = kind(name) else {
            return Invalid::new(line, format!("`{name}` is not a parameter of any method"));
        };
        let value = if name == DECLARED { joined(item)? } else { json(&item.one()?) };
        let invalid = |problem: String| Invalid { line, problem: format!("{name} = {value}: {problem}") };
        match name {
            "method" => drop(method::find(&written(&value)).map_err(|error| invalid(error.to_string()))?),
            "split" => drop(written(&value).parse::<SplitChoice>().map_err(invalid)?),
            "range" => drop(written(&value).parse::<RangeText>().map_err(invalid)?),
            DECLARED => drop(declared(&written(&value)).map_err(invalid)?),
            "inference-data" | "public-graph" => {}
            _ => drop(kind.accept(&value).map_err(invalid)?),
        }
        Ok(Setting { line, value, shared })
    }

    /// As tables show it and conditions compare it: a number is a number, however it was written.
    pub fn plain(&self) -> Value {
        plain(&self.value)
    }
}

/// Words of a text or a list, as one text.
fn joined(item: Item) -> Result<Value, Invalid> {
    let words = item.some()?.into_iter().map(Item::text).collect::<Result<Vec<String>, Invalid>>()?;
    Ok(Value::from(words.join(",")))
}

fn declared(words: &str) -> Result<Declarations, String> {
    words.parse().map_err(|error: veil_privacy::parameters::UnknownWord| error.to_string())
}

/// A value of the file. JSON has no infinite numbers: they are texts.
pub(super) fn json(value: &toml::Value) -> Value {
    match value {
        toml::Value::Integer(number) => Value::from(*number),
        toml::Value::Float(number) => {
            serde_json::Number::from_f64(*number).map_or_else(|| Value::from(number.to_string()), Value::Number)
        }
        toml::Value::Boolean(truth) => Value::from(*truth),
        toml::Value::String(text) => Value::from(text.clone()),
        other => Value::from(other.to_string()),
    }
}

/// As tables show it and conditions compare it: `"1"`, `1` and `1.0` are one number, and infinity
/// is `"inf"`.
pub(super) fn plain(value: &Value) -> Value {
    let float = |number: f64| match number {
        _ if number.fract() == 0.0 && number.abs() < 9e15 => Value::from(number as i64),
        _ => serde_json::Number::from_f64(number).map_or_else(|| Value::from(number.to_string()), Value::Number),
    };
    match value {
        Value::Number(number) => number.as_f64().map_or_else(|| value.clone(), float),
        Value::String(text) => match (text.parse::<bool>(), text.parse::<f64>()) {
            (Ok(truth), _) => Value::from(truth),
            (_, Ok(number)) => float(number),
            _ => value.clone(),
        },
        other => other.clone(),
    }
}

impl Settings {
    /// Reads what is left of a table.
    pub fn read(entries: Vec<(String, Item)>, shared: bool) -> Result<Settings, Invalid> {
        let mut settings = Settings::default();
        for (name, item) in entries {
            let setting = Setting::of(&name, item, shared)?;
            settings.0.insert(name, setting);
        }
        Ok(settings)
    }

    /// These, overridden by others.
    pub fn and(&self, other: &Settings) -> Settings {
        let mut both = self.clone();
        both.0.extend(other.0.clone());
        both
    }

    fn text(&self, name: &str) -> Option<String> {
        self.0.get(name).map(|setting| written(&setting.value))
    }

    /// The method with its parameters.
    pub fn method(&self) -> Result<Arc<dyn Method>, String> {
        let name = self.text("method").ok_or("`method` is missing")?;
        let entry = method::find(&name).map_err(|error| error.to_string())?;
        let read = entry.parameters();
        let mut parameters = Parameters::default();
        for (name, setting) in self.0.iter().filter(|(name, _)| !OF_RUNS.contains(&name.as_str())) {
            let unread = read.iter().all(|it| it.name != *name);
            // A budget that a method does not read is an error all the same: a table would show it.
            if unread && setting.shared && !name.starts_with("epsilon") {
                continue;
            }
            parameters.insert(name.clone(), setting.value.clone());
        }
        entry.configure(&parameters).map_err(|error| error.to_string())
    }

    /// Whether a run with these settings reads this one. What no method reads is an error
    /// elsewhere.
    pub fn reads(&self, name: &str) -> bool {
        let entry = self.text("method").and_then(|name| method::find(&name).ok());
        OF_RUNS.contains(&name) || entry.is_none_or(|entry| entry.reads(name))
    }

    /// The split, the range, and what is declared public.
    pub fn terms(&self) -> Result<Terms, String> {
        let split = self.text("split").map(|text| text.parse()).transpose()?;
        let RangeText(range) = self.text("range").map(|text| text.parse()).transpose()?.unwrap_or_default();
        let declared = self.text(DECLARED).map(|words| declared(&words)).transpose()?.unwrap_or_default();
        Ok(Terms { split, range, declared, each: false })
    }

    /// Every parameter of a run, by name, with the defaults of its method; none if they do not fit
    /// together. The selected epoch and the split also depend on the data.
    pub fn defaults(&self) -> BTreeMap<String, Value> {
        let settings = self.method().map(|method| method.settings()).unwrap_or_default();
        let mut all: BTreeMap<String, Value> =
            settings.into_map().into_iter().map(|(name, value)| (name, plain(&value))).collect();
        all.remove("select");
        all.insert("range".to_owned(), Value::from("public"));
        all
    }

    /// The graph to answer about.
    pub fn inference(&self, data: &str) -> Option<String> {
        self.other("inference-data", data)
    }

    /// The graph on which a student learns.
    pub fn public_graph(&self, data: &str) -> Option<String> {
        self.other("public-graph", data)
    }

    /// The name of another graph, or a path that begins in the folder of the data (`../public`).
    fn other(&self, setting: &str, data: &str) -> Option<String> {
        let name = self.text(setting)?;
        Some(if name.starts_with("..") { format!("{data}/{name}") } else { name })
    }
}
