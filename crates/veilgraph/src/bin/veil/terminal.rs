//! What standard output and standard error are: their width, and whether they show colours.

use std::io::{stderr, stdout};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

/// The columns of the terminal behind standard output; none in a pipe or a file, which may have
/// lines of any length.
pub fn width() -> Option<usize> {
    terminal_size::terminal_size_of(stdout()).map(|(width, _)| usize::from(width.0)).filter(|width| *width > 0)
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

/// Text whose lines are broken between words where the terminal ends, further in than they begin.
/// Lines that are as wide as they should be, such as those of tables, stay as they are.
pub fn fitted(text: &str) -> String {
    width().map_or_else(|| text.to_owned(), |width| broken(text, width))
}

fn broken(text: &str, width: usize) -> String {
    let fits = |line: &str| line.chars().count() <= width || line.contains(['\u{1b}', '─']);
    let lines = text.lines().map(|line| if fits(line) { line.to_owned() } else { broken_line(line, width) });
    lines.collect::<Vec<String>>().join("\n")
}

fn broken_line(line: &str, width: usize) -> String {
    let indent = line.len() - line.trim_start().len() + 2;
    let mut lines = vec![String::new()];
    for word in line.split_inclusive(' ') {
        let begun = lines.last().is_some_and(|line| !line.trim().is_empty());
        let length = lines.last().map_or(0, |line| line.chars().count());
        if begun && length + word.trim_end().chars().count() > width {
            lines.push(" ".repeat(indent));
        }
        if let Some(last) = lines.last_mut() {
            last.push_str(word);
        }
    }
    lines.iter().map(|line| line.trim_end()).collect::<Vec<&str>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::broken;

    #[test]
    fn long_lines_are_broken_between_words() {
        let text = "short\n  a line of several words\n────────────────────";
        assert_eq!(broken(text, 12), "short\n  a line of\n    several\n    words\n────────────────────");
        assert_eq!(broken(text, 80), text);
        assert_eq!(broken("/a/path/that/is/longer", 8), "/a/path/that/is/longer");
    }
}
