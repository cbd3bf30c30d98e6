use veil_graph::{Declared, Direction, Features, Graph, Matrix, Split};

use super::points::{Row, length, moved};
use super::*;
use crate::testing::{assert_same_on_any_threads, stream};

fn params(epsilon: &str, adjacency: Adjacency, steps: u32) -> Params {
    let (epsilon, delta) = (epsilon.parse().unwrap(), "0.00001".parse().unwrap());
    Params { epsilon, delta, adjacency, dimensions: 100, steps }
}

fn moments(epsilon: &str, adjacency: Adjacency) -> Moments {
    params(epsilon, adjacency, STEPS).check().unwrap()
}

/// Nodes with these features and labels, of which the last is not for training.
fn data(rows: &[&[f32]], labels: &[Option<u32>], classes: u32) -> Dataset {
    let nodes = rows.len() as u32;
    let graph = Graph::empty(nodes, Direction::Undirected);
    let features = Matrix::from_values(rows.len(), rows[0].len(), rows.concat()).unwrap();
    let mut parts = vec![Part::Train; rows.len()];
    parts[rows.len() - 1] = Part::Test;
    let data = Dataset::new("nodes", graph, Default::default());
    let data = data.with_declared(Declared { nodes: true, dimensions: true, classes: true });
    let data = data.with_features(Features::Dense(features)).unwrap();
    let labels = Labels::new(classes, labels.iter().copied()).unwrap();
    data.with_labels(labels).unwrap().with_split(Split::new(parts)).unwrap()
}

fn streams() -> [Stream; 3] {
    ["sum", "second", "classes"].map(stream)
}

/// Every point of a small grid that a row may be.
fn rows_of_a_grid(steps: i64) -> Vec<[i64; 2]> {
    let all = (-steps..=steps).flat_map(|a| (-steps..=steps).map(move |b| [a, b]));
    all.filter(|[a, b]| a * a + b * b <= steps * steps).collect()
}

/// The squared distance of two triangles with the numbers above the diagonal counted twice, because
/// they have half of the variance.
fn apart(one: [i64; 2], other: [i64; 2]) -> i64 {
    let product = |[a, b]: [i64; 2]| [a * a, b * b, a * b];
    let [one, other] = [product(one), product(other)];
    let squared = |place: usize| (one[place] - other[place]).pow(2);
    squared(0) + squared(1) + 2 * squared(2)
}

/// The proof in whole numbers, for every row of a grid: each part moves by no more than its Δ²,
/// which is reached.
#[test]
fn a_node_more_or_less_moves_each_part_by_its_sensitivity() {
    let steps = 6_i64;
    let noise = *params("1", Adjacency::Added, steps as u32).check().unwrap().noise().unwrap();
    let (sum, classes) = (noise.sum.sensitivity_squared() as i64, noise.classes.sensitivity_squared() as i64);
    let (diagonal, above) = (noise.diagonal.sensitivity_squared() as i64, noise.above.sensitivity_squared() as i64);
    assert_eq!((diagonal, above), (steps.pow(4), steps.pow(4) / 2));
    let (mut most, mut longest) = (0, 0);
    for row in rows_of_a_grid(steps) {
        most = most.max(apart(row, [0, 0]));
        longest = longest.max(row[0] * row[0] + row[1] * row[1] + (steps / 2).pow(2));
    }
    assert_eq!((most, longest, longest), (diagonal, sum, classes));
}

