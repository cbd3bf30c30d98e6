//! `veil privatize`: release features and labels with a guarantee.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

use clap::{Args, ValueEnum};
use serde::Serialize;
use veil_graph::{Dataset, Features, Fractions, Split, write};
use veil_privacy::mechanism::ValueRange;
use veil_privacy::release::{Options, Plan, Privatised, RangeChoice};
use veil_privacy::{Coins, Epsilon, Ledger, Private, Request, Statement, Status};

use super::data::open_named;
use crate::failure::Failure;
use crate::output::{Output, table};
use crate::progress;

/// Release features and labels with a privacy guarantee
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    veil privatize graph --epsilon-features 3 --epsilon-labels 3 --ledger book.db --out released\n  \
    veil privatize graph --epsilon-labels 1 --split 0.5,0.25,0.25 --out released\n  \
    veil privatize graph --epsilon-features 3 --range -1,1 --seed 1 --out trial   (reproducible, therefore not private)")]
pub struct Privatize {
    /// The data set: a path, or the name of one that was fetched
    data: String,
    /// ε of each user's feature vector; inf releases the features as they are
    #[arg(long, value_name = "EPSILON", allow_hyphen_values = true)]
    epsilon_features: Option<Epsilon>,
    /// ε of each user's label; inf releases the labels as they are
    #[arg(long, value_name = "EPSILON", allow_hyphen_values = true)]
    epsilon_labels: Option<Epsilon>,
    /// How many dimensions each report samples [default: the encoder's rule, max(1, min(d, ⌊ε/2.18⌋))]
    #[arg(long, value_name = "M", requires = "epsilon_features", allow_hyphen_values = true)]
    samples: Option<u32>,
    /// Range of the features: "public" (declared, else 0,1), LOW,HIGH, or "data" (reads everybody's features)
    #[arg(long, default_value = "public", allow_hyphen_values = true)]
    range: RangeArgument,
    /// Whose labels may be released: "public" (the data's own split) or TRAIN,VAL,TEST fractions for a random one
    #[arg(long, default_value = "public")]
    split: SplitArgument,
    /// The ledger to charge first
    #[arg(long)]
    ledger: Option<PathBuf>,
    /// Release although the guarantee has this status; it is booked as unbounded
    #[arg(long, value_name = "STATUS", requires = "ledger")]
    accept: Vec<Acceptable>,
    /// Draw the noise from this number: reproducible, therefore not private
    #[arg(long, allow_hyphen_values = true)]
    seed: Option<u64>,
    /// The folder to make
    #[arg(long)]
    out: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Acceptable {
    Claimed,
    Refuted,
    None,
}

impl From<Acceptable> for Status {
    fn from(acceptable: Acceptable) -> Status {
        match acceptable {
            Acceptable::Claimed => Status::Claimed,
            Acceptable::Refuted => Status::Refuted,
            Acceptable::None => Status::None,
        }
    }
}

#[derive(Clone, Copy)]
struct RangeArgument(RangeChoice);

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
enum SplitArgument {
    Public,
    Random(Fractions),
}

impl FromStr for SplitArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<SplitArgument, String> {
        if text == "public" {
            return Ok(SplitArgument::Public);
        }
        text.parse().map(SplitArgument::Random).map_err(|error: veil_graph::FractionsError| error.to_string())
    }
}

/// What `--json` prints.
#[derive(Serialize)]
struct Shown<'a> {
    out: PathBuf,
    nodes: u32,
    signs_per_node: Option<usize>,
    labels_released: usize,
    seconds: Seconds,
    #[serde(flatten)]
    statement: &'a Statement,
}

#[derive(Serialize)]
struct Seconds {
    read: f64,
    privatise: f64,
    write: f64,
}

impl Privatize {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        refuse_inside(&self.out, Path::new(&self.data))?;
        let mut clock = Clock::start();
        let bar = progress::working(output, &format!("reading {}", self.data));
        let data = self.with_split(open_named(&self.data)?)?;
        let read = clock.lap();

        // The folder to write to is made first: nothing is charged for a release that has no place to go.
        let (released, privatise) = write::atomically(&self.out, |folder| {
            bar.set_message("privatising");
            let released = self.release(&Private::seal(data))?;
            let seconds = clock.lap();
            bar.set_message(format!("writing {}", self.out.display()));
            released.fill(folder)?;
            Ok::<_, Failure>((released, seconds))
        })?;
        bar.finish_and_clear();
        let shown = Shown {
            nodes: released.data().nodes(),
            signs_per_node: match released.data().features() {
                Some(Features::Encoded(encoded)) => Some(encoded.per_row()),
                _ => None,
            },
            labels_released: released.data().labels().map_or(0, veil_graph::Labels::known),
            seconds: Seconds { read, privatise, write: clock.lap() },
            statement: released.statement(),
            out: self.out,
        };
        output.show(&shown, || describe(&shown))
    }

    fn with_split(&self, data: Dataset) -> Result<Dataset, Failure> {
        match self.split {
            SplitArgument::Public => Ok(data),
            SplitArgument::Random(fractions) => {
                let seed = self.seed.map_or_else(random_seed, Ok)?;
                let split = Split::random(data.nodes(), fractions, seed);
                Ok(data.with_split(split)?)
            }
        }
    }

    fn release(&self, data: &Private<Dataset>) -> Result<Privatised, Failure> {
        let plan = Plan::new(
            data,
            Options {
                epsilon_features: self.epsilon_features,
                epsilon_labels: self.epsilon_labels,
                samples: self.samples,
                range: self.range.0,
                ..Options::default()
            },
        )?;
        let coins = match self.seed {
            Some(seed) => Coins::reproducible(seed),
            None => Coins::from_os()?,
        };
        let request = Request::new(data, coins, plan.guarantees())?;
        let accepted: Vec<Status> = self.accept.iter().map(|&status| status.into()).collect();
        let permit = match &self.ledger {
            Some(path) => Ledger::open(path)?.charge(request, &accepted)?,
            None => request.unbooked(),
        };
        Ok(plan.release(data, permit)?.released)
    }
}

/// A release that lies inside the raw data invites publishing the wrong folder.
fn refuse_inside(out: &Path, data: &Path) -> Result<(), Failure> {
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
struct Clock(Instant);

impl Clock {
    fn start() -> Clock {
        Clock(Instant::now())
    }

    fn lap(&mut self) -> f64 {
        let seconds = self.0.elapsed().as_secs_f64();
        self.0 = Instant::now();
        seconds
    }
}

fn describe(shown: &Shown<'_>) -> String {
    let mut text = format!("released {} nodes of {} to {}\n", shown.nodes, shown.statement.data, shown.out.display());
    text += &guarantees(shown.statement);
    if shown.statement.reproducible {
        text += "\nREPRODUCIBLE, THEREFORE NOT PRIVATE: the noise came from --seed";
    }
    if shown.statement.guarantees.iter().any(|guarantee| guarantee.status == Status::None) {
        text += "\nNOT PRIVATISED: what has ε = inf is released as it is";
    }
    text += &format!("\nnot released: {}", shown.statement.withheld.join("; "));
    text += "\nprivacy.md says this in sentences that can be published";
    text
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
