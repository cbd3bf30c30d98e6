//! Releases without a model, and trainings on them.

use veil_privacy::release::Privatised;

use super::*;
use crate::parameters::{Reports, Scaling};
use crate::run::Run;
use crate::{LearnError, MethodError};

/// Releases a graph by the mechanism of a method, with its reports.
fn made(method: &Arc<dyn Method>, data: Dataset, place: Place<'_>) -> Result<Privatised, PipelineError> {
    let (terms, payment) = (terms(), Payment::experiment(1));
    let reports = method.reports().cloned().unwrap_or_default();
    let data = Graphs::one(data, &terms, &payment)?.into_train();
    release(&data, &reports, Some(method), &terms, &payment, place, &Silent).map(|it| it.released)
}

/// A job on a release, from seed 1.
fn on(released: Privatised, method: Arc<dyn Method>) -> Job {
    let input = Input::Released { released: Box::new(released), truth: None };
    Job { method, terms: Terms::default(), payment: Payment::experiment(1), input }
}

/// Settings of the training that no release decides.
fn training() -> Settings {
    Settings::from_iter([("epochs", json!(4)), ("hidden", json!(8))])
}

#[test]
fn a_training_on_a_release_is_a_training_on_the_raw_data() {
    let home = Home::new(&[]);
    let out = home.path("released");
    let recipe = ("recipe", json!("graph-privatizer"));
    let reports = [("epsilon-features", json!(3)), ("epsilon-labels", json!(3)), ("scale", json!("minmax"))];
    for (name, given) in [
        (
            "graph-privatizer",
            vec![("alpha", json!(0.5)), ("threshold", json!(0.1)), ("strategy", json!("most-similar"))],
        ),
        ("two-hop-rr", vec![]),
        ("dummy-exchange", vec![("max-dummies", json!(2)), ("candidates", json!(4))]),
        ("shuffled-query", vec![]),
        ("neighbour-krr", vec![]),
        ("edge-flip", vec![]),
        ("blink", vec![("degree-share", json!(0.25))]),
        ("dpgcn", vec![("epsilon-count", json!(0.5))]),
        ("dpgcn", vec![("graph", json!("edgerand"))]),
        ("degree-vectors", vec![("unit", json!("edge-set"))]),
        ("gnn", vec![recipe.clone()]),
        ("gnn", vec![recipe, ("reads", json!("none"))]),
    ] {
        let method = short(name, &[&reports[..], &given].concat());
        let direct = job(Arc::clone(&method), graph("one", 80, 1)).run(Place::Memory, &Silent).unwrap().run;
        made(&method, graph("one", 80, 1), Place::Folder(&out)).unwrap();
        let released = Privatised::open(&out).unwrap();
        let learner = method_on(&released, None, &training()).unwrap();
        let later = on(released, learner).run(Place::Memory, &Silent).unwrap().run;
        assert_eq!(later.record().method, name);
        assert_eq!(later.record().parameters, direct.record().parameters, "{name}");
        assert_eq!(later.released().data(), direct.released().data(), "{name}");
        assert_eq!(later.posteriors().unwrap(), direct.posteriors().unwrap(), "{name}");
        fs::remove_dir_all(&out).unwrap();
    }
}

/// A run's release is a release too, with all rounds of its counts.
#[test]
fn the_release_of_a_run_is_learned_from_again() {
    for (name, given) in [
        ("lpgnet", vec![("stages", json!(2))]),
        ("lpgnet", vec![("readout", json!("bayes")), ("epsilon-edges", json!(8))]),
        ("degree-vectors", vec![("rounds", json!(2)), ("epsilon-labels", json!(3))]),
    ] {
        let run = job(short(name, &given), graph("one", 80, 1)).run(Place::Memory, &Silent).unwrap().run;
        let readout = given.iter().filter(|(name, _)| *name == "readout").cloned().collect();
        let learner = method_on(run.released(), None, &training().overridden_by(&readout)).unwrap();
        let again = on(run.released().clone(), learner).run(Place::Memory, &Silent).unwrap().run;
        assert_eq!(again.record().parameters, run.record().parameters, "{name}");
        assert_eq!(again.posteriors().unwrap(), run.posteriors().unwrap(), "{name}");
    }
}

