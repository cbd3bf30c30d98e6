//! Which epoch's weights are kept.

use serde::{Deserialize, Serialize};

/// The metrics of an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EpochMetrics {
    /// The epoch, counted from 0.
    pub epoch: usize,
    /// The training loss.
    pub train_loss: f64,
    /// The share of training nodes that are classified as labelled.
    pub train_accuracy: f64,
    /// The loss on the validation nodes, if any.
    pub validation_loss: Option<f64>,
    /// The share of validation nodes that are classified as labelled, if any.
    pub validation_accuracy: Option<f64>,
    /// The duration.
    pub seconds: f64,
}

/// The epoch whose weights are kept. Ties go to the earliest epoch; an epoch with NaN metrics is
/// never kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// The epoch with the lowest validation loss.
    LowestValidationLoss,
    /// The epoch with the highest validation accuracy.
    HighestValidationAccuracy,
    /// The last epoch.
    Last,
    /// The rule of the code that GraphPrivatizer shares with LPGNN.
    ///
    /// The first epoch is kept whatever its accuracies. A later one replaces it only if validation
    /// loss, validation accuracy and training accuracy are all strictly better than those of the
    /// kept epoch, validation accuracy is at most p and training accuracy at most 1.05·p: a model
    /// that predicts noisy labels better than that has learned the noise. As in that code, a first
    /// epoch above these bounds is never replaced.
    GraphPrivatizer {
        /// p, the probability that a label is reported unchanged.
        keep_probability: f64,
    },
}

/// Why a rule is invalid.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum KeepError {
    #[error("without validation nodes only the weights of the last epoch can be kept")]
    NoValidation,
    #[error("the probability to keep a label is {0}: it must be above 0 and at most 1")]
    Probability(f64),
}

impl Keep {
    /// Checks the rule; `validation` tells whether there are validation nodes.
    ///
    /// # Errors
    /// If the rule needs validation nodes and there are none, or a probability is out of range.
    pub fn check(self, validation: bool) -> Result<Best, KeepError> {
        match self {
            Keep::GraphPrivatizer { keep_probability } if !(keep_probability > 0.0 && keep_probability <= 1.0) => {
                Err(KeepError::Probability(keep_probability))
            }
            Keep::Last => Ok(Best { rule: self, kept: None, waited: 0 }),
            _ if validation => Ok(Best { rule: self, kept: None, waited: 0 }),
            _ => Err(KeepError::NoValidation),
        }
    }
}

/// The epoch kept so far.
#[derive(Clone, Copy, Debug)]
pub struct Best {
    rule: Keep,
    kept: Option<EpochMetrics>,
    waited: usize,
}

impl EpochMetrics {
    /// Whether no metric that the rule compares is NaN or missing.
    fn is_comparable(&self, rule: Keep) -> bool {
        let compared: &[Option<f64>] = match rule {
            Keep::LowestValidationLoss => &[self.validation_loss],
            Keep::HighestValidationAccuracy => &[self.validation_accuracy],
            Keep::Last => &[Some(self.train_loss)],
            Keep::GraphPrivatizer { .. } => {
                &[self.validation_loss, self.validation_accuracy, Some(self.train_accuracy)]
            }
        };
        compared.iter().all(|metric| metric.is_some_and(|number| !number.is_nan()))
    }

    fn beats(&self, kept: &EpochMetrics, rule: Keep) -> bool {
        match rule {
            Keep::LowestValidationLoss => self.validation_loss < kept.validation_loss,
            Keep::HighestValidationAccuracy => self.validation_accuracy > kept.validation_accuracy,
            Keep::Last => true,
            Keep::GraphPrivatizer { keep_probability } => {
                self.validation_loss < kept.validation_loss
                    && self.validation_accuracy > kept.validation_accuracy
                    && self.validation_accuracy <= Some(keep_probability)
                    && self.train_accuracy > kept.train_accuracy
                    && self.train_accuracy <= 1.05 * keep_probability
            }
        }
    }
}

impl Best {
    /// Whether to keep the weights of this epoch instead of those kept so far.
    pub fn consider(&mut self, epoch: &EpochMetrics) -> bool {
        let better = epoch.is_comparable(self.rule) && self.kept.is_none_or(|kept| epoch.beats(&kept, self.rule));
        if better {
            self.kept = Some(*epoch);
        }
        self.waited = if better { 0 } else { self.waited + 1 };
        better
    }

    /// How many epochs in a row were not kept.
    pub fn waited(&self) -> usize {
        self.waited
    }

