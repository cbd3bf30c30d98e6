//! Attacks on edges, beside the same attack on an edge-free twin.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use serde::Serialize;
use veil_attack::EdgeAttack;
use veil_attack::attack::{Entry, Table};
use veil_attack::pairs::Pairs;
use veil_attack::scores::Scores;
use veil_learn::Run;
use veil_learn::pipeline::{PipelineError, raw};
use veil_privacy::parameters::{Kind, Settings};
use veil_privacy::{Private, Truth};

use super::Tables;
use super::posteriors::read_posteriors;
use crate::failure::{Failure, usage};
use crate::output::{Output, grouped, percent, table};
use crate::progress;

#[derive(Args)]
pub struct EdgeArgs {
    /// Run folder written by veil train
    #[arg(required_unless_present = "posteriors", conflicts_with = "posteriors")]
    run: Option<PathBuf>,
    /// Posteriors of another model, instead of a run: a table node,0,1,… or a run's predictions.csv
    #[arg(long, value_name = "FILE")]
    posteriors: Option<PathBuf>,
    /// Raw data of the run, with the true edges
    #[arg(long, value_name = "DATA")]
    truth: String,
    /// Seed of the sample of pairs
    #[arg(long, default_value = "1")]
    seed: u64,
    #[command(flatten)]
    tables: Tables,
}

impl EdgeArgs {
    pub fn run(self, attack: &EdgeAttack, entry: &Entry, given: &Settings, output: &Output) -> Result<(), Failure> {
        self.tables.check()?;
        let bar = progress::working(output, "reading");
        let mut roc_of_twin = Vec::new();
        let shown = match (&self.run, &self.posteriors) {
            (_, Some(_)) if !entry.on_posteriors => {
                return usage(format!("{} requires a run folder: it changes features", entry.name));
            }
            (_, Some(file)) => {
                if let Some(name) = ["surface", "weights"].iter().find(|name| given.contains(name)) {
                    return usage(format!("--{name} requires a run folder"));
                }
                let model = Table(read_posteriors(file)?);
                let pairs = self.pairs(attack, model.0.rows() as u32)?;
                let start = Instant::now();
                let scores = attack.run(&model, &pairs, self.seed)?;
                let mut shown = Shown::new(attack, entry, scores, start);
                ["surface", "weights"].iter().for_each(|name| drop(shown.choices.remove(name)));
                shown
            }
            (Some(folder), None) => {
                let run = Run::open(folder)?;
                let pairs = self.pairs(attack, run.released().data().nodes())?;
                bar.set_message("attacking");
                let start = Instant::now();
                let model = run.deployed(attack.surface, attack.weights)?;
                let mut shown = Shown::new(attack, entry, attack.run(&model, &pairs, self.seed)?, start);
                bar.set_message("attacking the edge-free twin");
                if let Some(twin) = run.twin(attack.weights)? {
                    let twin = attack.run(&twin, &pairs, self.seed)?;
                    (shown.auc_edge_free, shown.auc_edge_free_ci) = (Some(twin.auc), Some(twin.auc_ci));
                    shown.edge_free_reads_features = Some(run.twin_reads_features());
                    roc_of_twin = twin.roc;
                }
                shown
            }
            (None, None) => return usage("a run folder or --posteriors is required"),
        };
        bar.finish_and_clear();
        let curves: [(&str, &[_]); 2] = [("attacked", &shown.scores.roc), ("edge-free twin", &roc_of_twin)];
        self.tables.write(std::slice::from_ref(&shown), &curves)?;
        output.show(&shown, || shown.describe())
    }

    /// Draws the pairs from the true graph, which must have the nodes of the model.
    fn pairs(&self, attack: &EdgeAttack, nodes: u32) -> Result<Pairs, Failure> {
        let truth = Private::seal(raw(&self.truth)?);
        if truth.public().nodes != nodes {
            return Err(PipelineError::OtherSize { truth: truth.public().nodes, run: nodes }.into());
        }
        // The success of an attack cannot be known without the truth; the result is a score.
        let graph = truth.for_scoring(&Truth::for_scoring_only()).graph();
        Ok(attack.pairs(graph, self.seed)?)
    }
}

/// The output with `--json`.
#[derive(Serialize)]
struct Shown {
    attack: &'static str,
    /// The choices of the attack: surface, weights, sample and its own.
    #[serde(flatten)]
    choices: Settings,
    #[serde(flatten)]
    scores: Scores,
    /// The same attack on the edge-free twin: what homophily alone gives.
    auc_edge_free: Option<f64>,
    auc_edge_free_ci: Option<[f64; 2]>,
    /// Whether the twin reads features. If not, its figure says nothing about homophily.
    edge_free_reads_features: Option<bool>,
    /// Duration of the attack, without reading and without training the twin.
    seconds: f64,
}

impl Shown {
    fn new(attack: &EdgeAttack, entry: &Entry, scores: Scores, start: Instant) -> Shown {
        let words = entry.parameters().into_iter().filter(|it| matches!(it.kind, Kind::Word(_)));
        Shown {
            attack: entry.name,
            choices: words.filter_map(|it| Some((it.name.clone(), attack.settings().get(&it.name)?.clone()))).collect(),
            scores,
            auc_edge_free: None,
            auc_edge_free_ci: None,
            edge_free_reads_features: None,
            seconds: start.elapsed().as_secs_f64(),
        }
    }

    fn describe(&self) -> String {
        let scores = &self.scores;
        let interval = |[low, high]: [f64; 2]| format!("{low:.3} to {high:.3}");
        let [twin, twin_interval] = match (self.auc_edge_free, self.auc_edge_free_ci) {
            // Its answers are the same for all nodes.
            (Some(auc), _) if self.edge_free_reads_features == Some(false) => {
                [format!("{auc:.3} (it reads no features)"), String::new()]
            }
            (Some(auc), Some(ci)) => [format!("{auc:.3}"), interval(ci)],
            _ => ["unknown".to_owned(), "requires a run folder with labels".to_owned()],
        };
        let row = |name: &str, figure: String, interval: String| vec![name.to_owned(), figure, interval];
        let rates = format!("{:.3}, {:.3}", scores.tpr_at_fpr.per_mille, scores.tpr_at_fpr.per_cent);
        let rows = [
            row("AUC", format!("{:.3}", scores.auc), interval(scores.auc_ci)),
            row("AUC, edge-free twin", twin, twin_interval),
            row("average precision", format!("{:.3}", scores.average_precision), interval(scores.average_precision_ci)),
            row("TPR at 0.1 %, 1 % FPR", rates, String::new()),
            row("precision, recall", format!("{:.3}, {:.3}", scores.precision, scores.recall), String::new()),
        ];
        let homophily = match self.edge_free_reads_features {
            Some(true) => "The twin never saw an edge: its AUC is homophily, not leakage. ",
            _ => "",
        };
        format!(
            "{}\n{} pairs, {} of them edges ({}); {:.3} s\n{homophily}An AUC is no test of an ε.",
            table(&[self.attack, "", "95 % interval"], rows),
            grouped(scores.pairs),
            grouped(scores.edges),
            percent(scores.edges as f64 / scores.pairs.max(1) as f64),
            self.seconds
        )
    }
}
