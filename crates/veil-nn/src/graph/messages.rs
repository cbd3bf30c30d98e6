//! Neighbour lists: from which nodes each node receives messages.

use std::sync::OnceLock;

use veil_graph::{Direction, Graph, NodeId};

use crate::kernels::gather::Lists;

/// For every node, the list of nodes from which it receives messages.
///
/// Unlike a [`Graph`], a released list may contain self loops and repetitions.
#[derive(Debug)]
pub struct Messages {
    offsets: Vec<usize>,
    sources: Vec<NodeId>,
    /// The weight of every message, if they have any.
    weights: Option<Vec<f32>>,
    /// Whether the messages, and their weights, equal their reverse.
    symmetric: bool,
    reverse: OnceLock<Reverse>,
}

/// The same messages, listed by sender.
#[derive(Debug)]
pub struct Reverse {
    offsets: Vec<usize>,
    targets: Vec<NodeId>,
    /// For every entry, its index in the forward lists.
    entries: Vec<u32>,
}

/// Why lists of messages are invalid.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessagesError {
    #[error("the list of node {receiver} has unknown node {sender}: there are {nodes} nodes")]
    NoSuchNode { receiver: usize, sender: NodeId, nodes: usize },
    #[error("{messages} messages exceed the limit of {}", u32::MAX)]
    TooMany { messages: usize },
    #[error("{weights} weights do not fit {messages} messages")]
    Weights { weights: usize, messages: usize },
    #[error("weight from {sender} to {receiver} must be positive and equal in both directions")]
    Weight { receiver: NodeId, sender: NodeId },
}

impl Messages {
    /// Node v receives messages from its neighbours in the graph.
    ///
    /// # Errors
    /// If the graph has more than 2³²−1 entries.
    pub fn of(graph: &Graph) -> Result<Messages, MessagesError> {
        let symmetric = graph.direction() == Direction::Undirected;
        Messages::checked(graph.offsets().to_vec(), graph.targets().to_vec(), symmetric)
    }

    /// Node v receives messages from its neighbours in an undirected graph, each times the weight
    /// of its edge: `weights` has one for each entry of the graph. Attention computes weights of
    /// its own and does not read these.
    ///
    /// # Errors
    /// If there is not one positive weight per entry, or an edge has two.
    pub fn weighted(graph: &Graph, weights: Vec<f32>) -> Result<Messages, MessagesError> {
        let (found, messages) = (weights.len(), graph.entries());
        if found != messages {
            return Err(MessagesError::Weights { weights: found, messages });
        }
        let plain = Messages::checked(graph.offsets().to_vec(), graph.targets().to_vec(), true)?;
        Messages { weights: Some(weights), ..plain }.mutual()
    }

    /// Node v receives messages from the nodes of `lists[v]`, which ascend, each times its weight,
    /// and its own with weight 1. Who is in a list has the same weight in the other direction.
    ///
    /// # Errors
    /// If a list names a node that does not exist, or a weight is not positive or not that of the
    /// reverse.
    ///
    /// ```
    /// use veil_nn::Messages;
    /// let messages = Messages::weighted_with_loops(&[vec![(1, 0.5)], vec![(0, 0.5)], vec![]])?;
    /// assert_eq!((messages.received_by(0), messages.received_by(2)), (&[0, 1][..], &[2][..]));
    /// # Ok::<(), veil_nn::MessagesError>(())
    /// ```
    pub fn weighted_with_loops(lists: &[Vec<(NodeId, f32)>]) -> Result<Messages, MessagesError> {
        let count = lists.iter().map(Vec::len).sum();
        let (mut offsets, mut sources) = (vec![0], Vec::with_capacity(count));
        let mut weights = Vec::with_capacity(count);
        for (receiver, list) in lists.iter().enumerate() {
            if let Some(&(sender, _)) = list.iter().find(|&&(sender, _)| sender as usize >= lists.len()) {
                return Err(MessagesError::NoSuchNode { receiver, sender, nodes: lists.len() });
            }
            sources.extend(list.iter().map(|&(sender, _)| sender));
            weights.extend(list.iter().map(|&(_, weight)| weight));
            offsets.push(sources.len());
        }
        let plain = Messages::checked(offsets, sources, true)?;
        Ok(Messages { weights: Some(weights), ..plain }.mutual()?.with_loops())
    }

    /// The same, if every weight is positive and that of the reverse.
    fn mutual(self) -> Result<Messages, MessagesError> {
        for receiver in 0..self.nodes() {
            let weights = self.weights_of(receiver).unwrap_or(&[]);
            for (&sender, &weight) in self.received_by(receiver).iter().zip(weights) {
                let back = self.received_by(sender as usize).binary_search(&(receiver as NodeId)).ok();
                let reverse = back.zip(self.weights_of(sender as usize)).map(|(place, weights)| weights[place]);
                if reverse != Some(weight) || !weight.is_finite() || weight <= 0.0 {
                    return Err(MessagesError::Weight { receiver: receiver as NodeId, sender });
                }
            }
        }
        Ok(self)
    }

