//! As many members as others in every class.

use std::collections::BTreeMap;

use veil_graph::NodeId;
use veil_graph::random::Random;

/// Nodes with their classes.
type Nodes = Vec<(NodeId, u32)>;

/// Draws from members and from others: in each class as many of both as there are of the fewer.
/// Both lists ascend.
///
/// Classes then do not distinguish members from others. A class that one side lacks is not
/// attacked.
pub(super) fn matched(members: &[(NodeId, u32)], others: &[(NodeId, u32)], seed: u64) -> (Nodes, Nodes) {
    let by_class = |nodes: &[(NodeId, u32)], purpose: &str| {
        let mut order = nodes.to_vec();
        Random::new(seed, purpose).shuffle(&mut order);
        let mut classes: BTreeMap<u32, Nodes> = BTreeMap::new();
        order.into_iter().for_each(|(node, class)| classes.entry(class).or_default().push((node, class)));
        classes
    };
    let (members, others) = (by_class(members, "membership/members"), by_class(others, "membership/others"));
    let drawn = |from: &BTreeMap<u32, Nodes>, beside: &BTreeMap<u32, Nodes>| {
        let class = |(class, nodes): (&u32, &Nodes)| {
            let count = nodes.len().min(beside.get(class).map_or(0, Vec::len));
            nodes[..count].to_vec()
        };
        let mut drawn: Nodes = from.iter().flat_map(class).collect();
        drawn.sort_unstable();
        drawn
    };
    (drawn(&members, &others), drawn(&others, &members))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_as_many_members_as_others() {
        let members: Nodes = (0..30).map(|node| (node, node % 3)).collect();
        let others: Nodes = (0..22).map(|node| (node, u32::from(node >= 4))).chain([(30, 7)]).collect();
        let (left, right) = matched(&members, &others, 1);
        let count = |nodes: &Nodes, class| nodes.iter().filter(|&&(_, of)| of == class).count();
        for (class, expected) in [(0, 4), (1, 10), (2, 0), (7, 0)] {
            assert_eq!((count(&left, class), count(&right, class)), (expected, expected), "{class}");
        }
        assert!(left.is_sorted() && right.is_sorted());
        assert!(left.iter().all(|node| members.contains(node)) && right.iter().all(|node| others.contains(node)));
        assert_eq!((left.clone(), right.clone()), matched(&members, &others, 1));
        assert_ne!((left, right), matched(&members, &others, 2));
    }
}
