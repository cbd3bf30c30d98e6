//! `veil privatize`: release features, labels and edges with a guarantee.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use veil_graph::{Features, write};
use veil_learn::{Edges, Parameters, Scaling};
use veil_privacy::release::Privatised;
use veil_privacy::{Private, Statement, Truth, Unit};

use super::data::open_named;
use super::flags;
use super::paying::Planned;
use super::releasing::{Clock, ReleaseFlags, Terms, guarantees, refuse_inside, warnings};
use crate::failure::Failure;
use crate::output::Output;
use crate::progress;

/// Release features, labels and edges with a privacy guarantee
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    veil privatize graph --epsilon-features 3 --epsilon-labels 3 --ledger book.db --out released\n  \
    veil privatize graph --epsilon-labels 1 --split 0.5,0.25,0.25 --out released\n  \
    veil privatize graph --edges degree-vectors --epsilon-edges 2 --epsilon-labels 3 --out released\n  \
    veil privatize graph --edges lapgraph --epsilon-edges 4 --ledger book.db --out released\n  \
    veil privatize graph --edges graph-privatizer --alpha 0.5 --epsilon-edges 1 --epsilon-features 3 --epsilon-labels 3 --out released\n  \
    veil privatize graph --epsilon-features 3 --range -1,1 --seed 1 --out trial   (reproducible, therefore not private)")]
pub struct Privatize {
    /// The data set: a path, or the name of one that was fetched
    data: String,
    #[command(flatten)]
    flags: ReleaseFlags,
    #[command(flatten)]
    terms: Terms,
    /// The folder to make
    #[arg(long)]
    out: PathBuf,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Shown<'a> {
    out: PathBuf,
    nodes: u32,
    signs_per_node: Option<usize>,
    labels_released: usize,
    /// Entries of all reported lists together.
    edges_released: Option<usize>,
    seconds: Seconds,
    /// What follows from raw data: for the owner, not part of the release.
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<Owner>,
    #[serde(flatten)]
    statement: &'a Statement,
}

/// What only the owner may know.
#[derive(Serialize)]
struct Owner {
    /// What nodes sent to each other.
    traffic: veil_privacy::protocol::Traffic,
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
        let defaults = Parameters { scale: Scaling::None, ..Parameters::default() };
        let parameters = flags::parameters(&defaults, None, &[&self.flags])?;
        if parameters.edges == Edges::DegreeVectors && (parameters.rounds() > 1 || parameters.unit == Unit::Edge) {
            return Err(Failure::Usage(
                "later rounds of degree-vectors, and with --unit edge all of them, count per predicted class, so they need a \
                 training: use veil train"
                    .to_owned(),
            ));
        }
        if Privatised::is_released(Path::new(&self.data)) {
            return Err(veil_privacy::ReleaseError::AlreadyReleased { data: self.data }.into());
        }
        let mut clock = Clock::start();
        let bar = progress::working(output, &format!("reading {}", self.data));
        let data = Private::seal(self.terms.with_split(open_named(&self.data)?)?);
        let read = clock.lap();
        let plan = self.terms.plan(&data, &parameters)?;

        // The folder to write to is made first: nothing is charged for a release that has no place to go.
        let (released, traffic, privatise) = write::atomically(&self.out, |folder| {
            bar.set_message("privatising");
            let release = self.terms.payment.release(Planned { method: None, data: &data, plan })?;
            let seconds = clock.lap();
            bar.set_message(format!("writing {}", self.out.display()));
            release.released.fill(folder)?;
            let traffic = *release.traffic.for_scoring(&Truth::for_scoring_only());
            Ok::<_, Failure>((release.released, traffic, seconds))
        })?;
        bar.finish_and_clear();
        let shown = Shown {
            nodes: released.data().nodes(),
            signs_per_node: match released.data().features() {
                Some(Features::Encoded(encoded)) => Some(encoded.per_row()),
                _ => None,
            },
            labels_released: released.data().labels().map_or(0, veil_graph::Labels::known),
            edges_released: (!released.data().edges_withheld()).then(|| released.data().graph().entries()),
            seconds: Seconds { read, privatise, write: clock.lap() },
            owner: (traffic != veil_privacy::protocol::Traffic::default()).then_some(Owner { traffic }),
            statement: released.statement(),
            out: self.out,
        };
        output.show(&shown, || describe(&shown))
    }
}

fn describe(shown: &Shown<'_>) -> String {
    let mut text = format!("released {} nodes of {} to {}\n", shown.nodes, shown.statement.data, shown.out.display());
    text += &guarantees(shown.statement);
    text += &warnings(shown.statement);
    if let Some(Owner { traffic }) = &shown.owner {
        text += &format!(
            "\nfor you alone, because it follows from the true edges: {} messages between users ({} bytes) in {} rounds; {} entries of reports coincided; \
             {} neighbours found no replacement",
            traffic.messages, traffic.bytes, traffic.rounds, traffic.collisions, traffic.unresolved
        );
    }
    text += &format!("\nnot released: {}", shown.statement.withheld.join("; "));
    text += "\nprivacy.md says this in sentences that can be published";
    text
}
