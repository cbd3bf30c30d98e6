//! Features that are reported by a codebook, through whole trainings.

use veil_graph::{Features, Matrix};
use veil_privacy::Unit;
use veil_privacy::release::Privatised;

use super::*;

const METHODS: [&str; 2] = ["degree-vectors", "cascade-local"];

/// Labels at ε = 4, and features at ε = 8 by a codebook.
fn method(name: &str, given: &[(&str, Value)]) -> Result<Arc<dyn method::Method>, method::MethodError> {
    let hints = [("epsilon-features", json!(8)), ("feature-encoder", json!("codebook"))];
    configured(name, &[&hints, given].concat())
}

fn configured(name: &str, given: &[(&str, Value)]) -> Result<Arc<dyn method::Method>, method::MethodError> {
    let settings = [("epsilon-edges", json!(1)), ("epsilon-labels", json!(4)), ("epochs", json!(30))];
    let entry = method::find(name)?;
    let settings: Settings = settings.into_iter().filter(|(name, _)| entry.reads(name)).collect();
    entry.configure(&settings.overridden_by(&given.iter().cloned().collect()))
}

/// A graph whose features are its classes.
fn telling(nodes: u32, seed: u64) -> Dataset {
    let data = graph("telling", nodes, seed);
    let rows: Vec<f32> = (0..nodes)
        .flat_map(|node| (0..7).map(move |class| (node, class)))
        .map(|(node, class)| f32::from(u8::from(data.labels().unwrap().get(node) == Some(class))))
        .collect();
    data.with_features(Features::Dense(Matrix::from_values(nodes as usize, 7, rows).unwrap())).unwrap()
}

fn accuracy(method: Arc<dyn method::Method>, data: Dataset) -> f64 {
    let trained = job(method, data).run(Place::Memory, &Silent).unwrap();
    trained.score.unwrap().test_accuracy.unwrap()
}

/// At ε = 1 counts say little. Features that say everything are worth 20 points at least, as one
/// report that costs ε once.
#[test]
fn features_that_say_something_are_used() {
    for name in METHODS {
        let with = accuracy(method(name, &[]).unwrap(), telling(600, 1));
        let without = accuracy(configured(name, &[]).unwrap(), telling(600, 1));
        assert!(with > without + 0.2, "{name}: {with} with, {without} without");
    }
}

/// Reports of features that say nothing are not read; those of features that say something are.
#[test]
fn features_that_say_nothing_are_not_used() {
    let home = Home::new(&[]);
    let silent = graph("silent", 600, 2);
    let silent = silent.with_features(Features::Dense(Matrix::from_values(600, 1, vec![1.0; 600]).unwrap())).unwrap();
    let is_read = |data: Dataset, out: &str| {
        let folder = home.path(out);
        job(method("degree-vectors", &[]).unwrap(), data).run(Place::Folder(&folder), &Silent).unwrap();
        folder.join("readout.json").exists()
    };
    assert!(!is_read(silent, "silent") && is_read(telling(600, 1), "telling"));
}

/// A run is written and read with its hints, states them, and answers the same.
#[test]
fn a_run_with_hints_is_read_again() {
    for name in METHODS {
        let home = Home::new(&[]);
        let out = home.path("run");
        let trained = job(method(name, &[]).unwrap(), telling(300, 3)).run(Place::Folder(&out), &Silent).unwrap();
        let answers = trained.run.posteriors().unwrap();
        let again = crate::run::Run::open(&out).unwrap();
        assert_eq!(again.posteriors().unwrap(), answers, "{name}");
        let released: &Privatised = again.released();
        assert_eq!(released.hints().unwrap().len(), 300);
        assert!(released.data().features().is_none());
        let guarantees = &released.statement().guarantees;
        let stated: Vec<_> = guarantees.iter().filter(|it| it.unit == Unit::Feature).collect();
        assert_eq!(stated.len(), 1, "one ε for either report");
        assert_eq!((stated[0].mechanism.as_str(), stated[0].epsilon.to_string().as_str()), ("codebook", "8"));
        let text = released.statement().to_markdown();
        assert!(text.contains("a codeword or a class of each user") && text.contains("never both"), "{text}");
    }
}

#[test]
fn what_a_codebook_cannot_do_is_refused_before_a_charge() {
    let says = |name: &str, given: &[(&str, Value)], expected: &str| {
        let job = job(method(name, given).unwrap(), graph("one", 80, 1));
        let problem = job.run(Place::Memory, &Silent).unwrap_err().to_string();
        assert!(problem.contains(expected), "{name}: {problem}");
    };
    for name in METHODS {
        says(name, &[("scale", json!("rows"))], "scale has no effect");
        says(name, &[("samples", json!(2))], "samples has no effect");
        says(name, &[("epsilon-features", json!("inf"))], "infinite");
    }
    // Nobody reports what nobody reads.
    says("mlp", &[("scale", json!("none"))], "no effect on mlp");
    says("edge-flip", &[("epsilon-edges", json!(4))], "no effect on edge-flip");
    says("lpgnet", &[], "no effect on lpgnet");
    says("degree-vectors", &[("features", json!("none"))], "no effect on degree-vectors");
    says("cascade-local", &[("epsilon-edges", json!(8)), ("reported", json!("bits"))], "no effect on cascade-local");
}

/// Where bits would be asked for, users who also give hints report rows.
#[test]
fn hints_come_with_rows() {
    let method = method("cascade-local", &[("epsilon-edges", json!(8))]).unwrap();
    let trained = job(method, telling(300, 4)).run(Place::Memory, &Silent).unwrap();
    assert_eq!(trained.run.record().parameters.word("reported"), Some("rows"));
}

/// Another graph has no labels from which centres of the classes would follow, and without them its
/// users say nothing about themselves.
#[test]
fn a_codebook_tells_nothing_about_other_graphs() {
    let other = || graph("two", 60, 2);
    let refused = |name: &str, (validation, inference)| {
        let job = several(method(name, &[]).unwrap(), graph("one", 80, 1), (validation, inference), false).unwrap();
        job.check().map(drop).unwrap_err()
    };
    for name in METHODS {
        let validation = refused(name, (Some(other()), None));
        assert!(matches!(validation, PipelineError::NoEffect { .. }), "{name}: {validation}");
    }
    let inference = refused("cascade-local", (None, Some(other())));
    assert!(inference.to_string().contains("features"), "{inference}");
}
