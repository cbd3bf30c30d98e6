//! `veil predict`: what a trained model says about nodes: those of its run, which costs nothing, or those of another graph, whose
//! edges are released at their own price.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use veil_graph::{Labels, NodeId, write};
use veil_learn::run::Seed;
use veil_learn::{LearnError, Run, most_likely};
use veil_privacy::guarantee::Assumption;
use veil_privacy::release::{Plan, Privatised};
use veil_privacy::{Epsilon, Private};

use super::data::open_named;
use super::inferring::{Inferred, check_inference, place_in, trained_elsewhere};
use super::paying::{Payment, Planned};
use super::releasing::{RangeArgument, refuse_inside};
use crate::failure::Failure;
use crate::output::{Output, percent, table};
use crate::progress;

/// Say what a trained model predicts for nodes
///
/// What was released when it was trained is used again, as often as one likes: nothing is spent. With --data it answers about another
/// graph, whose edges are released for that, and paid for; the answers are a run folder of their own, which then answers for nothing.
#[derive(Args)]
#[command(after_help = "Examples:\n  veil predict run\n  veil predict run --nodes some.txt --json\n  \
    veil predict run --data elsewhere --epsilon-edges 2 --ledger book.db\n  \
    veil predict run/inference/elsewhere   (once more: nothing is spent)")]
pub struct Predict {
    /// The run folder that veil train made
    run: PathBuf,
    /// A file that names nodes, one per line [default: all]
    #[arg(long, value_name = "FILE", conflicts_with = "data")]
    nodes: Option<PathBuf>,
    /// Another graph to answer about, raw
    #[arg(long, value_name = "DATA")]
    data: Option<String>,
    /// ε of the other graph's edges [default: that of the training]
    #[arg(long, value_name = "EPSILON", allow_hyphen_values = true, requires = "data")]
    epsilon_edges: Option<Epsilon>,
    /// The run folder to make for the other graph [default: RUN/inference/NAME]
    #[arg(long, requires = "data")]
    out: Option<PathBuf>,
    #[command(flatten)]
    payment: Payment,
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
        if self.payment.ledger.is_some() || self.payment.seed.is_some() {
            let problem =
                "answers about the run's own nodes cost nothing and draw nothing: --ledger and --seed go with --data";
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
                        Failure::Usage(format!("{}, line {}: no node is called {name:?}", path.display(), place + 1))
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
        if Privatised::is_released(Path::new(name)) {
            return Err(Failure::Usage(format!("{name} is a release: --data needs a raw graph")));
        }
        let bar = progress::working(output, &format!("reading {name}"));
        let data = Private::seal(open_named(name)?);
        let mut record = run.record().clone();
        record.epsilon_of_all_graphs = None;
        if let Some(epsilon) = self.epsilon_edges {
            // How often the budget is shared out was decided when the networks were trained.
            record.parameters.epsilon_edges = Some(epsilon);
        }
        record.seed = self.payment.seed.map_or(Seed::Os, Seed::Given);
        let shape = run.shape().ok_or(LearnError::NoNetwork)?;
        let classes = run.released().data().labels().and_then(Labels::names);
        check_inference(&record.parameters, shape, classes, &data.public())?;
        // What the networks learned to read.
        let range: RangeArgument = record.range.parse().map_err(Failure::Unexpected)?;
        let options = record.parameters.inference_options(&data, shape.1, range.choice())?;
        let plan = Plan::new(&data, options)?
            .with_assumption(trained_elsewhere(run))
            .with_assumption(Assumption::SeparateGraphs);
        let out = match &self.out {
            Some(out) => out.clone(),
            None => place_in(&self.run, &data),
        };
        if self.out.is_none() && out.exists() {
            let (run, data) = (out.display(), data.public().name);
            return Err(Failure::Usage(format!(
                "{run} answers about a graph called {data} already: if it is this one, veil predict {run} answers for nothing; if not, \
                 choose --out"
            )));
        }
        refuse_inside(&out, Path::new(name))?;
        let inferred = write::atomically(&out, |folder| {
            bar.set_message("privatising and predicting");
            let release =
                self.payment.release_further(Planned { method: run.record().parameters.method, data: &data, plan })?;
            Inferred::fill(folder, run, record, release, &data, out.clone())
        })?;
        bar.finish_and_clear();
        output.show(&inferred, || inferred.describe())
    }
}
