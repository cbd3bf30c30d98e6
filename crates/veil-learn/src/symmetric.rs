//! Small symmetric matrices: eigenvalues (Jacobi), Cholesky, least squares with numbers that are
//! not negative (Lawson and Hanson 1974).

/// A symmetric matrix, all of it stored.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Symmetric {
    size: usize,
    values: Vec<f64>,
}

/// Eigenvalues, the largest first, and for each its vector of length 1.
#[derive(Clone, Debug)]
pub(crate) struct Eigen {
    pub values: Vec<f64>,
    pub vectors: Vec<Vec<f64>>,
}

impl Symmetric {
    /// From its entries at and below the diagonal.
    pub fn from_fn(size: usize, entry: impl Fn(usize, usize) -> f64) -> Symmetric {
        let mut values = vec![0.0; size * size];
        for row in 0..size {
            for column in 0..=row {
                let entry = entry(row, column);
                values[row * size + column] = entry;
                values[column * size + row] = entry;
            }
        }
        Symmetric { size, values }
    }

    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.size + column]
    }

    pub fn trace(&self) -> f64 {
        (0..self.size).map(|place| self.get(place, place)).sum()
    }

    /// Σ f(λ)·v·v' over the eigenvalues λ and their vectors v.
    pub fn with_eigenvalues(&self, of: impl Fn(f64) -> f64) -> Symmetric {
        let Eigen { values, vectors } = self.eigen();
        let values: Vec<f64> = values.into_iter().map(of).collect();
        let entry = |row: usize, column: usize| {
            values.iter().zip(&vectors).map(|(value, vector)| value * vector[row] * vector[column]).sum()
        };
        Symmetric::from_fn(self.size, entry)
    }

    /// By Jacobi's rotations: each makes one entry 0, and what is left off the diagonal falls until
    /// it is nothing beside it.
    pub fn eigen(&self) -> Eigen {
        const MOST_SWEEPS: usize = 60;
        let size = self.size;
        let mut matrix = self.values.clone();
        // A row for each eigenvector.
        let mut vectors = vec![0.0; size * size];
        (0..size).for_each(|place| vectors[place * size + place] = 1.0);
        for _ in 0..MOST_SWEEPS {
            let off: f64 =
                (0..size).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| matrix[i * size + j].powi(2)).sum();
            let all: f64 = matrix.iter().map(|it| it * it).sum();
            if off <= 1e-26 * all || !all.is_finite() {
                break;
            }
            for p in 0..size {
                for q in p + 1..size {
                    rotate(&mut matrix, &mut vectors, size, p, q);
                }
            }
        }
        let mut order: Vec<usize> = (0..size).collect();
        let value = |place: usize| matrix[place * size + place];
        order.sort_by(|&a, &b| value(b).total_cmp(&value(a)).then(a.cmp(&b)));
        Eigen {
            values: order.iter().map(|&place| value(place)).collect(),
            vectors: order.iter().map(|&place| vectors[place * size..(place + 1) * size].to_vec()).collect(),
        }
    }

    /// x with S·x = `right`, if S is positive definite.
    pub fn solve(&self, right: &[f64]) -> Option<Vec<f64>> {
        Some(self.factored()?.solve(right))
    }

    /// Cholesky's L with L·L' = S, if S is positive definite.
    pub fn factored(&self) -> Option<Cholesky> {
        let size = self.size;
        let mut factor = vec![0.0; size * size];
        for row in 0..size {
            let (above, rest) = factor.split_at_mut(row * size);
            let own = &mut rest[..size];
            for column in 0..=row {
                let other = if column < row { &above[column * size..][..size] } else { &*own };
                let dot: f64 = own[..column].iter().zip(&other[..column]).map(|(a, b)| a * b).sum();
                let left = self.get(row, column) - dot;
                own[column] = match row == column {
                    true if left > 0.0 && left.is_finite() => left.sqrt(),
                    true => return None,
                    false => left / other[column],
                };
            }
        }
        Some(Cholesky { size, factor })
    }

    /// The smallest x'Sx − 2·`linear`'x among x ≥ 0, for a positive definite S: numbers join one by
    /// one where that helps most, and leave where they would be negative.
    pub fn non_negative_least(&self, linear: &[f64]) -> Vec<f64> {
        let size = self.size;
        let mut x = vec![0.0; size];
        let mut free = vec![false; size];
        let largest = linear.iter().fold(0.0_f64, |largest, it| largest.max(it.abs()));
        // Each round ends with a smaller value, so no set of numbers comes twice; rounding could
        // make it so.
        for _ in 0..10 * size {
            let slope = |place: usize| linear[place] - (0..size).map(|k| self.get(place, k) * x[k]).sum::<f64>();
            let best = (0..size).filter(|&place| !free[place]).map(|place| (place, slope(place)));
            let best = best.fold(None, |best: Option<(usize, f64)>, next| match best {
                Some(best) if best.1 >= next.1 => Some(best),
                _ => Some(next),
            });
            match best {
                Some((place, slope)) if slope > 1e-10 * largest => free[place] = true,
                _ => break,
            }
            loop {
                let chosen: Vec<usize> = (0..size).filter(|&place| free[place]).collect();
                let small = Symmetric::from_fn(chosen.len(), |i, j| self.get(chosen[i], chosen[j]));
                let right: Vec<f64> = chosen.iter().map(|&place| linear[place]).collect();
                let Some(wanted) = small.solve(&right) else { return x };
                let below = chosen.iter().zip(&wanted).filter(|(_, wanted)| **wanted <= 0.0);
                let step = below.map(|(&place, wanted)| x[place] / (x[place] - wanted)).fold(1.0, f64::min);
                let all = wanted.iter().all(|&wanted| wanted > 0.0);
                for (&place, &wanted) in chosen.iter().zip(&wanted) {
                    x[place] += step * (wanted - x[place]);
                    if !all && x[place] <= 1e-14 * wanted.abs() {
                        (x[place], free[place]) = (0.0, false);
                    }
                }
                if all || !free.contains(&true) {
                    break;
                }
            }
        }
        x
    }
}

