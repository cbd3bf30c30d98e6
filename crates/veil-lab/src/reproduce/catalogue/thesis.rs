//! Structural Differential Privacy in GNNs (thesis, 2025): what its text says about its pictures.

use crate::reproduce::{Compared, Figure, Further, Is, Unit};

/// As on Cora but for K_y.
pub(super) const FURTHER: &[Further] = &[Further { names: &["pubmed", "lastfm"], parameters: &[("ky", "0")] }];

/// An empty cell of its table means whatever the budget is.
const fn of_grid(case: &'static str) -> Compared {
    Compared {
        range: Some(["above", "below"]),
        unit: Unit::Percent,
        row: &[
            ("dataset", Is::Data),
            ("epsilon_features", Is::Point("epsilon-features")),
            ("epsilon_labels", Is::Point("epsilon-labels")),
        ],
        ..Compared::new(case, Figure::Named("test_accuracy"))
    }
}

pub(super) const GRID: &[Compared] = &[of_grid("approach 1"), of_grid("approach 2")];
