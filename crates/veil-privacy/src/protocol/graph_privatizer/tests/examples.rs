//! Small examples by hand, parameters, messages, and figures of a real data set.

use super::*;

/// The path 0–1–2 with features (1, 0), (1, 1), (0, 3).
fn path() -> (Graph, Features) {
    let features = Matrix::from_values(3, 2, vec![1.0, 0.0, 1.0, 1.0, 0.0, 3.0]).unwrap();
    (undirected(3, &[(0, 1), (1, 2)]), Features::Dense(features))
}

#[test]
fn both_readings_of_a_small_example() {
    let (graph, features) = path();
    let similarities = |params: Params| {
        let protocol = params.check().unwrap();
        let profiles = Profiles::build(&protocol.comparison, &graph, &features);
        let mut out = [0.0; 2];
        profiles.similarities(1, &[0, 2], &mut profiles.workspace(), &mut out);
        out
    };
    let close = |found: [f64; 2], expected: [f64; 2]| {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?} {expected:?}");
    };
    let threshold = |alpha, delta, reading| params(Strategy::Threshold, alpha, delta, reading);
    // x_{0,½} = (1, ½), x_{1,½} = (¾, 1¼), x_{2,½} = (½, 2).
    close(
        similarities(threshold(0.5, 0.0, Reading::Paper)),
        [1.375 / (1.25_f64 * 2.125).sqrt(), 2.875 / (2.125_f64 * 4.25).sqrt()],
    );
    // cos(x₁, x₀) = cos(x₁, x₂) = 1/√2; the aggregates are (1, 1), (½, 1½), (1, 1): 2/√5.
    let mixed = 0.25 / 2_f64.sqrt() + 0.75 * 2.0 / 5_f64.sqrt();
    close(similarities(threshold(0.25, 0.0, Reading::Reference)), [mixed, mixed]);
    // α weighs the aggregate in the paper and the features themselves in the code.
    close(similarities(threshold(0.0, 0.0, Reading::Paper)), [0.5_f64.sqrt(), 0.5_f64.sqrt()]);
    close(similarities(threshold(1.0, 0.0, Reading::Reference)), [0.5_f64.sqrt(), 0.5_f64.sqrt()]);
    close(similarities(threshold(0.0, 0.0, Reading::Reference)), [2.0 / 5_f64.sqrt(); 2]);
    let euclidean = Params { measure: Measure::Euclidean, ..threshold(0.25, 0.0, Reading::Reference) };
    // Distances 1 and √5 of the features, ½·√2 of the aggregates.
    let aggregate = 0.75 * 0.5_f64.sqrt();
    close(similarities(euclidean), [-(0.25 + aggregate), -(0.25 * 5_f64.sqrt() + aggregate)]);
}

#[test]
fn candidates_of_a_small_example() {
    let (graph, features) = path();
    let qualifying = |params: Params, node| {
        let protocol = params.check().unwrap();
        let profiles = Profiles::build(&protocol.comparison, &graph, &features);
        Qualifying::compare(&protocol, &graph, &profiles).of(node).to_vec()
    };
    // Node 1 is like 0 to 0.84 and like 2 to 0.96.
    for (delta, all, ranked) in
        [(0.0, vec![0, 2], vec![2, 0]), (0.84, vec![0, 2], vec![2, 0]), (0.9, vec![2], vec![2]), (0.96, vec![], vec![])]
    {
        assert_eq!(qualifying(params(Strategy::Threshold, 0.5, delta, Reading::Paper), 1), all);
        assert_eq!(qualifying(params(Strategy::MostSimilar, 0.5, delta, Reading::Paper), 1), ranked);
    }
    // Equally alike: the smaller number first.
    assert_eq!(qualifying(params(Strategy::MostSimilar, 0.25, 0.0, Reading::Reference), 1), [0, 2]);
    // At least δ in the paper, above δ in the code: node 1 against itself would be 1.
    let orthogonal = Features::Dense(Matrix::from_values(2, 2, vec![1.0, 0.0, 0.0, 1.0]).unwrap());
    let same = Features::Dense(Matrix::from_values(2, 2, vec![1.0, 2.0, 1.0, 2.0]).unwrap());
    let pair = undirected(2, &[(0, 1)]);
    for (features, delta, reading, expected) in [
        (&orthogonal, 0.0, Reading::Reference, vec![]),
        (&orthogonal, 0.0, Reading::Paper, vec![1]),
        (&orthogonal, 0.01, Reading::Paper, vec![]),
        (&same, 1.0, Reading::Paper, vec![1]),
        (&same, 1.0, Reading::Reference, vec![]),
    ] {
        let protocol = params(Strategy::Threshold, if reading == Reading::Paper { 0.0 } else { 1.0 }, delta, reading);
        let protocol = protocol.check().unwrap();
        let profiles = Profiles::build(&protocol.comparison, &pair, features);
        assert_eq!(Qualifying::compare(&protocol, &pair, &profiles).of(0), expected);
    }
    // The node that asks is left out; GP-m then names the second best.
    let protocol = params(Strategy::MostSimilar, 0.5, 0.0, Reading::Paper).check().unwrap();
    assert_eq!(protocol.answer(1, &[2, 0], 2).iter().collect::<Vec<_>>(), [0]);
    assert_eq!(protocol.answer(1, &[2, 0], 0).iter().collect::<Vec<_>>(), [2]);
    assert!(protocol.answer(1, &[2], 2).is_empty());
    let protocol = params(Strategy::Threshold, 0.5, 0.0, Reading::Paper).check().unwrap();
    assert_eq!(protocol.answer(1, &[0, 2, 5], 2).iter().collect::<Vec<_>>(), [0, 5]);
    assert_eq!(answers(&protocol, &graph, 0)[0].iter().collect::<Vec<_>>(), [2]);
}

