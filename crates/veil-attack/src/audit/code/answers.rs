//! Labels of public nodes, with and without one private node.

use std::cell::RefCell;

use serde::{Deserialize, Serialize};
use veil_graph::{Dataset, Matrix, NodeId, Part};
use veil_privacy::answers::{
    AnswerError, Asked, Embedding, Kept, LabelMechanism, LabelRelease, Sums, Teacher, Tutor, Voter, class_sums as sums,
    per_query, votes,
};
use veil_privacy::mechanism::{noisy_argmax, randomised_response};
use veil_privacy::parameters::Settings;
use veil_privacy::protocol::Measure;
use veil_privacy::{Coins, Delta, Private, Request, RequestError};

use super::output::Written;
use super::world::{data, edges, featured, labelled};
use super::{Enumerated, Pair, Promised, Reach, chosen, compare, together};
use crate::audit::answers::{MARKED, USUAL, sees};
use crate::audit::{AuditError, Witness};

/// Classes, queries, and nodes besides the one under test: to be sampled, or divided among
/// teachers.
const CLASSES: u32 = 2;
const QUERIES: [NodeId; 2] = [0, 1];
const SAMPLED: usize = 2;
const DIVIDED: usize = 4;

/// Why an execution failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    #[error(transparent)]
    Answer(#[from] AnswerError),
    #[error(transparent)]
    Request(#[from] RequestError),
}

/// What a teacher votes for the second class by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Votes {
    /// Whether it sees the node.
    ForTheNode,
    /// Also whether it has an odd number of nodes.
    ByParityToo,
    /// Also whether it has an odd number of edges.
    ByEdgesToo,
}

/// A teacher of two classes that tells as much as it can about one node.
struct Watcher(Votes);

impl Teacher<'_> for Watcher {
    type Settings = Votes;
    type Error = std::convert::Infallible;

    fn new(votes: Votes, _: &Dataset) -> Result<Watcher, Self::Error> {
        Ok(Watcher(votes))
    }
}

impl Tutor<'_> for Watcher {
    fn posterior(&self, lesson: &Dataset, _: u32, _: NodeId) -> Vec<f32> {
        if sees(lesson) { vec![0.0, 1.0] } else { vec![1.0, 0.0] }
    }
}

impl Voter<'_> for Watcher {
    fn votes(&self, lesson: &Dataset, _: u32, queries: &[NodeId]) -> Vec<u32> {
        let odd = match self.0 {
            Votes::ForTheNode => false,
            Votes::ByParityToo => lesson.nodes() % 2 == 1,
            Votes::ByEdgesToo => lesson.graph().edges() % 2 == 1,
        };
        let vote = u32::from(sees(lesson) || odd);
        // The other class for every other query, so that answers differ.
        queries.iter().map(|query| if query % 2 == 0 { vote } else { 1 - vote }).collect()
    }
}

/// Labels by teachers for each query; `None` for the mechanism that is refuted by arithmetic.
pub(in crate::audit) fn per_query(settings: &Settings) -> Result<Option<(Enumerated, Option<Witness>)>, AuditError> {
    let named = settings.word("release").and_then(|word| word.parse().ok());
    teachers(named.unwrap_or(LabelMechanism::Krr))
}

/// Labels by votes. A teacher's vote depends on the node, on who else it has, or on their edges:
/// one node must change one vote.
pub(in crate::audit) fn of_votes() -> Result<Option<(Enumerated, Option<Witness>)>, AuditError> {
    together([votes(Votes::ForTheNode, 2), votes(Votes::ByParityToo, 1), votes(Votes::ByEdgesToo, 1)])
}

/// A teacher for each query, on samples of its own.
fn teachers(mechanism: LabelMechanism) -> Result<Option<(Enumerated, Option<Witness>)>, AuditError> {
    let public = public()?;
    let (release, reach, queries, compared) = match mechanism {
        LabelMechanism::Krr => {
            let krr = randomised_response::Params { epsilon: chosen(2), values: CLASSES }.check()?;
            let compared = "two answers by randomised response, each with a fresh sample of half of the nodes, with and \
                            without a node";
            (LabelRelease::Krr(krr), Reach::All, &QUERIES[..], compared)
        }
        LabelMechanism::NoisyLogPosterior => return Ok(None),
        LabelMechanism::NoisyArgmax => {
            let argmax = noisy_argmax::Params { lambda: chosen(3), classes: CLASSES }.on_grid(0)?;
            let compared = "an answer by a noisy argmax on a grid of one step, with a sample of half of the nodes, with \
                            and without a node";
            (LabelRelease::NoisyArgmax(argmax), Reach::Least(1e-9), &QUERIES[..1], compared)
        }
    };
    let asked = Asked { public: &public, queries };
    let params =
        per_query::Params { gamma: 0.5, k: SAMPLED as u32, measure: Measure::Cosine, release, delta: delta()? };
    let pairs = [pair(SAMPLED)?];
    // The cost is computed once for each input, not in every execution.
    let [with, without] = pairs[0].inputs.each_ref().map(|(_, data)| params.check(&data.public(), &asked));
    let (with, without) = (with?, without?);
    let promised = Promised::of(with.guarantee());
    let found =
        compare(compared, &pairs, promised, reach, |data: &Private<Dataset>, coins: Coins| -> Result<_, Refusal> {
            let mechanism = if data.public().nodes > SAMPLED as u32 { &with } else { &without };
            let permit = Request::new(data, coins, vec![mechanism.guarantee().clone()])?.unbooked();
            let kept = Kept::in_memory(queries.len());
            Ok((&mechanism.answer::<Watcher>(data, &asked, permit, (&Votes::ForTheNode, &|| ()), kept)?).into())
        });
    found.map(Some)
}

