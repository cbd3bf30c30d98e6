//! GraphPrivatizer (TMLR 2024): what stands beside what.

use crate::reproduce::{Against, Compared, Figure, Further, Is, Over, Unit};

/// Appendix A: all but K_x and K_y is as on Cora.
pub(super) const FURTHER: &[Further] = &[
    Further { names: &["lastfm", "pubmed"], parameters: &[("ky", "0")] },
    Further { names: &["facebook", "amazon_photo"], parameters: &[("kx", "4")] },
];

/// Rows that name data and network.
const OF_MODEL: &[(&str, Is)] = &[("dataset", Is::Data), ("model", Is::Point("model"))];

const SAGE: &[(&str, &str)] = &[("model", "sage")];

const ACCURACY: Figure = Figure::Named("test_accuracy");

/// LinkTeller, and of GraphSAGE link stealing, as the paper attacks.
const ATTACK: Figure = Figure::Either("linkteller_auc", "lsa2_auc");

/// A comparison of percentages over ten runs, by data and network.
const fn of_table_6(case: &'static str, figure: &'static str, mean: &'static str, deviation: &'static str) -> Compared {
    Compared {
        mean: Some(mean),
        deviation: Some(deviation),
        runs: Some(10),
        unit: Unit::Percent,
        row: OF_MODEL,
        ..Compared::new(case, Figure::Named(figure))
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

pub(super) const TABLE_6: &[Compared] = &[
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

pub(super) const TABLES_8_12: &[Compared] = &[
    of_tables_8_12("GP-t", "test_accuracy", "acc_alpha0_delta0"),
    of_tables_8_12("GP-m", "test_accuracy", "acc_alpha0_delta0"),
    Compared { figure: ATTACK, ..of_tables_8_12("GP-t", "", "auc_alpha0_delta0") },
    Compared { figure: ATTACK, ..of_tables_8_12("GP-m", "", "auc_alpha0_delta0") },
];

/// One figure of the whole table: the mean over networks and ε.
const fn of_table_1(case: &'static str, against: Against, mean: &'static str, unit: Unit) -> Compared {
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
const fn gap(case: &'static str, mean: &'static str, deviation: &'static str) -> Compared {
    let spread = Some(Over { parameters: &["model"], column: deviation });
    Compared { only: STRONG, spread, ..of_table_1(case, NOT_PRIVATE, mean, Unit::PercentLost) }
}

pub(super) const TABLE_1: &[Compared] = &[
    Compared { p_value: Some(("acc_p_below", "<")), ..of_table_1("gp", RR, "acc_difference", Unit::Percent) },
    Compared {
        figure: ATTACK,
        p_value: Some(("auc_p_above", ">")),
        ..of_table_1("gp", RR, "auc_difference", Unit::Percent)
    },
    gap("gp", "gap_gp", "gap_gp_std"),
    gap("rr", "gap_rr", "gap_rr_std"),
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

pub(super) const FIGURES_3_15: &[Compared] = &[
    cell("GP-t", ACCURACY, "acc_difference"),
    cell("GP-m", ACCURACY, "acc_difference"),
    cell("GP-t", ATTACK, "auc_difference"),
    cell("GP-m", ATTACK, "auc_difference"),
];

const OF_STRATEGY: &[(&str, Is)] = &[("dataset", Is::Data), ("strategy", Is::Case), ("model", Is::Point("model"))];

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

pub(super) const TABLE_7: &[Compared] = &[
    of_table_7("GP-t", ACCURACY, "acc_mean"),
    of_table_7("GP-m", ACCURACY, "acc_mean"),
    of_table_7("GP-t", ATTACK, "auc_mean"),
    of_table_7("GP-m", ATTACK, "auc_mean"),
    gain_of_table_7("GP-t", ACCURACY, "acc_difference"),
    gain_of_table_7("GP-m", ACCURACY, "acc_difference"),
    gain_of_table_7("GP-t", ATTACK, "auc_difference"),
    gain_of_table_7("GP-m", ATTACK, "auc_difference"),
];

pub(super) const TABLES_8_12_POSITIVE: &[Compared] = &[
    mean_of_cells("GP-t", ACCURACY, "acc_mean_alpha_delta_positive", OF_BUDGET),
    mean_of_cells("GP-m", ACCURACY, "acc_mean_alpha_delta_positive", OF_BUDGET),
    mean_of_cells("GP-t", ATTACK, "auc_mean_alpha_delta_positive", OF_BUDGET),
    mean_of_cells("GP-m", ATTACK, "auc_mean_alpha_delta_positive", OF_BUDGET),
];

macro_rules! table_3_row {
    ($part:literal) => {
        &[("dataset", Is::Data), ("part", Is::Fixed($part)), ("epsilon", Is::Point("epsilon-edges"))]
    };
}

/// The mean over all cells, as of Tables 2 and 7: its base of 82.6 and the mean gain of the map (3.16) make 85.7, as printed.
const fn of_table_3(figure: Figure, mean: &'static str) -> Compared {
    Compared { but: &[], ..mean_of_cells("GP-t", figure, mean, table_3_row!("a")) }
}

/// One cell of the grid instead of its mean.
const fn one_of_table_3(
    only: &'static [(&'static str, &'static str)],
    figure: Figure,
    mean: &'static str,
    row: &'static [(&'static str, Is)],
) -> Compared {
    Compared { over: &[], only, row, ..of_table_3(figure, mean) }
}

const BASE: &[(&str, &str)] = &[("similarity", "paper"), ("alpha", "0"), ("delta", "0")];
const AGGREGATED: &[(&str, &str)] = &[("similarity", "paper"), ("alpha", "0.75"), ("delta", "0")];

pub(super) const TABLE_3: &[Compared] = &[
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

pub(super) const TABLE_5: &[Compared] = &[
    of_table_5("GP-t", "GP-t by distance", ACCURACY, "acc_difference"),
    of_table_5("GP-m", "GP-m by distance", ACCURACY, "acc_difference"),
    of_table_5("GP-t", "GP-t by distance", ATTACK, "auc_difference"),
    of_table_5("GP-m", "GP-m by distance", ATTACK, "auc_difference"),
];
