//! What an audit found, and the verdict that follows from it.

use std::fmt;

use super::code::{Enumerated, Finding};
use serde::{Serialize, Serializer};
use veil_privacy::{Guarantee, Status, Trust, Unit};

/// By how much an exact loss may exceed the promise: computing with floats, no more.
pub const TOLERANCE: f64 = 1e-12;

/// By which share of δ (or of 1 − δ) an exact δ may exceed the promise: sums of floats, no more.
/// Accounting leaves ten times as much.
pub const DELTA_TOLERANCE: f64 = 1e-10;

/// One minus the confidence at which guesses alone prove a violation.
pub const CERTAIN: f64 = 1e-6;

/// What is promised, as the auditor reads it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// The mechanism.
    pub mechanism: String,
    /// Its parameters, in its canonical text.
    pub parameters: String,
    /// What is protected.
    pub unit: Unit,
    /// From whom.
    pub trust: Trust,
    /// ε and δ.
    pub claimed: Promise,
    /// Whether this is said to hold.
    pub status: Status,
}

/// An ε and a δ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Promise {
    /// ε.
    #[serde(serialize_with = "number")]
    pub epsilon: f64,
    /// δ.
    pub delta: f64,
}

impl From<&Guarantee> for Claim {
    fn from(guarantee: &Guarantee) -> Claim {
        let Guarantee { mechanism, parameters, unit, trust, epsilon, delta, status, .. } = guarantee;
        Claim {
            mechanism: mechanism.clone(),
            parameters: parameters.to_string(),
            unit: *unit,
            trust: *trust,
            claimed: Promise { epsilon: epsilon.as_f64(), delta: delta.as_f64() },
            status: *status,
        }
    }
}

impl Claim {
    /// What is protected, in words: an edge between users who each hold their own list is a
    /// relationship.
    pub fn protects(&self) -> String {
        match (self.unit, self.trust) {
            (Unit::Edge, Trust::Local) => format!("{} (relationship)", self.unit),
            _ => self.unit.to_string(),
        }
    }
}

/// What comparing exact distributions gave.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Exact {
    /// What was compared, and within which model the figures are exact: a sentence.
    pub compared: String,
    /// How many pairs of adjacent inputs.
    pub pairs: usize,
    /// Whether these stand for all adjacent pairs (all were compared, or a symmetry covers the
    /// rest): then the promise can be said to hold.
    pub complete: bool,
    /// The largest privacy loss of a pair. Where a δ is promised, the ε that is needed at that δ:
    /// infinite if no ε is enough for some pair.
    #[serde(serialize_with = "number")]
    pub epsilon: f64,
    /// The largest δ that a pair needs at the promised ε.
    pub delta: f64,
    /// The share of pairs for which no ε is enough, at the promised δ.
    pub share_infinite: f64,
    /// The δ that pairs need at the promised ε.
    pub delta_quantiles: Quantiles,
    /// The share of neighbours that are reported as they are, with probability 1; `None` where
    /// nothing of the kind can be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share_unchanged: Option<f64>,
}

/// Quantiles over pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Quantiles {
    /// Half of the pairs need no more.
    pub median: f64,
    /// Nine tenths.
    pub p90: f64,
    /// Ninety-nine hundredths.
    pub p99: f64,
    /// All.
    pub max: f64,
}

/// The experiment of which coins are guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Setup {
    /// Many canaries, one execution (Steinke, Nasr and Jagielski 2023).
    OneRun,
    /// Many executions in each of two adjacent worlds.
    TwoWorlds,
}

