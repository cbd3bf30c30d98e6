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
        parameters: "epsilon=1".into(),
        assumptions: vec!["the moon is round".into()],
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
        "whoever sees this report",
        "e^ε ≈ 20.086",
        "who takes part",
        "the moon is round",
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
    assert_eq!(text.matches("the moon is round").count(), 3, "{text}");
    for part in [
        "neighbour list (whether or not one given node is in it) is protected with ε = 2",
        "Which node a neighbour of a user is (not how many neighbours there are) is protected with ε = 4",
        "- a user's feature vector and their label and one entry of their neighbour list: ε = 6\n",
        "- a user's feature vector and their label and one neighbour of theirs, exchanged for another: ε = 8\n",
        "Several entries of one neighbour list are not protected as one",
    ] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
    // Alone there is nothing to add up, and with something unproven there is no sum.
    assert!(!statement(edges.to_vec(), None).to_markdown().contains("together"));
    let mut refuted = all;
    refuted[3].status = Status::Refuted;
    refuted[2].status = Status::Refuted;
    assert!(!statement(refuted, None).to_markdown().contains("together"));
}

#[test]
fn a_seed_speaks_against_a_proof_and_adds_to_the_rest() {
    let shown = |status| Guarantee { reproducible: true, ..guarantee(Unit::Label, "1", status) }.shown_status();
    assert_eq!(shown(Status::Proven), "proven, but NOT PRIVATE (seed)");
    assert_eq!(shown(Status::Refuted), "refuted, and NOT PRIVATE (seed)");
    assert_eq!(guarantee(Unit::Label, "1", Status::Refuted).shown_status(), "refuted");
}
