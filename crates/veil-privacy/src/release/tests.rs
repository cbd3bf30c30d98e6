//! Releases: reports of exactly m signs, the same on any number of threads, and only what was asked
//! for.

mod facts;

use std::sync::Arc;

use veil_graph::{Declared, Direction, Dropped, Features, Fractions, Graph, Labels, Part, Sparse, Split};

use super::*;
use crate::coins::{Coins, Inputs};
use crate::guarantee::Status;
use crate::permit::Request;
use crate::protocol::graph_privatizer::{self, Reading, Strategy};
use crate::protocol::{Measure, degree_vectors, edge_flip, neighbour_krr, shuffled_query};

fn data(nodes: u32) -> Private<Dataset> {
    let edges: Vec<_> = (1..nodes).map(|node| (node - 1, node)).collect();
    let graph = Graph::from_edges(nodes, &edges, Direction::Undirected).unwrap().graph;
    let triples: Vec<_> = (0..nodes).map(|node| (node, node % 50, 1.0)).collect();
    let features = Features::Sparse(Sparse::from_triples(nodes as usize, 50, &triples).unwrap());
    let labels = Labels::new(5, (0..nodes).map(|node| Some(node % 5))).unwrap();
    let split = Split::random(nodes, Fractions::new(0.5, 0.25, 0.25).unwrap(), 1);
    let given = Declared { nodes: true, dimensions: true, classes: true };
    let data = Dataset::new("ring", graph, Dropped::default()).with_declared(given).with_features(features).unwrap();
    let data = data.with_feature_range(0.0, 1.0).unwrap();
    Private::seal(data.with_labels(labels).unwrap().with_split(split).unwrap())
}

fn options(features: &str, labels: &str) -> Options {
    let epsilon = |text: &str| (!text.is_empty()).then(|| text.parse().unwrap());
    Options { epsilon_features: epsilon(features), epsilon_labels: epsilon(labels), ..Options::default() }
}

fn privatise(data: &Private<Dataset>, options: Options, coins: Coins) -> Result<Privatised, ReleaseError> {
    let plan = Plan::new(data, options)?;
    let permit = Request::new(data, coins, plan.guarantees()).unwrap().unbooked();
    plan.release(data, permit).map(|release| release.released)
}

#[test]
fn every_node_sends_exactly_m_signs_and_only_training_and_validation_labels_leave() {
    let data = data(200);
    let released = privatise(&data, options("6.6", "3"), Coins::from_os().unwrap()).unwrap();
    let Some(Features::Encoded(encoded)) = released.data().features() else { panic!("not encoded") };
    assert_eq!((encoded.rows(), encoded.per_row(), encoded.signs()), (200, 3, 600));
    let (labels, split) = (released.data().labels().unwrap(), released.data().split().unwrap());
    for node in 0..200 {
        assert_eq!(labels.get(node).is_some(), matches!(split.part(node), Part::Train | Part::Val));
    }
    assert_eq!(released.data().graph().edges(), 0);
}

#[test]
fn the_same_seed_gives_the_same_release_on_any_number_of_threads() {
    let data = data(500);
    let release = |threads, seed| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let released = pool.install(|| privatise(&data, options("3", "1"), Coins::reproducible(seed)).unwrap());
        (released.data().clone(), released.statement().clone())
    };
    let one = release(1, 7);
    assert_eq!(one, release(2, 7));
    assert_eq!(one, release(7, 7));
    assert_ne!(one.0, release(1, 8).0);
    assert!(one.1.reproducible);
}

/// A folder whose data cannot be what its statement says is no release, whoever wrote the digests.
#[test]
fn data_of_another_release_are_noticed() {
    let home = tempfile::tempdir().unwrap();
    let data = data(60);
    let written = |options: Options, name: &str| {
        let folder = home.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        privatise(&data, options, Coins::from_os().unwrap()).unwrap().fill(&folder).unwrap();
        std::fs::remove_file(folder.join("digests.json")).unwrap();
        folder
    };
    let hints = Options { encoder: Encoder::Codebook, ..options("3", "3") };
    let folder = written(hints, "hints");
    Privatised::open(&folder).unwrap();
    std::fs::write(folder.join("features.csv"), "node,feature,value\n0,1,0.5\n").unwrap();
    assert!(matches!(Privatised::open(&folder), Err(OpenError::OtherData { .. })));

    let epsilon = "2".parse().unwrap();
    let heard = crate::protocol::cascade::Heard::Earlier;
    let bits = edge_flip::Params { epsilon, nodes: 60, max_edges: 1 << 20, heard }.check().unwrap();
    let folder = written(Options { edges: EdgePlan::Lists(Arc::new(bits)), ..options("", "") }, "bits");
    Privatised::open(&folder).unwrap();
    let edges = std::fs::read_to_string(folder.join("edges.csv")).unwrap();
    // In place of another row, so that their number is the declared one.
    let (others, _) = edges.trim_end().rsplit_once('\n').unwrap();
    std::fs::write(folder.join("edges.csv"), format!("{others}\n3,57\n")).unwrap();
    assert!(matches!(Privatised::open(&folder), Err(OpenError::OtherData { .. })));
}

