//! Validation graphs, inference graphs, and graphs that share edges.

use veil_privacy::guarantee::Assumption;
use veil_privacy::release::Privatised;
use veil_privacy::{Delta, Epsilon, Unit};

use super::*;
use crate::run::Run;

fn epsilon(text: &str) -> Epsilon {
    text.parse().unwrap()
}

/// ε of the edges in a statement.
fn of_edges(released: &Privatised) -> Epsilon {
    released.statement().guarantees.iter().find(|it| it.unit == Unit::Edge).unwrap().epsilon
}

fn assumes(released: &Privatised, assumption: &Assumption) -> bool {
    released.statement().guarantees.iter().any(|it| it.assumptions.contains(assumption))
}

#[test]
fn nodes_of_another_graph_validate() {
    let home = Home::new(&[]);
    let out = home.path("run");
    for (method, given) in [("lpgnet", vec![("stages", json!(2))]), ("lpgnet", vec![("readout", json!("bayes"))])] {
        let job =
            several(short(method, &given), graph("one", 80, 1), (Some(graph("two", 60, 2)), None), false).unwrap();
        let run = job.run(Place::Folder(&out), &Silent).unwrap().run;
        assert_eq!(run.record().validated_on.as_deref(), Some("two"));
        assert_eq!(run.record().parameters.word("select"), Some("lowest-validation-loss"));
        let validation = Privatised::open(&out.join("owner/validation")).unwrap();
        assert_eq!((validation.data().name(), validation.data().nodes()), ("two", 60));
        // The same counts were made of both, at the same price.
        assert_eq!(validation.vectors().len(), run.released().vectors().len());
        for released in [&validation, run.released()] {
            assert_eq!(of_edges(released), epsilon("4"));
            assert!(assumes(released, &Assumption::SeparateGraphs));
        }
        fs::remove_dir_all(&out).unwrap();
    }
}

/// A graph without a split is all for training if another one is given, and all for validation if
/// it validates.
#[test]
fn graphs_without_a_split_have_one_part() {
    let unsplit = |name: &str, seed| {
        let data = graph(name, 80, seed);
        let bare = Dataset::new(name, data.graph().clone(), Default::default()).with_declared(data.declared());
        let bare = bare.with_features(data.features().unwrap().clone()).unwrap();
        bare.with_labels(data.labels().unwrap().clone()).unwrap()
    };
    let others = (Some(unsplit("two", 2)), Some(unsplit("three", 3)));
    let job = several(short("gnn", &[]), unsplit("one", 1), others, false).unwrap();
    let trained = job.run(Place::Memory, &Silent).unwrap();
    let split = trained.run.released().data().split().unwrap();
    assert_eq!(split.count(veil_graph::Part::Train), 80);
    assert_eq!(trained.run.record().split, "all");
    assert_eq!(trained.run.record().parameters.word("select"), Some("lowest-validation-loss"));
    // All nodes of the graph to answer about are scored.
    assert_eq!(trained.inference.unwrap().classification.unwrap().nodes, 80);
}

#[test]
fn a_validation_graph_must_fit() {
    let one = || graph("one", 80, 1);
    let narrow = veil_graph::Features::Dense(veil_graph::Matrix::zeros(80, 3));
    let narrow = graph("two", 80, 2).with_features(narrow).unwrap();
    let refused = several(short("gnn", &[]), one(), (Some(narrow), None), false).unwrap_err();
    assert!(matches!(refused, PipelineError::Validation { .. }), "{refused}");
    let minmax = short("gnn", &[("scale", json!("minmax"))]);
    let job = several(minmax, one(), (Some(graph("two", 80, 2)), None), false).unwrap();
    assert!(matches!(job.check(), Err(PipelineError::MinmaxOfSeveral)));
    let terms = Terms { split: Some("0.5,0,0.5".parse().unwrap()), ..Terms::default() };
    let payment = Payment::experiment(1);
    let tested = Graphs::one(graph("two", 80, 2), &terms, &payment).unwrap().into_train();
    let tested = tested.for_scoring(&veil_privacy::Truth::for_scoring_only()).clone();
    let job = several(short("gnn", &[("select", json!("last"))]), one(), (Some(tested), None), false).unwrap();
    let refused = job.check().unwrap_err().to_string();
    assert_eq!(refused, "the split of the validation graph has no validation nodes");
}

