//! Reading data sets. [`open`] looks at what a path holds and hands it to the reader of that layout.
//!
//! A layout is recognised by the names of files alone ([`Entries`]), in the order of the table `LAYOUTS` below; its
//! reader then says what is wrong inside. To add a layout: a module with `looks_like` and `read`, and a line there.
//! `text` is what all readers of text share, `error` says what can be wrong and where. `predictions` reads what a run
//! says about a data set, `values` one number for each of its nodes.

mod arrays;
mod edge_list;
mod entries;
mod error;
mod folder;
mod geom_gcn;
mod graphsaint;
mod limits;
mod musae;
pub(crate) mod npy;
mod npz;
mod ogb;
mod planetoid;
mod predictions;
mod reddit;
mod rows;
pub(crate) mod tables;
mod text;
mod values;

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod tests;

use std::path::Path;

use crate::dataset::Dataset;

pub use entries::Entries;
pub use error::{At, Misfit, Place, ReadError};
pub use predictions::predictions;
pub use values::values;

/// What a path holds. Layouts are tried in this order, and the first one that fits is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Parquet or Arrow tables, or one of edges alone.
    Tables,
    /// MUSAE and KarateClub: CSV tables of edges and targets, features as JSON.
    Musae,
    /// The Open Graph Benchmark's folder of a data set for node classification.
    Ogb,
    /// Geom-GCN's two text files.
    GeomGcn,
    /// Planetoid's pickles, `ind.NAME.*`.
    Planetoid,
    /// GraphSAINT's `adj_full.npz`, `feats.npy`, `class_map.json` and `role.json`.
    GraphSaint,
    /// The two archives of the Reddit data set.
    Reddit,
    /// Our folder format: one of its tables or a `meta.json`, and no `target.csv`.
    Folder,
    /// One NPZ archive in the layout of gnn-benchmark.
    Npz,
    /// One text file with an edge per line, by its ending or without one.
    EdgeList,
}

/// How one layout is recognised and read.
struct Reader {
    layout: Layout,
    /// For the message when nothing is recognised.
    described: &'static str,
    looks_like: fn(&Entries) -> bool,
    read: fn(&Entries) -> Result<Dataset, ReadError>,
}

/// All layouts in the order of [`Layout`], the most particular first. A `meta.json` alone makes a folder ours, so layouts
/// that may have one too stand before it.
#[rustfmt::skip]
const LAYOUTS: &[Reader] = &[
    Reader { layout: Layout::Tables, described: tables::DESCRIBED, looks_like: tables::looks_like, read: tables::read },
    Reader { layout: Layout::Musae, described: musae::DESCRIBED, looks_like: musae::looks_like, read: musae::read },
    Reader { layout: Layout::Ogb, described: ogb::DESCRIBED, looks_like: ogb::looks_like, read: ogb::read },
    Reader { layout: Layout::GeomGcn, described: geom_gcn::DESCRIBED, looks_like: geom_gcn::looks_like, read: geom_gcn::read },
    Reader { layout: Layout::Planetoid, described: planetoid::DESCRIBED, looks_like: planetoid::looks_like, read: planetoid::read },
    Reader { layout: Layout::GraphSaint, described: graphsaint::DESCRIBED, looks_like: graphsaint::looks_like, read: graphsaint::read },
    Reader { layout: Layout::Reddit, described: reddit::DESCRIBED, looks_like: reddit::looks_like, read: reddit::read },
    Reader { layout: Layout::Folder, described: folder::DESCRIBED, looks_like: folder::looks_like, read: folder::read },
    Reader { layout: Layout::Npz, described: npz::DESCRIBED, looks_like: npz::looks_like, read: npz::read },
    Reader { layout: Layout::EdgeList, described: edge_list::DESCRIBED, looks_like: edge_list::looks_like, read: edge_list::read },
];

/// Reads the data set that a path holds, whatever its layout.
///
/// # Errors
/// If the path holds nothing that is understood, or what it holds is broken.
pub fn open(path: &Path) -> Result<Dataset, ReadError> {
    let entries = Entries::of(path)?;
    (reader(&entries)?.read)(&entries)
}

/// Says which layout a path has, by the names of its files.
///
/// # Errors
/// If the path cannot be listed or no layout fits.
pub fn recognise(path: &Path) -> Result<Layout, ReadError> {
    Ok(reader(&Entries::of(path)?)?.layout)
}

fn reader(entries: &Entries) -> Result<&'static Reader, ReadError> {
    LAYOUTS.iter().find(|reader| (reader.looks_like)(entries)).ok_or_else(|| {
        let understood: Vec<&str> = LAYOUTS.iter().map(|reader| reader.described).collect();
        let problem = format!("{}; understood are: {}", entries.described(), understood.join("; "));
        ReadError::Unrecognised { path: entries.root().to_owned(), problem }
    })
}
