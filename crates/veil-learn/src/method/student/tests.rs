use veil_graph::{Dataset, Direction, Features, Graph, Labels, Matrix, NodeId, Part, Split};
use veil_privacy::answers::{Asked, Lesson};
use veil_privacy::{Private, Status};

use super::*;
use crate::method::Method;
use crate::parameters::{Choose, Parameters, Release};

/// A star around node 0 and a path behind it; two classes that the first feature tells apart.
fn star(nodes: u32) -> Dataset {
    let half = nodes / 2;
    let edges: Vec<(NodeId, NodeId)> =
        (1..nodes).map(|node| if node < half { (0, node) } else { (node - 1, node) }).collect();
    let graph = Graph::from_edges(nodes, &edges, Direction::Undirected).unwrap().graph;
    let features = (0..nodes).flat_map(|node| [(node % 2) as f32, 1.0 - (node % 2) as f32, (node % 7) as f32 / 7.0]);
    let features = Matrix::from_values(nodes as usize, 3, features.collect()).unwrap();
    Dataset::new("star", graph, Default::default())
        .with_features(Features::Dense(features))
        .unwrap()
        .with_labels(Labels::new(2, (0..nodes).map(|node| Some(node % 2))).unwrap())
        .unwrap()
}

#[test]
fn queries_are_training_nodes_by_the_rule_that_was_asked_for() {
    let nodes = 40;
    let parts = (0..nodes).map(|node| if node < 30 { Part::Train } else { Part::Test }).collect();
    let public = star(nodes).with_split(Split::new(parts)).unwrap();
    for how in [Choose::Random, Choose::Pagerank, Choose::Degree, Choose::Clustering] {
        let mut chosen = choose(&public, how, 10, 1).unwrap();
        assert_eq!(chosen, choose(&public, how, 10, 1).unwrap());
        if matches!(how, Choose::Pagerank | Choose::Degree) {
            assert_eq!(chosen[0], 0, "the middle of the star");
        }
        chosen.sort_unstable();
        chosen.dedup();
        assert_eq!(chosen.len(), 10);
        assert!(chosen.iter().all(|&node| node < 30));
        assert_eq!(choose(&public, how, 30, 1).unwrap().len(), 30);
    }
    assert_ne!(choose(&public, Choose::Random, 10, 1).unwrap(), choose(&public, Choose::Random, 10, 2).unwrap());
    let refused = choose(&public, Choose::Random, 31, 1).unwrap_err().to_string();
    assert_eq!(refused, "31 public nodes are to be asked about, but star has 30 that are for training");
    // Without a split all nodes are candidates.
    assert_eq!(choose(&star(8), Choose::Random, 8, 1).unwrap().len(), 8);
}

#[test]
fn the_first_centres_of_clusters_are_far_from_each_other() {
    let values = [0.0, 0.1, 0.2, 10.0, 10.1, 50.0];
    let features = Matrix::from_values(6, 1, values.to_vec()).unwrap();
    let graph = Graph::empty(6, Direction::Undirected);
    let data = Dataset::new("line", graph, Default::default()).with_features(Features::Dense(features)).unwrap();
    // 10.1 is nearest to the mean, 50 is farthest from it, 0 from both.
    assert_eq!(choose(&data, Choose::Clustering, 3, 1).unwrap(), [4, 5, 0]);
}

fn parameters(method: Method) -> Parameters {
    Parameters { hidden: Some(8), epochs: 60, k: None, ..method.defaults() }
}

#[test]
fn noise_is_chosen_for_a_wanted_epsilon() {
    let (private, public) = (Private::seal(star(60)), star(30));
    let queries = [0, 1, 2, 3];
    let asked = Asked { public: &public, queries: &queries };
    for (method, release) in
        [(Method::Privgnn, Some(Release::Krr)), (Method::Privgnn, Some(Release::NoisyArgmax)), (Method::Pate, None)]
    {
        let k = (method == Method::Privgnn).then_some(20);
        let wanted = Parameters { epsilon: "4".parse().ok(), release, k, ..parameters(method) };
        let wanted = completed(wanted, 2).unwrap();
        let mechanism = plan(&wanted, &private.public(), &asked).unwrap();
        let epsilon = mechanism.guarantee().epsilon.as_f64();
        assert!(epsilon <= 4.0 && epsilon > 3.99, "{method} {release:?}: {epsilon}");
        assert_eq!(mechanism.guarantee().status, Status::Proven);
    }
    let refused = |parameters: Parameters| plan(&parameters, &private.public(), &asked).unwrap_err().to_string();
    let base = || Parameters { k: Some(20), gamma: Some(0.3), ..parameters(Method::Privgnn) };
    assert!(refused(base()).contains("--method privgnn needs --epsilon or --lambda"));
    let both = Parameters { epsilon: "4".parse().ok(), lambda: "1".parse().ok(), ..base() };
    assert!(refused(both).contains("give one of them"));
    let refuted = Parameters { epsilon: "4".parse().ok(), release: Some(Release::NoisyLogPosterior), ..base() };
    assert!(refused(refuted).contains("no amount of noise"));
    let votes = Parameters { lambda: "1".parse().ok(), gamma: Some(0.3), ..parameters(Method::Pate) };
    assert!(refused(votes).contains("--gamma says nothing about --method pate"));
}

