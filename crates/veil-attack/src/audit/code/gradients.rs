//! Noisy gradients of a few nodes: the whole release, over all decisions of its samples and its
//! noise.

use veil_graph::{Dataset, Matrix, Part};
use veil_privacy::answers::gradients::Params;
use veil_privacy::answers::{AnswerError, Asked, Layers};
use veil_privacy::{Coins, Private, Request};

use super::answers::{Refusal, likely_delta};
use super::output::Written;
use super::world::{data, edges, featured, labelled};
use super::{Enumerated, Pair, Promised, Reach, chosen, compare, together};
use crate::audit::{AuditError, Witness};

const CLASSES: u32 = 2;

/// On a grid of two steps: one gradient of a sample of two nodes; if two are asked for, both, the
/// second at weights that follow from the first. These are six noisy numbers, most of whose mass is
/// outside of what can be explored, so they are not compared unasked.
pub(in crate::audit) fn descent(gradients: u32) -> Result<Option<(Enumerated, Option<Witness>)>, AuditError> {
    if gradients == 2 {
        let both = Params { gamma: 1.0, gradients, delta: TWO.parse().map_err(AnswerError::from)?, ..sampled()? };
        let two = "two noisy gradients, with and without a node";
        return together([release(both, None, false, 1e-8, two)]);
    }
    let one = "a noisy gradient of a sample of half of the nodes, with and without one of two";
    together([release(sampled()?, Some(1), true, 1e-9, one)])
}

/// δ of two gradients: a large one lets more of their mass be explored.
const TWO: &str = "0.02";

fn sampled() -> Result<Params, AuditError> {
    Ok(Params { hidden: 1, gamma: 0.5, gradients: 1, shift: chosen(2), delta: likely_delta()? })
}

/// The node under test has the first class, and there may be another one. What is compared are the
/// noisy sums, and, if it is `whole`, everything that is written beside them.
fn release(
    params: Params,
    other: Option<u32>,
    whole: bool,
    least: f64,
    compared: &str,
) -> Result<(Enumerated, Option<Witness>), AuditError> {
    let public = nodes(&[None])?;
    let asked = Asked { public: &public, queries: &[0] };
    // Without a label, a node contributes nothing.
    let pairs =
        [Pair::new(("the node under test is present", nodes(&[Some(0), other])?), ("it is not", nodes(&[other])?))];
    let [with, without] = pairs[0].inputs.each_ref().map(|(_, data)| params.on_grid(2, &data.public(), &asked));
    let (with, without) = (with?, without?);
    let promised = Promised::of(with.guarantee());
    let begin = |data: &Private<Dataset>, coins: Coins| -> Result<_, Refusal> {
        let mechanism = if data.public().nodes > 1 { &with } else { &without };
        let permit = Request::new(data, coins, vec![mechanism.guarantee().clone()])?.unbooked();
        Ok(mechanism.begin(data, &asked, permit)?)
    };
    let written = |data: &Private<Dataset>, coins: Coins| -> Result<Written, Refusal> {
        Ok((&begin(data, coins)?.finish(data, layers(1.0)?)?).into())
    };
    // The same beside all sums.
    let usual = written(&pairs[0].inputs[0].1, Coins::reproducible(0));
    let usual: Written = usual.map_err(|problem| AuditError::Code { problem: problem.to_string() })?;
    compare(
        compared,
        &pairs,
        promised,
        Reach::Least(least),
        |data: &Private<Dataset>, coins: Coins| -> Result<_, Refusal> {
            let mut steps = begin(data, coins)?;
            let mut read: Vec<i64> = Vec::new();
            while steps.left() > 0 {
                let turned = read.iter().sum::<i64>() > 0;
                read.extend(steps.next(&layers(if turned { -1.0 } else { 1.0 })?)?);
            }
            let written = if whole { (&steps.finish(data, layers(1.0)?)?).into() } else { usual.clone() };
            Ok(written.with(&format!("{read:?}")))
        },
    )
}

/// Weights for which a gradient of the first class moves every number, and would be longer than it
/// may.
fn layers(sign: f32) -> Result<Layers, AnswerError> {
    let first = Matrix::from_values(1, 1, vec![0.5])?;
    Ok(Layers::new(first, Matrix::from_values(1, CLASSES as usize, vec![-0.25 * sign, 0.25 * sign])?)?)
}

/// Nodes with one feature, without edges.
fn nodes(labels: &[Option<u32>]) -> Result<Dataset, AuditError> {
    let rows = vec![&[1.0_f32][..]; labels.len()];
    let all = data(edges(labels.len() as u32, &[])?);
    labelled(featured(all, &rows)?, CLASSES, labels, &vec![Part::Train; labels.len()])
}

#[cfg(test)]
mod tests {
    use super::super::Finding;
    use super::*;

    #[test]
    fn small_releases_hold() {
        let (found, witness) = descent(1).unwrap().unwrap();
        assert_eq!((found.finding, witness.is_none()), (Finding::Holds, true), "{found:?}");
        assert!(found.outside < 0.01, "{found:?}");
    }

    /// The second gradient has weights that follow from the first. Losses are compared where the
    /// explored 40 % of the mass are.
    #[test]
    fn two_steps_hold_inside_of_the_window() {
        let (found, witness) = descent(2).unwrap().unwrap();
        assert_eq!((found.finding, witness.is_none()), (Finding::Holds, true), "{found:?}");
        assert!(found.outside < 0.65, "{found:?}");
    }
}
