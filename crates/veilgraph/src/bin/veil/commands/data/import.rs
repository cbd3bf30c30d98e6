//! `veil data import`: a data set of any layout, or tables of edges and nodes with columns of any
//! kind.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, ValueEnum};
use serde::Serialize;
use veil_graph::import::{self, Classes, FeatureColumns, Imported, Kind, MissingValues, Report, Request, Unlisted};
use veil_graph::write::owner;
use veil_graph::{Dataset, Direction, Summary};
use veil_learn::pipeline;

use super::{Format, describe, save, show_written};
use crate::failure::{Failure, read, usage};
use crate::output::{Output, cut, table, wrapped};
use crate::progress;

/// Build a data set from tables of edges and nodes, or convert one from another layout
///
/// With --edges and --nodes: CSV, TSV, JSON lines, Parquet, Arrow or Feather (text also .gz or
/// .zst), with ids of any kind. Every column of --features becomes features: numbers are kept,
/// true/false become 0 or 1, categories and lists get one feature per value. Missing values are
/// never filled in: a further feature says where they are. What is guessed and what is dropped is
/// printed; --dry-run prints it and writes nothing.
///
/// With DATA: a path in any layout that veil reads, GraphML and node-link JSON with the same flags.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    veil data import --edges follows.csv --source follower --target followee --nodes users.csv \\\n      \
        --id user --label plan --features age,country,tags --dry-run --out graph\n  \
    veil data import --edges e.parquet --nodes n.parquet --label plan --range age=0,120 \\\n      \
        --categories country=DE,FR,* --classes free,paid --missing age,country --out graph\n  \
    veil data import karate.graphml --label club --features none --out graph\n  \
    veil data import planetoid/ --out cora\n  \
    veil data import edges.tsv --nodes ids.txt --out graph")]
pub struct Import {
    /// Path in any supported layout, or name of a fetched data set
    #[arg(required_unless_present_any = ["edges", "nodes"])]
    data: Option<String>,
    /// Table of edges
    #[arg(long, value_name = "FILE", conflicts_with = "data", help_heading = "Tables")]
    edges: Option<PathBuf>,
    /// Table of nodes with their attributes; with DATA a list of the nodes, one id per line, which
    /// makes the nodes a given fact
    #[arg(long, value_name = "FILE", help_heading = "Tables")]
    nodes: Option<PathBuf>,
    /// Column of --edges with the source of an edge [default: by known names]
    #[arg(long, value_name = "COLUMN", requires = "target", help_heading = "Tables")]
    source: Option<String>,
    /// Column of --edges with the target of an edge
    #[arg(long, value_name = "COLUMN", requires = "source", help_heading = "Tables")]
    target: Option<String>,
    /// Column of --nodes with the id of a node [default: by known names]
    #[arg(long, value_name = "COLUMN", help_heading = "Tables")]
    id: Option<String>,
    /// Column with the class of a node
    #[arg(long, value_name = "COLUMN", help_heading = "Tables")]
    label: Option<String>,
    /// Columns that become features, or none [default: every usable column]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Tables")]
    features: Option<Vec<String>>,
    /// What a column holds: number, boolean, category, list, vector [default: guessed]
    #[arg(long = "as", value_name = "COLUMN=KIND", help_heading = "Tables")]
    kinds: Vec<Told<Kind>>,
    /// Limit for categories that are collected from a column [default: 256; items of lists: 4096]
    #[arg(long, value_name = "N", help_heading = "Tables")]
    max_categories: Option<usize>,
    /// Missing values: indicator (a feature that is 1 where any is missing), refuse, or the columns
    /// that get this feature even if no value is missing [default: indicator]
    #[arg(long, value_name = "HOW", value_delimiter = ',', help_heading = "Tables")]
    missing: Vec<String>,
    /// Edges of nodes that --nodes does not list
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Tables")]
    unlisted: Option<UnlistedText>,
    /// Edges have a direction
    #[arg(long, conflicts_with = "undirected", help_heading = "Tables")]
    directed: bool,
    /// Edges are undirected [default, unless the file says otherwise]
    #[arg(long, help_heading = "Tables")]
    undirected: bool,
    /// Text tables have no header: columns are called 1, 2, …
    #[arg(long, help_heading = "Tables")]
    no_header: bool,
    /// Range of a numeric column, which is scaled from it to 0 … 1, independently of the data
    #[arg(long, value_name = "COLUMN=LOW,HIGH", help_heading = "Facts that do not depend on the data")]
    range: Vec<Told<Range>>,
    /// Categories of a column, or items of its lists; * stands for all others
    #[arg(long, value_name = "COLUMN=A,B,…", help_heading = "Facts that do not depend on the data")]
    categories: Vec<Told<List>>,
    /// The classes by name, or their number [default: as stored, or collected from the labels]
    #[arg(long, value_name = "A,B,…", value_parser = classes, help_heading = "Facts that do not depend on the data")]
    classes: Option<Classes>,
    /// Name of the data set [default: of the file]
    #[arg(long)]
    name: Option<String>,
    /// Print what each column becomes, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Output folder
    #[arg(long, required_unless_present = "dry_run")]
    out: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Folder)]
    format: Format,
}

