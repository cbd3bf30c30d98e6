//! `veil predict`: what a trained model says about nodes.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use veil_graph::{Labels, NodeId};
use veil_learn::Run;
use veil_learn::most_likely;

use crate::failure::Failure;
use crate::output::{Output, percent, table};

/// Say what a trained model predicts for nodes
#[derive(Args)]
#[command(after_help = "Examples:\n  veil predict run\n  veil predict run --nodes some.txt --json")]
pub struct Predict {
    /// The run folder that veil train made
    run: PathBuf,
    /// A file that names nodes, one per line [default: all]
    #[arg(long, value_name = "FILE")]
    nodes: Option<PathBuf>,
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
}