    /// The kept epoch. `None` if the metrics of every epoch were NaN.
    pub fn kept(&self) -> Option<&EpochMetrics> {
        self.kept.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metrics(epoch: usize, (loss, accuracy, train_accuracy): (f64, f64, f64)) -> EpochMetrics {
        let (validation_loss, validation_accuracy) = (Some(loss), Some(accuracy));
        EpochMetrics { epoch, train_loss: 1.0, train_accuracy, validation_loss, validation_accuracy, seconds: 0.0 }
    }

    /// The kept epochs of a sequence of (validation loss, validation accuracy, training accuracy).
    fn kept(rule: Keep, epochs: &[(f64, f64, f64)]) -> Vec<usize> {
        let mut best = rule.check(true).unwrap();
        let epochs = epochs.iter().enumerate().map(|(epoch, &found)| metrics(epoch, found));
        let kept = epochs.filter(|metrics| best.consider(metrics)).map(|metrics| metrics.epoch).collect::<Vec<_>>();
        assert_eq!(best.kept().map(|metrics| metrics.epoch), kept.last().copied());
        kept
    }

    const NAN: f64 = f64::NAN;

    #[test]
    fn the_lowest_loss_is_kept_the_earlier_among_equals() {
        let epochs =
            [(NAN, 0.9, 0.5), (2.0, 0.5, 0.5), (2.0, 0.6, 0.6), (NAN, 0.9, 0.9), (1.0, 0.4, 0.5), (1.5, 1.0, 1.0)];
        assert_eq!(kept(Keep::LowestValidationLoss, &epochs), [1, 4]);
    }

    #[test]
    fn the_highest_accuracy_is_kept_the_earlier_among_equals() {
        let epochs = [(3.0, 0.5, 0.5), (NAN, 0.6, 0.5), (1.0, 0.6, 0.5), (1.0, NAN, 0.5), (9.0, 0.7, 0.1)];
        assert_eq!(kept(Keep::HighestValidationAccuracy, &epochs), [0, 1, 4]);
    }

    #[test]
    fn the_last_is_kept_unless_it_diverged() {
        let mut best = Keep::Last.check(false).unwrap();
        let metrics = |epoch, train_loss| {
            let (validation_loss, validation_accuracy) = (None, None);
            EpochMetrics { train_loss, validation_loss, validation_accuracy, ..metrics(epoch, (0.0, 0.0, 0.0)) }
        };
        assert!(best.kept().is_none());
        assert!(best.consider(&metrics(0, 1.0)) && best.consider(&metrics(1, 2.0)));
        assert!(!best.consider(&metrics(2, NAN)));
        assert_eq!(best.kept().unwrap().epoch, 1);
    }

    #[test]
    fn graph_privatizers_rule_requires_three_improvements_within_bounds() {
        let rule = Keep::GraphPrivatizer { keep_probability: 0.8 };
        let start = (2.0, 0.5, 0.5);
        assert_eq!(kept(rule, &[start, (1.0, 0.6, 0.6)]), [0, 1]);
        for not_better in
            [(2.0, 0.6, 0.6), (1.0, 0.5, 0.6), (1.0, 0.6, 0.5), (NAN, 0.6, 0.6), (1.0, NAN, 0.6), (1.0, 0.6, NAN)]
        {
            assert_eq!(kept(rule, &[start, not_better]), [0], "{not_better:?}");
        }
        assert_eq!(kept(rule, &[start, (1.0, 0.8, 0.84)]), [0, 1]);
        assert_eq!(kept(rule, &[start, (1.0, 0.8001, 0.6), (1.0, 0.6, 0.8401)]), [0]);
        // As in that code, the first epoch is kept even above the bounds, and nothing below them
        // replaces it.
        assert_eq!(kept(rule, &[(2.0, 0.9, 0.9), (1.0, 0.7, 0.7), (0.5, 0.95, 0.95)]), [0]);
        assert_eq!(kept(rule, &[(NAN, 0.9, 0.9), start]), [1]);
    }

    #[test]
    fn without_validation_only_the_last_epoch_can_be_kept() {
        for rule in [
            Keep::LowestValidationLoss,
            Keep::HighestValidationAccuracy,
            Keep::GraphPrivatizer { keep_probability: 0.5 },
        ] {
            assert_eq!(rule.check(false).unwrap_err(), KeepError::NoValidation);
        }
        for probability in [0.0, 1.01, -1.0, NAN] {
            let rule = Keep::GraphPrivatizer { keep_probability: probability };
            assert!(matches!(rule.check(true), Err(KeepError::Probability(_))), "{probability}");
        }
        assert!(Keep::GraphPrivatizer { keep_probability: 1.0 }.check(true).is_ok());
    }

    #[test]
    fn waiting_starts_anew_with_every_kept_epoch() {
        let mut best = Keep::LowestValidationLoss.check(true).unwrap();
        let waited = [2.0, 3.0, 1.0, 1.0, NAN].map(|loss| {
            best.consider(&metrics(0, (loss, 0.5, 0.5)));
            best.waited()
        });
        assert_eq!(waited, [0, 1, 0, 1, 2]);
    }
}
