//! Noisy sums of embedded features per class: one release, from which every public node is
//! labelled.
//!
//! A public [`Embedding`] maps a node's own features to a point on a low-dimensional sphere. The
//! points and the number of nodes of each class are summed, and all sums get [discrete
//! Gaussian](crate::mechanism::discrete_gaussian) noise. A reader, passed as a function, computes
//! the class of each public node from the noisy sums alone: this is post-processing.
//!
//! **Guarantee.** (ε, δ), unit *node*, central. A node adds one row of integers to the sums of its
//! class: its point and the number ½, in steps of 2⁻¹², truncated towards zero. The row depends on
//! the node's own features alone (edges are not used), so adding or removing a node changes the
//! sums by one row. Its squared length is at most 2²⁴ + 2²²: a point has length 1, truncation does
//! not lengthen it, and a row that is longer because of rounding is shortened, in whole numbers,
//! until the bound holds. (With 2^e steps it is 4^e + 4^(e−1).) Empty classes get the same noise.
//! So this is one discrete Gaussian with this sensitivity ([`Query::Gaussian`], zCDP), for any
//! embedding that does not depend on the private graph.
//!
//! Nodes without a label, or whose features have no direction (at the centre, infinite, NaN), add
//! nothing or the number ½ alone; an error would reveal them.

#[cfg(test)]
mod tests;

use veil_graph::{Dataset, Features, Labels, Matrix, Part, ShapeError};

use super::promise::{about_a_node, booked, parameter};
use super::{AnswerError, Asked};
use crate::accounting::{AccountingError, Queries, Query};
use crate::budget::{Delta, Epsilon};
use crate::coins::{Inputs, Stream};
use crate::fault::{self, Fault};
use crate::guarantee::{Guarantee, ParameterList, Status};
use crate::mechanism::{DiscreteGaussian, ParamError, discrete_gaussian};
use crate::permit::Permit;
use crate::release::Privatised;
use crate::seal::{Private, Public, Released};

/// The name in statements and in the coins' context.
pub const NAME: &str = "class-sums";

/// The grid of every release: steps of 2⁻¹².
const STEP_EXPONENT: u32 = 12;

/// A grid of steps of 2^−e.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Grid {
    exponent: u32,
}

impl Grid {
    /// One, in steps.
    fn one(self) -> i64 {
        1 << self.exponent
    }

    /// The contribution of a node to the number of its class: a half.
    fn count(self) -> i64 {
        self.one() / 2
    }

    /// Δ₂², in squared steps.
    fn sensitivity_squared(self) -> u64 {
        (self.one() * self.one() + self.count() * self.count()) as u64
    }

