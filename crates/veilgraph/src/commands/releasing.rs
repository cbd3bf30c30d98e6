//! What `privatize` and `train` share: flags that say what is released, and the way from raw data to a release.

use std::path::Path;
use std::str::FromStr;
use std::time::Instant;

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Serialize;
use veil_graph::{Dataset, Fractions, Part, Split};
use veil_learn::{Edges, Parameters};
use veil_privacy::mechanism::ValueRange;
use veil_privacy::release::{Plan, RangeChoice};
use veil_privacy::{Epsilon, Private, Statement, Status};

use super::paying::Payment;
use crate::failure::Failure;
use crate::output::table;

/// What is released: every flag here has the name of a parameter, so that a parameter file can say the same.
#[derive(Args, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ReleaseFlags {
    /// What happens to the edges: a protocol by which every user reports their own list (graph-privatizer, two-hop-rr, dummy-exchange,
    /// shuffled-query, neighbour-krr, edge-flip), a noisy graph by its owner (lapgraph, edgerand), degree-vectors, raw (as they are: no
    /// guarantee) or empty (withheld) [default: empty, or the method's]
    #[arg(long, value_name = "HOW", visible_alias = "graph")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edges: Option<Edges>,
    /// ε of the edges: of each user's report, or of the owner's release; inf releases them as they are
    #[arg(long, value_name = "EPSILON", allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon_edges: Option<Epsilon>,
    /// ε of each user's feature vector; inf releases the features as they are
    #[arg(long, value_name = "EPSILON", allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon_features: Option<Epsilon>,
    /// ε of each user's label; inf releases the labels as they are
    #[arg(long, value_name = "EPSILON", allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon_labels: Option<Epsilon>,
    /// How many dimensions each feature report samples [default: the encoder's rule, max(1, min(d, ⌊ε/2.18⌋))]
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u32>,
    /// What happens to features first: minmax (each column to [0, 1]; reads everybody's), rows (each row to sum 1), standard (each column
    /// to mean 0 and deviation 1; features as they are only) or none [default: minmax in train, rows with a method, none in privatize]
    #[arg(long, value_parser = PossibleValuesParser::new(["minmax", "rows", "standard", "none"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub protocol: ProtocolFlags,
}

/// How mechanisms for edges work.
#[derive(Args, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProtocolFlags {
    /// graph-privatizer: how candidates are chosen [default: threshold]
    #[arg(long, value_parser = PossibleValuesParser::new(["most-similar", "threshold"]), help_heading = "Protocols")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// graph-privatizer: how much aggregated features count, 0 to 1 [default: 0]
    #[arg(long, allow_hyphen_values = true, help_heading = "Protocols")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// graph-privatizer: the threshold on the similarity, 0 to 1 (0: no threshold) [default: 0]. Of a released student: δ of a node
    /// [default: 1e-5]
    #[arg(long, allow_hyphen_values = true, help_heading = "Protocols")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// graph-privatizer: follow the paper's equations, or what its published code does [default: paper]
    #[arg(long, value_parser = PossibleValuesParser::new(["paper", "reference"]), help_heading = "Protocols")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<String>,
    /// Protocols that compare features, and privgnn: how [default: cosine; euclidean for privgnn]
    #[arg(long, value_parser = PossibleValuesParser::new(["cosine", "euclidean"]), help_heading = "Protocols")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measure: Option<String>,
    /// dummy-exchange: the most dummies that a node adds [default: 5]
    #[arg(long, value_name = "N", help_heading = "Protocols")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_dummies: Option<u32>,
    /// dummy-exchange: how many candidates are tried [default: 10]
    #[arg(long, value_name = "K", help_heading = "Protocols")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<u32>,
    /// lapgraph: how much of ε goes to the number of edges [default: 0.01]
    #[arg(long, value_name = "EPSILON", allow_hyphen_values = true, help_heading = "Protocols")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon_count: Option<Epsilon>,
    /// edge-flip, edgerand: refuse if more edges than this are expected [default: 100000000]
    #[arg(long, value_name = "N", help_heading = "Protocols")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_edges: Option<u64>,
    /// degree-vectors, lpgnet: how many rounds (stages) share ε [default: 1]
    #[arg(long, value_name = "N", visible_alias = "stages", help_heading = "Protocols")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// degree-vectors: what is protected, one entry of a user's list, which node a neighbour is, or (by the owner) an edge
    /// [default: edge-bit; edge for lpgnet]
    #[arg(long, value_parser = PossibleValuesParser::new(["edge-bit", "edge-set", "edge"]), help_heading = "Protocols")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// The names of these parameters.
