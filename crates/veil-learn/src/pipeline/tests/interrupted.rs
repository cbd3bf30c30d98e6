//! Interrupted releases: the same job continues with the same noise and pays nothing more.

use veil_graph::write::{self, WriteError};

use super::*;
use crate::parameters::Reports;
use crate::run::Run;

/// Everything that a release can be made by, each from its own folder and ledger.
struct Kind {
    name: &'static str,
    /// The step after which its result cannot be written.
    at: Step,
    make: Make,
}

type Make = fn(&Home, Place<'_>, &dyn Hooks) -> Result<Made, PipelineError>;

/// What decides whether two results are the same.
#[derive(Debug, PartialEq)]
struct Made {
    release: String,
    data: Dataset,
}

fn made(run: &Run) -> Made {
    Made { release: run.released().statement().release.clone(), data: run.released().data().clone() }
}

/// Without a seed, so that the keys are all that remembers the noise.
fn paying(home: &Home, out: Option<&Path>) -> Payment {
    let payment = Payment { ledger: Some(home.path("book.db")), ..Payment::default() };
    match out {
        Some(out) => payment.resuming(out).unwrap(),
        None => payment,
    }
}

fn out_of(place: Place<'_>) -> Option<&Path> {
    match place {
        Place::Folder(out) => Some(out),
        Place::Memory => None,
    }
}

/// A split that is drawn for this run.
fn drawn() -> Terms {
    Terms { split: Some("0.5,0.25,0.25".parse().unwrap()), ..terms() }
}

fn privatize(home: &Home, place: Place<'_>, hooks: &dyn Hooks) -> Result<Made, PipelineError> {
    let (terms, payment) = (drawn(), paying(home, out_of(place)));
    let data = Graphs::one(graph("one", 80, 1), &terms, &payment)?.into_train();
    let reports = Reports { epsilon_labels: "1".parse().ok(), ..Reports::default() };
    let Unmodelled { released, .. } = release(&data, &reports, None, &terms, &payment, place, hooks)?;
    Ok(Made { release: released.statement().release.clone(), data: released.data().clone() })
}

fn train(home: &Home, place: Place<'_>, hooks: &dyn Hooks) -> Result<Made, PipelineError> {
    let (mut terms, payment) = (drawn(), paying(home, out_of(place)));
    let (validation, inference) = (Some(graph("two", 80, 2)), Some(graph("three", 80, 3)));
    let graphs = Graphs::new(graph("one", 80, 1), validation, inference, false, &mut terms, &payment)?;
    let method = short("lpgnet", &[]);
    let job = Job { method, terms, payment, input: Input::Graphs(graphs) };
    job.run(place, hooks).map(|trained| made(&trained.run))
}

fn predict(home: &Home, place: Place<'_>, hooks: &dyn Hooks) -> Result<Made, PipelineError> {
    let trained = job(short("lpgnet", &[]), graph("one", 80, 1)).run(Place::Memory, &Silent).unwrap().run;
    let data = Private::seal(graph("two", 80, 2)).declaring(terms().declared);
    let payment = paying(home, out_of(place));
    infer(&trained, &data, Further::default(), &payment, place, hooks).map(|inferred| made(&inferred.run))
}

fn student(home: &Home, place: Place<'_>, hooks: &dyn Hooks) -> Result<Made, PipelineError> {
    let terms = Terms::default();
    let input = Input::student(graph("private", 80, 1), graph("public", 90, 2), &terms);
    let method = short("class-sums", &[("epsilon", json!(4))]);
    let job = Job { method, terms, payment: paying(home, out_of(place)), input };
    job.run(place, hooks).map(|trained| made(&trained.run))
}

fn kinds() -> [Kind; 4] {
    [
        Kind { name: "privatize", at: Step::Write, make: privatize },
        Kind { name: "train", at: Step::Write, make: train },
        Kind { name: "predict", at: Step::Release, make: predict },
        Kind { name: "student", at: Step::Write, make: student },
    ]
}

/// A budget makes a ledger refuse what is released unperturbed of its unit.
fn home(kind: &str) -> Home {
    let budget = match kind {
        "privatize" => "label=100",
        "student" => "node=100,1e-4",
        _ => "edge=100",
    };
    Home::new(&[budget])
}

/// Why a job failed whose place was taken.
fn interrupt(make: Make, home: &Home, at: &Step) -> PipelineError {
    let out = home.path("out");
    let failed = make(home, Place::Folder(&out), &Interrupted::at(at.clone(), &out)).unwrap_err();
    fs::remove_dir_all(&out).unwrap_or_else(|_| panic!("it failed before: {failed}"));
    failed
}

#[test]
fn an_interrupted_release_continues_with_the_same_key_and_pays_nothing_more() {
    for Kind { name, at, make } in kinds() {
        let home = home(name);
        let out = home.path("out");
        let failed = interrupt(make, &home, &at);
        let charged = home.charges();
        assert!(charged > 0, "{name}");
        assert_eq!(home.list(), [".out.unfinished"], "{name}");
        // What was charged is said, and how to go on.
        assert!(failed.to_string().contains("the ledger was charged before: ε = "), "{name}: {failed}");
        assert!(failed.hint().unwrap().contains("the same job continues"), "{name}: {failed}");
        let ids = veil_privacy::resume::releases_of(&home.path(".out.unfinished/key")).unwrap();
        // Twice, because a resumed job may be interrupted too.
        interrupt(make, &home, &at);
        let resumed = make(&home, Place::Folder(&out), &Silent).unwrap();
        assert_eq!(resumed.release, ids[0].to_string(), "{name}");
        assert_eq!((home.charges(), home.list()), (charged, vec!["out".to_owned()]), "{name}");
        // Another one is another release, and another charge.
        let again = make(&home, Place::Folder(&home.path("again")), &Silent).unwrap();
        assert!(again.release != resumed.release && home.charges() > charged, "{name}");
    }
}

/// Killed after its result was in its place and before its key was destroyed.
#[test]
fn a_job_that_was_interrupted_while_cleaning_up_succeeds() {
    for Kind { name, at, make } in kinds() {
        let home = home(name);
        let (out, left) = (home.path("out"), home.path(".out.unfinished"));
        interrupt(make, &home, &at);
        copy(&left, &home.path("copy"));
        let whole = make(&home, Place::Folder(&out), &Silent).unwrap();
        let charged = home.charges();
        fs::rename(home.path("copy"), &left).unwrap();
        assert_eq!(make(&home, Place::Folder(&out), &Silent).unwrap(), whole, "{name}");
        assert_eq!((home.charges(), home.list()), (charged, vec!["out".to_owned()]), "{name}");
        // The last thing that it does: a folder without a key is removed.
        write::owner::create_folder(&left).unwrap();
        write::owner::write_new(&left.join("answers.csv"), b"half").unwrap();
        write::owner::write_new(&left.join("key.spent"), b"      ").unwrap();
        let exists = make(&home, Place::Folder(&out), &Silent).unwrap_err();
        assert!(matches!(exists, PipelineError::Write(WriteError::Exists { .. })), "{name}: {exists}");
        assert_eq!((home.charges(), home.list()), (charged, vec!["out".to_owned()]), "{name}");
    }
}

/// Other parameters are another release, which the key of the first must not serve.
#[test]
fn a_different_job_is_refused_and_told_what_is_in_its_way() {
    let home = home("privatize");
    let out = home.path("out");
    let run = |epsilon: &str, hooks: &dyn Hooks| {
        let (terms, payment) = (terms(), paying(&home, Some(&out)));
        let data = Graphs::one(graph("one", 80, 1), &terms, &payment)?.into_train();
        let reports = Reports { epsilon_labels: epsilon.parse().ok(), ..Reports::default() };
        release(&data, &reports, None, &terms, &payment, Place::Folder(&out), hooks)
    };
    run("1", &Interrupted::at(Step::Write, &out)).unwrap_err();
    fs::remove_dir_all(&out).unwrap();
    let charged = home.charges();
    let refused = run("2", &Silent).unwrap_err();
    assert!(refused.to_string().contains("had other data or parameters"), "{refused}");
    assert!(refused.hint().unwrap().contains(".out.unfinished"), "{refused}");
    assert_eq!((home.charges(), home.list()), (charged, vec![".out.unfinished".to_owned()]));
    run("1", &Silent).unwrap();
    assert_eq!(home.charges(), charged);
}

/// A training on a release costs nothing; at the place of an interrupted job it must not end that
/// one, whose key would be destroyed.
#[test]
fn a_job_that_pays_nothing_does_not_end_an_interrupted_one() {
    let home = home("train");
    let out = home.path("out");
    interrupt(train, &home, &Step::Write);
    let (charged, key) = (home.charges(), fs::read(home.path(".out.unfinished/key")).unwrap());
    let released = job(short("gnn", &[]), graph("one", 80, 1)).run(Place::Memory, &Silent).unwrap().run;
    let released = Box::new(released.released().clone());
    let method = method_on(&released, None, &[("epochs", json!(4))].into_iter().collect()).unwrap();
    let input = Input::Released { released, truth: None };
    let free = Job { method, terms: Terms::default(), payment: Payment::default(), input };
    let refused = free.run(Place::Folder(&out), &Silent).map(|trained| made(&trained.run)).unwrap_err();
    assert!(refused.to_string().contains("had other data or parameters"), "{refused}");
    assert_eq!(fs::read(home.path(".out.unfinished/key")).unwrap(), key);
    train(&home, Place::Folder(&out), &Silent).unwrap();
    assert_eq!((home.charges(), home.list()), (charged, vec!["out".to_owned()]));
}

/// Counts of neighbours depend on the networks: other weights under the same names are another
/// release, which the key of the first must not serve.
#[test]
fn another_model_does_not_continue_an_interrupted_prediction() {
    let home = home("predict");
    let out = home.path("out");
    // The seed decides the id of the training's release, so that only the weights differ.
    let trained = |seed| job(short("lpgnet", &[]), graph("one", 80, seed)).run(Place::Memory, &Silent).unwrap().run;
    let (model, edited) = (trained(1), trained(5));
    assert_eq!(model.released().statement().release, edited.released().statement().release);
    assert_eq!(model.record().training_seed, edited.record().training_seed);
    let data = Private::seal(graph("two", 80, 2)).declaring(terms().declared);
    let run = |model: &Run, hooks: &dyn Hooks| {
        infer(model, &data, Further::default(), &paying(&home, Some(&out)), Place::Folder(&out), hooks)
    };
    run(&model, &Interrupted::at(Step::Release, &out)).unwrap_err();
    fs::remove_dir_all(&out).unwrap();
    let charged = home.charges();
    assert!(charged > 0);
    let refused = run(&edited, &Silent).map(|inferred| made(&inferred.run)).unwrap_err();
    assert!(refused.to_string().contains("had other data or parameters"), "{refused}");
    assert_eq!((home.charges(), home.list()), (charged, vec![".out.unfinished".to_owned()]));
    run(&model, &Silent).unwrap();
    assert_eq!((home.charges(), home.list()), (charged, vec!["out".to_owned()]));
}

/// A folder where somebody else could read the keys is not used, and nothing is charged.
#[cfg(unix)]
#[test]
fn a_workplace_of_others_is_refused() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    type Trap = fn(&Path);
    let open: Trap = |left| {
        fs::create_dir(left).unwrap();
        fs::set_permissions(left, fs::Permissions::from_mode(0o777)).unwrap();
    };
    let linked: Trap = |left| {
        fs::create_dir(left.with_file_name("elsewhere")).unwrap();
        symlink(left.with_file_name("elsewhere"), left).unwrap();
    };
    // Only root can give a folder away.
    let given: Trap = |left| {
        write::owner::create_folder(left).unwrap();
        if std::os::unix::fs::chown(left, Some(12345), None).is_err() {
            fs::set_permissions(left, fs::Permissions::from_mode(0o755)).unwrap();
        }
    };
    for Kind { name, make, .. } in kinds() {
        for trap in [open, linked, given] {
            let home = home(name);
            trap(&home.path(".out.unfinished"));
            let refused = make(&home, Place::Folder(&home.path("out")), &Silent).unwrap_err();
            assert!(refused.to_string().contains("is for its owner alone"), "{name}: {refused}");
            assert!(refused.hint().is_some() && home.charges() == 0, "{name}");
            assert!(!home.path("out").exists() && !home.path(".out.unfinished/key").exists(), "{name}");
        }
    }
}

