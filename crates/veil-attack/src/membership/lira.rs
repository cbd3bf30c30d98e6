//! The likelihood ratio attack (Carlini et al. 2022), offline: how unusual is this answer for a
//! model that did not learn from the node?
//!
//! Some nodes are easy for every model, others for none, and a single threshold takes easy nodes
//! for members. Therefore each node is compared with the answers of shadows that did not learn from
//! it: φ = ln(p/(1 − p)) of its class is about normal over shadows, and the rating is (φ − μ)/σ,
//! whose order is that of the one-sided test of Carlini et al., Equation 4.
//!
//! The online attack would also train shadows on the attacked nodes. Here no shadow learns from an
//! attacked node.

use super::{Answers, Role, Shadow};

/// From this number of answers on each node has its own deviation. With fewer, all nodes share one
/// (Carlini et al., section VI-A): the deviation of a few answers is mostly chance.
const OWN_DEVIATIONS: usize = 64;

/// The smallest deviation: shadows that agree in all digits do not tell how far others would be.
const LEAST_DEVIATION: f64 = 1e-6;

/// The ratings of nodes from which no shadow learned.
pub(super) fn ratings(answers: &Answers, shadows: &[Shadow]) -> Vec<f64> {
    let of_shadows: Vec<Vec<f64>> = shadows.iter().map(|shadow| shadow.attacked.logits()).collect();
    let logits = answers.logits();
    let of_node = |node: usize| of_shadows.iter().map(|logits| logits[node]).collect::<Vec<f64>>();
    let compared = logits.iter().enumerate().map(|(node, &logit)| (logit, of_node(node))).collect();
    rate(compared).into_iter().flatten().collect()
}

/// The ratings of every shadow's own pool, compared with the other shadows that did not learn from
/// a node: the adversary knows their truth.
pub(super) fn among_shadows(shadows: &[Shadow]) -> Vec<(f64, bool)> {
    let of_shadows: Vec<Vec<f64>> = shadows.iter().map(|shadow| shadow.pool.logits()).collect();
    let (mut compared, mut is_member) = (Vec::new(), Vec::new());
    for (number, shadow) in shadows.iter().enumerate() {
        for (node, &role) in shadow.roles.iter().enumerate().filter(|(_, role)| **role != Role::Validation) {
            let did_not_learn = |&other: &usize| other != number && shadows[other].roles[node] == Role::Other;
            let others = (0..shadows.len()).filter(did_not_learn).map(|other| of_shadows[other][node]).collect();
            compared.push((of_shadows[number][node], others));
            is_member.push(role == Role::Member);
        }
    }
    let rated = rate(compared).into_iter().zip(is_member);
    rated.filter_map(|(rating, member)| Some((rating?, member))).collect()
}

/// (φ − μ)/σ of each answer and the answers it is compared with; `None` if there are none.
fn rate(compared: Vec<(f64, Vec<f64>)>) -> Vec<Option<f64>> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let squares = |values: &[f64]| {
        let mean = mean(values);
        values.iter().map(|value| (value - mean).powi(2)).sum::<f64>()
    };
    let (sum, freedom) = compared
        .iter()
        .filter(|(_, others)| others.len() > 1)
        .fold((0.0, 0), |(sum, freedom), (_, others)| (sum + squares(others), freedom + others.len() - 1));
    let shared = if freedom == 0 { 0.0 } else { (sum / freedom as f64).sqrt() };
    let rated = compared.into_iter().map(|(logit, others)| {
        let deviation = match others.len() {
            0 => return None,
            OWN_DEVIATIONS.. => (squares(&others) / (others.len() - 1) as f64).sqrt(),
            _ => shared,
        };
        Some((logit - mean(&others)) / deviation.max(LEAST_DEVIATION))
    });
    rated.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_answers_share_a_deviation_and_many_have_their_own() {
        // Squares 2 and 8 with one degree of freedom each: σ² = 5.
        let rated = rate(vec![(5.0, vec![1.0, 3.0]), (5.0, vec![3.0, 7.0]), (7.0, vec![2.0]), (1.0, vec![])]);
        let five = 5f64.sqrt();
        assert_eq!(rated, [Some(3.0 / five), Some(0.0), Some(5.0 / five), None]);
        let alternating: Vec<f64> = (0..64).map(|place| f64::from(place % 2)).collect();
        let own = (16.0f64 / 63.0).sqrt();
        assert_eq!(rate(vec![(2.5, alternating), (1.0, vec![0.0, 100.0])])[0], Some(2.0 / own));
    }

    #[test]
    fn shadows_that_agree_still_give_numbers() {
        assert_eq!(rate(vec![(1.0, vec![1.0, 1.0]), (2.0, vec![1.0, 1.0])]), [Some(0.0), Some(1.0 / LEAST_DEVIATION)]);
    }
}
