//! `veil data`: data sets, before anything private happens to them.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;
use veil_graph::catalogue::{self, Entry, FetchProgress};
use veil_graph::generate::{Community, PowerLaw};
use veil_graph::read::{self, Layout, ReadError};
use veil_graph::write;
use veil_graph::{Dataset, Fractions, Part, Split, Summary};

use super::releasing::random_seed;
use crate::failure::Failure;
use crate::output::{Output, grouped, table};
use crate::progress;

#[derive(Subcommand)]
#[command(after_help = "Examples:\n  veil data info graph\n  veil data generate citation --seed 1 --out graph")]
pub enum Data {
    /// List the data sets that are known by name
    #[command(after_help = "Examples:\n  veil data list\n  veil data list --json")]
    List,
    /// Count what a data set holds
    #[command(
        after_help = "Examples:\n  veil data info graph\n  veil data info edges.csv.gz\n  veil data info cora --json"
    )]
    Info {
        /// A path in any layout that is understood, or the name of a data set that was fetched
        data: String,
    },
    /// Convert a data set into our folder format or Parquet
    #[command(
        after_help = "Examples:\n  veil data import planetoid/ --out cora\n  veil data import edges.tsv --out graph --format parquet"
    )]
    Import {
        /// A path in any layout that is understood, or the name of a data set that was fetched
        data: String,
        /// The folder to make
        #[arg(long)]
        out: PathBuf,
        /// The format to write
        #[arg(long, value_enum, default_value_t = Format::Folder)]
        format: Format,
    },
    /// Make up a graph
    #[command(after_help = "Examples:\n  veil data generate citation --nodes 2708 --seed 1 --out graph\n  \
                            veil data generate powerlaw --nodes 1000000 --edges 20000000 --out large")]
    Generate(Generate),
    /// Download a data set by name, check it, and keep it
    #[command(after_help = "Examples:\n  veil data fetch cora\n  veil data info cora")]
    Fetch {
        /// The name, as in `veil data list`
        name: String,
    },
    /// Divide the nodes into train, validation and test
    #[command(after_help = "Examples:\n  veil data split graph --fractions 0.5,0.25,0.25 --seed 1\n  \
                            veil data split graph --fractions 0.1,0.1,0.8 --stratified --replace")]
    Split(SplitNodes),
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Format {
    Folder,
    Parquet,
}

#[derive(Args)]
pub struct Generate {
    /// What kind of graph
    #[arg(value_enum)]
    kind: Kind,
    /// How many nodes [default: the kind's own]
    #[arg(long)]
    nodes: Option<u32>,
    /// How many edges (powerlaw only)
    #[arg(long)]
    edges: Option<usize>,
    /// Share of edges between nodes of one class (citation and social only)
    #[arg(long)]
    homophily: Option<f64>,
    /// The same number gives the same graph [default: a random one, which is printed]
    #[arg(long)]
    seed: Option<u64>,
    /// The folder to make
    #[arg(long)]
    out: PathBuf,
    /// The format to write
    #[arg(long, value_enum, default_value_t = Format::Folder)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Communities that cite each other, bag-of-words features; like Cora
    Citation,
    /// Many friends, noisy features
    Social,
    /// Neighbours lie in the other class; features say little
    Bipartite,
    /// Size only, for benchmarks
    Powerlaw,
}

#[derive(Args)]
pub struct SplitNodes {
    /// A data set in our folder format
    data: PathBuf,
    /// Shares of train, validation and test
    #[arg(long, value_name = "TRAIN,VAL,TEST")]
    fractions: Fractions,
    /// The same shares in every class (looks at the labels: not where they are private)
    #[arg(long)]
    stratified: bool,
    /// The same number gives the same split [default: a random one, which is printed]
    #[arg(long)]
    seed: Option<u64>,
    /// Replace a split that is there
    #[arg(long)]
    replace: bool,
}

