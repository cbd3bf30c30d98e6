//! ProGAP (Sajadmanesh and Gatica-Perez, WSDM 2024): [GAP](super) whose networks grow with the
//! hops.
//!
//! After every hop a network learns from everything received so far, and its hidden layer is what
//! nodes send in the next hop (Algorithm 1). What is released, its unit and its cost are those of
//! GAP.

use veil_nn::Description;
use veil_privacy::parameters::{Described, Kind, Parameters};
use veil_privacy::release::{EdgePlan, Privatised};
use veil_privacy::{Epsilon, Status, Unit, parameters};

use super::{Hops, sums};
use crate::deployed::{Deployed, Surface};
use crate::error::LearnError;
use crate::fit::Watch;
use crate::learn::{Learned, TrainingData, TrainingView};
use crate::method::{Entry, Method, MethodError, ModelState, Shape, configured, described_by_parameters, edge_free};
use crate::parameters::{Mlp, Recipe, Reports, Training};

/// The name of the method.
pub const NAME: &str = "progap";

parameters! {
    /// Parameters of ProGAP.
    pub struct Params: Edges {
        /// ε of the edges, for all hops together; inf: no noise
        epsilon_edges: Option<Epsilon> = None => Kind::Epsilon,
        /// δ of all hops together
        delta: f64 = 1e-5 => Kind::Real,
        /// Number of hops that share ε
        hops: u32 = 2 => Kind::Whole,
        /// Width of the representation that nodes send
        width: usize = 16 => Kind::Whole,
    }
    with {
        /// Features and labels.
        reports: Reports = Recipe::Lpgnet.reports(),
        /// Each network.
        network: Mlp = edge_free::network(),
        /// The training of each network.
        training: Training = edge_free::training(),
    }
}

impl Params {
    fn hops(&self) -> Hops<'_> {
        let Params { hops, width, network, training, .. } = self;
        Hops { hops: *hops, width: *width, progressive: true, network, training }
    }
}

impl Method for Params {
    described_by_parameters!();

    fn edges(&self, _nodes: u32, _classes: u32) -> Result<EdgePlan, MethodError> {
        sums(NAME, self.epsilon_edges, self.delta, self.hops)
    }

    fn check(&self, shape: Shape) -> Result<(), LearnError> {
        self.hops().check(shape)
    }

    fn learn(&self, data: &mut TrainingData<'_, '_>, seed: u64, watch: Watch<'_>) -> Result<Learned, LearnError> {
        let stages = self.hops().learn(data, seed, watch)?;
        Ok(Learned { stages, scaled: data.scaled.clone(), readout: None })
    }

    fn infer(&self, state: ModelState<'_>, graph: &mut TrainingView<'_, '_>) -> Result<(), LearnError> {
        self.hops().infer(state, graph)
    }

    fn deploy(&self, released: &Privatised, state: ModelState<'_>, _surface: Surface) -> Result<Deployed, LearnError> {
        Ok(Deployed::cached(self.hops().posteriors(released, state)?, released))
    }

    fn first_network_is_edge_free(&self) -> bool {
        true
    }

    fn networks(&self) -> u32 {
        self.hops.saturating_add(1)
    }
}

pub(in crate::method) fn entry() -> Entry {
    let about = "GAP with a network after every hop (ProGAP, WSDM 2024)";
    let entry = Entry::new(NAME, about, configured::<Params>);
    Entry { unit: Some(Unit::Edge), status: Status::Proven, ..entry }
}
