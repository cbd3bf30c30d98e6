//! All targets.

use super::{Compared, Figure, Is, Target};

/// What is run and what was published, from the folder `experiments`.
macro_rules! experiment {
    ($file:literal) => {
        include_str!(concat!("../../../../experiments/", $file, ".toml"))
    };
}

macro_rules! published {
    ($file:literal) => {
        include_str!(concat!("../../../../experiments/published/", $file, ".csv"))
    };
}

/// Rows that name data and network.
const OF_MODEL: &[(&str, Is)] = &[("dataset", Is::Data), ("model", Is::Point("model"))];

/// A comparison of percentages over ten runs, by data and network.
const fn of_table_6(case: &'static str, figure: &'static str, mean: &'static str, deviation: &'static str) -> Compared {
    Compared {
        case,
        figure: Figure::Named(figure),
        only: None,
        but: None,
        mean,
        deviation: Some(deviation),
        runs: Some(10),
        unit: 100.0,
        row: OF_MODEL,
    }
}

/// LinkTeller; of GraphSAGE the paper has link stealing.
const fn attack(case: &'static str, mean: &'static str, deviation: &'static str) -> [Compared; 2] {
    let teller = of_table_6(case, "linkteller_auc", mean, deviation);
    let stealing = of_table_6(case, "lsa2_auc", mean, deviation);
    [Compared { but: Some(("model", "sage")), ..teller }, Compared { only: Some(("model", "sage")), ..stealing }]
}

const ATTACKS: [[Compared; 2]; 3] = [
    attack("inf", "auc_inf", "auc_inf_std"),
    attack("gp", "auc_gp", "auc_gp_std"),
    attack("rr", "auc_rr", "auc_rr_std"),
];

const TABLE_6: &[Compared] = &[
    of_table_6("inf", "test_accuracy", "acc_inf", "acc_inf_std"),
    of_table_6("gp", "test_accuracy", "acc_gp", "acc_gp_std"),
    of_table_6("rr", "test_accuracy", "acc_rr", "acc_rr_std"),
    ATTACKS[0][0],
    ATTACKS[0][1],
    ATTACKS[1][0],
    ATTACKS[1][1],
    ATTACKS[2][0],
    ATTACKS[2][1],
];

const GP_T: &[(&str, Is)] = &[
    ("dataset", Is::Data),
    ("strategy", Is::Fixed("GP-t")),
    ("model", Is::Point("model")),
    ("epsilon", Is::Point("epsilon-edges")),
];
const GP_M: &[(&str, Is)] = &[
    ("dataset", Is::Data),
    ("strategy", Is::Fixed("GP-m")),
    ("model", Is::Point("model")),
    ("epsilon", Is::Point("epsilon-edges")),
];

/// The columns α = δ = 0, whose deviation over runs is not told.
const fn of_tables_8_12(
    case: &'static str,
    figure: &'static str,
    mean: &'static str,
    row: &'static [(&'static str, Is)],
) -> Compared {
    Compared { deviation: None, runs: None, row, ..of_table_6(case, figure, mean, "") }
}

const TABLES_8_12: &[Compared] = &[
    of_tables_8_12("GP-t", "test_accuracy", "acc_alpha0_delta0", GP_T),
    of_tables_8_12("GP-m", "test_accuracy", "acc_alpha0_delta0", GP_M),
    Compared { but: Some(("model", "sage")), ..of_tables_8_12("GP-t", "linkteller_auc", "auc_alpha0_delta0", GP_T) },
    Compared { but: Some(("model", "sage")), ..of_tables_8_12("GP-m", "linkteller_auc", "auc_alpha0_delta0", GP_M) },
];

/// Rows of the authors' result files: shares, over 30 runs.
const fn of_lpgnet(case: &'static str, figure: &'static str, row: &'static [(&'static str, Is)]) -> Compared {
    Compared {
        case,
        figure: Figure::Named(figure),
        only: None,
        but: None,
        mean: "mean",
        deviation: Some("std"),
        runs: None,
        unit: 1.0,
        row,
    }
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

const LPGNET_F1: &[Compared] = &[
    of_lpgnet("mlp", "test_accuracy", lpgnet_row!("micro_f1", "mlp")),
    of_lpgnet("gcn", "test_accuracy", lpgnet_row!("micro_f1", "dpgcn")),
    of_lpgnet("dpgcn", "test_accuracy", lpgnet_row!("micro_f1", "dpgcn")),
    of_lpgnet("lpgnet-1", "test_accuracy", lpgnet_row!("micro_f1", "lpgnet-1")),
    of_lpgnet("lpgnet-2", "test_accuracy", lpgnet_row!("micro_f1", "lpgnet-2")),
    of_lpgnet("gcn", "linkteller_auc", lpgnet_row!("linkteller_auc", "dpgcn")),
    of_lpgnet("dpgcn", "linkteller_auc", lpgnet_row!("linkteller_auc", "dpgcn")),
    of_lpgnet("lpgnet-1", "linkteller_auc", lpgnet_row!("linkteller_auc", "lpgnet-1")),
    of_lpgnet("lpgnet-2", "linkteller_auc", lpgnet_row!("linkteller_auc", "lpgnet-2")),
    of_lpgnet("gcn", "lpa_published_auc", lpgnet_row!("lpa_auc", "dpgcn")),
    of_lpgnet("dpgcn", "lpa_published_auc", lpgnet_row!("lpa_auc", "dpgcn")),
    of_lpgnet("lpgnet-1", "lpa_published_auc", lpgnet_row!("lpa_auc", "lpgnet-1")),
    of_lpgnet("lpgnet-2", "lpa_published_auc", lpgnet_row!("lpa_auc", "lpgnet-2")),
];

const NOISY_EDGES: &[Compared] = &[Compared {
    figure: Figure::Without("edges_kept", "edges_after"),
    deviation: None,
    unit: 100.0,
    mean: "percent_noisy_edges",
    row: &[("epsilon", Is::Point("epsilon-edges"))],
    ..of_lpgnet("lapgraph", "", &[])
}];

/// Every table and figure that can be run.
pub const TARGETS: &[Target] = &[
    Target {
        name: "graphprivatizer/table-6",
        source: "GraphPrivatizer (TMLR 2024), Table 6: accuracy and attack with and without edge privacy, ε = 0.1",
        experiment: experiment!("graphprivatizer-table-6"),
        published: published!("graphprivatizer_table_6"),
        compared: TABLE_6,
    },
    Target {
        name: "graphprivatizer/tables-8-12",
        source: "GraphPrivatizer (TMLR 2024), Tables 8 to 12, the columns α = δ = 0",
        experiment: experiment!("graphprivatizer-tables-8-12"),
        published: published!("graphprivatizer_tables_8_12"),
        compared: TABLES_8_12,
    },
    Target {
        name: "lpgnet/figures-5-6",
        source: "LPGNet (CCS 2022), Table 2 and Figures 2, 5 and 6: micro-F1 and attacks (deviations are those of the authors' result files)",
        experiment: experiment!("lpgnet"),
        published: published!("lpgnet"),
        compared: LPGNET_F1,
    },
    Target {
        name: "dpgcn/table-1",
        source: "LPGNet (CCS 2022), Table 1: the share of noisy edges in what LapGraph releases of Cora",
        experiment: experiment!("dpgcn-noise"),
        published: published!("dpgcn_noise_cora"),
        compared: NOISY_EDGES,
    },
];
