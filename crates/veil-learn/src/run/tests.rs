//! Runs in memory: what comes back from a folder, what is scored, and what cannot begin.

use serde_json::{Value, json};
use veil_graph::{Declared, Direction, Dropped, Features, Fractions, Graph, Labels, Split};

use super::*;
use crate::parameters::Select;
use crate::pipeline::{Graphs, Input, Job, Payment, PipelineError, Place, Silent, Terms, elsewhere, shadow};
use crate::{LearnError, Predictor, Settings, Surface, WhiteBox, method};

const NODES: u32 = 40;

/// A ring of two classes whose features tell them apart; `split` as three fractions.
fn data(split: (f64, f64, f64)) -> Dataset {
    let edges: Vec<_> = (0..NODES).map(|node| (node, (node + 2) % NODES)).collect();
    let graph = Graph::from_edges(NODES, &edges, Direction::Undirected).unwrap().graph;
    let values = (0..NODES).flat_map(|node| [f32::from(node % 2 == 0), f32::from(node % 2 == 1)]).collect();
    let features = Features::Dense(Matrix::from_values(NODES as usize, 2, values).unwrap());
    let labels = Labels::new(2, (0..NODES).map(|node| Some(node % 2))).unwrap();
    let fractions = Fractions::new(split.0, split.1, split.2).unwrap();
    let given = Declared { nodes: true, dimensions: true, classes: true };
    let data = Dataset::new("ring", graph, Dropped::default()).with_declared(given).with_features(features).unwrap();
    data.with_labels(labels).unwrap().with_split(Split::random(NODES, fractions, 1)).unwrap()
}

const SPLIT: (f64, f64, f64) = (0.5, 0.25, 0.25);

/// GraphPrivatizer's training with public features and labels, and these settings over it.
fn settings(method: &str, given: &[(&str, Value)]) -> Settings {
    let entry = method::find(method).unwrap();
    let all = [
        ("recipe", json!("graph-privatizer")),
        ("epsilon-edges", json!(4)),
        ("epsilon-features", json!("inf")),
        ("epsilon-labels", json!("inf")),
        ("epochs", json!(20)),
    ];
    let read: Settings = all.into_iter().filter(|(name, _)| entry.reads(name)).collect();
    read.overridden_by(&given.iter().cloned().collect())
}

fn job(data: Dataset, method: &str, given: &[(&str, Value)]) -> Job {
    let (terms, payment) = (Terms::default(), Payment::experiment(1));
    let method = method::configure(method, &settings(method, given)).unwrap();
    let input = Input::Graphs(Graphs::one(data, &terms, &payment).unwrap());
    Job { method, terms, payment, input }
}

fn train(data: Dataset, method: &str, given: &[(&str, Value)]) -> Run {
    job(data, method, given).run(Place::Memory, &Silent).unwrap().run
}

#[test]
fn a_run_that_is_read_again_answers_the_same() {
    for (method, given) in [
        ("gnn", vec![("kx", json!(1))]),
        ("gnn", vec![("kx", json!(1)), ("reads", json!("none"))]),
        ("gnn", vec![("scale", json!("standard"))]),
        ("mlp", vec![]),
        ("dpgcn", vec![("kx", json!(1))]),
        ("neighbour-krr", vec![("kx", json!(1))]),
        ("degree-vectors", vec![("rounds", json!(2))]),
        ("lpgnet", vec![("stages", json!(2))]),
        ("lpgnet", vec![("readout", json!("bayes"))]),
    ] {
        let run = train(data(SPLIT), method, &given);
        let posteriors = run.posteriors().unwrap();
        let home = tempfile::tempdir().unwrap();
        run.fill(home.path(), &posteriors, None).unwrap();
        let back = Run::open(home.path()).unwrap();
        assert_eq!(back.record(), run.record());
        assert_eq!(back.posteriors().unwrap(), posteriors, "{method}");
        assert_eq!(back.released().data(), run.released().data(), "{method}");
        assert_eq!(back.released().vectors(), run.released().vectors(), "{method}");
        for weights in [Weights::Chosen, Weights::Last] {
            let of = |run: &Run| run.deployed(Surface::Model, weights).unwrap().posteriors(&[0, 7], &[]).unwrap();
            assert_eq!(of(&back), of(&run), "{method}");
        }
    }
}

