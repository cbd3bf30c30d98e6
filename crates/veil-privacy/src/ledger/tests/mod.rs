//! The ledger: exact, bound to its data, append-only, and refusing what it cannot pay.

mod damage;
mod growth;
mod heads;
mod relationships;
mod snapshots;
mod versions;
mod waiting;

use veil_graph::{Dataset, Direction, Dropped, Graph};

use super::*;
use crate::coins::Coins;
use crate::guarantee::{Guarantee, Trust};
use crate::guarantee::{Spent, Unit};
use crate::permit::Request;
use crate::seal::Private;

fn data(edges: &[(u32, u32)]) -> Private<Dataset> {
    let graph = Graph::from_edges(4, edges, Direction::Undirected).unwrap().graph;
    Private::seal(Dataset::new("tiny", graph, Dropped::default()))
}

fn guarantee(unit: Unit, epsilon: &str, delta: &str, status: Status) -> Guarantee {
    Guarantee {
        unit,
        trust: Trust::Local,
        epsilon: epsilon.parse().unwrap(),
        delta: delta.parse().unwrap(),
        status,
        reproducible: false,
        per_relationship: None,
        mechanism: "test".into(),
        parameters: Default::default(),
        assumptions: Vec::new(),
        not_protected: Vec::new(),
        source: String::new(),
    }
}

fn proven(unit: Unit, epsilon: &str) -> Guarantee {
    guarantee(unit, epsilon, "0", Status::Proven)
}

fn ask(guarantees: Vec<Guarantee>) -> Request {
    Request::new(&data(&[(0, 1)]), Coins::from_os().unwrap(), guarantees).unwrap()
}

struct Book {
    ledger: Ledger,
    _folder: tempfile::TempDir,
}

fn book(budgets: &[&str]) -> Book {
    let folder = tempfile::tempdir().unwrap();
    let budgets: Vec<Budget> = budgets.iter().map(|text| text.parse().unwrap()).collect();
    Book { ledger: Ledger::create(&folder.path().join("book.db"), &budgets).unwrap(), _folder: folder }
}

impl Book {
    fn charge(&mut self, guarantees: Vec<Guarantee>) -> Result<(), LedgerError> {
        self.ledger.charge(ask(guarantees), &[]).map(drop)
    }

    fn spent(&mut self, unit: Unit) -> String {
        let report = self.ledger.report().unwrap();
        report.units.iter().find(|account| account.unit == unit).unwrap().spent.to_string()
    }
}

#[test]
fn ten_tenths_are_one_and_not_a_billionth_more_is_left() {
    let mut book = book(&["label=1"]);
    for _ in 0..10 {
        book.charge(vec![proven(Unit::Label, "0.1")]).unwrap();
    }
    let refused = book.charge(vec![proven(Unit::Label, "0.000000001")]).unwrap_err();
    assert!(refused.to_string().contains("asked 0.000000001, spent 1, left 0"), "{refused}");
    assert_eq!(book.spent(Unit::Label), "1");
}

#[test]
fn a_refused_release_books_none_of_its_parts() {
    let mut book = book(&["feature=3", "label=1"]);
    let refused = book.charge(vec![proven(Unit::Feature, "3"), proven(Unit::Label, "2")]).unwrap_err();
    assert!(refused.to_string().contains("over budget for label: asked 2, spent 0, left 1"), "{refused}");
    let report = book.ledger.report().unwrap();
    assert!(report.entries.is_empty());
    assert_eq!(report.snapshots, [], "a refused release does not bind the ledger either");
}

#[test]
fn two_parts_of_one_release_share_a_budget() {
    let mut book = book(&["edge=1"]);
    let other = |epsilon| Guarantee { mechanism: "another".into(), ..proven(Unit::Edge, epsilon) };
    assert!(book.charge(vec![proven(Unit::Edge, "0.6"), other("0.6")]).is_err());
    book.charge(vec![proven(Unit::Edge, "0.5"), other("0.5")]).unwrap();
}

#[test]
fn a_unit_without_a_budget_has_nothing_to_spend() {
    let refused = book(&["edge=1"]).charge(vec![proven(Unit::Node, "0.1")]).unwrap_err();
    assert!(refused.to_string().contains("asked 0.1, spent 0, left 0"), "{refused}");
}

