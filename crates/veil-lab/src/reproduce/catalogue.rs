//! All targets.

use super::{Against, Compared, Figure, Is, Target};

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

const SAGE: &[(&str, &str)] = &[("model", "sage")];

const ACCURACY: Figure = Figure::Named("test_accuracy");

/// LinkTeller, and of GraphSAGE link stealing, as the paper attacks.
const ATTACK: Figure = Figure::Either("linkteller_auc", "lsa2_auc");

/// A comparison of percentages over ten runs, by data and network.
const fn of_table_6(case: &'static str, figure: &'static str, mean: &'static str, deviation: &'static str) -> Compared {
    Compared {
        case,
        figure: Figure::Named(figure),
        only: &[],
        but: &[],
        against: None,
        over: &[],
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
    [Compared { but: SAGE, ..teller }, Compared { only: SAGE, ..stealing }]
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

const OF_BUDGET: &[(&str, Is)] = &[
    ("dataset", Is::Data),
    ("strategy", Is::Case),
    ("model", Is::Point("model")),
    ("epsilon", Is::Point("epsilon-edges")),
];

/// The columns α = δ = 0, whose deviation over runs is not told.
const fn of_tables_8_12(case: &'static str, figure: &'static str, mean: &'static str) -> Compared {
    Compared { deviation: None, runs: None, row: OF_BUDGET, ..of_table_6(case, figure, mean, "") }
}

const TABLES_8_12: &[Compared] = &[
    of_tables_8_12("GP-t", "test_accuracy", "acc_alpha0_delta0"),
    of_tables_8_12("GP-m", "test_accuracy", "acc_alpha0_delta0"),
    Compared { but: SAGE, ..of_tables_8_12("GP-t", "linkteller_auc", "auc_alpha0_delta0") },
    Compared { but: SAGE, ..of_tables_8_12("GP-m", "linkteller_auc", "auc_alpha0_delta0") },
];

/// One figure of the whole table: the mean over networks and ε.
const fn of_table_1(case: &'static str, against: Against, mean: &'static str, unit: f64) -> Compared {
    Compared {
        against: Some(against),
        over: &["model", "epsilon-edges"],
        deviation: None,
        runs: None,
        unit,
        row: &[("dataset", Is::Data)],
        ..of_table_6(case, "test_accuracy", mean, "")
    }
}

const RR: Against = Against { case: "rr", point: &[] };
const NOT_PRIVATE: Against = Against { case: "inf", point: &[("epsilon-edges", "inf")] };
const STRONG: &[(&str, &str)] = &[("epsilon-edges", "0.1")];

/// Gaps are what is lost, so their sign is turned; their deviations are over networks, not runs.
const TABLE_1: &[Compared] = &[
    of_table_1("gp", RR, "acc_difference", 100.0),
    Compared { figure: ATTACK, ..of_table_1("gp", RR, "auc_difference", 100.0) },
    Compared { only: STRONG, ..of_table_1("gp", NOT_PRIVATE, "gap_gp", -100.0) },
    Compared { only: STRONG, ..of_table_1("rr", NOT_PRIVATE, "gap_rr", -100.0) },
];

/// The base of the maps: any neighbour may be exchanged. Under the published code's rule δ = 0 already is a threshold.
const fn base(case: &'static str) -> Against {
    Against { case, point: &[("similarity", "paper"), ("alpha", "0"), ("delta", "0")] }
}

const POSITIVE: &[(&str, &str)] = &[("alpha", "0"), ("delta", "0")];

/// A cell of a map.
const fn cell(case: &'static str, figure: Figure, mean: &'static str) -> Compared {
    Compared {
        figure,
        against: Some(base(case)),
        deviation: None,
        runs: None,
        row: &[
            ("dataset", Is::Data),
            ("strategy", Is::Case),
            ("model", Is::Point("model")),
            ("alpha", Is::Point("alpha")),
            ("delta", Is::Point("delta")),
        ],
        ..of_table_6(case, "", mean, "")
    }
}

const FIGURES_3_15: &[Compared] = &[
    cell("GP-t", ACCURACY, "acc_difference"),
    cell("GP-m", ACCURACY, "acc_difference"),
    cell("GP-t", ATTACK, "auc_difference"),
    cell("GP-m", ATTACK, "auc_difference"),
];

const OF_STRATEGY: &[(&str, Is)] = &[("dataset", Is::Data), ("strategy", Is::Case), ("model", Is::Point("model"))];
const AT_STRONG: &[(&str, Is)] =
    &[("dataset", Is::Data), ("strategy", Is::Case), ("model", Is::Point("model")), ("epsilon", Is::Fixed("0.1"))];

/// The mean over all cells with α, δ > 0, whose published deviation is over these cells.
const fn mean_of_cells(
    case: &'static str,
    figure: Figure,
    mean: &'static str,
    row: &'static [(&'static str, Is)],
) -> Compared {
    Compared { against: None, but: POSITIVE, over: &["alpha", "delta"], row, ..cell(case, figure, mean) }
}