/// The same for nodes that are replaced: for all pairs of rows, what all parts cost together is at
/// most 2.06 times what adding a node costs, in both phases at their worst.
#[test]
fn replacing_a_node_costs_at_most_the_stated_factor() {
    let steps = 8_i64;
    let rows = rows_of_a_grid(steps);
    let one = steps * steps;
    let [of_sum, of_moments, of_classes] = SHARES.map(|share| share as i64);
    let squared = |[a, b]: [i64; 2], [c, d]: [i64; 2]| (a - c).pow(2) + (b - d).pow(2);
    let zero = [0, 0];
    // In percent of s², times 5·S⁴.
    let sum = rows.iter().flat_map(|&a| rows.iter().map(move |&b| squared(a, b))).max().unwrap();
    let sum = 4 * of_sum * sum * one;
    let mut most = 0;
    for &a in &rows {
        for &b in &rows {
            let same = squared(a, b);
            let different = squared(a, zero) + squared(b, zero) + 2 * (steps / 2).pow(2);
            for classes in [same, different] {
                most = most.max(sum + 5 * of_moments * apart(a, b) + 4 * of_classes * classes * one);
            }
        }
    }
    let bound = REPLACED as i64 * 5 * one * one;
    assert!(most <= bound && 100 * most > 99 * bound, "{most}, {bound}");
    // The variances are larger by that factor.
    let [added, replaced] = [Adjacency::Added, Adjacency::Replaced].map(|it| *moments("2", it).noise().unwrap());
    assert_eq!(added.shift, replaced.shift);
    for kind in [|it: &Noise| it.sum, |it: &Noise| it.diagonal, |it: &Noise| it.above, |it: &Noise| it.classes] {
        let ratio = kind(&replaced).variance() as f64 / kind(&added).variance() as f64;
        assert!((2.06..2.0601).contains(&ratio), "{ratio}");
    }
}

/// Random rows, also extreme ones, and random centres.
#[test]
fn a_row_is_never_longer_than_one() {
    let mut random = veil_graph::random::Random::new(7, "rows");
    let special = [f64::NAN, f64::INFINITY, 1e300, -1e-300, 0.0, 1.0];
    for round in 0..2000 {
        let value = |random: &mut veil_graph::random::Random| match random.below(9) {
            it if it < 6 && round % 2 == 0 => special[it],
            _ => random.below(2001) as f64 / 1000.0 - 1.0,
        };
        let width = 1 + random.below(5);
        let [point, centre] = [0, 1].map(|_| (0..width).map(|_| value(&mut random)).collect::<Vec<f64>>());
        for steps in [2, 10, STEPS] {
            for point in [&point, &moved(point.clone(), &centre)] {
                let row = Row::of(point, steps);
                let squared: u64 = row.values.iter().map(|it| u64::from(it.unsigned_abs()).pow(2)).sum();
                assert!(squared <= u64::from(steps).pow(2), "{point:?}: {row:?}");
            }
        }
    }
    assert_eq!(moved(vec![0.0, 0.0], &[0.5, 0.5]), [0.0, 0.0]);
    assert_eq!(Row::of(&[0.999_99, -0.000_3], 4096).values, [4095, -1]);
}

#[test]
fn everything_together_costs_at_most_epsilon() {
    for (epsilon, adjacency) in [("0.5", Adjacency::Added), ("1", Adjacency::Replaced), ("8", Adjacency::Added)] {
        let moments = moments(epsilon, adjacency);
        let noise = moments.noise().unwrap();
        let squared = |it: Epsilon| u128::from(it.nanos().unwrap()).pow(2);
        let parts = SHARES.map(|share| squared(part(noise.shift, share).unwrap()));
        assert!(parts.iter().sum::<u128>() <= squared(noise.shift));
        let limits = SHARES.map(|share| squared(noise.shift) * u128::from(share) / 100);
        assert!(parts.iter().zip(&limits).all(|(part, limit)| part <= limit));
        // From the variances that are sampled.
        let one = f64::from(STEPS).powi(2);
        let factor = if adjacency == Adjacency::Replaced { 2.06 } else { 1.0 };
        let part = |of: &DiscreteGaussian, squared: f64| factor * squared / of.variance() as f64;
        let shift = part(&noise.sum, 1.25 * one) + part(&noise.diagonal, one * one) + part(&noise.classes, 1.25 * one);
        let spent = |shift: f64| cost(shift).unwrap().spending(1e-5).unwrap().epsilon;
        let epsilon = moments.params().epsilon.as_f64();
        assert!(spent(shift.sqrt()) <= epsilon + 1e-9 && spent(1.01 * shift.sqrt()) > epsilon, "{epsilon}");
        assert!((2.0 * noise.above.variance() as f64 / noise.diagonal.variance() as f64 - 1.0).abs() < 1e-6);
        let promised = &moments.guarantees()[0];
        assert_eq!((promised.unit, promised.epsilon.as_f64(), promised.delta.as_f64()), (Unit::Node, epsilon, 1e-5));
        assert_eq!(promised.status, Status::Proven);
    }
    // Replacing a node costs more, and the statement says how much.
    let text = moments("1", Adjacency::Added).guarantees()[0].not_protected.join("; ");
    assert!(text.contains("costs more: ε = 1.4"), "{text}");
}