/// Something that is said about a column.
#[derive(Clone, Debug)]
struct Told<T> {
    column: String,
    what: T,
}

impl<T: FromStr<Err = String>> FromStr for Told<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Told<T>, String> {
        let (column, what) = text.split_once('=').ok_or_else(|| format!("{text:?} is not COLUMN=…"))?;
        Ok(Told { column: column.to_owned(), what: what.parse()? })
    }
}

#[derive(Clone, Debug)]
struct Range(f64, f64);

impl FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Range, String> {
        let ends = text.split_once(',').and_then(|(low, high)| Some(Range(low.parse().ok()?, high.parse().ok()?)));
        ends.ok_or_else(|| format!("{text:?} is not LOW,HIGH"))
    }
}

#[derive(Clone, Debug)]
struct List(Vec<String>);

impl FromStr for List {
    type Err = String;

    fn from_str(text: &str) -> Result<List, String> {
        Ok(List(text.split(',').map(|item| item.trim().to_owned()).collect()))
    }
}

/// Classes by their names, or one number.
fn classes(text: &str) -> Result<Classes, String> {
    let List(names) = text.parse()?;
    Ok(match names.as_slice() {
        [number] if number.parse::<u64>().is_ok() => Classes::Number(number.parse().unwrap_or(u64::MAX)),
        _ => Classes::Named(names),
    })
}

#[derive(Clone, Copy, ValueEnum)]
enum UnlistedText {
    /// Are an error
    Refuse,
    /// Are dropped
    Drop,
    /// Keep, and their nodes are added without attributes
    Add,
}

/// What the command prints.
#[derive(Serialize)]
struct Shown {
    out: Option<PathBuf>,
    dry_run: bool,
    #[serde(flatten)]
    report: Report,
    #[serde(flatten)]
    summary: Summary,
}

