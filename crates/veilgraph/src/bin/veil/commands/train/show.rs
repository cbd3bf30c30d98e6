//! The result of a training, for people and machines.

use std::path::Path;

use serde::Serialize;
use veil_learn::Run;
use veil_learn::metrics::Classification;
use veil_learn::pipeline::{Inferred, Trained};
use veil_learn::run::{Record, Score, Seconds};
use veil_privacy::guarantee::Assumption;
use veil_privacy::{Delta, Guarantee, Spent, Unit};

use crate::commands::statement::{guarantees, in_common, warnings};
use crate::output::{Output, classified, grouped, percent};

/// What `--json` prints.
#[derive(Serialize)]
struct Shown<'a> {
    out: &'a Path,
    test_accuracy: Option<f64>,
    validation_accuracy: Option<f64>,
    validation_loss: Option<f64>,
    /// That of a first network that reads no edge.
    #[serde(skip_serializing_if = "Option::is_none")]
    edge_free_validation_accuracy: Option<f64>,
    classification: Option<&'a Classification>,
    guarantees: &'a [Guarantee],
    edges_before: Option<usize>,
    edges_after: Option<usize>,
    edges_kept: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inference: Option<ShownInference<'a>>,
    /// Over all graphs, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    total: Vec<Total>,
    #[serde(flatten)]
    record: &'a Record,
    /// For the owner: they depend on the raw data.
    seconds: Seconds,
}

/// The sum of the losses of all graphs for one unit.
#[derive(Serialize)]
struct Total {
    unit: Unit,
    epsilon: Spent,
    delta: Delta,
}

/// What `--json` prints about answers on another graph.
#[derive(Serialize)]
pub struct ShownInference<'a> {
    out: Option<&'a Path>,
    data: &'a str,
    nodes: u32,
    guarantees: &'a [Guarantee],
    classification: Option<&'a Classification>,
    /// Over all graphs that the answers depend on.
    total: Vec<Total>,
}

impl<'a> ShownInference<'a> {
    pub fn new(inferred: &'a Inferred) -> ShownInference<'a> {
        let released = inferred.run.released();
        ShownInference {
            out: inferred.out.as_deref(),
            data: &inferred.run.record().data,
            nodes: released.data().nodes(),
            guarantees: &released.statement().guarantees,
            classification: inferred.classification.as_ref(),
            total: totals(&inferred.total),
        }
    }
}

fn totals(sums: &[(Unit, Spent, Delta)]) -> Vec<Total> {
    sums.iter().map(|&(unit, epsilon, delta)| Total { unit, epsilon, delta }).collect()
}

pub fn show(out: &Path, trained: &Trained, output: &Output) {
    let Trained { run, score, inference, total, .. } = trained;
    let score = score.as_ref();
    let shown = Shown {
        out,
        test_accuracy: score.and_then(|score| score.test_accuracy),
        validation_accuracy: run.validation_accuracy(),
        validation_loss: run.validation_loss(),
        edge_free_validation_accuracy: run.edge_free_validation_accuracy(),
        guarantees: &run.released().statement().guarantees,
        edges_before: score.map(|score| score.edges_before),
        edges_after: score.map(|score| score.edges_after),
        edges_kept: score.map(|score| score.edges_kept),
        classification: score.and_then(|score| score.classification.as_ref()),
        inference: inference.as_ref().map(ShownInference::new),
        total: totals(total),
        record: run.record(),
        seconds: run.record().seconds,
    };
    output.show_made(out, &shown, || {
        let mut text = describe(out, run, score);
        if let Some(inferred) = inference {
            text += "\n\n";
            text += &describe_inference(inferred);
        }
        if !total.is_empty() {
            text += &format!("\n\n{}", in_common(total));
        }
        text
    });
}

fn describe(out: &Path, run: &Run, score: Option<&Score>) -> String {
    let (statement, record) = (run.released().statement(), run.record());
    let networks = match record.stages {
        1 => run.method().twin().kind.to_string(),
        stages => format!("stack of {stages} mlps"),
    };
    let mut text = format!("{}: {networks} trained on {} → {}\n", record.method, statement.data, out.display());
    text += &guarantees(statement);
    let share = |accuracy: Option<f64>| accuracy.map_or_else(|| "unknown".to_owned(), percent);
    let validation = run.validation_accuracy();
    text += &format!("\ntest accuracy {}", share(score.and_then(|score| score.test_accuracy)));
    text += &format!(", validation accuracy {} (of released labels)", share(validation));
    text += &format!(", epoch {}", record.best_epoch);
    let classification = score.and_then(|score| score.classification.as_ref());
    text += &classification.map_or_else(String::new, classified);
    if let (Some(floor), Some(reached)) = (run.edge_free_validation_accuracy(), validation) {
        text += &format!("\nvalidation accuracy of its first network, which reads no edge: {}", percent(floor));
        text += without_edges(run.method().settings().word("readout"), reached - floor);
    }
    if let Some(score) = score {
        let [before, after, kept] = [score.edges_before, score.edges_after, score.edges_kept].map(grouped);
        text += &format!("\nneighbour entries: {before} true, {after} released, {kept} of these true");
    }
    if let Some(whole) = record.epsilon_of_all_graphs {
        text += &format!("\nthe graphs share edges: their ε add up to {whole}");
        // ε is divided among them, δ is not.
        let deltas = statement.guarantees.iter().flat_map(|it| &it.assumptions).find_map(|it| match it {
            Assumption::SharedEdges { delta, .. } => Some(delta).filter(|delta| !delta.is_zero()),
            _ => None,
        });
        text += &deltas.map_or_else(String::new, |delta| format!(", their δ to {delta}"));
    }
    text + &warnings(statement)
}

/// What to do where edges did not help, by how much they did.
fn without_edges(readout: Option<&str>, gain: f64) -> &'static str {
    match (readout, gain) {
        (Some("bayes"), 0.0) => ". THE EDGES DID NOT HELP: its answers are no better than those of that network",
        (Some("network"), gain) if gain < 0.0 => {
            ". THE EDGES DID NOT HELP: edge-free reads none and costs no ε of edges; readout bayes falls back to none"
        }
        (_, gain) if gain < 0.0 => ". THE EDGES DID NOT HELP: edge-free reads none and costs no ε of edges",
        _ => "",
    }
}

/// Answers about another graph, for people.
pub fn describe_inference(inferred: &Inferred) -> String {
    let released = inferred.run.released();
    let (nodes, name) = (grouped(released.data().nodes() as usize), &inferred.run.record().data);
    let out = inferred.out.as_ref().map_or_else(String::new, |out| format!(" → {}", out.display()));
    let mut text = format!("answers about {nodes} nodes of {name}{out}\n");
    text += &guarantees(released.statement());
    text += &inferred.classification.as_ref().map_or_else(|| "\nno true labels to score with".to_owned(), classified);
    text + &warnings(released.statement())
}