/// Tables 2 and 7 say that their means are over α, δ > 0, but their figures are those of all 25 cells of the maps.
const fn of_table_7(case: &'static str, figure: Figure, mean: &'static str) -> Compared {
    Compared { but: &[], ..mean_of_cells(case, figure, mean, OF_STRATEGY) }
}

const fn gain_of_table_7(case: &'static str, figure: Figure, mean: &'static str) -> Compared {
    Compared { against: Some(base(case)), ..of_table_7(case, figure, mean) }
}

const TABLE_7: &[Compared] = &[
    of_table_7("GP-t", ACCURACY, "acc_mean"),
    of_table_7("GP-m", ACCURACY, "acc_mean"),
    of_table_7("GP-t", ATTACK, "auc_mean"),
    of_table_7("GP-m", ATTACK, "auc_mean"),
    gain_of_table_7("GP-t", ACCURACY, "acc_difference"),
    gain_of_table_7("GP-m", ACCURACY, "acc_difference"),
    gain_of_table_7("GP-t", ATTACK, "auc_difference"),
    gain_of_table_7("GP-m", ATTACK, "auc_difference"),
];

const TABLES_8_12_POSITIVE: &[Compared] = &[
    mean_of_cells("GP-t", ACCURACY, "acc_mean_alpha_delta_positive", AT_STRONG),
    mean_of_cells("GP-m", ACCURACY, "acc_mean_alpha_delta_positive", AT_STRONG),
    mean_of_cells("GP-t", ATTACK, "auc_mean_alpha_delta_positive", AT_STRONG),
    mean_of_cells("GP-m", ATTACK, "auc_mean_alpha_delta_positive", AT_STRONG),
];

macro_rules! table_3_row {
    ($part:literal) => {
        &[("dataset", Is::Data), ("part", Is::Fixed($part)), ("epsilon", Is::Point("epsilon-edges"))]
    };
}

const fn of_table_3(figure: Figure, mean: &'static str) -> Compared {
    mean_of_cells("GP-t", figure, mean, table_3_row!("a"))
}

/// One cell of the grid instead of its mean.
const fn one_of_table_3(
    only: &'static [(&'static str, &'static str)],
    figure: Figure,
    mean: &'static str,
    row: &'static [(&'static str, Is)],
) -> Compared {
    Compared { but: &[], only, row, ..of_table_3(figure, mean) }
}

const BASE: &[(&str, &str)] = &[("similarity", "paper"), ("alpha", "0"), ("delta", "0")];
const AGGREGATED: &[(&str, &str)] = &[("similarity", "paper"), ("alpha", "0.75"), ("delta", "0")];

const TABLE_3: &[Compared] = &[
    of_table_3(ACCURACY, "acc"),
    of_table_3(ATTACK, "auc"),
    one_of_table_3(BASE, ACCURACY, "acc_base", table_3_row!("a")),
    one_of_table_3(BASE, ATTACK, "auc_base", table_3_row!("a")),
    one_of_table_3(AGGREGATED, ACCURACY, "acc", table_3_row!("b")),
    one_of_table_3(AGGREGATED, ATTACK, "auc", table_3_row!("b")),
];

/// Cosine less Euclidean, for every threshold; the published deviation is over what was averaged.
const fn of_table_5(case: &'static str, distance: &'static str, figure: Figure, mean: &'static str) -> Compared {
    Compared {
        against: Some(Against { case: distance, point: &[("delta", "0")] }),
        over: &["alpha", "model"],
        row: &[("dataset", Is::Data)],
        ..cell(case, figure, mean)
    }
}

const TABLE_5: &[Compared] = &[
    of_table_5("GP-t", "GP-t by distance", ACCURACY, "acc_difference"),
    of_table_5("GP-m", "GP-m by distance", ACCURACY, "acc_difference"),
    of_table_5("GP-t", "GP-t by distance", ATTACK, "auc_difference"),
    of_table_5("GP-m", "GP-m by distance", ATTACK, "auc_difference"),
];

