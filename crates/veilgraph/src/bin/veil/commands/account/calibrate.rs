//! `veil account calibrate`: the noise for a wanted ε.

use clap::{Args, Subcommand};
use serde::Serialize;
use veil_privacy::accounting::calibrate;
use veil_privacy::answers::LabelMechanism;

use super::show::{self, Proven};
use super::{Asked, OF_PRIVGNN};
use crate::failure::Failure;
use crate::output::Output;

#[derive(Subcommand)]
#[command(after_help = "Examples:\n  \
    veil account calibrate privgnn --epsilon 4 --queries 500 --gamma 0.3 --delta 1e-5")]
pub enum Calibrate {
    Privgnn(Privgnn),
}

/// Find the least noise at which all of PrivGNN's labels together cost at most epsilon
#[derive(Args)]
#[command(
    after_help = "Examples:\n  veil account calibrate privgnn --epsilon 4 --queries 500 --gamma 0.3 --delta 1e-5\n  \
    veil account calibrate privgnn --release krr --classes 10 --epsilon 8 --queries 300 --gamma 0.2 --delta 1e-5 --json"
)]
pub struct Privgnn {
    /// Target ε of all labels together
    #[arg(long, allow_negative_numbers = true)]
    epsilon: f64,
    #[command(flatten)]
    asked: Asked,
}

#[derive(Serialize)]
struct Found<'a> {
    epsilon: f64,
    #[serde(flatten)]
    asked: &'a Asked,
    lambda: Option<f64>,
    epsilon_query: Option<f64>,
    proven: Proven,
    assumptions: [&'static str; 2],
}

impl Calibrate {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let Calibrate::Privgnn(Privgnn { epsilon, asked }) = self;
        let calibrated = calibrate(epsilon, asked.delta, |noise| asked.cost(noise))?;
        let parameter = calibrated.parameter;
        let of = |mechanism: bool| mechanism.then_some(parameter);
        let krr = asked.release == LabelMechanism::Krr;
        let (lambda, epsilon_query, flag) = (of(!krr), of(krr), asked.noise_flag());
        let proven = Proven::new(calibrated.spending, asked.delta);
        let found = Found { epsilon, asked: &asked, lambda, epsilon_query, proven, assumptions: OF_PRIVGNN };
        output.show(&found, || {
            let noise = format!("{flag} {parameter} costs no more than {epsilon}");
            show::page(Vec::new(), &found.proven, &noise, &found.assumptions)
        })
    }
}
