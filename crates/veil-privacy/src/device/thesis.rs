//! `dummy-exchange` and `shuffled-query` on a device: anonymous vectors, and questions for their
//! owners.

use std::collections::BTreeMap;

use serde_json::Value;
use veil_graph::NodeId;

use super::inbox::{Line, PerNeighbour, lines, to_node};
use super::{Contribution, DeviceError, Me, OwnFeatures, Sender, Waiting};
use crate::coins::Stream;
use crate::protocol::dummy_exchange::{DummyExchange, Moments};
use crate::protocol::exchange::{Known, Message, Node, Profile, Question, Space, Vector, replace};
use crate::protocol::shuffled_query::ShuffledQuery;
use crate::protocol::{ProtocolError, dummy_exchange, shuffled_query};

/// The received messages, by kind.
struct Received {
    space: Space,
    mine: Profile,
    moments: Option<Moments>,
    /// Round 1: the neighbours' own vectors.
    theirs: PerNeighbour<Profile>,
    /// Later rounds: one message of each kind per neighbour.
    forwarded: PerNeighbour<Message<Profile>>,
    queries: PerNeighbour<Message<Profile>>,
    answers: PerNeighbour<Message<Profile>>,
    /// Questions for the owner of a vector, without duplicates.
    questions: Vec<(NodeId, Profile)>,
    /// Answers to this node's questions, by neighbour and vector.
    names: BTreeMap<(NodeId, Vector), Option<NodeId>>,
}

/// The protocol, which determines the messages of later rounds.
#[derive(Clone, Copy, PartialEq)]
enum Variant {
    Dummies,
    Queries,
}

/// The neighbours to be replaced, each with its candidates.
type Wanted<'a> = Vec<(NodeId, Vec<&'a Profile>)>;

/// `dummy-exchange` (Algorithm 2).
pub(crate) fn dummies(
    protocol: &DummyExchange,
    me: &Me,
    inbox: &str,
    coins: &Stream,
) -> Result<Contribution, DeviceError> {
    part(Variant::Dummies, me, inbox, |received, node, messages| {
        let degree = node.known.degree();
        let drawn = protocol.draw(degree, &mut coins.node(me.me));
        match &received.moments {
            Some(moments) => messages.extend(me.neighbours.iter().map(|&to| {
                let dummies = protocol.dummies(&drawn.key, to, degree).make(&received.space, moments);
                to_node(me, to, &sent(&DummyExchange::forwarded(node.known, &dummies)))
            })),
            // Without neighbours no dummies are sent.
            None if me.neighbours.is_empty() => {}
            None => return Err(vec![Waiting { from: Sender::Server, message: "moments", round: None }]),
        }
        let vectors = received.forwarded.all(me)?.values().flat_map(|message| match message {
            Message::Forwarded(vectors) => vectors.as_slice(),
            _ => &[],
        });
        Ok(protocol.wanted(&received.space, node, &drawn.flipped, vectors.collect()))
    })
}

/// `shuffled-query` (Algorithm 3).
pub(crate) fn queries(
    protocol: &ShuffledQuery,
    me: &Me,
    inbox: &str,
    coins: &Stream,
) -> Result<Contribution, DeviceError> {
    part(Variant::Queries, me, inbox, |received, node, messages| {
        let drawn = protocol.draw(node.known.names(), &mut coins.node(me.me));
        let queries = sent(&ShuffledQuery::queries(node, &drawn));
        messages.extend(me.neighbours.iter().map(|&to| to_node(me, to, &queries)));
        for (asker, queries) in received.queries.iter() {
            let answer = protocol.answer(&received.space, node, asker, &by_reference(queries));
            // A node that can answer neither set replies so, because the asker waits for every
            // neighbour.
            let answer = answer.unwrap_or(Message::Answers { first: None, second: None });
            messages.push(to_node(me, asker, &sent(&answer)));
        }
        let answers: Vec<Message<&Profile>> = received.answers.all(me)?.values().map(by_reference).collect();
        Ok(protocol.wanted(&received.space, node, &drawn, &answers))
    })
}

