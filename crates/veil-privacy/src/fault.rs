//! Seeded faults: one mistake at a time in the release path, for tests of the auditor.
//!
//! With the feature `faults`, which only tests of the auditor enable, a test seeds a fault and the
//! code at its place goes wrong. Without it [`is`] is `false` and the compiler removes the branch.
//! `docs/guarantees.md` lists what finds each of them.

#[cfg(feature = "faults")]
use std::sync::atomic::{AtomicUsize, Ordering};

/// Declares the faults, each with what goes wrong.
macro_rules! faults {
    ($($(#[doc = $about:literal])+ $name:ident,)*) => {
        /// A mistake in the code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Fault {
            $($(#[doc = $about])+ $name,)*
        }

        impl Fault {
            /// All of them.
            #[cfg(feature = "faults")]
            pub const ALL: &'static [Fault] = &[$(Fault::$name),*];

            /// What goes wrong.
            #[cfg(feature = "faults")]
            pub fn about(self) -> &'static str {
                match self {
                    $(Fault::$name => concat!($($about),+).trim_ascii(),)*
                }
            }
        }
    };
}

faults! {
    /// The threshold of randomised response is rounded down instead of up
    FlipRoundedDown,
    /// Randomised response never sends the last value instead of another
    OtherNeverSent,
    /// Randomised response draws the other value with a remainder, which favours the first
    OtherByRemainder,
    /// Labels of validation nodes are released as they are
    ValidationLabelsKept,
    /// Labels of test nodes are released
    TestLabelsReleased,
    /// The sign of a feature is drawn with half of the least probability
    SignThresholdHalved,
    /// The sampled dimension is the one with the largest value
    DimensionByValue,
    /// Values outside of the range are sent without noise
    OutsideSentAsItIs,
    /// A codeword is always one of the nearest
    OnlyNearCodewords,
    /// The nearest codewords are those within a right angle: how many depends on the vector
    NearByAngle,
    /// A class is sent without noise
    ClassWithoutNoise,
    /// Centres are those of the true labels
    CentresFromTruth,
    /// The skip to the next flipped bit never reaches the last bit
    SkipOffByOne,
    /// Flips of a list are drawn with the threshold of twice the ε
    FlipsAtTwiceEpsilon,
    /// The bits of a list spend the whole ε, as if the degree beside it were free
    DegreeFreeOfCharge,
    /// The degree beside a list has no noise
    DegreeWithoutNoise,
    /// The report of a list keeps the order of the true list
    ListOrderKept,
    /// The first neighbour of a list is reported as it is
    FirstNeighbourKept,
    /// One coin for each ordered pair: a pair is an edge if either coin says so
    CoinPerOrderedPair,
    /// An edge is counted at one of its ends only
    EdgeAtOneEnd,
    /// The sensitivity of counts to an edge is 1 instead of 2
    SensitivityOne,
    /// The last of a node's counts has no noise
    LastCountWithoutNoise,
    /// All nodes draw their noise with the coins of node 0
    NodesShareCoins,
    /// The second round draws with the coins of the first
    RoundsShareCoins,
    /// Every round spends the whole ε
    RoundsNotDivided,
    /// Noisy counts are cut off at the true degree
    CountsCutAtDegree,
    /// Noise is never negative
    NoiseOneSided,
    /// Noise has half of its scale
    NoiseHalved,
    /// The first clusters are the true labels instead of the released ones
    FirstClustersFromTruth,
    /// The clusters of the last round are the true labels
    LastClustersFromTruth,
    /// The number of edges is used without noise
    CountWithoutNoise,
    /// The noise of pairs spends the whole ε, as if the count were free
    CountFreeOfCharge,
    /// Pairs without an edge are forgotten where few pairs are kept
    BandForgotten,
    /// Ties go to true edges
    TieToEdges,
    /// Ties go to the smaller id
    TieById,
    /// All mechanisms of a release draw with the same coins
    MechanismsShareCoins,
    /// The statement has the number of edges
    EdgesInStatement,
    /// The statement has the number of nodes with an edge
    NodesFromEdges,
    /// All queries are answered from the same sample
    SampleReused,
    /// All answers have the same noise
    AnswersShareNoise,
    /// Every node is in every sample
    SampleOfAll,
    /// Votes that agree are released without noise
    UnanimousWithoutNoise,
    /// Nodes are divided among the teachers in their order, so that one node moves others
    TeacherByOthers,
    /// All answers by votes have the same noise
    VotesShareNoise,
    /// The row that a node adds to sums has any length
    RowsKeepTheirLength,
    /// The noise of sums has half of its variance
    VarianceHalved,
    /// The noise of products of two features has half of the variance that it needs
    NoiseAboveHalved,
    /// The sums of a class without nodes have no noise
    EmptyClassWithoutNoise,
    /// The gradient that a node adds has any length
    GradientsKeepTheirLength,
    /// All noisy gradients have the same noise
    GradientsShareNoise,
    /// A row of a cascade also counts later neighbours
    LaterNeighboursToo,
    /// Messages of a cascade sum to two
    LongMessages,
    /// The class that leads the pairs of a cascade is the largest of the exact row
    PairsByTruth,
    /// The order of a cascade depends on edges
    OrderByDegree,
    /// All rows of a batch of a cascade have the same noise
    RowsShareNoise,
    /// A later batch of a cascade may have another order
    OtherOrderAccepted,
    /// Messages of a cascade that sum to more than one are not refused
    LongMessagesAccepted,
    /// The first node of a batch of a cascade is in the batch before it too
    BatchesOverlap,
    /// A cascade of a graph that grew has another order than the one it extends
    OtherExtensionAccepted,
}

#[cfg(feature = "faults")]
static SEEDED: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Seeds a fault in this process, in place of any other; `None` for none.
#[cfg(feature = "faults")]
pub fn seed(fault: Option<Fault>) {
    SEEDED.store(fault.map_or(usize::MAX, |fault| fault as usize), Ordering::SeqCst);
}

/// Whether this fault is seeded.
#[inline(always)]
pub(crate) fn is(fault: Fault) -> bool {
    #[cfg(feature = "faults")]
    return SEEDED.load(Ordering::Relaxed) == fault as usize;
    #[cfg(not(feature = "faults"))]
    {
        let _ = fault;
        false
    }
}