#[test]
fn what_a_release_decided_is_not_decided_again() {
    let given = [("epsilon-features", json!(3)), ("epsilon-labels", json!(3)), ("alpha", json!(0.5))];
    let released = made(&short("graph-privatizer", &given), graph("one", 80, 1), Place::Memory).unwrap();
    let with = |name: &str, value: Value| method_on(&released, None, &Settings::from_iter([(name, value)]));
    for (name, value) in [
        ("epsilon-edges", json!(9)),
        ("epsilon-labels", json!(9)),
        ("epsilon-features", json!("inf")),
        ("alpha", json!(0.7)),
        ("samples", json!(2)),
        ("scale", json!("minmax")),
    ] {
        let refused = with(name, value).unwrap_err();
        assert!(matches!(&refused, PipelineError::Decided { name: it, .. } if it == name), "{name}: {refused}");
    }
    // The same value is accepted, as a number and as a text; the training is open.
    for value in [json!(3), json!("3"), json!("3.0")] {
        assert!(with("epsilon-labels", value.clone()).is_ok(), "{value}");
    }
    assert!(with("alpha", json!("0.5")).is_ok() && with("model", json!("sage")).is_ok());
}

#[test]
fn features_may_be_standardised_after_a_release() {
    let unscaled = short("gnn", &[("scale", json!("none"))]);
    let released = made(&unscaled, graph("one", 80, 1), Place::Memory).unwrap();
    let standard = training().overridden_by(&Settings::from_iter([("scale", json!("standard"))]));
    let method = method_on(&released, None, &standard).unwrap();
    let run = on(released, method).run(Place::Memory, &Silent).unwrap().run;
    let raw = [("recipe", json!("graph-privatizer")), ("scale", json!("standard"))];
    let direct = job(short("gnn", &raw), graph("one", 80, 1)).run(Place::Memory, &Silent).unwrap().run;
    assert_eq!(run.posteriors().unwrap(), direct.posteriors().unwrap());
}

/// The method that made a release learns from it, and so do a GNN and an MLP.
#[test]
fn not_every_method_learns_from_a_release() {
    let released = made(&short("neighbour-krr", &[]), graph("one", 80, 1), Place::Memory).unwrap();
    for name in ["neighbour-krr", "gnn", "mlp"] {
        let method = method_on(&released, Some(name), &training()).unwrap();
        let run = on(released.clone(), method).run(Place::Memory, &Silent).unwrap().run;
        assert_eq!(run.record().method, name);
        assert!(run.validation_accuracy().is_some());
    }
    for name in ["edge-flip", "blink", "dpgcn", "lpgnet", "degree-vectors", "privgnn"] {
        let refused = method_on(&released, Some(name), &Settings::default()).unwrap_err();
        assert!(matches!(refused, PipelineError::NotOnRelease { maker: "neighbour-krr", .. }), "{name}: {refused}");
        // Likewise for a method that did not come from `method_on`.
        let given = [("epsilon", json!(4))].into_iter().filter(|_| name == "privgnn").collect::<Vec<_>>();
        let refused = on(released.clone(), short(name, &given)).check().unwrap_err();
        assert!(matches!(refused, PipelineError::NotOnRelease { .. }), "{name}: {refused}");
    }
}

/// Otherwise the edges of a further graph would be released without noise.
#[test]
fn a_gnn_on_noisy_edges_answers_about_no_other_graph() {
    let released = made(&short("neighbour-krr", &[]), graph("one", 80, 1), Place::Memory).unwrap();
    let run = |name| {
        let method = method_on(&released, Some(name), &training()).unwrap();
        on(released.clone(), method).run(Place::Memory, &Silent).unwrap().run
    };
    let other = Private::seal(graph("two", 60, 2));
    let infer = |run: &Run| infer(run, &other, Further::default(), &Payment::experiment(1), Place::Memory, &Silent);
    let gnn = run("gnn");
    assert!(matches!(infer(&gnn), Err(PipelineError::OtherEdges { .. })));
    assert!(matches!(elsewhere(&gnn, &other, 1), Err(PipelineError::OtherEdges { .. })));
    assert!(matches!(shadow(&gnn, graph("two", 60, 2), 1, &Silent), Err(PipelineError::OtherEdges { .. })));
    assert!(infer(&run("mlp")).unwrap().run.released().data().edges_withheld());
    let noisy = infer(&run("neighbour-krr")).unwrap().run;
    assert!(noisy.released().statement().guarantees.iter().any(|it| it.mechanism == "neighbour-krr"));
}

