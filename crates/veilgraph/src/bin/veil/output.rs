//! Results: a table for people, JSON for machines.

use std::io::Write;
use std::path::Path;

use serde::Serialize;

pub use veil_lab::outcome::rounded_up;
use veil_learn::metrics::Classification;

use crate::failure::Failure;
pub use crate::table::{records, table, wrapped};
use crate::terminal::{ERROR, HINT, WARNING, fitted, marked};

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
        let text = if self.json { String::new() } else { fitted(&text()) };
        self.show_verbatim(value, &text)
    }

    /// As [`show`](Self::show), for a text whose lines are never broken.
    pub fn show_verbatim(&self, value: &impl Serialize, text: &str) -> Result<(), Failure> {
        let json = self.json.then(|| serde_json::to_string_pretty(value)).transpose().map_err(std::io::Error::from)?;
        let text = json.as_deref().unwrap_or(text);
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
        let _ = writeln!(std::io::stderr(), "{} {text}", marked("warning:", WARNING));
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
            (false, hint) => {
                let hint = hint.map_or_else(String::new, |hint| format!("\n  {} {hint}", marked("hint:", HINT)));
                format!("{} {error}{hint}", marked("error:", ERROR))
            }
        };
        // If even this cannot be written there is nobody to tell.
        let _ = writeln!(std::io::stderr(), "{text}");
    }
}

/// Says that a ledger is locked: always, because whoever waits silently looks broken.
pub fn say_waiting(waiting: &veil_privacy::ledger::Waiting<'_>) {
    let _ = writeln!(std::io::stderr(), "{waiting}");
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

/// A number with so many places after the point.
pub fn fixed(number: f64, places: usize) -> String {
    let text = format!("{number:.places$}");
    match text.strip_prefix('-') {
        Some(rest) if !rest.contains(|digit| ('1'..='9').contains(&digit)) => rest.to_owned(),
        _ => text,
    }
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{} %", fixed(100.0 * share, 1))
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
    fn a_zero_has_no_sign() {
        assert_eq!([-0.0, -1e-9, -0.25, 0.5].map(|it| fixed(it, 3)), ["0.000", "0.000", "-0.250", "0.500"]);
    }
}