/// A matrix that is ready to be solved for any number of right sides.
#[derive(Clone, Debug)]
pub(crate) struct Cholesky {
    size: usize,
    factor: Vec<f64>,
}

impl Cholesky {
    /// L⁻¹, row by row: it makes second moments S those of the unit matrix.
    pub fn inverse(&self) -> Vec<f64> {
        let Cholesky { size, factor } = self;
        let mut inverse = vec![0.0; size * size];
        for row in 0..*size {
            let diagonal = factor[row * size + row];
            for column in 0..=row {
                let one = f64::from(u8::from(row == column));
                let dot: f64 = (column..row).map(|k| factor[row * size + k] * inverse[k * size + column]).sum();
                inverse[row * size + column] = (one - dot) / diagonal;
            }
        }
        inverse
    }

    /// x with S·x = `right`.
    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        let (size, factor) = (self.size, &self.factor);
        let mut x = right.to_vec();
        for row in 0..size {
            let dot: f64 = (0..row).map(|k| factor[row * size + k] * x[k]).sum();
            x[row] = (x[row] - dot) / factor[row * size + row];
        }
        for row in (0..size).rev() {
            let dot: f64 = (row + 1..size).map(|k| factor[k * size + row] * x[k]).sum();
            x[row] = (x[row] - dot) / factor[row * size + row];
        }
        x
    }
}

/// Makes the entry (p, q) zero.
fn rotate(matrix: &mut [f64], vectors: &mut [f64], size: usize, p: usize, q: usize) {
    let entry = matrix[p * size + q];
    if entry == 0.0 {
        return;
    }
    // The smaller of the two angles that do it.
    let theta = (matrix[q * size + q] - matrix[p * size + p]) / (2.0 * entry);
    let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    let turn = |matrix: &mut [f64], left: usize, right: usize| {
        let (a, b) = (matrix[left], matrix[right]);
        matrix[left] = cosine * a - sine * b;
        matrix[right] = sine * a + cosine * b;
    };
    for k in 0..size {
        turn(matrix, k * size + p, k * size + q);
    }
    for k in 0..size {
        turn(matrix, p * size + k, q * size + k);
        turn(vectors, p * size + k, q * size + k);
    }
}
