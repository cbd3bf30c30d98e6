use std::sync::Mutex;

use veil_graph::generate::Community;

use super::*;

const TEACHERS: Teachers = Teachers {
    name: "privgnn",
    who: Who::PerQuery { k: 20, gamma: 0.5, one_optimiser: false },
    queries: &[4, 8],
    ways: &["none", "noisy-log-posterior:1"],
    delta: 1e-3,
};

const CODED: Teachers =
    Teachers { name: "coded", who: Who::PerQuery { k: 20, gamma: 0.5, one_optimiser: true }, ..TEACHERS };

const FEW: Counts = Counts { private_per_class: 8, public_train: 40, public_test: 60 };

const SMALL: Students = Students {
    data: "g",
    parts: Parts::Random(FEW),
    epochs: 5,
    draws: 2,
    teachers: &[
        TEACHERS,
        Teachers { name: "pate", who: Who::Voters { teachers: 3, kind: Kind::Mlp }, ways: &["votes:0.5"], ..TEACHERS },
    ],
    baselines: true,
};

/// What was reached, apart from how long it took, and how many teachers were asked for it.
fn reached(students: &Students, keep: &Path) -> (Vec<Outcome>, usize) {
    let data = Community::citation().with_nodes(400).check().unwrap().generate(1);
    let asked = Mutex::new(0);
    let watch = |what: &str, done: usize, _: usize| {
        *asked.lock().unwrap() += usize::from(what.ends_with("teachers") && done > 0)
    };
    let Parts::Random(counts) = students.parts else { panic!("a graph that comes apart") };
    let outcomes = students.outcomes(Graph::Whole(&data, counts), &[1, 2], keep, &watch).unwrap();
    (outcomes.into_iter().map(|it| Outcome { seconds: 0.0, ..it }).collect(), asked.into_inner().unwrap())
}

#[test]
fn teachers_are_asked_once_and_an_interruption_costs_what_is_missing() {
    let keep = tempfile::tempdir().unwrap();
    let (whole, asked) = reached(&SMALL, keep.path());
    // Per seed 8 and 3 teachers; 4 and 2 students of theirs, B1 and B2.
    assert_eq!((whole.len(), asked), (16, 22));
    let cases: Vec<&str> = whole[..8].iter().map(|run| run.case.as_str()).collect();
    let log = "privgnn, noisy-log-posterior";
    assert_eq!(cases, ["privgnn, none", log, "privgnn, none", log, "pate, votes", "pate, votes", "B1", "B2"]);
    assert_eq!(json!(whole[3].point), json!({ "k": 20, "lambda": 1.0, "queries": 8 }));
    assert_eq!((whole[3].promises[0].status.as_str(), whole[3].promises[0].unit.as_str()), ("refuted", "node"));
    // Votes would promise something about a node, if the public graph did not show it.
    assert_eq!(whole[4].promises, []);
    assert!(whole.iter().all(|run| (0.0..=1.0).contains(&run.figures["test_accuracy"])));
    // Everything is there: nobody is asked again.
    assert_eq!(reached(&SMALL, keep.path()), (whole.clone(), 0));
    // Killed while the third teacher of the second seed was written down.
    let (said, students) = (keep.path().join("privgnn-k-20-seed-2.csv"), keep.path().join("students.jsonl"));
    let cut = |path: &Path, lines: usize| {
        let text = std::fs::read_to_string(path).unwrap();
        let kept: Vec<&str> = text.lines().take(lines + 1).collect();
        let half = kept[lines].len() / 2;
        std::fs::write(path, format!("{}\n{}", kept[..lines].join("\n"), &kept[lines][..half])).unwrap();
    };
    cut(&said, 3);
    cut(&students, 8);
    assert_eq!(reached(&SMALL, keep.path()), (whole, 6 + 3));
}

/// Blocks of teachers who hand their optimiser on: what is interrupted begins again at the start of a block, and ends the same.
#[test]
fn one_optimiser_for_all_is_continued_by_whole_blocks() {
    let students = Students {
        teachers: &[Teachers { queries: &[30, 60], ..CODED }],
        parts: Parts::Random(Counts { public_train: 60, ..FEW }),
        baselines: false,
        ..SMALL
    };
    let keep = tempfile::tempdir().unwrap();
    let (whole, asked) = reached(&students, keep.path());
    assert_eq!((whole.len(), asked), (8, 120));
    let file = keep.path().join("coded-k-20-seed-1.csv");
    let said = std::fs::read_to_string(&file).unwrap();
    let mut lines: Vec<&str> = said.lines().collect();
    lines.retain(|line| !line.starts_with("27,"));
    std::fs::write(&file, lines.join("\n") + "\n").unwrap();
    std::fs::remove_file(keep.path().join("students.jsonl")).unwrap();
    // Of the first seed the block of question 27; of both the first block, with whose optimiser students go on.
    assert_eq!(reached(&students, keep.path()), (whole, 25 + 25 + 25));
    let sorted = |text: &str| text.lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(sorted(&std::fs::read_to_string(&file).unwrap()), sorted(&said));
}

#[test]
fn what_is_proven_of_fresh_samples_is_not_said_of_others() {
    let students = Students { teachers: &[Teachers { ways: &["noisy-argmax:1"], ..CODED }], ..SMALL };
    let data = Community::citation().with_nodes(400).check().unwrap().generate(1);
    let keep = tempfile::tempdir().unwrap();
    let error = students.outcomes(Graph::Whole(&data, FEW), &[1], keep.path(), &|_, _, _| ()).unwrap_err();
    assert!(matches!(&error, EvaluationError::NotFresh { name } if name == "noisy-argmax"), "{error}");
}

/// Who is asked about fewer nodes says the same about them.
#[test]
fn the_first_questions_are_answered_as_if_there_were_no_others() {
    let few = Students { teachers: &[Teachers { queries: &[4], ..TEACHERS }], baselines: false, ..SMALL };
    let more = Students { teachers: &[TEACHERS], ..few };
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let (few, _) = reached(&few, folders[0].path());
    let (more, _) = reached(&more, folders[1].path());
    assert_eq!(few[..2], more[..2]);
    assert_ne!(few[..2], more[2..4]);
}

#[test]
fn kept_answers_of_others_are_refused() {
    let keep = tempfile::tempdir().unwrap();
    std::fs::write(keep.path().join("privgnn-k-20-seed-1.csv"), "# of somebody else\n").unwrap();
    let data = Community::citation().with_nodes(400).check().unwrap().generate(1);
    let error = SMALL.outcomes(Graph::Whole(&data, FEW), &[1], keep.path(), &|_, _, _| ()).unwrap_err();
    assert!(matches!(error, EvaluationError::OtherEvaluation { .. }), "{error}");
}

/// Who gives both parts gets students of these, whatever the seed.
#[test]
fn a_graph_may_come_apart() {
    let data = Community::citation().with_nodes(400).check().unwrap().generate(1);
    let (private, public) = Graph::Whole(&data, FEW).apart(1).unwrap();
    let students = Students { teachers: &[TEACHERS], parts: Parts::Given, baselines: false, ..SMALL };
    let score = |graph: Graph<'_>| -> Vec<Outcome> {
        let keep = tempfile::tempdir().unwrap();
        let found = students.outcomes(graph, &[1], keep.path(), &|_, _, _| ()).unwrap();
        found.into_iter().map(|run| Outcome { seconds: 0.0, ..run }).collect()
    };
    assert_eq!(score(Graph::Apart(&private, &public)), score(Graph::Whole(&data, FEW)));
}
