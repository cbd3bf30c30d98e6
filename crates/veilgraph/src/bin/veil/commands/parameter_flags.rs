//! Flags of described parameters.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches};
use veil_privacy::parameters::{Described, Kind, Settings};

/// The flag of a parameter.
pub fn flag(parameter: &Described) -> Arg {
    // clap keeps names for the life of the program, and they are made once.
    let name: &'static str = parameter.name.clone().leak();
    let default = match (&parameter.value, parameter.kind) {
        (Some(value), kind) if kind != Kind::Switch && !parameter.help.contains("[default") => {
            format!(" [default: {}]", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        }
        _ => String::new(),
    };
    let help = format!("{}{default}", parameter.help);
    let arg = Arg::new(name).long(name).help(help).value_name(parameter.kind.placeholder()).allow_hyphen_values(true);
    match parameter.kind {
        Kind::Word(words) => arg.value_parser(PossibleValuesParser::new(words)),
        Kind::Switch => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
        _ => arg,
    }
}

/// The values of these parameters that were given.
pub fn settings(matches: &ArgMatches, parameters: &[Described]) -> Settings {
    let given = |it: &Described| Some((it.name.clone(), matches.get_one::<String>(&it.name)?.clone().into()));
    parameters.iter().filter_map(given).collect()
}