/// Two teachers that vote on some queries.
fn votes(says: Votes, queries: usize) -> Result<(Enumerated, Option<Witness>), AuditError> {
    let public = public()?;
    let asked = Asked { public: &public, queries: &QUERIES[..queries] };
    let params = votes::Params { teachers: 2, lambda: chosen(2), delta: delta()? };
    let pairs = [pair(DIVIDED)?];
    let [with, without] = pairs[0].inputs.each_ref().map(|(_, data)| params.check(&data.public(), &asked));
    let (with, without) = (with?, without?);
    let promised = Promised::of(with.guarantee());
    let compared = match queries {
        1 => "an answer by the votes of two teachers, with and without a node and its edges",
        _ => "two answers by the votes of two teachers, with and without a node and its edges",
    };
    compare(
        compared,
        &pairs,
        promised,
        Reach::Least(1e-9),
        |data: &Private<Dataset>, coins: Coins| -> Result<_, Refusal> {
            let mechanism = if data.public().nodes > DIVIDED as u32 { &with } else { &without };
            let permit = Request::new(data, coins, vec![mechanism.guarantee().clone()])?.unbooked();
            Ok((&mechanism.answer::<Watcher>(data, &asked, permit, (&says, &|| ()))?).into())
        },
    )
}

/// Sums of two classes in one dimension, on a grid of two steps. What is compared has the sums
/// themselves, of which labels are functions.
pub(in crate::audit) fn summed() -> Result<(Enumerated, Option<Witness>), AuditError> {
    let public = public()?;
    let asked = Asked { public: &public, queries: &QUERIES[..1] };
    let params = sums::Params { dimensions: 1, shift: chosen(2), delta: likely_delta()? };
    let pairs = [pair(1)?];
    let [with, without] = pairs[0].inputs.each_ref().map(|(_, data)| params.on_grid(1, &data.public(), &asked));
    let (with, without) = (with?, without?);
    // Longer than 1, so that a row that keeps its length is noticed.
    let basis = Matrix::from_values(2, 1, vec![3.0, 3.0]).map_err(AnswerError::from)?;
    let embedding = Embedding::new(&[0.0, 0.0], basis).map_err(AnswerError::from)?;
    let promised = Promised::of(with.guarantee());
    let compared = "noisy sums of two classes in one dimension on a grid of two steps, with and without a node";
    compare(
        compared,
        &pairs,
        promised,
        Reach::Least(1e-12),
        |data: &Private<Dataset>, coins: Coins| -> Result<_, Refusal> {
            let mechanism = if data.public().nodes > 1 { &with } else { &without };
            let permit = Request::new(data, coins, vec![mechanism.guarantee().clone()])?.unbooked();
            let read = RefCell::new(String::new());
            let keep = |sums: &Sums| {
                *read.borrow_mut() = format!("{sums:?}");
                vec![0; asked.queries.len()]
            };
            let written: Written = (&mechanism.answer(data, &asked, &embedding, permit, &keep)?).into();
            Ok(written.with(&read.into_inner()))
        },
    )
}

/// A δ so large that the mass outside of the window of Gaussian noise is a small part of it.
pub(super) fn likely_delta() -> Result<Delta, AuditError> {
    "0.001".parse().map_err(|_| AuditError::Code { problem: "10⁻³ is not a δ".to_owned() })
}

fn delta() -> Result<Delta, AuditError> {
    "0.00001".parse().map_err(|_| AuditError::Code { problem: "10⁻⁵ is not a δ".to_owned() })
}

fn pair(others: usize) -> Result<Pair, AuditError> {
    Ok(Pair::new(("the node under test is present", private(others, true)?), ("it is not", private(others, false)?)))
}

/// A path of a few usual nodes, and perhaps the marked one among them, with an edge to every other.
fn private(others: usize, marked: bool) -> Result<Dataset, AuditError> {
    let mut rows: Vec<&[f32]> = vec![&USUAL; others];
    // Not the last: without it, nodes that follow have other numbers.
    let place = others.saturating_sub(1);
    if marked {
        rows.insert(place, &MARKED);
    }
    let labels: Vec<Option<u32>> = rows.iter().map(|row| Some(u32::from(**row == MARKED))).collect();
    let nodes = rows.len() as u32;
    let usual: Vec<NodeId> = (0..nodes).filter(|&node| !marked || node != place as NodeId).collect();
    let mut pairs: Vec<(NodeId, NodeId)> = usual.windows(2).map(|pair| (pair[0], pair[1])).collect();
    pairs.extend(usual.iter().filter(|_| marked).map(|&node| (node, place as NodeId)));
    labelled(featured(data(edges(nodes, &pairs)?), &rows)?, CLASSES, &labels, &vec![Part::Train; rows.len()])
}

/// The marked node is the nearest to every query.
fn public() -> Result<Dataset, AuditError> {
    let nodes = QUERIES.len() as u32;
    let rows = [&MARKED[..]; QUERIES.len()];
    let data = featured(data(edges(nodes, &[])?), &rows)?;
    labelled(data, CLASSES, &[None; QUERIES.len()], &[Part::None; QUERIES.len()])
}
