//! Scores of another mechanism: two files in, a bound out.
//!
//! A file has one number per line; a first line that is not a number is a header. The higher a
//! score, the likelier its world is that of `--predictions-in`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use veil_attack::audit::guesses::{judge_canaries_of_one_run, judge_worlds};
use veil_attack::audit::{Canaries, Promise, Verdict};
use veil_privacy::Epsilon;

use super::show;
use crate::failure::{Failure, read, usage};
use crate::output::Output;

#[derive(Args)]
pub struct Files {
    /// Scores of executions with the protected unit, one per line; higher means more likely present
    #[arg(long, value_name = "FILE", requires = "predictions_out", help_heading = HEADING)]
    predictions_in: Option<PathBuf>,
    /// Scores of executions without the protected unit
    #[arg(long, value_name = "FILE", requires = "predictions_in", help_heading = HEADING)]
    predictions_out: Option<PathBuf>,
    /// Treat scores as those of canaries in one execution, each present or absent by its own fair
    /// coin [default: scores of independent executions]
    #[arg(long, requires = "predictions_in", help_heading = HEADING)]
    one_run: bool,
    /// ε of the guarantee [default: 1]
    #[arg(long, requires = "predictions_in", help_heading = HEADING)]
    epsilon: Option<Epsilon>,
    /// δ of the guarantee
    #[arg(long, requires = "predictions_in", help_heading = HEADING, default_value_t = 0.0)]
    delta: f64,
}

const HEADING: &str = "Scores of another mechanism";

/// The output with `--json`.
#[derive(Serialize)]
struct Shown {
    claimed: Promise,
    #[serde(flatten)]
    canaries: Canaries,
    verdict: Verdict,
}

impl Files {
    /// What the scores prove about the guarantee.
    pub fn judge(&self, output: &Output) -> Result<(), Failure> {
        let (Some(inside), Some(outside)) = (&self.predictions_in, &self.predictions_out) else {
            let problem = "a MECHANISM, or --predictions-in and --predictions-out, is required";
            return usage(problem);
        };
        if !(0.0..1.0).contains(&self.delta) {
            return usage(format!("--delta is {}: it must be at least 0 and below 1", self.delta));
        }
        let claimed = Promise { epsilon: self.epsilon.map_or(1.0, Epsilon::as_f64), delta: self.delta };
        let (inside, outside) = (scores(inside)?, scores(outside)?);
        let judge = if self.one_run { judge_canaries_of_one_run } else { judge_worlds };
        let canaries = judge(&inside, &outside, claimed);
        let violated = canaries.violate(claimed);
        let verdict = if violated { Verdict::Violated } else { Verdict::NothingFound };
        let shown = Shown { claimed, canaries, verdict };
        output.show(&shown, || format!("{verdict}\n{}", show::guessed(&shown.canaries, &claimed)))?;
        if violated { Err(Failure::Violated("the claimed ε does not hold".to_owned())) } else { Ok(()) }
    }
}

fn scores(path: &Path) -> Result<Vec<f64>, Failure> {
    let text = read(path)?;
    let wrong = |problem: String| Failure::Usage(format!("{}{problem}", path.display()));
    let mut scores = Vec::new();
    for (line, score) in (1..).zip(text.lines().map(str::trim)) {
        match score.parse::<f64>() {
            Ok(number) if !number.is_nan() => scores.push(number),
            // The header.
            Err(_) if line == 1 => {}
            _ if score.is_empty() => {}
            _ => return Err(wrong(format!(", line {line}: {score:?} is not a number"))),
        }
    }
    match scores.len() {
        found @ ..2 => Err(wrong(format!(": {found} scores are too few: at least two are needed"))),
        _ => Ok(scores),
    }
}
