//! `veil privatize`: release features, labels and edges with a guarantee.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use veil_graph::{Features, Labels};
use veil_learn::parameters::Reports;
use veil_learn::pipeline::{self, Graphs, Place, Unmodelled};
use veil_privacy::Statement;
use veil_privacy::protocol::Traffic;

use super::method_flags::{Chosen, MethodFlags};
use super::statement::{guarantees, warnings};
use super::terms::{GivenFlags, PaymentFlags, TermsFlags};
use crate::failure::{Failure, usage};
use crate::output::Output;
use crate::progress::Progress;

/// Release features, labels and (with --method) edges under a privacy guarantee
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    veil privatize graph --epsilon-features 3 --epsilon-labels 3 --ledger book.db --out released\n  \
    veil privatize graph --method degree-vectors --epsilon-edges 2 --epsilon-labels 3 --out released\n  \
    veil privatize graph --method dpgcn --graph lapgraph --epsilon-edges 4 --out released\n  \
    veil privatize edges.csv --nodes ids.txt --method dpgcn --graph edgerand --epsilon-edges 4 --out released\n  \
    veil privatize graph --epsilon-features 3 --range -1,1 --seed 1 --out trial   (not private)")]
pub struct Privatize {
    /// Path or fetched name of a data set
    data: String,
    /// Output folder
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    terms: TermsFlags,
    #[command(flatten)]
    given: GivenFlags,
    #[command(flatten)]
    payment: PaymentFlags,
    // Last, so that it sees the others: help of a method hides what every method has.
    #[command(flatten)]
    method: MethodFlags,
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
    /// What follows from raw data: for the owner, not part of the release.
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<Owner>,
    #[serde(flatten)]
    statement: &'a Statement,
}

/// What only the owner may know.
#[derive(Serialize)]
struct Owner {
    /// Messages between users.
    traffic: Traffic,
}

impl Privatize {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        pipeline::refuse_inside(&self.out, Path::new(&self.data))?;
        let Chosen { method, settings, .. } = self.method.chosen(None)?;
        let (reports, edges) = Reports::apart(&settings)?;
        let method = match method {
            Some(name) => Some(veil_learn::method::configure(&name, &edges)?),
            None if edges.is_empty() => None,
            None => {
                let name = edges.names().next().unwrap_or_default();
                return usage(format!("--{name} requires --method, whose mechanism releases the edges"));
            }
        };
        let progress = Progress::reading(output, &self.data);
        let (terms, payment) = (self.terms.terms(), self.payment.payment(&self.out)?);
        let data = Graphs::one(self.given.apply(pipeline::raw(&self.data)?)?, &terms, &payment)?.into_train();
        let place = Place::Folder(&self.out);
        let Unmodelled { released, traffic } =
            pipeline::release(&data, &reports, method.as_ref(), &terms, &payment, place, &progress)?;
        progress.finish();
        let shown = Shown {
            nodes: released.data().nodes(),
            signs_per_node: match released.data().features() {
                Some(Features::Encoded(encoded)) => Some(encoded.per_row()),
                _ => None,
            },
            labels_released: released.data().labels().map_or(0, Labels::known),
            edges_released: (!released.data().edges_withheld()).then(|| released.data().graph().entries()),
            owner: (traffic != Traffic::default()).then_some(Owner { traffic }),
            statement: released.statement(),
            out: self.out,
        };
        output.show_made(&shown.out, &shown, || describe(&shown));
        Ok(())
    }
}

fn describe(shown: &Shown<'_>) -> String {
    let mut text = format!("released {} nodes of {} to {}\n", shown.nodes, shown.statement.data, shown.out.display());
    text += &guarantees(shown.statement);
    text += &warnings(shown.statement);
    if let Some(Owner { traffic }) = &shown.owner {
        text += &format!(
            "\nfor you only, because it follows from the true edges: {} messages between users ({} bytes) in {} rounds, \
             {} coinciding report entries, {} neighbours without a replacement",
            traffic.messages, traffic.bytes, traffic.rounds, traffic.collisions, traffic.unresolved
        );
    }
    text += &format!("\nnot released: {}", shown.statement.withheld.join("; "));
    text += "\nprivacy.md states this in sentences that can be published";
    text
}