#[test]
fn messages_are_counted() {
    let (graph, features) = path();
    let traffic_on = |graph: &Graph, params: Params, features: &Features| {
        let reports = params.check().unwrap().run(graph, Some(features), &stream("traffic")).unwrap();
        (reports.traffic.rounds, reports.traffic.messages, reports.traffic.bytes)
    };
    let traffic = |params, features: &Features| traffic_on(&graph, params, features);
    // Nodes 0 and 2 are told one candidate each.
    assert_eq!(traffic(params(Strategy::Threshold, 0.0, 0.0, Reading::Paper), &features), (1, 4, 8));
    // Before that two floats, four times; with aggregates twice that.
    assert_eq!(traffic(params(Strategy::MostSimilar, 0.0, 0.0, Reading::Paper), &features), (2, 8, 32 + 8));
    assert_eq!(traffic(params(Strategy::MostSimilar, 0.5, 0.0, Reading::Paper), &features), (3, 12, 64 + 8));
    // A sign takes no more than its dimension. The ends' vectors list two columns, sent once each,
    // the middle's three, sent twice.
    let positive = vec![true; 3];
    let signs = Features::Encoded(Encoded::from_reports((3, 999, 1), (0.5, 2.0), vec![7, 8, 9], positive).unwrap());
    let listed = 2 * (2 * 8 + 4) + 2 * (3 * 8 + 4);
    assert_eq!(traffic(params(Strategy::MostSimilar, 0.5, 0.0, Reading::Paper), &signs), (3, 12, 16 + listed + 8));
    // 0 hears 1, whose vector lists two columns, and 1 hears 2, which hears nobody.
    let directed = Graph::from_edges(3, &[(0, 1), (1, 2)], Direction::Directed).unwrap().graph;
    let found = traffic_on(&directed, params(Strategy::MostSimilar, 0.5, 0.0, Reading::Paper), &signs);
    assert_eq!(found, (3, 6, 8 + (2 * 8 + 4) + (8 + 4) + 4));
}

#[test]
fn parameters_are_checked_and_written_out() {
    let good = params(Strategy::Threshold, 0.5, 0.25, Reading::Paper);
    assert_eq!(
        Params { alpha: -0.0, ..good }.check().unwrap().parameters().to_string(),
        "epsilon=1;strategy=threshold;alpha=0;threshold=0.25;measure=cosine;similarity=paper"
    );
    assert_eq!(Params { epsilon: Epsilon::INFINITE, ..good }.check(), Err(ParamError::NotPrivatised));
    for bad in [-0.1, 1.1, f64::INFINITY] {
        assert_eq!(Params { alpha: bad, ..good }.check(), Err(ParamError::NotAShare { name: "alpha", given: bad }));
        assert_eq!(
            Params { threshold: bad, ..good }.check(),
            Err(ParamError::NotAShare { name: "threshold", given: bad })
        );
    }
    assert!(
        Params { alpha: f64::NAN, ..good }.check().is_err() && Params { threshold: f64::NAN, ..good }.check().is_err()
    );
    let distance = Params { measure: Measure::Euclidean, ..good };
    assert_eq!(distance.check(), Err(ParamError::ThresholdOnDistance { given: 0.25 }));
    for strategy in [Strategy::MostSimilar, Strategy::Threshold] {
        assert_eq!(strategy.to_string().parse(), Ok(strategy));
    }
    for reading in [Reading::Paper, Reading::Reference] {
        assert_eq!(reading.to_string().parse(), Ok(reading));
    }
    let unknown = "nearest".parse::<Strategy>().unwrap_err().to_string();
    assert_eq!(unknown, "\"nearest\" is not a strategy (most-similar, threshold)");
    assert!("Paper".parse::<Reading>().is_err());
}

