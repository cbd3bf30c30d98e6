//! The two protocols of the thesis: vectors without names, and questions whose they are.

use std::collections::BTreeMap;

use serde_json::Value;
use veil_graph::NodeId;

use super::inbox::{Letter, Pile, letters, to_node};
use super::{DeviceError, Me, OwnFeatures, Part, Sender, Waiting};
use crate::coins::Stream;
use crate::protocol::dummy_exchange::{DummyExchange, Moments};
use crate::protocol::exchange::{Known, Message, Node, Profile, Question, Space, Vector, replace};
use crate::protocol::shuffled_query::ShuffledQuery;
use crate::protocol::{ProtocolError, dummy_exchange, shuffled_query};

/// What came, by kind.
struct Heard {
    space: Space,
    mine: Profile,
    moments: Option<Moments>,
    /// Round 1: the neighbours' own vectors.
    theirs: Pile<Profile>,
    /// Later rounds: what else they sent, a pile for each kind.
    heard: Pile<Message<Profile>>,
    queries: Pile<Message<Profile>>,
    answers: Pile<Message<Profile>>,
    /// Whose vector is this? Each question once.
    asked: Vec<(NodeId, Profile)>,
    /// What this node was told: by whom, about which vector.
    told: BTreeMap<(NodeId, Vector), Option<NodeId>>,
}

/// Which later messages a protocol has.
#[derive(Clone, Copy, PartialEq)]
enum Talk {
    Dummies,
    Queries,
}

/// `dummy-exchange` (Algorithm 2).
pub(crate) fn dummies(protocol: &DummyExchange, me: &Me, inbox: &str, coins: &Stream) -> Result<Part, DeviceError> {
    let own = me.features.as_ref().ok_or(ProtocolError::NoFeatures { protocol: dummy_exchange::NAME })?;
    let heard = Heard::read(Talk::Dummies, me, own, inbox)?;
    let mut messages = heard.first_round(me, own);
    let known = match heard.known(me) {
        Ok(known) => known,
        Err(waiting) => return Ok(Part::of_list(messages, None, waiting)),
    };
    let node = Node { me: me.me, mine: &heard.mine, known: &known };
    heard.answer_questions(me, &node, &mut messages);
    let drawn = protocol.draw(known.degree(), &mut coins.node(me.me));
    match &heard.moments {
        Some(moments) => messages.extend(me.neighbours.iter().map(|&to| {
            let dummies = protocol.dummies(&drawn.key, to, known.degree()).make(&heard.space, moments);
            to_node(me, to, &sent(&DummyExchange::heard(&known, &dummies)))
        })),
        // Without neighbours there is nobody to send dummies to.
        None if me.neighbours.is_empty() => {}
        None => {
            let waiting = vec![Waiting { from: Sender::Server, message: "moments", round: None }];
            return Ok(Part::of_list(messages, None, waiting));
        }
    }
    let received = match heard.heard.all(me) {
        Ok(received) => received,
        Err(waiting) => return Ok(Part::of_list(messages, None, waiting)),
    };
    let vectors = received.values().flat_map(|message| match message {
        Message::Heard(vectors) => vectors.as_slice(),
        _ => &[],
    });
    let wanted = protocol.wanted(&heard.space, &node, &drawn.flipped, vectors.collect());
    Ok(heard.resolve(me, &node, &wanted, messages))
}

/// `shuffled-query` (Algorithm 3).
pub(crate) fn queries(protocol: &ShuffledQuery, me: &Me, inbox: &str, coins: &Stream) -> Result<Part, DeviceError> {
    let own = me.features.as_ref().ok_or(ProtocolError::NoFeatures { protocol: shuffled_query::NAME })?;
    let heard = Heard::read(Talk::Queries, me, own, inbox)?;
    let mut messages = heard.first_round(me, own);
    let known = match heard.known(me) {
        Ok(known) => known,
        Err(waiting) => return Ok(Part::of_list(messages, None, waiting)),
    };
    let node = Node { me: me.me, mine: &heard.mine, known: &known };
    heard.answer_questions(me, &node, &mut messages);
    let drawn = protocol.draw(known.names(), &mut coins.node(me.me));
    let queries = sent(&ShuffledQuery::queries(&node, &drawn));
    messages.extend(me.neighbours.iter().map(|&to| to_node(me, to, &queries)));
    for (asker, queries) in heard.queries.iter() {
        let answer = protocol.answer(&heard.space, &node, asker, &by_reference(queries));
        // Who can answer neither set says so here, or the one who asks would wait for ever.
        let answer = answer.unwrap_or(Message::Answers { first: None, second: None });
        messages.push(to_node(me, asker, &sent(&answer)));
    }
    let answers: Vec<Message<&Profile>> = match heard.answers.all(me) {
        Ok(answers) => answers.values().map(by_reference).collect(),
        Err(waiting) => return Ok(Part::of_list(messages, None, waiting)),
    };
    let wanted = protocol.wanted(&heard.space, &node, &drawn, &answers);
    Ok(heard.resolve(me, &node, &wanted, messages))
}

impl Heard {
    fn read(talk: Talk, me: &Me, own: &OwnFeatures, inbox: &str) -> Result<Heard, DeviceError> {
        let mut heard = Heard {
            space: own.space(),
            mine: own.profile()?,
            moments: None,
            theirs: Pile::new("mine"),
            heard: Pile::new("heard"),
            queries: Pile::new("queries"),
            answers: Pile::new("answers"),
            asked: Vec::new(),
            told: BTreeMap::new(),
        };
        for letter in letters(me, inbox)? {
            heard.take(talk, me, letter)?;
        }
        Ok(heard)
    }

