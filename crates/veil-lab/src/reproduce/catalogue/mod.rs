//! All targets; what stands beside what is told paper by paper.

mod graphprivatizer;
mod lpgnet;
mod privgnn;
mod thesis;

use super::{Experiment, Further, Target, Work};

/// What is run and what was published, from the folder `experiments`.
macro_rules! experiment {
    ($file:literal) => {
        Work::Sweep(sweep!($file))
    };
    ($file:literal, $data:expr) => {
        Work::Sweep(Experiment { data: $data, ..sweep!($file) })
    };
}

macro_rules! sweep {
    ($file:literal) => {
        Experiment { text: include_str!(concat!("../../../../../experiments/", $file, ".toml")), data: &[], only: &[] }
    };
}

macro_rules! published {
    ($file:literal) => {
        include_str!(concat!("../../../../../experiments/published/", $file, ".csv"))
    };
}

/// Maps are of one ε.
const MAPS: Work = Work::Sweep(Experiment {
    data: graphprivatizer::FURTHER,
    only: &[("epsilon-edges", &["0.1"])],
    ..sweep!("graphprivatizer-heat-maps")
});

/// Every table and figure that can be run.
pub const TARGETS: &[Target] = &[
    Target {
        name: "graphprivatizer/table-1",
        source: "GraphPrivatizer (TMLR 2024), Table 1: GP-t less two-hop randomised response over all networks and ε, and utility gaps at ε = 0.1",
        work: experiment!("graphprivatizer-table-1", graphprivatizer::FURTHER),
        published: published!("graphprivatizer_table_1"),
        compared: graphprivatizer::TABLE_1,
    },
    Target {
        name: "graphprivatizer/table-3",
        source: "GraphPrivatizer (TMLR 2024), Table 3: GP-t with GCN on LastFM, means over all α and δ, and α = 0.75 with δ = 0",
        work: experiment!("graphprivatizer-table-3"),
        published: published!("graphprivatizer_table_3"),
        compared: graphprivatizer::TABLE_3,
    },
    Target {
        name: "graphprivatizer/table-5",
        source: "GraphPrivatizer (TMLR 2024), Table 5: cosine less Euclidean, ε = 0.1",
        work: experiment!("graphprivatizer-table-5", graphprivatizer::FURTHER),
        published: published!("graphprivatizer_table_5"),
        compared: graphprivatizer::TABLE_5,
    },
    Target {
        name: "graphprivatizer/table-6",
        source: "GraphPrivatizer (TMLR 2024), Table 6: accuracy and attack with and without edge privacy, ε = 0.1",
        work: experiment!("graphprivatizer-table-6", graphprivatizer::FURTHER),
        published: published!("graphprivatizer_table_6"),
        compared: graphprivatizer::TABLE_6,
    },
    Target {
        name: "graphprivatizer/figures-3-15",
        source: "GraphPrivatizer (TMLR 2024), Figures 3 to 15: what each α and δ changes against α = δ = 0, ε = 0.1",
        work: MAPS,
        published: published!("graphprivatizer_figures_3_15"),
        compared: graphprivatizer::FIGURES_3_15,
    },
    Target {
        name: "graphprivatizer/tables-2-7",
        source: "GraphPrivatizer (TMLR 2024), Tables 2 and 7: means over the maps of α and δ, and what they gain over α = δ = 0, ε = 0.1",
        work: MAPS,
        published: published!("graphprivatizer_table_7"),
        compared: graphprivatizer::TABLE_7,
    },
    Target {
        name: "graphprivatizer/tables-8-12-means",
        source: "GraphPrivatizer (TMLR 2024), Tables 8 to 12, the means over α, δ > 0",
        work: experiment!("graphprivatizer-heat-maps", graphprivatizer::FURTHER),
        published: published!("graphprivatizer_tables_8_12"),
        compared: graphprivatizer::TABLES_8_12_POSITIVE,
    },
    Target {
        name: "graphprivatizer/tables-8-12",
        source: "GraphPrivatizer (TMLR 2024), Tables 8 to 12, the columns α = δ = 0",
        work: experiment!("graphprivatizer-tables-8-12", graphprivatizer::FURTHER),
        published: published!("graphprivatizer_tables_8_12"),
        compared: graphprivatizer::TABLES_8_12,
    },
    Target {
        name: "thesis/grid",
        source: "Structural Differential Privacy in GNNs (thesis, 2025), Figures 4.1 and 4.2: pictures without numbers, so ours stand beside what its text says of them",
        work: experiment!("thesis-grid", thesis::FURTHER),
        published: published!("thesis_ranges"),
        compared: thesis::GRID,
    },
    Target {
        name: "lpgnet/figure-2",
        source: "LPGNet (CCS 2022), Figure 2: DpGCN's micro-F1 and LinkTeller on Cora, ε = 1 to 10",
        work: experiment!("lpgnet-figure-2"),
        published: published!("lpgnet"),
        compared: lpgnet::FIGURE_2,
    },
    Target {
        name: "lpgnet/figure-3",
        source: "LPGNet (CCS 2022), Figure 3: how far neighbours on Cora are of the same class, by true labels and by what models without noise predict; a picture without numbers, so ours stand alone",
        work: Work::Homophily(&lpgnet::HOMOPHILY),
        published: published!("lpgnet"),
        compared: lpgnet::FIGURE_3,
    },
    Target {
        name: "lpgnet/figure-7",
        source: "LPGNet (CCS 2022), Figure 7: trained on Twitch ES, asked about another country; F1 of the rarer class (Flickr, an evolving graph, is not among it)",
        work: experiment!("lpgnet-twitch"),
        published: published!("lpgnet"),
        compared: lpgnet::FIGURE_7,
    },
    Target {
        name: "lpgnet/figures-5-6",
        source: "LPGNet (CCS 2022), Table 2 and Figures 2, 5 and 6: micro-F1 and attacks (deviations are those of the authors' result files)",
        work: experiment!("lpgnet", lpgnet::FURTHER),
        published: published!("lpgnet"),
        compared: lpgnet::LPGNET_F1,
    },
    Target {
        name: "lpgnet/table-2",
        source: "LPGNet (CCS 2022), Table 2: micro-F1 without noise",
        work: Work::Sweep(Experiment {
            data: lpgnet::FURTHER,
            only: &[("epsilon-edges", &["inf"]), ("case", &["mlp", "gcn", "lpgnet-1", "lpgnet-2"])],
            ..sweep!("lpgnet")
        }),
        published: published!("lpgnet_table_2"),
        compared: lpgnet::TABLE_2,
    },
    Target {
        name: "lpgnet/figure-8",
        source: "LPGNet (CCS 2022), Figure 8: attack against utility without homophily, a bipartite graph (veil data generate bipartite) and Chameleon; a picture without numbers, so ours stand alone",
        work: Work::Sweep(Experiment {
            data: &[Further { names: &["chameleon"], parameters: &[] }],
            ..sweep!("lpgnet-bipartite")
        }),
        published: published!("lpgnet"),
        compared: lpgnet::FIGURE_8,
    },
    Target {
        name: "dpgcn/table-1",
        source: "LPGNet (CCS 2022), Table 1: the share of noisy edges in what LapGraph releases of Cora",
        work: experiment!("dpgcn-noise"),
        published: published!("dpgcn_noise_cora"),
        compared: lpgnet::NOISY_EDGES,
    },
    Target {
        name: "privgnn/table-2",
        source: "PrivGNN, Table 2: accuracy of students for K and λ, 1,000 queries; noise on posteriors as the text says, and on their logarithms, with one optimiser for all, as the published code does, on public nodes that it drew among the private ones too: it protects nobody, so no ε is promised (an hour)",
        work: Work::Students(privgnn::STUDENTS_2),
        published: published!("privgnn_table_2_accuracy"),
        compared: privgnn::TABLE_2,
    },
    Target {
        name: "privgnn/figures-2-3",
        source: "PrivGNN, Figures 2a and 3: students of PrivGNN and PATE for 500 and 1,000 queries, B1 and B2; pictures without numbers, so ours stand alone; parts as for Table 2, which protect nobody (two hours)",
        work: Work::Students(privgnn::STUDENTS_3),
        published: published!("privgnn_table_2_accuracy"),
        compared: privgnn::FIGURES_2_3,
    },
    Target {
        name: "privgnn/table-3",
        source: "PrivGNN, Table 3 and Figure 2b: ε for 500 and 1,000 queries, γ = 0.3 (PATE-M's depends on votes that are not published)",
        work: Work::Accounts(privgnn::ACCOUNTS_3),
        published: published!("privgnn_table_3_epsilon"),
        compared: privgnn::TABLE_3,
    },
    Target {
        name: "privgnn/table-4",
        source: "PrivGNN, Table 4: ε for γ = 0.1 and 0.3, 500 queries",
        work: Work::Accounts(privgnn::ACCOUNTS_4),
        published: published!("privgnn_table_4_gamma"),
        compared: privgnn::TABLE_4,
    },
    Target {
        name: "privgnn/table-4-accuracy",
        source: "PrivGNN, Table 4: accuracy of students for γ = 0.1 and 0.3, 500 queries, K = 3,000, noise on logarithms and one optimiser as in the published code: it protects nobody, so no ε is promised (hours)",
        work: Work::Students(privgnn::STUDENTS_4),
        published: published!("privgnn_table_4_gamma"),
        compared: privgnn::TABLE_4_ACCURACY,
    },
];