/// By hand, without noise: two of four nodes are for training and have a class.
#[test]
fn without_noise_the_moments_are_exact() {
    let exact = Params { epsilon: Epsilon::INFINITE, ..params("1", Adjacency::Added, 10) }.check().unwrap();
    assert_eq!(exact.guarantees()[0].status, Status::None);
    let rows: [&[f32]; 4] = [&[3.0, 4.0], &[0.0, -2.0], &[0.0, 0.0], &[9.0, 9.0]];
    let data = data(&rows, &[Some(0), None, Some(2), Some(1)], 3);
    let found = exact.release(&data, &streams()).unwrap();
    // (6, 8) + (0, −10) + (0, 0), and three halves.
    assert_eq!(found.sum(), [6, -2, 15]);
    let centre = exact.centre(found.sum());
    assert_eq!(centre, [0.2, -2.0 / 30.0]);
    let z = |x: f64, y: f64| {
        let (x, y) = (x - centre[0], y - centre[1]);
        [x, y].map(|it| (10.0 * it / length(&[x, y])) as i64)
    };
    let (a, b) = (z(0.6, 0.8), z(0.0, -1.0));
    let second: Vec<&[i64]> = found.second().collect();
    assert_eq!(second[0], [a[0] * a[0] + b[0] * b[0], a[0] * a[1] + b[0] * b[1]]);
    assert_eq!(second[1], [a[1] * a[1] + b[1] * b[1]]);
    assert_eq!(found.classes(), [vec![a[0], a[1], 5], vec![0, 0, 0], vec![0, 0, 5]]);
}

/// Every number is the exact one of its phase, with noise of its kind from its own coins.
#[test]
fn every_number_has_the_noise_of_its_kind() {
    let noisy = moments("3", Adjacency::Added);
    let rows: [&[f32]; 5] = [&[3.0, 4.0, 0.0], &[0.0, -2.0, 1.0], &[1.0, 1.0, 1.0], &[-1.0, 0.0, 0.2], &[9.0; 3]];
    let data = data(&rows, &[Some(0), Some(1), Some(1), Some(0), None], 3);
    let [of_sum, of_second, of_classes] = streams();
    let found = noisy.release(&data, &streams()).unwrap();
    let noise = noisy.noise().unwrap();
    let training = 4;
    let projection = Projection::new(3, 100);
    let point = |node: usize| projection.point(data.features().unwrap(), node);
    let exact = sums::counted(3, (0..training).map(|node| Row::of(&point(node), STEPS)));
    assert_eq!(found.sum(), noise.sum.release(&exact, &mut of_sum.node(0)));
    let centre = noisy.centre(found.sum());
    let z: Vec<Row> = (0..training).map(|node| Row::of(&moved(point(node), &centre), STEPS)).collect();
    for (place, row) in found.second().enumerate() {
        let product =
            |column: usize| z.iter().map(|it| i64::from(it.values[place]) * i64::from(it.values[column])).sum();
        let exact: Vec<i64> = (place..3).map(product).collect();
        let coins = &mut of_second.node(place as u32);
        let diagonal = noise.diagonal.release(&exact[..1], coins);
        assert_eq!(row, [diagonal, noise.above.release(&exact[1..], coins)].concat());
    }
    for (class, row) in found.classes().iter().enumerate() {
        let mut exact = vec![0; 4];
        let of_class = |node: &usize| [0, 1, 1, 0][*node] == class;
        (0..training).filter(of_class).for_each(|node| z[node].add_to(&mut exact));
        // The third class is empty and has noise all the same.
        assert_eq!(*row, noise.classes.release(&exact, &mut of_classes.node(class as u32)));
    }
}