pub const RELEASE_KEYS: [&str; 17] = [
    "edges",
    "epsilon-edges",
    "epsilon-features",
    "epsilon-labels",
    "samples",
    "scale",
    "strategy",
    "alpha",
    "delta",
    "similarity",
    "measure",
    "max-dummies",
    "candidates",
    "epsilon-count",
    "max-edges",
    "rounds",
    "unit",
];

/// Where a release's range, split, money and noise come from.
#[derive(Args)]
pub struct Terms {
    /// Range of the features: "public" (declared, else 0,1), LOW,HIGH, or "data" (reads everybody's features)
    #[arg(long, default_value = "public", allow_hyphen_values = true)]
    range: RangeArgument,
    /// Who is for training, validation and testing: "public" (the data's own split), "all" (everyone is for training) or
    /// TRAIN,VAL,TEST fractions for a random one [default: public]
    #[arg(long)]
    split: Option<SplitArgument>,
    #[command(flatten)]
    pub payment: Payment,
}

#[derive(Clone, Copy)]
pub struct RangeArgument(RangeChoice);

impl RangeArgument {
    /// What it asks for.
    pub fn choice(self) -> RangeChoice {
        self.0
    }
}

impl FromStr for RangeArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<RangeArgument, String> {
        let choice = match text {
            "public" => RangeChoice::Public,
            "data" => RangeChoice::FromData,
            _ => {
                let numbers = text
                    .split_once(',')
                    .and_then(|(low, high)| Some((low.trim().parse().ok()?, high.trim().parse().ok()?)));
                let (low, high) = numbers.ok_or("expected public, data, or two numbers such as 0,1")?;
                RangeChoice::Given(ValueRange::new(low, high).map_err(|error| error.to_string())?)
            }
        };
        Ok(RangeArgument(choice))
    }
}

#[derive(Clone, Copy)]
pub enum SplitArgument {
    Public,
    All,
    Random(Fractions),
}

impl FromStr for SplitArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<SplitArgument, String> {
        match text {
            "public" => return Ok(SplitArgument::Public),
            "all" => return Ok(SplitArgument::All),
            _ => {}
        }
        text.parse().map(SplitArgument::Random).map_err(|error: veil_graph::FractionsError| error.to_string())
    }
}

impl std::fmt::Display for SplitArgument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SplitArgument::Public => f.write_str("public"),
            SplitArgument::All => f.write_str("all"),
            SplitArgument::Random(fractions) => fractions.fmt(f),
        }
    }
}

impl Terms {
    /// The range of the features, as text.
    pub fn range_text(&self) -> String {
        match self.range.0 {
            RangeChoice::Public => "public".to_owned(),
            RangeChoice::FromData => "data".to_owned(),
            RangeChoice::Given(range) => format!("{},{}", range.low(), range.high()),
        }
    }

    /// How the nodes are split, as text.
    pub fn split_text(&self) -> String {
        self.split.unwrap_or(SplitArgument::Public).to_string()
    }

    /// Everyone is for training, unless something else was said.
    pub fn all_train(&mut self) {
        self.split.get_or_insert(SplitArgument::All);
    }

    /// A folder that is released already has its range and split, and was paid for.
    pub fn refuse_on_released(&self, data: &str) -> Result<(), Failure> {
        let flag = match self {
            Terms { payment: Payment { ledger: Some(_), .. }, .. } => "--ledger",
            Terms { split: Some(SplitArgument::Random(_) | SplitArgument::All), .. } => "--split",
            Terms { range: RangeArgument(RangeChoice::Public), .. } => return Ok(()),
            _ => "--range",
        };
        Err(Failure::Usage(format!("{data} is released already: {flag} says nothing about it, leave it out")))
    }