#[test]
fn a_node_reports_the_same_in_any_batch_because_its_coins_are_its_own() {
    // A smaller data set with the same fingerprint does not exist, so nodes are asked alone,
    // through the stream.
    let data = data(100);
    let plan = Plan::new(&data, options("", "1")).unwrap();
    let permit = || Request::new(&data, Coins::reproducible(3), plan.guarantees()).unwrap().unbooked();
    let whole = plan.clone().release(&data, permit()).unwrap();
    let labels = whole.released.data().labels().unwrap();
    let (_, stream) = permit().redeem_one(&data, plan.guarantees().remove(0), labels::inputs(&data)).unwrap();
    let Some(LabelPlan::Randomised { mechanism, .. }) = plan.labels else { panic!("not randomised") };
    for node in (0..100).rev().filter(|&node| labels.get(node).is_some()) {
        let alone = mechanism.report(node % 5, &mut stream.node(node)).unwrap();
        assert_eq!(labels.get(node), Some(alone));
    }
}

#[test]
fn without_a_seed_two_releases_differ() {
    let data = data(300);
    let release = || privatise(&data, options("3", "3"), Coins::from_os().unwrap()).unwrap();
    let (one, two) = (release(), release());
    assert_ne!(one.data(), two.data());
    assert_ne!(one.statement().release, two.statement().release);
    assert!(!one.statement().reproducible);
}

#[test]
fn an_infinite_epsilon_is_said_to_be_no_privacy() {
    let released = privatise(&data(50), options("inf", "inf"), Coins::from_os().unwrap()).unwrap();
    assert!(matches!(released.data().features(), Some(Features::Sparse(_))));
    assert_eq!(released.statement().to_markdown().matches("Not privatised").count(), 2);
    let labels = released.data().labels().unwrap();
    assert_eq!(labels.known(), 38, "the labels of test nodes stay where they are even then");
}

/// One plan for the edges of each kind, with ε = 1.
fn edge_plans(nodes: u32) -> Vec<EdgePlan> {
    let epsilon: Epsilon = "1".parse().unwrap();
    let measure = Measure::Cosine;
    let (strategy, reading) = (Strategy::MostSimilar, Reading::Paper);
    let similar = graph_privatizer::Params { epsilon, strategy, alpha: 0.5, threshold: 0.0, measure, reading };
    let vectors = |unit| degree_vectors::Params { epsilon, rounds: 2, unit, clusters: 6 };
    vec![
        EdgePlan::Withheld,
        EdgePlan::Raw,
        EdgePlan::Lists(Arc::new(similar.check().unwrap())),
        EdgePlan::Lists(Arc::new(shuffled_query::Params { epsilon, measure }.check().unwrap())),
        EdgePlan::Lists(Arc::new(neighbour_krr::Params { epsilon, nodes }.check().unwrap())),
        EdgePlan::Lists(Arc::new(
            edge_flip::Params { epsilon, nodes, max_edges: 10_000, heard: crate::protocol::cascade::Heard::All }
                .check()
                .unwrap(),
        )),
        EdgePlan::Vectors(vectors(crate::Unit::EdgeBit).check().unwrap()),
        EdgePlan::Vectors(vectors(crate::Unit::EdgeSet).check().unwrap()),
    ]
}

#[test]
fn edges_are_the_same_on_any_number_of_threads_and_come_back_from_their_folder() {
    let data = data(60);
    for edges in edge_plans(60) {
        let release = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let options = Options { edges: edges.clone(), ..options("3", "1") };
            pool.install(|| privatise(&data, options, Coins::reproducible(5)).unwrap())
        };
        let (one, seven) = (release(1), release(7));
        assert_eq!((one.data(), one.vectors()), (seven.data(), seven.vectors()), "{edges:?}");
        assert_eq!(one.statement(), seven.statement());
        let of_edges: Vec<_> =
            one.statement().guarantees[2..].iter().map(|it| (it.unit, it.epsilon, it.status)).collect();
        let planned: Vec<_> = edges.guarantees().iter().map(|it| (it.unit, it.epsilon, it.status)).collect();
        assert_eq!(of_edges, planned);
        let lists = matches!(edges, EdgePlan::Raw | EdgePlan::Lists(_));
        assert_eq!(one.data().edges_withheld(), !lists);
        let folder = tempfile::tempdir().unwrap();
        one.fill(folder.path()).unwrap();
        let back = Privatised::open(folder.path()).unwrap();
        assert_eq!(back.data().graph(), one.data().graph(), "{edges:?}");
        assert_eq!((back.vectors(), back.statement()), (one.vectors(), one.statement()));
    }
}

