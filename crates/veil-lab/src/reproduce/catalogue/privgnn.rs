//! PrivGNN (Olatunji, Funke and Khosla): what stands beside what.

use crate::reproduce::{Account, Answers, Compared, Figure, Is, Unit};

const OF_GAMMA_0_3: &[f64] = &[0.3];
const BOTH: &[u64] = &[500, 1000];

/// δ as the tables have it: that of the published code, ten times what the text says.
const fn privgnn(data: &'static str, delta: f64, classes: u32) -> Account {
    let answers = Answers::NoisyArgmax { classes, gammas: OF_GAMMA_0_3 };
    Account { case: "privgnn", data, queries: BOTH, delta, answers }
}

const fn pate(case: &'static str, data: &'static str, delta: f64, answers: Answers) -> Account {
    Account { case, data, queries: BOTH, delta, answers }
}

/// PATE has one over the number of private nodes, or a little less.
const OF_AMAZON: f64 = 1.0 / 2500.0;
const OF_ARXIV: f64 = 1e-5;
const OF_REDDIT: f64 = 8e-5;

pub(super) const ACCOUNTS_3: &[Account] = &[
    privgnn("amazon", 1e-3, 10),
    privgnn("arxiv", 1e-4, 40),
    privgnn("reddit", 1e-4, 41),
    pate("pate-g", "amazon", OF_AMAZON, Answers::Votes),
    pate("pate-g", "arxiv", OF_ARXIV, Answers::Votes),
    pate("pate-g", "reddit", OF_REDDIT, Answers::Votes),
    pate("pate-m", "amazon", OF_AMAZON, Answers::VotesAsCast),
    pate("pate-m", "arxiv", OF_ARXIV, Answers::VotesAsCast),
    pate("pate-m", "reddit", OF_REDDIT, Answers::VotesAsCast),
];

/// One column for both graphs; more classes cost no less.
pub(super) const ACCOUNTS_4: &[Account] = &[Account {
    queries: &[500],
    answers: Answers::NoisyArgmax { classes: 41, gammas: &[0.1, 0.3] },
    ..privgnn("arxiv and reddit", 1e-4, 41)
}];

/// An ε of a table.
const fn of_table_3(case: &'static str, figure: Figure) -> Compared {
    Compared {
        case,
        figure,
        only: &[],
        but: &[],
        against: None,
        over: &[],
        mean: Some("epsilon"),
        deviation: None,
        runs: None,
        unit: Unit::Epsilon,
        row: &[
            ("dataset", Is::Data),
            ("method", Is::Case),
            ("queries", Is::Point("queries")),
            ("lambda", Is::Point("lambda")),
        ],
    }
}

const AS_PUBLISHED: Figure = Figure::Named("epsilon_as_published");

pub(super) const TABLE_3: &[Compared] = &[
    of_table_3("privgnn", AS_PUBLISHED),
    of_table_3("pate-g", AS_PUBLISHED),
    of_table_3("pate-m", Figure::Unknowable("epsilon_as_published")),
];

pub(super) const TABLE_4: &[Compared] = &[Compared {
    row: &[("gamma", Is::Point("gamma")), ("lambda", Is::Point("lambda"))],
    ..of_table_3("privgnn", AS_PUBLISHED)
}];
