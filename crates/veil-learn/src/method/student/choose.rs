//! Choice of the public nodes that are queried (PrivGNN, §6.3, "active learning"). It reads public
//! data alone, so it costs nothing.

use veil_graph::random::Random;
use veil_graph::{Dataset, Features, Matrix, NodeId, Part, ShapeError};

use crate::error::LearnError;
use crate::parameters::Choose;

/// So many of the public nodes that are for training; of all nodes, if there is no split. Ties go
/// to the lower number.
///
/// # Errors
/// If there are not so many.
pub fn choose(public: &Dataset, how: Choose, count: usize, seed: u64) -> Result<Vec<NodeId>, LearnError> {
    let mut nodes: Vec<NodeId> = match public.split() {
        Some(split) => split.nodes(Part::Train).collect(),
        None => (0..public.nodes()).collect(),
    };
    if nodes.len() < count {
        return Err(LearnError::TooManyQueries { asked: count, found: nodes.len(), data: public.name().to_owned() });
    }
    let largest_first = |nodes: &mut Vec<NodeId>, weight: &dyn Fn(NodeId) -> f64| {
        nodes.sort_by(|&a, &b| weight(b).total_cmp(&weight(a)).then(a.cmp(&b)));
    };
    match how {
        Choose::Random => Random::new(seed, "queries").shuffle(&mut nodes),
        Choose::Degree => largest_first(&mut nodes, &|node| public.graph().degree(node) as f64),
        Choose::Pagerank => {
            let ranks = page_rank(public);
            largest_first(&mut nodes, &|node| ranks[node as usize]);
        }
        Choose::Clustering => {
            let features = public.features().ok_or(LearnError::NoFeatures)?;
            nodes = farthest_first(features, &nodes, count)?;
        }
    }
    nodes.truncate(count);
    Ok(nodes)
}

/// How often a walker is at each node who follows edges, and with probability 0.15 goes anywhere
/// (Page et al. 1999).
fn page_rank(public: &Dataset) -> Vec<f64> {
    const STEPS: usize = 60;
    const FOLLOWED: f64 = 0.85;
    let (graph, nodes) = (public.graph(), public.nodes() as usize);
    let mut ranks = vec![1.0 / nodes as f64; nodes];
    for _ in 0..STEPS {
        // From a node without neighbours a walker goes anywhere.
        let stuck: f64 = (0..nodes).filter(|&node| graph.degree(node as NodeId) == 0).map(|node| ranks[node]).sum();
        let anywhere = (1.0 - FOLLOWED + FOLLOWED * stuck) / nodes as f64;
        let mut next = vec![anywhere; nodes];
        for (node, rank) in ranks.iter().enumerate() {
            let neighbours = graph.neighbours(node as NodeId);
            let share = FOLLOWED * rank / neighbours.len().max(1) as f64;
            neighbours.iter().for_each(|&neighbour| next[neighbour as usize] += share);
        }
        ranks = next;
    }
    ranks
}

/// Centres of clusters: each next one is the farthest from all before it (Gonzalez 1985), beginning
/// with the one nearest to the mean.
fn farthest_first(features: &Features, nodes: &[NodeId], count: usize) -> Result<Vec<NodeId>, ShapeError> {
    let row = |node: NodeId| -> Vec<f32> {
        (0..features.columns() as u32).map(|column| features.value(node as usize, column)).collect()
    };
    let lengths: Vec<f64> = nodes.iter().map(|&node| features.norm(node as usize).powi(2)).collect();
    let distances = |from: Vec<f32>| -> Result<Vec<f64>, ShapeError> {
        let length: f64 = from.iter().map(|&it| f64::from(it).powi(2)).sum();
        let products = features.times(&Matrix::from_values(features.columns(), 1, from)?)?;
        let distance = |(&node, own): (&NodeId, &f64)| own + length - 2.0 * f64::from(products.row(node as usize)[0]);
        Ok(nodes.iter().zip(&lengths).map(distance).collect())
    };
    let weights = Matrix::from_values(features.rows(), 1, {
        let mut weights = vec![0.0; features.rows()];
        nodes.iter().for_each(|&node| weights[node as usize] = 1.0 / nodes.len() as f32);
        weights
    })?;
    let mean = features.transposed_times(&weights)?.values().to_vec();
    let mut from_the_mean = distances(mean)?;
    let mut nearest = vec![f64::INFINITY; nodes.len()];
    let mut chosen = Vec::with_capacity(count);
    while chosen.len() < count {
        // The first among equals; whoever is chosen is at distance 0 and marked, because others may
        // be there too.
        let next = if chosen.is_empty() {
            from_the_mean.iter_mut().for_each(|distance| *distance = -*distance);
            first_largest(&from_the_mean)
        } else {
            first_largest(&nearest)
        };
        chosen.push(nodes[next]);
        for (nearest, distance) in nearest.iter_mut().zip(distances(row(nodes[next]))?) {
            *nearest = nearest.min(distance);
        }
        nearest[next] = f64::NEG_INFINITY;
    }
    Ok(chosen)
}

fn first_largest(numbers: &[f64]) -> usize {
    let best = (0..numbers.len()).max_by(|&a, &b| numbers[a].total_cmp(&numbers[b]).then(b.cmp(&a)));
    best.unwrap_or(0)
}
