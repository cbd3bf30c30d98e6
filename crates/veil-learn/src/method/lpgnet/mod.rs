//! LPGNet (Kolluri et al., CCS 2022): a stack of MLPs that read edges only as noisy counts.
//!
//! **Training (Algorithm 2).** The first MLP reads features. Its most likely classes are clusters;
//! the owner counts every node's neighbours in each cluster, with noise (Algorithm 4:
//! [`degree_vectors`], unit *edge*, ε/n_l). The next MLP
//! reads the scores of all earlier ones and all counts so far, and so on for n_l stages. Counts are
//! kept in the run folder: training, validation on the same graph and every later query use the
//! same ones, so nothing more is ever spent on this graph. Where validation nodes are in another
//! graph, its counts are made and paid for separately (lines 15–24).
//!
//! **Inference (Algorithm 3).** On a new graph the same MLPs run in turn; counts are made per stage
//! at the same price, and kept likewise. Only the scores of the last MLP are published.
//!
//! **Negative counts.** A count below 0 can only be noise and is read as 0. The published code also
//! gives a row of zeros a random 1; here such a row stays as it is: a made-up neighbour carries no
//! information, and chance is kept out of prediction. Both are post-processing.
//!
//! **Without features** the first stage starts from the frequencies of the released labels:
//! `labels`. Then there is no inference on a new graph, whose nodes nothing distinguishes.
//!
//! **Readout.** With `readout = bayes` no network reads counts: `bayes` does, from the same
//! release and so with the same guarantee. It is better where ε is small, labels are few and nodes
//! have few neighbours (Cora, Citeseer), and worse on a dense graph with more labels (Amazon
//! Computers), where a network has enough to learn from. Where validation labels say that counts
//! hurt, it answers as its first network does.

pub(crate) mod bayes;
mod counts;
mod labels;
mod readout;

use veil_graph::limits::MOST_ROUNDS;
use veil_graph::{Features, Matrix};
use veil_nn::{Description, Input, Model};
use veil_privacy::parameters::{Described, Kind, Parameters, Settings};
use veil_privacy::protocol::degree_vectors;
use veil_privacy::release::{EdgePlan, Privatised, Question};
use veil_privacy::{Epsilon, Guarantee, Status, Unit, parameters};

use super::{
    Entry, Facts, Method, MethodError, ModelState, Other, Shape, configured, described_by_parameters, most_likely,
    settings_of,
};
use crate::deployed::{Deployed, Surface};
use crate::error::LearnError;
use crate::fit::{Fitted, Watch, check_training, fit_without_edges};
use crate::learn::{Learned, TrainingData, TrainingView};
use crate::parameters::{Mlp, Propagation, Readout, Recipe, Reports, Training};
use crate::scaled::Scaled;
use bayes::Bayes;
use counts::stage_features;

/// The name of the method.
pub const NAME: &str = "lpgnet";

parameters! {
    /// Parameters of LPGNet.
    pub struct Params: Edges {
        /// ε of the edges, shared by all stages; inf: no noise
        epsilon_edges: Option<Epsilon> = None => Kind::Epsilon,
        /// Number of stages n_l that share ε [1; readout bayes: 2 if ε ≥ 6]
        stages: Option<u32> = None => Kind::Whole,
        /// Readout of the noisy counts
        readout: Readout = Readout::Network => Kind::Word(Readout::WORDS),
    }
    with {
        /// Features and labels.
        reports: Reports = Recipe::Lpgnet.reports(),
        /// Each network.
        network: Mlp = Recipe::Lpgnet.mlp(),
        /// The training of each network.
        training: Training = Recipe::Lpgnet.training(),
    }
}

impl Params {
    fn stages(&self) -> u32 {
        self.stages.unwrap_or_else(|| match (self.readout, self.epsilon_edges) {
            (Readout::Bayes, Some(epsilon)) => bayes::rounds(epsilon.as_f64()),
            _ => 1,
        })
    }

    /// The noise of each count.
    fn noise(&self) -> bayes::Noise {
        match self.epsilon_edges.filter(|epsilon| epsilon.is_finite()) {
            None => bayes::Noise::None,
            Some(epsilon) => {
                let share = epsilon.divided_by(self.stages()).unwrap_or(epsilon);
                bayes::Noise::Laplace { step: share.as_f64() / degree_vectors::SENSITIVITY_TO_AN_EDGE as f64 }
            }
        }
    }

    fn stack(&self) -> Stack<'_> {
        Stack { central: true, reads_features: true, network: &self.network, training: &self.training }
    }
}

impl Method for Params {
    described_by_parameters!();

    fn decided(&self, facts: Facts) -> Result<Settings, LearnError> {
        let mut settings = Method::settings(self);
        let select = self.training.select.unwrap_or_else(|| Recipe::Lpgnet.select(facts.validated));
        settings.insert("select", select.name());
        settings.insert("stages", self.stages());
        Ok(settings)
    }

