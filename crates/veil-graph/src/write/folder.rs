//! Our folder format, version 1: small tables and a `meta.json` with their counts.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::atomic::{atomically, replace_file};
use super::blocks::write_gzipped;
use super::csv::{push_name, push_number, push_value};
use super::error::WriteError;
use crate::dataset::{Dataset, Declared};
use crate::features::{Encoded, Features, Sparse};
use crate::graph::{Direction, Graph};
use crate::ids::NodeNames;
use crate::labels::Labels;
use crate::matrix::Matrix;
use crate::read::folder::meta::{Encoding, FORMAT, Meta, SPLIT, TOGETHER};
use crate::read::npy::write_matrix;
use crate::split::{Part, Split};

/// Writes a data set as the folder `out`, as a whole or not at all.
///
/// # Errors
/// If `out` exists, or the system cannot write.
pub fn write_folder(dataset: &Dataset, out: &Path) -> Result<(), WriteError> {
    atomically(out, |folder| fill_folder(dataset, folder))
}

/// Writes the files of a data set into an existing folder, for use inside [`atomically`].
///
/// Withheld edges must not look like an empty graph: there is no `edges.csv`, and `meta.json` has
/// `"edges_withheld": true` instead of a number.
///
/// # Errors
/// If one of the files exists, or the system cannot write.
pub fn fill_folder(dataset: &Dataset, folder: &Path) -> Result<(), WriteError> {
    if !dataset.edges_withheld() {
        write_edges(dataset.graph(), &folder.join("edges.csv"))?;
    }
    match dataset.features() {
        Some(Features::Sparse(sparse)) => write_sparse(sparse, &folder.join("features.csv.gz"))?,
        Some(Features::Encoded(encoded)) => write_encoded(encoded, &folder.join("features.csv.gz"))?,
        Some(Features::Dense(matrix)) => write_dense(matrix, &folder.join("features.npy"))?,
        None => {}
    }
    if let Some(labels) = dataset.labels() {
        write_labels(labels, &folder.join("labels.csv"))?;
        if let Some(names) = labels.names() {
            let names = names.iter().map(String::as_str);
            write_names("label,name\n", names, &folder.join("classes.csv"))?;
        }
    }
    if let Some(split) = dataset.split() {
        write_new(&folder.join("splits.csv"), &split_table(split))?;
    }
    if !matches!(dataset.names(), NodeNames::Range(_)) {
        let names = (0..dataset.nodes()).map(|node| dataset.names().name(node));
        write_names("node,name\n", names, &folder.join("nodes.csv"))?;
    }
    write_meta(dataset, &folder.join("meta.json"))
}

fn write_meta(dataset: &Dataset, path: &Path) -> Result<(), WriteError> {
    let features = dataset.features();
    let meta = Meta {
        format: Some(FORMAT),
        name: Some(dataset.name().to_owned()),
        nodes: Some(u64::from(dataset.nodes())),
        edges: (!dataset.edges_withheld()).then(|| dataset.graph().edges() as u64),
        edges_withheld: dataset.edges_withheld().then_some(true),
        repeated_edges: dataset.graph().has_repetitions().then_some(true),
        directed: Some(dataset.graph().direction() == Direction::Directed),
        features: features.map(|features| features.columns() as u64),
        feature_nonzeros: features.map(|features| features.nonzeros() as u64),
        feature_type: features.map(feature_type),
        feature_range: dataset.feature_range().map(<[f32; 2]>::from),
        encoding: match features {
            Some(Features::Encoded(encoded)) => Some(Encoding {
                offset: encoded.offset(),
                scale: encoded.scale(),
                signs_per_node: encoded.per_row() as u64,
            }),
            _ => None,
        },
        classes: dataset.labels().map(|labels| u64::from(labels.classes())),
        counted: counted(dataset).into_iter().map(str::to_owned).collect(),
        declared_public: dataset.public().to_vec(),
    };
    let mut text = serde_json::to_vec_pretty(&meta).map_err(WriteError::content(path))?;
    text.push(b'\n');
    write_new(path, &text)
}

