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

use crate::outcome::{Outcome, written};

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
        let point = points.iter().map(|name| outcome.point.get(*name).map_or_else(String::new, written));
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
    Arc::new(values.iter().map(|value| value.map(written)).collect::<StringArray>())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

    use std::collections::BTreeMap;

    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use serde_json::json;

    use super::*;

    fn outcomes() -> Vec<Outcome> {
        let point = |epsilon: Value, rounds: Option<u32>| {
            let mut point = BTreeMap::from([("epsilon-edges".to_owned(), epsilon), ("model".to_owned(), json!("gcn"))]);
            point.extend(rounds.map(|rounds| ("rounds".to_owned(), json!(rounds))));
            point
        };
        let done = Outcome {
            case: "a \"b\", c".to_owned(),
            data: "cora".to_owned(),
            point: point(json!(0.5), Some(2)),
            seed: 7,
            figures: BTreeMap::from([("test_accuracy".to_owned(), 1.0 / 3.0)]),
            seconds: 2.5,
            ..Outcome::default()
        };
        let error = Some("no\nluck".to_owned());
        let failed = Outcome { point: point(json!("inf"), None), figures: BTreeMap::new(), error, ..done.clone() };
        vec![done, failed]
    }

    #[test]
    fn csv_quotes_what_needs_it_and_leaves_out_what_is_not_there() {
        let wanted = "case,data,epsilon-edges,model,rounds,seed,test_accuracy,error,seconds\n\
                      \"a \"\"b\"\", c\",cora,0.5,gcn,2,7,0.3333333333333333,,2.5\n\
                      \"a \"\"b\"\", c\",cora,inf,gcn,,7,,\"no\nluck\",2.5\n";
        assert_eq!(csv(&outcomes()), wanted);
        assert_eq!(csv(&[]), "case,data,seed,error,seconds\n");
    }

    #[test]
    fn parquet_has_the_same_rows_with_types() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("runs.parquet");
        std::fs::write(&path, parquet(&outcomes()).unwrap()).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(path).unwrap()).unwrap();
        let batch = reader.build().unwrap().next().unwrap().unwrap();
        let schema = batch.schema();
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        assert_eq!(names.join(","), csv(&outcomes()).lines().next().unwrap());
        let column = |name: &str| batch.column_by_name(name).unwrap();
        assert_eq!(column("case").as_string::<i32>().value(1), "a \"b\", c");
        assert_eq!(column("epsilon-edges").as_primitive::<Float64Type>().values(), &[0.5, f64::INFINITY]);
        let rounds = column("rounds").as_primitive::<Int64Type>();
        assert!(rounds.value(0) == 2 && rounds.is_null(1));
        assert_eq!(column("seed").as_primitive::<UInt64Type>().values(), &[7, 7]);
        let accuracy = column("test_accuracy").as_primitive::<Float64Type>();
        assert!(accuracy.value(0) == 1.0 / 3.0 && accuracy.is_null(1));
        let errors = column("error").as_string::<i32>();
        assert!(errors.is_null(0) && errors.value(1) == "no\nluck");
        // A sweep that has not begun is a table without rows.
        assert!(!parquet(&[]).unwrap().is_empty());
    }
}
