//! `veil data generate`: a graph that nobody has to download.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use veil_graph::Dataset;
use veil_graph::generate::{Community, PowerLaw};

use super::{Format, save, show_written};
use crate::commands::terms::random_seed;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress;

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

impl Generate {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
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