#[test]
fn a_release_has_its_split_and_range_and_is_paid_for() {
    let released = made(&short("gnn", &[]), graph("one", 80, 1), Place::Memory).unwrap();
    let method = method_on(&released, None, &training()).unwrap();
    let job = || on(released.clone(), Arc::clone(&method));
    let split = Terms { split: Some(SplitChoice::All), ..Terms::default() };
    let range = Terms { range: "0,1".parse::<RangeText>().unwrap().0, ..Terms::default() };
    let ledger = Payment { ledger: Some("book.db".into()), ..Payment::experiment(1) };
    for refused in [Job { terms: split, ..job() }, Job { terms: range, ..job() }, Job { payment: ledger, ..job() }] {
        assert!(matches!(refused.check(), Err(PipelineError::NoEffect { input: "a release", .. })));
        assert!(matches!(refused.run(Place::Memory, &Silent), Err(PipelineError::NoEffect { .. })));
    }
    assert!(job().check().is_ok());
    let truth = Some(Private::seal(graph("two", 60, 2)));
    let other = Input::Released { released: Box::new(released.clone()), truth };
    let refused = Job { input: other, ..job() }.run(Place::Memory, &Silent).unwrap_err();
    assert!(matches!(refused, PipelineError::OtherSize { truth: 60, run: 80 }));
}

/// The truth is for scoring only: the run is the same without it.
#[test]
fn a_release_is_scored_with_its_truth() {
    let released = made(&short("neighbour-krr", &[]), graph("one", 80, 1), Place::Memory).unwrap();
    let method = method_on(&released, None, &training()).unwrap();
    let train = |truth| {
        let input = Input::Released { released: Box::new(released.clone()), truth };
        Job { input, ..on(released.clone(), Arc::clone(&method)) }.run(Place::Memory, &Silent).unwrap()
    };
    let (with, without) = (train(Some(Private::seal(graph("one", 80, 1)))), train(None));
    assert!(with.score.unwrap().test_accuracy.is_some() && without.score.is_none());
    assert_eq!(with.run.posteriors().unwrap(), without.run.posteriors().unwrap());
}

#[test]
fn a_release_without_labels_or_features_trains_nothing() {
    let data = Private::seal(graph("one", 80, 1));
    let (terms, payment, inf) = (Terms::default(), Payment::experiment(1), Some(veil_privacy::Epsilon::INFINITE));
    let only = |reports: Reports| {
        let gnn = short("gnn", &[]);
        release(&data, &reports, Some(&gnn), &terms, &payment, Place::Memory, &Silent).unwrap().released
    };
    let scale = Scaling::None;
    let check = |released: Privatised| {
        let method = method_on(&released, None, &training()).unwrap();
        on(released, method).check()
    };
    let labels = only(Reports { epsilon_labels: inf, scale, ..Reports::default() });
    let refused = check(labels).unwrap_err();
    assert!(matches!(refused, PipelineError::Learn(LearnError::NoFeatures)), "{refused}");
    let features = only(Reports { epsilon_features: inf, scale, ..Reports::default() });
    assert!(matches!(check(features), Err(PipelineError::Learn(LearnError::NoLabels))));
}

#[test]
fn a_release_that_needs_a_training_or_a_public_graph_is_refused() {
    let home = Home::new(&["edge=9", "edge-bit=9", "label=9", "feature=9"]);
    let data = Private::seal(graph("one", 80, 1));
    let payment = Payment { ledger: Some(home.path("book.db")), ..Payment::experiment(1) };
    let out = home.path("released");
    let refused = |method: Arc<dyn Method>, reports: &Reports| {
        let place = Place::Folder(&out);
        release(&data, reports, Some(&method), &Terms::default(), &payment, place, &Silent).unwrap_err()
    };
    let unchanged = Reports { epsilon_features: Some(veil_privacy::Epsilon::INFINITE), ..Reports::default() };
    assert!(matches!(refused(short("lpgnet", &[]), &unchanged), PipelineError::NeedsTraining));
    let rounds = short("degree-vectors", &[("rounds", json!(2))]);
    assert!(matches!(refused(rounds, &unchanged), PipelineError::NeedsTraining));
    // The edges of a student's graph would be released unchanged.
    let student = refused(short("class-sums", &[]), &unchanged);
    assert!(matches!(student, PipelineError::PublicGraph { needed: true, .. }), "{student}");
    let noisy =
        Reports { epsilon_features: Some("1".parse().unwrap()), scale: Scaling::Standard, ..Reports::default() };
    let standard = refused(short("neighbour-krr", &[]), &noisy);
    assert!(matches!(standard, PipelineError::Method(MethodError::StandardReports)), "{standard}");
    assert_eq!((home.charges(), home.list().len()), (0, 0));
}
