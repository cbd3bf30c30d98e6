//! From noisy sums to a class for every public node: linear discriminant analysis, then a hop or
//! two along the public graph.

use veil_graph::{Graph, Matrix};
use veil_privacy::answers::Sums;

use super::smoothed;
use crate::symmetric::Symmetric;

/// Least number of nodes that a class is taken to have: the mean of fewer would be noise.
const FEWEST: f64 = 5.0;
/// Least frequency of a class.
const RAREST: f64 = 0.003;
/// Eigenvalues of the covariance within classes are at least this share of the mean eigenvalue of
/// the whole covariance: no direction is explained entirely by the sums.
const LEAST_WITHIN: f64 = 0.1;

/// The class of every public node.
pub(super) fn labels(graph: &Graph, points: &[Vec<f64>], sums: &Sums) -> Vec<u32> {
    let posteriors = Classes::of(points, sums).posteriors(points);
    let averaged = (0..hops(graph)).fold(posteriors, |posteriors, _| smoothed(graph, &posteriors));
    crate::method::most_likely(&averaged)
}

/// One hop where the median node has seven neighbours or more; two where it has fewer, so that one
/// hop would average over too few.
fn hops(graph: &Graph) -> usize {
    let mut sizes: Vec<usize> = (0..graph.nodes()).map(|node| graph.degree(node) + 1).collect();
    sizes.sort_unstable();
    let middle = |place: usize| sizes.get(place).copied().unwrap_or(0);
    if middle(sizes.len().saturating_sub(1) / 2) + middle(sizes.len() / 2) >= 16 { 1 } else { 2 }
}

/// A linear classifier.
#[derive(Debug)]
struct Classes {
    weights: Vec<Vec<f64>>,
    biases: Vec<f64>,
}

impl Classes {
    /// LDA with class means from the sums, and everything else from public points.
    fn of(points: &[Vec<f64>], sums: &Sums) -> Classes {
        let (mean, covariance) = moments(points);
        let size = mean.len();
        let classes = sums.classes();
        let nodes: Vec<f64> = (0..classes).map(|class| sums.nodes(class).max(FEWEST)).collect();
        // The variance of the noise of a class mean, on average.
        let noise = nodes.iter().map(|nodes| (sums.deviation() / nodes).powi(2)).sum::<f64>() / classes.max(1) as f64;
        let mut from_mean: Vec<Vec<f64>> = (0..classes)
            .map(|class| {
                let sum = sums.points(class).into_iter();
                sum.zip(&mean).map(|(sum, mean)| sum / nodes[class] - mean).collect()
            })
            .collect();
        // Directions in which class means differ by no more than noise are drawn to the common mean
        // (James and Stein).
        for direction in 0..size {
            let squares = from_mean.iter().map(|row| row[direction].powi(2)).sum::<f64>() / classes.max(1) as f64;
            let kept = if squares > 0.0 { (1.0 - noise / squares).max(0.0) } else { 0.0 };
            from_mean.iter_mut().for_each(|row| row[direction] *= kept);
        }
        let spread = covariance.trace() / size.max(1) as f64;
        let mean_nodes = nodes.iter().sum::<f64>() / classes.max(1) as f64;
        let uncertain = Symmetric::from_fn(size, |i, j| {
            covariance.get(i, j) / mean_nodes + if i == j { noise + 1e-6 * spread } else { 0.0 }
        });
        let priors = priors(&from_mean, &uncertain);
        let within = Symmetric::from_fn(size, |i, j| {
            let between = from_mean.iter().zip(&priors).map(|(row, prior)| prior * row[i] * row[j]);
            covariance.get(i, j) - between.sum::<f64>()
        });
        // Without any spread classes cannot be distinguished, and any positive number will do.
        let least = (LEAST_WITHIN * spread).max(1e-12);
        let inverse = within.with_eigenvalues(|value| 1.0 / value.max(least));
        let means = from_mean.iter().map(|row| row.iter().zip(&mean).map(|(it, mean)| it + mean).collect());
        let means: Vec<Vec<f64>> = means.collect();
        let weights: Vec<Vec<f64>> = means
            .iter()
            .map(|row| (0..size).map(|i| (0..size).map(|j| inverse.get(i, j) * row[j]).sum()).collect())
            .collect();
        let bias = |class: usize| libm::log(priors[class]) - dot(&weights[class], &means[class]) / 2.0;
        let biases = (0..classes).map(bias).collect();
        Classes { weights, biases }
    }

    /// The posterior of each point.
    fn posteriors(&self, points: &[Vec<f64>]) -> Matrix {
        let mut out = Matrix::zeros(points.len(), self.biases.len());
        for (row, point) in points.iter().enumerate() {
            let scores = self.weights.iter().zip(&self.biases).map(|(weights, bias)| dot(weights, point) + bias);
            let scores: Vec<f64> = scores.collect();
            let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let shares: Vec<f64> = scores.iter().map(|score| libm::exp(score - largest)).collect();
            let all: f64 = shares.iter().sum();
            out.row_mut(row).iter_mut().zip(&shares).for_each(|(out, share)| *out = (share / all) as f32);
        }
        out
    }
}

