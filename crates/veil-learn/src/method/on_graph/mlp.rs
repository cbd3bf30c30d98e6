//! The edge-free floor: an MLP on the features. It uses no edge, so it protects all of them
//! perfectly; a private method that is less accurate has no use (LPGNet, §2.3).

use veil_nn::Description;
use veil_privacy::parameters;
use veil_privacy::parameters::{Described, Parameters};
use veil_privacy::release::{EdgePlan, Privatised};

use super::network_input;
use crate::deployed::{Deployed, Surface};
use crate::error::LearnError;
use crate::fit::{Watch, check_training, fit_without_edges};
use crate::learn::{Learned, TrainingData};
use crate::method::{Entry, Method, MethodError, ModelState, Shape, configured, described_by_parameters};
use crate::parameters::{Mlp, Propagation, Recipe, Reports, Training};

/// The name of the method.
pub const NAME: &str = "mlp";

parameters! {
    /// Parameters of the MLP.
    pub struct Params: Network {}
    with {
        /// Features and labels.
        reports: Reports = Recipe::Lpgnet.reports(),
        /// The network.
        network: Mlp = Recipe::Lpgnet.mlp(),
        /// The training.
        training: Training = Recipe::Lpgnet.training(),
    }
}

impl Method for Params {
    described_by_parameters!();

    fn edges(&self, _nodes: u32, _classes: u32) -> Result<EdgePlan, MethodError> {
        Ok(EdgePlan::Withheld)
    }

    fn check(&self, Shape { features, classes, validated, .. }: Shape) -> Result<(), LearnError> {
        check_training(&self.training, &Propagation::default(), validated)?;
        self.network.description().check(features.ok_or(LearnError::NoFeatures)?, classes)?;
        Ok(())
    }

    fn learn(&self, data: &mut TrainingData<'_, '_>, seed: u64, watch: Watch<'_>) -> Result<Learned, LearnError> {
        let features = data.scaled.features(&data.joined)?.ok_or(LearnError::NoFeatures)?;
        let description = self.network.description();
        let fitted = fit_without_edges(description, &features, &data.labels, &self.training, seed, watch)?;
        Ok(Learned { stages: vec![fitted], scaled: data.scaled.clone(), readout: None })
    }

    fn deploy(&self, released: &Privatised, state: ModelState<'_>, _surface: Surface) -> Result<Deployed, LearnError> {
        let network = state.stages.last().ok_or(LearnError::NoNetwork)?;
        Deployed::of(network, &network_input(released.data(), state.scaled, false, 0)?)
    }
}

pub(in crate::method) fn entry() -> Entry {
    Entry::new(NAME, "MLP on the features: the edge-free baseline", configured::<Params>)
}
