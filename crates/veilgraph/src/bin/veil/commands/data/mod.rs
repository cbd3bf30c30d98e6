//! `veil data`: data sets, before anything private happens to them.
//!
//! One file per command or pair of commands; here is what they share: reading, writing, and saying
//! what was written.

mod catalogue;
mod declare;
mod export;
mod generate;
mod hide;
mod homophily;
mod import;
mod plot;
mod split;
mod split_private;

use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueEnum};
use serde::Serialize;
use veil_graph::write::{self, WriteError, owner};
use veil_graph::{Dataset, Summary};
use veil_learn::pipeline;

use crate::failure::Failure;
use crate::output::{Output, grouped, table};
use crate::progress;

#[derive(Subcommand)]
#[command(after_help = "Examples:\n  veil data info graph\n  veil data generate citation --seed 1 --out graph")]
pub enum Data {
    /// List the data sets that can be fetched by name
    #[command(after_help = "Examples:\n  veil data list\n  veil data list --json")]
    List,
    /// Summarise a data set
    #[command(
        after_help = "Examples:\n  veil data info graph\n  veil data info edges.csv.gz\n  veil data info cora --json"
    )]
    Info {
        /// Path in any supported layout, or name of a fetched data set
        data: String,
    },
    Import(Box<import::Import>),
    Declare(declare::Declare),
    Export(export::Export),
    /// Generate a synthetic graph
    #[command(after_help = "Examples:\n  veil data generate citation --nodes 2708 --seed 1 --out graph\n  \
                            veil data generate powerlaw --nodes 1000000 --edges 20000000 --out large")]
    Generate(generate::Generate),
    /// Download, check and cache a data set by name
    #[command(after_help = "Examples:\n  veil data fetch cora\n  veil data info cora")]
    Fetch {
        /// Name from `veil data list`
        name: String,
    },
    /// Split the nodes into train, validation and test
    #[command(after_help = "Examples:\n  veil data split graph --fractions 0.5,0.25,0.25 --seed 1\n  \
                            veil data split graph --fractions 0.1,0.1,0.8 --stratified --replace")]
    Split(split::SplitNodes),
    /// Split a graph into a private graph, a public graph and the remaining nodes
    ///
    /// Creates OUT/private (all nodes for training), OUT/public (train and test nodes) and
    /// OUT/outside (never trained on: non-members and shadow data for veil attack membership).
    /// Nodes keep their names; edges between the parts are dropped. OUT/public has labels for
    /// scoring: a student of the private graph must not learn from them.
    #[command(after_help = "Examples:\n  \
                            veil data split-private graph --private-per-class 250 --public-train 3000 --public-test 3000 --seed 1 --out parts\n  \
                            veil data split-private arxiv --by year.csv --private-range ..2017 --train-range 2018 --test-range 2019.. --out parts")]
    SplitPrivate(split_private::SplitPrivate),
    /// Keep only some parts of the split and the edges among their nodes: the graph before other
    /// nodes joined
    #[command(after_help = "Examples:\n  veil data hide graph --keep train,val --out before\n  \
                            veil data hide graph --keep train --split 0.5,0.25,0.25 --seed 1 --out before")]
    Hide(hide::Hide),
    /// Measure the homophily of each class, by true and predicted classes
    #[command(after_help = "Examples:\n  veil data homophily graph\n  \
                            veil data homophily graph --run mlp --run lpgnet --out homophily.svg\n\n\
                            Homophily is computed from the raw edges, so the output is not protected.")]
    Homophily(homophily::Homophily),
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Format {
    Folder,
    Parquet,
}

