//! What is refused before a charge, and what is written after one.

use super::*;
use crate::run::Run;
use crate::{LearnError, MethodError};
use veil_privacy::LedgerError;

/// One graph of each kind that cannot be used, and methods that cannot run.
fn refused_jobs() -> Vec<(&'static str, Job)> {
    let one = || graph("one", 80, 1);
    let gnn = |given: &[(&str, Value)]| job(short("gnn", given), one());
    let without = |method: &str, name: &str| {
        let mut settings = short(method, &[]).settings();
        settings.remove(name);
        job(method::configure(method, &settings).unwrap(), one())
    };
    let bare = Dataset::new("bare", one().graph().clone(), Default::default());
    let unlabelled = bare.with_features(one().features().unwrap().clone()).unwrap();
    let unsplit = unlabelled.clone().with_labels(one().labels().unwrap().clone()).unwrap();
    let split = |text: &str, method: &str, given: &[(&str, Value)]| {
        let terms = Terms { split: Some(text.parse().unwrap()), ..Terms::default() };
        let payment = Payment::experiment(1);
        let input = Input::Graphs(Graphs::one(one(), &terms, &payment).unwrap());
        Job { method: short(method, given), terms, payment, input }
    };
    let to = |method: &str, given: &[(&str, Value)], other: Dataset| {
        several(short(method, given), named(one(), 'a'), (None, Some(other)), false).unwrap()
    };
    let narrow = veil_graph::Features::Dense(veil_graph::Matrix::zeros(80, 3));
    let more = Labels::new(9, (0..80).map(|node| Some(node % 9))).unwrap();
    vec![
        ("requires epsilon-edges", without("lpgnet", "epsilon-edges")),
        ("requires epsilon-edges", without("edge-flip", "epsilon-edges")),
        ("requires labels", without("neighbour-krr", "epsilon-labels")),
        ("no features", without("neighbour-krr", "epsilon-features")),
        ("epoch", gnn(&[("epochs", json!(0))])),
        ("hops", gnn(&[("kx", json!(1_000_000))])),
        ("rate", gnn(&[("lr", json!(-1))])),
        ("too many", job(short("lpgnet", &[("stages", json!(101))]), one())),
        ("standard", gnn(&[("scale", json!("standard")), ("epsilon-features", json!(1))])),
        ("no labels", job(short("gnn", &[]), unlabelled)),
        ("no split", job(short("degree-vectors", &[]), unsplit)),
        ("training node", split("0,0.5,0.5", "gnn", &[])),
        ("validation nodes", split("0.5,0,0.5", "lpgnet", &[("readout", json!("bayes"))])),
        ("requires a public graph", job(short("privgnn", &[("epsilon", json!(4))]), one())),
        ("minmax", to("gnn", &[("scale", json!("minmax"))], graph("two", 80, 2))),
        ("features", to("gnn", &[], graph("two", 80, 2).with_features(narrow).unwrap())),
        ("9 classes", to("gnn", &[], graph("two", 80, 2).with_labels(more).unwrap())),
        ("class names", to("gnn", &[], named(graph("two", 80, 2), 'b'))),
    ]
}

#[test]
fn what_cannot_begin_is_refused_before_a_charge() {
    let home = Home::new(&["edge=100", "feature=100", "label=100", "edge-bit=100"]);
    for (problem, job) in refused_jobs() {
        let refused = job.check().unwrap_err().to_string();
        assert!(refused.contains(problem), "expected {problem:?}: {refused}");
        let (ran, run) = (home.path("run"), home.paid(job));
        assert_eq!(run.run(Place::Folder(&ran), &Silent).unwrap_err().to_string(), refused);
    }
    assert_eq!((home.charges(), home.list().len()), (0, 0));
}

#[test]
fn refusals_are_the_callers_fault_and_some_have_a_hint() {
    for (problem, job) in refused_jobs() {
        let error = job.check().unwrap_err();
        // Data that lack something are not a wrong command.
        let data = ["no labels", "features", "9 classes", "class names"].contains(&problem);
        assert_eq!(error.is_usage(), !data, "{error}");
    }
    assert!(PipelineError::from(LearnError::NoFeatures).hint().unwrap().contains("degree-vectors"));
    assert!(PipelineError::from(MethodError::NoLabels).is_usage());
}