    /// The row of a node: its point and a half, in steps, with a squared length of at most
    /// [`sensitivity_squared`](Self::sensitivity_squared).
    fn row(self, point: &[f64]) -> Vec<i64> {
        let one = self.one();
        // Casts truncate towards zero; what is not a number becomes 0.
        let mut row: Vec<i64> = point.iter().map(|it| (it * one as f64) as i64).collect();
        let length =
            |row: &[i64]| row.iter().fold(0_u128, |sum, &it| sum.saturating_add(u128::from(it.unsigned_abs()).pow(2)));
        // Never reached by a point of length 1.
        while length(&row) > u128::from((one * one).unsigned_abs()) && !fault::is(Fault::RowsKeepTheirLength) {
            row.iter_mut().for_each(|it| *it /= 2);
        }
        row.push(self.count());
        row
    }
}

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

    /// The embedding decides what is summed up, so the coins depend on it.
    fn inputs(&self) -> Inputs {
        let basis: Vec<u8> = (0..self.basis.rows())
            .flat_map(|row| self.basis.row(row))
            .flat_map(|weight| weight.to_bits().to_le_bytes())
            .collect();
        let centre: Vec<u8> = self.centre.iter().flat_map(|it| it.to_bits().to_le_bytes()).collect();
        let shape = [self.basis.rows() as u32, self.basis.columns() as u32];
        Inputs::of().with_numbers("shape", &shape).with("basis", &basis).with("centre", &centre).digest()
    }

    /// The number of dimensions of a point.
    pub fn dimensions(&self) -> usize {
        self.centre.len()
    }

    /// The point of each row: of length 1, or 0 where there is no direction. Each depends on its
    /// own row alone.
    ///
    /// # Errors
    /// If these are not features of the same width.
    pub fn points(&self, features: &Features) -> Result<Vec<Vec<f64>>, ShapeError> {
        let projected = features.times(&self.basis)?;
        let point = |row: usize| {
            let from_centre = projected.row(row).iter().zip(&self.centre).map(|(&it, centre)| f64::from(it) - centre);
            let point: Vec<f64> = from_centre.collect();
            if fault::is(Fault::RowsKeepTheirLength) {
                return point;
            }
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

/// Noisy sums of every class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sums {
    /// A row for each class: the sum of its points and, last, half the number of them; in steps of
    /// the grid.
    rows: Vec<Vec<i64>>,
    /// The variance of the noise of each number, in squared steps.
    variance: u64,
    grid: Grid,
}

impl Sums {
    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.rows.len()
    }

    /// The noisy sum of the points of a class, as numbers.
    ///
    /// # Panics
    /// If there is no such class.
    pub fn points(&self, class: usize) -> Vec<f64> {
        let row = &self.rows[class];
        row[..row.len().saturating_sub(1)].iter().map(|&it| it as f64 / self.grid.one() as f64).collect()
    }

    /// The noisy number of nodes of a class, possibly negative.
    ///
    /// # Panics
    /// If there is no such class.
    pub fn nodes(&self, class: usize) -> f64 {
        self.rows[class].last().map_or(0.0, |&it| it as f64 / self.grid.count() as f64)
    }

    /// The standard deviation of the noise of each number in [`points`](Self::points).
    pub fn deviation(&self) -> f64 {
        (self.variance as f64).sqrt() / self.grid.one() as f64
    }
}

/// Computes the class of every public node from the sums.
pub type Read<'a> = &'a dyn Fn(&Sums) -> Vec<u32>;

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The number of dimensions of the embedding.
    pub dimensions: u32,
    /// The sensitivity in standard deviations of the noise, from
    /// [`calibrate`](crate::accounting::calibrate) with [`cost`].
    pub shift: Epsilon,
    /// δ.
    pub delta: Delta,
}

/// Parameters checked against both graphs, with their privacy cost.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassSums {
    dimensions: usize,
    grid: Grid,
    noise: DiscreteGaussian,
    guarantee: Guarantee,
}

/// The cost of sums with this shift.
///
/// # Errors
/// If it is not positive and finite.
pub fn cost(shift: f64) -> Result<Queries, AccountingError> {
    Queries::new(Query::Gaussian { shift }, 1.0, 1)
}

impl Params {
    /// Checks the parameters against both graphs and computes the privacy cost.
    ///
    /// # Errors
    /// If a number is out of range or the graphs do not fit together.
    pub fn check(self, private: &Public<'_>, asked: &Asked<'_>) -> Result<ClassSums, AnswerError> {
        self.on_grid(STEP_EXPONENT, private, asked)
    }

    /// On a grid of step 2^−exponent, from 1 to 12: a coarse one lets an auditor enumerate all
    /// noise.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn on_grid(self, exponent: u32, private: &Public<'_>, asked: &Asked<'_>) -> Result<ClassSums, AnswerError> {
        asked.check(private)?;
        let grid = Grid { exponent: exponent.clamp(1, STEP_EXPONENT) };
        let Params { dimensions, shift, delta } = self;
        if dimensions == 0 {
            return Err(ParamError::NoDimensions.into());
        }
        let noise = discrete_gaussian::Params { shift, sensitivity_squared: grid.sensitivity_squared() }.check()?;
        let spending = Queries::new(noise.query(), 1.0, 1)?.spending(delta.as_f64())?;
        let classes = private.classes.unwrap_or(0);
        let parameters = ParameterList::default()
            .with("classes", classes)
            .with("dimensions", dimensions)
            .with("steps", grid.one())
            .with("count", grid.count())
            .and(noise.parameters());
        let source = format!(
            "discrete Gaussian noise (Canonne, Kamath, Steinke 2020) on sums per class of points on a sphere; {}; proof beside the code, \
             veil-privacy/answers",
            spending.proof
        );
        let promised = (booked(spending.epsilon)?, delta);
        let guarantee = about_a_node(private, (NAME, parameters), promised, Status::Proven, source)?;
        Ok(ClassSums { dimensions: dimensions as usize, grid, noise, guarantee })
    }
}