#[test]
fn deltas_are_held_against_their_own_budget() {
    let mut book = book(&["node=8,1e-5"]);
    let part = || vec![guarantee(Unit::Node, "1", "0.000005", Status::Proven)];
    book.charge(part()).unwrap();
    book.charge(part()).unwrap();
    assert!(matches!(book.charge(part()), Err(LedgerError::OverDelta { .. })));
    assert_eq!(book.spent(Unit::Node), "2");
}

#[test]
fn what_is_not_proven_is_refused_or_booked_as_unbounded() {
    let mut book = book(&["edge-set=1"]);
    let refuted = || ask(vec![guarantee(Unit::EdgeSet, "0.1", "0", Status::Refuted)]);
    assert!(matches!(book.ledger.charge(refuted(), &[]), Err(LedgerError::NotProven { status: Status::Refuted, .. })));
    assert!(book.ledger.charge(refuted(), &[Consent::Status(Status::Claimed)]).is_err(), "another status was accepted");
    book.ledger.charge(refuted(), &[Consent::Status(Status::Refuted)]).unwrap();
    assert_eq!(book.spent(Unit::EdgeSet), "unbounded");
    let refused = book.charge(vec![proven(Unit::EdgeSet, "0.1")]).unwrap_err();
    assert!(refused.to_string().contains("asked 0.1, spent unbounded, left 0"), "{refused}");
}

#[test]
fn a_ledger_belongs_to_the_data_of_its_first_charge() {
    let mut book = book(&["edge=9"]);
    book.charge(vec![proven(Unit::Edge, "1")]).unwrap();
    let other =
        Request::new(&data(&[(0, 1), (1, 2)]), Coins::from_os().unwrap(), vec![proven(Unit::Edge, "1")]).unwrap();
    assert!(matches!(book.ledger.charge(other, &[]), Err(LedgerError::OtherData { .. })));
}

#[test]
fn a_release_is_charged_once_but_a_reproducible_one_each_time() {
    let mut book = book(&["edge=9"]);
    let once = ask(vec![proven(Unit::Edge, "1")]);
    let again = Request { release: once.release, ..ask(vec![proven(Unit::Edge, "1")]) };
    book.ledger.charge(once, &[]).unwrap();
    assert!(matches!(book.ledger.charge(again, &[]), Err(LedgerError::AlreadyCharged { .. })));
    for _ in 0..2 {
        book.ledger.charge(seeded(vec![proven(Unit::Edge, "1")]), &[Consent::Seeded]).unwrap();
    }
    let report = book.ledger.report().unwrap();
    assert_eq!(report.entries.iter().map(|entry| entry.reproducible).collect::<Vec<_>>(), [false, true, true]);
}

fn seeded(guarantees: Vec<Guarantee>) -> Request {
    Request::new(&data(&[(0, 1)]), Coins::reproducible(1), guarantees).unwrap()
}

/// Whoever knows or guesses the seed removes the noise: no budget covers that.
#[test]
fn noise_from_a_known_seed_is_refused_or_booked_as_unbounded() {
    let mut book = book(&["edge=9", "label=9"]);
    let of = |unit| seeded(vec![proven(unit, "1")]);
    for accepted in [&[][..], &[Consent::Status(Status::Refuted)]] {
        let refused = book.ledger.charge(of(Unit::Edge), accepted).unwrap_err();
        assert!(matches!(refused, LedgerError::Seeded { unit: Unit::Edge, .. }), "{refused}");
    }
    assert!(book.ledger.report().unwrap().entries.is_empty());
    book.ledger.charge(of(Unit::Edge), &[Consent::Seeded]).unwrap();
    assert_eq!((book.spent(Unit::Edge), book.spent(Unit::Label)), ("unbounded".into(), "0".into()));
    assert_eq!(book.ledger.report().unwrap().entries[0].epsilon, Spent::Unbounded);
    let refused = book.charge(vec![proven(Unit::Edge, "0.1")]).unwrap_err();
    assert!(refused.to_string().contains("asked 0.1, spent unbounded, left 0"), "{refused}");
    // A seed does not replace the consent to a status, and what is public needs no consent.
    let refuted = || seeded(vec![guarantee(Unit::Label, "1", "0", Status::Refuted)]);
    assert!(matches!(book.ledger.charge(refuted(), &[Consent::Seeded]), Err(LedgerError::NotProven { .. })));
    let raw = seeded(vec![guarantee(Unit::Feature, "inf", "0", Status::None)]).with_public(&[Unit::Feature]);
    book.ledger.charge(raw, &[]).unwrap();
}

