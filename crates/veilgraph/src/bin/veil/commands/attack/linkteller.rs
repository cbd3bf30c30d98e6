//! `veil attack linkteller`: whose features change whose posterior.

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use serde::Serialize;
use veil_attack::linkteller::Influence;
use veil_learn::{Deployed, Run};

use super::edges::{Shown, SurfaceFlag, Twin, WeightsFlag};
use super::pairs::PairFlags;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress;

/// By how much features are scaled for a difference, unless --step says otherwise.
const STEP: f64 = 0.001;

/// Whose features change whose posterior (Wu et al. 2022)
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    veil attack linkteller run --truth graph\n  \
    veil attack linkteller run --truth graph --surface model --influence difference --weights last   (what the papers did)\n  \
    veil attack linkteller run --truth graph --sample high-degree --nodes 200 --json")]
pub struct LinkTeller {
    /// The run folder that veil train made
    run: PathBuf,
    #[command(flatten)]
    scoring: PairFlags,
    /// What is asked: the model as deployed (features are propagated first), or the network alone (what the papers attacked)
    #[arg(long, value_enum, default_value = "pipeline")]
    surface: SurfaceFlag,
    /// The exact derivative, or the difference that a small change makes
    #[arg(long, value_enum, default_value = "exact")]
    influence: InfluenceFlag,
    /// By how much features are scaled for a difference [default: 0.001]
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    step: Option<f64>,
    /// The weights of the chosen epoch, or of the last (what the papers attacked)
    #[arg(long, value_enum, default_value = "chosen")]
    weights: WeightsFlag,
}

#[derive(Clone, Copy, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum InfluenceFlag {
    Exact,
    Difference,
}

impl LinkTeller {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let attack = match (self.influence, self.step) {
            (InfluenceFlag::Exact, None) => Influence::Exact,
            (InfluenceFlag::Exact, Some(_)) => {
                return Err(Failure::Usage(
                    "--step is for --influence difference: a derivative has no step".to_owned(),
                ));
            }
            (InfluenceFlag::Difference, step) => Influence::Difference { step: step.unwrap_or(STEP) },
        };
        let sampling = self.scoring.sampling()?;
        let bar = progress::working(output, "reading");
        let run = Run::open(&self.run)?;
        let pairs = self.scoring.pairs(sampling, run.released().data().nodes())?;
        bar.set_message("attacking");
        let start = Instant::now();
        let model = run.deployed(self.surface.into(), self.weights.into())?;
        let scores = veil_attack::run(&attack, &model, &pairs, self.scoring.scoring())?;
        let seconds = start.elapsed().as_secs_f64();
        bar.set_message("attacking the edge-free twin");
        let again = |twin: &Deployed| veil_attack::run(&attack, twin, &pairs, self.scoring.scoring());
        let of_twin = Twin::attacked(&run, self.weights.into(), again)?;
        bar.finish_and_clear();
        let shown = Shown {
            attack: "linkteller",
            surface: Some(self.surface),
            influence: Some(self.influence),
            metric: None,
            weights: Some(self.weights),
            ..Shown::new(scores, of_twin, seconds)
        };
        output.show(&shown, || shown.describe())
    }
}