#[test]
fn the_last_weights_of_a_stack_are_those_of_the_network_that_answers() {
    let select = ("select", json!("highest-validation-accuracy"));
    let run = train(data(SPLIT), "degree-vectors", &[("rounds", json!(2)), select]);
    let of = |weights| run.deployed(Surface::Pipeline, weights).unwrap().posteriors(&[0, 1, 2], &[]).unwrap();
    assert!(run.record().best_epoch < 19, "the last epoch is not the chosen one");
    assert_ne!(of(Weights::Chosen), of(Weights::Last));
}

#[test]
fn the_twin_reads_no_edges() {
    let run = train(data(SPLIT), "gnn", &[]);
    let pairs = [(0, 2), (2, 4), (0, 1)];
    let influences = run.deployed(Surface::Pipeline, Weights::Chosen).unwrap().influences(&pairs).unwrap();
    assert!(influences[0] > 0.0 && influences[2] == 0.0, "{influences:?}");
    assert_eq!(run.twin(Weights::Chosen).unwrap().unwrap().influences(&pairs).unwrap(), [0.0; 3]);
}

#[test]
fn the_twin_has_the_requested_weights() {
    let run = train(data(SPLIT), "gnn", &[("select", json!("highest-validation-accuracy"))]);
    let of = |weights| run.twin(weights).unwrap().unwrap().posteriors(&[0, 1, 2], &[]).unwrap();
    assert_ne!(of(Weights::Chosen), of(Weights::Last));
}

/// A readout that does not fit its networks is found when the folder is opened.
#[test]
fn a_damaged_readout_is_refused() {
    let run = train(data(SPLIT), "lpgnet", &[("readout", json!("bayes"))]);
    let home = tempfile::tempdir().unwrap();
    run.fill(home.path(), &run.posteriors().unwrap(), None).unwrap();
    let path = home.path().join("readout.json");
    let text = std::fs::read_to_string(&path).unwrap();
    for damaged in [text.replacen("\"temperature\": ", "\"temperature\": -1e999", 1), "{}".to_owned()] {
        std::fs::write(&path, damaged).unwrap();
        assert!(matches!(Run::open(home.path()), Err(RunError::File { .. })));
    }
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(Run::open(home.path()), Err(RunError::File { .. })), "no readout at all");
}

#[test]
fn scores_compare_with_the_truth_and_count_a_repeated_entry_once() {
    let raw = train(data(SPLIT), "gnn", &[]);
    let data = Private::seal(data(SPLIT));
    let token = Truth::for_scoring_only();
    let scored = score(&raw.posteriors().unwrap(), raw.released().data(), &data, &token);
    let entries = 2 * NODES as usize;
    assert_eq!((scored.edges_before, scored.edges_after, scored.edges_kept), (entries, entries, entries));
    assert_eq!(scored.test_accuracy, Some(1.0));
    let found = scored.classification.unwrap();
    assert_eq!((found.nodes, found.accuracy), (NODES as usize / 4, 1.0), "test nodes only");
    // Node 0 names 2 twice and 1 once: one of its three entries is true and new.
    let reports = Graph::from_reports(NODES, vec![(0, 2), (0, 1), (0, 2)]).unwrap();
    let reports = Dataset::new("reports", reports, Dropped::default());
    let scored = score(&raw.posteriors().unwrap(), &reports, &data, &token);
    assert_eq!((scored.edges_after, scored.edges_kept), (3, 1));
    assert_eq!((scored.test_accuracy, scored.classification), (None, None), "no test nodes");
}

#[test]
fn every_label_is_tested_where_there_is_no_split() {
    let labels = Labels::new(2, (0..NODES).map(|node| (node != 5).then_some(node % 2))).unwrap();
    let graph = Graph::from_edges(NODES, &[], Direction::Undirected).unwrap().graph;
    let unlabelled = || Dataset::new("other", graph.clone(), Dropped::default());
    let labelled = Private::seal(unlabelled().with_labels(labels).unwrap());
    // Right for the even nodes and for node 1.
    let answers = (0..NODES).flat_map(|node| if node == 1 { [0.0, 1.0] } else { [1.0, 0.0] }).collect();
    let posteriors = Matrix::from_values(NODES as usize, 2, answers).unwrap();
    let found = score_all(&posteriors, &labelled, &Truth::for_scoring_only()).unwrap();
    assert_eq!((found.nodes, found.accuracy), (39, 21.0 / 39.0));
    assert_eq!(found.rare.unwrap().class, 1);
    assert_eq!(score_all(&posteriors, &Private::seal(unlabelled()), &Truth::for_scoring_only()), None);
}

