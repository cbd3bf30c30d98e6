//! Reading data sets: [`open`] recognises the layout of a path and calls its reader.
//!
//! A layout is recognised by file names only ([`Entries`]); its reader validates the content. To
//! add a layout: a module with `DESCRIBED`, `looks_like` and `read`, and a line in the table below.
//! All text readers share `text`; `error` holds errors with their place in a file. `predictions`
//! reads the predictions of a run, `values` reads one number per node.

mod adjacency;
mod arrays;
mod edge_list;
mod entries;
mod error;
pub(crate) mod folder;
mod geom_gcn;
mod graphsaint;
pub(crate) mod headers;
mod matrix_market;
mod musae;
mod networks;
pub(crate) mod npy;
mod npz;
mod ogb;
mod planetoid;
mod predictions;
mod reddit;
mod rows;
pub(crate) mod tables;
pub(crate) mod text;
mod values;

#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(test)]
mod tests;

use std::path::Path;

use crate::dataset::Dataset;
use networks::{graph_ml, node_link};

pub use crate::misfit::Misfit;
pub use entries::Entries;
pub use error::{At, Place, ReadError};
pub use predictions::predictions;
pub use values::values;

/// How to recognise and read one layout.
struct Reader {
    layout: Layout,
    /// The files of the layout, for the error that lists all layouts.
    described: &'static str,
    looks_like: fn(&Entries) -> bool,
    read: fn(&Entries) -> Result<Dataset, ReadError>,
}

/// Declares [`Layout`] and the table of readers: a name and its module per line.
macro_rules! layouts {
    ($($(#[$doc:meta])* $layout:ident = $reader:ident;)*) => {
        /// The layout of a data set on disk.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Layout { $($(#[$doc])* $layout,)* }

        const LAYOUTS: &[Reader] = &[$(Reader {
            layout: Layout::$layout,
            described: $reader::DESCRIBED,
            looks_like: $reader::looks_like,
            read: $reader::read,
        },)*];
    };
}

// The first layout that fits is read, so the most specific come first: `Folder` accepts any folder
// with a `meta.json`, which several other layouts may contain too.
layouts! {
    /// Parquet or Arrow tables, or a single table of edges.
    Tables = tables;
    /// MUSAE and KarateClub: CSV tables of edges and targets, features as JSON.
    Musae = musae;
    /// A node classification data set of the Open Graph Benchmark.
    Ogb = ogb;
    /// Geom-GCN's two text files.
    GeomGcn = geom_gcn;
    /// Planetoid's pickles, `ind.NAME.*`.
    Planetoid = planetoid;
    /// GraphSAINT's `adj_full.npz`, `feats.npy`, `class_map.json` and `role.json`.
    GraphSaint = graphsaint;
    /// The two archives of the Reddit data set.
    Reddit = reddit;
    /// Our folder format: one of its tables or a `meta.json`, and no `target.csv`.
    Folder = folder;
    /// One NPZ archive: of gnn-benchmark, a SciPy matrix, or an edge index.
    Npz = npz;
    /// A matrix in a file of Matrix Market, with an entry per edge.
    MatrixMarket = matrix_market;
    /// One text file with a node and its neighbours per line.
    Adjacency = adjacency;
    /// GraphML.
    GraphMl = graph_ml;
    /// NetworkX's node-link data, in JSON.
    NodeLink = node_link;
    /// One text file with an edge per line, by its ending or without one.
    EdgeList = edge_list;
}

/// Reads a data set in any supported layout.
///
/// # Errors
/// If the layout is unknown or a file is invalid.
pub fn open(path: &Path) -> Result<Dataset, ReadError> {
    let entries = Entries::of(path)?;
    (reader(&entries)?.read)(&entries)
}

/// The layout of a path, by the names of its files.
///
/// # Errors
/// If the path cannot be listed or the layout is unknown.
pub fn recognise(path: &Path) -> Result<Layout, ReadError> {
    Ok(reader(&Entries::of(path)?)?.layout)
}

fn reader(entries: &Entries) -> Result<&'static Reader, ReadError> {
    LAYOUTS.iter().find(|reader| (reader.looks_like)(entries)).ok_or_else(|| {
        let understood: Vec<&str> = LAYOUTS.iter().map(|reader| reader.described).collect();
        let problem = format!("{}; known layouts are: {}", entries.described(), understood.join("; "));
        ReadError::Unrecognised { path: entries.root().to_owned(), problem }
    })
}
