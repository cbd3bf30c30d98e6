//! A trained model on a graph that it has not seen: its edges are released at their own price, once, and what it then answers is
//! a run folder of its own.

use std::path::{Path, PathBuf};

use serde::Serialize;
use veil_graph::Dataset;
use veil_graph::write::WriteError;
use veil_learn::metrics::Classification;
use veil_learn::run::{Record, Score, score_all};
use veil_learn::{LearnError, Parameters, Run, Scaling};
use veil_privacy::release::Release;
use veil_privacy::{Guarantee, Private, Public, Statement, Truth};

use super::releasing::{guarantees, warnings};
use crate::failure::Failure;
use crate::output::{classified, grouped};

/// What came of it.
#[derive(Serialize)]
pub struct Inferred {
    out: PathBuf,
    data: String,
    nodes: u32,
    guarantees: Vec<Guarantee>,
    /// How right the answers are: for whoever holds the true labels, not part of the release.
    classification: Option<Classification>,
    #[serde(skip)]
    statement: Statement,
}

/// Fails where a model of this shape (features, classes) cannot answer about such a graph: before anything is charged.
pub fn check_inference(
    parameters: &Parameters,
    (features, classes): (usize, u32),
    graph: &Public<'_>,
) -> Result<(), Failure> {
    if parameters.scale == Scaling::Minmax && parameters.epsilon_features.is_some() {
        let problem =
            "--scale minmax scales every graph by its own features: for several graphs use rows, standard or none";
        return Err(Failure::Usage(problem.to_owned()));
    }
    let found = graph.dimensions.unwrap_or(0);
    if parameters.epsilon_features.is_some() && found != features {
        return Err(LearnError::OtherFeatures { found, expected: features }.into());
    }
    match graph.classes {
        Some(found) if found > classes => {
            let problem = format!("{} has labels of {found} classes, but the model knows {classes}", graph.name);
            Err(Failure::Unexpected(problem))
        }
        _ => Ok(()),
    }
}

/// Where answers about a graph are kept in the folder of a run. Nothing is made there.
pub fn place_in(run: &Path, graph: &Private<Dataset>) -> PathBuf {
    let plain = |letter: char| if letter.is_alphanumeric() || "-_".contains(letter) { letter } else { '-' };
    run.join("inference").join(graph.public().name.chars().map(plain).collect::<String>())
}

impl Inferred {
    /// Asks the model, and writes a run folder.
    pub fn fill(
        folder: &Path,
        run: &Run,
        record: Record,
        mut release: Release<'_>,
        data: &Private<Dataset>,
        out: PathBuf,
    ) -> Result<Inferred, Failure> {
        let name = data.public().name.to_owned();
        let trained_on = Some(record.trained_on.clone().unwrap_or_else(|| record.data.clone()));
        let record = Record { data: name.clone(), trained_on, ..record };
        let inferred = run.on(record, release.released, Some(&mut release.rounds))?;
        let posteriors = inferred.posteriors()?;
        let classification = score_all(&posteriors, data, &Truth::for_scoring_only());
        let score = classification.clone().map(|classification| Score {
            test_accuracy: Some(classification.accuracy),
            classification: Some(classification),
            ..Score::default()
        });
        std::fs::create_dir_all(folder).map_err(WriteError::io(folder))?;
        inferred.fill(folder, &posteriors, score.as_ref())?;
        let statement = inferred.released().statement().clone();
        let nodes = data.public().nodes;
        Ok(Inferred { out, data: name, nodes, guarantees: statement.guarantees.clone(), classification, statement })
    }

    /// For people.
    pub fn describe(&self) -> String {
        let (nodes, out) = (grouped(self.nodes as usize), self.out.display());
        let mut text = format!("answers about {nodes} nodes of {} → {out}\n", self.data);
        text += &guarantees(&self.statement);
        text += &self.classification.as_ref().map_or_else(|| "\nno true labels to score with".to_owned(), classified);
        text += &warnings(&self.statement);
        text
    }
}
