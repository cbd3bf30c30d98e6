//! The Open Graph Benchmark: ogbn-arxiv as unpacked from its archive.
//!
//! `raw/` holds a file per part, all gzipped CSV without headers: `edge` (source,target),
//! `node-feat` (a row of numbers per node), `node-label`, `num-node-list` (the number of nodes);
//! `split/time/` holds the nodes of `train`, `valid` and `test`, one per line. Citations have a
//! direction in the file; the graph is undirected, as in the papers.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use super::entries::Entries;
use super::error::{Place, ReadError};
use super::rows::{self, bytes_on_disk, collect};
use super::text::Text;
use crate::dataset::{Dataset, Declared};
use crate::features::Features;
use crate::graph::{Direction, Graph};
use crate::labels::Labels;
use crate::limits::{MOST_CLASSES, most_nodes};
use crate::matrix::Matrix;
use crate::split::{Part, Split};

pub(super) const DESCRIBED: &str = "a folder with raw/edge.csv.gz and raw/node-feat.csv.gz (OGB), or its folder raw";

/// The folder itself, or its `raw`.
pub(super) fn looks_like(entries: &Entries) -> bool {
    !entries.is_single_file() && base(entries).is_some()
}

/// The folder that holds `raw` and `split`.
fn base(entries: &Entries) -> Option<PathBuf> {
    let root = entries.root();
    if entries.has_table("edge") && (entries.has_table("node-feat") || entries.has_table("num-node-list")) {
        // Inside `raw`; `..` also works for a link or `.`.
        return Some(root.join(".."));
    }
    table(&root.join("raw"), "edge").map(|_| root.to_owned())
}

fn table(folder: &Path, name: &str) -> Option<PathBuf> {
    [format!("{name}.csv.gz"), format!("{name}.csv")]
        .into_iter()
        .map(|name| folder.join(name))
        .find(|path| path.is_file())
}

/// Reads the folder.
pub(super) fn read(entries: &Entries) -> Result<Dataset, ReadError> {
    let base = base(entries).unwrap_or_else(|| entries.root().to_owned());
    let raw = if entries.has_table("edge") { entries.root().to_owned() } else { base.join("raw") };
    let needed = |name: &str, needed_for: &str| {
        table(&raw, name).ok_or_else(|| ReadError::missing(raw.join(format!("{name}.csv.gz")), needed_for))
    };
    let edges_path = needed("edge", "the edges of the graph")?;
    let count_path = needed("num-node-list", "the number of nodes")?;
    let (features_path, labels_path) = (table(&raw, "node-feat"), table(&raw, "node-label"));

    let files = [Some(&edges_path), features_path.as_ref(), labels_path.as_ref()];
    let nodes = read_count(&count_path, bytes_on_disk(files.into_iter().flatten().map(PathBuf::as_path)))?;
    let edges = rows::edges(Text::open(&edges_path)?, b',', nodes)?;
    let built = Graph::from_edges(nodes, &edges, Direction::Undirected).map_err(ReadError::misfit(&edges_path))?;
    drop(edges);
    let name = match entries.has_table("edge") {
        true => base.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned())),
        false => None,
    };
    let name = name.unwrap_or_else(|| entries.dataset_name());
    let declared = Declared { nodes: true, dimensions: true, classes: false };
    let mut dataset = Dataset::new(name, built.graph, built.dropped).with_declared(declared);
    if let Some(path) = features_path {
        dataset = dataset.with_features(read_features(&path, nodes)?).map_err(ReadError::misfit(&path))?;
    }
    if let Some(path) = labels_path {
        dataset = dataset.with_labels(read_labels(&path, nodes)?).map_err(ReadError::misfit(&path))?;
    }
    let splits = base.join("split").join("time");
    if table(&splits, "train").is_some() {
        dataset = dataset.with_split(read_split(&splits, nodes)?).map_err(ReadError::misfit(&splits))?;
    }
    Ok(dataset)
}

fn read_count(path: &Path, bytes: u64) -> Result<u32, ReadError> {
    let counts = collect(Text::open(path)?, |line| {
        let [count] = line.exactly(b',')?;
        let limit = most_nodes(bytes);
        match count.as_u32()? {
            nodes if nodes <= limit => Ok(nodes),
            _ => {
                let what = "the number of nodes, for files of this size,".to_owned();
                Err(ReadError::TooLarge { place: count.place(), what, limit: u64::from(limit) })
            }
        }
    })?;
    ReadError::check_count(Place::file(path), "graphs", counts.len(), 1)?;
    Ok(counts[0])
}

fn read_features(path: &Path, nodes: u32) -> Result<Features, ReadError> {
    let text = Text::open(path)?;
    // The first line determines the number of columns.
    let width = text.peek_lines(1, |_| true).first().map_or(0, |line| line.line().fields(b',').count());
    let mut values: Vec<f32> = Vec::new();
    let mut rows = 0;
    text.parse(
        |block| {
            let (mut values, mut rows) = (Vec::new(), 0);
            for line in block.lines() {
                let start = values.len();
                for field in line.fields(b',') {
                    values.push(field?.as_f32()?);
                }
                if values.len() - start != width {
                    ReadError::check_count(line.place(0), "features", values.len() - start, width)?;
                }
                rows += 1;
            }
            Ok((values, rows))
        },
        |(block, count)| {
            values.extend(block);
            rows += count;
            Ok(())
        },
    )?;
    ReadError::check_count(Place::file(path), "rows of features", rows, nodes as usize)?;
    Matrix::from_values(nodes as usize, width, values).map(Features::Dense).map_err(ReadError::misfit(path))
}

fn read_labels(path: &Path, nodes: u32) -> Result<Labels, ReadError> {
    let labels = collect(Text::open(path)?, |line| {
        let [label] = line.exactly(b',')?;
        label.as_below(MOST_CLASSES, "class")
    })?;
    ReadError::check_count(Place::file(path), "labels", labels.len(), nodes as usize)?;
    let classes = labels.iter().max().map_or(0, |&largest| largest + 1);
    Labels::new(classes, labels.into_iter().map(Some)).map_err(ReadError::misfit(path))
}

fn read_split(folder: &Path, nodes: u32) -> Result<Split, ReadError> {
    let mut parts = vec![Part::None; nodes as usize];
    for (name, part) in [("train", Part::Train), ("valid", Part::Val), ("test", Part::Test)] {
        let missing = || ReadError::missing(folder.join(format!("{name}.csv.gz")), "a split has three parts");
        let path = table(folder, name).ok_or_else(missing)?;
        let members = collect(Text::open(&path)?, |line| {
            let [node] = line.exactly(b',')?;
            Ok((node.as_node(nodes)?, line.number()))
        })?;
        for (node, line) in members {
            let of = &mut parts[node as usize];
            if *of != Part::None {
                return Err(ReadError::repeated(Place::line(&path, line, 1), format!("part of node {node}")));
            }
            *of = part;
        }
    }
    Ok(Split::new(parts))
}
