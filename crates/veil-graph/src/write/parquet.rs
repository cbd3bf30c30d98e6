//! Parquet tables, version 1: `edges.parquet` (src, dst) and `nodes.parquet` (node, label, split,
//! features).
//!
//! The key-value metadata of both files hold the rest: name, direction, widths, ranges, class
//! names.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, FixedSizeListBuilder, Float32Builder, ListBuilder, StringBuilder, UInt32Builder, UInt64Builder,
};
use arrow_array::{ArrayRef, Float32Array, RecordBatch, StringArray, UInt32Array};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use super::atomic::{atomically, write_file};
use super::error::WriteError;
use super::folder::counted;
use crate::dataset::Dataset;
use crate::features::Features;
use crate::graph::{Direction, NodeId};
use crate::ids::NodeNames;
use crate::labels::Labels;
use crate::matrix::Matrix;
use crate::read::tables::{ENCODING_KEY, Encoding, NOTES_KEY, TableNotes, VERSION};
use crate::split::Part;

const LEVEL: i32 = 3;

/// Edges, or feature values, per call of the encoder.
const BATCH: usize = 1 << 16;

/// Rows per group. Readers hold the open pages of one group at a time.
const GROUP_ROWS: usize = 1 << 20;

/// Writes a data set as a folder of Parquet tables. Reading it gives the same data set.
///
/// # Errors
/// If `folder` exists, or the system cannot write.
pub fn write_parquet(dataset: &Dataset, folder: &Path) -> Result<(), WriteError> {
    atomically(folder, |temporary| fill_parquet(dataset, temporary))
}

/// Writes the tables into an existing folder, for use inside [`atomically`].
///
/// # Errors
/// If the system cannot write.
pub fn fill_parquet(dataset: &Dataset, folder: &Path) -> Result<(), WriteError> {
    write_edges(dataset, &folder.join("edges.parquet"))?;
    write_nodes(dataset, &folder.join("nodes.parquet"))
}

/// Writes a table of answers about nodes: `node`, `class`, and the probability of each class in a
/// column of its name.
///
/// # Errors
/// If `out` exists, or the system cannot write.
pub fn write_answers(
    out: &Path,
    (nodes, likely): (&[String], &[&str]),
    classes: &[String],
    probabilities: &Matrix,
) -> Result<(), WriteError> {
    let text = |name: &str| Field::new(name, DataType::Utf8, false);
    let each = classes.iter().map(|name| Field::new(name, DataType::Float32, false));
    let schema = Arc::new(Schema::new([text("node"), text("class")].into_iter().chain(each).collect::<Vec<_>>()));
    let column = |class: usize| {
        let values = (0..probabilities.rows()).map(|row| probabilities.row(row)[class]);
        Arc::new(Float32Array::from_iter_values(values)) as ArrayRef
    };
    let named: [ArrayRef; 2] =
        [Arc::new(StringArray::from_iter_values(nodes)), Arc::new(StringArray::from_iter_values(likely))];
    let columns = named.into_iter().chain((0..classes.len()).map(column)).collect();
    let level = ZstdLevel::try_new(LEVEL).map_err(WriteError::content(out))?;
    let properties = WriterProperties::builder().set_compression(Compression::ZSTD(level)).build();
    let mut bytes = Vec::new();
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns).map_err(WriteError::content(out))?;
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties)).map_err(WriteError::content(out))?;
    writer.write(&batch).map_err(WriteError::content(out))?;
    writer.close().map_err(WriteError::content(out))?;
    write_file(out, &bytes)
}

/// A table in progress.
struct Table<'a> {
    path: &'a Path,
    schema: Arc<Schema>,
    writer: ArrowWriter<File>,
}

