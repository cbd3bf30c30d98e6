//! `veil choose`: which method, from public facts alone.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;
use veil_learn::choose::{Answer, Candidate, EdgesHelp, Estimate, Question};
use veil_learn::pipeline::{self, Payment, SplitChoice};
use veil_privacy::guarantee::Source;
use veil_privacy::{Epsilon, Private, Trust, Unit};

use super::statement::meaning;
use super::terms::{DeclareFlags, GivenFlags};
use crate::failure::Failure;
use crate::output::{COLUMNS, Output, cut, say_waiting, table, wrapped};

/// Say which methods apply to a graph, what each would promise, and what accuracy to expect
///
/// Reads nothing of the graph but facts that a release may state: the numbers of nodes, classes and
/// feature dimensions, and the split. Edges, labels and features are not looked at, so asking costs
/// no ε. What is expected comes from measured runs on other graphs (docs/choosing.md).
#[derive(Args)]
#[command(after_help = format!(
    "Units, what one ε of each protects:\n{}\n\nExamples:\n  \
     veil choose graph --trust owner --protect edge --epsilon 2\n  \
     veil choose graph --trust owner --protect edge --epsilon 2 --count-edges 0.1 --ledger book.db\n  \
     veil choose graph --trust nobody --protect edge --epsilon 2 --declare-public features,labels\n  \
     veil choose graph --trust owner --protect node --epsilon 4 --split 0.5,0.25,0.25 --json",
    Unit::list()
))]
pub struct Choose {
    /// Path or fetched name of a data set
    data: String,
    /// Who is trusted with the raw data
    #[arg(long, value_enum)]
    trust: Trusted,
    /// Unit to protect: edge, node, edge-bit or edge-set (listed below); with --trust nobody, edge
    /// is a relationship, which may be in two reports
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    protect: Unit,
    /// ε of one such unit
    #[arg(long)]
    epsilon: Epsilon,
    /// Split: public (stored), all (all train) or TRAIN,VAL,TEST [default: public]
    #[arg(long, help_heading = "Data")]
    split: Option<SplitChoice>,
    #[command(flatten)]
    given: GivenFlags,
    /// Public graph that a student could be trained on
    #[arg(long, value_name = "DATA", help_heading = "Data")]
    public_graph: Option<String>,
    /// Mean degree, if you know it without looking at the graph
    #[arg(long, value_name = "DEGREE", conflicts_with = "count_edges", help_heading = "Data")]
    mean_degree: Option<f64>,
    /// Pay this ε for a noisy number of edges, which makes the answer more precise
    #[arg(long, value_name = "EPSILON", requires = "ledger", help_heading = "Privacy")]
    count_edges: Option<Epsilon>,
    /// Ledger that must afford ε; --count-edges is charged to it
    #[arg(long, help_heading = "Privacy")]
    ledger: Option<PathBuf>,
    #[command(flatten)]
    declare: DeclareFlags,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Trusted {
    /// The owner holds the raw graph
    Owner,
    /// Users perturb their own data
    Nobody,
}

fn unit(text: &str) -> Result<Unit, String> {
    text.parse().map_err(|error: veil_privacy::parameters::UnknownWord| format!("{error}\n{}", Unit::list()))
}

/// What `--json` prints.
#[derive(Serialize)]
struct Shown<'a> {
    data: &'a str,
    unit: Unit,
    epsilon: Epsilon,
    /// The noisy number of edges that was paid for.
    #[serde(skip_serializing_if = "Option::is_none")]
    counted_edges: Option<u64>,
    #[serde(flatten)]
    answer: &'a Answer,
    /// What to run next.
    command: Option<String>,
}

