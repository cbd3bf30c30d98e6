//! The planetoid layout (Yang, Cohen, Salakhutdinov 2016): Cora, CiteSeer, PubMed as the GCN paper
//! and PyTorch Geometric read them, from eight files `ind.NAME.*`. `pickle` reads seven of them;
//! this file combines them:
//!
//! - `allx`, `ally`: features and one-hot labels of the nodes 0, 1, …; `y` gives the number of
//!   training nodes (`x` repeats their features and is not read);
//! - `tx`, `ty`: the same of the test nodes, in the order of `test.index`, one node per line;
//! - `graph`: a dict from each node to the list of its neighbours.
//!
//! Missing ids between the others (CiteSeer has 15) are nodes without features, with label 0, which
//! is not a real label but the common convention. The 500 nodes after the training nodes are for
//! validation.

mod pickle;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use pickle::{Csr, Pickle};

use super::arrays::{check_width, labels, node_count, undirected};
use super::entries::Entries;
use super::error::{Place, ReadError};
use super::npy::Source;
use crate::dataset::{Dataset, Declared};
use crate::features::{Features, Sparse};
use crate::graph::NodeId;
use crate::split::{Part, Split};

/// Validation nodes of the public split.
const VALIDATION: usize = 500;

/// The endings of the files.
const ENDINGS: [&str; 8] = ["allx", "ally", "graph", "test.index", "tx", "ty", "x", "y"];

pub(super) const DESCRIBED: &str = "planetoid's ind.NAME.{allx,ally,tx,ty,y,graph,test.index}";

/// Whether these are files of this layout.
pub(super) fn looks_like(entries: &Entries) -> bool {
    entries.names().iter().any(|entry| name_in(entry).is_some())
}

/// `cora` of `ind.cora.allx`.
fn name_in(entry: &str) -> Option<&str> {
    let rest = entry.strip_prefix("ind.")?;
    let name = ENDINGS.iter().find_map(|ending| rest.strip_suffix(ending)?.strip_suffix('.'))?;
    (!name.is_empty()).then_some(name)
}

/// Reads a folder with the files of one data set, or the data set of one of its files.
pub(super) fn read(entries: &Entries) -> Result<Dataset, ReadError> {
    let (folder, name) = locate(entries)?;
    let files = Files { folder, name };
    let known = files.matrix("allx")?;
    let known_labels = files.labels("ally")?;
    let tested = files.matrix("tx")?;
    let tested_labels = files.labels("ty")?;
    let train = files.rows("y")?;
    let graph = files.pickle("graph")?;
    let test = files.test_index(known.rows)?;

    files.check_count("ally", "labels", known_labels.len(), known.rows)?;
    files.check_count("tx", "rows of features", tested.rows, test.len())?;
    files.check_count("ty", "labels", tested_labels.len(), test.len())?;
    files.check_count("tx", "columns of features", tested.columns, known.columns)?;
    if train > known.rows {
        files.check_count("y", "training labels", train, known.rows)?;
    }

    let nodes = test.iter().map(|&node| node as usize + 1).max().unwrap_or(0).max(known.rows);
    let mentioned = known.rows + test.len() + graph.dict(graph.root())?.len();
    if nodes > mentioned {
        let place = Place::file(&files.path("test.index"));
        let problem = format!("test node {} in a graph of {mentioned} nodes", nodes - 1);
        return Err(ReadError::format(place, problem));
    }
    let count = node_count(&Source::file(&files.path("test.index")), nodes)?;
    let links = files.links(&graph, count)?;
    let built = undirected(&files.path("graph"), count, &links)?;

    // The row of `tx` for each node after those of `allx`.
    let mut row_of = vec![None; nodes - known.rows];
    for (row, &node) in test.iter().enumerate() {
        row_of[node as usize - known.rows] = Some(row);
    }
    let mut classes: Vec<Option<u32>> = known_labels.into_iter().map(Some).collect();
    classes.extend(row_of.iter().map(|row| Some(row.map_or(0, |row| tested_labels[row]))));
    let labels = labels(&Source::file(&files.path("ally")), &files.path("ally"), classes, None)?;

    let mut parts = vec![Part::None; nodes];
    parts[..train].fill(Part::Train);
    parts[train..(train + VALIDATION).min(known.rows)].fill(Part::Val);
    test.iter().for_each(|&node| parts[node as usize] = Part::Test);

    let features = files.features(known, &tested, &row_of)?;
    Dataset::new(files.name.as_str(), built.graph, built.dropped)
        .with_features(features)
        .and_then(|dataset| dataset.with_labels(labels))
        .and_then(|dataset| dataset.with_split(Split::new(parts)))
        .map(|dataset| dataset.with_declared(Declared { nodes: true, dimensions: true, classes: true }))
        .map_err(ReadError::misfit(&files.path("graph")))
}

/// The folder and the name of the data set.
fn locate(entries: &Entries) -> Result<(PathBuf, String), ReadError> {
    let folder = match entries.is_single_file() {
        true => entries.root().parent().map_or_else(PathBuf::new, Path::to_owned),
        false => entries.root().to_owned(),
    };
    let mut names: Vec<&str> = entries.names().iter().filter_map(|entry| name_in(entry)).collect();
    names.sort_unstable();
    names.dedup();
    match names[..] {
        [name] => Ok((folder, name.to_owned())),
        [] => Err(ReadError::Missing { path: folder.join("ind.*.graph"), needed_for: "the planetoid layout".into() }),
        _ => {
            let problem = format!(
                "holds several data sets ({}): give one file, such as ind.{}.graph",
                names.join(", "),
                names[0]
            );
            Err(ReadError::Unrecognised { path: folder, problem })
        }
    }
}

