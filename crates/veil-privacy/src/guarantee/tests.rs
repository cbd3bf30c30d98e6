//! Guarantees add up per unit, and statements say what must be said.

use super::*;

fn guarantee(unit: Unit, epsilon: &str, status: Status) -> Guarantee {
    Guarantee {
        unit,
        trust: Trust::Local,
        epsilon: epsilon.parse().unwrap(),
        delta: Delta::ZERO,
        status,
        reproducible: false,
        per_relationship: None,
        mechanism: "test".into(),
        parameters: ParameterList::default().with("epsilon", 1),
        assumptions: vec![Assumption::Coins],
        not_protected: vec!["who takes part".into()],
        source: "nowhere".into(),
    }
}

fn statement(guarantees: Vec<Guarantee>, seed: Option<u64>) -> Statement {
    Statement {
        format: Statement::FORMAT,
        release: "ab".into(),
        data: "a graph".into(),
        reproducible: seed.is_some(),
        seed,
        booked: Booking::None,
        ledger: None,
        declared: crate::fact::Declarations::NONE,
        guarantees,
        withheld: vec!["the edges".into()],
    }
}

#[test]
fn units_are_added_each_for_itself_and_exactly() {
    let parts = [
        guarantee(Unit::Label, "0.1", Status::Proven),
        guarantee(Unit::Feature, "3", Status::Proven),
        guarantee(Unit::Label, "0.2", Status::Proven),
    ];
    let sums = compose(&parts);
    let wanted = [(Unit::Feature, "3"), (Unit::Label, "0.3")];
    assert_eq!(
        sums.iter().map(|(unit, spent, _)| (*unit, spent.to_string())).collect::<Vec<_>>(),
        wanted.map(|(unit, sum)| (unit, sum.to_owned()))
    );
}

#[test]
fn what_is_not_proven_has_no_bound() {
    for status in [Status::Claimed, Status::Refuted, Status::None] {
        let sums = compose(&[guarantee(Unit::EdgeSet, "0.1", status), guarantee(Unit::EdgeSet, "1", Status::Proven)]);
        assert_eq!(sums, [(Unit::EdgeSet, Spent::Unbounded, Delta::ZERO)]);
    }
    assert_eq!(Spent::of(&guarantee(Unit::Label, "inf", Status::Proven)), Spent::Unbounded);
}

#[test]
fn deltas_above_one_promise_nothing() {
    let mut half = guarantee(Unit::Node, "1", Status::Proven);
    half.delta = "0.6".parse().unwrap();
    assert_eq!(compose(&[half.clone(), half])[0].1, Spent::Unbounded);
}

#[test]
fn a_budget_says_what_is_left() {
    let one: Epsilon = "1".parse().unwrap();
    let spent = Spent::Finite("0.25".parse().unwrap());
    assert_eq!((spent.left_of(one).to_string(), spent.within(one)), ("0.75".to_owned(), true));
    assert_eq!(spent.plus(Spent::Finite(one)).left_of(one), Spent::Nothing);
    assert_eq!(Spent::Unbounded.left_of(one), Spent::Nothing);
    assert_eq!(spent.left_of(Epsilon::INFINITE), Spent::Unbounded);
    assert!(!Spent::Unbounded.within(Epsilon::INFINITE));
}

#[test]
fn a_statement_says_what_is_protected_and_what_is_not() {
    let text = statement(vec![guarantee(Unit::Feature, "3", Status::Proven)], None).to_markdown();
    for part in [
        "feature vector is protected with ε = 3",
        "a report changes the odds",
        "e^ε ≈ 20.086",
        "who takes part",
        "ChaCha20 and HMAC-SHA-256",
        "the edges",
        "not booked",
    ] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
    assert!(!text.contains("Reproducible"));
}

#[test]
fn a_statement_hides_nothing_bad() {
    let seeded = statement(vec![guarantee(Unit::Feature, "3", Status::Proven)], Some(7)).to_markdown();
    assert!(seeded.contains("Reproducible, therefore not private"));
    for (status, word) in [(Status::Refuted, "**Refuted:**"), (Status::Claimed, "**Claimed, not proven:**")] {
        let text = statement(vec![guarantee(Unit::EdgeSet, "1", status)], None).to_markdown();
        assert!(text.contains(word) && !text.contains("This holds") && !text.contains("is protected with"), "{text}");
    }
    let mut approximate = guarantee(Unit::Node, "1", Status::Proven);
    approximate.delta = "0.001".parse().unwrap();
    assert!(statement(vec![approximate], None).to_markdown().contains("plus 0.001"));
    let open = statement(vec![guarantee(Unit::Feature, "inf", Status::None)], None).to_markdown();
    assert!(open.contains("Not privatised"));
}

