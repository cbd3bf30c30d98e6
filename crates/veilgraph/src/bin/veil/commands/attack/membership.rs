//! `veil attack membership`: from which nodes did a model learn?

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use indicatif::ProgressBar;
use serde::Serialize;
use veil_attack::membership::{Drawn, FEWEST_SHADOWS, Found, MembershipError, Params, RawData, Report, attack};
use veil_learn::Run;
use veil_learn::pipeline::{Hooks, raw};
use veil_nn::training::EpochMetrics;

use super::Tables;
use crate::failure::Failure;
use crate::output::{Output, grouped, table};
use crate::progress;

#[derive(Args)]
#[command(long_about = "Infer which nodes a model was trained on (Shokri et al. 2017; Carlini et al. 2022)\n\n\
    Members are the training nodes of the run; non-members are its test nodes. With --outside, members are the training nodes \
    of --truth, and non-members are nodes of a graph that the run was not trained on. The model is then applied to both graphs, \
    so a student trained on public data can be queried about the private graph of its teachers.\n\n\
    Shadow models are trained with the run's parameters on a random half of the test nodes, or of --outside; the other half is \
    attacked. Each shadow model is trained on a random half of its nodes. Every class has as many members as non-members, unless \
    --unmatched is given.")]
pub struct MembershipArgs {
    /// Run folder written by veil train
    run: PathBuf,
    /// Raw data of possible members, with labels
    #[arg(long, value_name = "DATA")]
    truth: String,
    /// Raw data of non-members, of the same kind [default: the run's test nodes]
    #[arg(long, value_name = "DATA")]
    outside: Option<String>,
    /// Raw data to train shadow models on [default: half of the non-members]
    #[arg(long, value_name = "DATA")]
    shadow_data: Option<String>,
    /// Seed of the attacked nodes, the shadow models and the intervals
    #[arg(long, default_value = "1")]
    seed: u64,
    #[command(flatten)]
    tables: Tables,
}

/// Counts epochs.
struct Epochs(ProgressBar);

impl Hooks for Epochs {
    fn epoch(&self, _metrics: &EpochMetrics) -> ControlFlow<()> {
        self.0.inc(1);
        ControlFlow::Continue(())
    }
}

/// The output with `--json`.
#[derive(Serialize)]
struct Shown {
    attack: &'static str,
    #[serde(flatten)]
    report: Report,
    seconds: f64,
}

impl MembershipArgs {
    pub fn run(self, params: &Params, output: &Output) -> Result<(), Failure> {
        // Before data are read.
        if params.shadows < FEWEST_SHADOWS {
            return Err(MembershipError::TooFewShadows { shadows: params.shadows }.into());
        }
        self.tables.check()?;
        let start = Instant::now();
        let run = Run::open(&self.run)?;
        let data = RawData {
            truth: raw(&self.truth)?,
            outside: self.outside.as_deref().map(raw).transpose()?,
            shadow_data: self.shadow_data.as_deref().map(raw).transpose()?,
        };
        let epochs = (run.method().training().epochs as u64).saturating_mul(u64::from(run.method().networks()));
        let bar = Epochs(progress::training(output, epochs.saturating_mul(params.shadows as u64)));
        let report = attack(&run, data, params, self.seed, &bar)?;
        bar.0.finish_and_clear();
        let curves: Vec<(&str, &[_])> =
            report.found.iter().map(|it| (it.signal.name(), it.scores.roc.as_slice())).collect();
        self.tables.write(&report.found, &curves)?;
        let shown = Shown { attack: "membership", report, seconds: start.elapsed().as_secs_f64() };
        output.show(&shown, || describe(&shown.report, shown.seconds))
    }
}

fn describe(report: &Report, seconds: f64) -> String {
    let figure = |value: f64, [low, high]: [f64; 2]| format!("{value:.3} ({low:.3} to {high:.3})");
    let optional = |value: Option<f64>, interval: Option<[f64; 2]>| {
        value.zip(interval).map_or_else(|| "–".to_owned(), |(value, interval)| figure(value, interval))
    };
    let rows = report.found.iter().map(|Found { signal, scores }| {
        vec![
            signal.name().replace('-', " "),
            figure(scores.auc, scores.auc_ci),
            optional(scores.tpr_at_fpr.per_mille, scores.tpr_at_fpr_ci.per_mille),
            optional(scores.tpr_at_fpr.per_cent, scores.tpr_at_fpr_ci.per_cent),
            optional(scores.balanced_accuracy, scores.balanced_accuracy_ci),
        ]
    });
    let columns = ["membership", "AUC", "TPR at 0.1 % FPR", "TPR at 1 % FPR", "balanced accuracy"];
    let drawn = |it: &Drawn| format!("{} of {}", grouped(it.asked), grouped(it.available));
    let matched = match report.classes_matched {
        true => ", in every class as many of both",
        false => "; classes are not matched, and that alone tells members from others",
    };
    let mut text = table(&columns, rows);
    text += &format!(
        "\nattacked: {} members and {} others{matched}, in {}",
        drawn(&report.members),
        drawn(&report.others),
        report.asked_in
    );
    let [shadows, pool, members] = [report.shadows, report.shadow_pool, report.shadow_members].map(grouped);
    text += &format!(
        "\n{shadows} shadow models, each trained on {members} of {pool} nodes that are not attacked; {seconds:.1} s"
    );
    if report.others.asked < 1000 {
        let (rates, least) = if report.others.asked < 100 { ("0.1 % and 1 %", 100) } else { ("0.1 %", 1000) };
        let (others, least) = (grouped(report.others.asked), grouped(least));
        text += &format!("\n{others} others are too few for a rate of {rates}: {least} are needed");
    }
    text + "\nIn brackets: 95 % intervals over nodes. An AUC of 0.5 says that these attacks found nothing; it is no test of an ε."
}