#[test]
fn entries_budgets_and_the_binding_cannot_be_changed() {
    let mut book = book(&["edge=9"]);
    book.charge(vec![proven(Unit::Edge, "1")]).unwrap();
    for change in [
        "UPDATE entry SET epsilon_nanos = 1",
        "DELETE FROM entry",
        "UPDATE snapshot SET fingerprint = 'x'",
        "DELETE FROM snapshot",
        "INSERT OR REPLACE INTO snapshot SELECT number, added, name, 'x' FROM snapshot",
        "INSERT OR REPLACE INTO snapshot SELECT NULL, added, name, 'x' FROM snapshot",
        "INSERT OR REPLACE INTO snapshot SELECT NULL, added, 'x', fingerprint FROM snapshot",
        "UPDATE book SET lineage = 'x'",
        "DELETE FROM book",
        "UPDATE budget SET epsilon_nanos = NULL",
        "DELETE FROM budget",
        "INSERT OR REPLACE INTO entry SELECT number, charged, release, reproducible, unit, 1, 0, guarantee, data, fingerprint FROM entry",
        "INSERT OR REPLACE INTO budget VALUES ('edge', NULL, 0)",
        "INSERT INTO budget VALUES ('node', NULL, 0)",
        "INSERT INTO book SELECT * FROM book",
        "UPDATE chain SET link = zeroblob(32)",
        "DELETE FROM chain",
        "INSERT OR REPLACE INTO chain SELECT place, kind, number, zeroblob(32) FROM chain",
        "UPDATE head SET link = zeroblob(32)",
        "UPDATE head SET entries = entries - 1",
        "DELETE FROM head",
        "INSERT INTO head SELECT * FROM head",
        "INSERT INTO entry SELECT NULL, charged, release, reproducible, unit, -1, 0, guarantee, data, fingerprint FROM entry",
    ] {
        assert!(book.ledger.connection.execute(change, []).is_err(), "{change}");
    }
}

#[test]
fn a_new_ledger_overwrites_nothing_and_other_files_are_no_ledgers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.db");
    let budget: Budget = "edge=1".parse().unwrap();
    assert!(matches!(Ledger::open(&path), Err(LedgerError::Missing { .. })));
    assert!(matches!(Ledger::create(&path, &[]), Err(LedgerError::NoBudget)));
    assert!(matches!(Ledger::create(&path, &[budget, budget]), Err(LedgerError::RepeatedUnit { unit: Unit::Edge })));
    assert!(!path.exists());
    Ledger::create(&path, &[budget]).unwrap();
    assert!(matches!(Ledger::create(&path, &[budget]), Err(LedgerError::Exists { .. })));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left behind");

    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "this is not a database, but it is long enough to look at".repeat(20)).unwrap();
    assert!(matches!(Ledger::open(&text), Err(LedgerError::NotALedger { .. })));
    let other = folder.path().join("other.db");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    assert!(matches!(Ledger::open(&other), Err(LedgerError::NotALedger { .. })));
}

#[test]
fn budgets_are_read_from_text() {
    let budget: Budget = "node=8,1e-5".parse().unwrap();
    assert_eq!(
        (budget.unit, budget.epsilon.to_string(), budget.delta.to_string()),
        (Unit::Node, "8".into(), "0.00001".into())
    );
    for wrong in ["node", "knot=1", "edge=0", "edge=-1", "edge=1,2", "edge=NaN", "edge="] {
        assert!(wrong.parse::<Budget>().is_err(), "{wrong}");
    }
}