/// What guessing gave.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Canaries {
    /// The experiment.
    #[serde(rename = "method")]
    pub setup: Setup,
    /// How many canaries there were; of two worlds, how many executions decide.
    pub canaries: usize,
    /// How many were guessed; the others were abstained from.
    pub guessed: usize,
    /// How many of these guesses are right.
    pub right: usize,
    /// ε is at least this, with confidence 95 %.
    #[serde(serialize_with = "number")]
    pub lower_bound_95: f64,
    /// With confidence 99.9 %.
    #[serde(serialize_with = "number")]
    pub lower_bound_999: f64,
    /// With confidence 1 − 10⁻⁶: above the promise, this is a violation.
    #[serde(serialize_with = "number")]
    pub lower_bound_certain: f64,
    /// Guesses as good as those of randomised response with this ε are found to be a violation in
    /// 95 % of all cases; `None` if none are. Where many parts of an output tell a little each, a
    /// mechanism of that ε allows worse guesses, and less is found.
    pub would_detect: Option<f64>,
}

/// Two inputs and an output that the promise does not allow: to be checked by hand.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Witness {
    /// One input.
    pub one: String,
    /// An adjacent input.
    pub other: String,
    /// What came out.
    pub output: String,
    /// How likely that is with the one input.
    pub probability_one: f64,
    /// And with the other.
    pub probability_other: f64,
    /// Why, so that a reader can check it.
    pub because: String,
}

impl Witness {
    /// Whether this is more than the promise allows.
    pub fn refutes(&self, promise: Promise) -> bool {
        let allowed = if self.probability_other == 0.0 { 0.0 } else { promise.epsilon.exp() * self.probability_other };
        self.probability_one > allowed + promise.delta
    }
}

/// What an auditor says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// The code keeps its guarantee on small adjacent inputs, over all decisions of its coins.
    #[serde(rename = "holds")]
    Holds,
    /// The arithmetic of the proof holds, for all adjacent inputs; in the code nothing was found.
    #[serde(rename = "proof arithmetic holds; code: nothing found")]
    ProofHolds,
    /// Nothing was found; how much would have been, the figures say.
    #[serde(rename = "no violation found")]
    NothingFound,
    /// There is a witness, or the guesses are too good with confidence 1 − 10⁻⁶.
    #[serde(rename = "violated")]
    Violated,
}

impl Verdict {
    /// The word in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::ProofHolds => "proof arithmetic holds; code: nothing found",
            Verdict::NothingFound => "no violation found",
            Verdict::Violated => "violated",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// All that was found about one promise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Audit {
    /// The promise.
    #[serde(flatten)]
    pub claim: Claim,
    /// What exact distributions say.
    pub exact: Option<Exact>,
    /// What releases of small inputs say, over all decisions of their coins.
    pub code: Option<Enumerated>,
    /// What guesses say.
    #[serde(flatten)]
    pub canaries: Option<Canaries>,
    /// What follows.
    pub verdict: Verdict,
    /// The counterexample, if distributions gave one.
    pub witness: Option<Witness>,
}

impl Audit {
    /// The verdict that follows from these findings.
    pub fn new(claim: Claim, exact: Option<Exact>, canaries: Option<Canaries>, witness: Option<Witness>) -> Audit {
        let canaries = canaries.filter(|canaries| canaries.canaries > 0);
        let Promise { epsilon, delta } = claim.claimed;
        let exceeds = |exact: &Exact| {
            // A small δ, or one near 1, is no excuse for being off by as much.
            let tolerance = DELTA_TOLERANCE * delta.min(1.0 - delta);
            if delta == 0.0 { exact.epsilon > epsilon + TOLERANCE } else { exact.delta > delta + tolerance }
        };
        let witnessed = witness.as_ref().is_some_and(|witness| witness.refutes(claim.claimed));
        let guessed = canaries.is_some_and(|canaries| canaries.violate(claim.claimed));
        let verdict = match &exact {
            Some(exact) if exceeds(exact) => Verdict::Violated,
            _ if guessed || witnessed => Verdict::Violated,
            Some(exact) if exact.complete => Verdict::ProofHolds,
            _ => Verdict::NothingFound,
        };
        Audit { claim, exact, code: None, canaries, verdict, witness }
    }

