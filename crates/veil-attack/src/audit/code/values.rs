//! Labels and features.

use veil_graph::Part;
use veil_privacy::mechanism::ValueRange;
use veil_privacy::protocol::degree_vectors;
use veil_privacy::release::{EdgePlan, Encoder, Options, RangeChoice};
use veil_privacy::{Delta, Epsilon, Unit};

use super::world::{Refusal, data, edges, featured, labelled, nobody, release};
use super::{Enumerated, Pair, Promised, Reach, assumed, chosen, compare, counts, together};
use crate::audit::{AuditError, Witness};

/// One label exchanged, in releases of labels alone, with degree vectors that count per label, and
/// with classes by centres of labels.
pub(in crate::audit) fn labels(claimed: Epsilon) -> Result<Option<(Enumerated, Option<Witness>)>, AuditError> {
    together([exact_rows_of_one(assumed(claimed)), with_counts(chosen(2)), with_centres(chosen(2))])
}

fn exact_rows_of_one(epsilon: Epsilon) -> Result<(Enumerated, Option<Witness>), AuditError> {
    let parts = [Part::Train, Part::Val, Part::Test];
    let world = |labels: [u32; 3]| labelled(data(edges(3, &[(0, 1)])?), 3, &labels.map(Some), &parts);
    let mut pairs = Vec::new();
    for other in [[1, 1, 2], [0, 2, 2], [0, 1, 0]] {
        let words = ["labels 0, 1, 2", &format!("labels {other:?}")].map(str::to_owned);
        pairs.push(Pair::new((&words[0], world([0, 1, 2])?), (&words[1], world(other)?)));
    }
    let options = Options { epsilon_labels: Some(epsilon), ..Options::default() };
    let compared = "labels of a training, a validation and a test node, one of which has another class";
    let promised = Promised { epsilon, delta: Delta::ZERO };
    compare(compared, &pairs, promised, Reach::All, |data, coins| -> Result<_, Refusal> {
        Ok((&release(data, &options, coins, &nobody)?).into())
    })
}

/// The counts are per released label: what they add must not depend on the true ones.
fn with_counts(epsilon: Epsilon) -> Result<(Enumerated, Option<Witness>), AuditError> {
    let vectors =
        degree_vectors::Params { epsilon: chosen(16), rounds: 2, unit: Unit::EdgeBit, clusters: 3 }.check()?;
    let parts = [Part::Train, Part::Train];
    let world = |labels: [u32; 2]| labelled(data(edges(2, &[(0, 1)])?), 2, &labels.map(Some), &parts);
    let pairs = [Pair::new(("labels 0, 1", world([0, 1])?), ("labels 1, 1", world([1, 1])?))];
    let options = Options { epsilon_labels: Some(epsilon), edges: EdgePlan::Vectors(vectors), ..Options::default() };
    let compared = "the same label with two rounds of degree vectors, the second with clusters from the first";
    let promised = Promised { epsilon, delta: Delta::ZERO };
    compare(compared, &pairs, promised, Reach::Least(1e-9), |data, coins| -> Result<_, Refusal> {
        Ok((&release(data, &options, coins, &counts::adaptive)?).into())
    })
}

/// Centres are those of released labels: what others say of themselves must not depend on the true
/// ones.
fn with_centres(epsilon: Epsilon) -> Result<(Enumerated, Option<Witness>), AuditError> {
    let parts = [Part::Train, Part::Test];
    let world = |label: u32| -> Result<_, AuditError> {
        featured(labelled(data(edges(2, &[])?), 2, &[Some(label), None], &parts)?, &[&[1.0, 0.0], &[1.0, 0.5]])
    };
    let pairs = [Pair::new(("the label 0", world(0)?), ("the label 1", world(1)?))];
    let options = Options {
        epsilon_labels: Some(epsilon),
        epsilon_features: Some(chosen(4)),
        encoder: Encoder::Codebook,
        ..Options::default()
    };
    let compared = "the same label with codewords, and a class by the centres that they give";
    let promised = Promised { epsilon, delta: Delta::ZERO };
    compare(compared, &pairs, promised, Reach::All, |data, coins| -> Result<_, Refusal> {
        Ok((&release(data, &options, coins, &nobody)?).into())
    })
}

