use num_traits::ToPrimitive;
use veil_graph::{Graph, Matrix};

use super::*;
use crate::exact::Fraction;
use crate::testing::{assert_same_on_any_threads, edges as graph, ring, stream};

fn cascade(epsilon: &str, classes: u32, batches: u32, steps: u32, paired: bool) -> Cascade {
    let params = Params {
        epsilon: epsilon.parse().unwrap(),
        unit: Unit::Edge,
        classes,
        batches,
        steps,
        paired,
        heard: Heard::Earlier,
    };
    params.check().unwrap()
}

/// Exact rows of all batches, under the same messages.
fn exact(cascade: &Cascade, graph: &Graph, order: &Order, messages: &Messages) -> Vec<(NodeId, Vec<i64>)> {
    let receivers = (0..order.batches()).flat_map(|batch| order.batch(batch));
    let row = |&me: &NodeId| {
        let mut row = vec![0; cascade.width()];
        cascade.exact(me, graph.neighbours(me), order, messages, &mut row);
        (me, row)
    };
    receivers.map(row).collect()
}

#[test]
fn a_row_sums_the_messages_of_earlier_neighbours() {
    // 3 is a sender; then 1, 0 and 2.
    let order = Order::new(vec![3, 1, 0, 2], 1, 3).unwrap();
    let messages = Messages::new(3, 4, vec![4, 0, 0, 1, 2, 1, 0, 0, 4, 0, 3, 1]).unwrap();
    let triangle = graph(4, &[(0, 1), (0, 2), (1, 2), (2, 3), (0, 3)]);
    let rows = exact(&cascade("1", 3, 3, 4, false), &triangle, &order, &messages);
    assert_eq!(rows, [(1, vec![0, 0, 0]), (0, vec![1, 5, 2]), (2, vec![5, 5, 2])]);
    // Node 0 believes in class 0, then 1, 2; node 2 in class 2, then 0, 1.
    let rows = exact(&cascade("1", 3, 3, 4, true), &triangle, &order, &messages);
    assert_eq!(rows, [(1, vec![0, 0]), (0, vec![1 - 5, 2]), (2, vec![2 - 5, 5])]);
}

/// Every edge of every graph of four nodes, under every order: the whole transcript's exact rows
/// move by at most one message, in one row.
#[test]
fn an_edge_changes_one_row_by_at_most_one_message() {
    let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let steps = 5;
    let messages = Messages::new(3, steps, vec![5, 0, 0, 2, 2, 1, 0, 1, 4, 1, 1, 1]).unwrap();
    let orders = [vec![0, 1, 2, 3], vec![3, 1, 0, 2], vec![2, 3, 1, 0]];
    let mut most = 0;
    for bits in 0..1_u32 << pairs.len() {
        let edges: Vec<_> = pairs.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, &it)| it).collect();
        for removed in 0..edges.len() {
            let mut fewer = edges.clone();
            fewer.remove(removed);
            let (one, other) = (graph(4, &edges), graph(4, &fewer));
            for (sequence, paired) in orders.iter().flat_map(|it| [(it, false), (it, true)]) {
                for (senders, batches) in [(0, 1), (1, 3), (2, 2)] {
                    let order = Order::new(sequence.clone(), senders, batches).unwrap();
                    let cascade = cascade("1", 3, batches, steps, paired);
                    let rows = [&one, &other].map(|graph| exact(&cascade, graph, &order, &messages));
                    let pairs = rows[0].iter().zip(&rows[1]);
                    let distances =
                        pairs.map(|(one, other)| one.1.iter().zip(&other.1).map(|(a, b)| a.abs_diff(*b)).sum());
                    let moved: Vec<u64> = distances.filter(|&it: &u64| it > 0).collect();
                    assert!(moved.len() <= 1 && moved.iter().all(|&it| it <= u64::from(steps)), "{moved:?}");
                    most = most.max(moved.first().copied().unwrap_or(0));
                }
            }
        }
    }
    assert_eq!(most, u64::from(steps), "the bound is reached");
}

#[test]
fn exact_loss_is_at_most_epsilon() {
    for steps in [1, 5, STEPS] {
        let noise = cascade("0.7", 2, 1, steps, false).noise().unwrap();
        // A whole message moves a number by `steps` steps.
        let loss = &noise.distribution(0).step() * &Fraction::new(steps, 1_u32).unwrap();
        assert_eq!(loss, Fraction::new(7_u32, 10_u32).unwrap());
    }
}

