//! The vectors that nodes exchange, and their similarity.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use veil_graph::Features;

use crate::protocol::Measure;

/// A feature vector as it is sent.
///
/// Vectors are ordered by content, so ties are decided equally by all nodes with the same vectors.
/// Two nodes may have equal vectors; with one sign per report many do.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Vector {
    /// A report of the multi-bit encoder: (dimension, whether +1), dimensions ascending.
    Signs(Vec<(u32, bool)>),
    /// The non-zeros of a vector: (dimension, value), dimensions ascending.
    Sparse(Vec<(u32, f32)>),
    /// Every value.
    Dense(Vec<f32>),
}

/// Why a received vector is invalid.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VectorError {
    #[error("the vector has {found} values instead of {dimensions}")]
    Length { dimensions: u32, found: usize },
    #[error("dimension {found} of a vector is out of order or not below {dimensions}")]
    Dimension { dimensions: u32, found: u32 },
    #[error("the vector has a value that is not finite")]
    NotFinite,
}

impl Vector {
    /// The released vector of one node.
    pub fn released(features: &Features, row: usize) -> Vector {
        match features {
            Features::Dense(matrix) => Vector::Dense(matrix.row(row).to_vec()),
            Features::Sparse(sparse) => Vector::Sparse(sparse.row(row).collect()),
            Features::Encoded(encoded) => {
                Vector::Signs(encoded.row(row).map(|(dimension, sign)| (dimension, sign > 0.0)).collect())
            }
        }
    }

    /// The size of [`released`](Self::released) in bytes, without constructing it.
    pub(in crate::protocol) fn released_bytes(features: &Features, row: usize) -> u64 {
        match features {
            Features::Dense(matrix) => 4 * matrix.columns() as u64,
            Features::Sparse(sparse) => 8 * sparse.row_parts(row).0.len() as u64,
            Features::Encoded(encoded) => 4 * encoded.per_row() as u64,
        }
    }

    /// The size in bytes, by the rule of [`Traffic::bytes`](crate::protocol::Traffic::bytes).
    pub fn bytes(&self) -> u64 {
        match self {
            Vector::Signs(signs) => 4 * signs.len() as u64,
            Vector::Sparse(values) => 8 * values.len() as u64,
            Vector::Dense(values) => 4 * values.len() as u64,
        }
    }

    /// The number of stored values.
    fn stored(&self) -> usize {
        match self {
            Vector::Signs(signs) => signs.len(),
            Vector::Sparse(values) => values.len(),
            Vector::Dense(values) => values.len(),
        }
    }
}

impl Ord for Vector {
    fn cmp(&self, other: &Vector) -> Ordering {
        match (self, other) {
            (Vector::Signs(a), Vector::Signs(b)) => a.cmp(b),
            (Vector::Signs(_), _) => Ordering::Less,
            (_, Vector::Signs(_)) => Ordering::Greater,
            (Vector::Sparse(a), Vector::Sparse(b)) => {
                let pairs = a.iter().zip(b).map(|(x, y)| x.0.cmp(&y.0).then_with(|| x.1.total_cmp(&y.1)));
                first_difference(pairs).then(a.len().cmp(&b.len()))
            }
            (Vector::Sparse(_), Vector::Dense(_)) => Ordering::Less,
            (Vector::Dense(_), Vector::Sparse(_)) => Ordering::Greater,
            (Vector::Dense(a), Vector::Dense(b)) => {
                first_difference(a.iter().zip(b).map(|(x, y)| x.total_cmp(y))).then(a.len().cmp(&b.len()))
            }
        }
    }
}

