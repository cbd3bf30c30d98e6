//! Flags of methods, made from the registry: a method's parameters are flags of the same names.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use serde_json::Value;
use veil_lab::sweep::OF_RUNS;
use veil_learn::Settings;
use veil_learn::method::{self, Entry};
use veil_privacy::parameters::{Described, Group};

use super::parameter_flags::{flag, settings};
use crate::failure::Failure;

const EXAMPLES: &str = "Examples:\n  \
    veil train graph --method lpgnet --stages 2 --epsilon-edges 4 --ledger book.db --out run\n  \
    veil train graph --method degree-vectors --epsilon-edges 2 --epsilon-labels 3 --out run\n  \
    veil train graph --method graph-privatizer --epsilon-edges 1 --epsilon-features 3 \\\n      \
    --epsilon-labels 3 --kx 16 --split 0.5,0.25,0.25 --seed 1 --out run\n  \
    veil train private --method class-sums --public-graph public --epsilon 8 --out run\n  \
    veil train released --truth graph --model sage --out run";

/// The method and its parameters, as far as flags set them.
#[derive(Clone, Debug, Default)]
pub struct MethodFlags {
    method: Option<String>,
    settings: Settings,
}

/// A method with settings from flags and a file.
pub struct Chosen {
    /// The name of the method, if one was named.
    pub method: Option<String>,
    /// Parameters that were set.
    pub settings: Settings,
    /// Flags of the command that a file set.
    pub flags: BTreeMap<&'static str, String>,
}

impl Chosen {
    /// The entry of the method.
    ///
    /// # Errors
    /// If none was named.
    pub fn entry(&self) -> Result<&'static Entry, Failure> {
        let name = self.method.as_deref().ok_or_else(|| {
            let names: Vec<&str> = method::entries().iter().map(|it| it.name).collect();
            Failure::Usage(format!("--method is required: one of {}", names.join(", ")))
        })?;
        Ok(method::find(name)?)
    }
}

impl MethodFlags {
    /// Joins flags with a parameter file, which they override.
    pub fn chosen(&self, file: Option<&Path>) -> Result<Chosen, Failure> {
        let mut settings = match file {
            Some(path) => read(path)?,
            None => Settings::default(),
        };
        let mut take = |name: &str| settings.remove(name).and_then(|value| value.as_str().map(str::to_owned));
        let flags = OF_RUNS.into_iter().filter(|name| *name != "method");
        let flags = flags.filter_map(|name| Some((name, take(name)?))).collect();
        // Taken from the file also where a flag overrides it: it is no parameter.
        let in_file = take("method");
        let method = self.method.clone().or(in_file);
        Ok(Chosen { method, settings: settings.overridden_by(&self.settings), flags })
    }
}

/// A parameter file: `name = value`, one parameter a line.
fn read(path: &Path) -> Result<Settings, Failure> {
    let wrong = |problem: String| Failure::Usage(format!("{}: {problem}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let table: toml::Table = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let json = |value: toml::Value| match value {
        // A list of words, as `declare-public` may be.
        toml::Value::Array(words) if words.iter().all(toml::Value::is_str) => {
            Ok(Value::from(words.iter().filter_map(toml::Value::as_str).collect::<Vec<_>>().join(",")))
        }
        // JSON has no infinite numbers: ε = inf is a text.
        toml::Value::Float(number) if number.is_infinite() => Ok(Value::from("inf")),
        other => serde_json::to_value(other).map_err(|error| wrong(error.to_string())),
    };
    let checked = |(name, value): (String, toml::Value)| {
        let value = json(value)?;
        check(&name, &value).map_err(wrong)?;
        Ok((name, value))
    };
    table.into_iter().map(checked).collect()
}

/// Whether some method reads a parameter of this name and accepts this value.
fn check(name: &str, value: &Value) -> Result<(), String> {
    if name == "method" {
        let method = value.as_str().ok_or_else(|| format!("{name} = {value}: expected the name of a method"))?;
        return method::find(method).map(|_| ()).map_err(|error| error.to_string());
    }
    if OF_RUNS.contains(&name) {
        return value.as_str().map(drop).ok_or_else(|| format!("{name} = {value}: expected a text"));
    }
    let of_this_name = method::entries().iter().flat_map(Entry::parameters).filter(|it| it.name == name);
    let mut problem = format!("unknown parameter {name}");
    for parameter in of_this_name {
        match parameter.kind.accept(value) {
            Ok(_) => return Ok(()),
            Err(expected) => problem = format!("{name} = {value}: {expected}"),
        }
    }
    Err(problem)
}

/// The method that this command line names: help is about its parameters.
fn named() -> Option<String> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let value = |flag: &str| {
        let joined = format!("{flag}=");
        let after = arguments.windows(2).find(|pair| pair[0] == flag).map(|pair| pair[1].clone());
        after
            .or_else(|| arguments.iter().find_map(|it| it.to_str()?.strip_prefix(&joined).map(OsString::from)))
            .and_then(|value| value.into_string().ok())
    };
    value("--method")
}

