//! The statistics of generated graphs, on fixed seeds.

use super::*;

fn near(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what} is {found}, not {expected} ± {tolerance}");
}

/// Test accuracy of naive Bayes on the words of the training nodes: what features reveal.
fn naive_bayes(dataset: &Dataset) -> f64 {
    let (Some(Features::Sparse(words)), Some(labels), Some(split)) =
        (dataset.features(), dataset.labels(), dataset.split())
    else {
        panic!("features, labels and a split are made")
    };
    let classes = labels.classes() as usize;
    let mut counts = vec![vec![1.0f64; words.columns()]; classes];
    for node in split.nodes(Part::Train) {
        let class = labels.get(node).unwrap() as usize;
        words.row(node as usize).for_each(|(word, _)| counts[class][word as usize] += 1.0);
    }
    let totals: Vec<f64> = counts.iter().map(|counts| counts.iter().sum()).collect();
    let score = |node: u32, class: usize| -> f64 {
        words.row(node as usize).map(|(word, _)| (counts[class][word as usize] / totals[class]).ln()).sum()
    };
    let right = split.nodes(Part::Test).filter(|&node| {
        let best = (0..classes).max_by(|&a, &b| score(node, a).total_cmp(&score(node, b)));
        best.map(|class| class as u32) == labels.get(node)
    });
    right.count() as f64 / split.count(Part::Test) as f64
}

/// The share of all rows whose nearest class mean is that of their own class.
fn nearest_centroid(dataset: &Dataset) -> f64 {
    let (Some(features), Some(labels), Some(split)) = (dataset.features(), dataset.labels(), dataset.split()) else {
        panic!("features, labels and a split are made")
    };
    let centroids: Vec<Vec<f32>> = (0..labels.classes())
        .map(|class| features.moments(split.nodes(Part::Train).filter(|&node| labels.get(node) == Some(class))).mean)
        .collect();
    let distance = |node: u32, centroid: &[f32]| -> f64 {
        let differences = centroid.iter().zip(0..).map(|(&mean, word)| mean - features.value(node as usize, word));
        differences.map(|difference| f64::from(difference).powi(2)).sum()
    };
    let right = split.nodes(Part::Test).filter(|&node| {
        let distances = centroids.iter().map(|centroid| distance(node, centroid)).zip(0..);
        distances.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, class)| class) == labels.get(node)
    });
    right.count() as f64 / split.count(Part::Test) as f64
}

#[test]
fn citation_is_like_cora() {
    let generator = Community::citation().check().unwrap();
    for seed in 1..=5 {
        let dataset = generator.generate(seed);
        let summary = dataset.summary();
        assert_eq!((summary.nodes, summary.features, summary.classes), (2708, 1433, 7));
        assert_eq!(summary.class_sizes, [351, 217, 418, 818, 426, 298, 180]);
        assert_eq!(summary.edges, 5281);
        assert_eq!(summary.isolated, 0);
        assert!((100..=170).contains(&summary.max_degree), "largest degree {}", summary.max_degree);
        near(summary.homophily.unwrap(), 0.81, 0.02, "homophily");
        near(summary.feature_nonzeros as f64 / 2708.0, 18.2, 0.5, "words per node");
        assert_eq!(summary.split, Some([140, 500, 1000]));
        let (labels, split) = (dataset.labels().unwrap(), dataset.split().unwrap());
        let mut per_class = [0; 7];
        split.nodes(Part::Train).for_each(|node| per_class[labels.get(node).unwrap() as usize] += 1);
        assert_eq!(per_class, [20; 7]);
        near(naive_bayes(&dataset), 0.65, 0.10, "accuracy of naive Bayes");
    }
}

#[test]
fn social_is_dense_with_weak_features() {
    let dataset = Community::social().check().unwrap().generate(1);
    let summary = dataset.summary();
    near(summary.mean_degree, 40.0, 0.01, "mean degree");
    near(summary.homophily.unwrap(), 0.7, 0.02, "homophily");
    assert!((350..=600).contains(&summary.max_degree), "largest degree {}", summary.max_degree);
    assert_eq!(summary.isolated, 0);
    // The largest class has a third of the nodes; with half of all labels the words help a little.
    near(naive_bayes(&dataset), 0.52, 0.10, "accuracy of naive Bayes");
}

#[test]
fn bipartite_edges_lead_to_the_other_class() {
    let dataset = Community::bipartite().check().unwrap().generate(1);
    let summary = dataset.summary();
    assert_eq!((summary.homophily, summary.class_sizes), (Some(0.0), vec![1500, 1500]));
    assert_eq!(summary.split, Some([720, 180, 2100]));
    assert_eq!((summary.edges, summary.isolated), (9000, 0));
    near(naive_bayes(&dataset), 0.60, 0.08, "accuracy of naive Bayes");
}