/// A graph to answer about is a run of its own, and the same as a later inference.
#[test]
fn a_model_answers_about_another_graph() {
    let home = Home::new(&["edge=12"]);
    let (out, later) = (home.path("run"), home.path("later"));
    let other = || graph("a/b c", 60, 2);
    for (method, given) in [
        ("gnn", vec![]),
        ("dpgcn", vec![]),
        ("lpgnet", vec![("stages", json!(2))]),
        ("lpgnet", vec![("readout", json!("bayes"))]),
        ("neighbour-krr", vec![]),
    ] {
        let job = several(short(method, &given), graph("one", 80, 1), (None, Some(other())), false).unwrap();
        let trained = job.run(Place::Folder(&out), &Silent).unwrap();
        let inferred = trained.inference.unwrap();
        assert_eq!(inferred.out.as_deref(), Some(&*out.join("inference/a-b-c")));
        assert_eq!(inferred.run.record().trained_on.as_deref(), Some("one"));
        assert!(inferred.classification.is_some() && inferred.run.released().data().labels().is_none());
        let posteriors = inferred.run.posteriors().unwrap();
        let back = Run::open(&inferred.out.unwrap()).unwrap();
        assert_eq!(back.posteriors().unwrap(), posteriors, "{method}");
        assert_eq!(trained.truth.unwrap().public().name, "a/b c", "attacks are about this graph");

        let (run, data) = (Run::open(&out).unwrap(), Private::seal(other()));
        assert_eq!(place_in(&out, &data), out.join("inference/a-b-c"));
        let payment = Payment::experiment(1);
        let again = Further { repeat_nodes: true, ..Further::default() };
        let inferred = infer(&run, &data, again, &payment, Place::Folder(&later), &Silent).unwrap();
        assert_eq!(inferred.run.posteriors().unwrap(), posteriors, "{method}");
        assert_eq!(Run::open(&later).unwrap().posteriors().unwrap(), posteriors, "{method}");
        fs::remove_dir_all(&out).unwrap();
        fs::remove_dir_all(&later).unwrap();
    }
}

#[test]
fn an_inference_has_its_own_price() {
    let home = Home::new(&["edge=7"]);
    let run = home.paid(job(short("lpgnet", &[]), named(graph("one", 80, 1), 'a')));
    let run = run.run(Place::Memory, &Silent).unwrap().run;
    let payment = Payment { ledger: Some(home.path("book.db")), ..Payment::default() };
    let ask = |data: Dataset, price: Option<&str>| {
        let data = Private::seal(data);
        infer(
            &run,
            &data,
            Further { epsilon_edges: price.map(epsilon), ..Further::default() },
            &payment,
            Place::Memory,
            &Silent,
        )
    };
    let charged = home.charges();
    let two = || named(graph("two", 60, 2), 'a');
    let (more, names) = (named(graph("two", 60, 2), 'b'), Labels::new(9, (0..60).map(|node| Some(node % 9))).unwrap());
    assert!(matches!(ask(more, None), Err(PipelineError::OtherClassNames { .. })));
    assert!(matches!(ask(two().with_labels(names).unwrap(), None), Err(PipelineError::MoreClasses { .. })));
    assert!(matches!(ask(two(), None), Err(PipelineError::Ledger(_))), "4 of 7 are spent");
    assert_eq!(home.charges(), charged);
    let inferred = ask(two(), Some("3")).unwrap().run;
    assert_eq!(of_edges(inferred.released()), epsilon("3"));
    assert_eq!(inferred.record().parameters.get("epsilon-edges"), Some(&json!(3)));
    assert_eq!(inferred.record().seed, crate::run::Seed::Os);
    let trained = |it: &Assumption| matches!(it, Assumption::TrainedOn { data, .. } if data == "one");
    assert!(inferred.released().statement().guarantees.iter().any(|it| it.assumptions.iter().any(trained)));
    assert!(home.charges() > charged);
    // A range that is not one is an error, not another range.
    let mut damaged = run.clone();
    damaged.record_mut().range = "banana".to_owned();
    let refused = infer(&damaged, &Private::seal(two()), Further::default(), &payment, Place::Memory, &Silent);
    assert!(matches!(refused, Err(PipelineError::Range { .. })));
}