fn first_difference(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

impl PartialOrd for Vector {
    fn partial_cmp(&self, other: &Vector) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Vector {
    fn eq(&self, other: &Vector) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Vector {}

/// The public facts about vectors: their dimensions and the meaning of signs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Space {
    /// The number of dimensions.
    pub dimensions: u32,
    /// The rectified value of dimensions without a sign.
    pub offset: f32,
    /// The factor of a sign.
    pub scale: f32,
}

impl Space {
    /// The space of released features. Nothing in it depends on private data.
    pub fn of(features: &Features) -> Space {
        let (offset, scale) = match features {
            Features::Encoded(encoded) => (encoded.offset(), encoded.scale()),
            Features::Dense(_) | Features::Sparse(_) => (0.0, 1.0),
        };
        Space { dimensions: u32::try_from(features.columns()).unwrap_or(u32::MAX), offset, scale }
    }

    /// A received vector, ready to be compared.
    ///
    /// # Errors
    /// If it is not a vector of this space.
    pub fn receive(&self, vector: Vector) -> Result<Profile, VectorError> {
        let dimensions = self.dimensions;
        let ascending = |found: &mut dyn Iterator<Item = u32>| {
            let mut least = 0;
            for found in found {
                if found < least || found >= dimensions {
                    return Err(VectorError::Dimension { dimensions, found });
                }
                least = found + 1;
            }
            Ok(())
        };
        let finite = match &vector {
            Vector::Signs(signs) => {
                ascending(&mut signs.iter().map(|pair| pair.0))?;
                true
            }
            Vector::Sparse(values) => {
                ascending(&mut values.iter().map(|pair| pair.0))?;
                values.iter().all(|pair| pair.1.is_finite())
            }
            Vector::Dense(values) if values.len() == dimensions as usize => {
                values.iter().all(|value| value.is_finite())
            }
            Vector::Dense(values) => return Err(VectorError::Length { dimensions, found: values.len() }),
        };
        if finite { Ok(self.profile(vector)) } else { Err(VectorError::NotFinite) }
    }

    /// A vector of this space, not checked.
    pub(in crate::protocol) fn profile(&self, vector: Vector) -> Profile {
        let sum = match &vector {
            Vector::Dense(values) => side_by_side(values, values, |value, _| f64::from(value)),
            entries => (0..entries.stored()).map(|index| self.entry(entries, index).1).sum(),
        };
        let mut profile = Profile { vector, sum, squared: 0.0 };
        profile.squared = self.dot(&profile, &profile);
        profile
    }

    /// The similarity of two rectified vectors: their cosine (0 if one of them is zero), or the
    /// negated squared distance, which has the order of the negated distance.
    pub fn likeness(&self, measure: Measure, left: &Profile, right: &Profile) -> f64 {
        let dot = self.dot(left, right);
        match measure {
            Measure::Cosine => {
                let norms = (left.squared * right.squared).sqrt();
                if norms > 0.0 { dot / norms } else { 0.0 }
            }
            Measure::Euclidean => -(left.squared + right.squared - 2.0 * dot).max(0.0),
        }
    }

    /// The dot product of rectified vectors. Signs and non-zeros are a constant and a few
    /// deviations from it, so that nothing becomes dense.
    fn dot(&self, left: &Profile, right: &Profile) -> f64 {
        match (&left.vector, &right.vector) {
            (Vector::Dense(a), Vector::Dense(b)) => side_by_side(a, b, |x, y| f64::from(x) * f64::from(y)),
            (Vector::Dense(values), entries) => self.dot_dense(entries, values, left.sum),
            (entries, Vector::Dense(values)) => self.dot_dense(entries, values, right.sum),
            (a, b) => {
                let (mut i, mut j, mut shared) = (0, 0, 0.0);
                while i < a.stored() && j < b.stored() {
                    let ((at, x), (bt, y)) = (self.entry(a, i), self.entry(b, j));
                    if at == bt {
                        shared += x * y;
                    }
                    i += usize::from(at <= bt);
                    j += usize::from(bt <= at);
                }
                let (c, d) = (self.constant(a), self.constant(b));
                shared + (c * right.sum + d * left.sum) + c * d * f64::from(self.dimensions)
            }
        }
    }

    fn dot_dense(&self, entries: &Vector, values: &[f32], sum: f64) -> f64 {
        let deviations = (0..entries.stored()).map(|index| self.entry(entries, index));
        let part: f64 = deviations.map(|(at, x)| x * values.get(at as usize).map_or(0.0, |&y| f64::from(y))).sum();
        part + self.constant(entries) * sum
    }

    fn constant(&self, vector: &Vector) -> f64 {
        if matches!(vector, Vector::Signs(_)) { f64::from(self.offset) } else { 0.0 }
    }

    /// A stored deviation from the constant.
    fn entry(&self, vector: &Vector, index: usize) -> (u32, f64) {
        match vector {
            Vector::Signs(signs) => {
                let (at, positive) = signs[index];
                (at, if positive { f64::from(self.scale) } else { -f64::from(self.scale) })
            }
            Vector::Sparse(values) => (values[index].0, f64::from(values[index].1)),
            Vector::Dense(values) => (index as u32, f64::from(values[index])),
        }
    }
}

/// The sum over all dimensions in eight parts, so that the loop fits vector registers, always in
/// the same order.
fn side_by_side(a: &[f32], b: &[f32], term: impl Fn(f32, f32) -> f64) -> f64 {
    let mut lanes = [0.0; 8];
    for (a, b) in a.chunks(8).zip(b.chunks(8)) {
        for (lane, (&a, &b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *lane += term(a, b);
        }
    }
    lanes.iter().sum()
}

/// A vector with precomputed sums. Ordered as its vector.
#[derive(Clone, Debug)]
pub struct Profile {
    vector: Vector,
    /// The sum of the stored values.
    sum: f64,
    /// The squared norm.
    squared: f64,
}

impl Profile {
    /// The vector itself.
    pub fn vector(&self) -> &Vector {
        &self.vector
    }
}

impl Ord for Profile {
    fn cmp(&self, other: &Profile) -> Ordering {
        // The common case: the same vector in memory.
        if std::ptr::eq(self, other) { Ordering::Equal } else { self.vector.cmp(&other.vector) }
    }
}

impl PartialOrd for Profile {
    fn partial_cmp(&self, other: &Profile) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Profile {
    fn eq(&self, other: &Profile) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Profile {}
