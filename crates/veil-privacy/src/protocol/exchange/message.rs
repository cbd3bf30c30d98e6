//! What nodes send each other.

use serde::{Deserialize, Serialize};
use veil_graph::NodeId;

use super::{Profile, Vector};

/// A message from one node to a neighbour. Who sent it, and to whom, is the envelope's business.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Message<V = Vector> {
    /// Round 1: the sender's own released vector. The only message that ties a vector to a name.
    Mine(V),
    /// `dummy-exchange`, round 2: what the sender received in round 1, and dummies, in the order of vectors, so that
    /// the order says nothing else.
    Heard(Vec<V>),
    /// `shuffled-query`, round 2: two sets of the sender's neighbours' vectors, each in random order.
    Queries {
        /// The set that is named first.
        first: Vec<V>,
        /// The other one.
        second: Vec<V>,
    },
    /// `shuffled-query`, round 3: the most similar vector for each of a set, in the order of the questions.
    Answers {
        /// For the first set, if there are neighbours enough to answer it.
        first: Option<Vec<V>>,
        /// For the second set.
        second: Option<Vec<V>>,
    },
    /// Do you know whose vector this is?
    Whose(V),
    /// The answer: a name, if the sender knows one.
    Name(Option<NodeId>),
}

impl<V> Message<V> {
    /// The same message about other vectors: a received one about the [`Profile`]s that the receiver made of it, or one
    /// to be sent about the vectors themselves.
    ///
    /// # Errors
    /// The first error of `change`.
    pub fn try_map<'a, W, E>(&'a self, mut change: impl FnMut(&'a V) -> Result<W, E>) -> Result<Message<W>, E> {
        let mut all = |vectors: &'a [V]| vectors.iter().map(&mut change).collect::<Result<Vec<W>, E>>();
        Ok(match self {
            Message::Mine(vector) => Message::Mine(change(vector)?),
            Message::Heard(vectors) => Message::Heard(all(vectors)?),
            Message::Queries { first, second } => Message::Queries { first: all(first)?, second: all(second)? },
            Message::Answers { first, second } => Message::Answers {
                first: first.as_deref().map(&mut all).transpose()?,
                second: second.as_deref().map(&mut all).transpose()?,
            },
            Message::Whose(vector) => Message::Whose(change(vector)?),
            Message::Name(name) => Message::Name(*name),
        })
    }
}

impl Message<&Profile> {
    /// How many bytes it holds, by the rule of [`Traffic::bytes`](crate::protocol::Traffic::bytes).
    pub fn bytes(&self) -> u64 {
        let all = |vectors: &[&Profile]| vectors.iter().map(|vector| vector.vector().bytes()).sum::<u64>();
        match self {
            Message::Mine(vector) | Message::Whose(vector) => vector.vector().bytes(),
            Message::Heard(vectors) => all(vectors),
            Message::Queries { first, second } => all(first) + all(second),
            Message::Answers { first, second } => [first, second].into_iter().flatten().map(|set| all(set)).sum(),
            Message::Name(name) => 4 * u64::from(name.is_some()),
        }
    }
}