#[test]
fn rounds_are_asked_as_often_as_they_were_paid_for() {
    let data = data(60);
    // The label, and for all rounds together a bit and an exchanged neighbour, or the latter alone.
    for (place, promises) in [(6, 3), (7, 2)] {
        let plan = Plan::new(&data, Options { edges: edge_plans(60).remove(place), ..options("", "1") }).unwrap();
        assert_eq!(plan.guarantees().len(), promises);
        let permit = Request::new(&data, Coins::reproducible(1), plan.guarantees()).unwrap().unbooked();
        let mut release = plan.release(&data, permit).unwrap();
        assert_eq!((release.released.vectors().len(), release.rounds.left()), (1, 1));
        // The same clusters again: only coins of its own make a round differ. With ε = ½ for a
        // round each of 118 neighbours' clusters, or of 360 counts, comes out alike with a
        // probability below ½.
        let clusters = clusters_of(release.released.data().labels().unwrap());
        release.rounds.ask(&mut release.released, Question::Clusters(&clusters)).unwrap();
        assert_ne!(release.released.vectors()[0], release.released.vectors()[1], "{place}");
        let refused = release.rounds.ask(&mut release.released, Question::Clusters(&clusters));
        assert!(matches!(refused, Err(ReleaseError::NoRoundLeft { rounds: 2 })));
        assert_eq!(release.released.vectors().len(), 2);
    }
}

#[test]
fn edges_need_what_they_are_compared_and_counted_by() {
    let data = data(60);
    let plan =
        |place: usize, options: Options| Plan::new(&data, Options { edges: edge_plans(60).remove(place), ..options });
    for place in [2, 3] {
        let refused = plan(place, options("", "1"));
        assert!(matches!(refused, Err(ReleaseError::NeedsFeatures { .. })), "{place}");
    }
    assert!(matches!(plan(6, options("3", "")), Err(ReleaseError::NeedsLabels)));
    assert!(plan(4, options("", "")).is_ok(), "edges alone are something");
    let raw = plan(1, options("", "")).unwrap().guarantees();
    assert_eq!(raw.iter().map(|it| it.status).collect::<Vec<_>>(), [Status::None]);
}

#[test]
fn reports_are_not_reported_again() {
    let reports = Graph::from_reports(3, vec![(0, 1), (0, 1), (2, 0)]).unwrap();
    let features = Features::Dense(veil_graph::Matrix::from_values(3, 1, vec![0.0, 1.0, 0.5]).unwrap());
    let reports = Dataset::new("reports", reports, Dropped::default()).with_features(features).unwrap();
    let refused = Plan::new(&Private::seal(reports), options("3", ""));
    assert!(matches!(refused, Err(ReleaseError::AlreadyReleased { .. })), "nobody but a report names somebody twice");
}

#[test]
fn a_permit_is_for_its_promises_about_its_data_once() {
    let (data, other) = (data(50), data(60));
    let plan = |epsilon| Plan::new(&data, options(epsilon, "")).unwrap();
    let permit = |from: &Private<Dataset>| {
        Request::new(from, Coins::from_os().unwrap(), plan("3").guarantees()).unwrap().unbooked()
    };
    let error = |plan: Plan, permit| match plan.release(&data, permit) {
        Err(ReleaseError::Permit(error)) => error,
        other => panic!("{other:?}"),
    };
    assert!(matches!(error(plan("3"), permit(&other)), PermitError::OtherData { .. }));
    assert!(matches!(error(plan("4"), permit(&data)), PermitError::NotPermitted { .. }));
    let mut used = permit(&data);
    used.redeem_one(&data, plan("3").guarantees().remove(0), Inputs::none()).unwrap();
    assert!(matches!(error(plan("3"), used), PermitError::NotPermitted { .. }));
}