#[test]
fn the_same_for_any_number_of_threads() {
    let values: Vec<Vec<f32>> = (0..300).map(|it| (0..9).map(|at| ((it * 7 + at * 5) % 11) as f32).collect()).collect();
    let rows: Vec<&[f32]> = values.iter().map(Vec::as_slice).collect();
    let labels: Vec<Option<u32>> = (0..300).map(|it| (it % 4 > 0).then_some(it % 3)).collect();
    let (data, moments) = (data(&rows, &labels, 3), moments("1", Adjacency::Added));
    assert_same_on_any_threads(|| moments.release(&data, &streams()).unwrap());
}

/// A mean that is all noise is not subtracted, and none is longer than one.
#[test]
fn the_centre_is_shrunk_by_its_noise() {
    let noisy = moments("1", Adjacency::Added);
    let deviation = (noisy.noise().unwrap().sum.variance() as f64).sqrt() as i64;
    assert_eq!(noisy.centre(&[deviation / 2, -deviation / 2, 4096 * 500]), [0.0, 0.0]);
    let sure = noisy.centre(&[deviation * 1000, 0, 4096 * 50_000]);
    assert!((sure[0] - (1000 * deviation) as f64 / 4096.0 / 100_000.0).abs() < 1e-3 * sure[0]);
    assert!((length(&noisy.centre(&[deviation * 1000, deviation, -5])) - 1.0).abs() < 1e-9);
}

/// Wide features are projected, by the same public map every time; lengths are about kept.
#[test]
fn wide_features_are_projected() {
    let projection = Projection::new(2000, 100);
    assert_eq!((projection.width(), projection.columns()), (100, 2000));
    let values: Vec<f32> = (0..2000).map(|it| f32::from(u8::from(it % 13 == 0))).collect();
    let features = Features::Dense(Matrix::from_values(1, 2000, values).unwrap());
    let long = length(&projection.projected(&features, 0)) / features.norm(0);
    assert!((0.5..1.5).contains(&long), "{long}");
    assert!((length(&projection.point(&features, 0)) - 1.0).abs() < 1e-12);
    let itself = Projection::new(3, 3);
    assert_eq!(itself.places(2).collect::<Vec<_>>(), [(2, 1.0)]);
}

#[test]
fn what_is_written_is_read_again_and_what_is_broken_is_named() {
    let rows: [&[f32]; 3] = [&[3.0, 4.0], &[0.0, -2.0], &[0.0, 0.0]];
    let found = moments("1", Adjacency::Added).release(&data(&rows, &[Some(0), None, None], 2), &streams()).unwrap();
    let text = found.to_csv();
    assert_eq!(text.lines().map(|line| line.split(',').count()).collect::<Vec<_>>(), [4, 4, 4, 3, 2]);
    assert_eq!(NoisyMoments::from_csv(&text).unwrap(), found);
    for (text, says) in [
        ("", "0 rows of second moments for 0 dimensions"),
        ("sum,1,2,3\nsecond,1,2\n", "1 rows of second moments for 2 dimensions"),
        ("sum,1,2,x\n", "line 1: \"x\""),
        ("sum\n", "line 1: no numbers"),
        ("sum,1,2,3\nclass,1,2\n", "line 2: class with 2 numbers"),
        ("sum,1,2\nsecond,1\nclass,1,2\n", "line 3: class with 2 numbers"),
        ("sum,1,2\nsum,1,2\n", "line 2: sum with 2 numbers"),
        ("sum,1,2\nsecond,1\nsecond,1\n", "line 3: second with 1 numbers"),
    ] {
        let problem = NoisyMoments::from_csv(text).unwrap_err();
        assert!(problem.contains(says), "{problem}");
    }
}

