//! The Pareto front of cost and accuracy.
//!
//! The cost is ε or the AUC of an attack: less is better, and ε = ∞ is a cost like any other. A
//! point dominates another if it is at least as good in both and better in one. Equal points do not
//! dominate each other. Means are compared as they are, whatever their uncertainty.

use super::{StatisticsError, check};

/// Cost and accuracy of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// ε or an attack's AUC: less is better. May be infinite.
    pub cost: f64,
    /// More is better.
    pub accuracy: f64,
}

/// The places of the points on the front, by growing cost; equal points in the order given.
///
/// ```
/// use veil_lab::statistics::{Point, front};
/// let points = [(f64::INFINITY, 0.8), (1.0, 0.6), (2.0, 0.5)];
/// assert_eq!(front(&points.map(|(cost, accuracy)| Point { cost, accuracy }))?, [1, 0]);
/// # Ok::<(), veil_lab::statistics::StatisticsError>(())
/// ```
pub fn front(points: &[Point]) -> Result<Vec<usize>, StatisticsError> {
    for point in points {
        check(&[point.cost], "cost", |cost| cost > f64::NEG_INFINITY)?;
        check(&[point.accuracy], "finite number", f64::is_finite)?;
    }
    let dominates = |one: &Point, other: &Point| {
        one.cost <= other.cost
            && one.accuracy >= other.accuracy
            && (one.cost < other.cost || one.accuracy > other.accuracy)
    };
    let mut optimal: Vec<usize> =
        (0..points.len()).filter(|&place| !points.iter().any(|other| dominates(other, &points[place]))).collect();
    // Two points of the front with one cost are equal. The sort is stable; 0.0 and −0.0 are one
    // cost.
    optimal.sort_by(|&left, &right| (points[left].cost + 0.0).total_cmp(&(points[right].cost + 0.0)));
    Ok(optimal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(points: &[(f64, f64)]) -> Vec<usize> {
        let points: Vec<Point> = points.iter().map(|&(cost, accuracy)| Point { cost, accuracy }).collect();
        front(&points).unwrap()
    }

    #[test]
    fn a_staircase_by_hand() {
        // (4, 70) is dominated by (3, 70), (2, 50) by (1, 50) and (5, 60) by two.
        let points = [(4.0, 70.0), (1.0, 50.0), (2.0, 50.0), (5.0, 60.0), (3.0, 70.0), (f64::INFINITY, 80.0)];
        assert_eq!(places(&points), [1, 4, 5]);
    }

    #[test]
    fn of_one_cost_only_the_most_accurate_stays() {
        assert_eq!(places(&[(1.0, 50.0), (1.0, 51.0), (1.0, 49.0)]), [1]);
    }

    #[test]
    fn equal_points_stay_in_the_order_given() {
        assert_eq!(places(&[(2.0, 60.0), (1.0, 50.0), (2.0, 60.0), (1.0, 50.0)]), [1, 3, 0, 2]);
        assert_eq!(places(&[(0.0, 50.0), (-0.0, 50.0)]), [0, 1]);
        assert!(places(&[]).is_empty());
    }

    #[test]
    fn other_numbers_are_refused() {
        let refused = |cost, accuracy| front(&[Point { cost: 1.0, accuracy: 1.0 }, Point { cost, accuracy }]).is_err();
        assert!(refused(f64::NAN, 1.0) && refused(1.0, f64::NAN) && refused(1.0, f64::INFINITY));
        assert!(refused(f64::NEG_INFINITY, 1.0));
    }
}
