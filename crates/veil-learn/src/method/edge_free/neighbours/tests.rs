use veil_graph::random::Random;
use veil_graph::{Features, Matrix, NodeId, Sparse};
use veil_nn::Tensor;

use super::nearest::{NEIGHBOURS, Nearest};
use super::{exact, forest, lists, sparse};
use crate::error::LearnError;
use crate::method::edge_free::reduced::Basis;

fn of(features: &Features) -> Vec<Vec<(NodeId, f32)>> {
    lists(features, &|| Basis::of(features)).unwrap().expect("these features have neighbours")
}

fn on<T: Send>(threads: usize, work: impl Fn() -> T + Sync + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// Rows of length 1 around some centres.
fn clustered(nodes: usize, columns: usize, centres: usize) -> Tensor {
    let mut random = Random::new(1, "clusters");
    let mut point = |size: f64| -> Vec<f64> { (0..columns).map(|_| size * (random.unit() - 0.5)).collect() };
    let centres: Vec<Vec<f64>> = (0..centres).map(|_| point(1.0)).collect();
    let mut rows = Tensor::zeros(nodes, columns);
    for node in 0..nodes {
        let row: Vec<f64> = point(0.7).iter().zip(&centres[node % centres.len()]).map(|(a, b)| a + b).collect();
        let length = row.iter().map(|it| it * it).sum::<f64>().sqrt();
        rows.row_mut(node).iter_mut().zip(&row).for_each(|(out, it)| *out = (it / length) as f32);
    }
    rows
}

fn naive(rows: &Tensor, me: usize) -> Vec<NodeId> {
    let similarity = |other: usize| rows.row(me).iter().zip(rows.row(other)).map(|(a, b)| a * b).sum::<f32>();
    let mut all: Vec<(f32, NodeId)> = (0..rows.rows())
        .filter(|&other| other != me)
        .map(|other| (similarity(other), other as NodeId))
        .filter(|&(similarity, _)| similarity > 0.0)
        .collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    all.iter().take(NEIGHBOURS).map(|&(_, other)| other).collect()
}

fn shared(found: &[Nearest], wanted: &[Nearest]) -> f64 {
    let nodes = |it: &Nearest| it.iter().map(|(_, node)| node).collect::<Vec<_>>();
    let both = found.iter().zip(wanted).map(|(found, wanted)| {
        let found = nodes(found);
        nodes(wanted).iter().filter(|node| found.contains(node)).count()
    });
    both.sum::<usize>() as f64 / wanted.iter().map(|it| it.iter().count()).sum::<usize>() as f64
}

#[test]
fn the_nearest_are_the_same_in_any_order_of_offers() {
    let mut offers: Vec<(f32, NodeId)> = (0..60).map(|node| (((node * 7) % 20) as f32 - 4.0, node)).collect();
    let filled = |offers: &[(f32, NodeId)]| {
        let mut nearest = Nearest::NONE;
        offers.iter().for_each(|&(similarity, node)| nearest.offer(similarity, node));
        nearest
    };
    let first = filled(&offers);
    offers.reverse();
    assert_eq!(first, filled(&offers));
    assert!(first.iter().is_sorted_by(|a, b| a.0 > b.0 || (a.0 == b.0 && a.1 < b.1)));
    assert_eq!(first.iter().count(), NEIGHBOURS);
    let mut few = Nearest::NONE;
    [(0.0, 1), (-1.0, 2), (f32::NAN, 3), (0.5, 4)].iter().for_each(|&(it, node)| few.offer_again(it, node));
    few.offer_again(0.5, 4);
    assert_eq!(few.iter().collect::<Vec<_>>(), [(0.5, 4)]);
}

#[test]
fn neighbours_share_rare_columns_and_are_mutual() {
    // Nodes 0 and 1 share the rare column 1; everybody has column 0, which says nothing; 3 is
    // alone.
    let entries = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 2), (3, 0), (3, 3)];
    let triples: Vec<(u32, u32, f32)> = entries.iter().map(|&(row, column)| (row, column, 1.0)).collect();
    let lists = of(&Features::Sparse(Sparse::from_triples(4, 4, &triples).unwrap()));
    let nodes = lists.iter().map(|list| list.iter().map(|&(node, _)| node).collect::<Vec<_>>());
    assert_eq!(nodes.collect::<Vec<_>>(), [vec![1], vec![0], vec![], vec![]]);
    assert_eq!(lists[0][0].1, lists[1][0].1);
}

#[test]
fn all_pairs_are_compared_a_block_at_a_time() {
    let rows = clustered(700, 21, 9);
    let found = exact::nearest(&rows);
    for me in [0, 191, 192, 255, 256, 699] {
        let nodes: Vec<NodeId> = found[me].iter().map(|(_, node)| node).collect();
        assert_eq!(nodes, naive(&rows, me), "of {me}");
    }
}

#[test]
fn forests_find_nearly_all_neighbours() {
    let rows = clustered(6000, 32, 150);
    let (found, wanted) = (forest::nearest(&rows), exact::nearest(&rows));
    let share = shared(&found, &wanted);
    assert!(share > 0.9, "{share}");
    assert!(found.iter().zip(0..).all(|(it, me)| it.iter().all(|(_, other)| other != me)));
}

#[test]
fn the_same_neighbours_on_any_number_of_threads() {
    let mut triples: Vec<(u32, u32, f32)> =
        (0..300).flat_map(|row| (0..5).map(move |at| (row, (row * 7 + at * at) % 90, 1.0))).collect();
    triples.sort_by_key(|&(row, column, _)| (row, column));
    triples.dedup_by_key(|it| (it.0, it.1));
    let table = Sparse::from_triples(300, 90, &triples).unwrap();
    let rows = clustered(9000, 8, 40);
    let all =
        |threads| on(threads, || (sparse::nearest(&table).unwrap(), exact::nearest(&rows), forest::nearest(&rows)));
    let (one, four) = (all(1), all(4));
    assert!(one == four);
}

#[test]
fn dense_and_wide_features_have_neighbours() -> Result<(), LearnError> {
    let rows = clustered(200, 12, 5);
    let narrow = of(&Features::Dense(rows.to_matrix()));
    let mut wide = Matrix::zeros(200, 600);
    for node in 0..200 {
        // The same rows in every 50th column, in units that differ.
        rows.row(node).iter().enumerate().for_each(|(column, &it)| wide.row_mut(node)[column * 50] = it * 3.0);
    }
    let wide = of(&Features::Dense(wide));
    for lists in [narrow, wide] {
        let same = |me: usize| lists[me].iter().filter(|(other, _)| *other as usize % 5 == me % 5).count();
        let (own, all): (usize, usize) = ((0..200).map(same).sum(), lists.iter().map(Vec::len).sum());
        assert!(own * 10 > all * 9, "{own} of {all}");
    }
    Ok(())
}
