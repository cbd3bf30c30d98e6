//! Formatting for our tables: integers, short decimals, quoted names.

use std::io::Write;

/// Appends an integer. The tables are mostly integers, and `write!` takes three times as long.
pub(super) fn push_number(text: &mut Vec<u8>, mut number: u32) {
    let mut digits = [0u8; 10];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[start..]);
}

/// Appends the shortest decimal that parses to the value.
pub(super) fn push_value(text: &mut Vec<u8>, value: f32) {
    if value == 1.0 {
        return text.push(b'1');
    }
    // Writing to a vector cannot fail. Far from 1 a plain decimal is mostly zeros.
    let _ = match value.abs() {
        0.0 | 1e-5..1e16 => write!(text, "{value}"),
        _ => write!(text, "{value:e}"),
    };
}

/// Appends a name, quoted if necessary.
pub(super) fn push_name(text: &mut Vec<u8>, name: &str) {
    if name.is_empty() || name.trim() != name || name.contains([',', '"']) {
        text.push(b'"');
        text.extend_from_slice(name.replace('"', "\"\"").as_bytes());
        text.push(b'"');
    } else {
        text.extend_from_slice(name.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(push: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut text = Vec::new();
        push(&mut text);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn numbers_are_written_as_display_writes_them() {
        for number in [0, 7, 10, 99, 100, 65_536, 999_999_999, u32::MAX] {
            assert_eq!(text(|out| push_number(out, number)), number.to_string());
        }
    }

    #[test]
    fn values_are_short_and_survive_a_round_trip() {
        for (value, expected) in
            [(1.0, "1"), (0.1, "0.1"), (-2.5, "-2.5"), (1e-30, "1e-30"), (16_777_216.0, "16777216")]
        {
            assert_eq!(text(|out| push_value(out, value)), expected);
        }
        for value in [f32::MIN_POSITIVE, f32::MAX, 1.0 / 3.0, -1e-45, 1e-5, 0.3 + 1e-7] {
            assert_eq!(text(|out| push_value(out, value)).parse(), Ok(value));
        }
    }

    #[test]
    fn names_are_quoted_only_where_needed() {
        for (name, expected) in
            [("plain", "plain"), ("a,b", "\"a,b\""), ("say \"a\"", "\"say \"\"a\"\"\""), ("", "\"\""), (" x", "\" x\"")]
        {
            assert_eq!(text(|out| push_name(out, name)), expected);
        }
    }
}