    /// No messages at all.
    ///
    /// ```
    /// let messages = veil_nn::Messages::none(3);
    /// assert_eq!((messages.nodes(), messages.entries()), (3, 0));
    /// ```
    pub fn none(nodes: u32) -> Messages {
        let offsets = vec![0; nodes as usize + 1];
        Messages { offsets, sources: Vec::new(), weights: None, symmetric: true, reverse: OnceLock::new() }
    }

    /// Node v receives messages from `lists[v]`, which need not be sorted.
    ///
    /// # Errors
    /// If a list names a node that does not exist.
    ///
    /// ```
    /// use veil_nn::Messages;
    /// let messages = Messages::from_lists(&[vec![1, 2], vec![], vec![2]])?;
    /// assert_eq!(messages.received_by(0), [1, 2]);
    /// assert_eq!(messages.entries(), 3);
    /// # Ok::<(), veil_nn::MessagesError>(())
    /// ```
    pub fn from_lists(lists: &[Vec<NodeId>]) -> Result<Messages, MessagesError> {
        let mut offsets = vec![0];
        let mut sources = Vec::new();
        for (receiver, list) in lists.iter().enumerate() {
            if let Some(&sender) = list.iter().find(|&&sender| sender as usize >= lists.len()) {
                return Err(MessagesError::NoSuchNode { receiver, sender, nodes: lists.len() });
            }
            let start = sources.len();
            sources.extend_from_slice(list);
            sources[start..].sort_unstable();
            offsets.push(sources.len());
        }
        Messages::checked(offsets, sources, false)
    }

    fn checked(offsets: Vec<usize>, sources: Vec<NodeId>, symmetric: bool) -> Result<Messages, MessagesError> {
        // Self loops may be added later, one per node.
        let messages = sources.len() + offsets.len();
        if messages > u32::MAX as usize {
            return Err(MessagesError::TooMany { messages });
        }
        Ok(Messages { offsets, sources, weights: None, symmetric, reverse: OnceLock::new() })
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of messages.
    pub fn entries(&self) -> usize {
        self.sources.len()
    }

    /// The nodes from which a node receives messages.
    ///
    /// # Panics
    /// If the node does not exist.
    pub fn received_by(&self, node: usize) -> &[NodeId] {
        &self.sources[self.offsets[node]..self.offsets[node + 1]]
    }

    /// The weight of every message, if they have any: also of every message in `reversed`.
    pub(crate) fn weights(&self) -> Option<&[f32]> {
        self.weights.as_deref()
    }

    /// The weights of the messages that a node receives; `None` if all are 1.
    pub(crate) fn weights_of(&self, node: usize) -> Option<&[f32]> {
        self.weights().map(|weights| &weights[self.offsets[node]..self.offsets[node + 1]])
    }

    /// The lists in the form that the kernels read.
    pub(crate) fn lists(&self) -> Lists<'_> {
        Lists { offsets: &self.offsets, sources: &self.sources }
    }

    /// For every node, the nodes that receive its messages.
    pub(crate) fn reversed(&self) -> Lists<'_> {
        if self.symmetric { self.lists() } else { self.reverse().lists() }
    }

    /// The reverse with the index of every message, for the gradients of attention.
    pub(crate) fn reverse(&self) -> &Reverse {
        self.reverse.get_or_init(|| Reverse::of(self.lists(), self.nodes()))
    }

    /// The same messages with exactly one self loop per node, of weight 1.
    pub(crate) fn with_loops(&self) -> Messages {
        let mut offsets = Vec::with_capacity(self.offsets.len());
        let mut sources = Vec::with_capacity(self.entries() + self.nodes());
        let mut weights = self.weights.as_ref().map(|_| Vec::with_capacity(sources.capacity()));
        offsets.push(0);
        for node in 0..self.nodes() {
            let (list, own) = (self.received_by(node), self.weights_of(node));
            let node = node as NodeId;
            let before = list.partition_point(|&source| source < node);
            let after = list.partition_point(|&source| source <= node);
            sources.extend_from_slice(&list[..before]);
            sources.push(node);
            sources.extend_from_slice(&list[after..]);
            offsets.push(sources.len());
            if let Some((weights, own)) = weights.as_mut().zip(own) {
                weights.extend_from_slice(&own[..before]);
                weights.push(1.0);
                weights.extend_from_slice(&own[after..]);
            }
        }
        Messages { offsets, sources, weights, symmetric: self.symmetric, reverse: OnceLock::new() }
    }
}