#[test]
fn graphs_that_share_edges_share_epsilon() {
    let others = || (Some(graph("two", 60, 2)), Some(graph("three", 60, 3)));
    let job = |method: Arc<dyn Method>| several(method, graph("one", 80, 1), others(), true).unwrap();
    let trained = job(short("lpgnet", &[("epsilon-edges", json!(9))])).run(Place::Memory, &Silent).unwrap();
    let inferred = trained.inference.unwrap().run;
    for run in [&trained.run, &inferred] {
        assert_eq!(of_edges(run.released()), epsilon("3"));
        assert!(assumes(
            run.released(),
            &Assumption::SharedEdges { whole: epsilon("9"), delta: Delta::ZERO, relationship: None }
        ));
        assert_eq!(run.record().epsilon_of_all_graphs, Some(epsilon("9")));
        assert_eq!(run.record().parameters.get("epsilon-edges"), Some(&json!(3)));
    }
    // Of every unit, and for both ends of an edge, all graphs cost three times what one costs.
    let flipped = job(short("edge-flip", &[("epsilon-edges", json!(9))])).run(Place::Memory, &Silent).unwrap();
    for guarantee in flipped.run.released().statement().guarantees.iter().filter(|it| it.epsilon.is_finite()) {
        let whole = guarantee.epsilon.times(3).unwrap();
        let relationship = guarantee.per_relationship.map(|it| it.times(3).unwrap());
        let shared = Assumption::SharedEdges { whole, delta: Delta::ZERO, relationship };
        assert!(guarantee.assumptions.contains(&shared), "{guarantee:?}");
    }
    assert!(flipped.run.released().statement().guarantees.iter().any(|it| it.per_relationship.is_some()));
    // Two rounds are for ε from 6 on, and each graph has 3.
    let bayes = job(short("lpgnet", &[("epsilon-edges", json!(9)), ("readout", json!("bayes"))])).check().unwrap();
    assert_eq!(bayes.settings().get("stages"), Some(&json!(1)));
    let nothing = job(short("lpgnet", &[("epsilon-edges", json!("0.000000001"))])).check();
    assert!(matches!(nothing, Err(PipelineError::NothingPerGraph { graphs: 3, .. })));
    for method in ["lpgnet", "gnn", "neighbour-krr"] {
        for name in ["epsilon-features", "epsilon-labels"] {
            let refused = job(short(method, &[(name, json!(1))])).check();
            assert!(matches!(refused, Err(PipelineError::RepeatedReports)), "{method}: {name}");
        }
    }
    let one = several(short("lpgnet", &[]), graph("one", 80, 1), (None, None), true);
    assert!(matches!(one, Err(PipelineError::OneGraph)));
}

