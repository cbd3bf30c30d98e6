//! Scores of somebody else's mechanism: two files in, a bound out.
//!
//! A file is one number a line; a first line that is no number is a header. The higher a score, the likelier its world is the one of --predictions-in.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use veil_attack::audit::guesses::{judge_canaries_of_one_run, judge_worlds};
use veil_attack::audit::{Canaries, Promise, TOLERANCE, Verdict};
use veil_privacy::Epsilon;

use super::show;
use crate::failure::Failure;
use crate::output::Output;

/// Where the scores are.
#[derive(Args)]
pub struct Files {
    /// Scores of executions in which the protected thing was there: a number a line, the higher the likelier it was
    #[arg(long, value_name = "FILE", requires = "predictions_out", help_heading = "Somebody else's mechanism")]
    predictions_in: Option<PathBuf>,
    /// Scores of executions in which it was not
    #[arg(long, value_name = "FILE", requires = "predictions_in", help_heading = "Somebody else's mechanism")]
    predictions_out: Option<PathBuf>,
    /// The scores are of canaries of one single execution, each in or out by a fair coin of its own (else: of independent executions)
    #[arg(long, requires = "predictions_in", help_heading = "Somebody else's mechanism")]
    one_run: bool,
}

/// What is shown.
#[derive(Serialize)]
struct Shown {
    claimed: Promise,
    #[serde(flatten)]
    canaries: Canaries,
    verdict: Verdict,
}

impl Files {
    /// With a mechanism of ours there are no files to read.
    pub fn refuse(&self) -> Result<(), Failure> {
        match self.predictions_in {
            Some(_) => Err(Failure::Usage(
                "--predictions-in is of a mechanism of yours: leave the name of ours out".to_owned(),
            )),
            None => Ok(()),
        }
    }

    /// What the scores prove about a promise.
    pub fn judge(&self, epsilon: Epsilon, delta: f64, output: &Output) -> Result<(), Failure> {
        let (Some(inside), Some(outside)) = (&self.predictions_in, &self.predictions_out) else {
            return Err(Failure::Usage("name a mechanism, or give --predictions-in and --predictions-out".to_owned()));
        };
        if !(0.0..1.0).contains(&delta) {
            return Err(Failure::Usage(format!("--delta is {delta}: it must be at least 0 and below 1")));
        }
        let claimed = Promise { epsilon: epsilon.as_f64(), delta };
        let (inside, outside) = (scores(inside)?, scores(outside)?);
        let canaries = if self.one_run {
            judge_canaries_of_one_run(&inside, &outside, claimed)
        } else {
            judge_worlds(&inside, &outside, claimed)
        };
        let violated = canaries.lower_bound_certain > claimed.epsilon + TOLERANCE;
        let verdict = if violated { Verdict::Violated } else { Verdict::NothingFound };
        let shown = Shown { claimed, canaries, verdict };
        output.show(&shown, || format!("{verdict}\n{}", show::guessed(&shown.canaries, &claimed)))
    }
}

fn scores(path: &Path) -> Result<Vec<f64>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|source| Failure::Unreadable { path: path.to_owned(), source })?;
    let mut scores = Vec::new();
    for (line, score) in (1..).zip(text.lines().map(str::trim)) {
        match score.parse::<f64>() {
            Ok(number) if !number.is_nan() => scores.push(number),
            // The header.
            Err(_) if line == 1 && !score.is_empty() => {}
            _ if score.is_empty() => {}
            _ => {
                let path = path.display();
                return Err(Failure::Usage(format!(
                    "{path}, line {line}: {score:?} is no score: one number a line is expected"
                )));
            }
        }
    }
    if scores.len() < 2 {
        return Err(Failure::Usage(format!(
            "{}: two scores at least are expected, and there are {}",
            path.display(),
            scores.len()
        )));
    }
    Ok(scores)
}
