//! How a page was made: version, date and command.

use std::time::{SystemTime, UNIX_EPOCH};

use veil_lab::report::Made;

/// This version, date and command.
pub fn made() -> Made {
    let words: Vec<String> = std::env::args().skip(1).map(|word| quoted(&word)).collect();
    Made { version: env!("CARGO_PKG_VERSION").to_owned(), date: today(), command: format!("veil {}", words.join(" ")) }
}

/// A word, quoted for a shell where necessary.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "_-./,:=+@%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Today's date (UTC), as year-month-day.
fn today() -> String {
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    let (year, month, day) = civil(days);
    format!("{year}-{month:02}-{day:02}")
}

/// The Gregorian date of a number of days after 1970-01-01 (Hinnant, "chrono-compatible low-level
/// date algorithms": years begin in March).
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year + 400 * era + u64::from(month <= 2), month, of_year - (153 * from_march + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_by_hand() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(59), (1970, 3, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_773), (2026, 11, 16));
        assert_eq!(civil(47_541), (2100, 3, 1));
    }

    #[test]
    fn a_word_stays_one_word() {
        let quoted = ["runs/a-1.html", "Edges of Cora", "it's", "", "$HOME"].map(quoted);
        assert_eq!(quoted, ["runs/a-1.html", "'Edges of Cora'", "'it'\\''s'", "''", "'$HOME'"]);
    }
}
