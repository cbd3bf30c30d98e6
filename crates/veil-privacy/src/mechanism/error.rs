//! Errors in parameters and in one user's input.

use crate::budget::Epsilon;
use crate::guarantee::Unit;

/// Why parameters are not accepted. Depends on public parameters only, never on data.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParamError {
    #[error("epsilon is infinite: no mechanism applies")]
    NotPrivatised,
    #[error("there must be at least one value to report")]
    NoValues,
    #[error(
        "{codewords} codewords cannot be divided into {groups} groups: choose a power of two from 2 to {codewords}"
    )]
    BadGroups { groups: u32, codewords: u32 },
    #[error("the range {low}..{high} is not an interval of finite length")]
    BadRange { low: f64, high: f64 },
    #[error("there must be at least one dimension")]
    NoDimensions,
    #[error("{samples} dimensions cannot be sampled out of {dimensions} (at least 1, at most all)")]
    BadSamples { samples: u32, dimensions: u32 },
    #[error("the rectified value is beyond the range of a float: the range {low}..{high} is too wide for this epsilon")]
    ScaleOverflow { low: f64, high: f64 },
    #[error("the sensitivity {given} is not a positive finite number")]
    BadSensitivity { given: f64 },
    #[error("the clipping bound {given} is not a positive finite number")]
    BadBound { given: f64 },
    #[error("the step exponent {given} is not between -{limit} and {limit}")]
    BadStep { given: i32, limit: i32 },
    #[error("{what} is {value}, more than 2^62 steps of 2^-{step_exponent}: choose a coarser grid")]
    TooManySteps { what: &'static str, value: f64, step_exponent: i32 },
    #[error("counts of neighbours cannot protect the unit {given}, only edge, edge-bit or edge-set")]
    NotOfEdges { given: Unit },
    #[error("all neighbours are counted, so every edge would be counted twice: here only those before a node can be")]
    CountedTwice,
    #[error("there must be at least one round")]
    NoRounds,
    #[error("epsilon {epsilon} is too small to be split over {rounds} rounds")]
    NothingPerRound { epsilon: Epsilon, rounds: u32 },
    #[error("{rounds} rounds are too many: at most {most}")]
    TooManyRounds { rounds: u32, most: u32 },
    #[error("there must be at least one cluster")]
    NoClusters,
    #[error("{clusters} clusters are too many: at most {most}")]
    TooManyClusters { clusters: u32, most: u32 },
    #[error("{name} must be between 0 and 1, not {given}")]
    NotAShare { name: &'static str, given: f64 },
    #[error("threshold {given} requires the measure cosine: a distance has no threshold")]
    ThresholdOnDistance { given: f64 },
    #[error("epsilon {epsilon} leaves nothing for the edges after {count} for their number")]
    NothingAfterCount { epsilon: Epsilon, count: Epsilon },
    #[error("a share of {share} of epsilon {epsilon} leaves nothing for the degree or for the list")]
    NothingToShare { epsilon: Epsilon, share: f64 },
    #[error("epsilon {epsilon} is above {largest}: there would be no noise; release the data raw instead")]
    AsGoodAsRaw { epsilon: Epsilon, largest: u32 },
    #[error("shift {shift} requires a variance above 2^62")]
    TooMuchNoise { shift: Epsilon },
    #[error("there must be at least one candidate to try")]
    NoCandidates,
}

impl ParamError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            ParamError::NothingAfterCount { .. } => Some("lower epsilon-count or raise epsilon-edges".to_owned()),
            ParamError::NothingToShare { .. } => Some("choose a degree-share between 0 and 1".to_owned()),
            _ => None,
        }
    }
}

/// Why one user's input cannot be reported. The user's own device refuses it before sending
/// anything.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    #[error("the value {value} is not below the {values} values of this mechanism")]
    UnknownValue { value: u32, values: u32 },
    #[error("the value in dimension {dimension} is not a number")]
    NotANumber { dimension: u32 },
    #[error("the vector has {given} coordinates instead of {expected}")]
    WrongLength { given: usize, expected: u32 },
}