#[test]
fn a_release_about_edges_is_charged_to_every_view_on_them() {
    let of =
        |unit, epsilon: &str, status| Guarantee { mechanism: "edges".into(), ..guarantee(unit, epsilon, "0", status) };
    let three = ["edge-bit=9", "edge-set=9", "edge=9"];

    // A bit is half of an edge, and an exchanged neighbour is two bits.
    let mut bits = book(&three);
    bits.charge(vec![of(Unit::EdgeBit, "2", Status::Proven)]).unwrap();
    assert_eq!([Unit::EdgeBit, Unit::EdgeSet, Unit::Edge].map(|unit| bits.spent(unit)), ["2", "4", "4"]);
    // What is stated is not derived again.
    bits.charge(vec![of(Unit::EdgeBit, "1", Status::Proven), of(Unit::EdgeSet, "2", Status::Proven)]).unwrap();
    assert_eq!([Unit::EdgeBit, Unit::EdgeSet, Unit::Edge].map(|unit| bits.spent(unit)), ["3", "6", "6"]);
    assert!(matches!(
        bits.charge(vec![of(Unit::EdgeBit, "2", Status::Proven)]),
        Err(LedgerError::OverBudget { unit: Unit::EdgeSet, .. })
    ));

    // Which node a neighbour is says nothing about whether there is one.
    let mut sets = book(&three);
    let set = || vec![of(Unit::EdgeSet, "1", Status::Proven)];
    assert!(matches!(
        sets.charge(set()),
        Err(LedgerError::NotProven { unit: Unit::EdgeBit, status: Status::None, .. })
    ));
    sets.ledger.charge(ask(set()), &[Consent::Status(Status::None)]).unwrap();
    assert_eq!(
        [Unit::EdgeBit, Unit::EdgeSet, Unit::Edge].map(|unit| sets.spent(unit)),
        ["unbounded", "1", "unbounded"]
    );

    // What is released as it is uses every view up.
    let mut raw = book(&three);
    raw.ledger.charge(ask(vec![of(Unit::Edge, "inf", Status::None)]), &[Consent::Status(Status::None)]).unwrap();
    assert!([Unit::EdgeBit, Unit::EdgeSet, Unit::Edge].map(|unit| raw.spent(unit)).iter().all(|it| it == "unbounded"));
    assert!(raw.charge(vec![of(Unit::EdgeBit, "1", Status::Proven)]).is_err());
}

#[test]
fn a_ledger_that_keeps_one_view_on_edges_pays_for_what_promises_two() {
    let of = |unit, epsilon| Guarantee { mechanism: "edges".into(), ..proven(unit, epsilon) };
    let both = |epsilon, twice| vec![of(Unit::EdgeBit, epsilon), of(Unit::EdgeSet, twice)];
    let mut bits = book(&["edge-bit=3"]);
    bits.charge(both("2", "4")).unwrap();
    assert!(matches!(bits.charge(both("2", "4")), Err(LedgerError::OverBudget { unit: Unit::EdgeBit, .. })));
    let mut none = book(&["feature=3"]);
    assert!(matches!(none.charge(both("2", "4")), Err(LedgerError::OverBudget { .. })));
}

/// Further graphs of the owner are booked with the first one, all or none; alone they bind the book
/// to nothing.
#[test]
fn further_graphs_add_up_in_the_same_book() {
    let mut book = book(&["edge=4"]);
    let further = || {
        let coins = Coins::from_os().unwrap();
        Request::new(&data(&[(2, 3)]), coins, vec![proven(Unit::Edge, "1.5")]).unwrap()
    };
    book.ledger.charge_further(further(), &[]).unwrap();
    assert_eq!(book.spent(Unit::Edge), "1.5");
    let own = || ask(vec![proven(Unit::Edge, "1")]);
    // 1.5 + 1 + 1.5 = 4: one more is too much, and then nothing of it is booked.
    assert!(matches!(
        book.ledger.charge_all(own(), vec![further(), further()], &[]),
        Err(LedgerError::OverBudget { unit: Unit::Edge, .. })
    ));
    assert_eq!(book.spent(Unit::Edge), "1.5");
    assert_eq!(book.ledger.charge_all(own(), vec![further()], &[]).unwrap().1.len(), 1);
    assert_eq!(book.spent(Unit::Edge), "4");
    // It is bound to the first graph now.
    let other = Request::new(&data(&[(2, 3)]), Coins::from_os().unwrap(), Vec::new()).unwrap();
    assert!(matches!(book.ledger.charge(other, &[]), Err(LedgerError::OtherData { .. })));
}

