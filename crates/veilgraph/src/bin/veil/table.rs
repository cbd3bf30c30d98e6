//! Tables: aligned, and on a terminal within its width and with colours for what is known about a
//! guarantee; tab-separated in a pipe, where the rows are data.

use anstyle::{AnsiColor, Style};
use comfy_table::{
    Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width,
};
use veil_attack::audit::Verdict;
use veil_privacy::Status;

use crate::output::grouped;
use crate::terminal;

/// The most rows of data that a terminal shows.
const MOST_ROWS: usize = 50;

/// A table; columns whose name starts with `>` are aligned to the right.
pub fn table(columns: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let rows: Vec<Vec<String>> = rows.into_iter().collect();
    laid_out(columns, &rows, terminal::width(), terminal::has_colours())
}

/// A table whose rows are data: tab-separated in a pipe. A terminal shows the first rows, and how
/// to see `all` of them.
pub fn records(columns: &[&str], rows: impl ExactSizeIterator<Item = Vec<String>>, all: &str) -> String {
    let Some(width) = terminal::width() else { return separated(columns, rows) };
    let hidden = rows.len().saturating_sub(MOST_ROWS);
    let shown: Vec<Vec<String>> = rows.take(MOST_ROWS).collect();
    let text = laid_out(columns, &shown, Some(width), terminal::has_colours());
    if hidden == 0 { text } else { format!("{text}\n… and {} more: {all}", grouped(hidden)) }
}

/// One row per line; what would end a field or a line becomes a blank.
fn separated(columns: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = columns.iter().map(|name| name.trim_start_matches('>')).collect::<Vec<&str>>().join("\t");
    for row in rows {
        text.push('\n');
        let fields: Vec<String> = row.iter().map(|field| field.replace(char::is_control, " ")).collect();
        text += &fields.join("\t");
    }
    text
}

/// Within a width: as it is if that fits, else with lines broken between words, else as cards.
fn laid_out(columns: &[&str], rows: &[Vec<String>], width: Option<usize>, colours: bool) -> String {
    let cells = |at: usize| {
        std::iter::once(name(columns[at])).chain(rows.iter().filter_map(move |row| row.get(at)).map(String::as_str))
    };
    let widest = |measure: fn(&str) -> usize| -> Vec<usize> {
        (0..columns.len()).map(|at| cells(at).map(measure).max().unwrap_or(0)).collect()
    };
    // A cell has a blank on either side, and two columns have one between them.
    let total = |widths: &[usize]| widths.iter().map(|width| width + 3).sum::<usize>();
    let words = widest(|text| text.split_whitespace().map(length).max().unwrap_or(0));
    match width {
        Some(width) if total(&widest(lines)) <= width => aligned(columns, rows, None, colours),
        Some(width) if total(&words) <= width => aligned(columns, rows, Some((width, &words)), colours),
        Some(width) => cards(columns, rows, width, colours),
        None => aligned(columns, rows, None, colours),
    }
}

fn name(column: &str) -> &str {
    column.trim_start_matches('>')
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// The longest line of a cell.
fn lines(text: &str) -> usize {
    text.lines().map(length).max().unwrap_or(0)
}

/// Columns side by side; within a width, none narrower than its longest word.
fn aligned(columns: &[&str], rows: &[Vec<String>], within: Option<(usize, &[usize])>, colours: bool) -> String {
    let mut table = Table::new();
    // A line under the header is enough.
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
    if colours {
        table.enforce_styling()
    } else {
        table.force_no_tty()
    };
    let right: Vec<bool> = columns.iter().map(|name| name.starts_with('>')).collect();
    let cell = |text: &str, right: bool| {
        Cell::new(text).set_alignment(if right { CellAlignment::Right } else { CellAlignment::Left })
    };
    table.set_header(columns.iter().zip(&right).map(|(text, &right)| cell(name(text), right)));
    for row in rows {
        table.add_row(row.iter().zip(&right).map(|(text, &right)| {
            let cell = cell(text, right);
            known(text).filter(|_| colours).map_or(cell.clone(), |colour| cell.fg(of_cell(colour)))
        }));
    }
    if let Some((width, words)) = within {
        table.set_width(u16::try_from(width).unwrap_or(u16::MAX)).set_content_arrangement(ContentArrangement::Dynamic);
        let least = |&word: &usize| ColumnConstraint::LowerBoundary(Width::Fixed(word as u16 + 2));
        table.set_constraints(words.iter().map(least));
    }
    table.trim_fmt()
}

/// A row below the other, each column on a line of its own.
fn cards(columns: &[&str], rows: &[Vec<String>], width: usize, colours: bool) -> String {
    let names = columns.iter().skip(1).map(|column| length(name(column))).max().unwrap_or(0);
    let card = |row: &Vec<String>| {
        let mut text = row.first().cloned().unwrap_or_default();
        for (column, value) in columns.iter().zip(row).skip(1).filter(|(_, value)| !value.is_empty()) {
            let colour = known(value).filter(|_| colours).map_or(Style::new(), AnsiColor::on_default);
            for (place, line) in wrapped(value, width.saturating_sub(names + 4)).into_iter().enumerate() {
                let column = if place == 0 { name(column) } else { "" };
                text += &format!("\n  {column:<names$}  {colour}{line}{colour:#}");
            }
        }
        text
    };
    rows.iter().map(card).collect::<Vec<String>>().join("\n\n")
}

/// Lines that are broken between words.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if length(line) + 1 + length(word) <= width => *line += &format!(" {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn of_cell(colour: AnsiColor) -> Color {
    match colour {
        AnsiColor::Green => Color::DarkGreen,
        AnsiColor::Yellow => Color::DarkYellow,
        _ => Color::DarkRed,
    }
}

