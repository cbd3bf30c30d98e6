//! Figures as CSV: what `--json` prints, one row for each thing.

use std::path::Path;

use serde::Serialize;
use serde_json::Value;
use veil_graph::write::owner;
use veil_learn::metrics::RocPoint;

use crate::failure::Failure;

/// Writes one row for each of these, for the owner alone. A field of a field is `field_name`, the
/// ends of an interval are `field_low` and `field_high`.
pub fn write_figures(path: &Path, rows: &[impl Serialize]) -> Result<(), Failure> {
    let flat = |row| {
        let mut fields = Vec::new();
        flatten("", &serde_json::to_value(row).map_err(std::io::Error::from)?, &mut fields);
        Ok(fields)
    };
    let rows = rows.iter().map(flat).collect::<Result<Vec<Vec<(String, String)>>, std::io::Error>>()?;
    let mut columns: Vec<&String> = Vec::new();
    for (name, _) in rows.iter().flatten() {
        if !columns.contains(&name) {
            columns.push(name);
        }
    }
    let cells = |row: &Vec<(String, String)>| -> Vec<String> {
        let cell = |column: &&String| row.iter().find(|(name, _)| name == *column).map(|(_, value)| value.clone());
        columns.iter().map(|column| cell(column).unwrap_or_default()).collect()
    };
    write(path, &columns, rows.iter().map(cells))
}

/// Writes the corners of ROC curves, each with the name of what was attacked.
pub fn write_roc<'a>(path: &Path, curves: impl IntoIterator<Item = (&'a str, &'a [RocPoint])>) -> Result<(), Failure> {
    let corners = curves.into_iter().flat_map(|(name, corners)| corners.iter().map(move |corner| (name, corner)));
    let row = |(name, corner): (&str, &RocPoint)| {
        vec![name.to_owned(), corner.false_positive_rate.to_string(), corner.true_positive_rate.to_string()]
    };
    write(path, &["of", "false_positive_rate", "true_positive_rate"], corners.map(row))
}

fn write(path: &Path, columns: &[impl AsRef<str>], rows: impl Iterator<Item = Vec<String>>) -> Result<(), Failure> {
    let header: Vec<String> = columns.iter().map(|name| name.as_ref().to_owned()).collect();
    let mut text = String::new();
    for row in std::iter::once(header).chain(rows) {
        text += &row.iter().map(|cell| quoted(cell)).collect::<Vec<String>>().join(",");
        text.push('\n');
    }
    // Figures of attacks and audits are scores against the truth.
    Ok(owner::write_file(path, text.as_bytes())?)
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

fn flatten(name: &str, value: &Value, into: &mut Vec<(String, String)>) {
    let within = |part: &str| if name.is_empty() { part.to_owned() } else { format!("{name}_{part}") };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(part, value)| flatten(&within(part), value, into)),
        Value::Array(ends) => match &ends[..] {
            [low, high] => {
                flatten(&within("low"), low, into);
                flatten(&within("high"), high, into);
            }
            items => items
                .iter()
                .zip(1..)
                .for_each(|(item, place): (_, u32)| flatten(&within(&place.to_string()), item, into)),
        },
        Value::Null => into.push((name.to_owned(), String::new())),
        Value::String(text) => into.push((name.to_owned(), text.clone())),
        other => into.push((name.to_owned(), other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_of_fields_and_intervals_are_columns() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("figures.csv");
        let rows = [json!({ "a": "x, \"y\"", "ci": [0.25, 1], "in": { "b": null } }), json!({ "a": "z", "c": true })];
        write_figures(&path, &rows).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "a,ci_low,ci_high,in_b,c\n\"x, \"\"y\"\"\",0.25,1,,\nz,,,,true\n");
        assert!(write_figures(&path, &rows).is_err(), "nothing is overwritten");
    }
}
