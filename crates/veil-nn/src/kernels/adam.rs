//! One step of Adam (Kingma and Ba 2015) with coupled weight decay, in one pass: what
//! `torch.optim.Adam` computes.

use super::level::{Kernel, Level, kernel};
use super::parallel::over_equal_rows;

/// The constants of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamStep {
    /// Weight decay, times the value added to the gradient.
    decay: f32,
    /// 1 − β₁ and 1 − β₂.
    fresh: [f32; 2],
    /// β₂.
    kept: f32,
    /// √(1 − β₂ᵗ).
    root: f32,
    epsilon: f32,
    /// rate/(1 − β₁ᵗ).
    rate: f32,
}

impl AdamStep {
    /// Step `t`, the first being 1.
    pub fn new(rate: f64, [beta1, beta2]: [f64; 2], epsilon: f64, decay: f64, t: u32) -> AdamStep {
        let t = t.min(i32::MAX as u32) as i32;
        AdamStep {
            decay: decay as f32,
            fresh: [(1.0 - beta1) as f32, (1.0 - beta2) as f32],
            kept: beta2 as f32,
            root: (1.0 - beta2.powi(t)).sqrt() as f32,
            epsilon: epsilon as f32,
            rate: (rate / (1.0 - beta1.powi(t))) as f32,
        }
    }
}

/// g += decay·p; m += (1 − β₁)(g − m); v = β₂·v + (1 − β₂)·g²; p −= rate · m/(√v/root + ε). The
/// gradient is not modified.
pub fn adam(step: AdamStep, gradient: &[f32], value: &mut [f32], first: &mut [f32], second: &mut [f32]) {
    let length = gradient.len();
    assert!(value.len() == length && first.len() == length && second.len() == length, "as many numbers");
    let level = Level::detect();
    over_equal_rows(4 * length, 1, [value, first, second], |start, [value, first, second]| {
        level.run(Adam { step, gradient: &gradient[start..], value, first, second });
    });
}

kernel!(Adam {
    step: AdamStep, gradient: &'a [f32], value: &'a mut [f32], first: &'a mut [f32], second: &'a mut [f32]
} {
    let AdamStep { decay, fresh, kept, root, epsilon, rate } = step;
    for ((value, &gradient), (first, second)) in value.iter_mut().zip(gradient).zip(first.iter_mut().zip(second)) {
        let gradient = gradient + decay * *value;
        *first += fresh[0] * (gradient - *first);
        *second = kept * *second + fresh[1] * (gradient * gradient);
        *value -= rate * (*first / (second.sqrt() / root + epsilon));
    }
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::level::forced;

    /// The same from the paper, in 64 bits: the value after all steps.
    fn naive(gradients: &[f32], start: f32, decay: f64) -> f64 {
        let (mut value, mut first, mut second) = (f64::from(start), 0.0, 0.0);
        for (t, &gradient) in (1..).zip(gradients) {
            let gradient = f64::from(gradient) + decay * value;
            first = 0.9 * first + 0.1 * gradient;
            second = 0.999 * second + 0.001 * gradient * gradient;
            let (first, second) = (first / (1.0 - 0.9f64.powi(t)), second / (1.0 - 0.999f64.powi(t)));
            value -= 0.01 * first / (second.sqrt() + 1e-8);
        }
        value
    }

    #[test]
    fn equals_a_plain_implementation_over_many_steps() {
        let count = 83;
        let gradient = |t: usize, at: usize| ((t * 31 + at * 17) as f32 * 0.7).sin() * (1.0 + at as f32 * 0.1);
        for level in Level::available() {
            for decay in [0.0, 5e-4, 0.1] {
                let start: Vec<f32> = (0..count).map(|at| (at as f32).cos()).collect();
                let (mut value, mut first, mut second) = (start.clone(), vec![0.0; count], vec![0.0; count]);
                for t in 1..=50 {
                    let gradient: Vec<f32> = (0..count).map(|at| gradient(t, at)).collect();
                    let step = AdamStep::new(0.01, [0.9, 0.999], 1e-8, decay, t as u32);
                    forced(level, || adam(step, &gradient, &mut value, &mut first, &mut second));
                }
                for at in 0..count {
                    let gradients: Vec<f32> = (1..=50).map(|t| gradient(t, at)).collect();
                    let truth = naive(&gradients, start[at], decay);
                    // Fifty steps of at most 0.01·(a few), each within some 1e-6 of itself, and
                    // fifty roundings of the value.
                    assert!((f64::from(value[at]) - truth).abs() < 5e-6, "{} {truth}", value[at]);
                }
            }
        }
    }

    #[test]
    fn the_first_step_is_the_rate_against_the_gradient_and_padding_stays_zero() {
        let (mut value, mut first, mut second) = ([1.0, 1.0, 0.0], [0.0; 3], [0.0; 3]);
        let step = AdamStep::new(0.25, [0.9, 0.999], 1e-8, 0.0, 1);
        adam(step, &[3.0, -0.5, 0.0], &mut value, &mut first, &mut second);
        assert!((value[0] - 0.75).abs() < 1e-6 && (value[1] - 1.25).abs() < 1e-6, "{value:?}");
        assert_eq!(value[2], 0.0);
    }
}