    /// The same with what releases of small inputs gave, and a counterexample among them. What
    /// they show is about the code at their own ε; at another one the arithmetic must hold too.
    pub fn with_code(mut self, code: Enumerated, witness: Option<Witness>) -> Audit {
        let at_the_claim = code.epsilon == self.claim.claimed.epsilon && code.delta <= self.claim.claimed.delta;
        self.verdict = match (code.finding, self.verdict) {
            (Finding::Violated, _) | (_, Verdict::Violated) => Verdict::Violated,
            (Finding::Holds, Verdict::ProofHolds) => Verdict::Holds,
            (Finding::Holds, _) if at_the_claim => Verdict::Holds,
            (_, verdict) => verdict,
        };
        self.witness = self.witness.or(witness);
        self.code = Some(code);
        self
    }

    /// Whether a guarantee that is not known to be refuted was found violated.
    pub fn is_unexpected(&self) -> bool {
        self.claim.status != Status::Refuted && self.verdict == Verdict::Violated
    }
}

impl Canaries {
    /// Whether these guesses violate a promise, with an error probability of 10⁻⁶.
    pub fn violate(&self, promise: Promise) -> bool {
        self.lower_bound_certain > promise.epsilon + TOLERANCE
    }
}

/// JSON has no infinity: as everywhere in the project, it is the word.
pub(super) fn number<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() { serializer.serialize_f64(*value) } else { serializer.serialize_str("inf") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(epsilon: f64, delta: f64) -> Claim {
        Claim {
            mechanism: String::new(),
            parameters: String::new(),
            unit: Unit::EdgeSet,
            trust: Trust::Local,
            claimed: Promise { epsilon, delta },
            status: Status::Refuted,
        }
    }

    fn exact(epsilon: f64, delta: f64, complete: bool) -> Option<Exact> {
        let losses = [(epsilon, delta)].map(|(epsilon, delta)| crate::audit::exact::Loss { epsilon, delta });
        let mut all = crate::audit::exact::Losses::default();
        losses.into_iter().for_each(|loss| all.add(loss));
        Some(all.finish(String::new(), complete, None))
    }

    fn witness(one: f64, other: f64) -> Option<Witness> {
        let [a, b, c, d] = [(); 4].map(|()| String::new());
        Some(Witness { one: a, other: b, output: c, probability_one: one, probability_other: other, because: d })
    }

    #[test]
    fn verdicts_follow_from_findings() {
        let verdict = |claim: Claim, exact, witness| Audit::new(claim, exact, None, witness).verdict;
        assert_eq!(verdict(claim(1.0, 0.0), exact(1.0, 0.0, true), None), Verdict::ProofHolds);
        assert_eq!(verdict(claim(1.0, 0.0), exact(1.0, 0.0, false), None), Verdict::NothingFound);
        assert_eq!(verdict(claim(1.0, 0.0), exact(1.001, 0.0, true), None), Verdict::Violated);
        // A δ that is nearly 1, or nearly 0, is compared on its own scale.
        assert_eq!(verdict(claim(30.0, 1.0 - 1e-13), exact(f64::INFINITY, 1.0, false), None), Verdict::Violated);
        assert_eq!(verdict(claim(1.0, 1e-14), exact(1.1, 2e-14, true), None), Verdict::Violated);
        assert_eq!(verdict(claim(1.0, 1.0), exact(f64::INFINITY, 1.0, false), None), Verdict::NothingFound);
        // A witness counts if the promise does not allow it.
        assert_eq!(verdict(claim(1.0, 0.5), None, witness(1.0, 0.0)), Verdict::Violated);
        assert_eq!(verdict(claim(1.0, 0.5), None, witness(0.5, 0.0)), Verdict::NothingFound);
        assert_eq!(verdict(claim(800.0, 0.0), None, witness(0.1, 0.0)), Verdict::Violated);
    }
}
