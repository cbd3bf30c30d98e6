use super::*;
use crate::dataset::Declared;
use crate::features::Features;
use crate::graph::{Direction, Dropped, Graph};
use crate::ids::NodeNames;
use crate::matrix::Matrix;

const NODES: u32 = 60;

/// A ring; nodes 0 and 1 are unlabelled; of the others 20 have class 1 and 38 have class 0.
fn example() -> Dataset {
    let edges: Vec<_> = (0..NODES).map(|node| (node, (node + 1) % NODES)).collect();
    let graph = Graph::from_edges(NODES, &edges, Direction::Undirected).unwrap().graph;
    let labels = Labels::new(2, (0..NODES).map(|node| (node >= 2).then_some(u32::from(node >= 40)))).unwrap();
    let values = (0..NODES).map(|node| node as f32).collect();
    let names = (0..NODES).map(|node| format!("n{}", NODES - node)).collect();
    Dataset::new("ring", graph, Dropped::default())
        .with_labels(labels.with_names(vec!["many".to_owned(), "few".to_owned()]).unwrap())
        .unwrap()
        .with_features(Features::Dense(Matrix::from_values(NODES as usize, 1, values).unwrap()))
        .unwrap()
        .with_names(NodeNames::from_texts(names).unwrap())
        .unwrap()
        .with_declared(Declared { nodes: true, dimensions: false, classes: true })
}

fn counts(private_per_class: usize, public_train: usize, public_test: usize) -> Counts {
    Counts { private_per_class, public_train, public_test }
}

#[test]
fn random_holders_have_the_given_sizes() {
    let data = example();
    let labels = data.labels().unwrap();
    let holders = Holders::random(labels, counts(7, 12, 9), 1).unwrap();
    let held = |holder| (0..NODES).filter(move |&node| holders.holders()[node as usize] == holder);
    for class in [0, 1] {
        assert_eq!(held.clone()(Holder::Private).filter(|&node| labels.get(node) == Some(class)).count(), 7);
    }
    let sizes = [Holder::Private, Holder::PublicTrain, Holder::PublicTest, Holder::Outside];
    assert_eq!(sizes.map(|holder| held.clone()(holder).count()), [14, 12, 9, 25]);
    let again = |seed| Holders::random(labels, counts(7, 12, 9), seed).unwrap();
    assert_eq!(again(1), again(1));
    assert_ne!(again(1), again(2));
}

#[test]
fn public_nodes_are_drawn_from_all_remaining_nodes() {
    // A large and a small class. Taking the remaining nodes in the order in which private ones were
    // drawn would prefer the large class.
    let labels = Labels::new(2, (0..2000).map(|node| Some(u32::from(node % 10 == 0)))).unwrap();
    let holders = Holders::random(&labels, counts(100, 300, 300), 1).unwrap();
    let small = |holder: Holder| {
        let held = (0..2000).filter(|&node| holders.holders()[node as usize] == holder);
        held.filter(|&node| labels.get(node) == Some(1)).count()
    };
    // 100 of the 1,800 remaining nodes are of the small class: about 17 of 300, and hardly ever
    // fewer than 3 or more than 40.
    for holder in [Holder::PublicTrain, Holder::PublicTest] {
        assert!((3..=40).contains(&small(holder)), "{holder:?}: {}", small(holder));
    }
}

#[test]
fn parts_keep_names_data_and_inner_edges() {
    let data = example();
    let apart = data.apart(&Holders::random(data.labels().unwrap(), counts(7, 12, 9), 1).unwrap()).unwrap();
    let outside = apart.outside.as_ref().unwrap();
    let mut seen = 0;
    for (part, name) in [(&apart.private, "private"), (&apart.public, "public"), (outside, "outside")] {
        // Labels decided who holds a node.
        let declared = Declared { nodes: false, ..data.declared() };
        assert_eq!((part.name(), part.declared()), (format!("ring-{name}").as_str(), declared));
        assert_eq!(part.labels().unwrap().names(), data.labels().unwrap().names());
        seen += part.nodes();
        let old = |node| data.names().node(&part.names().name(node)).unwrap();
        for node in 0..part.nodes() {
            assert_eq!(part.labels().unwrap().get(node), data.labels().unwrap().get(old(node)));
            assert_eq!(part.features().unwrap().value(node as usize, 0), old(node) as f32);
            for other in 0..part.nodes() {
                assert_eq!(part.graph().has_edge(node, other), data.graph().has_edge(old(node), old(other)));
            }
        }
    }
    assert_eq!(seen, NODES);
    let kept = apart.private.graph().edges() + apart.public.graph().edges() + outside.graph().edges();
    assert_eq!((apart.edges_dropped, kept + apart.edges_dropped), (NODES as usize - kept, NODES as usize));
    assert!(apart.edges_dropped > 0);
    let parts = |data: &Dataset| data.split().map(|split| [Part::Train, Part::Test].map(|part| split.count(part)));
    assert_eq!([&apart.private, &apart.public, outside].map(parts), [Some([14, 0]), Some([12, 9]), None]);
}

