//! How well an attack on edges went, beside the same attack on an edge-free twin.

use clap::ValueEnum;
use serde::Serialize;
use veil_attack::AttackError;
use veil_attack::scores::Scores;
use veil_learn::run::Weights;
use veil_learn::{Deployed, Run, Surface};

use super::linkteller::InfluenceFlag;
use crate::failure::Failure;
use crate::output::{grouped, percent, table};

#[derive(Clone, Copy, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SurfaceFlag {
    Pipeline,
    Model,
}

#[derive(Clone, Copy, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WeightsFlag {
    Chosen,
    Last,
}

impl From<SurfaceFlag> for Surface {
    fn from(flag: SurfaceFlag) -> Surface {
        match flag {
            SurfaceFlag::Pipeline => Surface::Pipeline,
            SurfaceFlag::Model => Surface::Model,
        }
    }
}

impl From<WeightsFlag> for Weights {
    fn from(flag: WeightsFlag) -> Weights {
        match flag {
            WeightsFlag::Chosen => Weights::Chosen,
            WeightsFlag::Last => Weights::Last,
        }
    }
}

/// What `--json` prints.
#[derive(Serialize)]
pub struct Shown {
    pub attack: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface: Option<SurfaceFlag>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub influence: Option<InfluenceFlag>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<WeightsFlag>,
    #[serde(flatten)]
    pub scores: Scores,
    /// The same attack against the edge-free twin: what homophily alone gives.
    pub auc_edge_free: Option<f64>,
    pub auc_edge_free_ci: Option<[f64; 2]>,
    /// Whether the twin sees anything of a node. If not, its figure says nothing about homophily.
    pub edge_free_reads_features: Option<bool>,
    /// How long the attack took, without reading and without training the twin.
    pub seconds: f64,
}

/// What the same attack found in the edge-free twin.
pub struct Twin {
    scores: Scores,
    reads_features: bool,
}

impl Twin {
    /// None where there is no twin: no label was released of a graph that a model is asked about, to train one with.
    pub fn attacked(
        run: &Run,
        weights: Weights,
        attack: impl FnOnce(&Deployed) -> Result<Scores, AttackError>,
    ) -> Result<Option<Twin>, Failure> {
        let Some(twin) = run.twin(weights)? else { return Ok(None) };
        let scores = attack(&twin)?;
        Ok(Some(Twin { scores, reads_features: run.twin_reads_features() }))
    }
}

impl Shown {
    pub fn new(scores: Scores, of_twin: Option<Twin>, seconds: f64) -> Shown {
        Shown {
            attack: "lsa",
            surface: None,
            influence: None,
            metric: None,
            weights: None,
            auc_edge_free: of_twin.as_ref().map(|twin| twin.scores.auc),
            auc_edge_free_ci: of_twin.as_ref().map(|twin| twin.scores.auc_ci),
            edge_free_reads_features: of_twin.as_ref().map(|twin| twin.reads_features),
            scores,
            seconds,
        }
    }

    pub fn describe(&self) -> String {
        let scores = &self.scores;
        let interval = |[low, high]: [f64; 2]| format!("{low:.3} to {high:.3}");
        let twin = match (self.auc_edge_free, self.auc_edge_free_ci) {
            // It says the same of all nodes: no floor, and no interval either.
            (Some(auc), _) if self.edge_free_reads_features == Some(false) => {
                [format!("{auc:.3} (it sees nothing of a node)"), String::new()]
            }
            (Some(auc), Some(ci)) => [format!("{auc:.3}"), interval(ci)],
            // Someone else's posteriors say nothing about how they were made, and a graph without labels trains nobody.
            _ => ["unknown".to_owned(), "needs a run folder with labels".to_owned()],
        };
        let rows = [
            vec!["AUC".to_owned(), format!("{:.3}", scores.auc), interval(scores.auc_ci)],
            vec!["AUC, edge-free twin".to_owned(), twin[0].clone(), twin[1].clone()],
            vec![
                "average precision".to_owned(),
                format!("{:.3}", scores.average_precision),
                interval(scores.average_precision_ci),
            ],
            vec![
                "TPR at 0.1 %, 1 % FPR".to_owned(),
                format!("{:.3}, {:.3}", scores.tpr_at_fpr.per_mille, scores.tpr_at_fpr.per_cent),
                String::new(),
            ],
            vec![
                "precision, recall".to_owned(),
                format!("{:.3}, {:.3}", scores.precision, scores.recall),
                String::new(),
            ],
        ];
        let mut text = table(&[self.attack, "", "95 % interval"], rows);
        text += &format!(
            "\n{} pairs, {} of them edges ({}); {:.3} s",
            grouped(scores.pairs),
            grouped(scores.edges),
            percent(scores.edges as f64 / scores.pairs.max(1) as f64),
            self.seconds
        );
        text += "\n";
        if self.edge_free_reads_features == Some(true) {
            text += "The twin never saw an edge: what it reaches is homophily, not leakage. ";
        }
        text += "An AUC is no test of an ε.";
        text
    }
}