/// Rows of the authors' result files: shares, over 30 runs.
const fn of_lpgnet(case: &'static str, figure: &'static str, row: &'static [(&'static str, Is)]) -> Compared {
    Compared {
        case,
        figure: Figure::Named(figure),
        only: &[],
        but: &[],
        against: None,
        over: &[],
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

const FIGURE_2: &[Compared] = &[
    of_lpgnet("mlp", "test_accuracy", lpgnet_row!("micro_f1", "mlp")),
    of_lpgnet("gcn", "test_accuracy", lpgnet_row!("micro_f1", "dpgcn")),
    of_lpgnet("dpgcn", "test_accuracy", lpgnet_row!("micro_f1", "dpgcn")),
    of_lpgnet("gcn", "linkteller_auc", lpgnet_row!("linkteller_auc", "dpgcn")),
    of_lpgnet("dpgcn", "linkteller_auc", lpgnet_row!("linkteller_auc", "dpgcn")),
];

macro_rules! twitch_row {
    ($metric:literal, $method:literal) => {
        &[
            ("dataset", Is::Fixed("twitch-es-de")),
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

const FIGURE_7: &[Compared] = &[
    of_twitch("mlp", "inference_rare_f1", twitch_row!("f1", "mlp")),
    of_twitch("gcn", "inference_rare_f1", twitch_row!("f1", "dpgcn")),
    of_twitch("dpgcn", "inference_rare_f1", twitch_row!("f1", "dpgcn")),
    of_twitch("lpgnet-1", "inference_rare_f1", twitch_row!("f1", "lpgnet-1")),
    of_twitch("lpgnet-2", "inference_rare_f1", twitch_row!("f1", "lpgnet-2")),
    of_twitch("lpgnet-1", "linkteller_auc", twitch_row!("linkteller_auc_unbalanced", "lpgnet-1")),
    of_twitch("lpgnet-2", "linkteller_auc", twitch_row!("linkteller_auc_unbalanced", "lpgnet-2")),
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
        name: "graphprivatizer/table-1",
        source: "GraphPrivatizer (TMLR 2024), Table 1: GP-t less two-hop randomised response over all networks and ε, and utility gaps at ε = 0.1",
        experiment: experiment!("graphprivatizer-table-1"),
        published: published!("graphprivatizer_table_1"),
        compared: TABLE_1,
    },
    Target {
        name: "graphprivatizer/table-3",
        source: "GraphPrivatizer (TMLR 2024), Table 3: GP-t with GCN on LastFM, means over α, δ > 0, and α = 0.75 with δ = 0",
        experiment: experiment!("graphprivatizer-table-3"),
        published: published!("graphprivatizer_table_3"),
        compared: TABLE_3,
    },
    Target {
        name: "graphprivatizer/table-5",
        source: "GraphPrivatizer (TMLR 2024), Table 5: cosine less Euclidean, ε = 0.1",
        experiment: experiment!("graphprivatizer-table-5"),
        published: published!("graphprivatizer_table_5"),
        compared: TABLE_5,
    },
    Target {
        name: "graphprivatizer/table-6",
        source: "GraphPrivatizer (TMLR 2024), Table 6: accuracy and attack with and without edge privacy, ε = 0.1",
        experiment: experiment!("graphprivatizer-table-6"),
        published: published!("graphprivatizer_table_6"),
        compared: TABLE_6,
    },
    Target {
        name: "graphprivatizer/figures-3-15",
        source: "GraphPrivatizer (TMLR 2024), Figures 3 to 15: what each α and δ changes against α = δ = 0, ε = 0.1",
        experiment: experiment!("graphprivatizer-heat-maps"),
        published: published!("graphprivatizer_figures_3_15"),
        compared: FIGURES_3_15,
    },
    Target {
        name: "graphprivatizer/tables-2-7",
        source: "GraphPrivatizer (TMLR 2024), Tables 2 and 7: means over the maps of α and δ, and what they gain over α = δ = 0, ε = 0.1",
        experiment: experiment!("graphprivatizer-heat-maps"),
        published: published!("graphprivatizer_table_7"),
        compared: TABLE_7,
    },
    Target {
        name: "graphprivatizer/tables-8-12-means",
        source: "GraphPrivatizer (TMLR 2024), Tables 8 to 12, the means over α, δ > 0 at ε = 0.1",
        experiment: experiment!("graphprivatizer-heat-maps"),
        published: published!("graphprivatizer_tables_8_12"),
        compared: TABLES_8_12_POSITIVE,
    },
    Target {
        name: "graphprivatizer/tables-8-12",
        source: "GraphPrivatizer (TMLR 2024), Tables 8 to 12, the columns α = δ = 0",
        experiment: experiment!("graphprivatizer-tables-8-12"),
        published: published!("graphprivatizer_tables_8_12"),
        compared: TABLES_8_12,
    },
    Target {
        name: "thesis/grid",
        source: "Structural Differential Privacy in GNNs (thesis, 2025), Figures 4.1 and 4.2: pictures without numbers, so ours stand alone",
        experiment: experiment!("thesis-grid"),
        published: published!("thesis_ranges"),
        compared: &[],
    },
    Target {
        name: "lpgnet/figure-2",
        source: "LPGNet (CCS 2022), Figure 2: DpGCN's micro-F1 and LinkTeller on Cora, ε = 1 to 10",
        experiment: experiment!("lpgnet-figure-2"),
        published: published!("lpgnet"),
        compared: FIGURE_2,
    },
    Target {
        name: "lpgnet/figure-7",
        source: "LPGNet (CCS 2022), Figure 7: trained on Twitch ES, asked about DE; F1 of the rarer class",
        experiment: experiment!("lpgnet-twitch"),
        published: published!("lpgnet"),
        compared: FIGURE_7,
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
