//! Errors in parameters and in one user's input.

use crate::budget::Epsilon;
use crate::guarantee::Unit;

/// Why parameters are not accepted. Depends on public parameters only, never on data.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParamError {
    /// ε = inf: the caller releases the value unperturbed; no mechanism does that.
    #[error("epsilon is infinite: no mechanism applies")]
    NotPrivatised,
    /// Randomised response requires a value.
    #[error("there must be at least one value to report")]
    NoValues,
    /// The public range of a number is empty, infinite or NaN.
    #[error("the range {low}..{high} is not an interval of finite length")]
    BadRange {
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// The vector has no coordinate.
    #[error("there must be at least one dimension")]
    NoDimensions,
    /// Samples are drawn without replacement.
    #[error("{samples} dimensions cannot be sampled out of {dimensions} (at least 1, at most all)")]
    BadSamples {
        /// The requested number.
        samples: u32,
        /// Their number.
        dimensions: u32,
    },
    /// The unbiased estimate would overflow.
    #[error("the rectified value is beyond the range of a float: the range {low}..{high} is too wide for this epsilon")]
    ScaleOverflow {
        /// Lower end of the range.
        low: f64,
        /// Upper end of the range.
        high: f64,
    },
    /// A sensitivity must be positive (and finite).
    #[error("the sensitivity {given} is not a positive finite number")]
    BadSensitivity {
        /// The given value.
        given: f64,
    },
    /// The clipping bound must be positive and finite.
    #[error("the clipping bound {given} is not a positive finite number")]
    BadBound {
        /// The given value.
        given: f64,
    },
    /// The step of the grid is 2^-exponent.
    #[error("the step exponent {given} is not between -{limit} and {limit}")]
    BadStep {
        /// The given value.
        given: i32,
        /// The largest magnitude allowed.
        limit: i32,
    },
    /// The bound or sensitivity, counted in steps of the grid, does not fit.
    #[error("{what} is {value}, more than 2^62 steps of 2^-{step_exponent}: choose a coarser grid")]
    TooManySteps {
        /// The parameter.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The step's exponent.
        step_exponent: i32,
    },
    /// Counts of neighbours protect edge, edge-bit or edge-set.
    #[error("counts of neighbours cannot protect the unit {given}, only edge, edge-bit or edge-set")]
    NotOfEdges {
        /// The requested value.
        given: Unit,
    },
    /// There is no round.
    #[error("there must be at least one round")]
    NoRounds,
    /// The budget is too small to be split over the rounds.
    #[error("epsilon {epsilon} is too small to be split over {rounds} rounds")]
    NothingPerRound {
        /// The total budget.
        epsilon: Epsilon,
        /// The number of rounds.
        rounds: u32,
    },
    /// There is no cluster.
    #[error("there must be at least one cluster")]
    NoClusters,
    /// A weight or threshold is out of range.
    #[error("{name} must be between 0 and 1, not {given}")]
    NotAShare {
        /// The parameter.
        name: &'static str,
        /// The given value.
        given: f64,
    },
    /// A negated distance never reaches a positive threshold.
    #[error("threshold {given} requires the measure cosine: a distance has no threshold")]
    ThresholdOnDistance {
        /// The given value.
        given: f64,
    },
    /// The count leaves no budget for the edges.
    #[error("epsilon {epsilon} leaves nothing for the edges after {count} for their number")]
    NothingAfterCount {
        /// The total budget.
        epsilon: Epsilon,
        /// The part spent on the count.
        count: Epsilon,
    },
    /// ε is too large to add noise.
    #[error("epsilon {epsilon} is above {largest}: there would be no noise; release the data raw instead")]
    AsGoodAsRaw {
        /// The given value.
        epsilon: Epsilon,
        /// The largest ε that adds noise.
        largest: u32,
    },
    /// The noise exceeds the range of integers.
    #[error("shift {shift} requires a variance above 2^62")]
    TooMuchNoise {
        /// The distance of two inputs, in standard deviations.
        shift: Epsilon,
    },
    /// No candidate may be tried.
    #[error("there must be at least one candidate to try")]
    NoCandidates,
}

impl ParamError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        true
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            ParamError::NothingAfterCount { .. } => Some("lower epsilon-count or raise epsilon-edges".to_owned()),
            _ => None,
        }
    }
}

/// Why one user's input cannot be reported. The user's own device refuses it before sending
/// anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// The value is not one of the public values.
    #[error("the value {value} is not below the {values} values of this mechanism")]
    UnknownValue {
        /// The given value.
        value: u32,
        /// The number of values.
        values: u32,
    },
    /// The value is NaN.
    #[error("the value in dimension {dimension} is not a number")]
    NotANumber {
        /// The coordinate (0 for a single number).
        dimension: u32,
    },
    /// The vector has the wrong length.
    #[error("the vector has {given} coordinates instead of {expected}")]
    WrongLength {
        /// Its length.
        given: usize,
        /// The public length.
        expected: u32,
    },
}

impl InputError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        false
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        None
    }
}