#[test]
fn how_large_a_sample_is_follows_from_the_price() {
    let open = |epsilon: &str| Parameters { epsilon: epsilon.parse().ok(), ..parameters(Method::Privgnn) };
    let gamma = |epsilon| completed(open(epsilon), 10).unwrap().gamma.unwrap();
    let found = ["1", "2", "4", "8", "16"].map(gamma);
    // A label may cost 1.2 at γ = 0.02 for ε = 2, and 1.15 at 0.04 for ε = 4, by an account of its own.
    assert!(found.is_sorted() && found[0] >= 0.01 && found[1] == 0.02 && found[2] < 0.04, "{found:?}");
    assert_eq!(completed(Parameters { gamma: Some(0.7), ..open("4") }, 10).unwrap().gamma, Some(0.7));
    let noise = Parameters { lambda: "1".parse().ok(), ..parameters(Method::Privgnn) };
    assert_eq!(completed(noise, 10).unwrap().gamma, Some(0.3));
    assert_eq!(completed(parameters(Method::Pate), 10).unwrap().gamma, None);
}

#[test]
fn a_teacher_learns_and_one_that_cannot_knows_nothing() {
    let public = star(30);
    let queries = [4, 5, 17];
    let lesson = |data: Dataset, number| Lesson { data, number };
    let parameters = parameters(Method::Privgnn);
    let teacher = Teacher::new(&public, &queries, 2, &parameters, 1).unwrap();
    for (number, class) in [(0, 0), (1, 1), (2, 1)] {
        let posterior = teacher.posterior(&lesson(star(40), number));
        assert!(posterior[class] > 0.7, "{number}: {posterior:?}");
        assert_eq!(posterior, teacher.posterior(&lesson(star(40), number)));
    }
    // One node cannot be normalised; a teacher must not fail all the same.
    let parts = (0..40).map(|node| if node == 3 { Part::Train } else { Part::None }).collect();
    let alone = star(40).with_split(Split::new(parts)).unwrap().among(&[Part::Train]).unwrap();
    assert_eq!(teacher.posterior(&lesson(alone, 0)), [0.5, 0.5]);
    // What a teacher says about a node is the same whether it sees all of the public graph or what is around the node.
    let voting = Teacher::new(&public, &queries, 2, &parameters, 1).unwrap().for_all_questions().unwrap();
    assert_eq!(voting.votes(&lesson(star(40), 0)), [0, 1, 1]);
    let blind = Parameters { teacher: Some(veil_nn::Kind::Mlp), ..parameters };
    let blind = Teacher::new(&public, &queries, 2, &blind, 1).unwrap().for_all_questions().unwrap();
    assert_eq!(blind.votes(&lesson(star(40), 0)), [0, 1, 1]);
}

/// What a teacher says about a node is the same whether it sees all of the public graph or what is around the node.
#[test]
fn a_teacher_sees_of_the_public_graph_what_it_needs() {
    let community =
        |nodes, seed| veil_graph::generate::Community::citation().with_nodes(nodes).check().unwrap().generate(seed);
    let (private, public) = (community(300, 1), community(400, 2));
    let queries: Vec<NodeId> = (0..public.nodes()).collect();
    for layers in [2, 3] {
        let parameters = Parameters { layers, epochs: 30, ..parameters(Method::Privgnn) };
        let teacher = Teacher::new(&public, &queries, 7, &parameters, 1).unwrap();
        let voting = Teacher::new(&public, &queries, 7, &parameters, 1).unwrap().for_all_questions().unwrap();
        let votes = voting.votes(&Lesson { data: private.clone(), number: 5 });
        let model = teacher.taught(&mut teacher.optimiser(), &Lesson { data: private.clone(), number: 5 }).unwrap();
        for &node in &queries {
            let posterior = teacher.about(&model, node).unwrap();
            let whole = voting.about(&model, node).unwrap();
            assert_eq!(posterior, whole);
            let best = (0..7).max_by(|&a, &b| posterior[a].total_cmp(&posterior[b])).unwrap();
            assert!(
                posterior[votes[node as usize] as usize] >= posterior[best] - 1e-4,
                "node {node}: {posterior:?}, {}",
                votes[node as usize]
            );
        }
    }
}
