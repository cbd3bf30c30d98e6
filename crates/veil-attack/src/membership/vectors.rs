//! A small network that reads sorted posteriors: what do they look like if the model learned from
//! the node?
//!
//! Sorted posteriors show how certain the model is, but not of which class, so that one classifier
//! serves all classes (Salem et al. 2019, adversary 1). It reads their logarithms, because the
//! posteriors of an overfitted model differ in their last digits.

use std::ops::ControlFlow;

use veil_graph::{Features, Matrix, Moments, NodeId};
use veil_nn::loss::{Loss, Targets};
use veil_nn::training::{self, Options, Task};
use veil_nn::{Activation, Description, Input, Kind, Model, optimiser};

use super::{Answers, MembershipError, Role, Shadow};

/// Smaller probabilities are read as this one.
const FLOOR: f32 = 1e-12;
const EPOCHS: usize = 200;
const HIDDEN: usize = 32;
const LEARNING_RATE: f64 = 0.01;

/// A trained classifier.
pub(super) struct Classifier {
    model: Model,
    moments: Moments,
}

impl Classifier {
    /// Learns from the answers of shadows about their members and others.
    pub(super) fn train(shadows: &[Shadow], seed: u64) -> Result<Classifier, MembershipError> {
        let columns = shadows.first().map_or(0, |shadow| shadow.pool.columns());
        let (mut values, mut targets) = (Vec::new(), Vec::new());
        for shadow in shadows {
            for (node, &role) in shadow.roles.iter().enumerate().filter(|(_, role)| **role != Role::Validation) {
                targets.push((targets.len() as NodeId, u32::from(role == Role::Member)));
                values.extend(sorted(shadow.pool.row(node)));
            }
        }
        let rows = targets.len();
        let features = Features::Dense(Matrix::from_values(rows, columns, values).map_err(failed)?);
        let moments = features.moments(0..rows as NodeId);
        let description = Description {
            kind: Kind::Mlp,
            hidden: HIDDEN,
            activation: Activation::Relu,
            dropout: 0.0,
            ..Description::default()
        };
        let mut model = Model::new(description.check(columns, 2).map_err(failed)?, seed);
        let task = Task::new(Loss::cross_entropy(Targets::new(targets, rows, 2).map_err(failed)?), None);
        let adam = optimiser::Params { learning_rate: LEARNING_RATE, ..optimiser::Params::default() };
        let options = Options { epochs: EPOCHS, adam, seed, ..Options::default() };
        let unwatched = &mut |_: &_| ControlFlow::Continue(());
        training::train(&mut model, &input(&features, &moments)?, &task.map_err(failed)?, options, unwatched)
            .map_err(failed)?;
        Ok(Classifier { model, moments })
    }

    /// The log odds of being a member.
    pub(super) fn ratings(&self, answers: &Answers) -> Result<Vec<f64>, MembershipError> {
        let values = (0..answers.len()).flat_map(|node| sorted(answers.row(node))).collect();
        let features = Matrix::from_values(answers.len(), answers.columns(), values).map_err(failed)?;
        let input = input(&Features::Dense(features), &self.moments)?;
        let posteriors = self.model.posteriors(&input).map_err(failed)?.to_matrix();
        let log = |p: f32| f64::from(p).max(f64::from(f32::MIN_POSITIVE)).ln();
        Ok((0..posteriors.rows()).map(|row| log(posteriors.row(row)[1]) - log(posteriors.row(row)[0])).collect())
    }
}

fn input(features: &Features, moments: &Moments) -> Result<Input, MembershipError> {
    Input::without_graph(features.standardised(moments).map_err(failed)?).map_err(failed)
}

fn sorted(posterior: &[f32]) -> Vec<f32> {
    let mut values: Vec<f32> = posterior.iter().map(|value| value.max(FLOOR).ln()).collect();
    values.sort_unstable_by(|left, right| right.total_cmp(left));
    values
}

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> MembershipError {
    MembershipError::Classifier(Box::new(error))
}
