use super::likelihood::Table;
use super::*;

fn evidence(labels: &[(usize, usize)], classes: usize) -> Vec<Evidence> {
    let one_hot = |class| (0..classes).map(|other| f64::from(other == class)).collect();
    labels.iter().map(|&(node, class)| Evidence { node, likelihood: one_hot(class) }).collect()
}

/// P(x) as it is written: the sum over all numbers of neighbours.
fn naive(mean: f64, step: f64, x: i64) -> f64 {
    let a = (-step).exp();
    let (mut poisson, mut sum) = ((-mean).exp(), 0.0);
    for j in 0..400_i64 {
        if j > 0 {
            poisson *= mean / j as f64;
        }
        sum += poisson * a.powi(i32::try_from((x - j).abs()).unwrap());
    }
    sum * (1.0 - a) / (1.0 + a)
}

#[test]
fn likelihoods_are_the_sums_that_define_them() {
    for mean in [0.02, 0.5, 3.0, 40.0] {
        for step in [0.05, 0.5, 4.0] {
            let table = Table::new(mean, 30, Noise::Laplace { step });
            for x in -20..=30 {
                let (ours, theirs) = (table.at(x).exp(), naive(mean, step, x));
                assert!((ours / theirs - 1.0).abs() < 1e-9, "mean {mean}, step {step}: {x}: {ours} {theirs}");
            }
        }
    }
}

#[test]
fn likelihoods_sum_to_one() {
    let table = Table::new(3.0, 300, Noise::Laplace { step: 0.3 });
    let sum: f64 = (-300..=300).map(|x| table.at(x).exp()).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    let exact = Table::new(3.0, 300, Noise::None);
    let sum: f64 = (0..=300).map(|x| exact.at(x).exp()).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    assert_eq!(exact.at(-1), f64::NEG_INFINITY);
}

/// Also far from every mean, and for the noise of a tiny ε.
#[test]
fn logarithms_are_finite() {
    for (mean, step) in [(0.02, 4.0), (0.02, 1e-9), (1e6, 0.5)] {
        let counts = Counts::new(1, vec![-100_000_000_000, -3, 0, 5, 90_000, 100_000_000_000]);
        let logs = log_likelihoods(&[vec![mean], vec![2.0 * mean]], &counts, Noise::Laplace { step });
        assert!(logs.iter().flatten().all(|log| log.is_finite()), "{mean} {step}: {logs:?}");
    }
}

/// Two classes that a network cannot distinguish, and these counts.
fn read_counts(count: impl Fn(usize) -> Vec<i64>) -> (Bayes, Vec<usize>) {
    let nodes = 40;
    let logits = Scores(vec![vec![0.0, 0.0]; nodes]);
    let counts = Counts::new(2, (0..nodes).flat_map(count).collect());
    let training = evidence(&[(0, 0), (1, 1), (2, 0), (3, 1)], 2);
    let validation = evidence(&(4..20).map(|node| (node, node % 2)).collect::<Vec<_>>(), 2);
    let mut bayes = Bayes::calibrated(&logits, &validation);
    let before = bayes.scores(&logits, &[], Noise::None);
    let noise = Noise::Laplace { step: 1.0 };
    bayes.learn(noise, (&before, &counts, &training), (&before, &counts, &validation));
    let after = bayes.scores(&logits, &[counts], noise);
    let answers = after.0.iter().map(|row| usize::from(row[1] > row[0])).collect();
    (bayes, answers)
}

#[test]
fn informative_counts_are_used() {
    let (bayes, answers) = read_counts(|node| if node % 2 == 0 { vec![5, 0] } else { vec![-1, 4] });
    assert!(bayes.rounds[0].weight > 0.0);
    assert_eq!(answers, (0..40).map(|node| node % 2).collect::<Vec<_>>());
}

#[test]
fn uninformative_counts_are_not_used() {
    let (bayes, answers) = read_counts(|_| vec![2, 2]);
    assert_eq!((bayes.rounds[0].weight, bayes.rounds[0].temperature), (0.0, 1.0));
    assert_eq!(answers, vec![0; 40]);
}

/// Counts that make labels more likely, and more answers wrong, are not used.
#[test]
fn counts_that_hurt_answers_are_not_used() {
    // The network is right about every node, the counts about none.
    let logits = Scores((0..20).map(|node| if node % 2 == 0 { vec![1.0, 0.0] } else { vec![0.0, 1.0] }).collect());
    let validation = evidence(&(0..20).map(|node| (node, node % 2)).collect::<Vec<_>>(), 2);
    let counts = Counts::new(2, (0..20).flat_map(|node| if node % 2 == 0 { [0, 9] } else { [9, 0] }).collect());
    let means = vec![vec![9.0, 0.02], vec![0.02, 9.0]];
    let round = Reading { means, temperature: 1.0, weight: 1.0 };
    let mut bayes = Bayes { temperature: 1.0, rounds: vec![round] };
    let noise = Noise::Laplace { step: 1.0 };
    let counts = [counts];
    assert_eq!((logits.wrong(&validation), bayes.scores(&logits, &counts, noise).wrong(&validation)), (0, 20));
    bayes.fall_back();
    assert_eq!(bayes.scores(&logits, &counts, noise), logits);
}

/// An overconfident network becomes less confident.
#[test]
fn scores_are_calibrated() {
    let logits = Scores((0..10).map(|node| if node < 6 { vec![9.0, 0.0] } else { vec![0.0, 9.0] }).collect());
    // Right two times out of three.
    let labels: Vec<(usize, usize)> = (0..10).map(|node| (node, usize::from((node % 3 == 0) == (node < 6)))).collect();
    assert_eq!(Bayes::calibrated(&logits, &evidence(&labels, 2)).temperature, 0.25);
    // An underconfident one becomes more confident.
    let logits = logits.times(0.01);
    let labels: Vec<(usize, usize)> = (0..10).map(|node| (node, usize::from(node >= 6))).collect();
    assert_eq!(Bayes::calibrated(&logits, &evidence(&labels, 2)).temperature, 4.0);
}

#[test]
fn means_are_weighted_averages() {
    let scores = Scores(vec![vec![100.0, 0.0], vec![0.0, 100.0], vec![0.0, 0.0]]);
    let counts = Counts::new(2, vec![4, -2, 0, 6, 2, 2]);
    // Node 2 is known to be of class 1; all nodes have 2 neighbours in each cluster on average.
    let means = means(&scores, &counts, &evidence(&[(2, 1)], 2));
    let expected = [[(4.0 + 2.0) / 2.0, SMALLEST_MEAN], [(0.0 + 2.0 + 2.0) / 3.0, (6.0 + 2.0 + 2.0) / 3.0]];
    for (row, expected) in means.iter().zip(expected) {
        for (mean, expected) in row.iter().zip(expected) {
            assert!((mean - expected).abs() < 1e-12, "{means:?}");
        }
    }
}

#[test]
fn two_rounds_are_for_large_budgets() {
    assert_eq!([0.5, 5.9, 6.0, f64::INFINITY].map(rounds), [1, 1, 2, 2]);
}
