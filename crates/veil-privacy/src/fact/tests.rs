//! There is no third way: equal, given, declared, or an error that names both ways out.

use super::*;

const EDGES: [Unit; 3] = [Unit::Edge, Unit::EdgeBit, Unit::EdgeSet];

/// What one unit's data take part in.
#[test]
fn a_fact_is_equal_for_units_that_take_no_part_in_it() {
    for unit in EDGES {
        let differs: Vec<Fact> = Fact::ALL.into_iter().filter(|fact| !fact.is_equal_for(unit)).collect();
        assert_eq!(differs, [Fact::Nodes], "{unit}");
    }
    let differs = |unit| Fact::ALL.into_iter().filter(move |fact| !fact.is_equal_for(unit)).collect::<Declarations>();
    assert_eq!(differs(Unit::Feature).to_string(), "nodes,dimensions,columns,features");
    assert_eq!(differs(Unit::Label).to_string(), "nodes,classes,split,labels");
    // A node brings all of its data.
    assert_eq!(differs(Unit::Node), Declarations::ALL);
}

#[test]
fn computed_facts_need_a_declaration_by_name() {
    let decide =
        |declared: &str, fact, unit, origin| declared.parse::<Declarations>().unwrap().standing(fact, unit, origin);
    let missing = Err(Missing { fact: Fact::Classes, unit: Unit::Label });
    assert_eq!(decide("", Fact::Classes, Unit::Label, Origin::Computed), missing);
    assert_eq!(decide("nodes,columns", Fact::Classes, Unit::Label, Origin::Computed), missing);
    assert_eq!(decide("classes", Fact::Classes, Unit::Label, Origin::Computed), Ok(Standing::Declared));
    assert_eq!(decide("", Fact::Classes, Unit::Label, Origin::Given), Ok(Standing::Given));
    assert_eq!(decide("", Fact::Classes, Unit::Edge, Origin::Computed), Ok(Standing::Equal));
}

#[test]
fn a_plan_relies_only_on_what_it_needs_and_names_all_that_is_missing() {
    let facts =
        vec![(Fact::Nodes, Origin::Given), (Fact::Classes, Origin::Computed), (Fact::Columns, Origin::Computed)];
    let decide = |declared, units: &[Unit]| Disclosed::decide("g", declared, facts.clone(), units);
    let both = [Unit::Feature, Unit::Label];
    assert_eq!(decide(Declarations::ALL, &both).unwrap().declared().to_string(), "classes,columns");
    assert!(decide(Declarations::ALL, &EDGES).unwrap().declared().is_empty());
    let error = decide(Declarations::NONE, &both).unwrap_err();
    assert_eq!(error.facts().to_string(), "classes,columns");
    let (text, hint) = (error.to_string(), error.hint().unwrap());
    for part in ["g: the classes (fact classes)", "one user's label can change them", "unit label", "unit feature"] {
        assert!(text.contains(part), "{part:?} is missing in {text}");
    }
    for part in ["give their number", "give a range", "declare-public = classes,columns"] {
        assert!(hint.contains(part), "{part:?} is missing in {hint}");
    }
}

#[test]
fn words_and_json_are_the_same() {
    let some: Declarations = " split, nodes,split".parse().unwrap();
    assert_eq!((some.to_string(), some.iter().count()), ("nodes,split".to_owned(), 2));
    assert_eq!(serde_json::to_string(&some).unwrap(), r#"["nodes","split"]"#);
    assert_eq!(serde_json::from_str::<Declarations>(r#"["split","nodes"]"#).unwrap(), some);
    assert!("".parse::<Declarations>().unwrap().is_empty());
    let unknown = "nodes,ages".parse::<Declarations>().unwrap_err().to_string();
    assert!(unknown.contains("\"ages\" is not a fact (nodes, dimensions,"), "{unknown}");
    assert_eq!(Declarations::ALL.iter().count(), Fact::ALL.len());
}