    fn edges(&self, _nodes: u32, classes: u32) -> Result<EdgePlan, MethodError> {
        // One cluster per class.
        vectors(NAME, self.epsilon_edges, self.stages(), Unit::Edge, classes.max(1))
    }

    fn check(&self, Shape { features, classes, validated, .. }: Shape) -> Result<(), LearnError> {
        check_training(&self.training, &Propagation::default(), validated)?;
        // Without features the first network reads a constant: see `labels`.
        let inputs = match self.readout {
            Readout::Bayes => features.ok_or(LearnError::NoFeatures)?,
            Readout::Network => features.unwrap_or(1),
        };
        self.network.description().check(inputs, classes)?;
        if self.readout == Readout::Bayes && !validated {
            return Err(LearnError::NoValidationLabels);
        }
        Ok(())
    }

    fn check_other(&self, other: Other) -> Result<(), LearnError> {
        // Nothing distinguishes the nodes of a graph without labels and features.
        if other.validates || other.features { Ok(()) } else { Err(LearnError::NoFeatures) }
    }

    fn learn(&self, data: &mut TrainingData<'_, '_>, seed: u64, watch: Watch<'_>) -> Result<Learned, LearnError> {
        let scaled = data.scaled.clone();
        if self.readout == Readout::Network {
            return Ok(Learned { stages: self.stack().train(data, seed, watch)?, scaled, readout: None });
        }
        let features = scaled.features(&data.joined)?.ok_or(LearnError::NoFeatures)?;
        let description = self.network.description();
        let first = fit_without_edges(description, &features, &data.labels, &self.training, seed, watch)?;
        let bayes = readout::learn(data, self.stages(), self.noise(), &first.chosen)?;
        // Numbers and lists of numbers can be written.
        let readout = serde_json::to_value(&bayes).ok();
        Ok(Learned { stages: vec![first], scaled, readout })
    }

    fn infer(&self, state: ModelState<'_>, graph: &mut TrainingView<'_, '_>) -> Result<(), LearnError> {
        match (read_bayes(state.readout), state.stages) {
            (Some(bayes), [first, ..]) => {
                readout::infer(graph, state.scaled, (self.stages(), self.noise()), first, &bayes)
            }
            _ => self.stack().infer(graph, state),
        }
    }

    fn deploy(&self, released: &Privatised, state: ModelState<'_>, _surface: Surface) -> Result<Deployed, LearnError> {
        let posteriors = match (read_bayes(state.readout), state.stages) {
            (Some(bayes), [first, ..]) => readout::posteriors(released, state.scaled, self.noise(), first, &bayes)?,
            _ => self.stack().posteriors(released, state)?,
        };
        Ok(Deployed::cached(posteriors, released))
    }

    fn first_network_is_edge_free(&self) -> bool {
        true
    }

    fn check_readout(&self, readout: Option<&serde_json::Value>, classes: usize) -> Result<(), String> {
        let rounds = self.stages() as usize;
        match (self.readout, read_bayes(readout)) {
            (Readout::Network, _) => Ok(()),
            (Readout::Bayes, Some(bayes)) if bayes.fits(classes, rounds) => Ok(()),
            _ => Err(format!(
                "expected {rounds} rounds with means above 0 for each of {classes} classes and clusters, and finite weights"
            )),
        }
    }

    fn networks(&self) -> u32 {
        if self.readout == Readout::Bayes { 1 } else { self.stages().saturating_add(1) }
    }
}

pub(super) fn entry() -> Entry {
    let about = "MLPs on noisy cluster degree vectors (LPGNet, CCS 2022)";
    let entry = Entry::new(NAME, about, configured::<Params>);
    Entry { unit: Some(Unit::Edge), status: Status::Proven, recognise: Box::new(recognise), ..entry }
}

fn recognise(guarantee: &Guarantee) -> Option<Settings> {
    let own = guarantee.mechanism == degree_vectors::NAME && guarantee.unit == Unit::Edge;
    own.then(|| settings_of(guarantee, [("stages", "rounds")]))
}

fn read_bayes(readout: Option<&serde_json::Value>) -> Option<Bayes> {
    serde_json::from_value(readout?.clone()).ok()
}

/// A release of degree vectors in rounds that share ε.
pub(super) fn vectors(
    method: &'static str,
    epsilon: Option<Epsilon>,
    rounds: u32,
    unit: Unit,
    clusters: u32,
) -> Result<EdgePlan, MethodError> {
    let epsilon = epsilon.ok_or(MethodError::Missing { method, name: "epsilon-edges" })?;
    if rounds > MOST_ROUNDS {
        return Err(MethodError::TooManyRounds { rounds, limit: MOST_ROUNDS });
    }
    let checked = degree_vectors::Params { epsilon, rounds, unit, clusters }.check();
    let mechanism = degree_vectors::NAME;
    checked.map(EdgePlan::Vectors).map_err(|source| MethodError::Mechanism { mechanism, source })
}

