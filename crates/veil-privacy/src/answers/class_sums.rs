//! Sums of what the nodes of each class look like: one release, from which every public node can be labelled.
//!
//! A public [`Embedding`] turns a node's own features into a point on a sphere of few dimensions. Points of a class are added up, and with
//! them how many they are; all sums get [discrete Gaussian](crate::mechanism::discrete_gaussian) noise. Whoever reads them (a function that is
//! handed in, which sees the noisy sums and nothing else) says which class each public node belongs to: that is post-processing.
//!
//! **Guarantee.** (ε, δ), unit *node*, central. A node adds one row of integers to the sums of its own class: its point and the number ½, in
//! steps of 2⁻¹², truncated towards zero. A row depends on the features of its own node alone (edges are not read), so one node more
//! or less changes the sums by one row, and nothing else. Its squared length is at most 2²⁴ + 2²²: a point has length 1, truncation
//! makes nothing longer, and where floating point did otherwise the row is shortened until, in whole numbers, that is so. Classes that nobody is
//! in get the same noise. So this is one discrete Gaussian with that sensitivity ([`Query::Gaussian`],
//! zCDP), whatever the embedding is, as long as it was made without the private graph.
//!
//! Nodes without a label, or whose features have no direction (all at the centre, infinite, not a number), add nothing or the
//! number ½ alone; an error would tell that they are there.

use veil_graph::{Dataset, Features, Labels, Matrix, Part, ShapeError};

use super::promise::{about_a_node, booked};
use super::{AnswerError, Asked};
use crate::accounting::{AccountingError, Queries, Query};
use crate::budget::{Delta, Epsilon};
use crate::coins::Stream;
use crate::guarantee::{Guarantee, ParameterList, Status};
use crate::mechanism::{DiscreteGaussian, ParamError, discrete_gaussian};
use crate::permit::Permit;
use crate::release::Privatised;
use crate::seal::{Private, Public, Released};

/// Name for statements and the coins' context.
pub const NAME: &str = "class-sums";

/// One in steps of the grid: they are 2⁻¹².
const ONE: i64 = 1 << 12;
/// What a node adds to the number of its class: a half.
const COUNT: i64 = ONE / 2;
/// Δ₂², in squared steps.
const SENSITIVITY_SQUARED: u64 = (ONE * ONE + COUNT * COUNT) as u64;

/// A public map from features to points on a sphere: x ↦ V'(x−μ)/‖V'(x−μ)‖.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    /// V: a row for each feature, a column for each dimension.
    basis: Matrix,
    /// V'μ.
    centre: Vec<f64>,
}

impl Embedding {
    /// From the mean of features and a basis, both of public data.
    ///
    /// # Errors
    /// If the basis does not have one row per feature.
    pub fn new(mean: &[f32], basis: Matrix) -> Result<Embedding, ShapeError> {
        if mean.len() != basis.rows() {
            return Err(ShapeError { what: "rows of the basis", expected: mean.len(), found: basis.rows() });
        }
        let mut centre = vec![0.0; basis.columns()];
        for (row, &mean) in mean.iter().enumerate() {
            for (centre, &weight) in centre.iter_mut().zip(basis.row(row)) {
                *centre += f64::from(mean) * f64::from(weight);
            }
        }
        Ok(Embedding { basis, centre })
    }

    /// How many dimensions a point has.
    pub fn dimensions(&self) -> usize {
        self.centre.len()
    }

    /// The point of each row: of length 1, or 0 where there is no direction. Each depends on its own row alone.
    ///
    /// # Errors
    /// If these are not features of the same width.
    pub fn points(&self, features: &Features) -> Result<Vec<Vec<f64>>, ShapeError> {
        let projected = features.times(&self.basis)?;
        let point = |row: usize| {
            let from_centre = projected.row(row).iter().zip(&self.centre).map(|(&it, centre)| f64::from(it) - centre);
            let point: Vec<f64> = from_centre.collect();
            let length = point.iter().map(|it| it * it).sum::<f64>().sqrt();
            if length > 0.0 && length.is_finite() {
                point.into_iter().map(|it| it / length).collect()
            } else {
                vec![0.0; self.dimensions()]
            }
        };
        Ok((0..features.rows()).map(point).collect())
    }
}

/// What a node adds to the sums of its class: its point and a half, in steps of the grid, of a squared length that is never above
/// [`SENSITIVITY_SQUARED`].
fn row(point: &[f64]) -> Vec<i64> {
    // Casts truncate towards zero; what is not a number becomes 0.
    let mut row: Vec<i64> = point.iter().map(|it| (it * ONE as f64) as i64).collect();
    let length =
        |row: &[i64]| row.iter().fold(0_u128, |sum, &it| sum.saturating_add(u128::from(it.unsigned_abs()).pow(2)));
    // Of a point as it should be, never.
    while length(&row) > u128::from((ONE * ONE).unsigned_abs()) {
        row.iter_mut().for_each(|it| *it /= 2);
    }
    row.push(COUNT);
    row
}

