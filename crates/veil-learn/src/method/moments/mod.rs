//! A linear model from noisy moments of whole nodes (ours): node level without a public graph.
//!
//! The owner releases sums over the training nodes ([`moments`]): of their rows, of products of
//! their coordinates, and per class. `ridge` computes from them the model that is closest to the
//! classes. Edges are not read: in a sketch, neighbours' counts at this level cost more than they
//! gave.
//!
//! No node is in the release, so the model answers about none of them: it may be published, and
//! each node applies it to its own features. The owner's run holds such answers where only the
//! owner looks ([`owner`](crate::run::owner)); other graphs whose features are public are answered
//! as by any model.
//!
//! A row is a node's features scaled to length 1; the mean is subtracted by the bias of the model,
//! because a second scaling changes the scores of a node by one factor, and not their order.
//!
//! **Constants.** The ridge is a multiple of the spectral norm of the noise, and classes are
//! weighed by a power of their frequency. Both were chosen on generated graphs, see `tests`.

mod ridge;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use veil_graph::{Features, Matrix};
use veil_nn::training::EpochMetrics;
use veil_nn::{Description, Input, Model};
use veil_privacy::central::moments::{self, Adjacency, Moments, NoisyMoments, Projection, STEPS};
use veil_privacy::parameters::{Described, Kind, Parameters, Settings};
use veil_privacy::release::{EdgePlan, Privatised};
use veil_privacy::{Epsilon, Status, Unit, parameters};

use super::student::exact_delta;
use super::{Entry, Facts, Method, MethodError, ModelState, Shape, configured};
use crate::deployed::{Deployed, Surface};
use crate::error::LearnError;
use crate::fit::{Fitted, Watch};
use crate::learn::{Learned, TrainingData};
use crate::parameters::{Mlp, Reports, Training};
use crate::scaled::Scaled;

/// The name of the method.
pub const NAME: &str = "moments";

parameters! {
    /// Parameters of moments.
    pub struct Params: Nodes {
        /// ε of a node; inf: no noise
        epsilon: Option<Epsilon> = None => Kind::Epsilon,
        /// δ of a node
        delta: f64 = 1e-5 => Kind::Real,
        /// How adjacent inputs differ: a node is added or removed, or it is replaced by another one
        adjacency: Adjacency = Adjacency::Added => Kind::Word(Adjacency::WORDS),
        /// Largest number of dimensions; wider features are projected
        dimensions: u32 = 2048 => Kind::Whole,
    }
}

impl Params {
    fn mechanism(&self) -> Result<Moments, MethodError> {
        let epsilon = self.epsilon.ok_or(MethodError::Missing { method: NAME, name: "epsilon" })?;
        let Params { adjacency, dimensions, .. } = *self;
        let params = moments::Params { epsilon, delta: exact_delta(self.delta)?, adjacency, dimensions, steps: STEPS };
        params.check().map_err(|source| MethodError::Mechanism { mechanism: moments::NAME, source })
    }

    /// The model that follows from a release of moments.
    fn solved(&self, found: &NoisyMoments, columns: usize) -> Result<Model, LearnError> {
        let mechanism = self.mechanism()?;
        let projection = self.projection(columns);
        if projection.width() != found.width() {
            return Err(LearnError::OtherFeatures { found: projection.width(), expected: found.width() });
        }
        let linear = ridge::solve(&mechanism, found);
        let mut model = Model::new(network().check(columns, linear.bias.len())?, 0);
        if let [weights, bias] = &mut model.parameters_mut()[..] {
            for column in 0..columns {
                let row = weights.value.row_mut(column);
                row.fill(0.0);
                for (place, factor) in projection.places(column) {
                    let of_place = &linear.weights[place];
                    row.iter_mut().zip(of_place).for_each(|(out, it)| *out += (factor * it) as f32);
                }
            }
            bias.value.row_mut(0).iter_mut().zip(&linear.bias).for_each(|(out, &it)| *out = it as f32);
        }
        Ok(model)
    }

    fn projection(&self, columns: usize) -> Projection {
        Projection::new(columns, self.dimensions as usize)
    }
}

/// One layer of linear maps.
fn network() -> Description {
    Mlp { layers: 1, hidden: 1, bias: true, batch_norm: false, dropout: 0.0 }.description()
}

impl Method for Params {
    fn name(&self) -> &'static str {
        NAME
    }

    fn list(&self) -> Vec<Described> {
        Parameters::list(self)
    }

    fn decided(&self, _facts: Facts) -> Result<Settings, LearnError> {
        // No epoch is chosen.
        Ok(Method::settings(self))
    }

    fn reports(&self) -> Option<&Reports> {
        None
    }

    fn training(&self) -> &Training {
        static NONE: OnceLock<Training> = OnceLock::new();
        NONE.get_or_init(|| Training { epochs: 0, ..Training::default() })
    }

    fn edges(&self, _nodes: u32, _classes: u32) -> Result<EdgePlan, MethodError> {
        self.mechanism().map(EdgePlan::Moments)
    }

    fn check(&self, Shape { features, classes, .. }: Shape) -> Result<(), LearnError> {
        network().check(features.ok_or(LearnError::NoFeatures)?, classes)?;
        Ok(())
    }

    fn closed_form(&self, released: &Privatised) -> Result<Option<Learned>, LearnError> {
        let columns = released.data().features().map(Features::columns).ok_or(LearnError::NoFeatures)?;
        let found = released.figures().moments.as_ref().ok_or(LearnError::NoRows)?;
        let model = self.solved(found, columns)?;
        let fitted = Fitted { chosen: model.clone(), last: model, history: Vec::<EpochMetrics>::new(), kept: 0 };
        Ok(Some(Learned { stages: vec![fitted], scaled: Scaled::default(), readout: None }))
    }

    fn learn(&self, _data: &mut TrainingData<'_, '_>, _seed: u64, _watch: Watch<'_>) -> Result<Learned, LearnError> {
        // Labels are not released: the model follows in closed form or not at all.
        Err(LearnError::NoRows)
    }

    fn deploy(&self, released: &Privatised, state: ModelState<'_>, _surface: Surface) -> Result<Deployed, LearnError> {
        let model = state.stages.last().ok_or(LearnError::NoNetwork)?;
        match released.data().features().filter(|features| features.rows() > 0) {
            Some(features) => Deployed::of(model, &Input::without_graph(features.with_rows_of_length(1.0, None)?)?),
            // Whole nodes are protected: there is nobody to answer about.
            None => Ok(Deployed::cached(Matrix::zeros(0, model.architecture().classes()), released)),
        }
    }

    fn twin(&self) -> Description {
        network()
    }
}

pub(super) fn entry() -> Entry {
    let about = "Linear model from noisy moments of whole nodes, no edges and no public graph (ours)";
    let entry = Entry::new(NAME, about, configured::<Params>);
    Entry { unit: Some(Unit::Node), status: Status::Proven, ..entry }
}