#[test]
fn a_training_is_charged_once_and_written_as_a_whole() {
    let home = Home::new(&["edge=4"]);
    let out = home.path("run");
    let paid = || home.paid(job(short("lpgnet", &[]), graph("one", 80, 1)));
    let trained = paid().run(Place::Folder(&out), &Silent).unwrap();
    assert!(trained.score.unwrap().test_accuracy.is_some());
    assert_eq!(home.list(), ["run"]);
    let run = Run::open(&out).unwrap();
    assert_eq!(run.record(), trained.run.record());
    assert_eq!(run.posteriors().unwrap(), trained.run.posteriors().unwrap());
    let charged = home.charges();
    assert!(charged > 0);
    // The place is taken, or the budget is spent: nothing changes.
    assert!(matches!(paid().run(Place::Folder(&out), &Silent), Err(PipelineError::Write(_))));
    let spent = paid().run(Place::Folder(&home.path("again")), &Silent).unwrap_err();
    assert!(matches!(spent, PipelineError::Ledger(_)), "{spent}");
    assert_eq!((home.charges(), home.list()), (charged, vec!["run".to_owned()]));
}

/// A training that fails after the charge leaves no folder.
#[test]
fn nothing_is_written_when_a_training_fails() {
    let home = Home::new(&["edge=4"]);
    let diverges = short("lpgnet", &[("lr", json!(1e30)), ("epochs", json!(30))]);
    let job = home.paid(job(diverges, graph("one", 80, 1)));
    let failed = job.run(Place::Folder(&home.path("run")), &Silent).unwrap_err();
    // The same job would diverge again, so there is nothing to resume. What it cost is said.
    let PipelineError::Unfinished { source, charged, folder: None } = &failed else { panic!("{failed}") };
    assert!(matches!(**source, PipelineError::Learn(LearnError::Training(_))) && !charged.is_empty(), "{failed}");
    assert!(failed.to_string().ends_with("the ledger was charged before: ε = 4 for edge"), "{failed}");
    assert!(home.charges() > 0);
    assert_eq!(home.list(), Vec::<String>::new());
}

/// The same where nothing is written: the error is all that tells what was spent.
#[test]
fn a_job_in_memory_that_fails_says_what_was_charged() {
    let home = Home::new(&["edge=4"]);
    let diverges = short("lpgnet", &[("lr", json!(1e30)), ("epochs", json!(30))]);
    let failed = home.paid(job(diverges, graph("one", 80, 1))).run(Place::Memory, &Silent).unwrap_err();
    assert!(matches!(failed, PipelineError::Unfinished { folder: None, .. }), "{failed}");
    assert!(failed.to_string().ends_with("the ledger was charged before: ε = 4 for edge"), "{failed}");
    assert!(home.charges() > 0);
    // Without a ledger there is nothing to tell.
    let diverges = short("lpgnet", &[("lr", json!(1e30)), ("epochs", json!(30))]);
    let failed = job(diverges, graph("one", 80, 1)).run(Place::Memory, &Silent).unwrap_err();
    assert!(matches!(failed, PipelineError::Learn(_)), "{failed}");
}

/// Puts something in the way of the removal of the keys, at some step.
struct Obstructed<'a> {
    step: fn(&Step) -> bool,
    out: &'a Path,
}

impl Hooks for Obstructed<'_> {
    fn step(&self, step: Step) {
        if (self.step)(&step) {
            let left = self.out.with_file_name(".run.unfinished");
            fs::create_dir(left.join("key.spent")).unwrap();
            fs::write(left.join("key.spent/taken"), "").unwrap();
        }
    }
}