/// Class frequencies among public nodes: the shares π for which the weighted class means add up to
/// the common mean, Σ π_c·(M_c − m) = 0, as nearly as possible in the metric of their uncertainty.
///
/// The minimum of π'Kπ over shares is, up to scale, the minimum of x'Kx − 2Σx over x ≥ 0.
fn priors(from_mean: &[Vec<f64>], uncertain: &Symmetric) -> Vec<f64> {
    let classes = from_mean.len();
    let solved: Option<Vec<Vec<f64>>> = from_mean.iter().map(|row| uncertain.solve(row)).collect();
    let uniform = vec![1.0 / classes as f64; classes];
    let Some(solved) = solved else { return uniform };
    let raw = Symmetric::from_fn(classes, |i, j| dot(&from_mean[i], &solved[j]));
    // Equal classes get equal shares.
    let ridge = 1e-9 * raw.trace() / classes as f64;
    let squares = Symmetric::from_fn(classes, |i, j| raw.get(i, j) + if i == j { ridge } else { 0.0 });
    let shares = squares.non_negative_least(&vec![1.0; classes]);
    let all: f64 = shares.iter().sum();
    if !(all > 0.0 && all.is_finite()) {
        return uniform;
    }
    let floored: Vec<f64> = shares.iter().map(|share| (share / all).max(RAREST)).collect();
    let all: f64 = floored.iter().sum();
    floored.into_iter().map(|share| share / all).collect()
}

/// The mean of points, and their covariance (divided by n − 1).
fn moments(points: &[Vec<f64>]) -> (Vec<f64>, Symmetric) {
    let size = points.first().map_or(0, Vec::len);
    let mut mean = vec![0.0; size];
    for point in points {
        mean.iter_mut().zip(point).for_each(|(mean, it)| *mean += it);
    }
    mean.iter_mut().for_each(|it| *it /= points.len().max(1) as f64);
    let mut squares = vec![0.0; size * size];
    for point in points {
        let centred: Vec<f64> = point.iter().zip(&mean).map(|(it, mean)| it - mean).collect();
        for (row, left) in squares.chunks_exact_mut(size.max(1)).zip(&centred) {
            row.iter_mut().zip(&centred).for_each(|(it, right)| *it += left * right);
        }
    }
    let freedom = points.len().saturating_sub(1).max(1) as f64;
    (mean, Symmetric::from_fn(size, |i, j| squares[i * size + j] / freedom))
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use veil_graph::Direction;

    /// Public points that are a mixture of three class means: its shares are found.
    #[test]
    fn priors_are_the_shares_of_the_mixture() {
        let means = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]];
        let shares = [0.6, 0.3, 0.1];
        let common: Vec<f64> =
            (0..2).map(|k| means.iter().zip(shares).map(|(mean, share)| share * mean[k]).sum()).collect();
        let from_mean: Vec<Vec<f64>> =
            means.iter().map(|mean| mean.iter().zip(&common).map(|(it, common)| it - common).collect()).collect();
        let metric = Symmetric::from_fn(2, |i, j| if i == j { 1.0 + i as f64 } else { 0.3 });
        for (found, share) in priors(&from_mean, &metric).into_iter().zip(shares) {
            assert!((found - share).abs() < 1e-6, "{found} instead of {share}");
        }
        // A mean outside of all classes: the frequencies are at their limits.
        let outside = [vec![1.0, 0.0], vec![3.0, 0.1], vec![2.0, -0.1]];
        let found = priors(&outside, &metric);
        assert!(found[0] > 0.9 && found[1] < 0.01 && (found.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{found:?}");
        // Nothing is known.
        assert_eq!(priors(&[vec![0.0, 0.0], vec![0.0, 0.0]], &metric), [0.5, 0.5]);
    }

    #[test]
    fn moments_are_those_of_the_points() {
        let (mean, covariance) = moments(&[vec![1.0, 0.0], vec![3.0, 0.0], vec![2.0, 3.0]]);
        assert_eq!(mean, [2.0, 1.0]);
        assert_eq!([covariance.get(0, 0), covariance.get(1, 1), covariance.get(0, 1)], [1.0, 3.0, 0.0]);
        assert_eq!(moments(&[vec![1.0]]).1.get(0, 0), 0.0);
    }

    #[test]
    fn a_sparse_graph_is_averaged_over_two_hops() {
        let ring = |reach: u32| {
            let edges: Vec<(u32, u32)> =
                (0..50).flat_map(|v| (1..=reach).map(move |far| (v, (v + far) % 50))).collect();
            Graph::from_edges(50, &edges, Direction::Undirected).unwrap().graph
        };
        assert_eq!([hops(&ring(3)), hops(&ring(4)), hops(&Graph::empty(0, Direction::Undirected))], [2, 1, 2]);
    }
}