/// The same row for many keys: the noise of each number has mean 0 and the variance of discrete
/// Laplace noise. The tolerances are 5.2 standard errors (error rate below 10⁻⁶ for both).
#[test]
fn rows_have_the_stated_noise() {
    let order = Order::new(vec![0, 1], 1, 1).unwrap();
    let messages = Messages::new(2, 4, vec![3, 1, 2, 2]).unwrap();
    let (pair, cascade) = (graph(2, &[(0, 1)]), cascade("2", 2, 1, 4, false));
    let rounds = 20_000_u32;
    let (mut sum, mut squares) = ([0.0; 2], 0.0);
    for round in 0..rounds {
        let rows = cascade.batch(&pair, &order, 0, &messages, &stream("noise").of_round(round)).unwrap();
        let row = rows.iter().next().unwrap();
        for (at, (&noisy, truth)) in row.iter().zip([3, 1]).enumerate() {
            let noise = (noisy - truth).to_f64().unwrap();
            sum[at] += noise;
            squares += noise * noise;
        }
    }
    let power = (0.5_f64).exp();
    let variance = 2.0 * power / (power - 1.0).powi(2);
    let samples = f64::from(rounds);
    for sum in sum {
        assert!((sum / samples).abs() < 5.2 * (variance / samples).sqrt(), "{sum}");
    }
    // The kurtosis of Laplace noise is near 6.
    let error = 5.2 * variance * (5.1 / (2.0 * samples)).sqrt();
    assert!((squares / (2.0 * samples) - variance).abs() < error, "{squares} {variance}");
}

#[test]
fn one_user_reports_what_the_owner_computes() {
    let order = Order::new(vec![2, 0, 1, 3], 1, 2).unwrap();
    let messages = Messages::new(2, 8, vec![8, 0, 3, 5, 0, 8, 4, 4]).unwrap();
    let square = graph(4, &[(0, 1), (1, 2), (2, 3), (0, 3), (0, 2)]);
    for paired in [false, true] {
        let cascade = cascade("1.5", 2, 2, 8, paired);
        for batch in 0..2 {
            let coins = coins_of(&stream("device").of_round(batch), &order, &messages);
            let rows = cascade.batch(&square, &order, batch, &messages, &coins).unwrap();
            for (row, &me) in rows.iter().zip(order.batch(batch)) {
                let own = cascade.report(me, square.neighbours(me), &order, &messages, &mut coins.node(me)).unwrap();
                assert_eq!(own, row);
            }
        }
    }
}

#[test]
fn the_same_for_any_number_of_threads() {
    let nodes = 400;
    let (ring, order) = (ring(nodes), Order::new((0..nodes).rev().collect(), 10, 1).unwrap());
    let beliefs = Matrix::from_values(nodes as usize, 2, [0.25, 0.75].repeat(nodes as usize)).unwrap();
    let (cascade, messages) = (cascade("1", 2, 1, 16, true), Messages::of(&beliefs, 16));
    assert_same_on_any_threads(|| cascade.batch(&ring, &order, 0, &messages, &stream("threads")).unwrap());
}

#[test]
fn messages_never_sum_to_more_than_one() {
    let odd = [f32::NAN, 0.5, 0.7, 1.5, -1.0, f32::INFINITY, 1.0 / 3.0, 1.0 / 3.0, 0.334];
    let messages = Messages::of(&Matrix::from_values(3, 3, odd.to_vec()).unwrap(), 1000);
    for node in 0..3 {
        let message = messages.of_node(node);
        assert!(message.iter().sum::<u32>() <= 1000, "{message:?}");
    }
    assert_eq!(messages.of_node(2), [333, 333, 333], "truncated, also 0.334, which is a little less as a float");
    assert_eq!(messages.of_node(0), [0, 500, 500]);
    let refused = Messages::new(2, 10, vec![5, 5, 10, 1]).unwrap_err();
    assert_eq!(refused, ProtocolError::LongMessage { node: 1, steps: 10 });
}

#[test]
fn what_is_no_order_is_refused() {
    for (sequence, senders, batches) in
        [(vec![0, 0], 0, 1), (vec![0, 2], 0, 1), (vec![0, 1], 3, 1), (vec![0, 1], 0, 0), (vec![0, 1], 1, 2)]
    {
        assert!(matches!(Order::new(sequence, senders, batches), Err(ProtocolError::NotAnOrder { .. })));
    }
    let order = Order::new((0..10).collect(), 3, 3).unwrap();
    assert_eq!((order.batch(0), order.batch(1), order.batch(2)), (&[3, 4][..], &[5, 6][..], &[7, 8, 9][..]));
}

#[test]
fn long_messages_and_other_orders_are_refused() {
    let order = Order::new(vec![0, 1], 0, 1).unwrap();
    // Sums of 8 are fine on a grid of 8 steps, and too long on one of 4.
    let messages = Messages::new(2, 8, vec![8, 0, 0, 8]).unwrap();
    let coins = stream("refused");
    let pair = graph(2, &[(0, 1)]);
    let refused = cascade("1", 2, 1, 4, false).batch(&pair, &order, 0, &messages, &coins).unwrap_err();
    assert_eq!(refused, ProtocolError::LongMessage { node: 0, steps: 4 });
    assert!(cascade("1", 2, 2, 8, false).batch(&pair, &order, 0, &messages, &coins).is_err(), "one batch, not two");
    assert!(cascade("1", 3, 1, 8, false).batch(&pair, &order, 0, &messages, &coins).is_err(), "two classes");
    let stranger = cascade("1", 2, 1, 8, false).report(0, &[5], &order, &messages, &mut coins.node(0));
    assert!(stranger.is_err());
}

