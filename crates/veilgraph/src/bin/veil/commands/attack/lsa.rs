//! `veil attack lsa`: whose posteriors are alike.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use veil_attack::lsa::{LinkStealing, Metric, Posteriors};
use veil_attack::scores::Scores;
use veil_learn::{Deployed, Run};

use super::edges::{Shown, SurfaceFlag, Twin, WeightsFlag};
use super::pairs::PairFlags;
use super::posteriors::read_posteriors;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress;

/// Whose posteriors are alike (He et al. 2021: link stealing, LSA2, LPA)
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    veil attack lsa run --truth graph --metric correlation\n  \
    veil attack lsa --posteriors theirs.csv --truth graph   (node,0,1,…: someone else's model)")]
pub struct Lsa {
    /// The run folder that veil train made
    #[arg(required_unless_present = "posteriors", conflicts_with = "posteriors")]
    run: Option<PathBuf>,
    /// Someone else's posteriors: a table node,0,1,… or predictions.csv of a run
    #[arg(long, value_name = "FILE")]
    posteriors: Option<PathBuf>,
    #[command(flatten)]
    scoring: PairFlags,
    /// How posteriors are compared: correlation, cosine, euclidean, chebyshev, braycurtis, canberra, cityblock or sqeuclidean
    #[arg(long, default_value = "correlation")]
    metric: Metric,
    /// Apply softmax to the posteriors once more, as the published GraphPrivatizer code does
    #[arg(long)]
    softmax_twice: bool,
    /// Compare posteriors less their mean over all nodes, as the published LPGNet code does (with --metric cosine)
    #[arg(long, conflicts_with = "softmax_twice")]
    centred: bool,
    /// What is asked: the model as deployed, or the network alone on features that were not propagated
    /// [default: pipeline]
    #[arg(long, value_enum, conflicts_with = "posteriors")]
    surface: Option<SurfaceFlag>,
    /// The weights of the chosen epoch, or of the last [default: chosen]
    #[arg(long, value_enum, conflicts_with = "posteriors")]
    weights: Option<WeightsFlag>,
}

impl Lsa {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let sampling = self.scoring.sampling()?;
        let bar = progress::working(output, "reading");
        let posteriors = match (self.softmax_twice, self.centred) {
            (true, _) => Posteriors::SoftmaxTwice,
            (_, true) => Posteriors::Centred,
            _ => Posteriors::AsGiven,
        };
        let attack = LinkStealing { metric: self.metric, posteriors };
        let metric = Some(self.metric.to_string());
        let shown = match (&self.run, &self.posteriors) {
            (_, Some(posteriors)) => {
                let table = read_posteriors(posteriors)?;
                let pairs = self.scoring.pairs(sampling, table.rows() as u32)?;
                let start = Instant::now();
                let ratings = attack.rate_table(&table, pairs.list())?;
                let scores = Scores::new(&pairs, &ratings, self.scoring.scoring())?;
                Shown { metric, ..Shown::new(scores, None, start.elapsed().as_secs_f64()) }
            }
            (Some(folder), None) => {
                let surface = self.surface.unwrap_or(SurfaceFlag::Pipeline);
                let weights = self.weights.unwrap_or(WeightsFlag::Chosen);
                let run = Run::open(folder)?;
                let pairs = self.scoring.pairs(sampling, run.released().data().nodes())?;
                bar.set_message("attacking");
                let start = Instant::now();
                let model = run.deployed(surface.into(), weights.into())?;
                let scores = veil_attack::run(&attack, &model, &pairs, self.scoring.scoring())?;
                let seconds = start.elapsed().as_secs_f64();
                bar.set_message("attacking the edge-free twin");
                let again = |twin: &Deployed| veil_attack::run(&attack, twin, &pairs, self.scoring.scoring());
                let of_twin = Twin::attacked(&run, weights.into(), again)?;
                let (surface, weights) = (Some(surface), Some(weights));
                Shown { surface, metric, weights, ..Shown::new(scores, of_twin, seconds) }
            }
            (None, None) => return Err(Failure::Usage("give a run folder, or --posteriors".to_owned())),
        };
        bar.finish_and_clear();
        output.show(&shown, || shown.describe())
    }
}
