//! What standard output and standard error are: their width, and whether they show colours.

use std::io::{IsTerminal, stderr, stdout};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

/// The columns of the terminal behind standard output; none in a pipe or a file, which may have
/// lines of any length.
pub fn width() -> Option<usize> {
    let is_terminal = stdout().is_terminal();
    is_terminal.then(|| comfy_table::Table::new().width().map(usize::from)).flatten().filter(|width| *width > 0)
}

/// Whether tables may have colours: on a terminal, without NO_COLOR and TERM=dumb.
pub fn has_colours() -> bool {
    AutoStream::choice(&stdout()) != ColorChoice::Never
}

/// A word before a message on standard error, with its colour where that can be seen.
pub fn marked(word: &str, style: Style) -> String {
    match AutoStream::choice(&stderr()) {
        ColorChoice::Never => word.to_owned(),
        _ => format!("{style}{word}{style:#}"),
    }
}

/// The style of an error.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
/// The style of a warning.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// The style of a hint.
pub const HINT: Style = AnsiColor::Green.on_default();
