//! `veil predict`: the answers of a trained model: about the nodes of its run, which costs nothing,
//! or about those of another graph, whose edges are released at their own price.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use veil_graph::write;
use veil_learn::pipeline::{self, Further, Place};
use veil_learn::publication::{Answers, AnswersError};
use veil_learn::{LearnError, Run, most_likely};
use veil_privacy::integrity;
use veil_privacy::release::Privatised;
use veil_privacy::{Epsilon, Private};

use super::statement::in_common;
use super::terms::{DeclareFlags, PaymentFlags};
use super::train::show::{ShownInference, describe_inference};
use crate::failure::{Failure, read, usage};
use crate::files::new_files;
use crate::output::{Output, fixed, grouped, records};
use crate::progress::Progress;

/// Predict the classes of nodes with a trained model
///
/// Predictions for the run's own nodes come from the training release and cost nothing. With
/// --data, the model is applied to another graph, whose edges are released and charged. The result
/// is a new run folder; reading it again costs nothing.
#[derive(Args)]
#[command(after_help = "Examples:\n  veil predict run\n  veil predict run --nodes some.txt --json\n  \
    veil predict run --data elsewhere --epsilon-edges 2 --ledger book.db\n  \
    veil predict run --data grown --evolving --ledger book.db   (a cascade: no edge costs twice)\n  \
    veil predict run/inference/elsewhere   (no further charge)\n  \
    veil predict run --csv answers.csv")]
pub struct Predict {
    /// Run folder written by veil train, or a published folder
    run: PathBuf,
    /// File of node ids, one per line [default: all nodes]
    #[arg(long, value_name = "FILE", conflicts_with = "data")]
    nodes: Option<PathBuf>,
    /// Another raw graph to predict on
    #[arg(long, value_name = "DATA")]
    data: Option<String>,
    /// ε of the edges of --data [default: as in training]
    #[arg(long, value_name = "EPSILON", allow_hyphen_values = true, requires = "data")]
    epsilon_edges: Option<Epsilon>,
    /// Release nodes of the training graph again: their ε add up
    #[arg(long, requires = "data")]
    repeat_nodes: bool,
    /// The graph of --data is that of the run with new nodes added: extend the cascade of the
    /// run, so that every edge costs ε once in all of its releases
    #[arg(long, requires = "data", conflicts_with = "repeat_nodes")]
    evolving: bool,
    /// Run folder to write for --data [default: RUN/inference/NAME]
    #[arg(long, requires = "data")]
    out: Option<PathBuf>,
    /// Write the answers as CSV: node, class, and the probability of each class
    #[arg(long, value_name = "FILE", conflicts_with = "data")]
    csv: Option<PathBuf>,
    /// Write the same as Parquet
    #[arg(long, value_name = "FILE", conflicts_with = "data")]
    parquet: Option<PathBuf>,
    #[command(flatten)]
    declare: DeclareFlags,
    #[command(flatten)]
    payment: PaymentFlags,
}

#[derive(Serialize)]
struct Predicted {
    node: String,
    class: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    posterior: Vec<f32>,
}

impl Predict {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let files = new_files(&[&self.csv, &self.parquet])?;
        let answers = match &self.data {
            Some(data) => return self.elsewhere(&Run::open(&self.run)?, data, output),
            // Answers that were published without their model.
            None if Answers::are_in(&self.run) => {
                let integrity = integrity::check(&self.run)?;
                output.note(&format!("{}: {integrity}", self.run.display()));
                Privatised::statement_of(&self.run)?;
                Answers::open(&self.run)?
            }
            None => Answers::of(&Run::open(&self.run)?)?,
        };
        if self.payment.ledger.is_some() || self.payment.seed.is_some() || !self.declare.declared().is_empty() {
            let problem =
                "--ledger, --seed and --declare-public require --data: answers about the run's own nodes cost nothing";
            return usage(problem);
        }
        let nodes: Vec<usize> = match &self.nodes {
            None => (0..answers.nodes().len()).collect(),
            Some(path) => chosen(path, &answers)?,
        };
        self.write(&answers.chosen(&nodes).map_err(LearnError::from)?)?;
        let classes = most_likely(answers.posteriors());
        let predicted: Vec<Predicted> = nodes
            .into_iter()
            .map(|node| {
                let class = classes[node];
                let name = answers.classes().get(class as usize).filter(|name| **name != class.to_string());
                let posterior = answers.posteriors().row(node).to_vec();
                Predicted { node: answers.nodes()[node].clone(), class, name: name.cloned(), posterior }
            })
            .collect();
        output.show(&predicted, || {
            if !files.is_empty() {
                let names: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
                return format!("answers about {} nodes: {}", grouped(predicted.len()), names.join(", "));
            }
            let rows = predicted.iter().map(|it| {
                let class = it.name.clone().unwrap_or_else(|| it.class.to_string());
                let sure = it.posterior.get(it.class as usize).copied().unwrap_or(0.0);
                vec![it.node.clone(), class, fixed(f64::from(sure), 3)]
            });
            records(&["node", "class", ">probability"], rows, "--csv FILE, or | less")
        })
    }

    /// Writes the files that were asked for.
    fn write(&self, answers: &Answers) -> Result<(), Failure> {
        if let Some(path) = &self.csv {
            let mut bytes = Vec::new();
            answers.to_csv(&mut bytes).map_err(|source| AnswersError::Csv { path: path.clone(), source })?;
            write::write_file(path, &bytes)?;
        }
        if let Some(path) = &self.parquet {
            let (nodes, likely) = (answers.nodes(), answers.likely());
            write::write_answers(path, (nodes, &likely), answers.classes(), answers.posteriors())?;
        }
        Ok(())
    }

    /// Releases what is needed of another graph, and answers about its nodes.
    fn elsewhere(&self, run: &Run, name: &str, output: &Output) -> Result<(), Failure> {
        let progress = Progress::reading(output, name);
        let data = Private::seal(pipeline::raw(name)?).declaring(self.declare.declared());
        let out = self.out.clone().unwrap_or_else(|| pipeline::place_in(&self.run, &data));
        if self.out.is_none() && out.exists() && !pipeline::is_interrupted(&out) {
            let (run, data) = (out.display(), data.public().name);
            return usage(format!(
                "{run} already holds answers about a graph named {data}: if it is this one, veil predict {run} costs nothing; \
                 otherwise choose --out"
            ));
        }
        pipeline::refuse_inside(&out, Path::new(name))?;
        let payment = self.payment.payment(&out)?;
        let further =
            Further { epsilon_edges: self.epsilon_edges, repeat_nodes: self.repeat_nodes, evolving: self.evolving };
        let inferred = pipeline::infer(run, &data, further, &payment, Place::Folder(&out), &progress)?;
        progress.finish();
        let total = in_common(&inferred.total);
        let describe = || format!("{}\n\n{total}", describe_inference(&inferred));
        output.show_made(&out, &ShownInference::new(&inferred), describe);
        Ok(())
    }
}

/// The rows of the nodes that a file names, one per line.
fn chosen(path: &Path, answers: &Answers) -> Result<Vec<usize>, Failure> {
    let text = read(path)?;
    let rows: HashMap<&str, usize> = answers.nodes().iter().map(String::as_str).zip(0..).collect();
    let named = text.lines().map(str::trim).enumerate().filter(|(_, name)| !name.is_empty());
    let find = |(place, name): (usize, &str)| {
        let unknown = || Failure::Usage(format!("{}, line {}: unknown node id {name:?}", path.display(), place + 1));
        rows.get(name).copied().ok_or_else(unknown)
    };
    named.map(find).collect()
}