/// What mechanism and parameters of a stated guarantee imply: ε, δ and status.
pub(crate) fn recomputed(stated: &Guarantee) -> Result<(Epsilon, Delta, Status), AnswerError> {
    let sensitivity_squared = parameter(stated, "sensitivity_squared")?;
    if sensitivity_squared != (Grid { exponent: STEP_EXPONENT }).sensitivity_squared() {
        return Err(AnswerError::NoParameter { name: "sensitivity_squared" });
    }
    let noise = discrete_gaussian::Params { shift: parameter(stated, "shift")?, sensitivity_squared }.check()?;
    if !noise.is_listed_in(&stated.parameters) {
        return Err(AnswerError::NoParameter { name: "variance" });
    }
    let spending = Queries::new(noise.query(), 1.0, 1)?.spending(stated.delta.as_f64())?;
    Ok((booked(spending.epsilon)?, stated.delta, Status::Proven))
}

impl ClassSums {
    /// The guarantee of the sums.
    pub fn guarantee(&self) -> &Guarantee {
        &self.guarantee
    }

    /// The noise of one number.
    pub fn noise(&self) -> DiscreteGaussian {
        self.noise
    }

    /// The noisy sums. They depend on the data, the embedding and the key of the permit alone, so
    /// resuming gives the same sums.
    ///
    /// # Errors
    /// If the permit does not allow it, or the embedding does not fit.
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
        let (guarantees, stream) = permit.redeem_one(private, self.guarantee.clone(), embedding.inputs())?;
        let rows = raw_sums(private.open(), embedding, self.grid)?;
        Ok(Released::new(self.noisy(&rows, &stream), guarantees))
    }

    /// Releases the sums and returns the public graph with the labels that `read` computes from
    /// them. Test nodes stay test nodes: the label is not their true one.
    ///
    /// # Errors
    /// As [`sums`](Self::sums), or if `read` does not return one class per public node.
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
        let empty = |row: &[i64]| row.iter().all(|&it| it == 0);
        let noisy = |(class, row): (u32, &Vec<i64>)| {
            if fault::is(Fault::EmptyClassWithoutNoise) && empty(row) {
                return row.clone();
            }
            self.noise.release(row, &mut stream.node(class))
        };
        Sums { rows: (0..).zip(rows).map(noisy).collect(), variance: self.noise.variance(), grid: self.grid }
    }
}

/// A row of sums per class, without noise. Sums of integers do not depend on their order and fit an
/// i64.
fn raw_sums(raw: &Dataset, embedding: &Embedding, grid: Grid) -> Result<Vec<Vec<i64>>, AnswerError> {
    let features = raw.features().ok_or_else(|| AnswerError::NoFeatures { data: raw.name().to_owned() })?;
    let labels = raw.labels().ok_or_else(|| AnswerError::NoLabels { data: raw.name().to_owned() })?;
    let mut sums = vec![vec![0; embedding.dimensions() + 1]; labels.classes() as usize];
    for (point, label) in embedding.points(features)?.iter().zip(Labels::iter(labels)) {
        // Nodes without a class are not in the sums.
        let Some(sum) = label.and_then(|label| sums.get_mut(label as usize)) else { continue };
        sum.iter_mut().zip(grid.row(point)).for_each(|(sum, it)| *sum += it);
    }
    Ok(sums)
}
