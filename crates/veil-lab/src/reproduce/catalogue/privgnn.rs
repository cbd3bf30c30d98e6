//! PrivGNN (Olatunji, Funke and Khosla): what stands beside what.

use veil_graph::Counts;
use veil_nn::Kind;

use crate::reproduce::{Account, Answers, Compared, Figure, Is, Students, Teachers, Unit, Who};

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

/// Section 5: networks and training are the methods' own.
const AMAZON: Students = Students {
    data: "amazon_computers",
    counts: Counts { private_per_class: 250, public_train: 3000, public_test: 3000 },
    epochs: 500,
    draws: 3,
    teachers: &[],
    baselines: false,
};

/// As the text has it: every teacher knows its own sample alone. Noise on posteriors is the text's too; the published code has it on their logarithms.
const fn of_privgnn(k: u32, queries: &'static [u32]) -> Teachers {
    Teachers {
        name: "privgnn",
        who: Who::PerQuery { k, gamma: 0.3, one_optimiser: false },
        queries,
        ways: &[
            "none",
            "noisy-log-posterior:0.1",
            "noisy-log-posterior:0.2",
            "noisy-log-posterior:0.4",
            "noisy-log-posterior:0.8",
            "noisy-log-posterior:1",
            "noisy-argmax:0.1",
            "noisy-argmax:0.2",
            "noisy-argmax:0.4",
            "noisy-argmax:0.8",
            "noisy-argmax:1",
        ],
        delta: 1e-3,
    }
}

/// As the published code has it: one optimiser for all, and noise on logarithms alone.
const fn as_coded(k: u32, queries: &'static [u32]) -> Teachers {
    let text = of_privgnn(k, queries);
    let (ways, _of_the_text) = text.ways.split_at(6);
    Teachers { name: "privgnn as coded", who: Who::PerQuery { k, gamma: 0.3, one_optimiser: true }, ways, ..text }
}

const fn of_pate(name: &'static str, kind: Kind) -> Teachers {
    Teachers {
        name,
        who: Who::Voters { teachers: 20, kind },
        queries: &[500, 1000],
        ways: &["none", "votes:0.1", "votes:0.2", "votes:0.4", "votes:0.8", "votes:1"],
        delta: OF_AMAZON,
    }
}

pub(super) const STUDENTS_2: Students = Students {
    teachers: &[as_coded(300, &[1000]), as_coded(750, &[1000]), of_privgnn(300, &[1000]), of_privgnn(750, &[1000])],
    ..AMAZON
};

pub(super) const STUDENTS_3: Students = Students {
    teachers: &[
        as_coded(750, &[500, 1000]),
        of_privgnn(750, &[500, 1000]),
        of_pate("pate-g", Kind::Sage),
        of_pate("pate-m", Kind::Mlp),
    ],
    baselines: true,
    ..AMAZON
};

/// A student's accuracy.
const fn student(case: &'static str) -> Compared {
    Compared { mean: None, unit: Unit::Share, row: &[], ..of_table_3(case, Figure::Named("test_accuracy")) }
}

const fn of_table_2(case: &'static str) -> Compared {
    Compared {
        mean: Some("accuracy"),
        row: &[("dataset", Is::Fixed("amazon")), ("k", Is::Point("k")), ("lambda", Is::Point("lambda"))],
        ..student(case)
    }
}

pub(super) const TABLE_2: &[Compared] = &[
    student("privgnn as coded, none"),
    of_table_2("privgnn as coded, noisy-log-posterior"),
    student("privgnn, none"),
    of_table_2("privgnn, noisy-log-posterior"),
    of_table_2("privgnn, noisy-argmax"),
];

pub(super) const FIGURES_2_3: &[Compared] = &[
    student("privgnn as coded, none"),
    student("privgnn as coded, noisy-log-posterior"),
    student("privgnn, none"),
    student("privgnn, noisy-log-posterior"),
    student("privgnn, noisy-argmax"),
    student("pate-g, none"),
    student("pate-g, votes"),
    student("pate-m, none"),
    student("pate-m, votes"),
    student("B1"),
    student("B2"),
];
