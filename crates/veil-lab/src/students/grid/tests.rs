use std::sync::Mutex;

use veil_graph::generate::Community;

use super::*;
use crate::students::teachers::Unreleased;

fn teachers() -> Taught {
    Taught {
        name: "privgnn".into(),
        k: Some(20),
        gamma: 0.5,
        queries: vec![4, 8],
        releases: vec!["none".into(), "noisy-log-posterior".into()],
        delta: 1e-3,
        ..Taught::default()
    }
}

fn coded() -> Taught {
    Taught { name: "coded".into(), one_optimiser: true, ..teachers() }
}

fn small(teachers: Vec<Taught>) -> Grid {
    let random = Some(Random { private_per_class: 8, public: 60 });
    Grid { data: "g".into(), random, epochs: 5, draws: 2, teachers, baselines: false }
}

fn with_votes() -> Grid {
    let (voters, network, releases) = (Some(3), Some(Kind::Mlp), vec!["votes".to_owned()]);
    let pate = Taught { name: "pate".into(), k: None, voters, network, releases, ..teachers() };
    Grid { baselines: true, ..small(vec![teachers(), pate]) }
}

fn graph() -> Dataset {
    Community::citation().with_nodes(400).check().unwrap().generate(1)
}

/// The outcomes without their times, and the number of teachers that were trained.
fn taught(students: &Grid, keep: &Path) -> (Vec<Outcome>, usize) {
    let trained = Mutex::new(0);
    let watch = |what: &str, done: usize, _: usize| {
        *trained.lock().unwrap() += usize::from(what.ends_with("teachers") && done > 0)
    };
    let outcomes = students.outcomes((&graph(), None), &[1, 2], keep, &watch).unwrap();
    (outcomes.into_iter().map(|it| Outcome { seconds: 0.0, ..it }).collect(), trained.into_inner().unwrap())
}

#[test]
fn teachers_answer_once_and_an_interruption_costs_what_is_missing() {
    let (keep, students) = (tempfile::tempdir().unwrap(), with_votes());
    let (whole, trained) = taught(&students, keep.path());
    // Per seed 8 and 3 teachers; 2 · (1 + 5) and 2 · 5 students of theirs, B1 and B2.
    assert_eq!((whole.len(), trained), (48, 22));
    let cases: Vec<&str> = whole[..24].iter().map(|run| run.case.as_str()).collect();
    let log = "privgnn, noisy-log-posterior";
    assert_eq!([cases[0], cases[1], cases[5], cases[6]], ["privgnn, none", log, log, "privgnn, none"]);
    assert_eq!([cases[12], cases[21], cases[22], cases[23]], ["pate, votes", "pate, votes", "B1", "B2"]);
    assert_eq!(json!(whole[11].point), json!({ "k": 20, "lambda": 1.0, "queries": 8 }));
    assert_eq!((whole[11].promises[0].status.as_str(), whole[11].promises[0].unit.as_str()), ("refuted", "node"));
    // Votes would promise something about a node, if the public graph did not show it.
    assert_eq!(whole[12].promises, []);
    assert!(whole.iter().all(|run| (0.0..=1.0).contains(&run.figures["test_accuracy"])));
    // Everything is kept: no teacher is trained again.
    assert_eq!(taught(&students, keep.path()), (whole.clone(), 0));
    // Killed while the third teacher of the second seed was written.
    let (answers, kept) = (keep.path().join("privgnn-k-20-seed-2.csv"), keep.path().join("students.jsonl"));
    let cut = |path: &Path, lines: usize| {
        let text = std::fs::read_to_string(path).unwrap();
        let lines_kept: Vec<&str> = text.lines().take(lines + 1).collect();
        let half = lines_kept[lines].len() / 2;
        std::fs::write(path, format!("{}\n{}", lines_kept[..lines].join("\n"), &lines_kept[lines][..half])).unwrap();
    };
    cut(&answers, 3);
    cut(&kept, 24);
    assert_eq!(taught(&students, keep.path()), (whole, 6 + 3));
}

