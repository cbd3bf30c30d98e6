use veil_graph::{Direction, Features, Graph, Labels, Matrix, Part, Split};
use veil_privacy::answers::LabelMechanism;

use super::*;
use crate::parameters::Choose;

/// A star around node 0 and a path behind it; two classes that the first feature tells apart.
fn star(nodes: u32) -> Dataset {
    let half = nodes / 2;
    let edges: Vec<(NodeId, NodeId)> =
        (1..nodes).map(|node| if node < half { (0, node) } else { (node - 1, node) }).collect();
    let graph = Graph::from_edges(nodes, &edges, Direction::Undirected).unwrap().graph;
    let features = (0..nodes).flat_map(|node| [(node % 2) as f32, 1.0 - (node % 2) as f32, (node % 7) as f32 / 7.0]);
    let features = Matrix::from_values(nodes as usize, 3, features.collect()).unwrap();
    Dataset::new("star", graph, Default::default())
        .with_declared(veil_graph::Declared { nodes: true, dimensions: true, classes: true })
        .with_features(Features::Dense(features))
        .unwrap()
        .with_labels(Labels::new(2, (0..nodes).map(|node| Some(node % 2))).unwrap())
        .unwrap()
}

#[test]
fn queries_are_training_nodes_by_the_requested_rule() {
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
    assert_eq!(refused, "31 queries are too many: star has 30 training nodes");
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

fn epsilon(text: &str) -> Option<Epsilon> {
    Some(text.parse().unwrap())
}

/// Small teachers and students.
fn learner() -> Learner {
    let mut learner = Learner::default();
    learner.network.layers.hidden = 8;
    learner.training.epochs = 60;
    learner
}

#[test]
fn noise_is_chosen_for_a_wanted_epsilon() {
    let (private, public) = (Private::seal(star(60)), star(30));
    let queries = [0, 1, 2, 3];
    let asked = Asked { public: &public, queries: &queries };
    let within = |guarantee: &Guarantee| {
        let found = guarantee.epsilon.as_f64();
        assert!(found <= 4.0 && found > 3.99, "{} {:?}: {found}", guarantee.mechanism, guarantee.parameters);
        assert_eq!(guarantee.status, Status::Proven);
    };
    let per_query = privgnn::Params { k: 20, ..privgnn::Params::default() };
    for release in [LabelMechanism::Krr, LabelMechanism::NoisyArgmax] {
        let wanted = privgnn::Params { epsilon: epsilon("4"), release, ..per_query.clone() };
        within(wanted.mechanism(&private, &asked).unwrap().guarantee());
    }
    let votes = pate::Params { epsilon: epsilon("4"), ..pate::Params::default() };
    within(votes.mechanism(&private, &asked).unwrap().guarantee());

    let refused = |params: privgnn::Params| params.mechanism(&private, &asked).unwrap_err().to_string();
    let base = privgnn::Params { gamma: Some(0.3), ..per_query };
    assert_eq!(refused(base.clone()), "privgnn requires epsilon or lambda");
    let both = privgnn::Params { epsilon: epsilon("4"), lambda: epsilon("1"), ..base.clone() };
    assert!(refused(both).contains("set either epsilon or lambda, not both"));
    let refuted = privgnn::Params { epsilon: epsilon("4"), release: LabelMechanism::NoisyLogPosterior, ..base.clone() };
    assert!(refused(refuted).contains("no noise gives"));
    let certain = privgnn::Params { epsilon: epsilon("4"), delta: 1.0, ..base };
    assert!(refused(certain).contains("delta = 1"));
}

#[test]
fn the_size_of_a_sample_follows_from_the_price() {
    let open = |text: &str| privgnn::Params { epsilon: epsilon(text), ..privgnn::Params::default() };
    let found = ["1", "2", "4", "8", "16"].map(|epsilon| open(epsilon).decided_gamma(10).unwrap());
    // A label may cost 1.2 at γ = 0.02 for ε = 2, and 1.15 at 0.04 for ε = 4, by an account of its
    // own.
    assert!(found.is_sorted() && found[0] >= 0.01 && found[1] == 0.02 && found[2] < 0.04, "{found:?}");
    assert_eq!(privgnn::Params { gamma: Some(0.7), ..open("4") }.decided_gamma(10).unwrap(), 0.7);
    let noise = privgnn::Params { lambda: epsilon("1"), ..privgnn::Params::default() };
    assert_eq!(noise.decided_gamma(10).unwrap(), 0.3);
    let argmax = privgnn::Params { release: LabelMechanism::NoisyArgmax, ..open("4") };
    assert_eq!(argmax.decided_gamma(10).unwrap(), 0.3);
}

#[test]
fn a_teacher_learns_and_one_that_cannot_has_a_uniform_posterior() {
    let public = star(30);
    let queries = [4, 5, 17];
    let learner = learner();
    let teacher = |kind| Teacher::new(&public, 2, (kind, &learner), 1).unwrap();
    let sage = teacher(Layer::Sage);
    for (number, class) in [(0, 0), (1, 1), (2, 1)] {
        let posterior = |data: Dataset| sage.posterior(&data, number, queries[number as usize]);
        assert!(posterior(star(40))[class] > 0.7, "{number}: {:?}", posterior(star(40)));
        assert_eq!(posterior(star(40)), posterior(star(40)));
    }
    // One node cannot be normalised; a teacher must not fail all the same.
    let parts = (0..40).map(|node| if node == 3 { Part::Train } else { Part::None }).collect();
    let single = star(40).with_split(Split::new(parts)).unwrap().among(&[Part::Train]).unwrap();
    assert_eq!(sage.posterior(&single, 0, queries[0]), [0.5, 0.5]);
    for kind in [Layer::Sage, Layer::Mlp] {
        let voter = teacher(kind).for_all_queries().unwrap();
        assert_eq!(voter.votes((&star(40), 0), &queries), [0, 1, 1]);
    }
}

/// The posterior of a node is the same whether the teacher reads the whole public graph or the
/// node's neighbourhood.
#[test]
fn a_teacher_reads_of_the_public_graph_what_it_needs() {
    let community =
        |nodes, seed| veil_graph::generate::Community::citation().with_nodes(nodes).check().unwrap().generate(seed);
    let (private, public) = (community(300, 1), community(400, 2));
    let queries: Vec<NodeId> = (0..public.nodes()).collect();
    for layers in [2, 3] {
        let mut learner = learner();
        (learner.network.layers.layers, learner.training.epochs) = (layers, 30);
        let teacher = || Teacher::new(&public, 7, (Layer::Sage, &learner), 1).unwrap();
        let (one, voter) = (teacher(), teacher().for_all_queries().unwrap());
        let votes = voter.votes((&private, 5), &queries);
        let model = one.taught(&mut one.optimiser(), (&private, 5)).unwrap();
        for (&node, &vote) in queries.iter().zip(&votes) {
            let posterior = one.about(&model, node).unwrap();
            let best = (0..7).max_by(|&a, &b| posterior[a].total_cmp(&posterior[b])).unwrap();
            let lead = posterior[best] - posterior[vote as usize];
            assert!(lead <= 1e-4, "node {node}: {posterior:?}, {vote}");
        }
    }
}
