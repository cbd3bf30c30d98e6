//! Which pairs of nodes an attack on edges is asked about.

use std::path::Path;

use clap::{Args, ValueEnum};
use veil_attack::pairs::{Pairs, Sampling};
use veil_attack::scores::Scoring;
use veil_graph::Dataset;
use veil_privacy::release::Privatised;
use veil_privacy::{Private, Truth};

use crate::commands::data::open_named;
use crate::failure::Failure;

/// How many edges a balanced sample has, unless --pairs says otherwise.
const PAIRS: usize = 500;
/// How many nodes the other samples have, unless --nodes says otherwise.
const NODES: usize = 500;

#[derive(Args)]
pub struct PairFlags {
    /// The raw data: which pairs are edges
    #[arg(long, value_name = "DATA")]
    truth: String,
    /// How pairs are drawn: as many edges as others, or all pairs among nodes drawn anyhow, of lowest or of highest degree
    #[arg(long, value_enum, default_value = "balanced")]
    sample: SampleFlag,
    /// How many edges, and how many others, a balanced sample has [default: 500]
    #[arg(long, value_name = "N")]
    pairs: Option<usize>,
    /// How many nodes the other samples have [default: 500]
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,
    /// Which share of the pairs the attacker believes to be edges [default: the true one]
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    belief: Option<f64>,
    /// What the sample is drawn from
    #[arg(long, default_value = "1")]
    seed: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum SampleFlag {
    Balanced,
    Unbalanced,
    LowDegree,
    HighDegree,
}

impl PairFlags {
    /// What to draw. A number that would decide nothing is refused.
    pub fn sampling(&self) -> Result<Sampling, Failure> {
        let nodes = self.nodes.unwrap_or(NODES);
        match (self.sample, self.pairs, self.nodes) {
            (SampleFlag::Balanced, _, Some(_)) => {
                Err(Failure::Usage("--nodes is for samples of nodes: a balanced sample has --pairs".to_owned()))
            }
            (SampleFlag::Balanced, pairs, None) => Ok(Sampling::Balanced { pairs: pairs.unwrap_or(PAIRS) }),
            (_, Some(_), _) => {
                Err(Failure::Usage("--pairs is for a balanced sample: a sample of nodes has --nodes".to_owned()))
            }
            (SampleFlag::Unbalanced, None, _) => Ok(Sampling::Unbalanced { nodes }),
            (SampleFlag::LowDegree, None, _) => Ok(Sampling::LowDegree { nodes }),
            (SampleFlag::HighDegree, None, _) => Ok(Sampling::HighDegree { nodes }),
        }
    }

    /// Draws the pairs from the true graph, which must be about the same nodes.
    pub fn pairs(&self, sampling: Sampling, nodes: u32) -> Result<Pairs, Failure> {
        if Privatised::is_released(Path::new(&self.truth)) {
            let text = format!("{} was released: --truth needs the raw data, which say what is an edge", self.truth);
            return Err(Failure::Usage(text));
        }
        let truth: Private<Dataset> = Private::seal(open_named(&self.truth)?);
        if truth.public().nodes != nodes {
            return Err(Failure::OtherSize { truth: truth.public().nodes, run: nodes });
        }
        // An attack's success cannot be known without the truth; what comes out of here is a score.
        let raw = truth.for_scoring(&Truth::for_scoring_only());
        Ok(Pairs::sample(raw.graph(), sampling, self.seed)?)
    }

    pub fn scoring(&self) -> Scoring {
        Scoring { belief: self.belief, seed: self.seed }
    }
}