/// Noisy sums of every class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sums {
    /// A row for each class: the sum of its points and, last, half the number of them; in steps of the grid.
    rows: Vec<Vec<i64>>,
    /// The variance of the noise of each number, in squared steps.
    variance: u64,
}

impl Sums {
    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.rows.len()
    }

    /// The noisy sum of the points of a class, as numbers.
    ///
    /// # Panics
    /// If there is no such class.
    pub fn points(&self, class: usize) -> Vec<f64> {
        let row = &self.rows[class];
        row[..row.len().saturating_sub(1)].iter().map(|&it| it as f64 / ONE as f64).collect()
    }

    /// How many nodes a class has, with noise: it may be below 0.
    ///
    /// # Panics
    /// If there is no such class.
    pub fn nodes(&self, class: usize) -> f64 {
        self.rows[class].last().map_or(0.0, |&it| it as f64 / COUNT as f64)
    }

    /// The standard deviation of the noise of each number in [`points`](Self::points).
    pub fn deviation(&self) -> f64 {
        (self.variance as f64).sqrt() / ONE as f64
    }
}

/// Reads sums: the class of every public node.
pub type Read<'a> = &'a dyn Fn(&Sums) -> Vec<u32>;

/// How sums are made, as a user gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// How many dimensions the embedding has.
    pub dimensions: u32,
    /// How many standard deviations one node moves the sums at most: what [`calibrate`](crate::accounting::calibrate) finds with
    /// [`cost`].
    pub shift: Epsilon,
    /// δ.
    pub delta: Delta,
}

/// Checked once against both graphs, with what it costs. Nothing below asks again.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassSums {
    dimensions: usize,
    noise: DiscreteGaussian,
    guarantee: Guarantee,
}

/// What sums cost whose noise has this shift.
///
/// # Errors
/// If it is not positive and finite.
pub fn cost(shift: f64) -> Result<Queries, AccountingError> {
    Queries::new(Query::Gaussian { shift }, 1.0, 1)
}

impl Params {
    /// Whether such a graph can be summed up, and what that costs.
    ///
    /// # Errors
    /// If a number is out of range or the graphs do not go together.
    pub fn check(self, private: &Public<'_>, asked: &Asked<'_>) -> Result<ClassSums, AnswerError> {
        asked.check(private)?;
        let Params { dimensions, shift, delta } = self;
        if dimensions == 0 {
            return Err(ParamError::NoDimensions.into());
        }
        let noise = discrete_gaussian::Params { shift, sensitivity_squared: SENSITIVITY_SQUARED }.check()?;
        let spending = Queries::new(noise.query(), 1.0, 1)?.spending(delta.as_f64())?;
        let classes = private.classes.unwrap_or(0);
        let parameters = ParameterList::default()
            .with("classes", classes)
            .with("dimensions", dimensions)
            .with("steps", ONE)
            .with("count", COUNT)
            .and(noise.parameters());
        let source = format!(
            "discrete Gaussian noise (Canonne, Kamath, Steinke 2020) on sums per class of points on a sphere; {}; proof beside the code, \
             veil-privacy/answers",
            spending.proof
        );
        let promised = (booked(spending.epsilon)?, delta);
        let guarantee = about_a_node(private, (NAME, parameters), promised, Status::Proven, source);
        Ok(ClassSums { dimensions: dimensions as usize, noise, guarantee })
    }
}

impl ClassSums {
    /// What these sums promise.
    pub fn guarantee(&self) -> &Guarantee {
        &self.guarantee
    }

    /// The noise of one number.
    pub fn noise(&self) -> DiscreteGaussian {
        self.noise
    }

    /// The noisy sums. They depend on the data, the embedding and the permit's key alone, so a release that is made again with the same
    /// key gives the same.
    ///
    /// # Errors
    /// If the permit is for something else, or the embedding does not fit.
    pub fn sums(
        &self,
        private: &Private<Dataset>,
        embedding: &Embedding,
        permit: &mut Permit,
    ) -> Result<Released<Sums>, AnswerError> {
        let found = embedding.dimensions();
        if found != self.dimensions {
            let what = "dimensions of the embedding";
            return Err(ShapeError { what, expected: self.dimensions, found }.into());
        }
        let width = private.public().dimensions.unwrap_or(0);
        if width != embedding.basis.rows() {
            let what = "rows of the basis";
            return Err(ShapeError { what, expected: width, found: embedding.basis.rows() }.into());
        }
        let (guarantees, stream) = permit.redeem_one(private, self.guarantee.clone())?;
        let rows = raw_sums(private.open(), embedding)?;
        Ok(Released::new(self.noisy(&rows, &stream), guarantees))
    }