    /// The data with the split that was asked for.
    pub fn with_split(&self, data: Dataset) -> Result<Dataset, Failure> {
        match self.split.unwrap_or(SplitArgument::Public) {
            SplitArgument::Public => Ok(data),
            SplitArgument::All => everyone(data, Part::Train),
            SplitArgument::Random(fractions) => {
                let seed = self.payment.seed.map_or_else(random_seed, Ok)?;
                let split = Split::random(data.nodes(), fractions, seed);
                Ok(data.with_split(split)?)
            }
        }
    }

    /// What would be released: nothing is charged yet.
    pub fn plan(&self, data: &Private<Dataset>, parameters: &Parameters) -> Result<Plan, Failure> {
        Ok(Plan::new(data, parameters.options(data, self.range.0)?)?)
    }

    /// What would be released of a graph that a model for so many classes is asked about.
    pub fn inference_plan(
        &self,
        data: &Private<Dataset>,
        parameters: &Parameters,
        classes: u32,
    ) -> Result<Plan, Failure> {
        Ok(Plan::new(data, parameters.inference_options(data, classes, self.range.0)?)?)
    }
}

/// The data with everyone in one part of the split.
pub fn everyone(data: Dataset, part: Part) -> Result<Dataset, Failure> {
    let split = Split::new(vec![part; data.nodes() as usize]);
    Ok(data.with_split(split)?)
}

/// A release that lies inside the raw data invites publishing the wrong folder.
pub fn refuse_inside(out: &Path, data: &Path) -> Result<(), Failure> {
    let Ok(data) = data.canonicalize() else { return Ok(()) };
    let above = std::path::absolute(out)?;
    let inside = above.ancestors().filter_map(|folder| folder.canonicalize().ok()).any(|folder| folder == data);
    if inside && data.is_dir() {
        let (out, data) = (out.display(), data.display());
        return Err(Failure::Usage(format!("{out} lies inside the raw data in {data}: choose another --out")));
    }
    Ok(())
}

/// A random number for a split that nobody needs to repeat.
pub fn random_seed() -> Result<u64, Failure> {
    getrandom::u64().map_err(|source| veil_privacy::CoinsError::NoRandomness { source }.into())
}

/// Seconds since the last look.
pub struct Clock(Instant);

impl Clock {
    pub fn start() -> Clock {
        Clock(Instant::now())
    }

    pub fn lap(&mut self) -> f64 {
        let seconds = self.0.elapsed().as_secs_f64();
        self.0 = Instant::now();
        seconds
    }
}

/// What a statement promises, as a table.
pub fn guarantees(statement: &Statement) -> String {
    let rows = statement.guarantees.iter().map(|guarantee| {
        vec![
            guarantee.unit.to_string(),
            guarantee.epsilon.to_string(),
            guarantee.delta.to_string(),
            guarantee.trust.name().to_owned(),
            guarantee.shown_status(),
            guarantee.mechanism.clone(),
        ]
    });
    table(&["protects", ">ε", ">δ", "trust", "status", "mechanism"], rows)
}

/// What must be said aloud about a release.
pub fn warnings(statement: &Statement) -> String {
    let mut text = String::new();
    if statement.reproducible {
        text += "\nREPRODUCIBLE, THEREFORE NOT PRIVATE: the noise came from --seed";
    }
    for guarantee in &statement.guarantees {
        let unit = guarantee.unit;
        match guarantee.status {
            Status::None => text += &format!("\nNOT PRIVATISED ({unit}): what has ε = inf is released as it is"),
            Status::Refuted => {
                text +=
                    &format!("\nREFUTED ({unit}): {} does not keep what was published about it", guarantee.mechanism);
            }
            Status::Claimed => text += &format!("\nCLAIMED, NOT PROVEN ({unit})"),
            Status::Proven => {}
        }
        if guarantee.unaccounted().next().is_some() {
            text += &format!(
                "\nNOT ACCOUNTED FOR ({unit}): something was read from everybody's data; privacy.md says what"
            );
        }
    }
    text
}
