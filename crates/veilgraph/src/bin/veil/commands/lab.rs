//! `veil lab`: experiments beside the product.

use clap::Subcommand;

use super::{bench, evaluate, report, reproduce, sweep};
use crate::failure::Failure;
use crate::output::Output;

/// Experiments: sweeps, published tables, reports, benchmarks
#[derive(Subcommand)]
#[command(after_help = "Examples:\n  veil lab sweep experiment.toml --data cora=data/cora --out sweep\n  \
    veil lab report sweep --out report.html\n  \
    veil lab reproduce graphprivatizer/table-6 --data cora=data/cora --seeds 3 --models gcn")]
pub enum Lab {
    Sweep(Box<sweep::SweepCommand>),
    Reproduce(Box<reproduce::Reproduce>),
    Report(Box<report::ReportCommand>),
    #[command(subcommand)]
    Bench(bench::Bench),
    Evaluate(Box<evaluate::Evaluate>),
}

impl Lab {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        match self {
            Lab::Sweep(command) => command.run(output),
            Lab::Reproduce(command) => command.run(output),
            Lab::Report(command) => command.run(output),
            Lab::Bench(command) => command.run(output),
            Lab::Evaluate(command) => command.run(output),
        }
    }
}