#[test]
fn the_first_paragraph_lists_what_was_declared_public_and_by_whom() {
    let plain = statement(vec![guarantee(Unit::Feature, "3", Status::Proven)], None);
    let declared = Statement { declared: "columns,split".parse().unwrap(), ..plain.clone() };
    let first = |statement: &Statement| statement.to_markdown().split("\n\n").nth(1).unwrap().to_owned();
    assert!(first(&plain).ends_with("No fact about the data was declared public."), "{}", first(&plain));
    let text = first(&declared);
    for part in ["Release `ab`", "Declared public by the owner of the data", "(`columns`)", "(`split`)"] {
        assert!(text.contains(part), "{part:?} is missing in {text}");
    }
    let json = serde_json::to_value(&declared).unwrap();
    assert_eq!((&json["declared"], &json["format"]), (&serde_json::json!(["columns", "split"]), &3.into()));
    assert_eq!(serde_json::from_value::<Statement>(json).unwrap(), declared);
}

#[test]
fn names_and_json_agree() {
    for unit in Unit::ALL {
        assert_eq!(serde_json::to_value(unit).unwrap(), unit.name());
        assert_eq!(unit.name().parse(), Ok(unit));
    }
    let one = guarantee(Unit::EdgeBit, "0.1", Status::Proven);
    let json = serde_json::to_string(&one).unwrap();
    assert!(json.contains(r#""unit":"edge-bit""#) && json.contains(r#""epsilon":0.1"#), "{json}");
    assert_eq!(serde_json::from_str::<Guarantee>(&json).unwrap(), one);
}

#[test]
fn one_report_with_two_promises_is_told_once_and_counted_once() {
    let of = |unit, epsilon, mechanism: &str| {
        let mut promise = guarantee(unit, epsilon, Status::Proven);
        promise.mechanism = mechanism.into();
        promise
    };
    let edges = [of(Unit::EdgeBit, "2", "edge-flip"), of(Unit::EdgeSet, "4", "edge-flip")];
    let all = [vec![of(Unit::Feature, "3", "multi-bit"), of(Unit::Label, "1", "k-rr")], edges.to_vec()].concat();
    let text = statement(all.clone(), None).to_markdown();
    assert_eq!(text.matches("## Edges").count(), 1, "{text}");
    assert_eq!(text.matches("ChaCha20 and HMAC-SHA-256").count(), 3, "{text}");
    for part in [
        "neighbour list (whether or not one given node is in it) is protected with ε = 2",
        "The identity of each neighbour of a user (not the number of neighbours) is protected with ε = 4",
        "- a user's feature vector and their label and one entry of their neighbour list: ε = 6\n",
        "- a user's feature vector and their label and the identity of one neighbour: ε = 8\n",
        "Several entries of one neighbour list are not protected jointly",
    ] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
    // Alone there is nothing to add up, and with something unproven there is no sum.
    assert!(!statement(edges.to_vec(), None).to_markdown().contains("Together"));
    let mut refuted = all;
    refuted[3].status = Status::Refuted;
    refuted[2].status = Status::Refuted;
    assert!(!statement(refuted, None).to_markdown().contains("Together"));
}

#[test]
fn a_seed_speaks_against_a_proof_and_adds_to_the_rest() {
    let shown = |status| Guarantee { reproducible: true, ..guarantee(Unit::Label, "1", status) }.shown_status();
    assert_eq!(shown(Status::Proven), "proven, but NOT PRIVATE (seed)");
    assert_eq!(shown(Status::Refuted), "refuted, and NOT PRIVATE (seed)");
    assert_eq!(guarantee(Unit::Label, "1", Status::Refuted).shown_status(), "refuted");
}

/// One of each kind.
fn assumptions() -> Vec<Assumption> {
    let range = crate::mechanism::ValueRange::new(-0.1, 1.0 / 3.0).unwrap();
    let epsilon = "0.3".parse().unwrap();
    let edges = Some(ReleasedAt { epsilon, delta: Delta::ZERO, status: Status::Proven, reproducible: true });
    vec![
        Assumption::PublicNodes,
        Assumption::PublicDimensions,
        Assumption::PublicClasses,
        Assumption::PublicRange { range },
        Assumption::OwnReports,
        Assumption::TrustedOwner,
        Assumption::Coins,
        Assumption::UntunedParameters,
        Assumption::SplitWithoutLabels,
        Assumption::ClustersFromReleased,
        Assumption::Rounds { trust: Trust::Local, rounds: 1 },
        Assumption::Rounds { trust: Trust::Central, rounds: 3 },
        Assumption::IndependentPublicGraph,
        Assumption::UnobservedTime,
        Assumption::TwoHopsPublic,
        Assumption::SameCandidates,
        Assumption::SharedEdges { whole: epsilon, delta: Delta::ZERO, relationship: None },
        Assumption::SeparateGraphs,
        Assumption::TrainedOn { data: "cora".into(), edges: None },
        Assumption::TrainedOn { data: "cora".into(), edges },
    ]
}

#[test]
fn a_guarantee_is_read_back_as_it_was() {
    let parameters = ParameterList::default().with("zeta", 1).with("alpha", "0.1").with("range", "0..1");
    let promised =
        Guarantee { assumptions: assumptions(), parameters, ..guarantee(Unit::Label, "0.1", Status::Proven) };
    let text = serde_json::to_string(&promised).unwrap();
    assert_eq!(serde_json::from_str::<Guarantee>(&text).unwrap(), promised);
    assert!(text.contains(r#""parameters":{"zeta":"1","alpha":"0.1","range":"0..1"}"#), "{text}");
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let shared = Assumption::SharedEdges { whole: "0.3".parse().unwrap(), delta: Delta::ZERO, relationship: None };
    let shared = serde_json::json!({
        "kind": "shared-edges", "whole": 0.3, "text": shared.to_string(),
    });
    assert!(json["assumptions"].as_array().unwrap().contains(&shared), "{text}");
}

/// Sentences tell assumptions apart.
#[test]
fn sentences_of_assumptions() {
    let all = assumptions();
    let texts: std::collections::BTreeSet<String> = all.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), all.len());
    let last = all.last().unwrap().to_string();
    assert!(last.ends_with("released at ε = 0.3 (proven, but NOT PRIVATE (seed))"), "{last}");
}

/// What is (ε, δ) in one part is no pure ε together.
#[test]
fn the_joint_loss_of_a_user_has_delta_too() {
    let approximate = |delta: &str| Guarantee {
        delta: delta.parse().unwrap(),
        mechanism: "sums".into(),
        ..guarantee(Unit::Edge, "1", Status::Proven)
    };
    let features = guarantee(Unit::Feature, "3", Status::Proven);
    let text = statement(vec![features.clone(), approximate("0.00001")], None).to_markdown();
    assert!(text.contains("a user's feature vector and one of their edges: ε = 4, δ = 0.00001"), "{text}");
    let pure = statement(vec![features.clone(), guarantee(Unit::Label, "1", Status::Proven)], None).to_markdown();
    assert!(pure.contains("a user's feature vector and their label: ε = 4\n"), "{pure}");
    // More than 1 is no guarantee.
    let half = Guarantee { delta: "0.6".parse().unwrap(), ..features };
    let none = statement(vec![half, approximate("0.6")], None).to_markdown();
    assert!(!none.contains("Together they are protected"), "{none}");
}

#[test]
fn graphs_that_share_edges_have_the_sum_of_delta() {
    let (whole, delta) = ("6".parse().unwrap(), "0.00003".parse().unwrap());
    let shared = Assumption::SharedEdges { whole, delta, relationship: None };
    assert!(shared.to_string().ends_with("all of them together at ε = 6, δ = 0.00003"), "{shared}");
    let pure = Assumption::SharedEdges { whole, delta: Delta::ZERO, relationship: None };
    assert!(pure.to_string().ends_with("at ε = 6"), "{pure}");
    let both = Assumption::SharedEdges { whole, delta: Delta::ZERO, relationship: "12".parse().ok() };
    assert!(both.to_string().ends_with("at ε = 6, ε = 12 per relationship"), "{both}");
}
