//! `veil predict`: the answers of a trained model: about the nodes of its run, which costs nothing,
//! or about those of another graph, whose edges are released at their own price.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use veil_graph::{Labels, NodeId};
use veil_learn::pipeline::{self, Place};
use veil_learn::{Run, most_likely};
use veil_privacy::{Epsilon, Private};

use super::terms::{DeclareFlags, PaymentFlags};
use super::train::show::{ShownInference, describe_inference};
use crate::failure::Failure;
use crate::output::{Output, percent, table};
use crate::progress::Progress;

/// Predict the classes of nodes with a trained model
///
/// Predictions for the run's own nodes come from the training release and cost nothing. With
/// --data, the model is applied to another graph, whose edges are released and charged. The result
/// is a new run folder; reading it again costs nothing.
#[derive(Args)]
#[command(after_help = "Examples:\n  veil predict run\n  veil predict run --nodes some.txt --json\n  \
    veil predict run --data elsewhere --epsilon-edges 2 --ledger book.db\n  \
    veil predict run/inference/elsewhere   (no further charge)")]
pub struct Predict {
    /// Run folder written by veil train
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
    /// Run folder to write for --data [default: RUN/inference/NAME]
    #[arg(long, requires = "data")]
    out: Option<PathBuf>,
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
        let run = Run::open(&self.run)?;
        if let Some(data) = &self.data {
            return self.elsewhere(&run, data, output);
        }
        if self.payment.ledger.is_some() || self.payment.seed.is_some() || !self.declare.declared().is_empty() {
            let problem =
                "--ledger, --seed and --declare-public require --data: answers about the run's own nodes cost nothing";
            return Err(Failure::Usage(problem.to_owned()));
        }
        let data = run.released().data();
        let nodes: Vec<NodeId> = match &self.nodes {
            None => (0..data.nodes()).collect(),
            Some(path) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|source| Failure::Unreadable { path: path.clone(), source })?;
                let named = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
                let find = |(place, line): (usize, &str)| {
                    let unknown = || {
                        let name = line.trim();
                        Failure::Usage(format!("{}, line {}: unknown node id {name:?}", path.display(), place + 1))
                    };
                    data.names().node(line.trim()).ok_or_else(unknown)
                };
                named.map(find).collect::<Result<_, _>>()?
            }
        };
        let posteriors = run.posteriors()?;
        let classes = most_likely(&posteriors);
        let names = data.labels().and_then(Labels::names);
        let predicted: Vec<Predicted> = nodes
            .into_iter()
            .map(|node| {
                let posterior = posteriors.row(node as usize).to_vec();
                let class = classes[node as usize];
                let name = names.and_then(|names| names.get(class as usize).cloned());
                Predicted { node: data.names().name(node).into_owned(), class, name, posterior }
            })
            .collect();
        output.show(&predicted, || {
            let rows = predicted.iter().map(|it| {
                let class = it.name.clone().unwrap_or_else(|| it.class.to_string());
                let sure = it.posterior.get(it.class as usize).copied().unwrap_or(0.0);
                vec![it.node.clone(), class, percent(f64::from(sure))]
            });
            table(&["node", "class", ">probability"], rows)
        })
    }

    /// Releases what is needed of another graph, and answers about its nodes.
    fn elsewhere(&self, run: &Run, name: &str, output: &Output) -> Result<(), Failure> {
        let progress = Progress::reading(output, name);
        let data = Private::seal(pipeline::raw(name)?).declaring(self.declare.declared());
        let out = self.out.clone().unwrap_or_else(|| pipeline::place_in(&self.run, &data));
        if self.out.is_none() && out.exists() {
            let (run, data) = (out.display(), data.public().name);
            return Err(Failure::Usage(format!(
                "{run} already holds answers about a graph named {data}: if it is this one, veil predict {run} costs nothing; \
                 otherwise choose --out"
            )));
        }
        pipeline::refuse_inside(&out, Path::new(name))?;
        let payment = self.payment.payment();
        let inferred = pipeline::infer(run, &data, self.epsilon_edges, &payment, Place::Folder(&out), &progress)?;
        progress.finish();
        output.show(&ShownInference::new(&inferred), || describe_inference(&inferred))
    }
}
