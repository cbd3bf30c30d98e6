//! Flags and a parameter file, joined into parameters.

use std::path::Path;

use serde::Serialize;
use veil_learn::Parameters;

use crate::failure::Failure;

/// Parameters from defaults, over them a TOML file, over that flags: what is said later counts.
pub fn parameters(
    defaults: &Parameters,
    file: Option<&Path>,
    flags: &[&dyn erased::Table],
) -> Result<Parameters, Failure> {
    let mut table = erased::Table::table(defaults)?;
    if let Some(path) = file {
        let text =
            std::fs::read_to_string(path).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
        let said: toml::Table =
            toml::from_str(&text).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
        // Parsed alone first, so that what is wrong in it is shown with its line.
        let _: Parameters =
            toml::from_str(&text).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
        table.extend(said);
    }
    for flags in flags {
        table.extend(flags.table()?);
    }
    toml::Value::Table(table).try_into().map_err(|error: toml::de::Error| Failure::Usage(error.message().to_owned()))
}

/// Anything that can be written as a table.
pub mod erased {
    use super::{Failure, Serialize};

    /// Anything that can be written as a table.
    pub trait Table {
        /// The table.
        fn table(&self) -> Result<toml::Table, Failure>;
    }

    impl<T: Serialize> Table for T {
        fn table(&self) -> Result<toml::Table, Failure> {
            toml::Table::try_from(self).map_err(|error| Failure::Usage(format!("a number is out of range: {error}")))
        }
    }
}
