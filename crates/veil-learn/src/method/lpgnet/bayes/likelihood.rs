//! The likelihood of noisy counts.

use rayon::prelude::*;
use veil_privacy::protocol::degree_vectors::Counts;

/// Counts are clamped to ± this, so that tables stay small: larger ones are noise of a tiny ε, or
/// carry no more information.
pub(super) const LARGEST: i64 = 20_000;

/// The noise of a count: P(k) ∝ e^(−step·|k|), or none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Noise {
    /// Exact counts.
    None,
    /// Discrete Laplace.
    Laplace {
        /// Decrease of the logarithm per unit.
        step: f64,
    },
}

/// log P(x | c) for each node (row) and class, where each count is Poisson with mean
/// `means[class][cluster]` plus noise. Its mean over the classes is subtracted, which changes no
/// posterior and keeps numbers small.
pub(super) fn log_likelihoods(means: &[Vec<f64>], counts: &Counts, noise: Noise) -> Vec<Vec<f64>> {
    let clusters = counts.clusters();
    let largest: Vec<usize> = (0..clusters)
        .map(|cluster| {
            (0..counts.nodes()).map(|node| read(counts.row(node)[cluster])).max().unwrap_or(0).max(0) as usize
        })
        .collect();
    let tables: Vec<Vec<Table>> = means
        .par_iter()
        .map(|row| row.iter().zip(&largest).map(|(&mean, &largest)| Table::new(mean, largest, noise)).collect())
        .collect();
    let of_node = |node: usize| -> Vec<f64> {
        let row = counts.row(node);
        let of_class = |tables: &Vec<Table>| tables.iter().zip(row).map(|(table, &count)| table.at(read(count))).sum();
        let mut logs: Vec<f64> = tables.iter().map(of_class).collect();
        let mean = logs.iter().sum::<f64>() / logs.len().max(1) as f64;
        logs.iter_mut().for_each(|log| *log -= mean);
        logs
    };
    (0..counts.nodes()).into_par_iter().with_min_len(256).map(of_node).collect()
}

/// A count as it is read.
pub(super) fn read(count: i64) -> i64 {
    count.clamp(-LARGEST, LARGEST)
}

/// log P(x) of one count, for every x up to the largest.
pub(super) struct Table {
    logs: Vec<f64>,
    /// Decrease from one count below 0 to the next.
    step: f64,
}

impl Table {
    /// With S(x) = Σ_j P(j)·a^|x−j|, a = e^(−step): the terms j ≤ x sum to
    /// F(x) = a·F(x−1) + P(x), and those above to B(x) = a·(B(x+1) + P(x+1)). Both are sums of
    /// positive terms, taken in logarithms, so nothing cancels or underflows.
    pub(super) fn new(mean: f64, largest: usize, noise: Noise) -> Table {
        let log_mean = libm::log(mean);
        let Noise::Laplace { step } = noise else {
            let mut log = -mean;
            let mut logs = vec![log];
            logs.extend((1..=largest).map(|x| {
                log += log_mean - libm::log(x as f64);
                log
            }));
            // Without noise there are no negative counts.
            return Table { logs, step: f64::INFINITY };
        };
        // Beyond this each term of B is less than half of the one before, and after 60 more the
        // rest is less than a rounding error.
        let far = largest.max((2.0 * mean) as usize) + 60;
        let mut log = -mean;
        let mut poisson = Vec::with_capacity(far + 1);
        poisson.push(log);
        for j in 1..=far {
            log += log_mean - libm::log(j as f64);
            poisson.push(log);
        }
        let mut above = vec![f64::NEG_INFINITY; far + 1];
        for x in (0..far).rev() {
            above[x] = sum(above[x + 1], poisson[x + 1]) - step;
        }
        // (1−a)/(1+a), so that P sums to 1.
        let whole = libm::log(-libm::expm1(-step)) - libm::log1p(libm::exp(-step));
        let mut below = f64::NEG_INFINITY;
        let logs = (0..=largest)
            .map(|x| {
                below = sum(below - step, poisson[x]);
                sum(below, above[x]) + whole
            })
            .collect();
        Table { logs, step }
    }

    pub(super) fn at(&self, count: i64) -> f64 {
        match usize::try_from(count) {
            Ok(count) => self.logs.get(count).copied().unwrap_or(f64::NEG_INFINITY),
            Err(_) => self.logs.first().map_or(0.0, |first| first - self.step * count.unsigned_abs() as f64),
        }
    }
}

/// log(e^a + e^b).
fn sum(a: f64, b: f64) -> f64 {
    let (large, small) = if a > b { (a, b) } else { (b, a) };
    if small == f64::NEG_INFINITY { large } else { large + libm::log1p(libm::exp(small - large)) }
}