#[test]
fn values_determine_the_holder() {
    let data = example();
    let years: Vec<f64> = (0..NODES).map(|node| f64::from(2010 + node / 6)).collect();
    let holders = |private: &str, train: &str, test: &str| {
        let [private, public_train, public_test] = [private, train, test].map(|text| text.parse().unwrap());
        Holders::by_value(&years, Ranges { private, public_train, public_test })
    };
    let apart = |private, train, test| data.apart(&holders(private, train, test).unwrap());
    let found = apart("..2015", "2016", "2017..").unwrap();
    assert_eq!((found.private.nodes(), found.public.nodes(), found.outside), (36, 24, None));
    // Two borders inside and one where the ring closes.
    assert_eq!(found.edges_dropped, 2);
    let found = apart("..2013", "2014..2015", "2018..").unwrap();
    assert_eq!((found.private.nodes(), found.public.nodes(), found.outside.unwrap().nodes()), (24, 24, 12));
    let error = |private, train, test| holders(private, train, test).unwrap_err();
    let message = error("..2015", "2015..2016", "2017..").to_string();
    assert_eq!(message, "..2015 for private nodes and 2015..2016 for public training nodes overlap");
    assert_eq!(error("..1999", "2016", "2017.."), HoldersError::NoNodes { what: "private" });
    assert_eq!(error("..2015", "3000", "2017..2020"), HoldersError::NoNodes { what: "public and for training" });
    for text in ["", "..", "x", "2018..2017", "NaN", "1..inf", "2016..2017..2018"] {
        assert_eq!(text.parse::<Range>(), Err(HoldersError::NoRange { text: text.to_owned() }));
    }
}

#[test]
fn too_few_nodes_are_an_error() {
    let data = example();
    let error = |counts| Holders::random(data.labels().unwrap(), counts, 1).unwrap_err();
    assert_eq!(
        error(counts(21, 1, 1)).to_string(),
        "class 1 (few) has 20 nodes, fewer than the 21 private nodes per class"
    );
    assert_eq!(error(counts(5, 30, 21)), HoldersError::TooFewLeft { found: 50, requested: 51 });
    assert_eq!(error(counts(5, usize::MAX, 2)), HoldersError::TooFewLeft { found: 50, requested: usize::MAX });
    assert_eq!(error(counts(0, 5, 5)), HoldersError::NoNodes { what: "private" });
    assert_eq!(error(counts(5, 0, 5)), HoldersError::NoNodes { what: "public and for training" });
    let holders = Holders::by_value(
        &[1.0, 2.0],
        Ranges { private: "1".parse().unwrap(), public_train: "2".parse().unwrap(), public_test: "3".parse().unwrap() },
    );
    assert!(matches!(data.apart(&holders.unwrap()), Err(DatasetError::WrongSize { what: "holders", .. })));
}

#[test]
fn overlapping_parts_are_drawn_from_all_nodes_and_the_last_copy_has_the_edges() {
    let data = example();
    let holders = Holders::random(data.labels().unwrap(), counts(10, 20, 15), 1).unwrap();
    let (apart, overlap) = data.apart_overlapping(&holders, 3).unwrap();
    assert_eq!(apart.private, data.apart(&holders).unwrap().private);
    assert_eq!(apart.public.nodes(), 35);
    // The only feature of a node is its original number.
    let old: Vec<u32> = (0..35).map(|node| apart.public.features().unwrap().value(node, 0) as u32).collect();
    let (train, test) = old.split_at(20);
    assert!(overlap.of_public > 0 && overlap.with_private > 0);
    assert_eq!(overlap.of_public, train.iter().filter(|node| test.contains(node)).count());
    let private = |node: &&u32| holders.holders()[**node as usize] == Holder::Private;
    assert_eq!(overlap.with_private, old.iter().filter(private).count());
    let last = |node: u32| old.iter().rposition(|&other| other == node);
    for (one, &source) in old.iter().enumerate() {
        assert_eq!(apart.public.labels().unwrap().get(one as u32), data.labels().unwrap().get(source));
        for (other, &target) in old.iter().enumerate() {
            let copies = last(source) == Some(one) && last(target) == Some(other);
            let expected = copies && data.graph().has_edge(source, target);
            assert_eq!(apart.public.graph().has_edge(one as u32, other as u32), expected);
        }
    }
    let parts = |node: u32| {
        let held = holders.holders()[node as usize] == Holder::Private;
        [held, old.contains(&node), !held && !old.contains(&node)]
    };
    let together = |one: u32, other: u32| parts(one).iter().zip(parts(other)).any(|(one, other)| *one && other);
    let apart_edges = (0..NODES).filter(|&node| !together(node, (node + 1) % NODES)).count();
    assert_eq!(apart.edges_dropped, apart_edges);
    let outside = apart.outside.unwrap();
    let seen = (0..NODES).filter(|node| old.contains(node) || private(&node)).count();
    assert_eq!(outside.nodes() as usize, NODES as usize - seen);
    let split = apart.public.split().unwrap();
    assert_eq!([Part::Train, Part::Test].map(|part| split.count(part)), [20, 15]);
}
