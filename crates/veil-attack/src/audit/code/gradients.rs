//! Noisy gradients of a few nodes: the whole release, over all decisions of its samples and its noise.

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

/// On a grid of two steps: one gradient of two nodes, and two gradients of one, the second with weights
/// that follow from the first.
pub(super) fn descent() -> Result<Option<(Enumerated, Option<Witness>)>, AuditError> {
    let one = "a noisy gradient of a sample of half of the nodes, with and without one of two";
    let two = "two noisy gradients with the same weights, of a sample of half of the nodes, with and without a node";
    let adaptive = "two noisy gradients, the second with weights that follow from the first, with and without a node";
    together([
        release(1, true, false, 1e-10, one),
        release(2, false, false, 2e-8, two),
        release(2, false, true, 2e-8, adaptive),
    ])
}

fn release(
    gradients: u32,
    accompanied: bool,
    adaptive: bool,
    least: f64,
    compared: &str,
) -> Result<(Enumerated, Option<Witness>), AuditError> {
    let public = nodes(&[None])?;
    let asked = Asked { public: &public, queries: &[0] };
    let params = Params { hidden: 1, gamma: 0.5, gradients, shift: chosen(2), delta: likely_delta()? };
    // Without a label, a node contributes nothing.
    let other = accompanied.then_some(1);
    let pairs =
        [Pair::new(("the node under test is present", nodes(&[Some(0), other])?), ("it is not", nodes(&[other])?))];
    let [with, without] = pairs[0].inputs.each_ref().map(|(_, data)| params.on_grid(2, &data.public(), &asked));
    let (with, without) = (with?, without?);
    let promised = Promised::of(with.guarantee());
    compare(
        compared,
        &pairs,
        promised,
        Reach::Least(least),
        |data: &Private<Dataset>, coins: Coins| -> Result<_, Refusal> {
            let mechanism = if data.public().nodes > 1 { &with } else { &without };
            let permit = Request::new(data, coins, vec![mechanism.guarantee().clone()])?.unbooked();
            let mut steps = mechanism.begin(data, &asked, permit)?;
            let mut read: Vec<i64> = Vec::new();
            while steps.left() > 0 {
                let turned = adaptive && read.iter().sum::<i64>() > 0;
                read.extend(steps.next(&layers(if turned { -1.0 } else { 1.0 })?)?);
            }
            let written: Written = (&steps.finish(data, layers(1.0)?)?).into();
            Ok(written.with(&format!("{read:?}")))
        },
    )
}

/// Weights for which a gradient of the first class moves every number, and would be longer than it may.
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
        let (found, witness) = descent().unwrap().unwrap();
        assert_eq!((found.finding, witness.is_none()), (Finding::Holds, true), "{found:?}");
    }
}
