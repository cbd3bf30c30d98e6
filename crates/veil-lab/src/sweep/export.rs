//! Outcomes as tables: one row per run; columns case, data, the parameters of the grid, seed,
//! figures, what is promised about each unit, error, key, seconds. docs/format.md says what they
//! hold.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::ArrowError;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use serde_json::Value;

use veil_privacy::Unit;
use veil_privacy::parameters::Kind;

use super::settings::kind;
use crate::outcome::{Outcome, Promised, written};

/// Why there is no table.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    Arrow(#[from] ArrowError),
    #[error(transparent)]
    Parquet(#[from] ParquetError),
}

/// What a table has columns for besides those that every table has: parameters of the grid, and
/// figures. They are those of the plan, so that a table has the same columns whatever was run, and
/// whatever failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// Parameters of the grid by name.
    pub parameters: BTreeSet<String>,
    /// Figures by name.
    pub figures: BTreeSet<String>,
}

/// The cells of a column, from the first row to the last. What a run does not have is none.
enum Cells {
    Text(Vec<Option<String>>),
    Whole(Vec<Option<i64>>),
    Seeds(Vec<Option<u64>>),
    Real(Vec<Option<f64>>),
    Truth(Vec<Option<bool>>),
}

/// The runs with their keys as columns, by name.
fn table(rows: &[(String, Outcome)], columns: &Columns) -> Vec<(String, Cells)> {
    let mut table = Vec::new();
    let mut add = |name: &str, cells: Cells| table.push((name.to_owned(), cells));
    let text = |of: &dyn Fn(&Outcome) -> Option<String>| Cells::Text(rows.iter().map(|(_, run)| of(run)).collect());
    let real = |of: &dyn Fn(&Outcome) -> Option<f64>| Cells::Real(rows.iter().map(|(_, run)| of(run)).collect());
    add("case", text(&|run| Some(run.case.clone())));
    add("data", text(&|run| Some(run.data.clone())));
    for name in &columns.parameters {
        add(name, parameter(rows.iter().map(|(_, run)| run.point.get(name)), kind(name)));
    }
    add("seed", Cells::Seeds(rows.iter().map(|(_, run)| Some(run.seed)).collect()));
    let found = rows.iter().flat_map(|(_, run)| run.figures.keys());
    for name in columns.figures.iter().chain(found).collect::<BTreeSet<&String>>() {
        add(name, real(&|run| run.figures.get(name).copied()));
    }
    for unit in Unit::ALL.map(Unit::name) {
        add(&format!("{unit}_epsilon"), real(&|run| Some(about(run, unit)?.epsilon.unwrap_or(f64::INFINITY))));
        add(&format!("{unit}_delta"), real(&|run| Some(about(run, unit)?.delta)));
        if unit == "edge-bit" || unit == "edge-set" {
            add(&format!("{unit}_per_relationship"), real(&|run| about(run, unit)?.per_relationship));
        }
        add(&format!("{unit}_status"), text(&|run| Some(about(run, unit)?.status.clone())));
        add(&format!("{unit}_mechanism"), text(&|run| Some(about(run, unit)?.mechanism.clone())));
    }
    add("error", text(&|run| run.error.clone()));
    add("key", Cells::Text(rows.iter().map(|(key, _)| Some(key.clone())).collect()));
    add("seconds", real(&|run| Some(run.seconds)));
    table
}

/// What a run promised about a unit; of several promises the one with the largest ε.
fn about<'o>(run: &'o Outcome, unit: &str) -> Option<&'o Promised> {
    let epsilon = |promise: &Promised| promise.epsilon.unwrap_or(f64::INFINITY);
    let promises = run.promises.iter().filter(|promise| promise.unit == unit);
    promises.max_by(|one, other| epsilon(one).total_cmp(&epsilon(other)))
}

fn parameter<'o>(values: impl Iterator<Item = Option<&'o Value>>, kind: Option<Kind>) -> Cells {
    let number = |value: &Value| value.as_f64().or_else(|| value.as_str()?.parse().ok());
    match kind {
        Some(Kind::Epsilon | Kind::Real) => Cells::Real(values.map(|value| value.and_then(number)).collect()),
        Some(Kind::Whole) => Cells::Whole(values.map(|value| value.and_then(Value::as_i64)).collect()),
        Some(Kind::Switch) => Cells::Truth(values.map(|value| value.and_then(Value::as_bool)).collect()),
        Some(Kind::Word(_)) | None => Cells::Text(values.map(|value| value.map(written)).collect()),
    }
}

