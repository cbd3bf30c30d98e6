//! Figures with their targets.

use std::time::{Duration, Instant};

use serde::Serialize;
use veil_graph::generate::ParameterError;

use super::shape::{CORA, FACEBOOK, LASTFM, MILLION, Shape, TEACHER};
use crate::input::Input;
use crate::kernels::activation::Activation;
use crate::kernels::gather::gather_sum;
use crate::layers::Kind;
use crate::loss::{Loss, Targets};
use crate::model::{Description, Model};
use crate::optimiser;
use crate::tensor::Tensor;
use crate::training::{Options, Task, Trainer};

/// The names of all figures, in the order of measurement.
pub const NAMES: [&str; 7] =
    ["cora-gcn", "lastfm-gcn", "facebook-gcn", "facebook-gat", "privgnn-teacher", "spmm-1m", "gcn-step-1m"];

/// A measured figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// The unit.
    pub unit: &'static str,
    /// The upper bound (for a share, lower bound) to reach, if any.
    pub target: Option<f64>,
    /// Whether more is better.
    #[serde(skip)]
    pub more_is_better: bool,
}

impl Figure {
    fn new(name: &str, value: f64, unit: &'static str, target: Option<f64>) -> Figure {
        Figure { name: name.to_owned(), value, unit, target, more_is_better: false }
    }

    /// Whether the target is met, if there is one.
    pub fn is_met(&self) -> Option<bool> {
        self.target.map(|target| if self.more_is_better { self.value >= target } else { self.value <= target })
    }
}

/// Measures one of [`NAMES`] on the threads of the current pool; other names give nothing.
///
/// # Errors
/// If a graph of this size cannot be generated.
pub fn measure(name: &str) -> Result<Vec<Figure>, ParameterError> {
    let gcn = Description::default();
    let gat = Description { kind: Kind::Gat, heads: 4, ..gcn };
    let epoch = |shape: Shape, description, target| {
        let milliseconds = epochs(shape, &shape.with_reports(1), description, true, Duration::from_secs(2)).1 * 1e3;
        vec![Figure::new(name, milliseconds, "ms", Some(target))]
    };
    Ok(match name {
        "cora-gcn" => epoch(CORA, gcn, 1.3),
        "lastfm-gcn" => epoch(LASTFM, gcn, 6.0),
        "facebook-gcn" => epoch(FACEBOOK, gcn, 13.0),
        "facebook-gat" => epoch(FACEBOOK, gat, 140.0),
        "privgnn-teacher" => vec![teacher(name)],
        "spmm-1m" => sum_of_rows(name)?,
        "gcn-step-1m" => large_step(name)?,
        _ => Vec::new(),
    })
}

/// 500 training steps of a teacher on binary features as dense as Amazon's, from the fastest step:
/// all do the same work.
fn teacher(name: &str) -> Figure {
    let description = Description {
        kind: Kind::Sage,
        hidden: 64,
        activation: Activation::Relu,
        batch_norm: true,
        ..Description::default()
    };
    let input = TEACHER.with_binary_features(0.35, 1);
    let (_, step) = epochs(TEACHER, &input, description, false, Duration::from_secs(2));
    Figure::new(name, 500.0 * step, "s", Some(2.5))
}

/// Sums of 64-wide rows along the messages of a large graph, and their share of the bandwidth of a
/// plain copy.
///
/// Counted are the bytes of every gathered row, as if none were in the cache, of the lists, and of
/// every result row twice, because a line is read before it is written. A copy, which avoids that,
/// counts as read and written once.
fn sum_of_rows(name: &str) -> Result<Vec<Figure>, ParameterError> {
    const WIDTH: usize = 64;
    let input = Shape { features: 1, ..MILLION }.with_power_law(1)?;
    let lists = input.topology().messages().lists();
    let mut x = Tensor::zeros(input.nodes(), WIDTH);
    x.values_mut().fill(1.0);
    let mut y = x.clone();
    let sum = best(|| gather_sum(lists, x.values(), WIDTH, None, y.values_mut()));
    let copy = best(|| y.values_mut().copy_from_slice(x.values()));
    let row = (WIDTH * size_of::<f32>()) as f64;
    let (entries, nodes) = (lists.sources.len() as f64, input.nodes() as f64);
    let sum_rate = (entries * (row + 4.0) + nodes * (2.0 * row + 8.0)) / sum;
    let copy_rate = 2.0 * nodes * row / copy;
    let mut share = Figure::new("spmm-1m-share-of-copy", 100.0 * sum_rate / copy_rate, "%", Some(40.0));
    share.more_is_better = true;
    Ok(vec![Figure::new(name, sum * 1e3, "ms", None), share, Figure::new("copy", copy_rate / 1e9, "GB/s", None)])
}

/// A step of a graph convolution on a large graph, 64 features and 64 hidden numbers; the first
/// step, which also computes Â and Â·X; and the peak memory of the process.
fn large_step(name: &str) -> Result<Vec<Figure>, ParameterError> {
    let input = MILLION.with_power_law(1)?;
    let description = Description { hidden: 64, ..Description::default() };
    let (first, step) = epochs(MILLION, &input, description, false, Duration::from_secs(6));
    let mut figures = vec![Figure::new(name, step, "s", Some(3.0)), Figure::new("gcn-first-step-1m", first, "s", None)];
    if let Some(bytes) = peak_memory() {
        figures.push(Figure::new("gcn-memory-1m", bytes / f64::from(1 << 30), "GiB", Some(6.0)));
    }
    Ok(figures)
}

/// Seconds of the first epoch and of the fastest later one: a training step and optionally a
/// validation. Half of the nodes are training nodes, a quarter validation nodes.
fn epochs(shape: Shape, input: &Input, description: Description, validate: bool, time: Duration) -> (f64, f64) {
    let architecture = fits(description.check(shape.features, shape.classes));
    let labels = shape.labels(1);
    let targets = |which: &dyn Fn(u32) -> bool| {
        let pairs = (0..).zip(labels.iter().copied()).filter(|&(node, _)| which(node)).collect();
        fits(Targets::new(pairs, labels.len(), shape.classes))
    };
    let train = if validate { targets(&|node| node % 4 < 2) } else { targets(&|_| true) };
    let validation = validate.then(|| targets(&|node| node % 4 == 2));
    let task = fits(Task::new(Loss::cross_entropy(train), validation));
    let adam = optimiser::Params { learning_rate: 0.01, weight_decay: 1e-3, ..Default::default() };
    let options = Options { epochs: usize::MAX, adam, ..Options::default() };
    let mut model = Model::new(architecture, 1);
    let mut trainer = fits(Trainer::new(&mut model, input, &task, options));
    let first = trainer.epoch().seconds;
    trainer.epoch();
    // All epochs do the same work; slower ones were disturbed.
    let mut fastest = f64::INFINITY;
    let start = Instant::now();
    while start.elapsed() < time {
        fastest = fastest.min(trainer.epoch().seconds);
    }
    (first, fastest)
}

/// Parts of a workload fit together by construction.
fn fits<T>(made: Result<T, impl std::fmt::Display>) -> T {
    made.unwrap_or_else(|error| unreachable!("the parts of a workload fit: {error}"))
}

/// The shortest of five, in seconds.
fn best(mut work: impl FnMut()) -> f64 {
    let times = (0..5).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}

/// The peak memory of this process in bytes, if the system reports it.
pub fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024.0)
}
