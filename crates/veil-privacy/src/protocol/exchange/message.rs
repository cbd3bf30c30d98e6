//! Messages between nodes.

use serde::{Deserialize, Serialize};
use veil_graph::NodeId;

use super::{Profile, Vector};

/// A message from a node to a neighbour, without its envelope (sender and receiver).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Message<V = Vector> {
    /// Round 1: the sender's own released vector. No other message links a vector to a name.
    Mine(V),
    /// `dummy-exchange`, round 2: the vectors that the sender received in round 1, and dummies,
    /// sorted, so that their order reveals nothing.
    #[serde(rename = "heard")]
    Forwarded(Vec<V>),
    /// `shuffled-query`, round 2: two sets of the sender's neighbours' vectors, each in random
    /// order.
    Queries {
        /// The first set.
        first: Vec<V>,
        /// The second set.
        second: Vec<V>,
    },
    /// `shuffled-query`, round 3: the most similar vector for each of a set, in the order of the
    /// questions.
    Answers {
        /// For the first set, if the sender has enough neighbours to answer it.
        first: Option<Vec<V>>,
        /// For the second set.
        second: Option<Vec<V>>,
    },
    /// A question for the owner of this vector.
    Whose(V),
    /// The answer: the owner, if the sender knows it.
    Name(Option<NodeId>),
}

impl<V> Message<V> {
    /// The same message with converted vectors: [`Profile`]s for the receiver, plain vectors for
    /// sending.
    ///
    /// # Errors
    /// The first error of `change`.
    pub fn try_map<'a, W, E>(&'a self, mut change: impl FnMut(&'a V) -> Result<W, E>) -> Result<Message<W>, E> {
        let mut all = |vectors: &'a [V]| vectors.iter().map(&mut change).collect::<Result<Vec<W>, E>>();
        Ok(match self {
            Message::Mine(vector) => Message::Mine(change(vector)?),
            Message::Forwarded(vectors) => Message::Forwarded(all(vectors)?),
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
    /// The size in bytes, by the rule of [`Traffic::bytes`](crate::protocol::Traffic::bytes).
    pub fn bytes(&self) -> u64 {
        let all = |vectors: &[&Profile]| vectors.iter().map(|vector| vector.vector().bytes()).sum::<u64>();
        match self {
            Message::Mine(vector) | Message::Whose(vector) => vector.vector().bytes(),
            Message::Forwarded(vectors) => all(vectors),
            Message::Queries { first, second } => all(first) + all(second),
            Message::Answers { first, second } => [first, second].into_iter().flatten().map(|set| all(set)).sum(),
            Message::Name(name) => 4 * u64::from(name.is_some()),
        }
    }
}
