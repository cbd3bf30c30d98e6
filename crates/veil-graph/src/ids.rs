//! The names of nodes in their files, mapped in both directions.

#[cfg(feature = "files")]
mod collected;

#[cfg(feature = "files")]
pub(crate) use collected::Ids;

use std::borrow::Cow;

use rayon::prelude::*;

use crate::graph::NodeId;

/// How files write that a value is missing, besides nothing at all.
pub(crate) const MISSING: [&str; 12] =
    ["NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "null", "NULL", "None", "\\N"];

/// The names of the nodes 0, 1, … in their files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeNames {
    /// Node v is named v.
    Range(u32),
    /// Nodes are named by ascending integers.
    Numbers(Vec<u64>),
    /// Nodes are named by texts; the second list holds the nodes in the order of their names.
    Texts(Vec<String>, Vec<NodeId>),
}

impl NodeNames {
    /// Names from ascending integers; `Range` if they are 0, 1, ….
    pub fn from_ascending_numbers(numbers: Vec<u64>) -> NodeNames {
        debug_assert!(numbers.is_sorted());
        if numbers.iter().zip(0u64..).all(|(&number, node)| number == node) {
            NodeNames::Range(numbers.len() as u32)
        } else {
            NodeNames::Numbers(numbers)
        }
    }

    /// Names from texts in the order of the nodes.
    ///
    /// # Errors
    /// If two nodes have the same name: that name.
    pub fn from_texts(texts: Vec<String>) -> Result<NodeNames, String> {
        let order = order_of(&texts)?;
        Ok(NodeNames::Texts(texts, order))
    }

    /// Sorts names that were numbered by first occurrence in an edge list, and renumbers the edges.
    ///
    /// The order of first occurrence discloses information about edges, and a release lists its
    /// nodes in order.
    ///
    /// # Errors
    /// If two nodes have the same name: that name.
    pub fn sorted_texts(mut texts: Vec<String>, edges: &mut [(NodeId, NodeId)]) -> Result<NodeNames, String> {
        let order = order_of(&texts)?;
        let mut renamed = vec![0; texts.len()];
        for (&node, new) in order.iter().zip(0..) {
            renamed[node as usize] = new;
        }
        edges.par_iter_mut().for_each(|(source, target)| {
            (*source, *target) = (renamed[*source as usize], renamed[*target as usize]);
        });
        texts.par_sort_unstable();
        let nodes = texts.len() as NodeId;
        Ok(NodeNames::Texts(texts, (0..nodes).collect()))
    }

    /// The names of these nodes (ascending).
    pub(crate) fn selected(&self, nodes: &[NodeId]) -> NodeNames {
        debug_assert!(nodes.is_sorted_by(|a, b| a < b));
        match self {
            NodeNames::Range(_) => NodeNames::from_ascending_numbers(nodes.iter().copied().map(u64::from).collect()),
            NodeNames::Numbers(numbers) => {
                NodeNames::from_ascending_numbers(nodes.iter().map(|&node| numbers[node as usize]).collect())
            }
            NodeNames::Texts(texts, order) => {
                let kept = nodes.iter().map(|&node| texts[node as usize].clone()).collect();
                let renamed = order.iter().filter_map(|node| nodes.binary_search(node).ok());
                NodeNames::Texts(kept, renamed.map(|node| node as NodeId).collect())
            }
        }
    }

    /// A name that both have, where names say who a node is: two ranges say nothing, and a range is
    /// compared with numbers only if it contains them all, as those of its parts.
    pub fn shared_with(&self, other: &NodeNames) -> Option<String> {
        let within = |numbers: &[u64], nodes: u32| numbers.last().is_none_or(|&last| last < u64::from(nodes));
        let comparable = match (self, other) {
            (NodeNames::Range(_), NodeNames::Range(_)) => false,
            (NodeNames::Range(nodes), NodeNames::Numbers(numbers))
            | (NodeNames::Numbers(numbers), NodeNames::Range(nodes)) => within(numbers, *nodes),
            _ => true,
        };
        let mut names = (0..other.len() as NodeId).filter(|_| comparable).map(|node| other.name(node));
        names.find(|name| self.node(name).is_some()).map(Cow::into_owned)
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        match self {
            NodeNames::Range(nodes) => *nodes as usize,
            NodeNames::Numbers(numbers) => numbers.len(),
            NodeNames::Texts(texts, _) => texts.len(),
        }
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of a node, or its number if it does not exist.
    pub fn name(&self, node: NodeId) -> Cow<'_, str> {
        match self {
            NodeNames::Range(_) => Cow::Owned(node.to_string()),
            NodeNames::Numbers(numbers) => {
                Cow::Owned(numbers.get(node as usize).map_or_else(|| node.to_string(), u64::to_string))
            }
            NodeNames::Texts(texts, _) => texts
                .get(node as usize)
                .map_or_else(|| Cow::Owned(node.to_string()), |text| Cow::Borrowed(text.as_str())),
        }
    }

