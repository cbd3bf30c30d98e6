//! Names, defaults and what is missing.

use veil_graph::Dataset;
use veil_privacy::Private;
use veil_privacy::protocol::degree_vectors::Noise;
use veil_privacy::release::{EdgePlan, RangeChoice};

use super::*;

#[test]
fn names_in_files_are_names_on_the_command_line() {
    for edges in Edges::ALL {
        assert_eq!(edges.name().parse(), Ok(edges));
        assert_eq!(serde_json::to_value(edges).unwrap(), edges.name());
    }
    let problem = "banana".parse::<Edges>().unwrap_err();
    assert!(problem.contains("banana") && problem.contains("degree-vectors"), "{problem}");
}

#[test]
fn parameters_survive_their_file() {
    let parameters = Parameters {
        edges: Edges::GraphPrivatizer,
        epsilon_edges: Some("0.1".parse().unwrap()),
        epsilon_labels: Some(Epsilon::INFINITE),
        dropout: 0.3,
        select: Some(Select::LowestValidationLoss),
        ..Parameters::default()
    };
    let text = serde_json::to_string(&parameters).unwrap();
    assert_eq!(serde_json::from_str::<Parameters>(&text).unwrap(), parameters);
    assert!(text.contains(r#""epsilon-edges":0.1"#) && text.contains(r#""epsilon-labels":"inf""#), "{text}");
    assert_eq!(serde_json::from_str::<Parameters>("{}").unwrap(), Parameters::default());
    assert!(
        serde_json::from_str::<Parameters>(r#"{"epsilon_edges": 1}"#).is_err(),
        "an unknown key is not passed over"
    );
}

#[test]
fn the_epoch_is_chosen_by_the_reference_rule_except_for_degree_vectors() {
    let of = |edges, select| Parameters { edges, select, ..Parameters::default() }.selection(true);
    assert_eq!(of(Edges::GraphPrivatizer, None), Select::Reference);
    assert_eq!(of(Edges::DegreeVectors, None), Select::LowestValidationLoss);
    assert_eq!(of(Edges::DegreeVectors, Some(Select::Last)), Select::Last);
}

#[test]
fn what_is_missing_or_useless_is_said() {
    let graph = veil_graph::Graph::empty(5, veil_graph::Direction::Undirected);
    let data = Private::seal(Dataset::new("five", graph, Default::default()));
    let plan = |edges, epsilon: &str| {
        let epsilon_edges = (!epsilon.is_empty()).then(|| epsilon.parse().unwrap());
        Parameters { edges, epsilon_edges, ..Parameters::default() }.edge_plan(&data)
    };
    for edges in Edges::ALL {
        match edges {
            Edges::Raw => assert_eq!(plan(edges, ""), Ok(EdgePlan::Raw)),
            Edges::Empty => assert_eq!(plan(edges, ""), Ok(EdgePlan::Withheld)),
            _ => assert_eq!(plan(edges, ""), Err(ParametersError::NoEpsilon { edges })),
        }
        match edges {
            Edges::Raw | Edges::Empty => assert_eq!(plan(edges, "1"), Err(ParametersError::UselessEpsilon { edges })),
            Edges::DegreeVectors => assert!(matches!(plan(edges, "1"), Ok(EdgePlan::Vectors(_)))),
            Edges::LapGraph | Edges::EdgeRand => {
                assert!(matches!(plan(edges, "1"), Ok(EdgePlan::Graph(it)) if it.name() == edges.name()));
            }
            _ => assert!(matches!(plan(edges, "1"), Ok(EdgePlan::Lists(protocol)) if protocol.name() == edges.name())),
        }
    }
    assert_eq!(plan(Edges::EdgeFlip, "inf"), Ok(EdgePlan::Raw));
    let epsilon_edges = Some("1".parse().unwrap());
    let many = Parameters { edges: Edges::EdgeFlip, epsilon_edges, max_edges: 1, ..Parameters::default() };
    assert!(matches!(many.edge_plan(&data), Err(ParametersError::TooManyEdges { expected: 6, limit: 1, .. })));
    assert_eq!(plan(Edges::GraphPrivatizer, "inf"), Ok(EdgePlan::Raw));
    // Counts as they are: a plan that promises nothing.
    assert!(matches!(plan(Edges::DegreeVectors, "inf"), Ok(EdgePlan::Vectors(it)) if it.noise() == Noise::None));
    // A number of edges with that much noise may be anything, up to the 10 pairs that there are.
    let epsilon_count = "0.0000001".parse().unwrap();
    let noisy =
        Parameters { edges: Edges::LapGraph, epsilon_edges, epsilon_count, max_edges: 9, ..Parameters::default() };
    assert!(matches!(noisy.edge_plan(&data), Err(ParametersError::TooManyEdges { expected: 10, .. })));
    assert!(Parameters { max_edges: 10, ..noisy }.edge_plan(&data).is_ok());
    for epsilon in ["1", "inf"] {
        let epsilon_edges = Some(epsilon.parse().unwrap());
        let far = Parameters { edges: Edges::GraphPrivatizer, epsilon_edges, alpha: 1.5, ..Parameters::default() };
        assert!(far.edge_plan(&data).unwrap_err().to_string().contains("alpha is 1.5"), "{epsilon}");
    }
}

/// What a method decides, it decides; everything else may be said otherwise.
#[test]
fn methods_keep_to_their_edges() {
    let graph = veil_graph::Graph::empty(5, veil_graph::Direction::Undirected);
    let data = Private::seal(Dataset::new("five", graph, Default::default()));
    let options = |parameters: &Parameters| parameters.options(&data, RangeChoice::Public).map(|options| options.edges);
    for method in Method::ALL {
        let defaults = method.defaults();
        assert_eq!(defaults.method, Some(method));
        let epsilon_edges = matches!(method, Method::Dpgcn | Method::Lpgnet).then(|| "4".parse().unwrap());
        let fine = Parameters { epsilon_edges, ..defaults };
        assert!(options(&fine).is_ok(), "{method}");
        assert!(options(&Parameters { epochs: 3, dropout: 0.0, ..fine.clone() }).is_ok(), "{method}");
        let other = Parameters { edges: Edges::GraphPrivatizer, ..fine };
        assert!(matches!(options(&other), Err(ParametersError::NotOfMethod { .. })), "{method}");
        assert_eq!(method.name().parse(), Ok(method));
    }
    assert!("lpg".parse::<Method>().unwrap_err().contains("mlp, gnn, dpgcn, lpgnet"));
    let rand =
        Parameters { edges: Edges::EdgeRand, epsilon_edges: Some("4".parse().unwrap()), ..Method::Dpgcn.defaults() };
    assert!(matches!(options(&rand), Ok(EdgePlan::Graph(_))));
    let local = Parameters { unit: Unit::EdgeBit, ..Method::Lpgnet.defaults() };
    assert!(matches!(options(&local), Err(ParametersError::NotOfMethod { .. })));
    let reports =
        Parameters { epsilon_features: Some("1".parse().unwrap()), scale: Scaling::Standard, ..Method::Mlp.defaults() };
    assert_eq!(options(&reports), Err(ParametersError::StandardReports));
}

#[test]
fn methods_keep_the_lowest_validation_loss_or_without_one_the_last() {
    let lpgnet = Method::Lpgnet.defaults();
    assert_eq!(lpgnet.selection(true), Select::LowestValidationLoss);
    assert_eq!(lpgnet.selection(false), Select::Last);
    assert_eq!(lpgnet.effective(false).select, Some(Select::Last));
}

/// Each stage gets ε/n_l, and an edge is counted twice.
#[test]
fn stages_share_the_budget() {
    let of = |epsilon: &str, rounds, readout| Parameters {
        epsilon_edges: Some(epsilon.parse().unwrap()),
        rounds,
        readout,
        ..Method::Lpgnet.defaults()
    };
    let two = of("4", Some(2), Readout::Network);
    assert_eq!((two.rounds(), two.networks()), (2, 3));
    assert_eq!(two.noise(), bayes::Noise::Laplace { step: 1.0 });
    assert_eq!(of("inf", None, Readout::Network).noise(), bayes::Noise::None);
    assert_eq!(of("4", None, Readout::Network).rounds(), 1);
    assert_eq!(of("4", None, Readout::Bayes).rounds(), 1);
    let large = of("8", None, Readout::Bayes);
    assert_eq!((large.rounds(), large.networks()), (2, 1));
    // The local model has nothing to do with that readout, and so not with its rule.
    assert_eq!(Parameters { unit: Unit::EdgeBit, ..of("8", None, Readout::Bayes) }.rounds(), 1);
    // A record says what was done.
    assert_eq!(large.effective(true).rounds, Some(2));
}