/// The numbers that were counted in the data, not declared, and how a split was drawn: a reader
/// could not tell otherwise.
pub(super) fn counted(dataset: &Dataset) -> Vec<&'static str> {
    let Declared { nodes, dimensions, classes } = dataset.declared();
    let nodes = (!nodes).then_some("nodes");
    let features = (dataset.features().is_some() && !dimensions).then_some("features");
    let classes = (dataset.labels().is_some() && !classes).then_some("classes");
    let split = dataset.split().map(marks).unwrap_or_default();
    [nodes, features, classes].into_iter().flatten().chain(split).collect()
}

/// How a split was drawn.
fn marks(split: &Split) -> Vec<&'static str> {
    let labels = split.is_from_labels().then_some(SPLIT);
    labels.into_iter().chain(split.is_drawn_together().then_some(TOGETHER)).collect()
}

fn feature_type(features: &Features) -> &'static str {
    let binary = match features {
        Features::Encoded(_) => return "encoded",
        Features::Sparse(sparse) => sparse.values().iter().all(|&value| value == 1.0),
        Features::Dense(matrix) => matrix.values().iter().all(|&value| value == 0.0 || value == 1.0),
    };
    if binary { "binary" } else { "real" }
}

fn write_edges(graph: &Graph, path: &Path) -> Result<(), WriteError> {
    let file = File::create_new(path).map_err(WriteError::io(path))?;
    let mut file = BufWriter::with_capacity(1 << 18, file);
    let mut line = b"src,dst\n".to_vec();
    for (source, target) in graph.iter_edges() {
        push_number(&mut line, source);
        line.push(b',');
        push_number(&mut line, target);
        line.push(b'\n');
        if line.len() >= 1 << 16 {
            file.write_all(&line).map_err(WriteError::io(path))?;
            line.clear();
        }
    }
    file.write_all(&line).and_then(|()| file.flush()).map_err(WriteError::io(path))
}

fn write_sparse(sparse: &Sparse, path: &Path) -> Result<(), WriteError> {
    let ends = ends(sparse.rows(), |row| sparse.row_parts(row).0.len());
    write_gzipped(
        path,
        "node,feature,value\n",
        sparse.rows(),
        |row| ends[row],
        |rows, text| {
            for row in rows {
                append_row(text, row, sparse.row(row));
            }
        },
    )
}

fn write_encoded(encoded: &Encoded, path: &Path) -> Result<(), WriteError> {
    let per_row = encoded.per_row();
    write_gzipped(
        path,
        "node,feature,sign\n",
        encoded.rows(),
        |row| row * per_row,
        |rows, text| {
            for row in rows {
                append_row(text, row, encoded.row(row));
            }
        },
    )
}

/// The number of entries before each row.
fn ends(rows: usize, length: impl Fn(usize) -> usize) -> Vec<usize> {
    let mut ends = Vec::with_capacity(rows + 1);
    let mut end = 0;
    ends.push(end);
    for row in 0..rows {
        end += length(row);
        ends.push(end);
    }
    ends
}

fn append_row(text: &mut Vec<u8>, row: usize, entries: impl Iterator<Item = (u32, f32)>) {
    let mut node = Vec::with_capacity(11);
    push_number(&mut node, row as u32);
    node.push(b',');
    for (column, value) in entries {
        text.extend_from_slice(&node);
        push_number(text, column);
        text.push(b',');
        push_value(text, value);
        text.push(b'\n');
    }
}

fn write_dense(matrix: &Matrix, path: &Path) -> Result<(), WriteError> {
    let file = File::create_new(path).map_err(WriteError::io(path))?;
    let mut file = BufWriter::with_capacity(1 << 18, file);
    write_matrix(&mut file, matrix).and_then(|()| file.flush()).map_err(WriteError::io(path))
}

fn write_labels(labels: &Labels, path: &Path) -> Result<(), WriteError> {
    let mut text = b"node,label\n".to_vec();
    for (node, label) in (0u32..).zip(labels.iter()) {
        if let Some(label) = label {
            push_number(&mut text, node);
            text.push(b',');
            push_number(&mut text, label);
            text.push(b'\n');
        }
    }
    write_new(path, &text)
}