    /// Makes the sums, lets somebody read them, and gives the public graph with what was read for labels. Test nodes stay test nodes, also
    /// where they have such a label: it is not their true one.
    ///
    /// # Errors
    /// As [`sums`](Self::sums), or if what was read is not one class for each public node.
    pub fn answer(
        &self,
        private: &Private<Dataset>,
        asked: &Asked<'_>,
        embedding: &Embedding,
        mut permit: Permit,
        read: Read<'_>,
    ) -> Result<Privatised, AnswerError> {
        let (sums, guarantees) = self.sums(private, embedding, &mut permit)?.into_parts();
        let answers = read(&sums);
        let (expected, found) = (asked.queries.len(), answers.len());
        if expected != found {
            return Err(ShapeError { what: "labels that were read", expected, found }.into());
        }
        let tested = |node| asked.public.split().is_some_and(|split| split.part(node) == Part::Test);
        let withheld = "the sums before noise was added";
        asked.labelled(private, &answers, &tested, (guarantees, withheld), &permit)
    }

    fn noisy(&self, rows: &[Vec<i64>], stream: &Stream) -> Sums {
        let noisy = |(class, row): (u32, &Vec<i64>)| self.noise.release(row, &mut stream.node(class));
        Sums { rows: (0..).zip(rows).map(noisy).collect(), variance: self.noise.variance() }
    }
}

