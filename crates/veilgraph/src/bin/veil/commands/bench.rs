//! `veil bench`: how fast this is, here.

use clap::{Args, Subcommand};
use veil_nn::workload::{Figure, NAMES, measure};

use super::bench_central::Central;
use super::bench_local::Local;
use crate::failure::Failure;
use crate::output::{Output, table};
use crate::progress;

/// Measure how fast this is on this machine
#[derive(Subcommand)]
#[command(after_help = "Examples:\n  veil bench nn cora-gcn\n  veil bench local --data cora\n  \
    veil bench central --data cora")]
pub enum Bench {
    /// Train networks of published sizes and sum rows of a large graph, on one core
    Nn(Networks),
    Local(Local),
    Central(Central),
}

/// Train networks of published sizes and sum rows of a large graph, on one core
#[derive(Args)]
#[command(after_help = "Examples:\n  veil bench nn\n  veil bench nn cora-gcn facebook-gat\n  veil bench nn --json\n\n\
    Times are the fastest of many: of a training step with a validation pass (gcn, gat), of 500 training steps (teacher), of \
    a training step (gcn-step-1m), of a sum along all edges (spmm). What else runs here only adds to them. VEIL_SIMD=portable \
    or avx2 measures with fewer instructions.")]
pub struct Networks {
    /// What to measure; everything if not given
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(NAMES))]
    names: Vec<String>,
}

impl Bench {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        match self {
            Bench::Nn(networks) => networks.run(output),
            Bench::Local(local) => local.run(output),
            Bench::Central(central) => central.run(output),
        }
    }
}

impl Networks {
    fn run(self, output: &Output) -> Result<(), Failure> {
        // Elsewhere a word that means nothing is ignored; here it would make figures of something else.
        if let Ok(level) = std::env::var("VEIL_SIMD")
            && !["portable", "avx2", "avx512"].contains(&level.as_str())
        {
            let text = format!("VEIL_SIMD is \"{level}\": expected portable, avx2 or avx512, or nothing");
            return Err(Failure::Usage(text));
        }
        let one_core = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let one_core = one_core.map_err(|error| Failure::Unexpected(format!("no thread could be started: {error}")))?;
        let bar = progress::working(output, "");
        let mut figures = Vec::new();
        for name in NAMES {
            if self.names.is_empty() || self.names.iter().any(|asked| asked == name) {
                bar.set_message(format!("measuring {name}"));
                figures.extend(one_core.install(|| measure(name))?);
            }
        }
        bar.finish_and_clear();
        output.show(&figures, || describe(&figures))
    }
}

pub fn describe(figures: &[Figure]) -> String {
    let rows = figures.iter().map(|figure| {
        let target = figure
            .target
            .map_or_else(String::new, |target| format!("{} {target}", if figure.more_is_better { "≥" } else { "≤" }));
        let verdict = match figure.is_met() {
            Some(true) => "met",
            Some(false) => "missed",
            None => "",
        };
        let value = if figure.value < 100.0 { format!("{:.2}", figure.value) } else { format!("{:.0}", figure.value) };
        vec![figure.name.clone(), value, figure.unit.to_owned(), target, verdict.to_owned()]
    });
    table(&["what", ">measured", "unit", ">target", ""], rows)
}