/// Writes a split into an existing folder of our format, atomically replacing any other, and
/// returns its file. `meta.json` keeps how it was drawn.
///
/// # Errors
/// If the folder cannot be written.
pub fn replace_split(split: &Split, folder: &Path) -> Result<PathBuf, WriteError> {
    let (path, packed) = (folder.join("splits.csv"), folder.join("splits.csv.gz"));
    // Marked before it is there, and unmarked after the other is gone.
    let marks = marks(split);
    mark_split(folder, &marks, true)?;
    replace_file(&path, &split_table(split))?;
    // Two tables of the same name would be ambiguous.
    if packed.exists() {
        std::fs::remove_file(&packed).map_err(WriteError::io(&packed))?;
    }
    mark_split(folder, &marks, false)?;
    Ok(path)
}

/// The keys of `meta.json`; none without the file.
pub(super) fn read_meta(path: &Path) -> Result<serde_json::Map<String, serde_json::Value>, WriteError> {
    match std::fs::read(path) {
        Ok(bytes) => {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
            serde_json::from_slice(bytes).map_err(WriteError::content(path))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(serde_json::Map::new()),
        Err(error) => Err(WriteError::io(path)(error)),
    }
}

/// Replaces `meta.json`.
pub(super) fn replace_meta(path: &Path, meta: &serde_json::Map<String, serde_json::Value>) -> Result<(), WriteError> {
    let mut text = serde_json::to_vec_pretty(meta).map_err(WriteError::content(path))?;
    text.push(b'\n');
    replace_file(path, &text)
}

/// Notes in `meta.json` how the split was drawn, and keeps what was noted before if told so; other
/// keys stay.
fn mark_split(folder: &Path, marks: &[&str], keep: bool) -> Result<(), WriteError> {
    let path = folder.join("meta.json");
    let mut meta = read_meta(&path)?;
    let before = meta.get("counted").and_then(serde_json::Value::as_array).cloned().unwrap_or_default();
    let goes = |key: &serde_json::Value| !keep && [SPLIT, TOGETHER].iter().any(|mark| key == mark);
    let mut counted: Vec<serde_json::Value> = before.iter().filter(|key| !goes(key)).cloned().collect();
    let new: Vec<&&str> = marks.iter().filter(|mark| !counted.iter().any(|key| key == **mark)).collect();
    counted.extend(new.into_iter().map(|&mark| mark.into()));
    if counted == before {
        return Ok(());
    }
    if counted.is_empty() {
        meta.remove("counted");
    } else {
        meta.insert("counted".to_owned(), counted.into());
    }
    replace_meta(&path, &meta)
}

fn split_table(split: &Split) -> Vec<u8> {
    let mut text = b"node,split\n".to_vec();
    for (node, part) in (0u32..).zip(split.parts()) {
        if *part != Part::None {
            push_number(&mut text, node);
            text.push(b',');
            text.extend_from_slice(part.name().as_bytes());
            text.push(b'\n');
        }
    }
    text
}

fn write_names<N: AsRef<str>>(header: &str, names: impl Iterator<Item = N>, path: &Path) -> Result<(), WriteError> {
    let mut text = header.as_bytes().to_vec();
    for (number, name) in (0u32..).zip(names) {
        // Our tables are read line by line, so a name must not contain a line break.
        if name.as_ref().contains(['\n', '\r']) {
            return Err(WriteError::content(path)(format!("the name {:?} contains a line break", name.as_ref())));
        }
        push_number(&mut text, number);
        text.push(b',');
        push_name(&mut text, name.as_ref());
        text.push(b'\n');
    }
    write_new(path, &text)
}

fn write_new(path: &Path, content: &[u8]) -> Result<(), WriteError> {
    File::create_new(path).and_then(|mut file| file.write_all(content)).map_err(WriteError::io(path))
}

#[cfg(test)]
mod round_trip;
#[cfg(test)]
mod tests;
