//! What a training shows.

use std::path::Path;

use serde::Serialize;
use veil_learn::metrics::Classification;
use veil_learn::run::{Record, Score};
use veil_learn::{Edges, Readout, Run};
use veil_privacy::Guarantee;

use crate::commands::inferring::Inferred;
use crate::commands::releasing::{guarantees, warnings};
use crate::output::{classified, grouped, percent};

/// What `--json` prints.
#[derive(Serialize)]
pub struct Shown<'a> {
    out: &'a Path,
    test_accuracy: Option<f64>,
    validation_accuracy: Option<f64>,
    validation_loss: Option<f64>,
    /// Of the first network of a stack, which reads no edge.
    #[serde(skip_serializing_if = "Option::is_none")]
    edge_free_validation_accuracy: Option<f64>,
    classification: Option<Classification>,
    guarantees: &'a [Guarantee],
    edges_before: Option<usize>,
    edges_after: Option<usize>,
    edges_kept: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inference: Option<Inferred>,
    #[serde(flatten)]
    record: &'a Record,
}

impl<'a> Shown<'a> {
    pub fn new(out: &'a Path, run: &'a Run, scored: Option<Score>, inference: Option<Inferred>) -> Shown<'a> {
        Shown {
            out,
            test_accuracy: scored.as_ref().and_then(|scored| scored.test_accuracy),
            validation_accuracy: run.validation_accuracy(),
            validation_loss: run.validation_loss(),
            edge_free_validation_accuracy: run.edge_free_validation_accuracy(),
            guarantees: &run.released().statement().guarantees,
            edges_before: scored.as_ref().map(|scored| scored.edges_before),
            edges_after: scored.as_ref().map(|scored| scored.edges_after),
            edges_kept: scored.as_ref().map(|scored| scored.edges_kept),
            classification: scored.and_then(|scored| scored.classification),
            inference,
            record: run.record(),
        }
    }
}

pub fn describe(shown: &Shown<'_>, run: &Run) -> String {
    let statement = run.released().statement();
    let network = match shown.record.parameters.edges {
        Edges::DegreeVectors if shown.record.stages > 1 => format!("a stack of {} mlps", shown.record.stages),
        Edges::DegreeVectors if shown.record.parameters.readout == Readout::Bayes => {
            "an mlp and Bayes' rule".to_owned()
        }
        Edges::DegreeVectors => "an mlp".to_owned(),
        _ => shown.record.parameters.model.to_string(),
    };
    let method = shown.record.parameters.method.map_or_else(String::new, |method| format!("{method}: "));
    let mut text = format!("{method}trained {network} on {} → {}\n", statement.data, shown.out.display());
    text += &guarantees(statement);
    let share = |accuracy: Option<f64>| accuracy.map_or_else(|| "unknown".to_owned(), percent);
    text += &format!("\ntest accuracy {}", share(shown.test_accuracy));
    text += &format!(", validation accuracy {} (of labels as reported)", share(shown.validation_accuracy));
    text += &format!(", epoch {}", shown.record.best_epoch);
    text += &shown.classification.as_ref().map_or_else(String::new, classified);
    if let (Some(floor), Some(reached)) = (shown.edge_free_validation_accuracy, shown.validation_accuracy) {
        text += &format!("\nits first network, which reads no edge, has a validation accuracy of {}", percent(floor));
        if reached < floor {
            text += ": THE EDGES DID NOT HELP; --method mlp uses none, --readout bayes falls back to none";
        }
    }
    if let Some((before, after, kept)) = shown.edges() {
        text += &format!(
            "\nneighbour entries: {} true, {} released, {} of these true",
            grouped(before),
            grouped(after),
            grouped(kept)
        );
    }
    if let Some(whole) = shown.record.epsilon_of_all_graphs {
        text += &format!("\nthe graphs share edges: what is promised about each adds up to ε = {whole}");
    }
    text += &warnings(statement);
    if let Some(inferred) = &shown.inference {
        text += "\n\n";
        text += &inferred.describe();
    }
    text
}

impl Shown<'_> {
    fn edges(&self) -> Option<(usize, usize, usize)> {
        Some((self.edges_before?, self.edges_after?, self.edges_kept?))
    }
}