impl Cells {
    /// As CSV writes it; empty if there is none.
    fn cell(&self, row: usize) -> String {
        fn shown<T: ToString>(cells: &[Option<T>], row: usize) -> String {
            cells.get(row).and_then(Option::as_ref).map_or_else(String::new, T::to_string)
        }
        match self {
            Cells::Text(cells) => shown(cells, row),
            Cells::Whole(cells) => shown(cells, row),
            Cells::Seeds(cells) => shown(cells, row),
            Cells::Real(cells) => cells.get(row).copied().flatten().map_or_else(String::new, real),
            Cells::Truth(cells) => shown(cells, row),
        }
    }

    fn array(self) -> ArrayRef {
        match self {
            Cells::Text(cells) => Arc::new(StringArray::from(cells)),
            Cells::Whole(cells) => Arc::new(Int64Array::from(cells)),
            Cells::Seeds(cells) => Arc::new(UInt64Array::from(cells)),
            Cells::Real(cells) => Arc::new(Float64Array::from(cells)),
            Cells::Truth(cells) => Arc::new(BooleanArray::from(cells)),
        }
    }
}

/// As short as can be read back, without hundreds of zeros.
fn real(number: f64) -> String {
    let plain = number.to_string();
    if plain.len() <= 24 { plain } else { format!("{number:e}") }
}

