//! Names, defaults and what is missing.

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
            _ => assert!(matches!(plan(edges, "1"), Ok(EdgePlan::Lists(protocol)) if protocol.name() == edges.name())),
        }
    }
    assert_eq!(plan(Edges::EdgeFlip, "inf"), Ok(EdgePlan::Raw));
    let epsilon_edges = Some("1".parse().unwrap());
    let many = Parameters { edges: Edges::EdgeFlip, epsilon_edges, max_edges: 1, ..Parameters::default() };
    assert!(matches!(many.edge_plan(&data), Err(ParametersError::TooManyEdges { expected: 6, limit: 1, .. })));
    assert_eq!(plan(Edges::GraphPrivatizer, "inf"), Ok(EdgePlan::Raw));
    assert!(matches!(plan(Edges::DegreeVectors, "inf"), Err(ParametersError::Protocol { .. })));
    for epsilon in ["1", "inf"] {
        let epsilon_edges = Some(epsilon.parse().unwrap());
        let far = Parameters { edges: Edges::GraphPrivatizer, epsilon_edges, alpha: 1.5, ..Parameters::default() };
        assert!(far.edge_plan(&data).unwrap_err().to_string().contains("alpha is 1.5"), "{epsilon}");
    }
}