/// A result that exists is refused, and a workplace is for one process at a time.
#[test]
fn a_workplace_is_for_one_process_and_one_result() {
    let home = Home::new(&[]);
    let out = home.path("a/run");
    let first = Workplace::of(&out).unwrap();
    assert!(matches!(Workplace::of(&out), Err(PipelineError::Busy { .. })));
    first.draw(7).unwrap();
    assert_eq!(first.drawn(), Some(7));
    first.finish().unwrap();
    assert_eq!(home.list().len(), 0, "also the parent that was created for it");
    // Without a key there is nothing to resume, and what a killed job left is removed.
    let left = home.path(".run.unfinished");
    write::owner::create_folder(&left).unwrap();
    write::owner::write_new(&left.join("drawn"), b"7").unwrap();
    let out = home.path("run");
    assert!(!is_interrupted(&out));
    let again = Workplace::of(&out).unwrap();
    assert_eq!(again.drawn(), None);
    again.finish().unwrap();
    fs::create_dir(&out).unwrap();
    fs::write(out.join("taken"), "").unwrap();
    assert!(matches!(Workplace::of(&out), Err(PipelineError::Write(_))));
    assert_eq!(home.list(), ["run"]);
}

fn copy(from: &Path, to: &Path) {
    write::owner::create_folder(to).unwrap();
    for name in list(from) {
        write::owner::write_new(&to.join(&name), &fs::read(from.join(&name)).unwrap()).unwrap();
    }
}
