//! From the features of a node to its row: projected if they are wide, scaled, on a grid.

use veil_graph::Features;
use veil_graph::random::Random;

/// A public map from features to so many dimensions at most: the identity, or where features are
/// wider, a sparse random projection with four signs per column (Kane and Nelson 2014), the same
/// for everybody.
#[derive(Clone, Debug)]
pub struct Projection {
    columns: usize,
    width: usize,
    /// The places of the signs of each column; empty for the identity.
    places: Vec<[(u32, f64); SIGNS]>,
}

/// The number of signs of a column: each is ±½, so that the column has length 1.
const SIGNS: usize = 4;

impl Projection {
    /// For features with so many columns.
    pub fn new(columns: usize, most: usize) -> Projection {
        if columns <= most {
            return Projection { columns, width: columns, places: Vec::new() };
        }
        let mut random = Random::new(0, "moments/projection");
        let mut place = || (random.below(most) as u32, if random.below(2) == 1 { 0.5 } else { -0.5 });
        let places = (0..columns).map(|_| std::array::from_fn(|_| place())).collect();
        Projection { columns, width: most, places }
    }

    /// The number of dimensions of a point.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of columns of the features.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Where a column goes, and by which factor.
    pub fn places(&self, column: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let itself = self.places.is_empty().then_some((column, 1.0));
        let signs = self.places.get(column).into_iter().flatten().map(|&(place, sign)| (place as usize, sign));
        itself.into_iter().chain(signs)
    }

    /// The projected features of a node.
    pub fn projected(&self, features: &Features, node: usize) -> Vec<f64> {
        let mut point = vec![0.0; self.width];
        let mut add = |column: usize, value: f32| {
            for (place, factor) in self.places(column) {
                point[place] += factor * f64::from(value);
            }
        };
        if features.unstored() == 0.0 {
            features.for_stored(node, &mut add);
        } else {
            (0..self.columns).for_each(|column| add(column, features.value(node, column as u32)));
        }
        point
    }

    /// The point of a node: its projected features, scaled to length 1.
    pub fn point(&self, features: &Features, node: usize) -> Vec<f64> {
        unit(self.projected(features, node))
    }
}

/// The length of a vector.
pub fn length(point: &[f64]) -> f64 {
    point.iter().map(|it| it * it).sum::<f64>().sqrt()
}

/// A vector scaled to length 1; 0 if it has no direction.
fn unit(mut point: Vec<f64>) -> Vec<f64> {
    let length = length(&point);
    let scale = if length > 0.0 && length.is_finite() { 1.0 / length } else { 0.0 };
    point.iter_mut().for_each(|it| *it = if scale > 0.0 { *it * scale } else { 0.0 });
    point
}

/// A point seen from a centre, scaled to length 1 again. One without a direction stays 0.
pub(super) fn moved(mut point: Vec<f64>, centre: &[f64]) -> Vec<f64> {
    if point.iter().all(|&it| it == 0.0) {
        return point;
    }
    point.iter_mut().zip(centre).for_each(|(it, centre)| *it -= centre);
    unit(point)
}

/// A point in steps of the grid, of squared length at most that of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub values: Vec<i16>,
    /// Half of one: what a node adds to a number of nodes.
    half: i64,
}

impl Row {
    /// Truncated towards 0. One that rounding has made too long is halved.
    pub fn of(point: &[f64], steps: u32) -> Row {
        // Casts truncate towards 0 and take what is not a number for 0. Coordinates are at most 1,
        // up to rounding, and one has at most 2¹² steps.
        let mut values: Vec<i16> = point.iter().map(|it| (it * f64::from(steps)) as i16).collect();
        let squared = |values: &[i16]| values.iter().map(|it| u64::from(it.unsigned_abs()).pow(2)).sum::<u64>();
        while squared(&values) > u64::from(steps).pow(2) {
            values.iter_mut().for_each(|it| *it /= 2);
        }
        Row { values, half: i64::from(steps / 2) }
    }

    /// Adds the row and, last, a half to sums.
    pub fn add_to(&self, sums: &mut [i64]) {
        let values = self.values.iter().map(|&it| i64::from(it)).chain([self.half]);
        sums.iter_mut().zip(values).for_each(|(sum, it)| *sum += it);
    }
}
