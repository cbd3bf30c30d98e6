//! `veil data homophily`: how far neighbours are of the same class (LPGNet, CCS 2022, Figure 3).

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use veil_graph::read::{self, ReadError};
use veil_graph::{Graph, Labels, homophily, write};

use super::plot::{Panel, bar_charts};
use crate::failure::{Failure, usage};
use crate::output::{Output, table};
use crate::progress;
use veil_learn::pipeline;

#[derive(Args)]
pub struct Homophily {
    /// Path in any supported layout, or name of a fetched data set
    data: String,
    /// Run on this data whose predicted classes are also measured (repeatable)
    #[arg(long = "run", value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Bar chart to write, in SVG
    #[arg(long, value_name = "PLOT.svg")]
    out: Option<PathBuf>,
}

/// The homophily of a graph, by true labels and by the classes that runs predict.
#[derive(Serialize)]
struct Shown {
    data: String,
    classes: Vec<String>,
    sources: Vec<Source>,
    out: Option<PathBuf>,
}

/// One division of the nodes into classes.
#[derive(Serialize)]
struct Source {
    name: String,
    /// The mean over the nodes of each class that have a neighbour.
    per_class: Vec<Option<f64>>,
    /// Share of the edges that join nodes of one class.
    edges: Option<f64>,
}

impl Source {
    fn new(name: String, graph: &Graph, labels: &Labels) -> Source {
        let cluster = |node| labels.get(node);
        let per_class = homophily::per_class(graph, cluster, labels.classes());
        Source { name, per_class, edges: homophily::of_edges(graph, cluster) }
    }
}

impl Homophily {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let bar = progress::working(output, &format!("reading {}", self.data));
        let dataset = pipeline::open(&self.data)?;
        let graph = dataset.graph();
        if dataset.edges_withheld() {
            let text = format!("the edges of {} were withheld: homophily is a matter of edges", self.data);
            return Err(Failure::Unexpected(text));
        }
        let mut divisions: Vec<(String, Labels)> = Vec::new();
        divisions.extend(dataset.labels().map(|labels| ("true labels".to_owned(), labels.clone())));
        for run in &self.runs {
            let labels = predicted(run, graph.nodes())?;
            if let Some((name, others)) = divisions.first().filter(|(_, others)| others.classes() != labels.classes()) {
                let (run, classes, others) = (run.display(), labels.classes(), others.classes());
                return Err(Failure::Unexpected(format!("{run} predicts {classes} classes, but {name} have {others}")));
            }
            divisions.push((run.display().to_string().replace(char::is_control, " "), labels));
        }
        let Some((_, labels)) = divisions.first() else {
            return usage(format!("{} has no labels: pass --run RUN to see predicted classes", self.data));
        };
        let classes = match labels.names() {
            Some(names) => names.to_vec(),
            None => (0..labels.classes()).map(|class| class.to_string()).collect(),
        };
        let sources = divisions.iter().map(|(name, labels)| Source::new(name.clone(), graph, labels)).collect();
        let shown = Shown { data: dataset.name().to_owned(), classes, sources, out: self.out };
        if let Some(out) = &shown.out {
            write::owner::write_file(out, shown.plot().as_bytes())?;
        }
        bar.finish_and_clear();
        output.show(&shown, || shown.describe())
    }
}

/// The classes that a run predicts for the nodes of a graph.
fn predicted(run: &Path, nodes: u32) -> Result<Labels, Failure> {
    let path = run.join("predictions.csv");
    if !path.is_file() {
        let needed_for = "--run takes the folder that veil train makes".to_owned();
        return Err(ReadError::Missing { path, needed_for }.into());
    }
    let labels = read::predictions(&path)?;
    if labels.nodes() != nodes as usize {
        let (path, found) = (path.display(), labels.nodes());
        let text = format!("{path}: predictions for {found} nodes, but the graph has {nodes}: this is another graph");
        return Err(Failure::Unexpected(text));
    }
    Ok(labels)
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.4}"))
}

impl Shown {
    fn describe(&self) -> String {
        let right: Vec<String> = self.sources.iter().map(|source| format!(">{}", source.name)).collect();
        let columns: Vec<&str> = std::iter::once("class").chain(right.iter().map(String::as_str)).collect();
        let row = |name: &str, value: &dyn Fn(&Source) -> Option<f64>| {
            let values = self.sources.iter().map(|source| number(value(source)));
            std::iter::once(name.replace(char::is_control, " ")).chain(values).collect::<Vec<String>>()
        };
        let per_class =
            self.classes.iter().enumerate().map(|(class, name)| row(name, &|source| source.per_class[class]));
        let mut text = table(&columns, per_class.chain([row("all edges", &|source| source.edges)]));
        text += "\na class: the mean share of a node's neighbours that are in its class, without nodes that have no neighbour";
        text += "\nall edges: the share that joins nodes of one class";
        text += "\nexact figures about private edges: for the owner only";
        if let Some(out) = &self.out {
            text += &format!("\nwrote {}", out.display());
        }
        text
    }

    fn plot(&self) -> String {
        let panels: Vec<Panel<'_>> =
            self.sources.iter().map(|source| Panel { name: &source.name, values: &source.per_class }).collect();
        let title = format!("Homophily of {} per class", self.data);
        let description = "The mean share of a node's neighbours that are in its own class, without nodes that have no \
                           neighbour: one chart for true labels and for each run, one bar for each class.";
        bar_charts(&title, description, &self.classes, &panels)
    }
}