#[test]
fn what_cannot_be_released_is_refused_before_a_charge() {
    let data = data(50);
    let with_split = |split| Private::seal(data.open().clone().with_split(split).unwrap());
    let nobody = with_split(Split::new(vec![Part::Test; 50]));
    assert!(matches!(Plan::new(&nobody, options("", "3")), Err(ReleaseError::NobodyAsked { .. })));
    for (low, high) in [(-1e38, 1e38), (0.0, 1e-320)] {
        let range = RangeChoice::Given(crate::mechanism::ValueRange::new(low, high).unwrap());
        let refused = Plan::new(&data, Options { range, ..options("3", "") });
        assert!(matches!(refused, Err(ReleaseError::Parameters { .. })), "{low} {high}");
    }
    let wide = Sparse::from_triples(50, 1 << 28, &[(0, 5, 1.0)]).unwrap();
    let wide = Dataset::new("wide", Graph::empty(50, Direction::Undirected), Dropped::default())
        .with_features(Features::Sparse(wide))
        .unwrap();
    let all = Options { samples: Some(1 << 28), ..options("3", "") };
    let wide = Private::seal(wide).declaring(Declarations::ALL);
    assert!(matches!(Plan::new(&wide, all), Err(ReleaseError::TooManySigns { .. })));
}

#[test]
fn wrong_requests_say_what_is_missing() {
    let bare = Private::seal(Dataset::new("bare", Graph::empty(3, Direction::Undirected), Dropped::default()));
    let plan = |data, features, labels| Plan::new(data, options(features, labels)).map(drop);
    assert!(matches!(plan(&bare, "", ""), Err(ReleaseError::Nothing)));
    assert!(matches!(plan(&bare, "1", ""), Err(ReleaseError::NoFeatures { .. })));
    assert!(matches!(plan(&bare, "", "1"), Err(ReleaseError::NoLabels { .. })));
    let labelled = Dataset::new("labelled", Graph::empty(1, Direction::Undirected), Dropped::default());
    let labelled = Private::seal(labelled.with_labels(Labels::new(2, [Some(1)]).unwrap()).unwrap());
    assert!(matches!(plan(&labelled, "", "1"), Err(ReleaseError::NoSplit { .. })));
    let again = privatise(&data(20), options("3", ""), Coins::from_os().unwrap()).unwrap();
    let again = Private::seal(again.data().clone());
    assert!(matches!(plan(&again, "3", ""), Err(ReleaseError::AlreadyReleased { .. })));
}

#[test]
fn a_nan_is_refused_wherever_it_is_and_whatever_the_coins_would_sample() {
    let features = Features::Dense(veil_graph::Matrix::from_values(2, 2, vec![0.0, 1.0, f32::NAN, 0.5]).unwrap());
    let data = Dataset::new("nan", Graph::empty(2, Direction::Undirected), Dropped::default()).with_features(features);
    let data = Private::seal(data.unwrap()).declaring(Declarations::ALL);
    let refused = Plan::new(&data, options("3", "")).map(drop).unwrap_err();
    assert_eq!(refused.to_string(), "node 1: the value in dimension 0 is not a number");
}

#[test]
fn the_folder_reads_back_and_holds_the_statement() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("released");
    let released = privatise(&data(120), options("3", "3"), Coins::reproducible(1)).unwrap();
    veil_graph::write::atomically(&out, |folder| released.fill(folder)).unwrap();
    let back = veil_graph::read::open(&out).unwrap();
    assert_eq!(back.features(), released.data().features());
    assert_eq!(back.labels(), released.data().labels());
    assert_eq!(back.split(), released.data().split());
    assert!(!out.join("edges.csv").exists());
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(out.join("privacy.json")).unwrap()).unwrap();
    assert_eq!(json["guarantees"][0]["unit"], "feature");
    assert_eq!(json["guarantees"][1]["epsilon"], 3);
    let markdown = std::fs::read_to_string(out.join("privacy.md")).unwrap();
    assert!(markdown.contains("Reproducible, therefore not private"));
}

#[test]
fn hints_name_what_to_set() {
    let data = data(20);
    let refused = |options| Plan::new(&data, options).unwrap_err();
    let vectors = edge_plans(20).pop().unwrap();
    let flip = edge_flip::Params {
        epsilon: "1".parse().unwrap(),
        nodes: 20,
        max_edges: 3,
        heard: crate::protocol::cascade::Heard::All,
    }
    .check()
    .unwrap();
    for (options, hint) in [
        (options("", ""), "epsilon-features"),
        (Options { edges: vectors, ..options("", "") }, "epsilon-labels"),
        (Options { edges: EdgePlan::Lists(Arc::new(flip)), ..options("", "") }, "max-edges"),
    ] {
        let error = refused(options);
        assert!(error.is_usage() && error.hint().is_some_and(|it| it.contains(hint)), "{error}: {:?}", error.hint());
    }
    let unreadable = ReleaseError::NoFeatures { data: "a graph".to_owned() };
    assert!(!unreadable.is_usage());
}
