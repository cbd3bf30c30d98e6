//! What each point lost against ε = ∞.
//!
//! The reference is the point of the non-private case that was trained alike (`like`). Where there is no such point, or more than
//! one, it is the same case at ε = ∞. What is a reference itself has no gap to itself. The floor has one: what doing without
//! edges costs.

use rayon::prelude::*;

use super::{BOOTSTRAP_SEED, Budget, Role, ToInfinity, Worth, like, runs};
use crate::outcome::Outcome;
use crate::statistics::gap;

pub(super) fn fill(points: &mut [Worth], runs: &[Vec<&Outcome>]) {
    // Only these can be references: a sweep may have thousands of others.
    let infinite: Vec<usize> = (0..points.len()).filter(|&place| is_infinite(&points[place])).collect();
    let found: Vec<Option<ToInfinity>> = (0..points.len())
        .into_par_iter()
        .map(|place| {
            let (reference, differs) = reference(points, &infinite, place)?;
            let accuracy = |place: usize| Some(runs::by_seed(runs.get(place)?, points[place].scored.figure()));
            let gap = gap(&accuracy(place)?, &accuracy(reference)?, BOOTSTRAP_SEED).ok()?;
            Some(ToInfinity { reference: points[reference].case.clone(), gap, differs })
        })
        .collect();
    points.iter_mut().zip(found).for_each(|(point, found)| point.gap = found);
}

/// A point with an ε is not non-private, whatever its case is called.
fn is_infinite(point: &Worth) -> bool {
    !matches!(point.budget, Budget::Finite(_))
}

/// Whether a point is what others are compared with.
pub(super) fn is_non_private(point: &Worth) -> bool {
    point.role == Role::NonPrivate && is_infinite(point)
}

fn reference(points: &[Worth], infinite: &[usize], place: usize) -> Option<(usize, Vec<String>)> {
    let own = &points[place];
    if is_non_private(own) {
        return None;
    }
    let only = |like: &dyn Fn(&Worth) -> bool| {
        like::only(points, infinite.iter().copied().filter(|&other| like(&points[other])), own)
    };
    let found =
        only(&is_non_private).or_else(|| only(&|other| other.case == own.case && other.budget == Budget::Infinite));
    found.filter(|(reference, _)| *reference != place)
}
