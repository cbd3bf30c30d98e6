//! What a run is told: parameters of `veil train` by their names, and where its data come from.

use std::collections::BTreeMap;

use serde_json::Value;
use veil_graph::{Dataset, DatasetError, Fractions, Part, Split};
use veil_learn::{Method, Parameters};
use veil_privacy::mechanism::ValueRange;
use veil_privacy::release::RangeChoice;

use super::text::{Item, Wrong};

/// Settings that are not parameters of a network or a release.
const ABOUT_DATA: [&str; 4] = ["split", "range", "inference-data", "public"];

/// What is said of `veil train` alone, and why not here.
const NOT_HERE: [(&str, &str); 5] = [
    ("validation-data", "a sweep validates on the training graph"),
    ("evolving", "a sweep takes its graphs as apart"),
    ("ledger", "a sweep is an experiment, and booked nowhere"),
    ("seed", "`seeds` says them for the whole sweep"),
    ("config", "a sweep says its parameters itself"),
];

/// What only methods that release a student read.
const OF_STUDENTS: [&str; 10] =
    ["epsilon", "lambda", "queries", "choose", "release", "gamma", "k", "teachers", "denoise", "teacher"];

/// A value and its line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Setting {
    pub line: usize,
    pub value: toml::Value,
}

/// By name; what is said later counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Settings(pub BTreeMap<String, Setting>);

/// The one name of a setting, where the command line knows two.
pub(super) fn name_of(key: &str) -> &str {
    match key {
        "stages" => "rounds",
        "graph" => "edges",
        other => other,
    }
}

/// Whether there is a setting of this name.
pub(super) fn is_known(name: &str) -> bool {
    // A truth value is wrong for most parameters, and the error tells which of the two was wrong.
    let asked = toml::Table::from_iter([(name.to_owned(), toml::Value::Boolean(true))]);
    let unknown = asked.try_into::<Parameters>().is_err_and(|error| error.message().starts_with("unknown field"));
    ABOUT_DATA.contains(&name) || !unknown
}

/// What the values of a setting are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    /// Numbers, whole or not; an ε is one, also if it is infinite.
    Real,
    /// Whole numbers.
    Whole,
    /// True or false.
    Truth,
    Text,
}

impl Values {
    /// Those of the setting of this name: what it accepts tells.
    pub fn of(name: &str) -> Values {
        let accepts = |value: toml::Value| {
            !ABOUT_DATA.contains(&name)
                && toml::Table::from_iter([(name.to_owned(), value)]).try_into::<Parameters>().is_ok()
        };
        match () {
            () if accepts(toml::Value::Float(0.5)) => Values::Real,
            () if accepts(toml::Value::Integer(1)) => Values::Whole,
            () if accepts(toml::Value::Boolean(true)) => Values::Truth,
            () => Values::Text,
        }
    }
}

impl Setting {
    /// Checks a value alone. A number may be written as a text, as on the command line.
    pub fn of(name: &str, item: Item) -> Result<Setting, Wrong> {
        let line = item.line;
        if let Some((_, why)) = NOT_HERE.iter().find(|(other, _)| *other == name) {
            return Wrong::new(line, format!("`{name}` has no place in a sweep: {why}"));
        }
        if !is_known(name) {
            return Wrong::new(line, format!("`{name}` is no parameter of veil train"));
        }
        let value = item.one()?;
        let wrong = |problem: String| Wrong { line, problem: format!("{name} = {value}: {problem}") };
        match name {
            "split" => drop(Division::parse(&text_of(&value)).map_err(wrong)?),
            "range" => drop(range(&text_of(&value)).map_err(wrong)?),
            "inference-data" | "public" => return Ok(Setting { line, value: toml::Value::String(text_of(&value)) }),
            _ => {
                let tried = |value: toml::Value| {
                    toml::Table::from_iter([(name.to_owned(), value)]).try_into::<Parameters>().map(drop)
                };
                if let Err(error) = tried(value.clone()) {
                    let meant = match &value {
                        toml::Value::String(text) => meant(text).filter(|meant| tried(meant.clone()).is_ok()),
                        _ => None,
                    };
                    let value = meant.ok_or_else(|| wrong(error.message().to_owned()))?;
                    return Ok(Setting { line, value });
                }
            }
        }
        Ok(Setting { line, value })
    }

    /// As tables show it and conditions compare it: a number is a number, however it was written.
    pub fn plain(&self) -> Value {
        plain(&self.value)
    }
}

/// What a text would be without its quotes.
fn meant(text: &str) -> Option<toml::Value> {
    let number = || text.parse().ok().map(toml::Value::Integer);
    let float = || text.parse().ok().map(toml::Value::Float);
    text.parse().ok().map(toml::Value::Boolean).or_else(number).or_else(float)
}