impl Data {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        match self {
            Data::List => catalogue::list(output),
            Data::Info { data } => {
                let bar = progress::working(output, &format!("reading {data}"));
                let summary = pipeline::open(&data)?.summary();
                bar.finish_and_clear();
                output.show(&summary, || describe(&summary))
            }
            Data::Import(import) => import.run(output),
            Data::Declare(declare) => declare.run(output),
            Data::Export(export) => export.run(output),
            Data::Generate(generate) => generate.run(output),
            Data::Fetch { name } => catalogue::fetch(&name, output),
            Data::Split(split) => split.run(output),
            Data::SplitPrivate(split) => split.run(output),
            Data::Hide(hide) => hide.run(output),
            Data::Homophily(homophily) => homophily.run(output),
        }
    }
}

/// Writes data that were made of others. What nobody else could read stays so.
fn save(dataset: &Dataset, source: Option<&str>, out: &Path, format: Format) -> Result<(), Failure> {
    made_of(source, out, |folder| match format {
        Format::Folder => write::fill_folder(dataset, folder),
        Format::Parquet => write::fill_parquet(dataset, folder),
    })
}

/// Writes a folder that is made of other data. It is closed to others if these are.
fn made_of(
    source: Option<&str>,
    out: &Path,
    fill: impl FnOnce(&Path) -> Result<(), WriteError>,
) -> Result<(), Failure> {
    Ok(write::atomically(out, |folder| {
        fill(folder)?;
        let closed = source.is_some_and(|source| owner::is_closed(Path::new(source)));
        if closed { owner::close(folder) } else { Ok(()) }
    })?)
}

/// What the writing commands print.
#[derive(Serialize)]
struct Written {
    out: PathBuf,
    seed: Option<u64>,
    #[serde(flatten)]
    summary: Summary,
}

fn show_written(output: &Output, dataset: &Dataset, out: &Path, seed: Option<u64>) -> Result<(), Failure> {
    let written = Written { out: out.to_owned(), seed, summary: dataset.summary() };
    output.show(&written, || {
        let seed = seed.map_or_else(String::new, |seed| format!(" (seed {seed})"));
        format!("wrote {}{seed}\n{}", out.display(), describe(&written.summary))
    })
}

fn describe(summary: &Summary) -> String {
    let mut rows = Vec::new();
    let mut row = |what: &str, value: String| rows.push(vec![what.to_owned(), value]);
    let nodes = grouped(summary.nodes as usize);
    if summary.edges_withheld {
        row("nodes", nodes);
        row("edges", "withheld".to_owned());
    } else {
        let direction = if summary.directed { "directed" } else { "undirected" };
        let [loops, repeated] = [summary.self_loops_dropped, summary.duplicates_dropped].map(grouped);
        row("nodes", format!("{nodes} ({} without an edge)", grouped(summary.isolated)));
        row("edges", format!("{} ({direction})", grouped(summary.edges)));
        let rows = match summary.rows_dropped {
            0 => String::new(),
            rows => format!(", {} repeated rows of nodes", grouped(rows)),
        };
        row("dropped", format!("{loops} self loops, {repeated} repeated links{rows}"));
        if summary.zero_entries > 0 {
            let zeros = grouped(summary.zero_entries);
            row("zeros", format!("{zeros} entries of the matrix have value 0, and are edges"));
        }
        row("degree", format!("{:.2} on average, {} at most", summary.mean_degree, grouped(summary.max_degree)));
    }
    if let Some(form) = summary.feature_form {
        let what = if form == "encoded" { "signs" } else { "not zero" };
        let [columns, stored] = [summary.features, summary.feature_nonzeros].map(grouped);
        row("features", format!("{columns}, {form} ({stored} {what})"));
    }
    if summary.classes > 0 {
        row("classes", format!("{} ({} nodes labelled)", summary.classes, grouped(summary.labelled)));
    }
    if let Some(homophily) = summary.homophily {
        row("homophily", format!("{homophily:.4} of the edges join nodes of one class"));
    }
    if let Some([train, val, test]) = summary.split {
        row("split", format!("{} train, {} validation, {} test", grouped(train), grouped(val), grouped(test)));
    }
    table(&[&summary.name, ""], rows)
}