/// Every parameter of every method once, as its method describes it if that is named.
fn all(named: Option<&Entry>) -> Vec<(Described, bool)> {
    let mut all: Vec<(Described, bool)> = Vec::new();
    let entries = named.into_iter().chain(method::entries());
    for (entry, parameter) in entries.flat_map(|entry| entry.parameters().into_iter().map(move |it| (entry, it))) {
        if all.iter().all(|(it, _)| it.name != parameter.name) {
            let shown = named.is_some_and(|named| named.name == entry.name);
            all.push((parameter, shown));
        }
    }
    all
}

/// Examples of `veil train`, of the named method if there is one.
fn examples(named: Option<&Entry>) -> String {
    let Some(entry) = named else { return EXAMPLES.to_owned() };
    let public = if entry.public_graph { " --public-graph public" } else { "" };
    let parameters = entry.parameters();
    let required = ["epsilon", "epsilon-edges", "epsilon-labels"].into_iter();
    let required = required.filter(|name| parameters.iter().any(|it| it.name == *name && it.value.is_none()));
    let budgets: String = required.map(|name| format!(" --{name} 4")).collect();
    let name = entry.name;
    format!(
        "Example:\n  veil train graph --method {name}{public}{budgets} --out run\n\
         Defaults are in brackets. `veil train --help` lists the flags that all methods share."
    )
}

impl Args for MethodFlags {
    fn augment_args(command: Command) -> Command {
        let named = named().and_then(|name| method::find(&name).ok());
        let about = match named {
            Some(entry) => entry.about.to_owned(),
            None => "Method (see `veil methods`); --method NAME --help lists its parameters".to_owned(),
        };
        let (trains, privatizes) = (command.get_name() == "train", command.get_name() == "privatize");
        let command = if trains { command.after_help(examples(named)) } else { command };
        let command = command.mut_args(|argument| match named {
            Some(entry) => {
                let general = matches!(argument.get_help_heading(), Some("Data" | "Privacy"));
                let essential = match argument.get_id().as_str() {
                    "split" => !entry.public_graph,
                    "public_graph" => entry.public_graph,
                    name => ["ledger", "seed"].contains(&name),
                };
                let hidden = general && !essential || argument.get_id() == "config";
                argument.hide(hidden).help_heading(None)
            }
            None => argument,
        });
        let method = Arg::new("method").long("method").value_name("NAME").help(about);
        all(named).into_iter().fold(command.arg(method), |command, (parameter, shown)| {
            // A release without a training reads no network, and features and labels without a
            // method.
            let shown = match parameter.group {
                Group::Release if privatizes => true,
                Group::Network | Group::Training if privatizes => false,
                _ => shown,
            };
            let argument = flag(&parameter).hide(!shown).help_heading(parameter.group.heading());
            // A truth value follows its flag.
            let argument = argument.num_args(1).require_equals(false);
            command.arg(argument)
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        MethodFlags::augment_args(command)
    }
}

impl FromArgMatches for MethodFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<MethodFlags, Error> {
        let text = |id: &str| matches.get_one::<String>(id).cloned();
        let all: Vec<Described> = all(None).into_iter().map(|(parameter, _)| parameter).collect();
        let settings = settings(matches, &all);
        Ok(MethodFlags { method: text("method"), settings })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = MethodFlags::from_arg_matches(matches)?;
        Ok(())
    }
}