impl<'a> Table<'a> {
    fn create(path: &'a Path, fields: Vec<Field>, dataset: &Dataset) -> Result<Table<'a>, WriteError> {
        let level = ZstdLevel::try_new(LEVEL).map_err(WriteError::content(path))?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .set_key_value_metadata(Some(notes(dataset, path)?))
            .build();
        let file = File::create_new(path).map_err(WriteError::io(path))?;
        let schema = Arc::new(Schema::new(fields));
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties));
        Ok(Table { path, schema, writer: writer.map_err(WriteError::content(path))? })
    }

    fn add(&mut self, columns: Vec<ArrayRef>) -> Result<(), WriteError> {
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(WriteError::content(self.path))?;
        self.writer.write(&batch).map_err(WriteError::content(self.path))
    }

    fn finish(self) -> Result<(), WriteError> {
        self.writer.close().map_err(WriteError::content(self.path))?;
        Ok(())
    }
}

fn notes(dataset: &Dataset, path: &Path) -> Result<Vec<KeyValue>, WriteError> {
    let labels = dataset.labels();
    let width = |features: &Features| u32::try_from(features.columns()).map_err(WriteError::content(path));
    let notes = TableNotes {
        version: VERSION,
        name: Some(dataset.name().to_owned()),
        directed: dataset.graph().direction() == Direction::Directed,
        edges_withheld: dataset.edges_withheld(),
        repeated_edges: dataset.graph().has_repetitions(),
        features: dataset.features().map(width).transpose()?,
        feature_range: dataset.feature_range().map(|(low, high)| (f64::from(low), f64::from(high))),
        classes: labels.map(Labels::classes),
        counted: counted(dataset).into_iter().map(str::to_owned).collect(),
        declared_public: dataset.public().to_vec(),
        class_names: labels.and_then(Labels::names).map(<[String]>::to_vec),
    };
    let text = |notes: serde_json::Result<String>| notes.map_err(WriteError::content(path));
    let mut keys = vec![KeyValue::new(NOTES_KEY.to_owned(), text(serde_json::to_string(&notes))?)];
    if let Some(Features::Encoded(encoded)) = dataset.features() {
        let encoding = Encoding {
            offset: f64::from(encoded.offset()),
            scale: f64::from(encoded.scale()),
            signs_per_node: encoded.per_row(),
        };
        keys.push(KeyValue::new(ENCODING_KEY.to_owned(), text(serde_json::to_string(&encoding))?));
    }
    Ok(keys)
}

fn name_field(name: &str, names: &NodeNames) -> Field {
    let kind = match names {
        NodeNames::Range(_) => DataType::UInt32,
        NodeNames::Numbers(_) => DataType::UInt64,
        NodeNames::Texts(..) => DataType::Utf8,
    };
    Field::new(name, kind, false)
}

/// The names of these nodes as a column.
fn name_column(names: &NodeNames, nodes: &[NodeId]) -> ArrayRef {
    match names {
        NodeNames::Range(_) => Arc::new(UInt32Array::from(nodes.to_vec())),
        NodeNames::Numbers(numbers) => {
            let mut column = UInt64Builder::with_capacity(nodes.len());
            nodes.iter().for_each(|&node| column.append_value(numbers[node as usize]));
            Arc::new(column.finish())
        }
        NodeNames::Texts(texts, _) => {
            let mut column = StringBuilder::new();
            nodes.iter().for_each(|&node| column.append_value(&texts[node as usize]));
            Arc::new(column.finish())
        }
    }
}

fn write_edges(dataset: &Dataset, path: &Path) -> Result<(), WriteError> {
    let names = dataset.names();
    let mut table = Table::create(path, vec![name_field("src", names), name_field("dst", names)], dataset)?;
    let mut edges = dataset.graph().iter_edges();
    loop {
        let (sources, targets): (Vec<NodeId>, Vec<NodeId>) = edges.by_ref().take(BATCH).unzip();
        if sources.is_empty() {
            return table.finish();
        }
        table.add(vec![name_column(names, &sources), name_column(names, &targets)])?;
    }
}

