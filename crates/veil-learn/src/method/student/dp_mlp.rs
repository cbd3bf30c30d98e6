//! DP-MLP: a network on features alone, learned by DP-SGD (Abadi et al. 2016), the baseline of the
//! papers on node privacy (GAP, DPDGC) that reads no edge.
//!
//! The private graph answers with noisy gradients ([`veil_privacy::answers::gradients`]); Adam
//! takes a step along each. The network itself is released, and labels the public nodes: no student
//! is trained on these labels. What the papers leave to a search on private data is fixed here, by
//! generated graphs: gradients are clipped at length 1, rows of features have one length, biases
//! would only be more numbers with noise.
//!
//! **Not the papers'.** Their answers are about test nodes of the private graph, which reads the
//! features of those nodes once more and is not counted; ours are about a public graph. The ε of
//! DPDGC's code is for replacing one training node's features and label (the noise is doubled), on
//! samples without replacement, at δ = 10⁻⁴ on Cora; ours is for adding or removing a node, so that
//! replacing one counts twice.

use veil_graph::{Dataset, Matrix, NodeId};
use veil_nn::optimiser::Schedule;
use veil_nn::training::TrainingError;
use veil_nn::{Activation, Description, Input, Kind as Layer, Model};
use veil_privacy::accounting::calibrate;
use veil_privacy::answers::gradients::{self, cost, scaled};
use veil_privacy::answers::{AnswerError, Asked, Kept, Layers, NoisyGradients};
use veil_privacy::parameters::{Described, Kind, Parameters};
use veil_privacy::release::{EdgePlan, Privatised};
use veil_privacy::{Epsilon, Guarantee, Permit, Private, Public, Status, Unit, parameters};

use super::{LabelSource, exact_delta};
use crate::deployed::{Deployed, Surface};
use crate::error::LearnError;
use crate::fit::{Fitted, Watch, adam, check_training};
use crate::learn::{Learned, TrainingData};
use crate::method::{Entry, Method, MethodError, ModelState, Shape, configured};
use crate::parameters::{Propagation, Reports, Select, Training};
use crate::scaled::Scaled;

/// The name of the method.
pub const NAME: &str = "dp-mlp";

parameters! {
    /// Parameters of DP-MLP. Those of the training were chosen on generated graphs.
    pub struct Params: Student {
        /// ε of a private node; determines the noise
        epsilon: Option<Epsilon> = None => Kind::Epsilon,
        /// δ of a private node
        delta: f64 = 1e-5 => Kind::Real,
        /// Sampling rate of private nodes per gradient
        gamma: f64 = 0.5 => Kind::Real,
    }
    with {
        /// The network.
        layer: Hidden = Hidden::default(),
        /// An epoch is as many gradients as sample every node once.
        training: Training = Training {
            epochs: 40,
            lr: 0.03,
            schedule: Schedule::LinearToZero,
            weight_decay: 0.0,
            select: Some(Select::Last),
        },
    }
}

parameters! {
    /// The network.
    pub struct Hidden: Network {
        /// Width of the hidden layer
        hidden: usize = 32 => Kind::Whole,
    }
}

impl Params {
    /// The number of noisy gradients.
    pub fn gradients(&self) -> u32 {
        (self.training.epochs as f64 / self.gamma).ceil().min(f64::from(u32::MAX)) as u32
    }

    fn description(&self) -> Description {
        Description {
            kind: Layer::Mlp,
            layers: 2,
            hidden: self.layer.hidden,
            heads: 1,
            activation: Activation::Relu,
            dropout: 0.0,
            batch_norm: false,
            bias: false,
        }
    }

    /// The mechanism with the noise that costs at most ε, checked against both graphs.
    ///
    /// # Errors
    /// If a parameter is missing or out of range, or the graphs do not fit together.
    pub fn mechanism(&self, private: &Public<'_>, asked: &Asked<'_>) -> Result<NoisyGradients, LearnError> {
        let (gamma, count) = (self.gamma, self.gradients());
        Ok(self.params(gamma, count)?.check(private, asked)?)
    }

    /// The parameters of the mechanism.
    ///
    /// # Errors
    /// If one is missing or out of range.
    pub fn params(&self, gamma: f64, gradients: u32) -> Result<gradients::Params, LearnError> {
        let epsilon = self.epsilon.ok_or(MethodError::Missing { method: NAME, name: "epsilon" })?;
        let delta = exact_delta(self.delta)?;
        if !(gamma > 0.0 && gamma <= 1.0) {
            return Err(AnswerError::BadGamma { given: gamma }.into());
        }
        let found = calibrate(epsilon.as_f64(), self.delta, |shift| cost(shift, gamma, gradients));
        // A decimal with nine places already.
        let shift = Epsilon::from_nanos((found.map_err(AnswerError::from)?.parameter * 1e9).round() as u64);
        let shift = shift.ok_or(MethodError::EpsilonTooSmall { method: NAME, given: epsilon.as_f64() })?;
        Ok(gradients::Params { hidden: self.layer.hidden as u32, gamma, gradients, shift, delta })
    }
}