/// The files of one data set.
struct Files {
    folder: PathBuf,
    name: String,
}

impl Files {
    fn path(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("ind.{}.{ending}", self.name))
    }

    /// The path of a required file.
    fn existing(&self, ending: &str) -> Result<PathBuf, ReadError> {
        let path = self.path(ending);
        if path.is_file() {
            return Ok(path);
        }
        Err(ReadError::Missing { path, needed_for: format!("the planetoid data set {:?}", self.name) })
    }

    fn pickle(&self, ending: &str) -> Result<Pickle, ReadError> {
        Pickle::open(&self.existing(ending)?)
    }

    fn check_count(&self, ending: &str, what: &'static str, found: usize, declared: usize) -> Result<(), ReadError> {
        ReadError::check_count(Place::file(&self.path(ending)), what, found, declared)
    }

    /// A sparse matrix with valid offsets.
    fn matrix(&self, ending: &str) -> Result<Csr, ReadError> {
        let pickle = self.pickle(ending)?;
        let csr = pickle.csr(pickle.root())?;
        let source = Source::file(&self.path(ending));
        check_width(&source, csr.columns)?;
        let sound = csr.offsets.len().checked_sub(1) == Some(csr.rows)
            && csr.offsets.first() == Some(&0)
            && csr.offsets.last() == Some(&csr.indices.len())
            && csr.offsets.is_sorted()
            && csr.indices.len() == csr.values.len();
        if sound { Ok(csr) } else { Err(source.format("the arrays of the csr_matrix do not fit together")) }
    }

    /// The number of rows of a matrix of one-hot labels.
    fn rows(&self, ending: &str) -> Result<usize, ReadError> {
        let pickle = self.pickle(ending)?;
        Ok(pickle.array(pickle.root())?.sides()?.0)
    }

    /// The position of the one in each row; 0 in a row of zeros, as with `argmax`.
    fn labels(&self, ending: &str) -> Result<Vec<u32>, ReadError> {
        let pickle = self.pickle(ending)?;
        let array = pickle.array(pickle.root())?;
        let (rows, classes) = array.sides()?;
        let values = array.floats()?;
        let mut labels = Vec::with_capacity(rows.min(values.len()));
        if classes == 0 {
            return Err(Source::file(&self.path(ending)).format("no classes"));
        }
        for (row, values) in values.chunks_exact(classes).enumerate() {
            let mut classes = values.iter().zip(0..).filter(|&(&value, _)| value != 0.0).map(|(_, class)| class);
            let label = classes.next().unwrap_or(0);
            if classes.next().is_some() {
                let place = Place::part(&self.path(ending), format!("row {row}"));
                return Err(ReadError::format(place, "several labels per node are not supported"));
            }
            labels.push(label);
        }
        Ok(labels)
    }

    /// The test nodes, distinct, all after those of `allx`.
    fn test_index(&self, known: usize) -> Result<Vec<NodeId>, ReadError> {
        let path = self.existing("test.index")?;
        let bytes = std::fs::read(&path).map_err(|error| ReadError::io(&path, error))?;
        let mut test = Vec::new();
        for (line, text) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
            let text =
                std::str::from_utf8(text).map_err(|_| ReadError::NotUtf8 { place: Place::line(&path, line, 0) })?;
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            let node = text.parse::<NodeId>().ok().filter(|&node| node < NodeId::MAX && node as usize >= known);
            let expected = || format!("a node from {known} on: the others are in allx");
            test.push(node.ok_or_else(|| ReadError::unexpected(Place::line(&path, line, 1), text, expected()))?);
        }
        let mut sorted = test.clone();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => {
                Err(ReadError::Repeated { place: Place::file(&path), what: format!("test node {}", pair[0]) })
            }
            None => Ok(test),
        }
    }

    /// All links of the graph, unchecked for duplicates.
    fn links(&self, graph: &Pickle, nodes: u32) -> Result<Vec<(NodeId, NodeId)>, ReadError> {
        let node = |id| {
            let number = graph.integer(id)?;
            let node = NodeId::try_from(number).ok().filter(|&node| node < nodes);
            node.ok_or_else(|| ReadError::NoSuchNode { place: graph.place(id), id: number.to_string(), nodes })
        };
        let mut links = Vec::new();
        let mut seen = vec![false; nodes as usize];
        for &(key, neighbours) in graph.dict(graph.root())? {
            let source = node(key)?;
            if std::mem::replace(&mut seen[source as usize], true) {
                return Err(ReadError::Repeated { place: graph.place(key), what: format!("node {source}") });
            }
            let neighbours = graph.list(neighbours)?;
            // A pickle can refer to one long list for every node; a genuine one spends bytes on
            // every link.
            if links.len() + neighbours.len() > graph.bytes() {
                let problem = "more links than the file has bytes: its lists are shared";
                return Err(ReadError::format(graph.place(key), problem));
            }
            for &neighbour in neighbours {
                links.push((source, node(neighbour)?));
            }
        }
        Ok(links)
    }

    /// `allx`, then for every later node its row of `tx`, or an empty row.
    fn features(&self, known: Csr, tested: &Csr, row_of: &[Option<usize>]) -> Result<Features, ReadError> {
        let Csr { columns, mut offsets, mut indices, mut values, .. } = known;
        for row in row_of {
            if let Some(row) = *row {
                let range = tested.offsets[row]..tested.offsets[row + 1];
                indices.extend_from_slice(&tested.indices[range.clone()]);
                values.extend_from_slice(&tested.values[range]);
            }
            offsets.push(indices.len());
        }
        let sparse = Sparse::from_parts(offsets, indices, values, columns);
        Ok(Features::Sparse(sparse.map_err(ReadError::misfit(&self.path("allx")))?))
    }
}
