//! GAP (Sajadmanesh, Shamsabadi, Bellet and Gatica-Perez, USENIX Security 2023): noisy sums over
//! neighbours, hop by hop, read by a network.
//!
//! 1. **Encoder.** An MLP learns from public features and training labels; the representation of a
//!    node is its hidden layer (Section 4.1), scaled to length 1.
//! 2. **Hops** (Algorithm 1). Each node receives the noisy sum of its neighbours' representations
//!    ([`neighbour_sums`]); scaled to length 1, it is what the node sends in the next hop.
//! 3. **Classifier.** An MLP reads the representations of all hops beside each other.
//!
//! `progap` trains a network after every hop on everything received so far, and sends its hidden
//! layer (ProGAP, WSDM 2024, Algorithm 1): the same release, so the same cost.
//!
//! [`dpdgc`] reads noisy sums and features apart (DPDGC, NeurIPS 2023): the same release again.
//!
//! **Unit.** One undirected edge is in two sums, so the sensitivity of a hop is √2. The published
//! code counts 1: what it calls ε is less than what it costs (docs/guarantees.md). ε here is the
//! true one. Rows of a hop stay with the release, so predictions cost nothing more.

pub mod dpdgc;

use std::sync::Arc;

use veil_graph::{Features, Matrix};
use veil_nn::{Description, Input, Model};
use veil_privacy::central::neighbour_sums::{self, Messages, STEPS};
use veil_privacy::parameters::{Described, Kind, Parameters};
use veil_privacy::protocol::degree_vectors::Counts;
use veil_privacy::release::{EdgePlan, Privatised, Question};
use veil_privacy::{Epsilon, Status, Unit, parameters};

use super::student::exact_delta;
use super::{Entry, Method, MethodError, ModelState, Shape, edge_free};
use crate::deployed::{Deployed, Surface};
use crate::error::LearnError;
use crate::fit::{Fitted, ReportedLabels, Watch, check_training, fit_without_edges};
use crate::learn::{Learned, TrainingData, TrainingView};
use crate::parameters::{Mlp, Propagation, Recipe, Reports, Training};
use crate::scaled::Scaled;

/// The name of the method.
pub const NAME: &str = "gap";
/// The name of the method that trains a network after every hop.
pub const PROGRESSIVE: &str = "progap";

/// More hops than share an ε usefully.
const MOST_HOPS: u32 = 16;

/// Representations have length 1; networks read them at this length, as rows of features.
const LENGTH: f32 = 4.0;

parameters! {
    /// Parameters of GAP and ProGAP.
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

/// GAP or ProGAP with its parameters.
#[derive(Clone, Debug)]
struct Aggregation {
    name: &'static str,
    /// Whether a network is trained after every hop (ProGAP).
    progressive: bool,
    params: Params,
}

impl Aggregation {
    fn hops(&self) -> Hops<'_> {
        let Params { hops, width, network, training, .. } = &self.params;
        Hops { hops: *hops, width: *width, progressive: self.progressive, network, training }
    }

    /// One of the two as an entry of the registry.
    fn entry(name: &'static str, about: &'static str, progressive: bool) -> Entry {
        let entry = Entry::new(name, about, move |settings| {
            let mut params = Params::default();
            params.apply(settings)?;
            Ok(Arc::new(Aggregation { name, progressive, params }))
        });
        // A release of sums lacks the encoder that made its messages, so nothing learns from it
        // again.
        Entry { unit: Some(Unit::Edge), status: Status::Proven, ..entry }
    }
}

impl Method for Aggregation {
    fn name(&self) -> &'static str {
        self.name
    }

    fn list(&self) -> Vec<Described> {
        self.params.list()
    }

    fn reports(&self) -> Option<&Reports> {
        Some(&self.params.reports)
    }

    fn training(&self) -> &Training {
        &self.params.training
    }

    fn twin(&self) -> Description {
        self.params.network.description()
    }

    fn edges(&self, _nodes: u32, _classes: u32) -> Result<EdgePlan, MethodError> {
        sums(self.name, self.params.epsilon_edges, self.params.delta, self.params.hops)
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
        if self.progressive { self.params.hops.saturating_add(1) } else { 2 }
    }
}

pub(super) fn entry() -> Entry {
    Aggregation::entry(NAME, "Noisy sums of neighbours' representations (GAP, USENIX Security 2023)", false)
}

/// ProGAP (Sajadmanesh and Gatica-Perez, WSDM 2024).
pub(super) fn progressive() -> Entry {
    Aggregation::entry(PROGRESSIVE, "GAP with a network after every hop (ProGAP, WSDM 2024)", true)
}

