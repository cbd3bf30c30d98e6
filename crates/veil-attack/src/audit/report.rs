//! What an audit found, and the verdict that follows from it.

use std::fmt;

use serde::{Serialize, Serializer};
use veil_privacy::{Guarantee, Status, Trust, Unit};

/// By how much an exact loss may exceed the promise: computing with floats, no more.
pub const TOLERANCE: f64 = 1e-12;

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
            parameters: parameters.clone(),
            unit: *unit,
            trust: *trust,
            claimed: Promise { epsilon: epsilon.as_f64(), delta: delta.as_f64() },
            status: *status,
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
    /// Whether these stand for all adjacent pairs (all were compared, or a symmetry covers the rest): then the promise can be said to hold.
    pub complete: bool,
    /// The largest privacy loss of a pair.
    #[serde(serialize_with = "number")]
    pub epsilon: f64,
    /// The largest δ that a pair needs at the promised ε.
    pub delta: f64,
    /// The share of pairs that no ε separates.
    pub share_infinite: f64,
    /// The δ that pairs need at the promised ε.
    pub delta_quantiles: Quantiles,
    /// The share of neighbours that are reported as they are, with probability 1; `None` where nothing of the kind can be.
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

/// How guesses were gathered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Many canaries, one execution (Steinke, Nasr and Jagielski 2023).
    OneRun,
    /// Many executions in each of two adjacent worlds.
    TwoWorlds,
}

/// What guessing gave.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Canaries {
    /// How they were gathered.
    pub method: Method,
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
    /// The smallest true ε of which this test finds a violation in 95 % of all cases; `None` if there is none.
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

/// What an auditor says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// Exact, for all adjacent inputs of the stated model.
    #[serde(rename = "holds")]
    Holds,
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
        let Promise { epsilon, delta } = claim.claimed;
        let exceeds = |exact: &Exact| {
            if delta == 0.0 { exact.epsilon > epsilon + TOLERANCE } else { exact.delta > delta + TOLERANCE }
        };
        let guessed = canaries.is_some_and(|canaries| canaries.lower_bound_certain > epsilon + TOLERANCE);
        let verdict = match &exact {
            Some(exact) if exceeds(exact) => Verdict::Violated,
            _ if guessed => Verdict::Violated,
            Some(exact) if exact.complete => Verdict::Holds,
            _ => Verdict::NothingFound,
        };
        Audit { claim, exact, canaries, verdict, witness }
    }

    /// Whether what is called proven was found violated: an error of ours.
    pub fn contradicts_a_proof(&self) -> bool {
        self.claim.status == Status::Proven && self.verdict == Verdict::Violated
    }
}

/// JSON has no infinity: as everywhere in the project, it is the word.
fn number<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() { serializer.serialize_f64(*value) } else { serializer.serialize_str("inf") }
}