/// A row of sums for each class, without noise. Sums of integers are the same in any order; as many nodes as there can be do not fill
/// an i64.
fn raw_sums(raw: &Dataset, embedding: &Embedding) -> Result<Vec<Vec<i64>>, AnswerError> {
    let features = raw.features().ok_or_else(|| AnswerError::NoFeatures { data: raw.name().to_owned() })?;
    let labels = raw.labels().ok_or_else(|| AnswerError::NoLabels { data: raw.name().to_owned() })?;
    let mut sums = vec![vec![0; embedding.dimensions() + 1]; labels.classes() as usize];
    for (point, label) in embedding.points(features)?.iter().zip(Labels::iter(labels)) {
        // Nobody without a class is anywhere in the sums.
        let Some(sum) = label.and_then(|label| sums.get_mut(label as usize)) else { continue };
        sum.iter_mut().zip(row(point)).for_each(|(sum, it)| *sum += it);
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use veil_graph::{Direction, Graph, NodeId};

    use super::*;
    use crate::coins::Coins;
    use crate::guarantee::Unit;
    use crate::permit::{PermitError, Request};
    use crate::testing::assert_binomial;

    fn embedding() -> Embedding {
        // Two directions out of three features.
        let basis = Matrix::from_values(3, 2, vec![1.0, 0.0, 0.5, -2.0, 0.0, 1e-3]).unwrap();
        Embedding::new(&[0.5, 0.0, 1.0], basis).unwrap()
    }

    /// Nodes with these features and labels, all of them joined with the first.
    fn data(name: &str, rows: &[([f32; 3], Option<u32>)]) -> Dataset {
        let nodes = rows.len() as u32;
        let edges: Vec<(NodeId, NodeId)> = (1..nodes).map(|node| (0, node)).collect();
        let graph = Graph::from_edges(nodes, &edges, Direction::Undirected).unwrap().graph;
        let features = rows.iter().flat_map(|(row, _)| *row).collect();
        Dataset::new(name, graph, Default::default())
            .with_features(Features::Dense(Matrix::from_values(rows.len(), 3, features).unwrap()))
            .unwrap()
            .with_labels(Labels::new(3, rows.iter().map(|(_, label)| *label)).unwrap())
            .unwrap()
    }

    fn checked(private: &Private<Dataset>, public: &Dataset, shift: &str) -> ClassSums {
        let queries: Vec<NodeId> = (0..public.nodes()).collect();
        let params = Params { dimensions: 2, shift: shift.parse().unwrap(), delta: "0.00001".parse().unwrap() };
        params.check(&private.public(), &Asked { public, queries: &queries }).unwrap()
    }

    fn permit(private: &Private<Dataset>, how: &ClassSums, seed: u64) -> Permit {
        Request::new(private, Coins::reproducible(seed), vec![how.guarantee().clone()]).unwrap().unbooked()
    }

    /// Whatever a node's features are, it changes the row of its class alone, by a vector that is not longer than the bound.
    #[test]
    fn one_node_moves_one_class_by_at_most_the_sensitivity() {
        let usual = [([1.0, 0.0, 2.0], Some(0)), ([0.0, 3.0, 1.0], Some(2)), ([0.5, 0.0, 1.0], Some(1))];
        let before = raw_sums(&data("private", &usual), &embedding()).unwrap();
        let odd = [
            [0.0, 0.0, 0.0],
            [f32::NAN, 1.0, 1.0],
            [f32::INFINITY, 0.0, 0.0],
            [f32::NEG_INFINITY, f32::INFINITY, f32::NAN],
            [f32::MAX, f32::MAX, f32::MAX],
            [f32::MIN, 0.0, f32::MAX],
            [f32::MIN_POSITIVE, 1e-45, -0.0],
            [0.5, 0.0, 1.0],
            [0.500_000_06, 0.0, 1.0],
            [1e30, -1e30, 1e-30],
            [1.0, 0.0, 2.0],
        ];
        for features in odd {
            for (label, place) in [(Some(0), 0), (Some(2), 3), (Some(1), 1), (None, 2)] {
                let mut more = usual.to_vec();
                more.insert(place, (features, label));
                let after = raw_sums(&data("private", &more), &embedding()).unwrap();
                for (class, (before, after)) in (0..).zip(before.iter().zip(&after)) {
                    let moved: i64 = before.iter().zip(after).map(|(before, after)| (after - before).pow(2)).sum();
                    let bound = if Some(class) == label { SENSITIVITY_SQUARED } else { 0 };
                    assert!(moved as u64 <= bound, "{features:?}, {label:?}: class {class} moved by √{moved}");
                    assert_eq!(after.last().unwrap() - before.last().unwrap(), if bound > 0 { COUNT } else { 0 });
                }
            }
        }
    }

    /// The last line of defence: also what is no point at all.
    #[test]
    fn no_row_is_longer_than_the_sensitivity() {
        let squared = |row: &[i64]| row.iter().map(|&it| i128::from(it).pow(2)).sum::<i128>();
        for point in [
            vec![0.6, 0.8],
            vec![1.0],
            vec![-1.0, 0.0],
            vec![1.0 + 1e-12, 1e-3],
            vec![1.0, 1.0, 1.0],
            vec![f64::MAX, f64::MIN, f64::NAN],
            vec![f64::INFINITY; 50],
            vec![0.1; 100],
            vec![],
        ] {
            let row = row(&point);
            assert!(squared(&row) <= i128::from(SENSITIVITY_SQUARED), "{point:?}: {row:?}");
            assert_eq!((row.len(), row.last()), (point.len() + 1, Some(&COUNT)));
        }
        assert_eq!(row(&[0.6, -0.8]), [2457, -3276, 2048], "towards zero");
        assert_eq!(u128::from(SENSITIVITY_SQUARED), 5 << 22);
    }

    #[test]
    fn sums_are_those_of_the_points_with_noise() {
        let rows: Vec<([f32; 3], Option<u32>)> = (0..40).map(|node| ([2.0, 1.0, 1.0], Some(node % 2))).collect();
        let (private, public) = (Private::seal(data("private", &rows)), data("public", &rows[..4]));
        // A node moves the sums by 50 deviations: hardly any noise.
        let how = checked(&private, &public, "50");
        let released = how.sums(&private, &embedding(), &mut permit(&private, &how, 1)).unwrap();
        let sums = released.value();
        assert_eq!((sums.classes(), sums.deviation()), (3, (8389.0_f64).sqrt() / 4096.0));
        let expected = embedding().points(public.features().unwrap()).unwrap();
        for class in 0..2 {
            assert!((sums.nodes(class) - 20.0).abs() < 0.5, "{sums:?}");
            for (sum, point) in sums.points(class).into_iter().zip(&expected[0]) {
                assert!((sum - 20.0 * point).abs() < 0.3, "{sums:?}");
            }
        }
        assert!(sums.nodes(2).abs() < 0.5 && sums.nodes(2) != 0.0, "nobody is there, and that is not told");
        let guarantee = &released.guarantees()[0];
        assert_eq!(
            (guarantee.unit, guarantee.status, guarantee.mechanism.as_str()),
            (Unit::Node, Status::Proven, NAME)
        );
        assert!(guarantee.parameters.to_string().starts_with("classes=3;dimensions=2;steps=4096;count=2048;shift=50;"));
    }

    /// All cells have noise of their own, of the deviation that is said.
    #[test]
    fn every_cell_has_its_noise() {
        let private = Private::seal(data("private", &[([2.0, 1.0, 1.0], Some(0))]));
        let public = data("public", &[([2.0, 1.0, 1.0], None)]);
        let how = checked(&private, &public, "0.5");
        let raw = raw_sums(private.open(), &embedding()).unwrap();
        let (mut within, mut positive, trials) = ([0_u64; 9], [0_u64; 9], 4000);
        for seed in 0..trials {
            let sums = how.sums(&private, &embedding(), &mut permit(&private, &how, seed)).unwrap();
            let noise = sums.value().rows.iter().flatten().zip(raw.iter().flatten()).map(|(noisy, raw)| noisy - raw);
            for (cell, noise) in noise.enumerate() {
                within[cell] += u64::from((noise as f64).abs() < (how.noise.variance() as f64).sqrt());
                positive[cell] += u64::from(noise > 0);
            }
        }
        for (within, positive) in within.into_iter().zip(positive) {
            // A grid of 4,096 steps is fine enough for the continuous curve.
            assert_binomial(within, trials, libm::erf(1.0 / 2_f64.sqrt()), 18, "within a deviation");
            assert_binomial(positive, trials, 0.5, 18, "above 0");
        }
    }

    #[test]
    fn the_same_key_gives_the_same_sums_on_any_number_of_threads() {
        let rows: Vec<([f32; 3], Option<u32>)> =
            (0..300).map(|node| ([node as f32, 1.0 / node as f32, 1.0], (node % 7 != 0).then_some(node % 3))).collect();
        let (private, public) = (Private::seal(data("private", &rows)), data("public", &rows[..4]));
        let how = checked(&private, &public, "1");
        let sums = |seed| how.sums(&private, &embedding(), &mut permit(&private, &how, seed)).unwrap().into_parts().0;
        let expected = sums(5);
        for threads in [1, 2, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| sums(5)), expected, "{threads}");
        }
        assert_ne!(sums(6), expected);
    }

    #[test]
    fn labels_are_read_from_the_sums_alone_and_a_permit_serves_once() {
        let rows: Vec<([f32; 3], Option<u32>)> = (0..9).map(|node| ([node as f32, 1.0, 1.0], Some(node % 3))).collect();
        let private = Private::seal(data("private", &rows));
        let parts = [Part::Train, Part::Test, Part::None, Part::Val].to_vec();
        let public = data("public", &rows[..4]).with_split(veil_graph::Split::new(parts)).unwrap();
        let queries = [0, 1, 2, 3];
        let asked = Asked { public: &public, queries: &queries };
        let how = checked(&private, &public, "1");
        let read = |sums: &Sums| vec![2; sums.classes() + 1];
        let released = how.answer(&private, &asked, &embedding(), permit(&private, &how, 1), &read).unwrap();
        let labels = released.data().labels().unwrap();
        assert_eq!(labels.iter().collect::<Vec<_>>(), [Some(2); 4]);
        let split = released.data().split().unwrap();
        assert_eq!([0, 1, 2, 3].map(|node| split.part(node)), [Part::Train, Part::Test, Part::Train, Part::Train]);
        assert!(released.label_mechanism().unwrap().is_none());
        assert!(released.statement().withheld.iter().any(|it| it.contains("sums before noise")));
        let few = |_: &Sums| vec![2];
        let refused = how.answer(&private, &asked, &embedding(), permit(&private, &how, 1), &few);
        assert!(matches!(refused, Err(AnswerError::Shape(_))));
        let mut once = permit(&private, &how, 1);
        how.sums(&private, &embedding(), &mut once).unwrap();
        let twice = how.sums(&private, &embedding(), &mut once);
        assert!(matches!(twice, Err(AnswerError::Permit(PermitError::NotPermitted { .. }))));
        let narrow = Embedding::new(&[0.0; 3], Matrix::zeros(3, 1)).unwrap();
        let misfit = how.sums(&private, &narrow, &mut permit(&private, &how, 1));
        assert!(matches!(misfit, Err(AnswerError::Shape(_))));
    }

    /// The shift that costs (8, 10⁻⁵) is that of the published conversion.
    #[test]
    fn noise_for_an_epsilon() {
        for (epsilon, sigma) in [(1.0, 4.0451), (2.0, 2.1491), (4.0, 1.1576), (8.0, 0.6377), (16.0, 0.3624)] {
            let found = crate::accounting::calibrate(epsilon, 1e-5, cost).unwrap();
            assert!((1.0 / found.parameter - sigma).abs() < 2e-4, "{epsilon}: {}", 1.0 / found.parameter);
            assert!(found.spending.epsilon <= epsilon);
        }
    }
}