impl Reverse {
    /// Transposes lists over `count` sources; each result list is in ascending order.
    ///
    /// # Panics
    /// If there are more than 2³²−1 entries: [`Messages`] and inputs check this on construction.
    pub(crate) fn of(lists: Lists, count: usize) -> Reverse {
        let Lists { offsets: rows, sources } = lists;
        assert!(u32::try_from(sources.len()).is_ok(), "entries can be counted in 32 bits");
        let mut offsets = vec![0usize; count + 2];
        for &source in sources {
            offsets[source as usize + 2] += 1;
        }
        for source in 2..offsets.len() {
            offsets[source] += offsets[source - 1];
        }
        let mut targets = vec![0; sources.len()];
        let mut entries = vec![0; sources.len()];
        for row in 0..rows.len() - 1 {
            for entry in rows[row]..rows[row + 1] {
                let place = &mut offsets[sources[entry] as usize + 1];
                targets[*place] = row as NodeId;
                entries[*place] = entry as u32;
                *place += 1;
            }
        }
        offsets.pop();
        Reverse { offsets, targets, entries }
    }

    /// The lists in the form that the kernels read: row u holds the receivers of u's messages.
    pub(crate) fn lists(&self) -> Lists<'_> {
        Lists { offsets: &self.offsets, sources: &self.targets }
    }

    /// For every entry of [`lists`](Reverse::lists), the index of the same message in the forward
    /// lists.
    pub(crate) fn entries(&self) -> &[u32] {
        &self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Messages {
        Messages::from_lists(&[vec![2, 1, 1], vec![1, 0], vec![], vec![0]]).unwrap()
    }

    #[test]
    fn the_reverse_lists_every_message_once_with_its_index() {
        let messages = example();
        let reverse = messages.reverse();
        let lists = reverse.lists();
        let mut seen = vec![false; messages.entries()];
        for sender in 0..4 {
            for place in lists.offsets[sender]..lists.offsets[sender + 1] {
                let (receiver, entry) = (lists.sources[place] as usize, reverse.entries()[place] as usize);
                assert_eq!(messages.sources[entry] as usize, sender);
                assert!((messages.offsets[receiver]..messages.offsets[receiver + 1]).contains(&entry));
                assert!(!std::mem::replace(&mut seen[entry], true));
            }
        }
        assert!(seen.into_iter().all(|seen| seen));
    }

    #[test]
    fn self_loops_occur_exactly_once() {
        let looped = example().with_loops();
        assert_eq!(looped.received_by(0), [0, 1, 1, 2]);
        assert_eq!(looped.received_by(1), [0, 1]);
        assert_eq!(looped.received_by(2), [2]);
        assert_eq!(looped.received_by(3), [0, 3]);
    }

    #[test]
    fn weights_belong_to_edges() {
        let graph = Graph::from_edges(4, &[(0, 1), (1, 3)], Direction::Undirected).unwrap().graph;
        let looped = Messages::weighted(&graph, vec![0.5, 0.5, 0.25, 0.25]).unwrap().with_loops();
        assert_eq!((looped.received_by(1), looped.weights_of(1)), (&[0, 1, 3][..], Some(&[0.5, 1.0, 0.25][..])));
        assert_eq!(looped.weights_of(2), Some(&[1.0][..]));
        let refused = |weights: &[f32]| Messages::weighted(&graph, weights.to_vec()).unwrap_err();
        assert_eq!(refused(&[0.5]), MessagesError::Weights { weights: 1, messages: 4 });
        assert_eq!(refused(&[0.5, 0.4, 0.25, 0.25]), MessagesError::Weight { receiver: 0, sender: 1 });
        assert_eq!(refused(&[0.5, 0.5, 0.0, 0.0]), MessagesError::Weight { receiver: 1, sender: 3 });
        assert_eq!(refused(&[0.5, 0.5, f32::NAN, f32::NAN]), MessagesError::Weight { receiver: 1, sender: 3 });
    }

    #[test]
    fn lists_with_weights_are_mutual() {
        let lists = [vec![(1, 0.5), (2, 0.25)], vec![(0, 0.5)], vec![(0, 0.25)]];
        let messages = Messages::weighted_with_loops(&lists).unwrap();
        assert_eq!((messages.received_by(0), messages.weights_of(0)), (&[0, 1, 2][..], Some(&[1.0, 0.5, 0.25][..])));
        assert_eq!((messages.received_by(2), messages.weights_of(2)), (&[0, 2][..], Some(&[0.25, 1.0][..])));
        let refused = |first: f32| Messages::weighted_with_loops(&[vec![(1, first)], vec![(0, 0.5)]]).unwrap_err();
        assert_eq!(refused(0.25), MessagesError::Weight { receiver: 0, sender: 1 });
        let error = Messages::weighted_with_loops(&[vec![(1, 1.0)], vec![]]).unwrap_err();
        assert_eq!(error, MessagesError::Weight { receiver: 0, sender: 1 });
    }

    #[test]
    fn unknown_nodes_are_refused() {
        let error = Messages::from_lists(&[vec![0], vec![2]]).unwrap_err();
        assert_eq!(error.to_string(), "the list of node 1 has unknown node 2: there are 2 nodes");
    }
}
