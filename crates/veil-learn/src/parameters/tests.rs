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
    let of = |edges, select| Parameters { edges, select, ..Parameters::default() }.selection();
    assert_eq!(of(Edges::GraphPrivatizer, None), Select::Reference);
    assert_eq!(of(Edges::DegreeVectors, None), Select::LowestValidationLoss);
    assert_eq!(of(Edges::DegreeVectors, Some(Select::Last)), Select::Last);
}
