//! Rows of logits as probabilities, without overflow, a block of rows at a time.

use super::Targets;
use crate::kernels::exp::exp;
use crate::kernels::level::{Kernel, Level, kernel};
use crate::tensor::Tensor;

/// Exponentials computed at once: few enough to stay in the first-level cache.
const BLOCK: usize = 1024;

/// Calls `each(node, class, row)` for every target.
pub fn for_each(logits: &Tensor, targets: &Targets, mut each: impl FnMut(usize, usize, Row)) {
    let pairs = targets.iter().map(|(node, class)| (node as usize, class as usize));
    blocks(logits, pairs, |&(node, class), row| each(node, class, row));
}

/// Softmax of every row.
pub fn of_all(logits: &Tensor) -> Tensor {
    let mut out = Tensor::zeros(logits.rows(), logits.columns());
    blocks(logits, (0..logits.rows()).map(|node| (node, 0)), |&(node, _), row| {
        let scale = row.total.recip() as f32;
        for (out, &power) in out.row_mut(node).iter_mut().zip(row.powers) {
            *out = power * scale;
        }
    });
    out
}

/// One row of logits with e^(logit − largest), from which everything else is computed.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    logits: &'a [f32],
    largest: f32,
    powers: &'a [f32],
    total: f64,
}

fn blocks(
    logits: &Tensor,
    mut nodes: impl Iterator<Item = (usize, usize)>,
    mut each: impl FnMut(&(usize, usize), Row),
) {
    let (width, level) = (logits.columns(), Level::detect());
    let rows = (BLOCK / width).max(1);
    let mut chosen = Vec::with_capacity(rows);
    let mut powers: Vec<f32> = Vec::with_capacity(rows * width);
    let mut largest = Vec::with_capacity(rows);
    loop {
        chosen.clear();
        chosen.extend(nodes.by_ref().take(rows));
        if chosen.is_empty() {
            return;
        }
        powers.clear();
        largest.clear();
        for &(node, _) in &chosen {
            let row = logits.row(node);
            let most = row.iter().map(|&logit| finite(logit)).fold(f32::MIN, f32::max);
            powers.extend(row.iter().map(|&logit| finite(logit) - most));
            largest.push(most);
        }
        level.run(Powers { values: &mut powers });
        for ((powers, &largest), pair) in powers.chunks_exact(width).zip(&largest).zip(&chosen) {
            let total = powers.iter().map(|&power| f64::from(power)).sum();
            each(pair, Row { logits: logits.row(pair.0), largest, powers, total });
        }
    }
}

/// Replaces an infinite logit by the largest finite number, because differences of infinities are
/// undefined. NaN stays.
fn finite(logit: f32) -> f32 {
    logit.clamp(f32::MIN, f32::MAX)
}

kernel!(/// e^x of every number.
Powers { values: &'a mut [f32] } {
    for value in values {
        *value = exp(*value);
    }
});

impl Row<'_> {
    /// −ln p_t; the gradient is p − (1 at t).
    pub fn cross_entropy(&self, class: usize, share: f64, gradient: Option<&mut [f32]>) -> f64 {
        if let Some(gradient) = gradient {
            self.towards(class, share, gradient);
        }
        self.log_total() - f64::from(finite(self.logits[class]))
    }

    /// −Σ w_y·ln p_y; the gradient is p·Σw − w.
    pub fn soft(&self, wanted: &[f32], share: f64, gradient: Option<&mut [f32]>) -> f64 {
        let weight: f64 = wanted.iter().map(|&it| f64::from(it)).sum();
        let scale = share * weight / self.total;
        for (index, out) in gradient.into_iter().flatten().enumerate() {
            *out = (f64::from(self.powers[index]) * scale - share * f64::from(wanted[index])) as f32;
        }
        let logits = self.logits.iter().zip(wanted).map(|(&logit, &it)| f64::from(finite(logit)) * f64::from(it));
        weight * self.log_total() - logits.sum::<f64>()
    }

    /// −ln(p_t + floor); the gradient is that of [`cross_entropy`](Row::cross_entropy) times
    /// p_t/(p_t + floor).
    pub fn cross_entropy_above(&self, floor: f64, class: usize, share: f64, gradient: Option<&mut [f32]>) -> f64 {
        let chance = f64::from(self.powers[class]) / self.total;
        if let Some(gradient) = gradient {
            self.towards(class, share * chance / (chance + floor), gradient);
        }
        -(chance + floor).ln()
    }

    /// −ln q_t with q_t = Σ p_y·T_yt; the gradient is p − r, where r_y = p_y·T_yt/q_t is how likely
    /// y is the true label.
    ///
    /// `given` is the column T_·t, which has a positive entry. Powers are relative to the largest
    /// logit with a positive entry, so their sum is never zero; the others may be large, but are
    /// finite and multiplied by zero.
    pub fn corrected(&self, given: &[f64], share: f64, gradient: Option<&mut [f32]>) -> f64 {
        let possible = self.logits.iter().zip(given).filter(|&(_, &chance)| chance > 0.0);
        let largest = possible.map(|(&logit, _)| finite(logit)).fold(f32::MIN, f32::max);
        let power = |index: usize| {
            if largest == self.largest { self.powers[index] } else { exp(finite(self.logits[index]) - largest) }
        };
        let joint = |index: usize| given[index] * f64::from(power(index));
        let total: f64 = (0..given.len()).map(joint).sum();
        let (own, likely) = (share / self.total, share / total);
        for (index, out) in gradient.into_iter().flatten().enumerate() {
            *out = (f64::from(self.powers[index]) * own - joint(index) * likely) as f32;
        }
        self.log_total() - f64::from(largest) - total.ln()
    }

    /// −ln(q_t + floor); the gradient is p·(q_t − T_·t)/(q_t + floor).
    pub fn corrected_above(&self, floor: f64, given: &[f64], share: f64, gradient: Option<&mut [f32]>) -> f64 {
        let joint = self.powers.iter().zip(given).map(|(&power, given)| f64::from(power) * given);
        let chance = joint.sum::<f64>() / self.total;
        let scale = share / self.total / (chance + floor);
        for (index, out) in gradient.into_iter().flatten().enumerate() {
            *out = (f64::from(self.powers[index]) * (chance - given[index]) * scale) as f32;
        }
        -(chance + floor).ln()
    }

    /// (p − (1 at t))·share.
    fn towards(&self, class: usize, share: f64, gradient: &mut [f32]) {
        let scale = share / self.total;
        for (out, &power) in gradient.iter_mut().zip(self.powers) {
            *out = (f64::from(power) * scale) as f32;
        }
        gradient[class] = (f64::from(self.powers[class]) * scale - share) as f32;
    }

    /// ln Σ e^logit.
    fn log_total(&self) -> f64 {
        f64::from(self.largest) + self.total.ln()
    }
}
