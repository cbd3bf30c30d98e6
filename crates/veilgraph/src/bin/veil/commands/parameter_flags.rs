//! Flags of described parameters.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches};
use veil_privacy::parameters::{Described, Kind, Settings};

/// The flag of a parameter. Its help ends with its words in parentheses and its default in
/// brackets.
pub fn flag(parameter: &Described) -> Arg {
    let words = match parameter.kind {
        Kind::Word(words) => format!(" ({})", words.join("|")),
        _ => String::new(),
    };
    let default = match &parameter.value {
        Some(value) if !parameter.help.ends_with(']') => {
            format!(" [{}]", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        }
        _ => String::new(),
    };
    let help = match parameter.help.split_once(" [") {
        Some((help, rest)) => format!("{help}{words} [{rest}"),
        None => format!("{}{words}{default}", parameter.help),
    };
    let name = parameter.name.clone();
    let arg = Arg::new(name.clone()).long(name).help(help).allow_hyphen_values(true).hide_possible_values(true);
    let arg = arg.value_name(parameter.kind.placeholder());
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
