//! Students: in memory and in a folder, interrupted and resumed.

use super::*;
use crate::run::Run;

/// The private and the public graph have no node in common.
fn student(given: &[(&str, Value)], method: &str) -> Job {
    let settings = [("epsilon", json!(8)), ("queries", json!(12)), ("k", json!(10)), ("gamma", json!(0.3))];
    let entry = method::find(method).unwrap();
    let read: Vec<_> = settings.into_iter().filter(|(name, _)| entry.reads(name)).collect();
    let input = Input::student(graph("private", 80, 1), graph("public", 90, 2), &Terms::default());
    let method = short(method, &[&read[..], given].concat());
    Job { method, terms: Terms::default(), payment: Payment::experiment(1), input }
}

#[test]
fn a_student_in_memory_is_the_student_in_a_folder() {
    let home = Home::new(&[]);
    for method in ["privgnn", "pate", "class-sums", "dp-mlp"] {
        let out = home.path(method);
        let memory = student(&[], method).run(Place::Memory, &Silent).unwrap();
        let folder = student(&[], method).run(Place::Folder(&out), &Silent).unwrap();
        let back = Run::open(&out).unwrap();
        for run in [&folder.run, &back] {
            assert_eq!(run.posteriors().unwrap(), memory.run.posteriors().unwrap(), "{method}");
            assert_eq!(run.released().data(), memory.run.released().data(), "{method}");
        }
        assert_eq!(memory.score, folder.score);
        assert!(memory.score.unwrap().test_accuracy.is_some(), "labels of the public graph are for scoring");
        assert_eq!(memory.truth.unwrap().public().name, "private", "attacks are about this graph");
        assert!(back.record().parameters.contains("select") && back.record().data == "public");
    }
    // Keys and answers are gone.
    assert_eq!(home.list(), ["class-sums", "dp-mlp", "pate", "privgnn"]);
}

#[test]
fn an_interrupted_student_resumes_and_is_charged_once() {
    let home = Home::new(&["node=100,1e-4"]);
    let out = home.path("run");
    for method in ["privgnn", "pate", "class-sums", "dp-mlp"] {
        let paid = |given: &[(&str, Value)]| {
            let job = home.paid(student(given, method));
            // Without a seed the key is all that remembers the noise.
            Job { payment: Payment { seed: None, ..job.payment }, ..job }
        };
        let before = home.charges();
        let failed = paid(&[]).run(Place::Folder(&out), &Interrupted::at(Step::Write, &out)).unwrap_err();
        assert!(matches!(failed, PipelineError::Unfinished { folder: Some(_), .. }), "{failed}");
        fs::remove_dir_all(&out).unwrap();
        assert_eq!(home.list(), [".run.unfinished"]);
        let charged = home.charges();
        assert!(charged > before);
        // Another job cannot use the key, and does not remove it.
        let other = paid(&[("epsilon", json!(7))]).run(Place::Folder(&out), &Silent).unwrap_err();
        assert!(matches!(other, PipelineError::Key(_)), "{other}");
        assert_eq!(home.list(), [".run.unfinished"]);

        let hooks = Followed::default();
        let run = paid(&[]).run(Place::Folder(&out), &hooks).unwrap().run;
        let steps = hooks.steps.into_inner().unwrap();
        if method == "privgnn" {
            assert_eq!(steps[0], Step::Answers { teachers: 0, kept: 12, queries: 12 });
            assert_eq!(hooks.answered.into_inner(), 0, "every answer was kept");
        }
        assert_eq!(run.record().seed, crate::run::Seed::Os);
        assert_eq!((home.charges(), home.list()), (charged, vec!["run".to_owned()]));
        fs::remove_dir_all(&out).unwrap();
    }
}

