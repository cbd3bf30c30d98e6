//! Which points are sweet spots: more accurate than the floor, harder to attack than the non-private case. See
//! [`sweet_spots`] for the rule.

use super::{Budget, Role, Worth, attacks, by_data};
use crate::statistics::{Measured, Region, sweet_spots};

/// Where the sweet spots of one data set lie by one attack; none without a floor, or without such an attack on the non-private
/// case. Where there are several floors or non-private points, those that are hardest to better; a point with an ε is not
/// non-private, whatever its case is called.
pub(crate) fn region<'a>(points: impl Iterator<Item = &'a Worth> + Clone, attack: &str) -> Option<Region> {
    let of_role = |role: Role| points.clone().filter(move |point| point.role == role);
    let floors = of_role(Role::Floor).filter_map(|point| Some(point.accuracy?.mean));
    let open = of_role(Role::NonPrivate).filter(|point| !matches!(point.budget, Budget::Finite(_)));
    let open = open.filter_map(|point| Some(point.attacks.get(attack)?.mean));
    Some(Region { edge_free_accuracy: floors.reduce(f64::max)?, non_private_auc: open.reduce(f64::min)? })
}

pub(super) fn fill(points: &mut [Worth]) {
    for attack in attacks(points) {
        for places in by_data(points) {
            let Some(region) = region(places.iter().map(|place| &points[*place]), &attack) else { continue };
            let measured = |&place: &usize| {
                let point = &points[place];
                let (accuracy, auc) = (point.accuracy?.into(), (*point.attacks.get(&attack)?).into());
                (point.role == Role::Method).then_some((place, Measured { accuracy, auc }))
            };
            let (there, measured): (Vec<usize>, Vec<Measured>) = places.iter().filter_map(measured).unzip();
            // Summaries are finite, and so nothing is refused.
            let sweet = sweet_spots(&measured, region).unwrap_or_default();
            for (nth, place) in there.into_iter().enumerate() {
                points[place].sweet.insert(attack.clone(), sweet.contains(&nth));
            }
        }
    }
}