/// Keys that cannot be destroyed are a second problem, and no reason to hide the first.
#[test]
fn a_failed_clean_up_hides_neither_the_error_nor_what_was_charged() {
    let home = Home::new(&["edge=4"]);
    let out = home.path("run");
    let left = home.path(".run.unfinished");
    let released = |step: &Step| *step == Step::Release;
    let trained = |step: &Step| matches!(step, Step::Train { .. });
    let run = |given: &[(&str, Value)], step| {
        let job = home.paid(job(short("lpgnet", given), graph("one", 80, 1)));
        let failed = job.run(Place::Folder(&out), &Obstructed { step, out: &out }).unwrap_err();
        fs::remove_dir_all(&left).unwrap();
        failed
    };
    // Refused, and charged nothing.
    let refused = run(&[("epsilon-edges", json!(5))], released);
    assert!(matches!(refused, PipelineError::Ledger(LedgerError::OverBudget { .. })), "{refused}");
    assert_eq!(home.charges(), 0);
    // Charged, and would fail again.
    let failed = run(&[("epsilon-edges", json!(2)), ("lr", json!(1e30)), ("epochs", json!(30))], trained);
    let PipelineError::Unfinished { source, folder, .. } = &failed else { panic!("{failed}") };
    assert!(matches!(**source, PipelineError::Learn(_)) && *folder == Some(left.clone()), "{failed}");
    assert!(failed.to_string().ends_with("the ledger was charged before: ε = 2 for edge"), "{failed}");
    // Charged, and the result is in its place.
    let failed = run(&[("epsilon-edges", json!(2))], trained);
    assert!(failed.to_string().contains(".run.unfinished/key"), "{failed}");
    assert!(failed.to_string().ends_with("the ledger was charged before: ε = 2 for edge"), "{failed}");
    assert!(Run::open(&out).is_ok());
}

/// What follows from the same release by the same computation fails again; a disk may have space
/// then.
#[test]
fn only_what_is_computed_fails_again() {
    use crate::run::RunError;
    use veil_graph::write::WriteError;
    use veil_nn::FileError;
    let no_space = || WriteError::io(Path::new("run"))(std::io::ErrorKind::StorageFull.into());
    let io = || std::io::Error::from(std::io::ErrorKind::StorageFull);
    let (learn, method) = (|| LearnError::NoNetwork, || MethodError::NoLabels);
    let again: [PipelineError; 5] = [
        learn().into(),
        method().into(),
        RunError::from(learn()).into(),
        RunError::from(method()).into(),
        RunError::from(crate::predictor::PredictorError::Repeated { node: 1 }).into(),
    ];
    again.iter().for_each(|error| assert!(error.recurs(), "{error}"));
    let once: [PipelineError; 5] = [
        no_space().into(),
        io().into(),
        RunError::from(no_space()).into(),
        RunError::from(FileError::from(no_space())).into(),
        RunError::File { path: "run.json".into(), problem: "no space".into() }.into(),
    ];
    once.iter().for_each(|error| assert!(!error.recurs(), "{error}"));
}

/// An owner's method takes features and labels as public; a local protocol does not.
#[test]
fn unchanged_features_need_consent_where_users_report() {
    let home = Home::new(&["edge=100", "edge-set=100"]);
    let run = |method| home.paid(job(short(method, &[]), graph("one", 80, 1))).run(Place::Memory, &Silent);
    assert!(run("lpgnet").is_ok());
    assert!(matches!(run("neighbour-krr"), Err(PipelineError::Ledger(_))));
}

/// The same seed gives the same run, in memory or in a folder; another seed another one.
#[test]
fn a_seed_decides_everything() {
    let home = Home::new(&[]);
    let run = |seed, place: Place<'_>| {
        let job = Job { payment: Payment::experiment(seed), ..job(short("neighbour-krr", &[]), graph("one", 80, 1)) };
        job.run(place, &Silent).unwrap().run
    };
    let expected = run(1, Place::Memory);
    let again = run(1, Place::Folder(&home.path("run")));
    assert_eq!(again.posteriors().unwrap(), expected.posteriors().unwrap());
    assert_eq!(again.released().data(), expected.released().data());
    assert_ne!(run(2, Place::Memory).released().data(), expected.released().data());
    let os = Job { payment: Payment::default(), ..job(short("mlp", &[]), graph("one", 80, 1)) };
    let record = os.run(Place::Memory, &Silent).unwrap().run.record().clone();
    assert_eq!(record.seed, crate::run::Seed::Os);
    assert!(record.training_seed < 1 << 53, "readers of JSON who know only floats read the same number");
}
