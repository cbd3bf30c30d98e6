//! What can be wrong with parameters, and with one user's input.

use crate::budget::Epsilon;
use crate::guarantee::Unit;

/// Why parameters describe no mechanism. Depends on public parameters only, never on data.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParamError {
    /// ε = inf: the caller releases the value as it is, and says so; no mechanism does that.
    #[error("epsilon is infinite, which means not privatised: no mechanism applies")]
    NotPrivatised,
    /// Randomised response needs a value to send.
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
    /// A vector needs a coordinate.
    #[error("there must be at least one dimension")]
    NoDimensions,
    /// Samples are drawn without replacement.
    #[error("{samples} dimensions cannot be sampled out of {dimensions} (at least 1, at most all)")]
    BadSamples {
        /// How many were asked for.
        samples: u32,
        /// How many there are.
        dimensions: u32,
    },
    /// The estimate that undoes the noise would be infinite.
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
        /// What was given.
        given: f64,
    },
    /// The clipping bound must be positive and finite.
    #[error("the clipping bound {given} is not a positive finite number")]
    BadBound {
        /// What was given.
        given: f64,
    },
    /// The step of the grid is 2^-exponent.
    #[error("the step exponent {given} is not between -{limit} and {limit}")]
    BadStep {
        /// What was given.
        given: i32,
        /// The largest magnitude allowed.
        limit: i32,
    },
    /// The bound or sensitivity, counted in steps of the grid, does not fit.
    #[error("{what} is {value}, more than 2^62 steps of 2^-{step_exponent}: choose a coarser grid")]
    TooManySteps {
        /// Which parameter.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The step's exponent.
        step_exponent: i32,
    },
    /// Counts of neighbours protect an edge, one bit of a list, or which node a neighbour is.
    #[error("{given} is not what counts of neighbours can protect: edge, edge-bit or edge-set")]
    NotOfEdges {
        /// What was asked for.
        given: Unit,
    },
    /// A protocol needs a round.
    #[error("there must be at least one round")]
    NoRounds,
    /// The budget is too small to be split.
    #[error("an epsilon of {epsilon} leaves nothing for each of {rounds} rounds")]
    NothingPerRound {
        /// The whole budget.
        epsilon: Epsilon,
        /// How many rounds.
        rounds: u32,
    },
    /// Neighbours are counted by cluster.
    #[error("there must be at least one cluster")]
    NoClusters,
    /// A share or a threshold of a protocol.
    #[error("{name} is {given}, which is not between 0 and 1")]
    NotAShare {
        /// Which parameter.
        name: &'static str,
        /// What was given.
        given: f64,
    },
    /// Minus a distance is never above a positive threshold.
    #[error("a distance has no threshold: delta must be 0 and not {given}, or the measure cosine")]
    ThresholdOnDistance {
        /// What was given.
        given: f64,
    },
    /// Part of the budget goes to the number of edges, the rest to the edges.
    #[error("an epsilon of {epsilon} leaves nothing for the edges when counting them takes {count}")]
    NothingAfterCount {
        /// The whole budget.
        epsilon: Epsilon,
        /// What the count takes of it.
        count: Epsilon,
    },
    /// So little noise that the data come out as they are.
    #[error(
        "an epsilon of {epsilon} is above {largest}: the data would come out as they are; release them raw and say so"
    )]
    AsGoodAsRaw {
        /// What was given.
        epsilon: Epsilon,
        /// The largest that adds any noise.
        largest: u32,
    },
    /// Noise that whole numbers do not hold.
    #[error("a shift of {shift} asks for a variance above 2^62: there would be nothing but noise")]
    TooMuchNoise {
        /// The distance of two inputs, in standard deviations.
        shift: Epsilon,
    },
    /// Replacements are looked for among candidates.
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

/// Why one user's input cannot be reported. It is the user's own device that refuses; nothing has been sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// A value that is not among the public ones.
    #[error("the value {value} is not below the {values} values of this mechanism")]
    UnknownValue {
        /// What was given.
        value: u32,
        /// How many values there are.
        values: u32,
    },
    /// NaN has no place in a range.
    #[error("the value in dimension {dimension} is not a number")]
    NotANumber {
        /// Which coordinate (0 for a single number).
        dimension: u32,
    },
    /// A vector of another length than the parameters say.
    #[error("the vector has {given} coordinates, not {expected}")]
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
