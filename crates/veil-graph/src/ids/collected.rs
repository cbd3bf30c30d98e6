//! Ids that are collected from data, and numbered by first occurrence until all are known.

use std::collections::HashMap;

use super::NodeNames;
use crate::graph::NodeId;
use crate::limits::MOST_NODES;

/// Ids of nodes, numbered by first occurrence. The map is never iterated.
#[derive(Default)]
pub(crate) struct Ids {
    known: HashMap<String, NodeId>,
    texts: Vec<String>,
}

impl Ids {
    /// The number of ids.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// The node of a known id.
    #[cfg(feature = "import")]
    pub(crate) fn get(&self, id: &str) -> Option<NodeId> {
        self.known.get(id).copied()
    }

    /// The node of an id, which may be new; `None` if there are too many.
    pub(crate) fn node(&mut self, id: &str) -> Option<NodeId> {
        if let Some(&node) = self.known.get(id) {
            return Some(node);
        }
        let node = self.texts.len() as NodeId;
        if u64::from(node) >= MOST_NODES {
            return None;
        }
        self.known.insert(id.to_owned(), node);
        self.texts.push(id.to_owned());
        Some(node)
    }

    /// The names in their order (numbers by value, if all are numbers), and the place of every node
    /// among them. The order of first occurrence would say something about edges.
    pub(crate) fn finish(self) -> (NodeNames, Vec<NodeId>) {
        drop(self.known);
        let mut places = vec![0; self.texts.len()];
        // Numbers only in their canonical form: a name must survive a round trip.
        let number = |text: &String| text.parse::<u64>().ok().filter(|number| number.to_string() == *text);
        if let Some(numbers) = self.texts.iter().map(number).collect::<Option<Vec<u64>>>() {
            let mut sorted: Vec<(u64, NodeId)> = numbers.into_iter().zip(0..).collect();
            sorted.sort_unstable();
            for (&(_, node), place) in sorted.iter().zip(0..) {
                places[node as usize] = place;
            }
            return (NodeNames::from_ascending_numbers(sorted.into_iter().map(|(number, _)| number).collect()), places);
        }
        let mut sorted: Vec<(String, NodeId)> = self.texts.into_iter().zip(0..).collect();
        sorted.sort_unstable();
        for ((_, node), place) in sorted.iter().zip(0..) {
            places[*node as usize] = place;
        }
        let nodes = sorted.len() as NodeId;
        (NodeNames::Texts(sorted.into_iter().map(|(text, _)| text).collect(), (0..nodes).collect()), places)
    }
}