#[test]
fn guarantees_name_unit_and_relationship() {
    let central = cascade("3", 2, 4, 8, true).guarantees();
    assert_eq!((central.len(), central[0].unit, central[0].status), (1, Unit::Edge, Status::Proven));
    let params = Params { unit: Unit::EdgeBit, ..*cascade("3", 2, 4, 8, true).params() };
    let local = params.check().unwrap().guarantees();
    let three: Epsilon = "3".parse().unwrap();
    assert_eq!((local[0].unit, local[0].epsilon, local[0].per_relationship), (Unit::EdgeBit, three, Some(three)));
    assert_eq!((local[1].unit, local[1].epsilon), (Unit::EdgeSet, "6".parse().unwrap()));
    assert_eq!(cascade("inf", 2, 1, 8, false).guarantees()[0].status, Status::None);
    assert!(Params { unit: Unit::EdgeSet, ..params }.check().is_err());
}

/// Where all neighbours are counted, one entry of a list moves one row by one message, and an edge
/// two rows: in every graph of four nodes, under every order.
#[test]
fn all_neighbours_are_counted_at_both_ends() {
    let params = Params { unit: Unit::EdgeBit, heard: Heard::All, ..*cascade("1", 2, 1, 4, false).params() };
    assert!(Params { unit: Unit::Edge, ..params }.check().is_err());
    let all = params.check().unwrap();
    let order = Order::new(vec![2, 0, 1], 0, 1).unwrap();
    let messages = Messages::new(2, 4, vec![4, 0, 1, 3, 0, 2]).unwrap();
    let triangle = graph(3, &[(0, 1), (0, 2), (1, 2)]);
    let rows = exact(&all, &triangle, &order, &messages);
    assert_eq!(rows, [(2, vec![5, 3]), (0, vec![1, 5]), (1, vec![4, 2])]);
    let guarantees = all.guarantees();
    let [bit, set] = &guarantees[..] else { panic!("two guarantees") };
    assert_eq!((bit.epsilon.to_string(), bit.per_relationship), ("1".to_owned(), bit.epsilon.times(2)));
    assert_eq!((set.unit, Some(set.epsilon)), (Unit::EdgeSet, bit.epsilon.times(2)));
    assert_eq!(bit.parameters.get("heard"), Some("all"));
    assert!(!bit.assumptions.contains(&Assumption::SameOrder));
}

mod growth {
    use veil_graph::NodeNames;

    use super::*;

    fn names(texts: &[&str]) -> NodeNames {
        NodeNames::from_texts(texts.iter().map(|&it| it.to_owned()).collect()).unwrap()
    }

    #[test]
    fn earlier_nodes_are_recognised_by_name() {
        let (before, now) = (names(&["ann", "bob"]), names(&["cyd", "bob", "ann"]));
        assert_eq!(carried(&before, &now), Ok(vec![2, 1]));
        assert_eq!(carried(&now, &before), Err(ProtocolError::NodeIsMissing { name: "cyd".to_owned() }));
        assert_eq!(carried(&NodeNames::Range(2), &NodeNames::Range(3)), Ok(vec![0, 1]));
    }

    #[test]
    fn only_an_order_that_begins_with_the_earlier_one_extends_it() {
        let first = cascade("1", 2, 3, 4, true);
        let order = Order::new(vec![1, 0, 2], 1, 2).unwrap();
        let before = names(&["ann", "bob", "cyd"]);
        let id = "0f".repeat(16);
        let extension = Extension::of(&id, &first.guarantees(), &before, &order).unwrap();
        // bob, ann, cyd, then the others.
        let now = names(&["dan", "cyd", "bob", "ann", "eve"]);
        let extends = |sequence: &[NodeId], senders, batches| {
            extension.is_extended_by(&Order::new(sequence.to_vec(), senders, batches).unwrap(), &now)
        };
        assert!(extends(&[2, 3, 1, 4, 0], 3, 1) && extends(&[2, 3, 1, 0, 4], 3, 1));
        assert!(!extends(&[3, 2, 1, 4, 0], 3, 1), "other places");
        assert!(!extends(&[2, 3, 1, 4, 0], 2, 1), "a row for an earlier node");
        assert!(!extends(&[2, 3, 1, 4, 0], 4, 1), "a sender who is new");
        assert!(!extends(&[2, 3, 1, 4, 0], 3, 2), "all new nodes are one batch");
        let second = first.extending(extension).unwrap();
        let guarantee = &second.guarantees()[0];
        assert_eq!((second.params().batches, guarantee.epsilon.to_string()), (1, "1".to_owned()));
        assert_eq!(extended(NAME, &guarantee.parameters), Some((id.as_str(), id.as_str())));
        assert!(guarantee.assumptions.iter().any(|it| matches!(it, Assumption::Extends { nodes: 3, .. })));
        // The next one extends this one, and names the first.
        let next = "ab".repeat(16);
        let third = Extension::of(&next, &second.guarantees(), &before, &order).unwrap();
        let third = first.extending(third).unwrap().parameters();
        assert_eq!(extended(NAME, &third), Some((next.as_str(), id.as_str())));
    }
}