/// Nodes of the same name, or the same graph, in two graphs of a run.
#[test]
fn the_same_nodes_in_two_graphs_are_refused_where_something_is_protected() {
    let ranged = |data: Dataset| data.with_feature_range(0.0, 1.0).unwrap();
    let twice = |method: Arc<dyn Method>, inference: Dataset| {
        several(method, ranged(graph("one", 80, 1)), (None, Some(ranged(inference))), false).unwrap()
    };
    let features = || short("mlp", &[("epsilon-features", json!(3)), ("scale", json!("none"))]);
    for method in [short("lpgnet", &[]), features()] {
        let refused = twice(method, graph("two", 80, 1)).check();
        assert!(matches!(&refused, Err(PipelineError::RepeatedNodes { nodes, .. }) if nodes == "all"), "{refused:?}");
    }
    // Nothing is protected, so nothing is lost.
    twice(short("gnn", &[]), graph("one", 80, 1)).check().unwrap();
    twice(short("lpgnet", &[]), graph("two", 80, 2)).check().unwrap();
    let people = |data: Dataset, from: u32| {
        let names = (0..data.nodes()).map(|node| format!("user {}", from + node)).collect();
        data.with_names(veil_graph::NodeNames::from_texts(names).unwrap()).unwrap()
    };
    let (one, two) = (people(graph("one", 80, 1), 0), |from| people(graph("two", 60, 2), from));
    let named = |from| several(short("lpgnet", &[]), one.clone(), (Some(two(from)), None), false).unwrap();
    let refused = named(79).check();
    assert!(
        matches!(&refused, Err(PipelineError::RepeatedNodes { nodes, .. }) if nodes == "node user 79"),
        "{refused:?}"
    );
    named(80).check().unwrap();
    let job = twice(features(), graph("two", 80, 1));
    let Input::Graphs(graphs) = job.input else { panic!("graphs") };
    // Without a seed, whose noise would add up to nothing finite.
    let payment = Payment::default();
    let job = Job { input: Input::Graphs(graphs.with_repeated_nodes()), payment, ..job };
    let trained = job.run(Place::Memory, &Silent).unwrap();
    let inferred = trained.inference.unwrap().run;
    for run in [&trained.run, &inferred] {
        assert!(assumes(run.released(), &Assumption::SharedNodes { graphs: 2 }));
    }
    let total: Vec<_> = trained.total.iter().map(|(unit, spent, _)| (*unit, spent.to_string())).collect();
    assert!(total.contains(&(veil_privacy::Unit::Feature, "6".to_owned())), "{total:?}");
}

/// Nothing distinguishes the nodes of a graph without features and labels: that is known before the
/// edges of any graph are charged.
#[test]
fn a_graph_that_cannot_be_answered_about_is_refused_before_a_charge() {
    let bare = |name: &str, seed| {
        let data = graph(name, 80, seed);
        let bare = Dataset::new(name, data.graph().clone(), Default::default()).with_declared(data.declared());
        bare.with_labels(data.labels().unwrap().clone()).unwrap().with_split(data.split().unwrap().clone()).unwrap()
    };
    let home = Home::new(&["edge=8"]);
    let others = (None, Some(bare("two", 2)));
    let job = several(short("lpgnet", &[]), bare("one", 1), others, false).unwrap();
    let refused = home.paid(job).run(Place::Folder(&home.path("run")), &Silent).unwrap_err();
    assert!(refused.to_string().contains("features"), "{refused}");
    assert_eq!(home.charges(), 0);
}

/// Only ε of edges can be shared by graphs: nodes that are in several pay in each.
#[test]
fn whole_nodes_do_not_share_epsilon() {
    let (mut terms, payment) =
        (Terms { each: true, split: "0.8,0,0.2".parse().ok(), ..Terms::default() }, Payment::experiment(1));
    let graphs = Graphs::new(graph("one", 80, 1), None, Some(graph("two", 80, 2)), true, &mut terms, &payment).unwrap();
    let method = short("moments", &[("epsilon", json!(4))]);
    let refused = Job { method, terms, payment, input: Input::Graphs(graphs) }.check().map(drop).unwrap_err();
    assert!(matches!(refused, PipelineError::NoEffect { name: "evolving", .. }), "{refused}");
}

/// Validation nodes without a label validate nothing.
#[test]
fn unlabelled_validation_nodes_are_noticed_before_a_charge() {
    let data = graph("one", 80, 1);
    let split = data.split().unwrap().clone();
    let of = |node: u32| data.labels().unwrap().get(node).filter(|_| split.part(node) != veil_graph::Part::Val);
    let labels = Labels::new(7, (0..80).map(of)).unwrap();
    let home = Home::new(&["edge=8"]);
    let job = home.paid(job(short("cascade", &[]), data.clone().with_labels(labels).unwrap()));
    let refused = job.run(Place::Folder(&home.path("run")), &Silent).unwrap_err();
    assert!(refused.to_string().contains("validation"), "{refused}");
    assert_eq!(home.charges(), 0);
}
