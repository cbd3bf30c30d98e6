//! `veil lab bench`: how fast networks, releases and trainings are on this machine.

use clap::{Args, Subcommand};
use veil_attack::linkteller::Influence;
use veil_attack::pairs::{Pairs, Sample};
use veil_attack::scores::Scoring;
use veil_graph::Dataset;
use veil_graph::generate::Community;
use veil_learn::method::{self, Entry};
use veil_learn::pipeline::{SplitChoice, Terms, experiment};
use veil_learn::run::Weights;
use veil_learn::{Settings, Surface, pipeline};
use veil_nn::workload::{Figure, NAMES, measure, peak_memory};
use veil_privacy::{Declarations, Trust, Unit};

use crate::failure::{Failure, usage};
use crate::output::{Output, table};
use crate::progress;

/// Repetitions of each measurement; the fastest counts.
const REPETITIONS: u64 = 3;

/// Measure speed on this machine
#[derive(Subcommand)]
#[command(after_help = "Examples:\n  veil lab bench nn cora-gcn\n  veil lab bench local --data cora\n  \
    veil lab bench central --data cora")]
pub enum Bench {
    Nn(Networks),
    /// Release, train and attack with every local protocol, on all cores
    Local(Methods),
    /// Release, train and attack with every central method, on all cores
    Central(Methods),
}

/// Train networks of published sizes and sum rows of a large graph, on one core
#[derive(Args)]
#[command(after_help = "Examples:\n  veil lab bench nn\n  veil lab bench nn cora-gcn facebook-gat --json\n\n\
    Times are the fastest of many: a training step with a validation pass (gcn, gat), 500 training steps (teacher), a training \
    step (gcn-step-1m), a sum along all edges (spmm). VEIL_SIMD=portable or avx2 measures with fewer instructions.")]
pub struct Networks {
    /// Workloads to measure [default: all]
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(NAMES))]
    names: Vec<String>,
}

/// Data to measure on.
#[derive(Args)]
#[command(after_help = "Times are the fastest of three, in milliseconds. RAYON_NUM_THREADS=1 measures on one core.")]
pub struct Methods {
    /// Path or fetched name of a data set [default: a generated graph of Cora's size]
    #[arg(long, value_name = "DATA")]
    data: Vec<String>,
    /// Measure only this method
    #[arg(long, value_name = "NAME")]
    method: Option<String>,
}

impl Bench {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let figures = match &self {
            Bench::Nn(networks) => networks.figures(output)?,
            Bench::Local(methods) => methods.figures(Trust::Local, output)?,
            Bench::Central(methods) => methods.figures(Trust::Central, output)?,
        };
        output.show(&figures, || describe(&figures))
    }
}

impl Networks {
    fn figures(&self, output: &Output) -> Result<Vec<Figure>, Failure> {
        // Elsewhere an unknown level is ignored; here it would make figures of something else.
        if let Ok(level) = std::env::var("VEIL_SIMD")
            && !["portable", "avx2", "avx512"].contains(&level.as_str())
        {
            let text = format!("VEIL_SIMD is \"{level}\": expected portable, avx2 or avx512, or nothing");
            return usage(text);
        }
        let one_core = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let one_core = one_core.map_err(|error| Failure::Unexpected(format!("no thread could be started: {error}")))?;
        let bar = progress::working(output, "");
        let mut figures = Vec::new();
        for name in NAMES.iter().filter(|name| self.names.is_empty() || self.names.iter().any(|it| it == *name)) {
            bar.set_message(format!("measuring {name}"));
            figures.extend(one_core.install(|| measure(name))?);
        }
        bar.finish_and_clear();
        Ok(figures)
    }
}

impl Methods {
    fn figures(&self, trust: Trust, output: &Output) -> Result<Vec<Figure>, Failure> {
        let measured = |entry: &&'static Entry| entry.trust == trust && entry.unit != Some(Unit::Node);
        let entries: Vec<&'static Entry> = match &self.method {
            None => method::entries().iter().filter(measured).collect(),
            Some(name) => vec![Some(method::find(name)?).filter(measured).ok_or_else(|| {
                let names: Vec<&str> = method::entries().iter().filter(measured).map(|it| it.name).collect();
                Failure::Usage(format!("{name} is not measured here: expected one of {}", names.join(", ")))
            })?],
        };
        let data = match &self.data[..] {
            [] => vec![Community::citation().check()?.generate(1)],
            names => names.iter().map(|name| pipeline::open(name)).collect::<Result<_, _>>()?,
        };
        let bar = progress::working(output, "");
        let mut figures = Vec::new();
        for data in &data {
            for entry in &entries {
                bar.set_message(format!("{}: {}", data.name(), entry.name));
                figures.extend(of_method(entry, data)?);
            }
            figures.extend(peak_memory().map(|bytes| {
                let name = format!("{}/peak-memory", data.name());
                Figure { name, value: bytes / 1e6, unit: "MB", target: None, more_is_better: false }
            }));
        }
        bar.finish_and_clear();
        Ok(figures)
    }
}

/// The fastest release, training and attack of a method, with its defaults at ε = 1.
fn of_method(entry: &Entry, data: &Dataset) -> Result<Vec<Figure>, Failure> {
    let budgets = [("epsilon-edges", "1"), ("epsilon-features", "3"), ("epsilon-labels", "3")];
    let local = entry.trust == Trust::Local;
    let read = budgets.iter().filter(|(name, _)| entry.reads(name) && (local || *name == "epsilon-edges"));
    let settings: Settings = read.map(|&(name, value)| (name, value.into())).collect();
    let split: SplitChoice = "0.5,0.25,0.25".parse().map_err(Failure::Unexpected)?;
    // Nothing of it leaves.
    let terms = Terms { split: Some(split), declared: Declarations::ALL, ..Terms::default() };
    let mut fastest = [f64::INFINITY; 3];
    for seed in 1..=REPETITIONS {
        let run = experiment(entry.name, &settings, data.clone(), terms, seed)?.run;
        let model = run.deployed(Surface::Pipeline, Weights::Chosen)?;
        let pairs = Pairs::sample(data.graph(), Sample::Balanced, 500.min(data.graph().edges()), seed)?;
        let start = std::time::Instant::now();
        veil_attack::run(&Influence::Exact, &model, &pairs, Scoring { belief: None, seed })?;
        let seconds = run.record().seconds;
        let now = [seconds.privatise, seconds.train, start.elapsed().as_secs_f64()];
        fastest.iter_mut().zip(now).for_each(|(best, now)| *best = best.min(now));
    }
    let figure = |(what, seconds): (&str, f64)| Figure {
        name: format!("{}/{}/{what}", data.name(), entry.name),
        value: seconds * 1e3,
        unit: "ms",
        target: None,
        more_is_better: false,
    };
    Ok(["release", "train", "linkteller"].into_iter().zip(fastest).map(figure).collect())
}

fn describe(figures: &[Figure]) -> String {
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
