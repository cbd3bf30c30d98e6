//! Recognising data: which graphs a model already depends on.
//!
//! Two releases about the same people add up. An [`Identity`] lets the owner of a model notice that
//! a further graph has nodes, or is a graph, that the model was trained, validated or used on. It
//! has the fingerprint of the raw data and the names of the nodes, so it is **for the owner alone**
//! and is never released.

use serde::{Deserialize, Serialize};
use veil_graph::{Dataset, NodeNames};

use crate::seal::Private;

/// What a data set is recognised by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The name of the data set.
    pub data: String,
    fingerprint: String,
    nodes: u32,
    /// The names of the nodes; none if they are mere numbers from 0.
    names: Option<Vec<String>>,
}

impl Identity {
    /// The identity of a data set.
    pub fn of(data: &Private<Dataset>) -> Identity {
        let public = data.public();
        let named = !matches!(public.names, NodeNames::Range(_));
        let names = (0..public.nodes).map(|node| public.names.name(node).into_owned());
        Identity {
            data: public.name.to_owned(),
            fingerprint: data.fingerprint().to_string(),
            nodes: public.nodes,
            names: named.then(|| names.collect()),
        }
    }

    /// Nodes that another data set has too, as far as can be detected: `all` if the data are the
    /// same, or the first with the same name (unless names are mere numbers).
    pub fn shared_with(&self, other: &Private<Dataset>) -> Option<String> {
        if self.fingerprint == other.fingerprint().to_string() {
            return Some("all".to_owned());
        }
        let shared = self.names().shared_with(other.public().names);
        shared.map(|name| format!("node {name}"))
    }

    fn names(&self) -> NodeNames {
        let Some(names) = &self.names else { return NodeNames::Range(self.nodes) };
        let numbers: Result<Vec<u64>, _> = names.iter().map(|name| name.parse()).collect();
        match numbers {
            Ok(numbers) if numbers.is_sorted() => NodeNames::from_ascending_numbers(numbers),
            // A name that is there twice is found all the same.
            _ => NodeNames::from_texts(names.clone()).unwrap_or(NodeNames::Range(0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use veil_graph::{Direction, Graph};

    use super::*;

    fn graph(nodes: u32, edges: &[(u32, u32)]) -> Dataset {
        Dataset::new("g", Graph::from_edges(nodes, edges, Direction::Undirected).unwrap().graph, Default::default())
    }

    #[test]
    fn the_same_data_are_recognised_by_content_and_others_by_names() {
        let one = Identity::of(&Private::seal(graph(3, &[(0, 1)])));
        let kept: Identity = serde_json::from_str(&serde_json::to_string(&one).unwrap()).unwrap();
        assert_eq!(kept, one);
        assert_eq!(kept.shared_with(&Private::seal(graph(3, &[(0, 1)]))), Some("all".to_owned()));
        assert_eq!(kept.shared_with(&Private::seal(graph(3, &[(0, 2)]))), None, "numbers are no names");
        let named = |edges: &[(u32, u32)], names: &str| Private::seal(graph(2, edges).with_node_list(names).unwrap());
        let people = Identity::of(&named(&[(0, 1)], "0\n1\nann\nbob"));
        assert_eq!(people.shared_with(&named(&[], "0\n1\nbob\ncyd")), Some("node 0".to_owned()));
    }
}
