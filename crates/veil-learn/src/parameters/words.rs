//! Parameters whose value is one of a few words.

use std::sync::LazyLock;

use veil_nn::Kind as Layer;
use veil_nn::training::Keep;
use veil_privacy::release::Scale;
use veil_privacy::words;

/// Names of all kinds of layers.
pub(crate) fn layers() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| Layer::ALL.map(Layer::name).to_vec());
    &NAMES
}

words! {
    /// Which edges a network reads.
    pub enum Reads: "choice of edges" {
        /// All edges of the data.
        All = "all",
        /// None.
        None = "none",
    }

    /// What a network reads besides degree vectors.
    pub enum UseFeatures: "choice of features" {
        /// Nothing.
        None = "none",
        /// The released features.
        Released = "released",
    }

    /// Reader of the degree vectors in the central model.
    pub enum Readout: "readout" {
        /// A network, as LPGNet was published.
        Network = "network",
        /// Bayes' rule with the known noise.
        Bayes = "bayes",
    }

    /// Whether pairs of classes are released as differences.
    pub enum Paired: "choice of pairs" {
        /// If ε is small.
        Auto = "auto",
        /// Always.
        Yes = "yes",
        /// Never.
        No = "no",
    }

    /// What users report about their neighbours in a cascade.
    pub enum Reported: "choice of reports" {
        /// Bits if few of them are false, else rows.
        Auto = "auto",
        /// Noisy sums of what neighbours say.
        Rows = "rows",
        /// Randomised response about each other node.
        Bits = "bits",
    }

    /// Choice of the public nodes that are queried.
    pub enum Choose: "choice of queries" {
        /// Uniformly at random.
        Random = "random",
        /// The highest PageRank.
        Pagerank = "pagerank",
        /// The highest degree.
        Degree = "degree",
        /// The centres of as many clusters of features.
        Clustering = "clustering",
    }

    /// Epoch whose weights are kept.
    pub enum Select: "selection rule" {
        /// The rule of the code that GraphPrivatizer shares with LPGNN: see
        /// [`Keep::GraphPrivatizer`].
        Reference = "reference",
        /// The lowest validation loss.
        LowestValidationLoss = "lowest-validation-loss",
        /// The highest validation accuracy.
        HighestValidationAccuracy = "highest-validation-accuracy",
        /// The last one.
        Last = "last",
    }

    /// Scaling of the features.
    pub enum Scaling: "scaling" {
        /// Columns to [0, 1].
        Minmax = "minmax",
        /// Rows to sum 1.
        Rows = "rows",
        /// Columns to mean 0 and deviation 1 in the training graph; needs unchanged features.
        Standard = "standard",
        /// None.
        None = "none",
    }
}

impl Select {
    /// The rule of veil-nn for labels that are kept with this probability.
    pub(crate) fn keep(self, keep_probability: f64) -> Keep {
        match self {
            Select::Reference => Keep::GraphPrivatizer { keep_probability },
            Select::LowestValidationLoss => Keep::LowestValidationLoss,
            Select::HighestValidationAccuracy => Keep::HighestValidationAccuracy,
            Select::Last => Keep::Last,
        }
    }
}

impl From<Scaling> for Scale {
    fn from(scaling: Scaling) -> Scale {
        match scaling {
            Scaling::Minmax => Scale::MinMax,
            Scaling::Rows => Scale::Rows,
            // Standardised after the release, by what was released.
            Scaling::Standard | Scaling::None => Scale::None,
        }
    }
}