/// A resumed release has the noise of the interrupted one.
#[test]
fn a_resumed_student_is_the_same() {
    let home = Home::new(&[]);
    let out = home.path("run");
    let expected = student(&[], "privgnn").run(Place::Memory, &Silent).unwrap().run;
    student(&[], "privgnn").run(Place::Folder(&out), &Interrupted::at(Step::Write, &out)).unwrap_err();
    fs::remove_dir_all(&out).unwrap();
    let resumed = student(&[], "privgnn").run(Place::Folder(&out), &Silent).unwrap().run;
    assert_eq!(resumed.released().data(), expected.released().data());
    assert_eq!(resumed.posteriors().unwrap(), expected.posteriors().unwrap());
}

#[test]
fn a_student_that_cannot_begin_leaves_nothing() {
    let home = Home::new(&["node=1,1e-4"]);
    let out = home.path("run");
    let refused = |job: Job| home.paid(job).run(Place::Folder(&out), &Silent).unwrap_err();
    let checked = |given: &[(&str, Value)], method: &str, problem: &str| {
        let refused = refused(student(given, method)).to_string();
        assert!(refused.contains(problem), "expected {problem:?}: {refused}");
        assert_eq!(student(given, method).check().unwrap_err().to_string(), refused);
    };
    checked(&[("queries", json!(1000))], "privgnn", "1000 queries are too many");
    checked(&[("lambda", json!(1))], "pate", "set either epsilon or lambda, not both");
    checked(&[("delta", json!(0))], "class-sums", "delta = 0");
    checked(&[("epochs", json!(0))], "privgnn", "epoch");
    checked(&[("hidden", json!(0))], "pate", "hidden");
    checked(&[("select", json!("reference"))], "class-sums", "validation");
    let spent = refused(student(&[], "privgnn"));
    assert!(matches!(spent, PipelineError::Ledger(_)), "8 of 1: {spent}");
    let terms = Terms { split: Some(SplitChoice::All), ..Terms::default() };
    let useless = refused(Job { terms, ..student(&[], "privgnn") });
    assert!(matches!(useless, PipelineError::NoEffect { input: "a student", .. }));
    let gnn = refused(Job { method: short("gnn", &[]), ..student(&[], "privgnn") });
    assert!(matches!(gnn, PipelineError::PublicGraph { needed: false, .. }), "{gnn}");
    // The public graph must not be the private one.
    let same = || graph("private", 80, 1);
    let input = Input::student(same(), same(), &Terms::default());
    let same = refused(Job { input, ..student(&[], "privgnn") });
    assert!(matches!(same, PipelineError::Learn(_)), "{same}");
    assert_eq!((home.charges(), home.list().len()), (0, 0));
}

#[test]
fn a_large_delta_is_warned_about() {
    for (delta, warnings) in [(0.02, 1), (0.01, 0)] {
        let hooks = Followed::default();
        student(&[("delta", json!(delta))], "class-sums").run(Place::Memory, &hooks).unwrap();
        let found = hooks.warnings.into_inner().unwrap();
        // One in 80 nodes.
        assert_eq!(found.len(), warnings, "{delta}: {found:?}");
    }
}

/// A shadow of a student has its network, and learns from labels directly.
#[test]
fn a_shadow_of_a_student_needs_no_teachers() {
    let run = student(&[("batch-norm", json!(false))], "class-sums").run(Place::Memory, &Silent).unwrap().run;
    let other = graph("other", 80, 3);
    let shadow = shadow(&run, other, 5, &Silent).unwrap();
    let value = |name: &str| shadow.record().parameters.get(name).cloned();
    assert_eq!(shadow.record().method, "gnn");
    for (name, of_student) in run.record().parameters.iter() {
        if !["epsilon", "delta"].contains(&name) {
            assert_eq!(value(name).as_ref(), Some(of_student), "{name}");
        }
    }
    assert_eq!([value("epsilon-labels"), value("scale")], [Some(json!("inf")), Some(json!("none"))]);
    // The model itself on another public graph.
    let there = elsewhere(&run, &Private::seal(graph("other", 80, 3)), 1).unwrap();
    assert_eq!(there.posteriors().unwrap().rows(), 80);
}
