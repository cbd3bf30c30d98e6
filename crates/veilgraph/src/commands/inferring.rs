//! A trained model on a graph that it has not seen: its edges are released at their own price, once, and what it then answers is
//! a run folder of its own.

use std::path::{Path, PathBuf};

use serde::Serialize;
use veil_graph::Dataset;
use veil_graph::write::WriteError;
use veil_learn::metrics::Classification;
use veil_learn::run::{Record, Score, score, score_all};
use veil_learn::{LearnError, Parameters, Run, Scaling};
use veil_privacy::guarantee::{Assumption, ReleasedAt};
use veil_privacy::release::Release;
use veil_privacy::{Guarantee, Private, Public, Statement, Truth, Unit};

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

/// What is assumed of a graph that a model is asked about: what its training promised stands in another statement.
pub fn trained_elsewhere(run: &Run) -> Assumption {
    let statement = run.released().statement();
    let promised = statement.guarantees.iter().find(|it| it.unit == Unit::Edge);
    let edges = promised.map(|it| ReleasedAt { epsilon: it.epsilon, status: it.status, reproducible: it.reproducible });
    Assumption::TrainedOn { data: statement.data.clone(), edges }
}

/// Fails where a model of this shape (features, classes) cannot answer about such a graph: before anything is charged.
pub fn check_inference(
    parameters: &Parameters,
    (features, classes): (usize, u32),
    class_names: Option<&[String]>,
    graph: &Public<'_>,
) -> Result<(), Failure> {
    refuse_minmax(parameters)?;
    let found = graph.dimensions.unwrap_or(0);
    if parameters.epsilon_features.is_some() && found != features {
        return Err(LearnError::OtherFeatures { found, expected: features }.into());
    }
    match graph.classes {
        Some(found) if found > classes => {
            let problem = format!("{} has labels of {found} classes, but the model knows {classes}", graph.name);
            Err(Failure::Unexpected(problem))
        }
        Some(_) if class_names.is_some() && graph.class_names.is_some() && class_names != graph.class_names => {
            Err(Failure::Unexpected(format!("the classes of {} have other names than those of the model", graph.name)))
        }
        _ => Ok(()),
    }
}

/// Every graph would be scaled by its own features, and columns that say nothing in one of them would be gone there.
pub fn refuse_minmax(parameters: &Parameters) -> Result<(), Failure> {
    if parameters.scale != Scaling::Minmax || parameters.epsilon_features.is_none() {
        return Ok(());
    }
    let problem =
        "--scale minmax scales every graph by its own features: for several graphs use rows, standard or none";
    Err(Failure::Usage(problem.to_owned()))
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
        let token = Truth::for_scoring_only();
        let classification = score_all(&posteriors, data, &token);
        let score = Score {
            test_accuracy: classification.as_ref().map(|found| found.accuracy),
            classification: classification.clone(),
            ..score(&posteriors, inferred.released().data(), data, &token)
        };
        std::fs::create_dir_all(folder).map_err(WriteError::io(folder))?;
        inferred.fill(folder, &posteriors, Some(&score))?;
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