/// What an owner calls public is released as it is without consent, unless the book has a budget
/// for it.
#[test]
fn public_units_need_no_consent_unless_they_have_a_budget() {
    let raw = |unit| guarantee(unit, "inf", "0", Status::None);
    let public = |unit| ask(vec![raw(unit), proven(Unit::Edge, "1")]).with_public(&[Unit::Feature, Unit::Label]);
    let mut book = book(&["edge=4", "label=1"]);
    book.ledger.charge(public(Unit::Feature), &[]).unwrap();
    assert_eq!((book.spent(Unit::Edge), book.spent(Unit::Feature)), ("1".to_owned(), "unbounded".to_owned()));
    assert!(matches!(book.ledger.charge(public(Unit::Label), &[]), Err(LedgerError::NotProven { .. })));
    let mut of_nodes = self::book(&["edge=4", "node=1"]);
    assert!(matches!(of_nodes.ledger.charge(public(Unit::Feature), &[]), Err(LedgerError::NotProven { .. })));
    // Nothing else becomes public by that.
    let node = ask(vec![raw(Unit::Node)]).with_public(&[Unit::Feature]);
    assert!(matches!(book.ledger.charge(node, &[]), Err(LedgerError::NotProven { .. })));
    let refuted = ask(vec![guarantee(Unit::Feature, "1", "0", Status::Refuted)]).with_public(&[Unit::Feature]);
    assert!(matches!(book.ledger.charge(refuted, &[]), Err(LedgerError::NotProven { .. })));
}

#[test]
fn what_costs_a_node_costs_twice_as_much_of_all_that_a_node_has() {
    let mut book = book(&["node=2,0.1", "edge=3,0.1", "label=10,1"]);
    book.charge(vec![guarantee(Unit::Node, "1", "0.001", Status::Proven)]).unwrap();
    assert_eq!(
        (book.spent(Unit::Node), book.spent(Unit::Edge), book.spent(Unit::Label)),
        ("1".into(), "2".into(), "2".into())
    );
    let report = book.ledger.report().unwrap();
    let edge = report.units.iter().find(|account| account.unit == Unit::Edge).unwrap();
    // (1 + e)·0.001, rounded up.
    assert!((edge.delta_spent.as_f64() - 0.003_718_281_828_459).abs() < 1e-14, "{:?}", edge.delta_spent);
    // A second one would be within the budget of nodes, and beyond that of edges.
    let refused = book.charge(vec![guarantee(Unit::Node, "1", "0.001", Status::Proven)]).unwrap_err();
    assert!(refused.to_string().contains("over budget for edge: asked 2, spent 2, left 1"), "{refused}");
    assert_eq!(book.spent(Unit::Node), "1");
}

#[test]
fn nothing_about_a_part_of_a_node_bounds_what_is_told_about_the_node() {
    let mut book = book(&["node=8,0.1", "edge=3"]);
    let refused = book.charge(vec![proven(Unit::Edge, "1")]).unwrap_err();
    assert!(refused.to_string().contains("for node is not proven (status none)"), "{refused}");
    book.ledger.charge(ask(vec![proven(Unit::Edge, "1")]), &[Consent::Status(Status::None)]).unwrap();
    assert_eq!((book.spent(Unit::Edge), book.spent(Unit::Node)), ("1".into(), "unbounded".into()));
}

#[test]
fn a_node_and_a_feature_in_one_release_cost_what_both_cost() {
    let mut book = book(&["node=2", "feature=10"]);
    let feature = Guarantee { mechanism: "another".into(), ..proven(Unit::Feature, "3") };
    book.ledger.charge(ask(vec![proven(Unit::Node, "1"), feature]), &[Consent::Status(Status::None)]).unwrap();
    assert_eq!(book.spent(Unit::Feature), "5");
}