impl Choose {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let data = self.given.apply(pipeline::raw(&self.data)?)?;
        let data = Private::seal(data).declaring(self.declare.declared());
        if let Some(public) = &self.public_graph {
            drop(pipeline::raw(public)?);
        }
        let trust = if self.trust == Trusted::Owner { Trust::Central } else { Trust::Local };
        let question = Question {
            trust,
            unit: self.protect,
            epsilon: self.epsilon,
            split: self.split,
            public_graph: self.public_graph.is_some(),
            mean_degree: self.mean_degree.map(|degree| (degree, Source::Declared)),
        };
        let payment = Payment { ledger: self.ledger.clone(), waiting: Some(say_waiting), ..Payment::default() };
        let (answer, counted) = pipeline::advise(&data, question, self.count_edges, &payment)?;
        let shown = Shown {
            data: &self.data,
            unit: self.protect,
            epsilon: self.epsilon,
            counted_edges: counted,
            command: answer.best().map(|best| self.command(best)),
            answer: &answer,
        };
        output.show(&shown, || self.describe(&shown))
    }

    /// The command that makes a candidate.
    fn command(&self, candidate: &Candidate) -> String {
        let mut text = format!("veil train {}", quoted(&self.data));
        let needs_public = veil_learn::method::find(candidate.flags.first().map_or("", |(_, method)| method))
            .is_ok_and(|entry| entry.public_graph);
        for (flag, value) in &candidate.flags {
            // A student's split is that of its public graph.
            if !(needs_public && flag == "split") {
                text += &format!(" --{flag} {}", quoted(value));
            }
        }
        if let (true, Some(public)) = (needs_public, &self.public_graph) {
            text += &format!(" --public-graph {}", quoted(public));
        }
        let declared = self.declare.declared();
        if !declared.is_empty() {
            text += &format!(" --declare-public {declared}");
        }
        if let Some(ledger) = self.ledger.as_ref().filter(|_| candidate.epsilon.is_some()) {
            text += &format!(" --ledger {}", quoted(&ledger.display().to_string()));
        }
        text + " --out run"
    }

    fn describe(&self, shown: &Shown<'_>) -> String {
        let Shown { answer, command, counted_edges, .. } = shown;
        let facts: Vec<String> =
            answer.facts.iter().map(|it| format!("{} {} ({})", it.fact, round(it.value), it.because)).collect();
        let mut text = lines(&format!("used of {}: {}; nothing else", self.data, facts.join(", ")));
        if let Some(edges) = counted_edges {
            text += &format!("\ncounted, with noise that was charged: about {edges} edges");
        }
        let columns: Vec<&str> = ["method", "protects", ">ε"]
            .into_iter()
            .chain(answer.reference.map(|_| ">gain"))
            .chain([">accuracy %"])
            .collect();
        let rows = answer.candidates.iter().map(|it| {
            let unit = it.unit.map_or("no edge", Unit::name).to_owned();
            let epsilon = match (it.epsilon, it.per_relationship) {
                (Some(one), Some(both)) => format!("{one} ({both})"),
                (Some(one), None) => one.to_string(),
                (None, _) => "–".to_owned(),
            };
            let unknown = || "not measured".to_owned();
            let gain = it.expected.and_then(|it| it.gain).map_or_else(unknown, |it| interval(it, true));
            let accuracy = it.expected.map_or_else(unknown, |it| interval(it.accuracy, false));
            let cells = [cut(&it.method, WIDEST), unit, epsilon].into_iter();
            cells.chain(answer.reference.map(|_| gain)).chain([accuracy]).collect()
        });
        text += &format!("\n\n{}", table(&columns, rows));
        let proven = answer.candidates.iter().all(|it| it.unit.is_none() || it.status == veil_privacy::Status::Proven);
        text += "\n";
        text += &lines(&format!(
            "best first; in brackets, where 80 % of similar measured graphs lie{}{}{}",
            answer.reference.map_or_else(String::new, |reference| format!(
                "; gain: points of accuracy over {reference}{}",
                if self.protect == Unit::Node { ", not private" } else { ", which costs no ε of edges" }
            )),
            if proven { "; every ε is proven" } else { "" },
            if self.protect == Unit::Edge && self.trust == Trusted::Nobody {
                "; ε of a report, in brackets that of a relationship if both ends report"
            } else {
                ""
            }
        ));
        if answer.edges_help == Some(EdgesHelp::Likely) {
            text += "\nthe edges are expected to help";
        }
        for note in &answer.notes {
            text += &format!("\n{}", lines(&format!("note: {note}")));
        }
        for refused in &answer.refused {
            text += &format!("\n{}", lines(&format!("not {}: {}", refused.method, refused.why)));
        }
        text += "\n";
        text += &meaning(&answer.meaning);
        if let Some(command) = command {
            text += &format!("\n\nto run it:\n  {command}");
        }
        text
    }
}

fn lines(text: &str) -> String {
    wrapped(text, COLUMNS).join("\n")
}

/// The widest name of a method in a table; the command has all of it.
const WIDEST: usize = 22;

/// A value with its interval.
fn interval(Estimate { expected, low, high, .. }: Estimate, signed: bool) -> String {
    if expected == low && low == high {
        return format!("{expected:.0}");
    }
    match signed {
        true => format!("{expected:+.1} ({low:+.0} to {high:+.0})"),
        false => format!("{expected:.0} ({low:.0} to {high:.0})"),
    }
}

/// At most one digit after the point.
fn round(value: f64) -> String {
    if value.fract().abs() < 0.05 { format!("{value:.0}") } else { format!("{value:.1}") }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "_-./,=".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