#[test]
fn features_matter_unless_every_neighbour_is_a_candidate() {
    for params in every_choice() {
        // A distance has no threshold, in either reading.
        let none = params.measure == Measure::Euclidean || params.reading == Reading::Paper && params.threshold == 0.0;
        let without = params.strategy == Strategy::Threshold && none;
        let protocol = params.check().unwrap();
        assert_eq!((protocol.compares_features(), protocol.compares_aggregates() && without), (!without, false));
        let found = protocol.run(&path().0, None, &stream("none"));
        assert_eq!(found.is_err(), !without, "{params:?}");
        assert!(found.is_ok() || found == Err(ProtocolError::NoFeatures { protocol: NAME }));
        let with = protocol.run(&path().0, Some(&path().1), &stream("none")).unwrap();
        assert_eq!(with.traffic.rounds == 1, without, "{params:?}");
        assert!(found.is_err() || found == Ok(with));
    }
}

/// Squares: each of a node's two neighbours can only become the opposite corner, and if both do,
/// one entry is left.
#[test]
fn entries_that_coincide_are_counted() {
    let squares = 200;
    let corners = (0..squares).map(|square| 4 * square);
    let edges: Vec<_> = corners.flat_map(|a| [(a, a + 1), (a + 1, a + 2), (a + 2, a + 3), (a, a + 3)]).collect();
    let graph = undirected(4 * squares, &edges);
    let protocol = params(Strategy::Threshold, 0.0, 0.0, Reading::Paper).check().unwrap();
    let Reports { lists, traffic, .. } = protocol.run(&graph, None, &stream("squares")).unwrap();
    let opposite = |me: NodeId| me / 4 * 4 + (me + 2) % 4;
    let coincided = (0..graph.nodes()).filter(|&me| lists.neighbours(me) == [opposite(me)]).count() as u64;
    assert_eq!(traffic.collisions, coincided);
    // Both with probability 1/(1+e)².
    let p = 1.0 / (1.0 + std::f64::consts::E).powi(2);
    assert_binomial(coincided, 4 * u64::from(squares), p, 1, "collisions");
    let twice: Traffic = [traffic, traffic].into_iter().sum();
    assert_eq!(twice.collisions, 2 * coincided);
}

#[test]
fn features_of_other_nodes_are_refused() {
    for params in every_choice() {
        let found = params.check().unwrap().run(&path().0, Some(&encoded(2, 5)), &stream("few"));
        assert_eq!(found, Err(ProtocolError::Nodes { what: "features", nodes: 3, found: 2 }), "{params:?}");
    }
}

/// The folder of a real data set, or `None` and the test is skipped. Said past the test harness, so
/// that continuous integration can count.
fn real_data(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")).join(name);
    let found = path.exists();
    let line =
        if found { format!("on real data: {name}") } else { format!("no real data: skipped, {name} is not here") };
    let _ = writeln!(std::io::stderr(), "{line}");
    found.then_some(path)
}

/// Shares that were computed by another program, from other coins.
#[test]
fn as_many_neighbours_of_cora_pass_as_elsewhere() {
    let Some(path) = real_data("cora") else { return };
    let data = veil_graph::read::open(&path).unwrap();
    let (graph, raw) = (data.graph(), data.features().unwrap());
    let (nodes, dimensions) = (graph.nodes() as usize, raw.columns() as u32);
    let epsilon = "3".parse().unwrap();
    let encoder = multi_bit::Params { epsilon, dimensions, range: ValueRange::UNIT, samples: None }.check().unwrap();
    let (coins, mut signs) = (stream("cora"), Vec::new());
    for node in 0..graph.nodes() {
        encoder.report(|column| raw.value(node as usize, column), &mut coins.node(node), &mut signs).unwrap();
    }
    let (columns, positive) = signs.into_iter().unzip();
    let rectifier = (encoder.offset() as f32, encoder.scale() as f32);
    let shape = (nodes, dimensions as usize, encoder.samples() as usize);
    let features = Features::Encoded(Encoded::from_reports(shape, rectifier, columns, positive).unwrap());
    for (reading, delta, expected) in [
        (Reading::Paper, 1e-12, 1.0),
        (Reading::Paper, 0.1, 0.99),
        (Reading::Paper, 0.25, 0.84),
        (Reading::Paper, 0.5, 0.24),
        (Reading::Reference, 0.0, 0.57),
        (Reading::Reference, 0.1, 0.33),
        (Reading::Reference, 0.25, 0.05),
        (Reading::Reference, 0.5, 0.001),
    ] {
        let protocol = params(Strategy::Threshold, 0.5, delta, reading).check().unwrap();
        let profiles = Profiles::build(&protocol.comparison, graph, &features);
        let qualifying = Qualifying::compare(&protocol, graph, &profiles);
        let passed: usize = (0..graph.nodes()).map(|node| qualifying.of(node).len()).sum();
        let share = passed as f64 / graph.entries() as f64;
        assert!((share - expected).abs() < 0.03, "{reading}, δ = {delta}: {share} instead of {expected}");
    }
}
