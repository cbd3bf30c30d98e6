//! Runs in memory: what comes back from a folder, what is scored, and what cannot begin.

use std::ops::ControlFlow;

use veil_graph::{Direction, Dropped, Features, Fractions, Graph, Labels, Split};
use veil_privacy::release::{Plan, RangeChoice};
use veil_privacy::{Coins, Request};

use super::*;
use crate::learn::{Seen, learn};
use crate::parameters::{Edges, Parameters, Scaling, Select};
use crate::{LearnError, Predictor, Surface, WhiteBox};

const NODES: u32 = 40;

/// A ring of two classes whose features tell them apart; `split` as three fractions.
fn data(split: (f64, f64, f64)) -> Private<Dataset> {
    let edges: Vec<_> = (0..NODES).map(|node| (node, (node + 2) % NODES)).collect();
    let graph = Graph::from_edges(NODES, &edges, Direction::Undirected).unwrap().graph;
    let values = (0..NODES).flat_map(|node| [f32::from(node % 2 == 0), f32::from(node % 2 == 1)]).collect();
    let features = Features::Dense(Matrix::from_values(NODES as usize, 2, values).unwrap());
    let labels = Labels::new(2, (0..NODES).map(|node| Some(node % 2))).unwrap();
    let fractions = Fractions::new(split.0, split.1, split.2).unwrap();
    let data = Dataset::new("ring", graph, Dropped::default()).with_features(features).unwrap();
    Private::seal(data.with_labels(labels).unwrap().with_split(Split::random(NODES, fractions, 1)).unwrap())
}

const SPLIT: (f64, f64, f64) = (0.5, 0.25, 0.25);

fn parameters(edges: Edges) -> Parameters {
    let epsilon = |text: &str| Some(text.parse().unwrap());
    let epsilon_edges = (!matches!(edges, Edges::Raw | Edges::Empty)).then(|| "4".parse().unwrap());
    let (epsilon_features, epsilon_labels) = (epsilon("inf"), epsilon("inf"));
    Parameters { edges, epsilon_edges, epsilon_features, epsilon_labels, epochs: 20, ..Parameters::default() }
}

fn train(data: &Private<Dataset>, parameters: Parameters) -> Run {
    let plan = Plan::new(data, parameters.options(data, RangeChoice::Public).unwrap()).unwrap();
    let permit = Request::new(data, Coins::reproducible(1), plan.guarantees()).unwrap().unbooked();
    let mut release = plan.release(data, permit).unwrap();
    let mut watch = |_: &_| ControlFlow::Continue(());
    let learned = learn(
        Seen { released: &mut release.released, rounds: Some(&mut release.rounds) },
        None,
        &parameters,
        1,
        &mut watch,
    )
    .unwrap();
    let mut record = Record::new("ring", parameters, ("public".to_owned(), "public".to_owned()), Seed::Given(1), 1);
    record.stages = learned.stages.len();
    record.best_epoch = learned.stages.last().unwrap().kept;
    Run::new(record, release.released, learned).unwrap()
}

#[test]
fn a_run_that_is_read_again_answers_the_same() {
    let data = data(SPLIT);
    for (edges, rounds) in [(Edges::Raw, 1), (Edges::NeighbourKrr, 1), (Edges::Empty, 1), (Edges::DegreeVectors, 2)] {
        let run = train(&data, Parameters { rounds: Some(rounds), kx: 1, ..parameters(edges) });
        let posteriors = run.posteriors().unwrap();
        let home = tempfile::tempdir().unwrap();
        run.fill(home.path(), &posteriors, None).unwrap();
        let back = Run::open(home.path()).unwrap();
        assert_eq!(back.record(), run.record());
        assert_eq!(back.posteriors().unwrap(), posteriors, "{edges}");
        assert_eq!(back.released().data(), run.released().data(), "{edges}");
        assert_eq!(back.released().vectors(), run.released().vectors(), "{edges}");
        for weights in [Weights::Chosen, Weights::Last] {
            let of = |run: &Run| run.deployed(Surface::Model, weights).unwrap().posteriors(&[0, 7], &[]).unwrap();
            assert_eq!(of(&back), of(&run), "{edges}");
        }
        let known = Parameters::of_release(back.released(), None);
        let of = |it: &Parameters| {
            (it.edges, it.epsilon_edges, it.epsilon_features, it.epsilon_labels, it.rounds(), it.unit)
        };
        assert_eq!(of(&known), of(&run.record().parameters));
    }
}

#[test]
fn the_last_weights_of_a_stack_are_those_of_the_network_that_answers() {
    let select = Some(Select::HighestValidationAccuracy);
    let run = train(&data(SPLIT), Parameters { rounds: Some(2), select, ..parameters(Edges::DegreeVectors) });
    let of = |weights| run.deployed(Surface::Pipeline, weights).unwrap().posteriors(&[0, 1, 2], &[]).unwrap();
    assert!(run.record().best_epoch < 19, "the last epoch is not the chosen one");
    assert_ne!(of(Weights::Chosen), of(Weights::Last));
}

