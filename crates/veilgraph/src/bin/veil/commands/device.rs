//! `veil device`: one node's part of a protocol, on that node's own data.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Serialize;
use veil_graph::NodeId;
use veil_privacy::device::files::{self, KeyFile, KeyFileError};
use veil_privacy::device::{self, Contribution, Device, DeviceError, Me, Report, Sender, Waiting};
use veil_privacy::{Guarantee, Status};

use crate::failure::{Failure, read, usage};
use crate::output::{Output, table};

/// Run one node's part of a protocol on that node's own data
///
/// Run it again when messages arrive; the output depends only on the node's data, its key and the
/// inbox. docs/device.md describes the files.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    veil device --protocol neighbour-krr --me me.json --out report.json\n  \
    veil device --protocol graph-privatizer --me me.json --inbox messages.jsonl --out report.json\n  \
    veil device --protocol degree-vectors --me me.json --key second.key --inbox messages.jsonl --out report.json --json")]
pub struct DeviceCommand {
    /// Protocol that all nodes run
    #[arg(long, value_parser = PossibleValuesParser::new(device::names()))]
    protocol: String,
    /// The node's data: neighbours, released features, public parameters
    #[arg(long, value_name = "FILE")]
    me: PathBuf,
    /// Received messages as JSON lines [default: none]
    #[arg(long, value_name = "FILE")]
    inbox: Option<PathBuf>,
    /// The node's key for this release, created if missing [default: as --me, ending in .key]
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Output file for messages and report, overwritten each time; never send the whole file to the
    /// server
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// The output of `--json`.
#[derive(Serialize)]
struct Shown<'a> {
    out: &'a Path,
    key: &'a Path,
    protocol: &'a str,
    me: NodeId,
    messages: usize,
    report: &'a Option<Report>,
    waiting_for: &'a [Waiting],
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<&'a str>,
    guarantees: &'a [Guarantee],
}

impl DeviceCommand {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let key_path = self.key.clone().unwrap_or_else(|| self.me.with_extension("key"));
        self.refuse_to_overwrite(&key_path)?;
        let me = Me::read(&read(&self.me)?).map_err(in_file(&self.me))?;
        let device = Device::new(&self.protocol, me).map_err(in_file(&self.me))?;
        let inbox = self.inbox.as_deref().map(read).transpose()?.unwrap_or_default();
        let inbox_path = self.inbox.as_deref().unwrap_or(&self.me);
        // What it returns may be sent: the key file has recorded it.
        let part = KeyFile::open(&key_path)?.report(&device, &inbox).map_err(|error| match error {
            KeyFileError::Part(error) => Failure::in_file(inbox_path, &error),
            KeyFileError::Refused { source, .. } => Failure::in_file(&key_path, &source),
            other => other.into(),
        })?;

        let mut text = serde_json::to_string_pretty(&part).map_err(std::io::Error::from)?;
        text.push('\n');
        files::put(&self.out, text.as_bytes())?;

        let guarantees = device.guarantees();
        let Contribution { messages, report, waiting_for, order, .. } = &part;
        let shown = Shown {
            out: &self.out,
            key: &key_path,
            protocol: &self.protocol,
            me: device.me().me,
            messages: messages.len(),
            report,
            waiting_for,
            order: order.as_deref(),
            guarantees: &guarantees,
        };
        output.show_made(&self.out, &shown, || describe(&shown));
        Ok(())
    }

    /// Refuses to overwrite a key or an input.
    fn refuse_to_overwrite(&self, key: &Path) -> Result<(), Failure> {
        let same =
            |a: &Path, b: &Path| a == b || a.canonicalize().ok().is_some_and(|a| b.canonicalize().ok() == Some(a));
        let inputs = [Some(self.me.as_path()), self.inbox.as_deref()];
        let clash = inputs.into_iter().flatten().find(|path| same(path, key) || same(path, &self.out));
        match clash.or_else(|| same(key, &self.out).then_some(key)) {
            None => Ok(()),
            Some(path) => usage(format!("{} is given for two files", path.display())),
        }
    }
}

/// For `map_err`: the file with the error.
fn in_file(path: &Path) -> impl FnOnce(DeviceError) -> Failure {
    move |error| Failure::in_file(path, &error)
}

fn describe(shown: &Shown<'_>) -> String {
    let mut text = format!("node {} of {}: {} messages to send", shown.me, shown.protocol, shown.messages);
    text += &match shown.report {
        Some(Report::Nodes(nodes)) => format!(", a report of {} nodes", nodes.len()),
        Some(Report::DegreeAndNodes { nodes, .. }) => format!(", a report of a degree and {} nodes", nodes.len()),
        Some(Report::Counts(_) | Report::Hint(_)) => ", a report".to_owned(),
        Some(Report::Rounds(rounds)) => format!(", a report of {} rounds", rounds.len()),
        None if shown.waiting_for.is_empty() => ", nothing to report".to_owned(),
        None => ", no report yet".to_owned(),
    };
    text += &format!("; both in {}\n", shown.out.display());
    text += "Only \"report\" and messages to \"server\" may be sent to the server. The rest of this file contains true neighbours: \
             never send it there.\n";
    if !shown.waiting_for.is_empty() {
        let rows = shown.waiting_for.iter().map(|waiting| {
            let from = match waiting.from {
                Sender::Server => "the server".to_owned(),
                Sender::Node(node) => format!("node {node}"),
            };
            vec![from, waiting.message.to_owned(), waiting.round.map(|round| round.to_string()).unwrap_or_default()]
        });
        text += &table(&["waiting for", "message", ">round"], rows);
        text.push('\n');
    }
    if let Some(order) = shown.order {
        text += &format!(
            "order: {order}\nThis must be the digest that was published for all users before the first batch; with another order a \
             relationship costs twice the ε.\n"
        );
    }
    let rows = shown.guarantees.iter().map(|guarantee| {
        vec![
            guarantee.unit.to_string(),
            guarantee.epsilon.to_string(),
            guarantee.delta.to_string(),
            guarantee.per_relationship.map(|epsilon| epsilon.to_string()).unwrap_or_default(),
            guarantee.shown_status(),
        ]
    });
    text += &table(&["protects", ">ε", ">δ", ">ε per relationship", "status"], rows);
    if shown.guarantees.iter().any(|guarantee| guarantee.status == Status::Refuted) {
        text += &format!("\nREFUTED: the published guarantee of {} has a counterexample", shown.protocol);
    }
    text
}