/// A stack of MLPs on degree vectors, in the central model or, in
/// [`degree_vectors`](super::degree_vectors), the local one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stack<'a> {
    /// Whether the owner counts per predicted class from the first round on; otherwise users begin
    /// with released labels.
    pub central: bool,
    /// Whether the first network reads released features.
    pub reads_features: bool,
    pub network: &'a Mlp,
    pub training: &'a Training,
}

impl Stack<'_> {
    /// Algorithm 2, on one graph or on two (the second one validates: lines 15–24).
    pub fn train(
        &self,
        data: &mut TrainingData<'_, '_>,
        seed: u64,
        watch: Watch<'_>,
    ) -> Result<Vec<Fitted>, LearnError> {
        let TrainingData { graphs, labels: reported, scaled, .. } = data;
        let mut stages: Vec<Fitted> = Vec::new();
        let mut scores: Vec<Vec<Matrix>> = vec![Vec::new(); graphs.len()];
        loop {
            // The input of this stage: features, or all earlier scores and counts.
            let input = |(graph, scores): (&TrainingView<'_, '_>, &Vec<Matrix>)| {
                stage_features(self, graph.released, scaled, stages.len(), scores)
            };
            let inputs = graphs.iter().zip(&scores).map(input).collect::<Result<Vec<Features>, LearnError>>()?;
            let (first, others) = inputs.split_first().ok_or(LearnError::NoVectors)?;
            let joined = others.iter().try_fold(first.clone(), |joined, other| joined.stacked(other))?;
            let seed = seed.wrapping_add(stages.len() as u64);
            let description = self.network.description();
            let fitted = fit_without_edges(description, &joined, reported, self.training, seed, watch)?;
            // Its scores, and the counts per predicted class for the next stage, if one is left.
            let mut complete = false;
            for ((graph, scores), features) in graphs.iter_mut().zip(&mut scores).zip(inputs) {
                let input = Input::without_graph(features)?;
                scores.push(fitted.chosen.predict(&input)?.to_matrix());
                if graph.released.vectors().len() >= self.rounds_before(scores.len()) {
                    continue;
                }
                let data = graph.released.data();
                let clusters = if self.central && stages.is_empty() && data.features().is_none() {
                    labels::clusters(data, seed)?
                } else if self.central {
                    most_likely(&fitted.chosen.posteriors(&input)?.to_matrix())
                } else {
                    most_likely(&reported.weighed(fitted.chosen.posteriors(&input)?.to_matrix(), data.labels()))
                };
                complete |= !graph.request(Question::Clusters(&clusters))?;
            }
            stages.push(fitted);
            if complete {
                return Ok(stages);
            }
        }
    }

    /// Algorithm 3: runs trained networks on a new graph, and requests the rounds that they need.
    pub fn infer(&self, graph: &mut TrainingView<'_, '_>, state: ModelState<'_>) -> Result<(), LearnError> {
        let mut scores = Vec::new();
        let ModelState { stages, scaled, .. } = state;
        if self.central && graph.released.data().features().is_none() {
            // Nothing distinguishes the nodes of a new graph.
            return Err(LearnError::NoFeatures);
        }
        for (stage, model) in stages.iter().enumerate().take(stages.len().saturating_sub(1)) {
            let features = stage_features(self, graph.released, scaled, stage, &scores)?;
            let input = Input::without_graph(features)?;
            scores.push(model.predict(&input)?.to_matrix());
            let clusters = most_likely(&model.posteriors(&input)?.to_matrix());
            let present = graph.released.vectors().len() >= self.rounds_before(stage + 1);
            if !present && !graph.request(Question::Clusters(&clusters))? {
                return Err(LearnError::NoVectors);
            }
        }
        Ok(())
    }

    /// The posteriors of the last network, for every node of a graph whose rounds are complete.
    pub fn posteriors(&self, released: &Privatised, state: ModelState<'_>) -> Result<Matrix, LearnError> {
        let (last, earlier) = state.stages.split_last().ok_or(LearnError::NoNetwork)?;
        let input = self.last_input(released, state.scaled, earlier)?;
        Ok(last.posteriors(&input)?.to_matrix())
    }

    fn last_input(&self, released: &Privatised, scaled: &Scaled, earlier: &[Model]) -> Result<Input, LearnError> {
        let mut scores = Vec::new();
        for (stage, model) in earlier.iter().enumerate() {
            let input = Input::without_graph(stage_features(self, released, scaled, stage, &scores)?)?;
            scores.push(model.predict(&input)?.to_matrix());
        }
        Ok(Input::without_graph(stage_features(self, released, scaled, earlier.len(), &scores)?)?)
    }

    /// How many rounds of counts a stage reads: in the central model the first one reads none.
    fn rounds_before(&self, stage: usize) -> usize {
        if self.central { stage } else { stage + 1 }
    }
}