impl Import {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let network = self.data.as_ref().map(PathBuf::from);
        let network = network.filter(|data| data.is_file() && import::is_network(data));
        if network.is_some() || self.data.is_none() {
            return self.import(network, output);
        }
        if let Some(flag) = self.first_of_tables() {
            return usage(format!("{flag} requires --edges or --nodes, or a GraphML or JSON file"));
        }
        let data = self.data.clone().unwrap_or_default();
        let bar = progress::working(output, &format!("reading {data}"));
        let mut dataset = pipeline::open(&data)?;
        if let Some(nodes) = &self.nodes {
            dataset = dataset.with_node_list(&read(nodes)?)?;
        }
        dataset = self.with_classes(dataset)?;
        let Some(out) = self.out.as_ref().filter(|_| !self.dry_run) else {
            bar.finish_and_clear();
            warn(output, &dataset);
            let summary = dataset.summary();
            return output.show(&summary, || describe(&summary));
        };
        bar.set_message(format!("writing {}", out.display()));
        save(&dataset, Some(&data), out, self.format)?;
        bar.finish_and_clear();
        warn(output, &dataset);
        show_written(output, &dataset, out, None)
    }

    /// A number of classes, for data that have theirs.
    fn with_classes(&self, dataset: Dataset) -> Result<Dataset, Failure> {
        match &self.classes {
            None => Ok(dataset),
            Some(Classes::Number(number)) => Ok(dataset.with_classes(u32::try_from(*number).unwrap_or(u32::MAX))?),
            Some(Classes::Named(_)) => {
                usage("class names require --label; this data set already has labels: give the number of classes")
            }
        }
    }

    /// The first flag that is only about tables.
    fn first_of_tables(&self) -> Option<&'static str> {
        let flags = [
            ("--source", self.source.is_some()),
            ("--id", self.id.is_some()),
            ("--label", self.label.is_some()),
            ("--features", self.features.is_some()),
            ("--as", !self.kinds.is_empty()),
            ("--max-categories", self.max_categories.is_some()),
            ("--missing", !self.missing.is_empty()),
            ("--unlisted", self.unlisted.is_some()),
            ("--directed", self.directed),
            ("--undirected", self.undirected),
            ("--no-header", self.no_header),
            ("--range", !self.range.is_empty()),
            ("--categories", !self.categories.is_empty()),
            ("--name", self.name.is_some()),
        ];
        flags.into_iter().find(|(_, set)| *set).map(|(flag, _)| flag)
    }

    fn import(self, network: Option<PathBuf>, output: &Output) -> Result<(), Failure> {
        let (out, format, dry_run) = (self.out.clone().filter(|_| !self.dry_run), self.format, self.dry_run);
        let list = self.nodes.clone().filter(|_| network.is_some());
        let request = self.request(network);
        let bar = progress::working(output, "reading tables");
        let mut imported = import::import(&request)?;
        if let Some(list) = &list {
            imported = imported.with_node_list(&read(list)?)?;
        }
        let Imported { dataset, report } = imported;
        if let Some(out) = &out {
            bar.set_message(format!("writing {}", out.display()));
            let sources = [&request.network, &request.edges, &request.nodes, &list].into_iter().flatten();
            let closed = sources.filter_map(|path| path.to_str()).find(|path| owner::is_closed(Path::new(path)));
            save(&dataset, closed, out, format)?;
        }
        bar.finish_and_clear();
        for warning in &report.warnings {
            output.warning(warning);
        }
        let shown = Shown { out, dry_run, report, summary: dataset.summary() };
        output.show(&shown, || shown.text())
    }

    fn request(self, network: Option<PathBuf>) -> Request {
        let features = match self.features {
            None => FeatureColumns::All,
            Some(names) if names == ["none"] => FeatureColumns::These(Vec::new()),
            Some(names) => FeatureColumns::These(names),
        };
        let missing = match self.missing.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            [] | ["indicator"] => MissingValues::Indicated,
            ["refuse"] => MissingValues::Refused,
            _ => MissingValues::IndicatedIn(self.missing),
        };
        let direction = match (self.directed, self.undirected) {
            (true, _) => Some(Direction::Directed),
            (_, true) => Some(Direction::Undirected),
            _ => None,
        };
        Request {
            nodes: self.nodes.filter(|_| network.is_none()),
            network,
            edges: self.edges,
            ends: self.source.zip(self.target).map(|(source, target)| [source, target]),
            id: self.id,
            label: self.label,
            features,
            kinds: self.kinds.into_iter().map(|told| (told.column, told.what)).collect(),
            ranges: self.range.into_iter().map(|Told { column, what: Range(low, high) }| (column, low, high)).collect(),
            categories: self.categories.into_iter().map(|Told { column, what: List(items) }| (column, items)).collect(),
            classes: self.classes,
            most_categories: self.max_categories,
            missing,
            unlisted: match self.unlisted {
                None | Some(UnlistedText::Refuse) => Unlisted::Refused,
                Some(UnlistedText::Drop) => Unlisted::Dropped,
                Some(UnlistedText::Add) => Unlisted::Added,
            },
            direction,
            headless: self.no_header,
            name: self.name,
        }
    }
}

/// Says what may be a mistake in the files.
fn warn(output: &Output, dataset: &Dataset) {
    let rows = dataset.dropped().rows;
    if rows > 0 {
        output.warning(&format!("{rows} duplicate rows of nodes: each node is read once"));
    }
    dataset.warnings().iter().for_each(|warning| output.warning(warning));
}

impl Shown {
    fn text(&self) -> String {
        let mut text = match &self.out {
            Some(out) => format!("wrote {}\n", out.display()),
            None => "nothing is written (--dry-run)\n".to_owned(),
        };
        let place = |first: Option<u32>, number: u32| match (first, number) {
            (Some(first), 1) => first.to_string(),
            (Some(first), number) => format!("{first}–{}", first + number.saturating_sub(1)),
            (None, _) => String::new(),
        };
        let row = |it: &import::ColumnReport| {
            vec![
                cut(&it.column, 18),
                cut(&it.becomes, 38),
                place(it.first_feature, it.features),
                it.missing.to_string(),
            ]
        };
        if !self.report.columns.is_empty() {
            let columns = ["column", "becomes", ">features", ">missing"];
            text += &format!("{}\n\n", table(&columns, self.report.columns.iter().map(row)));
        }
        for (what, said) in [
            ("guessed", &self.report.guessed),
            ("dropped", &self.report.dropped),
            ("given, so a release may state it", &self.report.given),
            ("collected (a release that depends on these requires --declare-public)", &self.report.collected),
        ] {
            if !said.is_empty() {
                text += &format!("{what}:\n");
                for said in said {
                    text += &format!("  {}\n", wrapped(said, 76).join("\n    "));
                }
            }
        }
        format!("{text}\n{}", describe(&self.summary))
    }
}
