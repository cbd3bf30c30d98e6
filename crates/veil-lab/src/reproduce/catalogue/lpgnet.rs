//! LPGNet (CCS 2022): what stands beside what.

use veil_learn::Method;

use crate::reproduce::{Compared, Figure, Further, Homophily, Is, Unit};

/// Citation graphs have public splits; Facebook has none.
pub(super) const FURTHER: &[Further] = &[
    Further { names: &["pubmed"], parameters: &[] },
    Further { names: &["facebook"], parameters: &[("split", "0.64,0.16,0.2")] },
];

/// Rows of the authors' result files: shares. Their deviations are not told over how many runs (5 to 30), so they do not count.
const fn of_lpgnet(case: &'static str, figure: &'static str, row: &'static [(&'static str, Is)]) -> Compared {
    Compared { mean: Some("mean"), deviation: Some("std"), row, ..Compared::new(case, Figure::Named(figure)) }
}

macro_rules! lpgnet_row {
    ($metric:literal, $method:literal) => {
        &[
            ("dataset", Is::Data),
            ("metric", Is::Fixed($metric)),
            ("method", Is::Fixed($method)),
            ("epsilon", Is::Point("epsilon-edges")),
        ]
    };
}

pub(super) const LPGNET_F1: &[Compared] = &[
    of_lpgnet("mlp", "test_accuracy", lpgnet_row!("micro_f1", "mlp")),
    of_lpgnet("gcn", "test_accuracy", lpgnet_row!("micro_f1", "dpgcn")),
    of_lpgnet("dpgcn", "test_accuracy", lpgnet_row!("micro_f1", "dpgcn")),
    of_lpgnet("lpgnet-1", "test_accuracy", lpgnet_row!("micro_f1", "lpgnet-1")),
    of_lpgnet("lpgnet-2", "test_accuracy", lpgnet_row!("micro_f1", "lpgnet-2")),
    of_lpgnet("mlp", "linkteller_auc", lpgnet_row!("linkteller_auc", "mlp")),
    of_lpgnet("gcn", "linkteller_auc", lpgnet_row!("linkteller_auc", "dpgcn")),
    of_lpgnet("dpgcn", "linkteller_auc", lpgnet_row!("linkteller_auc", "dpgcn")),
    of_lpgnet("lpgnet-1", "linkteller_auc", lpgnet_row!("linkteller_auc", "lpgnet-1")),
    of_lpgnet("lpgnet-2", "linkteller_auc", lpgnet_row!("linkteller_auc", "lpgnet-2")),
    of_lpgnet("mlp", "lpa_published_auc", lpgnet_row!("lpa_auc", "mlp")),
    of_lpgnet("gcn", "lpa_published_auc", lpgnet_row!("lpa_auc", "dpgcn")),
    of_lpgnet("dpgcn", "lpa_published_auc", lpgnet_row!("lpa_auc", "dpgcn")),
    of_lpgnet("lpgnet-1", "lpa_published_auc", lpgnet_row!("lpa_auc", "lpgnet-1")),
    of_lpgnet("lpgnet-2", "lpa_published_auc", lpgnet_row!("lpa_auc", "lpgnet-2")),
];

pub(super) const FIGURE_2: &[Compared] = &[
    of_lpgnet("mlp", "test_accuracy", lpgnet_row!("micro_f1", "mlp")),
    of_lpgnet("gcn", "test_accuracy", lpgnet_row!("micro_f1", "dpgcn")),
    of_lpgnet("dpgcn", "test_accuracy", lpgnet_row!("micro_f1", "dpgcn")),
    of_lpgnet("gcn", "linkteller_auc", lpgnet_row!("linkteller_auc", "dpgcn")),
    of_lpgnet("dpgcn", "linkteller_auc", lpgnet_row!("linkteller_auc", "dpgcn")),
];

/// Utility without noise, with the two decimals that are printed.
const fn of_table_2(case: &'static str) -> Compared {
    of_lpgnet(case, "test_accuracy", &[("dataset", Is::Data), ("method", Is::Case)])
}

pub(super) const TABLE_2: &[Compared] =
    &[of_table_2("mlp"), of_table_2("gcn"), of_table_2("lpgnet-1"), of_table_2("lpgnet-2")];

/// Nothing was published in figures.
const fn alone(case: &'static str, figure: &'static str) -> Compared {
    Compared::new(case, Figure::Named(figure))
}

pub(super) const HOMOPHILY: Homophily = Homophily {
    data: &["cora"],
    seeds: 5,
    models: &[("gcn", Method::Gnn, None), ("mlp", Method::Mlp, None), ("lpgnet-2", Method::Lpgnet, Some(2))],
};

/// Seven classes.
const fn of_figure_3(case: &'static str) -> [Compared; 8] {
    [
        alone(case, "homophily_class_0"),
        alone(case, "homophily_class_1"),
        alone(case, "homophily_class_2"),
        alone(case, "homophily_class_3"),
        alone(case, "homophily_class_4"),
        alone(case, "homophily_class_5"),
        alone(case, "homophily_class_6"),
        alone(case, "homophily_edges"),
    ]
}

pub(super) const FIGURE_3: &[Compared] =
    [of_figure_3("truth"), of_figure_3("gcn"), of_figure_3("mlp"), of_figure_3("lpgnet-2")].as_flattened();

/// Utility, and what both attacks find.
const fn of_figure_8(case: &'static str) -> [Compared; 3] {
    [alone(case, "test_accuracy"), alone(case, "linkteller_auc"), alone(case, "lpa_auc")]
}

pub(super) const FIGURE_8: &[Compared] =
    [of_figure_8("mlp"), of_figure_8("gcn"), of_figure_8("dpgcn"), of_figure_8("lpgnet-1"), of_figure_8("bayes")]
        .as_flattened();

macro_rules! twitch_row {
    ($metric:literal, $method:literal) => {
        &[
            ("dataset", Is::Point("inference-data")),
            ("metric", Is::Fixed($metric)),
            ("method", Is::Fixed($method)),
            ("epsilon", Is::Point("epsilon-edges")),
        ]
    };
}

/// The features as the authors scaled them.
const fn of_twitch(case: &'static str, figure: &'static str, row: &'static [(&'static str, Is)]) -> Compared {
    Compared { only: &[("scale", "standard")], ..of_lpgnet(case, figure, row) }
}

pub(super) const FIGURE_7: &[Compared] = &[
    of_twitch("mlp", "inference_rare_f1", twitch_row!("f1", "mlp")),
    of_twitch("gcn", "inference_rare_f1", twitch_row!("f1", "dpgcn")),
    of_twitch("dpgcn", "inference_rare_f1", twitch_row!("f1", "dpgcn")),
    of_twitch("lpgnet-1", "inference_rare_f1", twitch_row!("f1", "lpgnet-1")),
    of_twitch("lpgnet-2", "inference_rare_f1", twitch_row!("f1", "lpgnet-2")),
    of_twitch("lpgnet-1", "linkteller_auc", twitch_row!("linkteller_auc_unbalanced", "lpgnet-1")),
    of_twitch("lpgnet-2", "linkteller_auc", twitch_row!("linkteller_auc_unbalanced", "lpgnet-2")),
];

pub(super) const NOISY_EDGES: &[Compared] = &[Compared {
    unit: Unit::Percent,
    mean: Some("percent_noisy_edges"),
    row: &[("epsilon", Is::Point("epsilon-edges"))],
    ..Compared::new("lapgraph", Figure::Without("edges_kept", "edges_after"))
}];
