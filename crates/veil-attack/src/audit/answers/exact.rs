//! What many answers tell together, where one has few outcomes.

use crate::audit::exact::smallest;

/// The outcomes of one answer: how likely each is with the node, and without it. The third stands
/// for all that are as likely in both.
pub type Answer = [(f64, f64); 3];

/// Randomised response of a teacher who sees the node with probability γ, and then names another
/// class.
pub fn sampled_response(keep: f64, exchange: f64, classes: u32, gamma: f64) -> Answer {
    let seen = ((1.0 - gamma) * exchange + gamma * keep, exchange);
    let unseen = ((1.0 - gamma) * keep + gamma * exchange, keep);
    let others = f64::from(classes - 2) * exchange;
    [seen, unseen, (others, others)]
}

/// The largest of logarithms with Laplace noise of scale 1/λ, of teachers for whom one class has
/// the probability 1 and all others 0: which class that is changes if they see the node, which they
/// do with probability γ. All classes but these two are alike, as in randomised response.
pub fn on_logarithms(lambda: f64, classes: u32, gamma: f64) -> Answer {
    /// The logarithm of the smallest positive 32-bit float is above minus this, which stands for
    /// that of 0.
    const LOWEST: f64 = 104.0;
    // The small chance is what is integrated, so that it has digits.
    let exchange = loses(LOWEST * lambda, classes);
    sampled_response(1.0 - f64::from(classes - 1) * exchange, exchange, classes, gamma)
}

/// P[X is above Y + gap and above all others] of independent Laplace variables of scale 1: ∫
/// f(t)·F(t − gap)·F(t)^(k−2) dt, by Simpson's rule to about ten digits.
fn loses(gap: f64, classes: u32) -> f64 {
    let below = |t: f64| if t < 0.0 { t.exp() / 2.0 } else { 1.0 - (-t).exp() / 2.0 };
    let density = |t: f64| (-t.abs()).exp() / 2.0 * below(t - gap) * below(t).powi(classes as i32 - 2);
    // Cut where the function bends; 45 beyond that there is nothing that counts.
    let ends = [-45.0, 0.0, gap, gap + 45.0];
    let simpson = |low: f64, high: f64| {
        const STEPS: u32 = 4000;
        let step = (high - low) / f64::from(STEPS);
        let weighed = |number: u32| {
            let weight = if number == 0 || number == STEPS { 1.0 } else { 2.0 + 2.0 * f64::from(number % 2) };
            weight * density(low + step * f64::from(number))
        };
        step / 3.0 * (0..=STEPS).map(weighed).sum::<f64>()
    };
    ends.windows(2).map(|pair| simpson(pair[0], pair[1])).sum()
}

/// δ of so many independent answers at an ε: Σ max(0, P − e^ε·Q) over how often each outcome comes,
/// the larger of both directions.
pub fn delta_at(answer: &Answer, count: u32, epsilon: f64) -> f64 {
    let factorials = ln_factorials(count);
    let power = |probability: f64, times: u32| if times == 0 { 0.0 } else { f64::from(times) * probability.ln() };
    let (mut with, mut without) = (0.0, 0.0);
    // Where there is no third outcome, what is not the first is the second.
    let two = answer[2] == (0.0, 0.0);
    for first in 0..=count {
        for second in if two { count - first } else { 0 }..=count - first {
            let third = count - first - second;
            let times = [first, second, third];
            let ways = factorials[count as usize] - times.iter().map(|&it| factorials[it as usize]).sum::<f64>();
            let ln = |side: fn(&(f64, f64)) -> f64| {
                ways + answer.iter().zip(times).map(|(it, times)| power(side(it), times)).sum::<f64>()
            };
            let (p, q) = (ln(|it| it.0), ln(|it| it.1));
            with += excess(p, epsilon + q);
            without += excess(q, epsilon + p);
        }
    }
    f64::max(with, without).min(1.0)
}

/// e^a − e^b where that is above 0.
fn excess(a: f64, b: f64) -> f64 {
    if a > b { a.exp() * -(b - a).exp_m1() } else { 0.0 }
}

/// The smallest ε ≥ 0 at which δ suffices, to 10⁻¹² (never above what is needed).
pub fn epsilon_at(answer: &Answer, count: u32, delta: f64) -> f64 {
    smallest(delta, |epsilon| delta_at(answer, count, epsilon))
}

fn ln_factorials(most: u32) -> Vec<f64> {
    let mut sums = vec![0.0];
    let mut sum = 0.0;
    for number in 1..=most {
        sum += f64::from(number).ln();
        sums.push(sum);
    }
    sums
}
