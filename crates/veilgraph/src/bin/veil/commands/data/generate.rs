//! `veil data generate`: a graph that nobody has to download.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use veil_graph::Dataset;
use veil_graph::generate::{Community, PowerLaw};

use super::{Format, save, show_written};
use crate::commands::terms::random_seed;
use crate::failure::{Failure, usage};
use crate::output::Output;
use crate::progress;

#[derive(Args)]
pub struct Generate {
    /// Kind of graph
    #[arg(value_enum)]
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

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Homophilous communities with bag-of-words features, like Cora
    Citation,
    /// High degrees and noisy features, like a friendship graph
    Social,
    /// Two classes with edges only between them; weak features
    Bipartite,
    /// Power-law degrees at any size, for benchmarks
    Powerlaw,
}

impl Generate {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let seed = self.seed.map_or_else(random_seed, Ok)?;
        let bar = progress::working(output, "generating");
        let dataset = self.generate(seed)?;
        bar.set_message(format!("writing {}", self.out.display()));
        save(&dataset, None, &self.out, self.format)?;
        bar.finish_and_clear();
        show_written(output, &dataset, &self.out, Some(seed))
    }

    fn generate(&self, seed: u64) -> Result<Dataset, Failure> {
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