fn text_of(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// As tables show it and conditions compare it: `"1"`, `1` and `1.0` are one number, and what is infinite is `"inf"`.
pub(super) fn plain(value: &toml::Value) -> Value {
    let float = |number: f64| match number {
        _ if number.fract() == 0.0 && number.abs() < 9e15 => Value::from(number as i64),
        _ => serde_json::Number::from_f64(number).map_or_else(|| Value::from(number.to_string()), Value::Number),
    };
    match value {
        toml::Value::Integer(number) => Value::from(*number),
        toml::Value::Float(number) => float(*number),
        toml::Value::Boolean(truth) => Value::from(*truth),
        toml::Value::String(text) => match meant(text) {
            Some(toml::Value::Integer(number)) => Value::from(number),
            Some(toml::Value::Float(number)) => float(number),
            Some(toml::Value::Boolean(truth)) => Value::from(truth),
            _ => Value::from(text.clone()),
        },
        other => Value::from(other.to_string()),
    }
}

impl Settings {
    /// Reads what is left of a table.
    pub fn read(entries: Vec<(String, Item)>) -> Result<Settings, Wrong> {
        let mut settings = Settings::default();
        for (key, item) in entries {
            let (name, line) = (name_of(&key), item.line);
            if settings.0.insert(name.to_owned(), Setting::of(name, item)?).is_some() {
                return Wrong::new(line, format!("`{key}` is another name of `{name}`, which is there already"));
            }
        }
        Ok(settings)
    }

    /// Both; where they differ, the other ones.
    pub fn and(&self, other: &Settings) -> Settings {
        let mut both = self.clone();
        both.0.extend(other.0.clone());
        both
    }

    /// The first of these that is said.
    pub fn first_of<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        names.iter().find(|name| self.0.contains_key(**name)).copied()
    }

    fn text(&self, name: &str) -> Option<String> {
        self.0.get(name).map(|setting| text_of(&setting.value))
    }

    /// Parameters over the defaults of their method, as `veil train` joins them.
    pub fn parameters(&self) -> Result<Parameters, String> {
        let said = self.0.iter().filter(|(name, _)| !ABOUT_DATA.contains(&name.as_str()));
        let said: toml::Table = said.map(|(name, setting)| (name.clone(), setting.value.clone())).collect();
        let text = |error: toml::de::Error| error.message().to_owned();
        let method = toml::Table::try_into::<Parameters>(said.clone()).map_err(text)?.method;
        if method.is_none_or(|method| !method.has_a_student())
            && let Some(name) = OF_STUDENTS.into_iter().find(|&name| said.contains_key(name))
        {
            return Err(format!("{name} goes with a method that releases a student"));
        }
        let defaults = method.map_or_else(Parameters::default, Method::defaults);
        let mut table = toml::Table::try_from(&defaults).map_err(|error| error.to_string())?;
        table.extend(said);
        table.try_into().map_err(text)
    }

    /// Who trains, validates and tests.
    pub fn division(&self) -> Result<Option<Division>, String> {
        self.text("split").map(|text| Division::parse(&text)).transpose()
    }

    /// The range of the features, and in words: two numbers are the same ones however they are written.
    pub fn range(&self) -> Result<(RangeChoice, String), String> {
        let text = self.text("range").unwrap_or_else(|| "public".to_owned());
        Ok(match range(&text)? {
            RangeChoice::Given(given) => (RangeChoice::Given(given), format!("{},{}", given.low(), given.high())),
            other => (other, text),
        })
    }

    /// What a run has if it is not told otherwise: parameters with the defaults of their method, by name. None if they do not go together. Which
    /// epoch is selected, and the split, also depend on the data.
    pub fn defaults(&self) -> BTreeMap<String, Value> {
        let effective = self.parameters().map(|parameters| parameters.effective(true));
        let table = effective.ok().and_then(|parameters| toml::Table::try_from(&parameters).ok()).unwrap_or_default();
        let mut all: BTreeMap<String, Value> = table.into_iter().map(|(name, value)| (name, plain(&value))).collect();
        all.remove("select");
        all.insert("range".to_owned(), Value::from("public"));
        all
    }

    /// The graph to answer about, once trained.
    pub fn inference(&self, data: &str) -> Option<String> {
        self.other("inference-data", data)
    }

    /// The graph on which a student learns.
    pub fn public(&self, data: &str) -> Option<String> {
        self.other("public", data)
    }

    /// The name of another graph, or a path that begins in the folder of the data (`../public`).
    fn other(&self, setting: &str, data: &str) -> Option<String> {
        let name = self.text(setting)?;
        Some(if name.starts_with("..") { format!("{data}/{name}") } else { name })
    }
}

fn range(text: &str) -> Result<RangeChoice, String> {
    match text {
        "public" => return Ok(RangeChoice::Public),
        "data" => return Ok(RangeChoice::FromData),
        _ => {}
    }
    let ends = text.split_once(',');
    let ends = ends.and_then(|(low, high)| Some((low.trim().parse().ok()?, high.trim().parse().ok()?)));
    let (low, high) = ends.ok_or("expected public, data, or two numbers such as 0,1")?;
    ValueRange::new(low, high).map(RangeChoice::Given).map_err(|error| error.to_string())
}

/// Who is for training, validation and testing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Division {
    /// The split of the data.
    Public,
    /// All train.
    All,
    /// By these fractions; the seed of the run decides who.
    Random(Fractions),
}

impl Division {
    fn parse(text: &str) -> Result<Division, String> {
        match text {
            "public" => Ok(Division::Public),
            "all" => Ok(Division::All),
            _ => text.parse().map(Division::Random).map_err(|error: veil_graph::FractionsError| error.to_string()),
        }
    }

    /// The data so divided.
    pub fn of(self, data: Dataset, seed: u64) -> Result<Dataset, DatasetError> {
        let nodes = data.nodes();
        match self {
            Division::Public => Ok(data),
            Division::All => data.with_split(Split::new(vec![Part::Train; nodes as usize])),
            Division::Random(fractions) => data.with_split(Split::random(nodes, fractions, seed)),
        }
    }
}

impl std::fmt::Display for Division {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Division::Public => f.write_str("public"),
            Division::All => f.write_str("all"),
            Division::Random(fractions) => fractions.fmt(f),
        }
    }
}