/// A release of sums in hops that share ε and δ.
fn sums(method: &'static str, epsilon: Option<Epsilon>, delta: f64, hops: u32) -> Result<EdgePlan, MethodError> {
    let epsilon = epsilon.ok_or(MethodError::Missing { method, name: "epsilon-edges" })?;
    if hops > MOST_HOPS {
        return Err(MethodError::TooManyRounds { rounds: hops, limit: MOST_HOPS });
    }
    let checked = neighbour_sums::Params { epsilon, delta: exact_delta(delta)?, hops, steps: STEPS }.check();
    let mechanism = neighbour_sums::NAME;
    checked.map(EdgePlan::Sums).map_err(|source| MethodError::Mechanism { mechanism, source })
}

/// How networks and hops alternate.
#[derive(Clone, Copy, Debug)]
struct Hops<'a> {
    hops: u32,
    width: usize,
    /// Whether a network is trained after every hop.
    progressive: bool,
    network: &'a Mlp,
    training: &'a Training,
}

/// What is known about the nodes of one graph.
#[derive(Clone, Debug)]
struct Known {
    /// Representations, hop by hop, each scaled to length 1.
    received: Vec<Matrix>,
    /// What nodes send next.
    sent: Matrix,
}

impl Known {
    fn new(sent: Matrix) -> Known {
        Known { received: vec![sent.clone()], sent }
    }

    /// Takes in the rows of a hop.
    fn hear(&mut self, rows: &Counts) {
        let mut matrix = Matrix::zeros(rows.nodes(), rows.clusters());
        matrix.values_mut().iter_mut().zip(rows.values()).for_each(|(out, &it)| *out = it as f32);
        self.sent = unit_rows(matrix);
        self.received.push(self.sent.clone());
    }

    /// What a network reads: everything received, side by side.
    fn features(&self) -> Features {
        let (nodes, width) = (self.sent.rows(), self.received.iter().map(Matrix::columns).sum());
        let mut all = Matrix::zeros(nodes, width);
        for node in 0..nodes {
            let values = self.received.iter().flat_map(|hop| hop.row(node));
            all.row_mut(node).iter_mut().zip(values).for_each(|(out, it)| *out = LENGTH * it);
        }
        Features::Dense(all)
    }
}

/// Rows scaled to length 1; those without a direction stay 0.
fn unit_rows(mut matrix: Matrix) -> Matrix {
    for row in 0..matrix.rows() {
        let row = matrix.row_mut(row);
        let length = row.iter().map(|&it| f64::from(it).powi(2)).sum::<f64>().sqrt();
        row.iter_mut().for_each(|it| *it = if length > 0.0 { (f64::from(*it) / length) as f32 } else { 0.0 });
    }
    matrix
}