/// One node's part: round 1, answers to questions, the rounds of the protocol, and the report, as
/// far as the inbox goes. `later` sends the messages of later rounds.
fn part(
    variant: Variant,
    me: &Me,
    inbox: &str,
    later: impl for<'a> FnOnce(&'a Received, &Node<'a>, &mut Vec<Value>) -> Result<Wanted<'a>, Vec<Waiting>>,
) -> Result<Contribution, DeviceError> {
    let own = me.features.as_ref().ok_or(ProtocolError::NoFeatures { protocol: variant.name() })?;
    let received = Received::read(variant, me, own, inbox)?;
    let mut messages = received.first_round(me, own);
    let report = received.known(me).and_then(|known| {
        let node = Node { me: me.me, mine: &received.mine, known: &known };
        received.answer_questions(me, &node, &mut messages);
        let wanted = later(&received, &node, &mut messages)?;
        received.resolve(me, &node, &wanted, &mut messages)
    });
    Ok(match report {
        Ok(report) => Contribution::of_list(messages, Some(report), Vec::new()),
        Err(waiting) => Contribution::of_list(messages, None, waiting),
    })
}

impl Variant {
    fn name(self) -> &'static str {
        match self {
            Variant::Dummies => dummy_exchange::NAME,
            Variant::Queries => shuffled_query::NAME,
        }
    }
}

impl Received {
    fn read(variant: Variant, me: &Me, own: &OwnFeatures, inbox: &str) -> Result<Received, DeviceError> {
        let mut received = Received {
            space: own.space(),
            mine: own.profile()?,
            moments: None,
            theirs: PerNeighbour::new("mine"),
            forwarded: PerNeighbour::new("heard"),
            queries: PerNeighbour::new("queries"),
            answers: PerNeighbour::new("answers"),
            questions: Vec::new(),
            names: BTreeMap::new(),
        };
        for line in lines(me, inbox)? {
            received.take(variant, me, line)?;
        }
        Ok(received)
    }

    fn take(&mut self, variant: Variant, me: &Me, mut message: Line) -> Result<(), DeviceError> {
        let line = message.line;
        if message.from == Sender::Server && variant == Variant::Dummies {
            return self.take_moments(message);
        }
        let from = message.neighbour(me)?;
        let about: Option<Vector> = message.take("about")?;
        let message: Message = message.read()?;
        let space = self.space;
        let received = |vector: &Vector| space.receive(vector.clone());
        let message = message.try_map(received).map_err(|source| DeviceError::Vector { line, source })?;
        if about.is_some() != matches!(message, Message::Name(_)) {
            return Err(DeviceError::Content {
                line,
                problem: "\"about\" is required in answers with a name, and only there",
            });
        }
        match (message, about) {
            (Message::Mine(vector), _) => self.theirs.put(line, from, vector),
            (Message::Whose(vector), _) => {
                if !self.questions.iter().any(|(asker, asked)| (*asker, asked) == (from, &vector)) {
                    self.questions.push((from, vector));
                }
                Ok(())
            }
            (Message::Name(name), Some(vector)) => {
                if name.is_some_and(|name| name >= me.nodes) {
                    return Err(DeviceError::Content { line, problem: "unknown node id" });
                }
                if *self.names.entry((from, vector)).or_insert(name) != name {
                    return Err(DeviceError::Contradiction { line, from: Sender::Node(from), message: "name" });
                }
                Ok(())
            }
            (message @ Message::Forwarded(_), _) if variant == Variant::Dummies => {
                self.forwarded.put(line, from, message)
            }
            (message @ Message::Queries { .. }, _) if variant == Variant::Queries => {
                self.queries.put(line, from, message)
            }
            (message @ Message::Answers { .. }, _) if variant == Variant::Queries => {
                self.answers.put(line, from, message)
            }
            (Message::Forwarded(_), _) => Err(DeviceError::OutOfPlace { line, message: "heard" }),
            (Message::Queries { .. }, _) => Err(DeviceError::OutOfPlace { line, message: "queries" }),
            (Message::Answers { .. } | Message::Name(_), _) => {
                Err(DeviceError::OutOfPlace { line, message: "answers" })
            }
        }
    }

