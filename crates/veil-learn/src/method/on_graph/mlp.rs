//! The edge-free floor: an MLP on the features. It uses no edge, so it protects all of them
//! perfectly; a private method that is less accurate has no use (LPGNet, §2.3).

use std::sync::Arc;

use veil_nn::Description;
use veil_privacy::parameters;
use veil_privacy::parameters::{Described, Parameters, Settings};
use veil_privacy::release::{EdgePlan, Privatised};

use super::network_input;
use crate::deployed::{Deployed, Surface};
use crate::error::LearnError;
use crate::fit::{Watch, check_training, fit_without_edges};
use crate::learn::{Learned, TrainingData};
use crate::method::{Entry, Facts, Method, MethodError, ModelState, Shape};
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
    fn name(&self) -> &'static str {
        NAME
    }

    fn list(&self) -> Vec<Described> {
        Parameters::list(self)
    }

    fn decided(&self, facts: Facts) -> Result<Settings, LearnError> {
        let mut settings = Method::settings(self);
        let select = self.training.select.unwrap_or_else(|| Recipe::Lpgnet.select(facts.validated));
        settings.insert("select", select.name());
        Ok(settings)
    }

    fn reports(&self) -> Option<&Reports> {
        Some(&self.reports)
    }

    fn training(&self) -> &Training {
        &self.training
    }

    fn edges(&self, _nodes: u32, _classes: u32) -> Result<EdgePlan, MethodError> {
        Ok(EdgePlan::Withheld)
    }

    fn check(&self, Shape { features, classes, validated }: Shape) -> Result<(), LearnError> {
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

    fn twin(&self) -> Description {
        self.network.description()
    }
}

pub(in crate::method) fn entry() -> Entry {
    Entry::new(NAME, "MLP on the features: the edge-free baseline", |settings| {
        let mut params = Params::default();
        params.apply(settings)?;
        Ok(Arc::new(params))
    })
}