impl Data {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        match self {
            Data::List => list(output),
            Data::Info { data } => {
                let bar = progress::working(output, &format!("reading {data}"));
                let summary = open_named(&data)?.summary();
                bar.finish_and_clear();
                output.show(&summary, || describe(&summary))
            }
            Data::Import { data, out, format } => {
                let bar = progress::working(output, &format!("reading {data}"));
                let dataset = open_named(&data)?;
                bar.set_message(format!("writing {}", out.display()));
                save(&dataset, &out, format)?;
                bar.finish_and_clear();
                show_written(output, &dataset, &out, None)
            }
            Data::Generate(generate) => generate.run(output),
            Data::Fetch { name } => fetch(&name, output),
            Data::Split(split) => split.run(output),
        }
    }
}

/// Reads a data set by path, or by name from the cache.
pub fn open_named(data: &str) -> Result<Dataset, Failure> {
    let path = Path::new(data);
    if path.exists() {
        return Ok(read::open(path)?);
    }
    let Some(entry) = catalogue::find(data) else {
        return Err(ReadError::Unrecognised {
            path: path.to_owned(),
            problem: "there is no such path, and no data set is known by this name".to_owned(),
        }
        .into());
    };
    let kept = kept(entry, &cache()?);
    if kept.exists() {
        return Ok(read::open(&kept)?);
    }
    Err(Failure::NotFetched { name: data.to_owned() })
}

/// Where fetched data sets are kept.
fn cache() -> Result<PathBuf, Failure> {
    catalogue::cache_folder()
        .ok_or_else(|| Failure::Usage("this system has no cache folder: name one in VEIL_CACHE".to_owned()))
}

/// Where a fetched data set is kept in our format: beside the raw files.
fn kept(entry: &Entry, cache: &Path) -> PathBuf {
    catalogue::folder_of(entry, cache).with_file_name("data")
}

