//! Outcomes as tables: one row per run; columns case, data, the parameters of the grid, seed, figures, error, seconds.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::ArrowError;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use serde_json::Value;

use crate::Outcome;

/// Why there is no table.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// Columns do not fit together.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
    /// They cannot be written.
    #[error(transparent)]
    Parquet(#[from] ParquetError),
}

/// The names of all parameters of the grid, and of all figures.
fn names(outcomes: &[Outcome]) -> (BTreeSet<&str>, BTreeSet<&str>) {
    let points = outcomes.iter().flat_map(|outcome| outcome.point.keys().map(String::as_str)).collect();
    let figures = outcomes.iter().flat_map(|outcome| outcome.figures.keys().map(String::as_str)).collect();
    (points, figures)
}

/// As CSV (RFC 4180). What a run does not have is empty.
pub fn csv(outcomes: &[Outcome]) -> String {
    let (points, figures) = names(outcomes);
    let header = ["case", "data"].into_iter().chain(points.iter().copied()).chain(["seed"]);
    let header = header.chain(figures.iter().copied()).chain(["error", "seconds"]).map(str::to_owned);
    let mut text = line(header);
    for outcome in outcomes {
        let point = points.iter().map(|name| outcome.point.get(*name).map_or_else(String::new, plain));
        let of = |name: &&str| outcome.figures.get(*name).map_or_else(String::new, f64::to_string);
        let cells = [outcome.case.clone(), outcome.data.clone()].into_iter().chain(point);
        let cells = cells.chain([outcome.seed.to_string()]).chain(figures.iter().map(of));
        text += &line(cells.chain([outcome.error.clone().unwrap_or_default(), outcome.seconds.to_string()]));
    }
    text
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let quoted = |cell: String| {
        let plain = !cell.contains([',', '"', '\n', '\r']);
        if plain { cell } else { format!("\"{}\"", cell.replace('"', "\"\"")) }
    };
    cells.map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// As Parquet. A parameter of the grid is a column of whole numbers, of numbers (`inf` is one), or of texts, whatever holds all of it.
///
/// # Errors
/// If the table cannot be made.
pub fn parquet(outcomes: &[Outcome]) -> Result<Vec<u8>, ExportError> {
    let (points, figures) = names(outcomes);
    let texts =
        |of: fn(&Outcome) -> &str| -> ArrayRef { Arc::new(StringArray::from_iter_values(outcomes.iter().map(of))) };
    let mut columns: Vec<(&str, ArrayRef, bool)> =
        vec![("case", texts(|outcome| &outcome.case), false), ("data", texts(|outcome| &outcome.data), false)];
    columns.extend(points.into_iter().map(|name| (name, parameter(outcomes, name), true)));
    let seeds = UInt64Array::from_iter_values(outcomes.iter().map(|outcome| outcome.seed));
    columns.push(("seed", Arc::new(seeds), false));
    for name in figures {
        let column: Float64Array = outcomes.iter().map(|outcome| outcome.figures.get(name).copied()).collect();
        columns.push((name, Arc::new(column), true));
    }
    let errors: StringArray = outcomes.iter().map(|outcome| outcome.error.as_deref()).collect();
    columns.push(("error", Arc::new(errors), true));
    let seconds = Float64Array::from_iter_values(outcomes.iter().map(|outcome| outcome.seconds));
    columns.push(("seconds", Arc::new(seconds), false));
    let batch = RecordBatch::try_from_iter_with_nullable(columns)?;
    let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?)).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties))?;
    writer.write(&batch)?;
    Ok(writer.into_inner()?)
}

fn parameter(outcomes: &[Outcome], name: &str) -> ArrayRef {
    let values: Vec<Option<&Value>> = outcomes.iter().map(|outcome| outcome.point.get(name)).collect();
    let number = |value: &Value| value.as_f64().or_else(|| (value == "inf").then_some(f64::INFINITY));
    let there = || values.iter().flatten();
    if there().all(|value| value.is_i64()) {
        return Arc::new(values.iter().map(|value| value.and_then(Value::as_i64)).collect::<Int64Array>());
    }
    if there().all(|value| number(value).is_some()) {
        return Arc::new(values.iter().map(|value| value.and_then(number)).collect::<Float64Array>());
    }
    Arc::new(values.iter().map(|value| value.map(plain)).collect::<StringArray>())
}