/// A release of moments has no room for anything about single nodes.
#[test]
fn nothing_about_single_nodes_is_released_beside_moments() {
    use crate::release::{EdgePlan, Options, Plan};
    use crate::seal::Private;
    let rows: [&[f32]; 3] = [&[3.0, 4.0], &[0.0, -2.0], &[1.0, 1.0]];
    let data = Private::seal(data(&rows, &[Some(0), None, None], 2));
    let edges = EdgePlan::Moments(moments("1", Adjacency::Added));
    let alone = Options { edges, ..Options::default() };
    assert!(Plan::new(&data, alone.clone()).is_ok());
    let infinite = Some(Epsilon::INFINITE);
    for more in
        [Options { epsilon_features: infinite, ..alone.clone() }, Options { epsilon_labels: infinite, ..alone.clone() }]
    {
        assert!(matches!(Plan::new(&data, more), Err(ReleaseError::BesideNodes)));
    }
}

/// Digests aside, a folder that states moments and has none, or has nodes, is not their release.
#[test]
fn a_folder_without_its_moments_is_refused() {
    use crate::coins::Coins;
    use crate::permit::Request;
    use crate::release::{EdgePlan, OpenError, Options, Plan, Privatised};
    use crate::seal::Private;
    let rows: [&[f32]; 3] = [&[3.0, 4.0], &[0.0, -2.0], &[1.0, 1.0]];
    let data = Private::seal(data(&rows, &[Some(0), None, None], 2));
    let options = Options { edges: EdgePlan::Moments(moments("1", Adjacency::Added)), ..Options::default() };
    let plan = Plan::new(&data, options).unwrap();
    let permit = Request::new(&data, Coins::reproducible(1), plan.guarantees()).unwrap().unbooked();
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("release");
    std::fs::create_dir(&folder).unwrap();
    plan.release(&data, permit).unwrap().released.fill(&folder).unwrap();
    assert!(Privatised::open(&folder).is_ok());
    std::fs::remove_file(folder.join("digests.json")).unwrap();
    std::fs::remove_file(folder.join("moments.csv")).unwrap();
    assert!(matches!(Privatised::open(&folder), Err(OpenError::OtherData { .. })));
}

#[test]
fn refuses_what_it_cannot_do() {
    let good = params("1", Adjacency::Added, 8);
    for steps in [0, 7, STEPS + 2] {
        assert!(matches!(Params { steps, ..good }.check(), Err(ParamError::BadSensitivity { .. })));
    }
    assert_eq!(Params { dimensions: 0, ..good }.check(), Err(ParamError::NoDimensions));
    let delta = "0.000000000000000001".parse().unwrap();
    let small = Params { epsilon: "0.000000001".parse().unwrap(), delta, ..good };
    assert!(matches!(small.check(), Err(ParamError::TooMuchNoise { .. })));
    let rows: [&[f32]; 1] = [&[1.0]];
    let bare = Dataset::new("bare", Graph::empty(1, Direction::Undirected), Default::default());
    let features = data(&rows, &[None], 1).features().unwrap().clone();
    let mechanism = good.check().unwrap();
    assert!(matches!(mechanism.release(&bare, &streams()), Err(ReleaseError::NoFeatures { .. })));
    let bare = bare.with_features(features).unwrap();
    assert!(matches!(mechanism.release(&bare, &streams()), Err(ReleaseError::NoLabels { .. })));
}
