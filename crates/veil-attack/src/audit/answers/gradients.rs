//! Noisy gradients, with and without a node: what they reveal, and an adversary who knows the
//! gradient of the node.

use veil_graph::Matrix;
use veil_learn::method::student::dp_mlp;
use veil_privacy::accounting::Queries;
use veil_privacy::answers::gradients::cost;
use veil_privacy::answers::{AnswerError, Layers, NoisyGradients};

use super::worlds::Worlds;
use super::{CLASSES, SEEN};
use crate::audit::exact::{Loss, Losses};
use crate::audit::guesses::judge_worlds;
use crate::audit::{Audit, AuditError, Claim, Options, Promise};

/// Noisy gradients of a network with one hidden unit, of which only the node under test moves
/// anything.
pub(super) fn descent(params: &dp_mlp::Params, options: &Options) -> Result<Audit, AuditError> {
    let params = dp_mlp::Params { layer: dp_mlp::Hidden { hidden: 1 }, ..params.clone() };
    let planned = params.params(params.gamma, params.gradients())?;
    let worlds = Worlds::new(1, 1)?;
    let both = worlds.both(|private| Ok(planned.check(&private.public(), &worlds.asked())?))?;
    let claim = Claim::from(both[0].1.guarantee());
    let noise = both[0].1.noise();
    let shift = (noise.sensitivity_squared() as f64 / noise.variance() as f64).sqrt();
    let sampled = cost(shift, planned.gamma, planned.gradients).map_err(AnswerError::from)?;
    let mut losses = Losses::default();
    losses.add(loss(&sampled, claim.claimed)?);
    let compared = "any gradient that a node adds, of at most the length of the sensitivity, in a sample of its own for \
                    every step: the bound of Rényi divergences at the noise that is drawn (discrete Gaussian; \
                    Canonne, Kamath, Steinke 2020, Proposition 5)";
    let exact = losses.finish(compared.to_owned(), true, None);
    let layers = telling()?;
    let scores = worlds.scores(&both, NoisyGradients::guarantee, options, |it, private, permit| {
        let asked = worlds.asked();
        let mut gradients = it.begin(private, &asked, permit)?;
        let mut score = 0.0;
        while gradients.left() > 0 {
            score += weighed(&gradients.next(&layers)?);
        }
        Ok(score)
    })?;
    let canaries = judge_worlds(&scores[0], &scores[1], claim.claimed);
    Ok(Audit::new(claim, Some(exact), Some(canaries), None))
}

/// Weights for which usual nodes have no gradient, and the marked one that of its scores alone.
fn telling() -> Result<Layers, AnswerError> {
    let second = Matrix::zeros(1, CLASSES as usize);
    Ok(Layers::new(Matrix::from_values(2, 1, vec![0.0, 1.0])?, second)?)
}

/// A noisy gradient along that of the marked node: P(class) − 1 for its own class.
fn weighed(sums: &[i64]) -> f64 {
    let even = 1.0 / f64::from(CLASSES);
    let of_scores = (0..CLASSES).map(|class| even - f64::from(u8::from(class == SEEN)));
    sums.iter().skip(2).zip(of_scores).map(|(&sum, weight)| sum as f64 * weight).sum()
}

/// What the accountant says at both numbers of the claim.
fn loss(queries: &Queries, claimed: Promise) -> Result<Loss, AnswerError> {
    let at = |delta: f64| Ok::<f64, AnswerError>(queries.spending(delta)?.epsilon);
    // The smallest δ that suffices, among powers of 2 below the claimed one.
    let enough = at(claimed.delta)? <= claimed.epsilon;
    let (mut low, mut high) = if enough { (-200.0, claimed.delta.log2()) } else { (claimed.delta.log2(), 0.0) };
    while high - low > 0.01 {
        let middle: f64 = f64::midpoint(low, high);
        if at(middle.exp2())? <= claimed.epsilon { high = middle } else { low = middle }
    }
    Ok(Loss { epsilon: at(claimed.delta)?, delta: if enough { high.exp2().min(claimed.delta) } else { high.exp2() } })
}
