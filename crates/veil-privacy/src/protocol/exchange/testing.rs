//! Graphs for the tests of both protocols.

use veil_graph::{Encoded, Features, Graph, Matrix, NodeId};

use super::{Known, Message, Node, Outcome, Profile, Question, Space, VectorError, World, profiles, replace};
use crate::coins::Stream;
use crate::protocol::Protocol;
use crate::testing::{edges, stream};

pub(in crate::protocol) const V: NodeId = 0;
pub(in crate::protocol) const A: NodeId = 1;
pub(in crate::protocol) const B: NodeId = 2;
pub(in crate::protocol) const C: NodeId = 3;
pub(in crate::protocol) const D: NodeId = 4;
pub(in crate::protocol) const P: NodeId = 5;
pub(in crate::protocol) const Q: NodeId = 6;
pub(in crate::protocol) const R: NodeId = 7;
pub(in crate::protocol) const S: NodeId = 8;

/// Figure 3.1 of the thesis.
pub(crate) fn figure() -> Graph {
    let of_v = [(V, A), (V, B), (V, C), (V, D)];
    let others = [(A, P), (A, Q), (A, R), (B, Q), (B, S), (C, R), (C, S), (C, D)];
    edges(9, &[&of_v[..], &others].concat())
}

/// Places on a line for its nodes, raw: replacements can be read off.
pub(crate) fn places() -> Features {
    //         v    a     b     c     d     p     q     r     s
    line(&[0.0, 10.0, 20.0, 30.0, 40.0, 12.0, 21.0, 33.0, 38.0])
}

/// One value for each node.
pub(crate) fn line(values: &[f32]) -> Features {
    Features::Dense(Matrix::from_values(values.len(), 1, values.to_vec()).expect("a matrix"))
}

/// Calls back with a world.
pub(in crate::protocol) fn in_world<T>(graph: &Graph, features: &Features, then: impl FnOnce(&World<'_>) -> T) -> T {
    let profiles: Vec<Profile> = profiles(features);
    then(&World::new(graph, features, &profiles))
}

/// A graph of 300 nodes with a few hundred edges, hubs and isolated nodes, and encoded features of
/// one sign among 30 dimensions: many vectors are equal, and nearly all similarities tie.
pub(in crate::protocol) fn crowd() -> (Graph, Features) {
    let mut coins = stream("crowd").node(0);
    // Squares prefer small numbers: hubs.
    let mut node = || (coins.below(17) * coins.below(17)) as NodeId;
    let pairs: Vec<(NodeId, NodeId)> = (0..600).map(|_| (node(), node())).filter(|(a, b)| a != b).collect();
    let columns = (0..300).map(|_| coins.below(30) as u32).collect();
    let signs = (0..300).map(|_| coins.below(2) == 0).collect();
    let encoded = Encoded::from_reports((300, 30, 1), (0.5, 9.0), columns, signs).expect("reports");
    (edges(300, &pairs), Features::Encoded(encoded))
}

/// Nodes 0–3 each know 4, 5 and 6. Of 0–3 the one most like any of the others is 3, and of 4–6 it
/// is 4.
pub(in crate::protocol) fn two_sides() -> (Graph, Features) {
    let pairs: Vec<_> = (0..4).flat_map(|a| (4..7).map(move |b| (a, b))).collect();
    (edges(7, &pairs), line(&[0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0]))
}

/// What a device receives: a line of JSON, checked.
pub(in crate::protocol) fn over_the_wire(space: &Space, message: &Message<&Profile>) -> Message<Profile> {
    let sent = message.try_map(|profile| Ok::<_, VectorError>(profile.vector().clone())).expect("vectors");
    let line = serde_json::to_string(&sent).expect("json");
    let received: Message = serde_json::from_str(&line).expect("a message");
    received.try_map(|vector| space.receive(vector.clone())).expect("vectors of this space")
}

/// The same message about what the device stored.
pub(in crate::protocol) fn by_reference(message: &Message<Profile>) -> Message<&Profile> {
    message.try_map(Ok::<_, VectorError>).expect("no error")
}

/// Asserts that one node's part on messages as lines of JSON, after round 1, gives the report of
/// the simulation.
pub(in crate::protocol) fn assert_device_as_simulated(
    protocol: &dyn Protocol,
    coins: &Stream,
    part: impl Fn(&World<'_>, &Node<'_>) -> Vec<NodeId>,
) {
    let (graph, features) = crowd();
    let reports = protocol.run(&graph, Some(&features), coins).expect("reports");
    in_world(&graph, &features, |world| {
        // Nodes with few neighbours: a device that begins again with each answer does all its work
        // once per question.
        let few = (0..graph.nodes()).filter(|&me| graph.neighbours(me).len() < 4);
        let moved = few.clone().filter(|&me| reports.lists.neighbours(me) != graph.neighbours(me));
        for me in few.take(5).chain(moved.take(5)) {
            let sent = |from| match over_the_wire(world.space(), &Message::Mine(world.node(from).mine)) {
                Message::Mine(vector) => (from, vector),
                other => panic!("{other:?}"),
            };
            let inbox: Vec<(NodeId, Profile)> = world.node(me).known.names().map(sent).collect();
            let known = Known::new(inbox.iter().map(|(from, vector)| (*from, vector)));
            let node = Node { me, mine: world.node(me).mine, known: &known };
            assert_eq!(part(world, &node), reports.lists.neighbours(me), "{me}");
        }
    });
}

/// The end on a device: one question at a time, beginning again with each answer.
pub(in crate::protocol) fn question_by_question(
    world: &World<'_>,
    node: &Node<'_>,
    wanted: &[(NodeId, Vec<&Profile>)],
) -> Outcome {
    let mut told: Vec<(Question<'_>, Option<NodeId>)> = Vec::new();
    loop {
        let answer = |neighbour, vector| {
            let question = Question { neighbour, vector };
            told.iter().find(|(asked, _)| *asked == question).map(|&(_, name)| name).ok_or(question)
        };
        match replace(node, wanted, answer) {
            Ok(outcome) => return outcome,
            Err(question) => {
                let asked = over_the_wire(world.space(), &Message::Whose(question.vector));
                let Message::Whose(vector) = &asked else { panic!("{asked:?}") };
                told.push((question, world.node(question.neighbour).known.name_of(vector)));
            }
        }
    }
}