#[test]
fn what_cannot_begin_is_refused_before_anything_is_released() {
    let check = |method: &str, given: &[(&str, Value)], split| match job(data(split), method, given).check() {
        Err(PipelineError::Learn(error)) => Err(error),
        other => Ok(other.unwrap()),
    };
    let of_gnn = |name: &str, value: Value| check("gnn", &[(name, value)], SPLIT);
    assert!(check("gnn", &[], SPLIT).is_ok());
    assert!(check("degree-vectors", &[], SPLIT).is_ok());
    assert!(matches!(of_gnn("epochs", json!(0)), Err(LearnError::Training(_))));
    assert!(matches!(of_gnn("lr", json!(-1.0)), Err(LearnError::Training(_))));
    assert!(matches!(of_gnn("hidden", json!(0)), Err(LearnError::Description(_))));
    assert!(matches!(of_gnn("kx", json!(1_000_000)), Err(LearnError::TooManyHops { .. })));
    let (untrained, unvalidated) = ((0.0, 0.5, 0.5), (0.5, 0.0, 0.5));
    assert!(matches!(check("gnn", &[], untrained), Err(LearnError::NoTrainingLabels)));
    let decided = check("gnn", &[], unvalidated).unwrap();
    assert_eq!(decided.settings().word("select"), Some(Select::Last.name()));
    let reference = ("select", json!("reference"));
    assert!(matches!(check("gnn", &[reference], unvalidated), Err(LearnError::Training(_))));
    let bayes = ("readout", json!("bayes"));
    assert!(matches!(check("lpgnet", &[bayes], unvalidated), Err(LearnError::NoValidationLabels)));
}

/// A network on a graph needs features; degree vectors do not.
#[test]
fn a_training_without_features_is_refused_where_it_needs_them() {
    let check = |method: &str, given: &[(&str, Value)]| {
        let mut settings = settings(method, given);
        settings.remove("epsilon-features");
        let method = method::configure(method, &settings).unwrap();
        Job { method, ..job(data(SPLIT), "gnn", &[]) }.check()
    };
    assert!(matches!(check("gnn", &[]), Err(PipelineError::Learn(LearnError::NoFeatures))));
    assert!(matches!(check("neighbour-krr", &[]), Err(PipelineError::Learn(LearnError::NoFeatures))));
    assert!(check("degree-vectors", &[]).is_ok());
}

#[test]
fn a_model_answers_about_its_own_graph_elsewhere_as_at_home() {
    let run = train(data(SPLIT), "gnn", &[("scale", json!("none"))]);
    let there = elsewhere(&run, &Private::seal(data(SPLIT)), 1).unwrap();
    assert_eq!(there.posteriors().unwrap(), run.posteriors().unwrap());
    assert!(there.released().data().labels().is_none(), "labels are withheld");
    let narrow = Features::Dense(Matrix::zeros(NODES as usize, 1));
    let narrow = Private::seal(data(SPLIT).with_features(narrow).unwrap());
    assert!(elsewhere(&run, &narrow, 1).is_err(), "one feature for a model of two");
}

#[test]
fn a_shadow_is_trained_by_the_same_parameters_on_other_nodes() {
    struct Epochs(std::sync::atomic::AtomicUsize);
    impl crate::pipeline::Hooks for Epochs {
        fn epoch(&self, _metrics: &veil_nn::training::EpochMetrics) -> std::ops::ControlFlow<()> {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            std::ops::ControlFlow::Continue(())
        }
    }
    let run = train(data(SPLIT), "gnn", &[]);
    let epochs = Epochs(0.into());
    // Without validation nodes the last epoch is used.
    let shadow = shadow(&run, data((0.5, 0.0, 0.5)), 7, &epochs).unwrap();
    let record = shadow.record();
    assert_eq!((epochs.0.into_inner(), record.best_epoch, record.training_seed), (20, 19, 7));
    assert_eq!(record.parameters.word("select"), Some(Select::Last.name()));
    assert_ne!(shadow.posteriors().unwrap(), run.posteriors().unwrap());
}