/// As CSV (RFC 4180). What a run does not have is empty.
pub fn csv(rows: &[(String, Outcome)], columns: &Columns) -> String {
    let table = table(rows, columns);
    let mut text = line(table.iter().map(|(name, _)| name.clone()));
    for row in 0..rows.len() {
        text += &line(table.iter().map(|(_, cells)| cells.cell(row)));
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

/// As Parquet. The type of a column is that of the parameter, whatever rows are there: numbers
/// (`inf` is one), whole numbers, truth values or texts.
///
/// # Errors
/// If the table cannot be made.
pub fn parquet(rows: &[(String, Outcome)], columns: &Columns) -> Result<Vec<u8>, ExportError> {
    let always = |name: &str| ["case", "data", "seed", "key", "seconds"].contains(&name);
    let table = table(rows, columns).into_iter().map(|(name, cells)| {
        let nullable = !always(&name);
        (name, cells.array(), nullable)
    });
    let batch = RecordBatch::try_from_iter_with_nullable(table)?;
    let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?)).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties))?;
    writer.write(&batch)?;
    Ok(writer.into_inner()?)
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

    fn outcomes() -> Vec<(String, Outcome)> {
        let point = |epsilon: Value, rounds: Option<u32>| {
            let mut point = BTreeMap::from([("epsilon-edges".to_owned(), epsilon), ("model".to_owned(), json!("gcn"))]);
            point.extend(rounds.map(|rounds| ("rounds".to_owned(), json!(rounds))));
            point
        };
        let promise = |unit: &str, epsilon: Option<f64>| Promised {
            unit: unit.to_owned(),
            epsilon,
            status: "proven".to_owned(),
            per_relationship: epsilon.map(|epsilon| 2.0 * epsilon),
            mechanism: "m".to_owned(),
            ..Promised::default()
        };
        let done = Outcome {
            case: "a \"b\", c".to_owned(),
            data: "cora".to_owned(),
            point: point(json!(1), Some(2)),
            seed: 7,
            figures: BTreeMap::from([("test_accuracy".to_owned(), 1.0 / 3.0)]),
            promises: vec![promise("edge-bit", Some(0.5)), promise("edge-bit", Some(1.0)), promise("label", None)],
            seconds: 2.5,
            ..Outcome::default()
        };
        let error = Some("no\nluck".to_owned());
        let (figures, promises) = (BTreeMap::new(), Vec::new());
        let failed = Outcome { point: point(json!("inf"), None), figures, promises, error, ..done.clone() };
        vec![("k1".to_owned(), done), ("k2".to_owned(), failed)]
    }

    fn columns() -> Columns {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Columns {
            parameters: names(&["epsilon-edges", "model", "rounds", "batch-norm"]),
            figures: names(&["lsa_auc", "test_accuracy"]),
        }
    }

    /// A table without what is promised about units that nobody spoke of.
    fn shortened(text: &str) -> String {
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        let keep = |at: &usize| {
            let silent = |unit: &str| lines[0][*at].starts_with(&format!("{unit}_"));
            !["edge", "edge-set", "node", "feature"].into_iter().any(silent)
        };
        let line = |line: &Vec<&str>| (0..line.len()).filter(keep).map(|at| line[at]).collect::<Vec<_>>().join(",");
        lines.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn csv_has_what_was_decided_found_and_promised() {
        let mut rows = outcomes();
        rows.iter_mut().for_each(|(_, run)| run.case = "a".to_owned());
        rows[1].1.error = Some("no luck".to_owned());
        let wanted = "case,data,batch-norm,epsilon-edges,model,rounds,seed,lsa_auc,test_accuracy,label_epsilon,label_delta,\
                      label_status,label_mechanism,edge-bit_epsilon,edge-bit_delta,edge-bit_per_relationship,\
                      edge-bit_status,edge-bit_mechanism,error,key,seconds\n\
                      a,cora,,1,gcn,2,7,,0.3333333333333333,inf,0,proven,m,1,0,2,proven,m,,k1,2.5\n\
                      a,cora,,inf,gcn,,7,,,,,,,,,,,,no luck,k2,2.5";
        assert_eq!(shortened(&csv(&rows, &columns())), wanted);
    }

    #[test]
    fn csv_quotes_what_needs_it_and_numbers_are_short() {
        let text = csv(&outcomes(), &columns());
        assert!(text.contains("\n\"a \"\"b\"\", c\",cora,") && text.contains(",\"no\nluck\",k2,"), "{text}");
        assert_eq!(csv(&[], &columns()).lines().collect::<Vec<_>>(), [text.lines().next().unwrap()]);
        assert_eq!([1e300, 1e-7, 0.1, f64::INFINITY].map(real), ["1e300", "0.0000001", "0.1", "inf"]);
    }

    /// Whatever was run, and whatever failed.
    #[test]
    fn columns_and_their_types_are_those_of_the_plan() {
        let schema = |rows: &[(String, Outcome)]| read(&parquet(rows, &columns()).unwrap()).0;
        let all = schema(&outcomes());
        for rows in [&outcomes()[..1], &outcomes()[1..], &[]] {
            assert_eq!(schema(rows), all);
        }
    }

    fn read(bytes: &[u8]) -> (arrow_schema::SchemaRef, Option<RecordBatch>) {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("runs.parquet");
        std::fs::write(&path, bytes).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(path).unwrap()).unwrap();
        (reader.schema().clone(), reader.build().unwrap().next().transpose().unwrap())
    }

    #[test]
    fn parquet_has_the_same_rows_with_types() {
        let (schema, batch) = read(&parquet(&outcomes(), &columns()).unwrap());
        let batch = batch.unwrap();
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        assert_eq!(names.join(","), csv(&outcomes(), &columns()).lines().next().unwrap());
        let column = |name: &str| batch.column_by_name(name).unwrap();
        assert_eq!(column("case").as_string::<i32>().value(1), "a \"b\", c");
        assert_eq!(column("epsilon-edges").as_primitive::<Float64Type>().values(), &[1.0, f64::INFINITY]);
        assert!(column("batch-norm").as_boolean().is_null(0));
        let rounds = column("rounds").as_primitive::<Int64Type>();
        assert!(rounds.value(0) == 2 && rounds.is_null(1));
        assert_eq!(column("seed").as_primitive::<UInt64Type>().values(), &[7, 7]);
        let accuracy = column("test_accuracy").as_primitive::<Float64Type>();
        assert!(accuracy.value(0) == 1.0 / 3.0 && accuracy.is_null(1));
        assert_eq!(column("label_epsilon").as_primitive::<Float64Type>().value(0), f64::INFINITY);
        let errors = column("error").as_string::<i32>();
        assert!(errors.is_null(0) && errors.value(1) == "no\nluck");
    }
}