#[test]
fn bipartite_is_as_in_the_paper_for_any_seed_and_size() {
    for (seed, nodes) in [(1, 3000), (2, 3000), (3, 1000), (4, 10_000)] {
        let dataset = Community::bipartite().with_nodes(nodes).check().unwrap().generate(seed);
        let (labels, split) = (dataset.labels().unwrap(), dataset.split().unwrap());
        assert!(dataset.graph().iter_edges().all(|(a, b)| labels.get(a) != labels.get(b)));
        let share = |part| split.count(part) as f64 / f64::from(nodes);
        for (part, wanted) in [(Part::Train, 0.24), (Part::Val, 0.06), (Part::Test, 0.70)] {
            near(share(part), wanted, 1e-9, "share of the split");
        }
        // Features are informative, but far less than edges.
        near(nearest_centroid(&dataset), 0.61, 0.08, "accuracy of the nearest class mean");
    }
}

#[test]
fn a_seed_gives_one_data_set_on_any_number_of_threads() {
    let generator = Community::social().with_nodes(2000).check().unwrap();
    let on = |threads, seed| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| generator.generate(seed))
    };
    assert_eq!(on(1, 1), on(3, 1));
    let (one, other) = (on(2, 1), on(2, 2));
    assert_ne!(one.graph(), other.graph());
    assert_ne!(one.features(), other.features());
    assert_ne!(one.labels(), other.labels());
    assert_ne!(one.split(), other.split());
}

#[test]
fn any_valid_size_can_be_generated() {
    for (nodes, preset) in [60, 100, 300, 10_000]
        .into_iter()
        .flat_map(|nodes| [(nodes, Community::citation()), (nodes, Community::bipartite())])
    {
        let summary = preset.with_nodes(nodes).check().unwrap().generate(1).summary();
        assert_eq!(summary.nodes, nodes);
        assert!(summary.split.is_some_and(|parts| parts.iter().sum::<usize>() <= nodes as usize));
    }
}

#[test]
fn class_sizes_add_up_and_none_is_empty() {
    assert_eq!(sizes(&[1.0, 1.0, 1.0], 10), [4, 3, 3]);
    assert_eq!(sizes(&[1e-9, 1.0], 5), [1, 4]);
    for nodes in 7..200 {
        let sizes = sizes(&[0.1, 0.7, 0.3, 0.1, 0.1, 0.1, 0.3], nodes);
        assert_eq!(sizes.iter().sum::<usize>(), nodes);
        assert!(sizes.iter().all(|&size| size > 0));
    }
}

#[test]
fn invalid_parameters_are_refused() {
    let refused = |change: fn(&mut Community)| {
        let mut parameters = Community::citation();
        change(&mut parameters);
        parameters.check().unwrap_err().name
    };
    assert_eq!(refused(|p| p.nodes = 0), "nodes");
    assert_eq!(refused(|p| p.homophily = 1.01), "homophily");
    assert_eq!(refused(|p| p.homophily = -0.1), "homophily");
    assert_eq!(refused(|p| p.homophily = f64::NAN), "homophily");
    assert_eq!(refused(|p| p.mean_degree = 0.0), "mean_degree");
    assert_eq!(refused(|p| p.mean_degree = 2000.0), "mean_degree");
    assert_eq!(refused(|p| p.max_degree = 3.0), "max_degree");
    assert_eq!(refused(|p| p.max_degree = 2708.0), "max_degree");
    assert_eq!(refused(|p| p.exponent = 2.0), "exponent");
    assert_eq!(refused(|p| p.class_shares.clear()), "classes");
    assert_eq!(refused(|p| p.class_shares[0] = -1.0), "class_shares");
    assert_eq!(refused(|p| p.features = 0), "features");
    assert_eq!(refused(|p| p.words_per_node = 1000.0), "words_per_node");
    assert_eq!(refused(|p| p.topic_words = 1434), "topic_words");
    assert_eq!(refused(|p| p.topic_share = 2.0), "topic_share");
    assert_eq!(refused(|p| p.parts = Parts::PerClass { train_per_class: 181, val: 0, test: 0 }), "train_per_class");
    assert_eq!(refused(|p| p.parts = Parts::PerClass { train_per_class: 20, val: 2000, test: 1000 }), "val + test");
    // A single class leaves no edges between classes; a thousand tiny ones leave none within.
    assert_eq!(refused(|p| p.class_shares = vec![1.0]), "homophily");
    assert_eq!(refused(|p| p.class_shares = vec![1.0; 1300]), "homophily");
}