/// The colour of what is known about a guarantee.
fn known(text: &str) -> Option<AnsiColor> {
    let begins = |word: &str| text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    match () {
        // The known seed of a proven guarantee.
        () if text.contains("NOT PRIVATE") => Some(AnsiColor::Red),
        () if begins(Status::Proven.name()) || text == Verdict::Holds.name() => Some(AnsiColor::Green),
        () if begins(Status::Claimed.name()) => Some(AnsiColor::Yellow),
        () if begins(Status::Refuted.name()) || begins(Verdict::Violated.name()) => Some(AnsiColor::Red),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [&str; 3] = ["method", ">ε", "status"];

    fn rows() -> Vec<Vec<String>> {
        [["lpgnet", "4", "proven"], ["graph-privatizer", "1", "refuted by a counterexample of few bits"]]
            .map(|row| row.map(str::to_owned).to_vec())
            .to_vec()
    }

    #[test]
    fn a_table_has_its_header_and_rows() {
        let text = laid_out(&COLUMNS, &rows(), None, false);
        assert!(text.contains("method") && text.contains("status") && !text.contains(['>', '\u{1b}']), "{text}");
        assert_eq!(text.lines().count(), 4);
    }

    /// As wide as it is, with broken lines, and as cards: never wider than the terminal.
    #[test]
    fn a_table_fits_its_terminal() {
        let counts = [100, 50, 30].map(|width| {
            let text = laid_out(&COLUMNS, &rows(), Some(width), false);
            assert!(text.lines().all(|line| length(line) <= width), "{width}\n{text}");
            for word in ["lpgnet", "graph-privatizer", "proven", "counterexample", "ε"] {
                assert!(text.contains(word), "{word}: {text}");
            }
            (text.lines().count(), text.contains('─'))
        });
        assert_eq!(counts.map(|(_, has_header)| has_header), [true, true, false]);
        assert!(counts[0].0 == 4 && counts[1].0 > 4);
    }

    #[test]
    fn only_words_about_guarantees_have_a_colour() {
        for width in [None, Some(30)] {
            let text = laid_out(&COLUMNS, &rows(), width, true);
            assert!(text.contains("\u{1b}[") && !text.contains("\u{1b}[0mlpgnet"), "{text:?}");
        }
        let colours =
            ["proven", "provenance", "holds", "holds of many", "refuted", "proven, but NOT PRIVATE (seed)", "4"];
        let expected = [
            Some(AnsiColor::Green),
            None,
            Some(AnsiColor::Green),
            None,
            Some(AnsiColor::Red),
            Some(AnsiColor::Red),
            None,
        ];
        assert_eq!(colours.map(known), expected);
    }

    #[test]
    fn data_in_a_pipe_are_fields_and_lines() {
        let rows = [["a\tb", "1", "x"], ["c", "2", "y\nz"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(separated(&COLUMNS, rows.into_iter()), "method\tε\tstatus\na b\t1\tx\nc\t2\ty z");
    }
}
