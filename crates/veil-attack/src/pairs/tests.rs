use super::*;
use crate::testing::{homophilous, undirected};

#[test]
fn pairs_are_distinct_and_the_truth_about_them_is_true() {
    let graph = homophilous(40, 1, 1).graph;
    for sample in Sample::ALL {
        let size = if sample == Sample::Balanced { 25 } else { 20 };
        let drawn = |seed| Pairs::sample(&graph, sample, size, seed).unwrap();
        let pairs = drawn(1);
        let ends: BTreeSet<_> = pairs.list().iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
        assert_eq!(ends.len(), pairs.list().len(), "{sample}");
        for (&(source, target), &edge) in pairs.list().iter().zip(pairs.is_edge()) {
            assert_ne!(source, target);
            assert_eq!(edge, graph.has_edge(source, target));
        }
        // Both orientations occur, for edges and for others.
        for kind in [true, false] {
            let kind = || pairs.list().iter().zip(pairs.is_edge()).filter(move |&(_, &edge)| edge == kind);
            assert!(kind().any(|(pair, _)| pair.0 < pair.1) && kind().any(|(pair, _)| pair.0 > pair.1), "{sample}");
        }
        assert_eq!(pairs, drawn(1));
        assert_ne!(pairs, drawn(2));
    }
}

#[test]
fn balanced_samples_stay_balanced_when_either_kind_is_scarce() {
    let count = |graph: &Graph, pairs| {
        let sample = Pairs::sample(graph, Sample::Balanced, pairs, 1).unwrap();
        let edges = sample.is_edge().iter().filter(|&&edge| edge).count();
        (edges, sample.list().len() - edges)
    };
    let sparse = undirected(10, &[(0, 1), (4, 9), (2, 3)]);
    assert_eq!((count(&sparse, 2), count(&sparse, 3), count(&sparse, 500)), ((2, 2), (3, 3), (3, 3)));
    // All pairs but (0, 5) and (3, 4).
    let dense: Vec<_> = (0..6).flat_map(|a| (a + 1..6).map(move |b| (a, b))).collect();
    let dense: Vec<_> = dense.into_iter().filter(|pair| ![(0, 5), (3, 4)].contains(pair)).collect();
    assert_eq!(count(&undirected(6, &dense), 500), (2, 2));
}

/// Each of the 4 edges and of the 6 others of five nodes must come up equally often.
#[test]
fn balanced_samples_are_uniform() {
    let graph = undirected(5, &[(0, 1), (0, 4), (1, 2), (2, 4)]);
    let mut seen = std::collections::BTreeMap::new();
    for seed in 0..6000 {
        let sample = Pairs::sample(&graph, Sample::Balanced, 2, seed).unwrap();
        assert_eq!(sample.list().len(), 4);
        for &pair in sample.list() {
            *seen.entry(pair).or_insert(0) += 1;
        }
    }
    assert_eq!(seen.len(), 20, "{seen:?}");
    for (&(source, target), &count) in &seen {
        // Two of four, or two of six; then one of two orientations. Six deviations of the binomial:
        // below 20 × 2e-9.
        let chance: f64 = if graph.has_edge(source, target) { 0.25 } else { 1.0 / 6.0 };
        let deviation = (6000.0 * chance * (1.0 - chance)).sqrt();
        assert!((f64::from(count) - 6000.0 * chance).abs() < 6.0 * deviation, "({source}, {target}): {count}");
    }
}

#[test]
fn ranks_enumerate_edges_and_others() {
    let graph = undirected(5, &[(0, 1), (0, 4), (1, 2), (2, 4)]);
    assert_eq!(pick(&graph, true, (0..4).collect()), [(0, 1), (0, 4), (1, 2), (2, 4)]);
    assert_eq!(pick(&graph, false, (0..6).collect()), [(0, 2), (0, 3), (1, 3), (1, 4), (2, 3), (3, 4)]);
}