/// Blocks of teachers hand their optimiser on: an interrupted block begins again, and ends the
/// same.
#[test]
fn one_optimiser_for_all_is_resumed_by_whole_blocks() {
    let students = small(vec![Taught { queries: vec![30, 60], releases: vec!["none".into()], ..coded() }]);
    let keep = tempfile::tempdir().unwrap();
    let (whole, trained) = taught(&students, keep.path());
    assert_eq!((whole.len(), trained), (4, 120));
    let file = keep.path().join("coded-k-20-seed-1.csv");
    let answers = std::fs::read_to_string(&file).unwrap();
    let mut lines: Vec<&str> = answers.lines().collect();
    lines.retain(|line| !line.starts_with("27,"));
    std::fs::write(&file, lines.join("\n") + "\n").unwrap();
    std::fs::remove_file(keep.path().join("students.jsonl")).unwrap();
    // For the first seed the block of question 27; for both the first block, whose optimiser
    // students continue.
    assert_eq!(taught(&students, keep.path()), (whole, 25 + 25 + 25));
    let sorted = |text: &str| text.lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(sorted(&std::fs::read_to_string(&file).unwrap()), sorted(&answers));
}

fn refused(students: &Grid, keep: &Path) -> StudentsError {
    students.outcomes((&graph(), None), &[1], keep, &|_, _, _| ()).unwrap_err()
}

#[test]
fn a_proof_for_fresh_samples_is_not_claimed_for_others() {
    let students = small(vec![Taught { releases: vec!["noisy-argmax".into()], ..coded() }]);
    let error = refused(&students, tempfile::tempdir().unwrap().path());
    assert!(matches!(&error, StudentsError::NotFresh { name } if name == "noisy-argmax"), "{error}");
}

#[test]
fn the_first_answers_do_not_depend_on_later_queries() {
    let few = small(vec![Taught { queries: vec![4], ..teachers() }]);
    let more = small(vec![teachers()]);
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let (few, _) = taught(&few, folders[0].path());
    let (more, _) = taught(&more, folders[1].path());
    assert_eq!(few[..6], more[..6]);
    assert_ne!(few[..6], more[6..12]);
}

#[test]
fn kept_answers_of_another_evaluation_are_refused() {
    let keep = tempfile::tempdir().unwrap();
    std::fs::write(keep.path().join("privgnn-k-20-seed-1.csv"), "# of somebody else\n").unwrap();
    let error = refused(&with_votes(), keep.path());
    assert!(matches!(error, StudentsError::OtherEvaluation { .. }), "{error}");
}

/// Given parts are used whatever the seed.
#[test]
fn both_parts_may_be_given() {
    let students = small(vec![teachers()]);
    let (private, public) = students.split((&graph(), None), 1).unwrap();
    let score = |students: &Grid, parts: Parts<'_>| -> Vec<Outcome> {
        let keep = tempfile::tempdir().unwrap();
        let found = students.outcomes(parts, &[1], keep.path(), &|_, _, _| ()).unwrap();
        found.into_iter().map(|run| Outcome { seconds: 0.0, ..run }).collect()
    };
    let given = Grid { random: None, ..students.clone() };
    assert_eq!(score(&given, (&private, Some(&public))), score(&students, (&graph(), None)));
}

#[test]
fn releases_are_written_with_their_noise() {
    let way: Way = "noisy-argmax:0.4".parse().unwrap();
    assert_eq!((way.name(), way.lambda().map(|it| it.to_string())), ("noisy-argmax", Some("0.4".to_owned())));
    assert!("none".parse::<Way>().unwrap().lambda().is_none());
    for wrong in ["krr", "votes", "krr:inf", "krr:x", "none:1", "argmax:1", ""] {
        let error = wrong.parse::<Way>().unwrap_err().to_string();
        assert!(error.contains("expected none, or a release and its λ"), "{wrong}: {error}");
    }
}

#[test]
fn votes_go_with_voters() {
    let goes = |way: &str| ["privgnn", "pate"].map(|method| way.parse::<Way>().unwrap().goes_with(method));
    assert_eq!([goes("none"), goes("krr:1"), goes("votes:1")], [[true, true], [true, false], [false, true]]);
}

#[test]
fn the_first_of_equals_is_the_most_likely() {
    let answers = Unreleased::Posteriors { rows: vec![vec![0.2, 0.4, 0.4], vec![0.5, 0.3, 0.2]], adam: None };
    assert_eq!((answers.likely(2), answers.likely(1)), (vec![1, 0], vec![1]));
    assert_eq!(Unreleased::Counts(vec![vec![0, 0, 3], vec![2, 2, 0]]).likely(2), [2, 0]);
}