fn save(dataset: &Dataset, out: &Path, format: Format) -> Result<(), Failure> {
    match format {
        Format::Folder => write::write_folder(dataset, out)?,
        Format::Parquet => write::write_parquet(dataset, out)?,
    }
    Ok(())
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

fn list(output: &Output) -> Result<(), Failure> {
    let listed: Vec<Listed> = catalogue::all().iter().map(Listed::new).collect();
    output.show(&listed, || {
        let rows = listed.iter().map(|entry| {
            vec![
                entry.name.to_owned(),
                grouped(entry.nodes as usize),
                grouped(entry.edges),
                grouped(entry.features),
                entry.classes.to_string(),
                entry.licence.split(" (").next().unwrap_or_default().to_owned(),
                if entry.verified { "verified" } else { "not verified" }.to_owned(),
                if entry.fetched { "yes" } else { "" }.to_owned(),
            ]
        });
        let columns = ["name", ">nodes", ">edges", ">features", ">classes", "licence", "source", "fetched"];
        table(&columns, rows) + "\n\"not verified\": the source is as published, but could not be checked from here"
    })
}

#[derive(Serialize)]
struct Listed {
    name: &'static str,
    about: &'static str,
    nodes: u32,
    edges: usize,
    features: usize,
    classes: u32,
    licence: &'static str,
    source: &'static str,
    verified: bool,
    fetched: bool,
}

impl Listed {
    fn new(entry: &Entry) -> Listed {
        Listed {
            name: entry.name,
            about: entry.about,
            nodes: entry.expected.nodes,
            edges: entry.expected.edges,
            features: entry.expected.features,
            classes: entry.expected.classes,
            licence: entry.licence,
            source: entry.home,
            verified: entry.verified(),
            fetched: cache().is_ok_and(|cache| kept(entry, &cache).exists()),
        }
    }
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
        row("dropped", format!("{loops} self loops, {repeated} repeated links"));
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

impl Generate {
    fn run(self, output: &Output) -> Result<(), Failure> {
        let seed = self.seed.map_or_else(random_seed, Ok)?;
        let bar = progress::working(output, "generating");
        let dataset = self.generate(seed)?;
        bar.set_message(format!("writing {}", self.out.display()));
        save(&dataset, &self.out, self.format)?;
        bar.finish_and_clear();
        show_written(output, &dataset, &self.out, Some(seed))
    }

    fn generate(&self, seed: u64) -> Result<Dataset, Failure> {
        let usage = |text: &str| Err(Failure::Usage(text.to_owned()));
        if self.edges.is_some() && self.kind != Kind::Powerlaw {
            return usage("--edges goes with powerlaw; the other kinds have a mean degree");
        }
        if self.homophily.is_some() && !matches!(self.kind, Kind::Citation | Kind::Social) {
            return usage("--homophily goes with citation and social");
        }
        let community = match self.kind {
            Kind::Citation => Community::citation(),
            Kind::Social => Community::social(),
            Kind::Bipartite => Community::bipartite(),
            Kind::Powerlaw => {
                let power_law = PowerLaw::default();
                let nodes = self.nodes.unwrap_or(power_law.nodes);
                return Ok(power_law.with_size(nodes, self.edges).check()?.generate(seed));
            }
        };
        let mut community = match self.nodes {
            Some(nodes) => community.with_nodes(nodes),
            None => community,
        };
        if let Some(homophily) = self.homophily {
            community.homophily = homophily;
        }
        Ok(community.check()?.generate(seed))
    }
}

fn fetch(name: &str, output: &Output) -> Result<(), Failure> {
    let entry = catalogue::find(name)
        .ok_or_else(|| Failure::Usage(format!("no data set is known as {name:?}: `veil data list` shows the names")))?;
    let cache = cache()?;
    let kept = kept(entry, &cache);
    if !kept.exists() {
        let bar = progress::downloading(output);
        let raw = catalogue::fetch(entry, &cache, &mut |progress: FetchProgress<'_>| {
            bar.set_message(format!("{} ({} of {})", progress.file, progress.number, progress.files));
            bar.set_position(progress.received);
            if let Some(total) = progress.total {
                bar.set_length(total);
            }
        })?;
        bar.finish_and_clear();
        let dataset = entry
            .finish(read::open(&raw)?)
            .map_err(|source| Failure::Read(ReadError::Inconsistent { place: read::Place::file(&raw), source }))?;
        match entry.expected.check(&dataset) {
            Err(error) if error.verified => return Err(Failure::Unexpected(error.to_string())),
            Err(error) => output.warning(&error.to_string()),
            Ok(()) => {}
        }
        write::write_folder(&dataset, &kept)?;
    }
    show_written(output, &read::open(&kept)?, &kept, None)
}

impl SplitNodes {
    fn run(self, output: &Output) -> Result<(), Failure> {
        let layout = read::recognise(&self.data)?;
        if layout != Layout::Folder || !self.data.is_dir() {
            return Err(Failure::Usage(format!(
                "{} is not in our folder format, so a split cannot be kept in it: veil data import it first",
                self.data.display()
            )));
        }
        let dataset = read::open(&self.data)?;
        if dataset.split().is_some() && !self.replace {
            return Err(Failure::HasSplit { path: self.data });
        }
        let seed = self.seed.map_or_else(random_seed, Ok)?;
        let split = match (self.stratified, dataset.labels()) {
            (true, Some(labels)) => Split::stratified(labels, self.fractions, seed),
            (true, None) => return Err(Failure::Usage("a stratified split needs labels".to_owned())),
            (false, _) => Split::random(dataset.nodes(), self.fractions, seed),
        };
        let out = write::replace_split(&split, &self.data)?;
        let dataset = dataset.with_split(split)?;
        let counts =
            [Part::Train, Part::Val, Part::Test].map(|part| dataset.split().map_or(0, |split| split.count(part)));
        let shown =
            serde_json::json!({ "out": out, "seed": seed, "train": counts[0], "val": counts[1], "test": counts[2] });
        output.show(&shown, || {
            let [train, val, test] = counts.map(grouped);
            format!("wrote {} (seed {seed}): {train} train, {val} validation, {test} test", out.display())
        })
    }
}
