//! The audit of the code: real releases of small inputs, over all decisions of their coins.
//!
//! Other parts of an audit compute with declared thresholds and steps. Here the public release path
//! itself runs (plan, permit, release, rounds, what is written) on a few nodes, with
//! [coins that fork](veil_privacy::coins::enumerate), once for every way in which they can fall.
//! That gives the distribution of what the code writes, statement included, for an input and for an
//! adjacent one. `compare` is the one place where these are compared.
//!
//! `world` makes the small inputs, `output` writes a release in one line, and `values`, `lists`,
//! `degrees`, `counts`, `cascade`, `graphs`, `answers` and `gradients` say which releases are run
//! for a mechanism. Noise is enumerated at an ε of the auditor's choice, at which it has few likely
//! values; mechanisms without noise at the ε of the claim, up to `LARGEST`.

pub(super) mod answers;
pub(super) mod cascade;
pub(super) mod counts;
mod degrees;
pub(super) mod gradients;
pub(super) mod graphs;
mod growth;
pub(super) mod lists;
pub(super) mod output;
mod report;
#[cfg(test)]
mod tests;
pub(super) mod values;
pub(super) mod world;

use std::fmt::Display;

use rayon::prelude::*;
use veil_graph::Dataset;
use veil_privacy::coins::enumerate::{Divergence, Enumeration, Extent, divergence, enumerate};
use veil_privacy::{Coins, Delta, Epsilon, Guarantee, Private, Unit};

pub use self::output::Output;
use self::output::Written;
pub use self::report::{Enumerated, Finding};
use super::{AuditError, Witness};

/// The largest ε at which mechanisms without noise are enumerated: beyond it the least likely
/// outputs have no digits.
const LARGEST: Epsilon = match Epsilon::from_nanos(8_000_000_000) {
    Some(epsilon) => epsilon,
    None => Epsilon::INFINITE,
};

/// More executions than any enumeration needs.
const MOST_EXECUTIONS: u64 = 400_000;

/// The ε at which a mechanism without noise is enumerated.
pub(super) fn assumed(claimed: Epsilon) -> Epsilon {
    match (claimed.nanos(), LARGEST.nanos()) {
        (Some(nanos), Some(most)) if nanos <= most => claimed,
        _ => LARGEST,
    }
}

/// An ε of the auditor's choice.
pub(in crate::audit) fn chosen(whole: u32) -> Epsilon {
    Epsilon::from_nanos(u64::from(whole) * 1_000_000_000).unwrap_or(Epsilon::INFINITE)
}

/// What is promised about adjacent inputs.
#[derive(Clone, Copy, Debug)]
pub(in crate::audit) struct Promised {
    epsilon: Epsilon,
    delta: Delta,
}

impl Promised {
    /// The promise about a unit among these guarantees.
    pub(in crate::audit) fn about(unit: Unit, guarantees: &[Guarantee]) -> Option<Promised> {
        guarantees.iter().find(|guarantee| guarantee.unit == unit).map(Promised::of)
    }

    pub(in crate::audit) fn of(guarantee: &Guarantee) -> Promised {
        Promised { epsilon: guarantee.epsilon, delta: guarantee.delta }
    }
}

/// How much of a tree is explored.
#[derive(Clone, Copy, Debug)]
pub(in crate::audit) enum Reach {
    /// All of it: there is no noise.
    All,
    /// Executions that are at least so likely.
    Least(f64),
    /// The same where one execution may correspond to several, which are together as likely as the
    /// promise says and each up to `split` times less.
    Split { least: f64, split: f64 },
}

impl Reach {
    fn extent(self, promised: Promised) -> Extent {
        let executions = MOST_EXECUTIONS;
        match self {
            Reach::All => Extent { least: 0.0, margin: 1.0, executions },
            // A little more than e^ε, so that rounding cuts off nothing.
            Reach::Least(least) => Reach::Split { least, split: 1.0 }.extent(promised),
            Reach::Split { least, split } => {
                Extent { least, margin: promised.epsilon.as_f64().exp() * 1.000_001 * split, executions }
            }
        }
    }
}

/// Two adjacent inputs, in words and sealed.
pub(in crate::audit) struct Pair {
    inputs: [(String, Private<Dataset>); 2],
}

impl Pair {
    pub(in crate::audit) fn new(one: (&str, Dataset), other: (&str, Dataset)) -> Pair {
        Pair { inputs: [one, other].map(|(words, data)| (words.to_owned(), Private::seal(data))) }
    }
}

/// Runs a release of both inputs of every pair over all decisions, and compares what it writes.
///
/// # Errors
/// If nothing is ever released, or there is no thread to run it on.
pub(in crate::audit) fn compare<E: Display>(
    compared: &str,
    pairs: &[Pair],
    promised: Promised,
    reach: Reach,
    release: impl Fn(&Private<Dataset>, Coins) -> Result<Written, E> + Sync,
) -> Result<(Enumerated, Option<Witness>), AuditError> {
    let extent = reach.extent(promised);
    let statements = output::Statements::default();
    let explore = |(_, data): &(String, Private<Dataset>)| -> Result<Enumeration<Output>, AuditError> {
        // On one thread, so that decisions come in the same order every time.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.map_err(|error| AuditError::Code { problem: error.to_string() })?;
        Ok(pool.install(|| enumerate(&extent, |coins| statements.output(release(data, coins)))))
    };
    let mut found = Enumerated::new(compared, promised.epsilon.as_f64(), promised.delta.as_f64());
    let mut witness = None;
    for Pair { inputs } in pairs {
        let both: Vec<Enumeration<Output>> = inputs.par_iter().map(explore).collect::<Result<_, _>>()?;
        let [one, other] = &both[..] else { continue };
        if let Some(problem) = output::only_refused(one).or_else(|| output::only_refused(other)) {
            return Err(AuditError::Code { problem });
        }
        found.pairs += 1;
        for side in [one, other] {
            found.add_input(side);
        }
        for (from, to) in [(0, 1), (1, 0)] {
            let apart: Divergence<Output> = divergence(&both[from], &both[to], promised.epsilon);
            found.add(&apart);
            if witness.is_none() && found.finding() == Finding::Violated {
                witness = apart.worst.map(|worst| in_words(worst, [&inputs[from].0, &inputs[to].0]));
            }
        }
    }
    found.conclude();
    Ok((found, witness))
}

fn in_words((output, one, other): (Output, f64, f64), inputs: [&String; 2]) -> Witness {
    Witness {
        one: inputs[0].clone(),
        other: inputs[1].clone(),
        output: output.to_string(),
        probability_one: one,
        probability_other: other,
        because: "these are the probabilities of the release itself, over all decisions of its coins".to_owned(),
    }
}

/// Several comparisons of one promise: what they say together.
pub(in crate::audit) fn together(
    parts: impl IntoIterator<Item = Result<(Enumerated, Option<Witness>), AuditError>>,
) -> Result<Option<(Enumerated, Option<Witness>)>, AuditError> {
    let mut all: Option<(Enumerated, Option<Witness>)> = None;
    for part in parts {
        let (found, witness) = part?;
        all = Some(match all {
            None => (found, witness),
            Some((before, earlier)) => (before.and(found), earlier.or(witness)),
        });
    }
    Ok(all)
}
