//! The words for what a user may choose.

crate::words! {
    /// How candidates are chosen.
    pub enum Strategy: "strategy" {
        /// The single most similar neighbour (GP-m, Algorithm 3).
        MostSimilar = "most-similar",
        /// All neighbours above the threshold (GP-t, Algorithm 4).
        Threshold = "threshold",
    }
}

crate::words! {
    /// Which text is followed where the paper and its published code differ.
    #[derive(Default)]
    pub enum Reading: "reading of the similarity" {
        /// Equations 3 and 4 on rectified features, at least δ; δ = 0 is no threshold (§4.2).
        #[default]
        Paper = "paper",
        /// α·cos(x) + (1−α)·cos(aggregate), strictly above δ, also at δ = 0.
        Reference = "reference",
    }
}