/// A star of four leaves, an edge between two of them, and two lonely nodes.
#[test]
fn degree_samples_take_the_ends_of_the_degree_order() {
    let graph = undirected(7, &[(0, 1), (0, 2), (0, 3), (0, 4), (1, 2)]);
    let nodes = |sample, size, seed| -> BTreeSet<NodeId> {
        let sample = Pairs::sample(&graph, sample, size, seed).unwrap();
        sample.list().iter().flat_map(|&(a, b)| [a, b]).collect()
    };
    for seed in 0..20 {
        let high = nodes(Sample::HighDegree, 4, seed);
        assert!(high.is_superset(&BTreeSet::from([0, 1, 2])) && high.len() == 4, "{high:?}");
        assert_eq!(nodes(Sample::LowDegree, 6, seed), (1..7).collect());
        assert_eq!(nodes(Sample::Unbalanced, 70, seed), (0..7).collect());
    }
    let fourth: BTreeSet<_> = (0..20).map(|seed| nodes(Sample::HighDegree, 4, seed)).collect();
    assert_eq!(fourth.len(), 2, "3 and 4 tie: {fourth:?}");
}

#[test]
fn a_directed_pair_is_an_edge_if_either_direction_exists() {
    let graph = Graph::from_edges(4, &[(3, 0), (1, 2), (2, 1)], Direction::Directed).unwrap().graph;
    let pairs = Pairs::sample(&graph, Sample::Unbalanced, 4, 1).unwrap();
    let edges = pairs.list().iter().zip(pairs.is_edge()).filter(|&(_, &edge)| edge);
    let edges: BTreeSet<_> = edges.map(|(&(a, b), _)| (a.min(b), a.max(b))).collect();
    assert_eq!(edges, BTreeSet::from([(0, 3), (1, 2)]));
    let balanced = Pairs::sample(&graph, Sample::Balanced, 500, 1).unwrap();
    assert_eq!(balanced.is_edge(), [true, true, false, false]);
}

#[test]
fn nothing_to_find_is_an_error() {
    let (empty, full) = (undirected(3, &[]), undirected(3, &[(0, 1), (0, 2), (1, 2)]));
    for (sample, size) in [(Sample::Balanced, 500), (Sample::Unbalanced, 5)] {
        let refused = |graph: &Graph| Pairs::sample(graph, sample, size, 1).unwrap_err();
        assert_eq!(refused(&empty), AttackError::NoEdge { nodes: 3, pairs: 3 });
        assert_eq!(refused(&full), AttackError::NoOther { nodes: 3, pairs: 3 });
        assert_eq!(refused(&undirected(0, &[])), AttackError::NoEdge { nodes: 0, pairs: 0 });
    }
    let no_pair = Pairs::sample(&full, Sample::Balanced, 0, 1);
    assert_eq!(no_pair, Err(AttackError::TooFew { what: "pairs", asked: 0, least: 1 }));
    let one_node = Pairs::sample(&full, Sample::LowDegree, 1, 1);
    assert_eq!(one_node, Err(AttackError::TooFew { what: "nodes", asked: 1, least: 2 }));
}

#[test]
fn more_pairs_than_can_be_rated_are_refused_before_they_are_made() {
    let graph = undirected(3_000_000, &[(0, 1)]);
    let refused = |nodes| Pairs::sample(&graph, Sample::Unbalanced, nodes, 1);
    assert_eq!(refused(2001), Err(AttackError::TooMany { pairs: 2_001_000, most: MOST_PAIRS }));
    assert_eq!(refused(usize::MAX), Err(AttackError::TooMany { pairs: 4_499_998_500_000, most: MOST_PAIRS }));
    // As many as there are, not as were asked for.
    assert_eq!(Pairs::sample(&graph, Sample::Balanced, usize::MAX, 1).unwrap().list().len(), 2);
    let small = undirected(2000, &[(0, 1)]);
    assert_eq!(Pairs::sample(&small, Sample::HighDegree, 9000, 1).unwrap().list().len(), 1_999_000);
}