fn write_nodes(dataset: &Dataset, path: &Path) -> Result<(), WriteError> {
    let mut fields = vec![name_field("node", dataset.names())];
    if dataset.labels().is_some() {
        fields.push(Field::new("label", DataType::UInt32, true));
    }
    if dataset.split().is_some() {
        fields.push(Field::new("split", DataType::Utf8, true));
    }
    fields.extend(feature_fields(dataset.features(), path)?);
    let mut table = Table::create(path, fields, dataset)?;

    // Few enough nodes at a time that the copies of their features stay small.
    let per_node = dataset.features().map_or(1, |features| match features {
        Features::Dense(matrix) => matrix.columns(),
        _ => features.nonzeros() / features.rows().max(1),
    });
    let step = (BATCH * 16 / per_node.max(16)).max(1) as u32;
    let mut start = 0;
    while start < dataset.nodes() {
        let end = start.saturating_add(step).min(dataset.nodes());
        let nodes: Vec<NodeId> = (start..end).collect();
        let mut columns = vec![name_column(dataset.names(), &nodes)];
        if let Some(labels) = dataset.labels() {
            columns.push(Arc::new(nodes.iter().map(|&node| labels.get(node)).collect::<UInt32Array>()));
        }
        if let Some(split) = dataset.split() {
            let mut parts = StringBuilder::new();
            nodes.iter().for_each(|&node| parts.append_option(part_name(split.part(node))));
            columns.push(Arc::new(parts.finish()));
        }
        if let Some(features) = dataset.features() {
            columns.extend(feature_columns(features, start as usize..end as usize));
        }
        table.add(columns)?;
        start = end;
    }
    table.finish()
}

fn part_name(part: Part) -> Option<&'static str> {
    (part != Part::None).then(|| part.name())
}

fn item(kind: DataType) -> Field {
    Field::new("item", kind, false)
}

fn feature_fields(features: Option<&Features>, path: &Path) -> Result<Vec<Field>, WriteError> {
    let list = |name: &str, kind| Field::new(name, DataType::List(Arc::new(item(kind))), false);
    Ok(match features {
        None => Vec::new(),
        // Parquet has no fixed-size lists of length 0.
        Some(Features::Dense(matrix)) if matrix.columns() == 0 => vec![list("features", DataType::Float32)],
        Some(Features::Dense(matrix)) => {
            let width = i32::try_from(matrix.columns()).map_err(WriteError::content(path))?;
            vec![Field::new_fixed_size_list("features", item(DataType::Float32), width, false)]
        }
        Some(Features::Sparse(_)) => {
            vec![list("feature_columns", DataType::UInt32), list("feature_values", DataType::Float32)]
        }
        Some(Features::Encoded(_)) => {
            vec![list("feature_columns", DataType::UInt32), list("feature_signs", DataType::Boolean)]
        }
    })
}

fn feature_columns(features: &Features, rows: std::ops::Range<usize>) -> Vec<ArrayRef> {
    match features {
        Features::Dense(matrix) if matrix.columns() == 0 => {
            let mut lists = ListBuilder::new(Float32Builder::new()).with_field(item(DataType::Float32));
            rows.for_each(|_| lists.append(true));
            vec![Arc::new(lists.finish())]
        }
        Features::Dense(matrix) => {
            let width = matrix.columns() as i32;
            let mut lists = FixedSizeListBuilder::new(Float32Builder::new(), width).with_field(item(DataType::Float32));
            for row in rows {
                lists.values().append_slice(matrix.row(row));
                lists.append(true);
            }
            vec![Arc::new(lists.finish())]
        }
        Features::Sparse(sparse) => {
            let mut columns = ListBuilder::new(UInt32Builder::new()).with_field(item(DataType::UInt32));
            let mut values = ListBuilder::new(Float32Builder::new()).with_field(item(DataType::Float32));
            for row in rows {
                let (at, what) = sparse.row_parts(row);
                columns.values().append_slice(at);
                values.values().append_slice(what);
                columns.append(true);
                values.append(true);
            }
            vec![Arc::new(columns.finish()), Arc::new(values.finish())]
        }
        Features::Encoded(encoded) => {
            let mut columns = ListBuilder::new(UInt32Builder::new()).with_field(item(DataType::UInt32));
            let mut signs = ListBuilder::new(BooleanBuilder::new()).with_field(item(DataType::Boolean));
            for row in rows {
                for (column, sign) in encoded.row(row) {
                    columns.values().append_value(column);
                    signs.values().append_value(sign > 0.0);
                }
                columns.append(true);
                signs.append(true);
            }
            vec![Arc::new(columns.finish()), Arc::new(signs.finish())]
        }
    }
}
