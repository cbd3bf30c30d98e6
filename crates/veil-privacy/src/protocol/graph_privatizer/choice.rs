//! Choices of a user.

crate::words! {
    /// The choice of candidates.
    pub enum Strategy: "strategy" {
        /// The single most similar neighbour (GP-m, Algorithm 3).
        MostSimilar = "most-similar",
        /// All neighbours above the threshold (GP-t, Algorithm 4).
        Threshold = "threshold",
    }

    /// The definition of the similarity, where the paper and its published code differ.
    #[derive(Default)]
    pub enum Reading: "reading of the similarity" {
        /// Equations 3 and 4 on rectified features, at least the threshold; a threshold of 0 is
        /// none (§4.2).
        #[default]
        Paper = "paper",
        /// α·cos(x) + (1−α)·cos(aggregate), strictly above the threshold, also at 0.
        Reference = "reference",
    }
}