    fn take(&mut self, talk: Talk, me: &Me, mut letter: Letter) -> Result<(), DeviceError> {
        let line = letter.line;
        if letter.from == Sender::Server && talk == Talk::Dummies {
            return self.take_moments(letter);
        }
        let from = letter.neighbour(me)?;
        let about: Option<Vector> = letter.take("about")?;
        let message: Message = letter.read()?;
        let space = self.space;
        let received = |vector: &Vector| space.receive(vector.clone());
        let message = message.try_map(received).map_err(|source| DeviceError::Vector { line, source })?;
        if about.is_some() != matches!(message, Message::Name(_)) {
            return Err(DeviceError::Content { line, problem: "a name, and nothing else, is about a vector" });
        }
        match (message, about) {
            (Message::Mine(vector), _) => self.theirs.put(line, from, vector),
            (Message::Whose(vector), _) => {
                if !self.asked.iter().any(|(asker, asked)| (*asker, asked) == (from, &vector)) {
                    self.asked.push((from, vector));
                }
                Ok(())
            }
            (Message::Name(name), Some(vector)) => {
                if name.is_some_and(|name| name >= me.nodes) {
                    return Err(DeviceError::Content { line, problem: "the name of who is no node" });
                }
                if *self.told.entry((from, vector)).or_insert(name) != name {
                    return Err(DeviceError::Contradiction { line, from: Sender::Node(from), message: "name" });
                }
                Ok(())
            }
            (message @ Message::Heard(_), _) if talk == Talk::Dummies => self.heard.put(line, from, message),
            (message @ Message::Queries { .. }, _) if talk == Talk::Queries => self.queries.put(line, from, message),
            (message @ Message::Answers { .. }, _) if talk == Talk::Queries => self.answers.put(line, from, message),
            (Message::Heard(_), _) => Err(DeviceError::OutOfPlace { line, message: "heard" }),
            (Message::Queries { .. }, _) => Err(DeviceError::OutOfPlace { line, message: "queries" }),
            (Message::Answers { .. } | Message::Name(_), _) => {
                Err(DeviceError::OutOfPlace { line, message: "answers" })
            }
        }
    }

    fn take_moments(&mut self, mut letter: Letter) -> Result<(), DeviceError> {
        let line = letter.line;
        let moments: Option<Moments> = letter.take("moments")?;
        // Nothing may be left over.
        let rest: BTreeMap<String, Value> = letter.read()?;
        let dimensions = self.space.dimensions as usize;
        let fits = |moments: &Moments| {
            let finite = moments.mean.iter().chain(&moments.deviation).all(|value| value.is_finite());
            let lengths = [moments.mean.len(), moments.deviation.len()] == [dimensions; 2];
            finite && lengths && moments.range.0 <= moments.range.1
        };
        let Some(moments) = moments.filter(|moments| rest.is_empty() && fits(moments)) else {
            return Err(DeviceError::Content {
                line,
                problem: "the server sends \"moments\": a mean and a deviation for each dimension, and a range",
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

    /// What the node holds after round 1.
    fn known(&self, me: &Me) -> Result<Known<'_>, Vec<Waiting>> {
        Ok(Known::new(self.theirs.all(me)?.iter().map(|(&name, vector)| (name, vector))))
    }

    /// Says whose vectors others ask for.
    fn answer_questions(&self, me: &Me, node: &Node<'_>, messages: &mut Vec<Value>) {
        messages.extend(self.asked.iter().map(|(asker, vector)| {
            let mut line = to_node(me, *asker, &Message::<Vector>::Name(node.known.name_of(vector)));
            if let (Some(line), Ok(about)) = (line.as_object_mut(), serde_json::to_value(vector.vector())) {
                line.insert("about".to_owned(), about);
            }
            line
        }));
    }

    /// Asks for names, one question after the other, until there is a report.
    fn resolve(&self, me: &Me, node: &Node<'_>, wanted: &[(NodeId, Vec<&Profile>)], mut messages: Vec<Value>) -> Part {
        let mut questions: Vec<Question<'_>> = Vec::new();
        let outcome = replace(node, wanted, |neighbour, vector| {
            let question = Question { neighbour, vector };
            if !questions.contains(&question) {
                questions.push(question);
            }
            self.told.get(&(neighbour, vector.vector().clone())).copied().ok_or(question)
        });
        let whose = |question: &Question<'_>| Message::Whose(question.vector.vector().clone());
        messages.extend(questions.iter().map(|question| to_node(me, question.neighbour, &whose(question))));
        match outcome {
            Ok(outcome) => Part::of_list(messages, Some(outcome.report), Vec::new()),
            Err(question) => {
                let waiting = Waiting { from: Sender::Node(question.neighbour), message: "name", round: None };
                Part::of_list(messages, None, vec![waiting])
            }
        }
    }
}

/// The same message about the vectors themselves.
fn sent(message: &Message<&Profile>) -> Message {
    let Ok(message) = message.try_map(|profile| Ok::<_, std::convert::Infallible>(profile.vector().clone()));
    message
}

/// The same message about what is stored.
fn by_reference(message: &Message<Profile>) -> Message<&Profile> {
    let Ok(message) = message.try_map(Ok::<_, std::convert::Infallible>);
    message
}
