//! Results: a table for people, JSON for machines.

use std::io::Write;
use std::path::Path;

use comfy_table::{Cell, CellAlignment, LineStyle, Table, TableStyle};
use serde::Serialize;

pub use veil_lab::outcome::rounded_up;
use veil_learn::metrics::Classification;

use crate::failure::Failure;

/// How results are shown.
pub struct Output {
    json: bool,
    quiet: bool,
}

impl Output {
    pub fn new(json: bool, quiet: bool) -> Output {
        Output { json, quiet }
    }

    /// Whether progress may be shown.
    pub fn shows_progress(&self) -> bool {
        !self.quiet && !self.json
    }

    /// Shows a result: `value` to machines, `text` to people.
    pub fn show(&self, value: &impl Serialize, text: impl FnOnce() -> String) -> Result<(), Failure> {
        let text = if self.json { serde_json::to_string_pretty(value).map_err(std::io::Error::from)? } else { text() };
        match writeln!(std::io::stdout(), "{}", text.trim_end()) {
            // Whoever reads has seen enough (`veil … | head`).
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            other => Ok(other?),
        }
    }

    /// Shows what was made in a folder. It is made, whether it can be shown or not.
    pub fn show_made(&self, out: &Path, value: &impl Serialize, text: impl FnOnce() -> String) {
        if let Err(failure) = self.show(value, text) {
            self.warning(&format!("{} is complete, but {failure}", out.display()));
        }
    }

    /// Says something that does not stop the command.
    pub fn warning(&self, text: &str) {
        // A warning that cannot be shown is not worth failing for.
        let _ = writeln!(std::io::stderr(), "warning: {text}");
    }

    /// Says something about what is going on.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(std::io::stderr(), "{text}");
        }
    }

    /// Shows why a command failed.
    pub fn failure(&self, failure: &Failure) {
        let (error, hint) = (failure.to_string(), failure.hint());
        let text = match (self.json, hint) {
            (true, hint) => {
                serde_json::json!({ "error": error, "hint": hint, "exit_code": failure.exit_code() }).to_string()
            }
            (false, Some(hint)) => format!("error: {error}\n  hint: {hint}"),
            (false, None) => format!("error: {error}"),
        };
        // If even this cannot be written there is nobody to tell.
        let _ = writeln!(std::io::stderr(), "{text}");
    }
}

/// Says that a ledger is locked: always, because whoever waits silently looks broken.
pub fn say_waiting(waiting: &veil_privacy::ledger::Waiting<'_>) {
    let _ = writeln!(std::io::stderr(), "{waiting}");
}

/// A table; columns whose name starts with `>` are aligned to the right.
pub fn table(columns: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    // A line under the header is enough.
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
    let right: Vec<bool> = columns.iter().map(|name| name.starts_with('>')).collect();
    let aligned = |(text, &right): (String, &bool)| {
        Cell::new(text).set_alignment(if right { CellAlignment::Right } else { CellAlignment::Left })
    };
    let header = columns.iter().map(|name| name.trim_start_matches('>').to_owned());
    table.set_header(header.zip(&right).map(aligned));
    for row in rows {
        table.add_row(row.into_iter().zip(&right).map(aligned));
    }
    table.to_string()
}

/// The columns of a terminal that is not asked.
pub const COLUMNS: usize = 80;

/// At most so many characters.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// Lines of at most so many characters, broken between words.
pub fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        let length = lines.last().map_or(0, |line| line.chars().count());
        match lines.last_mut() {
            Some(line) if length == 0 || length + 1 + word.chars().count() <= most => {
                if length > 0 {
                    line.push(' ');
                }
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A number with its thousands apart.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// How right answers are, beyond their accuracy: with two classes the rarer one is what matters.
pub fn classified(found: &Classification) -> String {
    let mut text =
        format!("\nmicro-F1 {:.3}, macro-F1 {:.3} over {} nodes", found.micro_f1, found.macro_f1, grouped(found.nodes));
    if let Some(rare) = found.rare.filter(|_| found.per_class.len() == 2) {
        text += &format!(
            "\nrarer class {}: F1 {:.3} (always answering it: {:.3}), ROC-AUC {:.3} ({:.3} to {:.3}), {} of 2 classes predicted",
            rare.class, rare.f1, rare.constant_f1, rare.roc_auc, rare.roc_auc_low, rare.roc_auc_high, rare.predicts
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_apart() {
        assert_eq!([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1,000", "1,234,567"].map(str::to_owned));
    }

    #[test]
    fn a_table_has_its_header_and_rows() {
        let text = table(&["name", ">count"], [vec!["a".to_owned(), "1".to_owned()]]);
        assert!(text.contains("name") && text.contains("count") && !text.contains('>'), "{text}");
    }
}