impl Method for Params {
    fn name(&self) -> &'static str {
        NAME
    }

    fn list(&self) -> Vec<Described> {
        Parameters::list(self)
    }

    fn reports(&self) -> Option<&Reports> {
        None
    }

    fn training(&self) -> &Training {
        &self.training
    }

    fn edges(&self, _nodes: u32, _classes: u32) -> Result<EdgePlan, MethodError> {
        // The network reads no edge, of no graph.
        Ok(EdgePlan::Withheld)
    }

    fn check(&self, Shape { features, classes, .. }: Shape) -> Result<(), LearnError> {
        check_training(&self.training, &Propagation::default(), false)?;
        self.description().check(features.unwrap_or(0), classes)?;
        Ok(())
    }

    /// The network was learned when the gradients were released.
    fn closed_form(&self, released: &Privatised) -> Result<Option<Learned>, LearnError> {
        let layers = released.figures().network.as_ref().ok_or(LearnError::NoNetwork)?;
        let architecture = self.description().check(layers.first.rows(), layers.second.columns())?;
        let mut chosen = Model::new(architecture, 0);
        for (parameter, layer) in chosen.parameters_mut().into_iter().zip([&layers.first, &layers.second]) {
            parameter.value = layer.into();
        }
        let stages = vec![Fitted { last: chosen.clone(), chosen, history: Vec::new(), kept: 0 }];
        Ok(Some(Learned { stages, scaled: Scaled::default(), readout: None }))
    }

    fn learn(&self, _data: &mut TrainingData<'_, '_>, _seed: u64, _watch: Watch<'_>) -> Result<Learned, LearnError> {
        Err(LearnError::NoNetwork)
    }

    fn deploy(&self, released: &Privatised, state: ModelState<'_>, _surface: Surface) -> Result<Deployed, LearnError> {
        let network = state.stages.last().ok_or(LearnError::NoNetwork)?;
        let features = released.data().features().ok_or(LearnError::NoFeatures)?;
        Deployed::of(network, &Input::without_graph(scaled(features)?)?)
    }

    fn twin(&self) -> Description {
        self.description()
    }

    fn label_source<'a>(
        &self,
        private: &'a Private<Dataset>,
        public: &'a Dataset,
        seed: u64,
    ) -> Result<Option<Box<dyn LabelSource + 'a>>, LearnError> {
        Asked::apart(private, public)?;
        let facts = private.public();
        let (features, classes) = (facts.dimensions, facts.classes.unwrap_or(0) as usize);
        self.check(Shape { features, classes, validated: false, others: 0 })?;
        let queries: Vec<NodeId> = (0..public.nodes()).collect();
        let mechanism = self.mechanism(&facts, &Asked { public, queries: &queries })?;
        let architecture = self.description().check(features.unwrap_or(0), classes)?;
        let network = Model::new(architecture, seed);
        let training = self.training.clone();
        Ok(Some(Box::new(Descent { private, public, queries, mechanism, network, training })))
    }
}

/// A network that is ready to learn from a private graph.
#[derive(Debug)]
struct Descent<'a> {
    private: &'a Private<Dataset>,
    public: &'a Dataset,
    queries: Vec<NodeId>,
    mechanism: NoisyGradients,
    /// With its first weights.
    network: Model,
    training: Training,
}

impl LabelSource for Descent<'_> {
    fn guarantee(&self) -> &Guarantee {
        self.mechanism.guarantee()
    }

    fn queries(&self) -> &[NodeId] {
        &self.queries
    }

    fn teachers(&self, _missing: usize) -> u64 {
        0
    }

    fn answer(&self, permit: Permit, _kept: Kept, _done: &(dyn Fn() + Sync)) -> Result<Privatised, LearnError> {
        let asked = Asked { public: self.public, queries: &self.queries };
        let mut gradients = self.mechanism.begin(self.private, &asked, permit)?;
        let mut network = self.network.clone();
        let mut adam = adam(&self.training).check().map_err(TrainingError::from)?;
        let Training { schedule, lr, .. } = self.training;
        let all = gradients.left() as usize;
        for step in 0..all {
            let sums = gradients.next(&layers(&network)?)?;
            // In units of one clipped gradient: Adam needs no other, such as the number of nodes.
            let mut sums = sums.into_iter().map(|it| it as f32 / gradients::STEPS as f32);
            let mut parameters = network.parameters_mut();
            for parameter in &mut parameters {
                for row in 0..parameter.gradient.rows() {
                    parameter.gradient.row_mut(row).iter_mut().zip(&mut sums).for_each(|(out, sum)| *out = sum);
                }
            }
            adam.step(schedule.rate(lr, step, all), parameters);
        }
        Ok(gradients.finish(self.private, layers(&network)?)?)
    }
}

/// The weights of the network.
fn layers(network: &Model) -> Result<Layers, LearnError> {
    let layers: Vec<Matrix> = network.tensors().into_iter().map(|(_, tensor)| tensor.to_matrix()).collect();
    let two: [Matrix; 2] = layers.try_into().map_err(|_| LearnError::NoNetwork)?;
    let [first, second] = two;
    Ok(Layers::new(first, second)?)
}

pub(in crate::method) fn entry() -> Entry {
    let about = "Network on features alone, by DP-SGD on private nodes (published baseline)";
    let entry = Entry::new(NAME, about, configured::<Params>);
    let needs = "features, labels, public graph";
    Entry { unit: Some(Unit::Node), status: Status::Proven, needs, public_graph: true, ..entry }
}
