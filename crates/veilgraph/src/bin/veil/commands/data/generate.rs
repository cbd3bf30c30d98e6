//! `veil data generate`: a graph that nobody has to download.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use veil_graph::generate::{Asked, Kind};

use super::{Format, save, show_written};
use crate::commands::terms::random_seed;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress;

#[derive(Args)]
pub struct Generate {
    /// Kind of graph
    #[arg(value_parser = kinds())]
    kind: Kind,
    /// Number of nodes [default: depends on the kind]
    #[arg(long)]
    nodes: Option<u32>,
    /// Number of edges (powerlaw only)
    #[arg(long)]
    edges: Option<usize>,
    /// Share of edges between nodes of the same class (citation and social only)
    #[arg(long)]
    homophily: Option<f64>,
    /// Seed of the graph [default: random, printed]
    #[arg(long)]
    seed: Option<u64>,
    /// Output folder
    #[arg(long)]
    out: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Folder)]
    format: Format,
}

/// The names of kinds, with their help.
fn kinds() -> impl TypedValueParser<Value = Kind> {
    let named = Kind::ALL.map(|kind| PossibleValue::new(kind.name()).help(kind.about()));
    PossibleValuesParser::new(named).try_map(|name| Kind::from_name(&name))
}

impl Generate {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let seed = self.seed.map_or_else(random_seed, Ok)?;
        let bar = progress::working(output, "generating");
        let asked = Asked { nodes: self.nodes, edges: self.edges, homophily: self.homophily };
        let dataset = asked.generate(self.kind, seed)?;
        bar.set_message(format!("writing {}", self.out.display()));
        save(&dataset, None, &self.out, self.format)?;
        bar.finish_and_clear();
        show_written(output, &dataset, &self.out, Some(seed))
    }
}