    /// The node of this name.
    pub fn node(&self, name: &str) -> Option<NodeId> {
        match self {
            NodeNames::Range(nodes) => name.parse().ok().filter(|node| node < nodes),
            NodeNames::Numbers(_) => self.numbered(name.parse().ok()?),
            NodeNames::Texts(texts, order) => {
                let place = order.binary_search_by(|&node| texts[node as usize].as_str().cmp(name)).ok()?;
                Some(order[place])
            }
        }
    }

    /// The node named by this number.
    pub fn numbered(&self, number: u64) -> Option<NodeId> {
        match self {
            NodeNames::Range(nodes) => u32::try_from(number).ok().filter(|node| node < nodes),
            NodeNames::Numbers(numbers) => numbers.binary_search(&number).ok().map(|place| place as NodeId),
            NodeNames::Texts(..) => self.node(&number.to_string()),
        }
    }
}

/// The nodes in the order of their names, or a duplicate name.
fn order_of(texts: &[String]) -> Result<Vec<NodeId>, String> {
    let mut order: Vec<NodeId> = (0..texts.len() as NodeId).collect();
    order.par_sort_unstable_by(|&a, &b| texts[a as usize].cmp(&texts[b as usize]));
    match order.windows(2).find(|pair| texts[pair[0] as usize] == texts[pair[1] as usize]) {
        Some(pair) => Err(texts[pair[0] as usize].clone()),
        None => Ok(order),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_map_both_ways() {
        let numbers = NodeNames::from_ascending_numbers(vec![3, 7, 4_000_000_000_000]);
        assert_eq!((numbers.name(2).as_ref(), numbers.node("7"), numbers.node("8")), ("4000000000000", Some(1), None));
        let texts = NodeNames::from_texts(vec!["zoe".into(), "adam".into()]).unwrap();
        assert_eq!((texts.name(0).as_ref(), texts.node("adam"), texts.node("eve")), ("zoe", Some(1), None));
        assert_eq!(NodeNames::from_ascending_numbers(vec![0, 1, 2]), NodeNames::Range(3));
        assert_eq!(NodeNames::from_texts(vec!["a".into(), "a".into()]), Err("a".to_owned()));
    }

    #[test]
    fn selected_nodes_keep_their_names() {
        let range = NodeNames::Range(5).selected(&[1, 4]);
        assert_eq!((range.name(1).as_ref(), range.node("1"), range.node("0")), ("4", Some(0), None));
        assert_eq!(NodeNames::Range(5).selected(&[0, 1]), NodeNames::Range(2));
        let numbers = NodeNames::from_ascending_numbers(vec![3, 7, 9]).selected(&[0, 2]);
        assert_eq!(numbers, NodeNames::Numbers(vec![3, 9]));
        let texts: Vec<String> = ["zoe", "carl", "eve", "adam"].map(str::to_owned).into();
        let texts = NodeNames::from_texts(texts).unwrap().selected(&[0, 2, 3]);
        assert_eq!(Ok(texts), NodeNames::from_texts(["zoe", "eve", "adam"].map(str::to_owned).into()));
    }

    #[test]
    fn sorted_names_do_not_depend_on_the_order_of_edges() {
        let mut edges = [(0, 1), (1, 2)];
        let names = NodeNames::sorted_texts(vec!["zoe".into(), "adam".into(), "eve".into()], &mut edges).unwrap();
        assert_eq!([0, 1, 2].map(|node| names.name(node).into_owned()), ["adam", "eve", "zoe"]);
        assert_eq!(edges, [(2, 0), (0, 1)]);
        assert_eq!(names.node("zoe"), Some(2));
    }
}
