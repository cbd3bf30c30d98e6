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

/// The same commands under their names of version 0.1, for one release.
#[derive(Subcommand)]
pub enum Deprecated {
    #[command(hide = true)]
    Sweep(Box<sweep::SweepCommand>),
    #[command(hide = true)]
    Reproduce(Box<reproduce::Reproduce>),
    #[command(hide = true)]
    Report(Box<report::ReportCommand>),
    #[command(hide = true, subcommand)]
    Bench(bench::Bench),
    #[command(hide = true)]
    Evaluate(Box<evaluate::Evaluate>),
}

impl Deprecated {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let (name, command) = match self {
            Deprecated::Sweep(command) => ("sweep", Lab::Sweep(command)),
            Deprecated::Reproduce(command) => ("reproduce", Lab::Reproduce(command)),
            Deprecated::Report(command) => ("report", Lab::Report(command)),
            Deprecated::Bench(command) => ("bench", Lab::Bench(command)),
            Deprecated::Evaluate(command) => ("evaluate", Lab::Evaluate(command)),
        };
        output.warning(&format!("`veil {name}` is deprecated: use `veil lab {name}`"));
        command.run(output)
    }
}