impl Hops<'_> {
    fn check(&self, Shape { features, classes, validated, .. }: Shape) -> Result<(), LearnError> {
        check_training(self.training, &Propagation::default(), validated)?;
        self.encoder().check(features.ok_or(LearnError::NoFeatures)?, classes)?;
        let width = self.width.saturating_mul(self.hops as usize + 1);
        self.network.description().check(width, classes)?;
        Ok(())
    }

    /// The network whose hidden layer is sent.
    fn encoder(&self) -> Description {
        Mlp { hidden: self.width, ..self.network.clone() }.description()
    }

    /// The network that reads what was received after so many hops.
    fn reader(&self, hop: u32) -> Description {
        if hop == self.hops { self.network.description() } else { self.encoder() }
    }

    /// Whether a network reads what was received after so many hops.
    fn has_reader(&self, hop: u32) -> bool {
        hop == self.hops || (self.progressive && hop > 0)
    }

    fn learn(&self, data: &mut TrainingData<'_, '_>, seed: u64, watch: Watch<'_>) -> Result<Vec<Fitted>, LearnError> {
        let TrainingData { graphs, joined, labels, scaled } = data;
        let features = scaled.features(joined)?.ok_or(LearnError::NoFeatures)?;
        let fit = |description, features: &Features, labels: &ReportedLabels, stage: usize, watch: Watch<'_>| {
            let seed = seed.wrapping_add(stage as u64);
            fit_without_edges(description, features, labels, self.training, seed, watch)
        };
        let mut stages = vec![fit(self.encoder(), &features, labels, 0, &mut *watch)?];
        let known = graphs.iter().map(|graph| encoded(&stages[0].chosen, scaled, graph.released));
        let mut known: Vec<Known> = known.collect::<Result<_, LearnError>>()?;
        for hop in 0..=self.hops {
            if self.has_reader(hop) {
                let mut inputs = known.iter().map(Known::features);
                let first = inputs.next().ok_or(LearnError::NoRows)?;
                let joined = inputs.try_fold(first, |joined, other| joined.stacked(&other))?;
                let fitted = fit(self.reader(hop), &joined, labels, stages.len(), &mut *watch)?;
                known.iter_mut().try_for_each(|known| self.send(hop, &fitted.chosen, known))?;
                stages.push(fitted);
            }
            if hop < self.hops {
                graphs.iter_mut().zip(&mut known).try_for_each(|(graph, known)| ask(graph, hop, known))?;
            }
        }
        Ok(stages)
    }

    /// Runs trained networks on another graph, and asks for the hops that it lacks.
    fn infer(&self, state: ModelState<'_>, graph: &mut TrainingView<'_, '_>) -> Result<(), LearnError> {
        self.walk(state, graph.released.clone(), |hop, known| ask(graph, hop, known)).map(drop)
    }

    /// The answers about a graph whose hops are all there.
    fn posteriors(&self, released: &Privatised, state: ModelState<'_>) -> Result<Matrix, LearnError> {
        let hear = |hop: u32, known: &mut Known| {
            known.hear(rows(released, hop).ok_or(LearnError::NoRows)?);
            Ok(())
        };
        let known = self.walk(state, released.clone(), hear)?;
        let last = state.stages.last().ok_or(LearnError::NoNetwork)?;
        Ok(last.posteriors(&Input::without_graph(known.features())?)?.to_matrix())
    }

    /// Everything that is received on the way to the last network.
    fn walk(
        &self,
        state: ModelState<'_>,
        released: Privatised,
        mut hear: impl FnMut(u32, &mut Known) -> Result<(), LearnError>,
    ) -> Result<Known, LearnError> {
        let (encoder, mut readers) = state.stages.split_first().ok_or(LearnError::NoNetwork)?;
        let mut known = encoded(encoder, state.scaled, &released)?;
        for hop in 0..self.hops {
            if self.has_reader(hop) {
                let (reader, others) = readers.split_first().ok_or(LearnError::NoNetwork)?;
                self.send(hop, reader, &mut known)?;
                readers = others;
            }
            hear(hop, &mut known)?;
        }
        Ok(known)
    }

    /// A network that reads what was received so far decides what is sent next.
    fn send(&self, hop: u32, reader: &Model, known: &mut Known) -> Result<(), LearnError> {
        if hop < self.hops {
            known.sent = unit_rows(reader.hidden(&Input::without_graph(known.features())?)?.to_matrix());
        }
        Ok(())
    }
}

/// What nodes know before the first hop.
fn encoded(encoder: &Model, scaled: &Scaled, released: &Privatised) -> Result<Known, LearnError> {
    let features = scaled.features(released.data())?.ok_or(LearnError::NoFeatures)?;
    Ok(Known::new(unit_rows(encoder.hidden(&Input::without_graph(features)?)?.to_matrix())))
}

/// The released rows of a hop.
fn rows(released: &Privatised, hop: u32) -> Option<&Counts> {
    released.figures().sums.as_ref()?.get(hop as usize)
}

/// A hop: asked for, or that of the release.
fn ask(graph: &mut TrainingView<'_, '_>, hop: u32, known: &mut Known) -> Result<(), LearnError> {
    let messages = Messages::of(&known.sent, STEPS);
    if rows(graph.released, hop).is_none() && !graph.request(Question::Hop(&messages))? {
        return Err(LearnError::NoRows);
    }
    known.hear(rows(graph.released, hop).ok_or(LearnError::NoRows)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_has_length_one_or_no_direction() {
        let rows = unit_rows(Matrix::from_values(2, 2, vec![3.0, -4.0, 0.0, 0.0]).unwrap());
        assert_eq!(rows.values(), [0.6, -0.8, 0.0, 0.0]);
        let mut known = Known::new(rows);
        known.hear(&Counts::new(1, vec![-7, 0]));
        assert_eq!(known.sent.values(), [-1.0, 0.0]);
        let Features::Dense(read) = known.features() else { panic!() };
        assert_eq!(read.values(), [2.4, -3.2, -4.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn epsilon_and_delta_are_those_of_all_hops_together() {
        let plan = |hops| sums(NAME, "1".parse().ok(), 1e-5, hops);
        let variance = |hops| match plan(hops) {
            Ok(EdgePlan::Sums(sums)) => sums.noise().map(|noise| noise.variance()),
            _ => None,
        };
        assert!(variance(1).unwrap() * 3 > variance(2).unwrap() && variance(2) > variance(1));
        assert!(matches!(plan(17), Err(MethodError::TooManyRounds { rounds: 17, .. })));
        assert!(matches!(sums(NAME, "1".parse().ok(), 1.0, 1), Err(MethodError::BadDelta { .. })));
        assert!(matches!(sums(NAME, None, 1e-5, 1), Err(MethodError::Missing { .. })));
    }
}