/// The whole vector of a training user, who sends a codeword; another user sends a class by the
/// centres that it gives. (That a class is randomised response for any centres is tested beside
/// it.)
pub(in crate::audit) fn codebook(claimed: Epsilon) -> Result<Option<(Enumerated, Option<Witness>)>, AuditError> {
    let epsilon = assumed(claimed);
    let parts = [Part::Train, Part::Test];
    let world = |rows: [[f32; 3]; 2]| -> Result<_, AuditError> {
        let labelled = labelled(data(edges(2, &[])?), 2, &[Some(0), None], &parts)?;
        featured(labelled, &[&rows[0], &rows[1]])
    };
    // A vector without values, a single dimension, its opposite, any, and its opposite.
    let [none, one, opposite] = [[0.0; 3], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]];
    let [any, other] = [[0.25, -0.5, 1.0], [-0.25, 0.5, -1.0]];
    let adjacent = [
        ("the vector 0 of a training user", [none, any], "another one", [one, any]),
        ("a vector of a training user", [one, any], "its opposite", [opposite, any]),
        ("a vector of a user who sends a class", [one, any], "its opposite", [one, other]),
    ];
    let mut pairs = Vec::new();
    for (of_one, one, of_other, other) in adjacent {
        pairs.push(Pair::new((of_one, world(one)?), (of_other, world(other)?)));
    }
    let options = Options {
        epsilon_features: Some(epsilon),
        epsilon_labels: Some(chosen(2)),
        encoder: Encoder::Codebook,
        ..Options::default()
    };
    let compared =
        "the vector of a user who sends a codeword, or of one who sends a class by the centres that it gives";
    let promised = Promised { epsilon, delta: Delta::ZERO };
    let found = compare(compared, &pairs, promised, Reach::All, |data, coins| -> Result<_, Refusal> {
        Ok((&release(data, &options, coins, &nobody)?).into())
    })?;
    Ok(Some(found))
}

/// The whole vector of one of two nodes.
pub(in crate::audit) fn features(
    claimed: Epsilon,
    samples: Option<u32>,
) -> Result<Option<(Enumerated, Option<Witness>)>, AuditError> {
    let given = samples.map(|samples| samples.min(3));
    together([given, Some(2)].map(|samples| vectors(assumed(claimed), samples)))
}

fn vectors(epsilon: Epsilon, samples: Option<u32>) -> Result<(Enumerated, Option<Witness>), AuditError> {
    let world = |row: &[f32]| featured(data(edges(2, &[])?), &[row, &[0.25, 0.5, 1.0]]);
    let vectors: [([f32; 3], [f32; 3]); 3] =
        [([0.0; 3], [1.0; 3]), ([0.0, 0.5, 1.0], [1.0, 0.25, 0.0]), ([-1.0, 0.0, 7.0], [0.5; 3])];
    let mut pairs = Vec::new();
    for (one, other) in vectors {
        let words = [one, other].map(|row| format!("the vector {row:?}"));
        pairs.push(Pair::new((&words[0], world(&one)?), (&words[1], world(&other)?)));
    }
    let range = RangeChoice::Given(ValueRange::UNIT);
    let options = Options { epsilon_features: Some(epsilon), samples, range, ..Options::default() };
    let compared = match samples {
        None => "feature vectors of three dimensions, as many of them sampled as the rule says".to_owned(),
        Some(samples) => format!("feature vectors of three dimensions, {samples} of them sampled"),
    };
    let promised = Promised { epsilon, delta: Delta::ZERO };
    compare(&compared, &pairs, promised, Reach::All, |data, coins| -> Result<_, Refusal> {
        Ok((&release(data, &options, coins, &nobody)?).into())
    })
}