    fn take_moments(&mut self, mut message: Line) -> Result<(), DeviceError> {
        let line = message.line;
        let moments: Option<Moments> = message.take("moments")?;
        // No other key is allowed.
        let rest: BTreeMap<String, Value> = message.read()?;
        let dimensions = self.space.dimensions as usize;
        let fits = |moments: &Moments| {
            let finite = moments.mean.iter().chain(&moments.deviation).all(|value| value.is_finite());
            let lengths = [moments.mean.len(), moments.deviation.len()] == [dimensions; 2];
            finite && lengths && moments.range.0 <= moments.range.1
        };
        let Some(moments) = moments.filter(|moments| rest.is_empty() && fits(moments)) else {
            return Err(DeviceError::Content {
                line,
                problem: "expected \"moments\" with a mean and a deviation for each dimension, and a range",
            });
        };
        if *self.moments.get_or_insert_with(|| moments.clone()) != moments {
            return Err(DeviceError::Contradiction { line, from: Sender::Server, message: "moments" });
        }
        Ok(())
    }

    /// Round 1: the node's own vector to all its neighbours.
    fn first_round(&self, me: &Me, own: &OwnFeatures) -> Vec<Value> {
        let mine = Message::Mine(own.vector.clone());
        me.neighbours.iter().map(|&to| to_node(me, to, &mine)).collect()
    }

    /// The state after round 1.
    fn known(&self, me: &Me) -> Result<Known<'_>, Vec<Waiting>> {
        Ok(Known::new(self.theirs.all(me)?.iter().map(|(&name, vector)| (name, vector))))
    }

    /// Answers questions for the owner of a vector.
    fn answer_questions(&self, me: &Me, node: &Node<'_>, messages: &mut Vec<Value>) {
        messages.extend(self.questions.iter().map(|(asker, vector)| {
            let mut line = to_node(me, *asker, &Message::<Vector>::Name(node.known.name_of(vector)));
            if let (Some(line), Ok(about)) = (line.as_object_mut(), serde_json::to_value(vector.vector())) {
                line.insert("about".to_owned(), about);
            }
            line
        }));
    }

    /// Asks for owners, one question at a time, until the report is complete.
    fn resolve(
        &self,
        me: &Me,
        node: &Node<'_>,
        wanted: &Wanted<'_>,
        messages: &mut Vec<Value>,
    ) -> Result<Vec<NodeId>, Vec<Waiting>> {
        let mut questions: Vec<Question<'_>> = Vec::new();
        let outcome = replace(node, wanted, |neighbour, vector| {
            let question = Question { neighbour, vector };
            if !questions.contains(&question) {
                questions.push(question);
            }
            self.names.get(&(neighbour, vector.vector().clone())).copied().ok_or(question)
        });
        let whose = |question: &Question<'_>| Message::Whose(question.vector.vector().clone());
        messages.extend(questions.iter().map(|question| to_node(me, question.neighbour, &whose(question))));
        let waiting = |neighbour| vec![Waiting { from: Sender::Node(neighbour), message: "name", round: None }];
        outcome.map(|outcome| outcome.report).map_err(|question| waiting(question.neighbour))
    }
}

/// The message with plain vectors.
fn sent(message: &Message<&Profile>) -> Message {
    let Ok(message) = message.try_map(|profile| Ok::<_, std::convert::Infallible>(profile.vector().clone()));
    message
}

/// The message with references to stored vectors.
fn by_reference(message: &Message<Profile>) -> Message<&Profile> {
    let Ok(message) = message.try_map(Ok::<_, std::convert::Infallible>);
    message
}