#[test]
fn the_twin_hears_nobody() {
    let run = train(&data(SPLIT), parameters(Edges::Raw));
    let pairs = [(0, 2), (2, 4), (0, 1)];
    let heard = run.deployed(Surface::Pipeline, Weights::Chosen).unwrap().influences(&pairs).unwrap();
    assert!(heard[0] > 0.0 && heard[2] == 0.0, "{heard:?}");
    assert_eq!(run.twin(Weights::Chosen).unwrap().unwrap().influences(&pairs).unwrap(), [0.0; 3]);
}

#[test]
fn the_twin_has_the_weights_that_were_asked_for() {
    let select = Some(Select::HighestValidationAccuracy);
    let run = train(&data(SPLIT), Parameters { select, ..parameters(Edges::Raw) });
    let of = |weights| run.twin(weights).unwrap().unwrap().posteriors(&[0, 1, 2], &[]).unwrap();
    assert_ne!(of(Weights::Chosen), of(Weights::Last));
}

#[test]
fn scores_compare_with_the_truth_and_count_a_repeated_entry_once() {
    let data = data(SPLIT);
    let raw = train(&data, parameters(Edges::Raw));
    let token = Truth::for_scoring_only();
    let scored = score(&raw.posteriors().unwrap(), raw.released().data(), &data, &token);
    let entries = 2 * NODES as usize;
    assert_eq!((scored.edges_before, scored.edges_after, scored.edges_kept), (entries, entries, entries));
    assert_eq!(scored.test_accuracy, Some(1.0));
    let found = scored.classification.unwrap();
    assert_eq!((found.nodes, found.accuracy), (NODES as usize / 4, 1.0), "the test nodes alone");
    // Node 0 names 2 twice and 1 once: one of its three entries is true and new.
    let reports = Graph::from_reports(NODES, vec![(0, 2), (0, 1), (0, 2)]).unwrap();
    let reports = Dataset::new("reports", reports, Dropped::default());
    let scored = score(&raw.posteriors().unwrap(), &reports, &data, &token);
    assert_eq!((scored.edges_after, scored.edges_kept), (3, 1));
    assert_eq!((scored.test_accuracy, scored.classification), (None, None), "nobody is for testing");
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
fn what_cannot_begin_is_known_before_anything_is_released() {
    let all = data(SPLIT);
    let check = |change: &dyn Fn(&mut Parameters), data: &Private<Dataset>| {
        let mut changed = parameters(Edges::Raw);
        change(&mut changed);
        crate::check(&changed, &data.public(), None)
    };
    assert!(check(&|_| {}, &all).is_ok());
    assert!(check(&|it| it.edges = Edges::DegreeVectors, &all).is_ok());
    let without_features = |it: &mut Parameters| it.epsilon_features = None;
    assert!(matches!(check(&without_features, &all), Err(LearnError::NoFeatures)));
    let vectors_alone = |it: &mut Parameters| (it.edges, it.epsilon_features) = (Edges::DegreeVectors, None);
    assert!(check(&vectors_alone, &all).is_ok());
    assert!(matches!(check(&|it| it.epochs = 0, &all), Err(LearnError::Training(_))));
    assert!(matches!(check(&|it| it.lr = f64::NAN, &all), Err(LearnError::Training(_))));
    assert!(matches!(check(&|it| it.hidden = Some(0), &all), Err(LearnError::Description(_))));
    assert!(matches!(check(&|_| {}, &data((0.0, 0.5, 0.5))), Err(LearnError::NobodyToLearnFrom)));
    assert!(matches!(check(&|_| {}, &data((0.5, 0.0, 0.5))), Err(LearnError::Training(_))));
    assert!(check(&|it| it.select = Some(Select::Last), &data((0.5, 0.0, 0.5))).is_ok());
}

#[test]
fn a_model_answers_about_its_own_graph_elsewhere_as_at_home() {
    let data = data(SPLIT);
    let run = train(&data, Parameters { scale: Scaling::None, ..parameters(Edges::Raw) });
    let elsewhere = run.elsewhere(&data, RangeChoice::Public, 1).unwrap();
    assert_eq!(elsewhere.posteriors().unwrap(), run.posteriors().unwrap());
    assert!(elsewhere.released().data().labels().is_none(), "labels stay where they are");
    let narrow = Features::Dense(Matrix::zeros(NODES as usize, 1));
    let raw = data.for_scoring(&Truth::for_scoring_only()).clone();
    let narrow = Private::seal(raw.with_features(narrow).unwrap());
    let asked = run.elsewhere(&narrow, RangeChoice::Public, 1).unwrap().posteriors();
    assert!(asked.is_err(), "one feature for a model of two");
}

#[test]
fn a_shadow_is_trained_by_the_same_parameters_on_other_nodes() {
    let run = train(&data(SPLIT), parameters(Edges::Raw));
    let mut epochs = 0;
    let mut watch = |_: &_| {
        epochs += 1;
        ControlFlow::Continue(())
    };
    // Nobody validates: then the last epoch is used.
    let other = data((0.5, 0.0, 0.5));
    let shadow = run.shadow(&other, RangeChoice::Public, 7, &mut watch).unwrap();
    assert_eq!((epochs, shadow.record().best_epoch, shadow.record().training_seed), (20, 19, 7));
    assert_eq!(shadow.record().parameters.select, Some(Select::Last));
    assert_ne!(shadow.posteriors().unwrap(), run.posteriors().unwrap());
}
