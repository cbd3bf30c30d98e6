//! Learning rate schedules.

use serde::{Deserialize, Serialize};

/// The learning rate of every epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// Always the same.
    #[default]
    Constant,
    /// base·(1 − epoch/epochs): full in the first epoch, base/epochs in the last.
    LinearToZero,
}

impl Schedule {
    /// The rate in this epoch, counted from 0, of `epochs` epochs.
    pub fn rate(self, base: f64, epoch: usize, epochs: usize) -> f64 {
        match self {
            Schedule::Constant => base,
            Schedule::LinearToZero if epoch >= epochs => 0.0,
            Schedule::LinearToZero => base * (1.0 - epoch as f64 / epochs as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_constant_or_fall_in_equal_steps() {
        let rates = |schedule: Schedule| (0..5).map(|epoch| schedule.rate(2.0, epoch, 4)).collect::<Vec<f64>>();
        assert_eq!(rates(Schedule::Constant), [2.0; 5]);
        assert_eq!(rates(Schedule::LinearToZero), [2.0, 1.5, 1.0, 0.5, 0.0]);
        assert_eq!(Schedule::LinearToZero.rate(2.0, 0, 0), 0.0);
    }
}
