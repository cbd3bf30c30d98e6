//! Which data a ledger is about.

use super::*;

#[test]
fn later_snapshots_are_charged_after_the_owner_added_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.db");
    let mut ledger = Ledger::create_for(&path, &["edge=4".parse().unwrap()], Some("our friends"), None).unwrap();
    let of = |data: &Private<Dataset>| Request::new(data, Coins::from_os().unwrap(), vec![proven(Unit::Edge, "1")]);
    let (first, later, other) = (data(&[(0, 1)]), data(&[(0, 1), (1, 2)]), data(&[(2, 3)]));
    ledger.charge(of(&first).unwrap(), &[]).unwrap();
    let refused = ledger.charge(of(&later).unwrap(), &[]).unwrap_err();
    assert!(refused.to_string().contains("tiny is none of its snapshots (tiny)"), "{refused}");
    assert!(matches!(ledger.add_snapshot(&later, None), Err(LedgerError::RepeatedName { .. })));
    assert!(matches!(ledger.add_snapshot(&first, Some("2027")), Err(LedgerError::KnownSnapshot { .. })));
    ledger.add_snapshot(&later, Some("2027")).unwrap();
    ledger.charge(of(&later).unwrap(), &[]).unwrap();
    ledger.charge(of(&first).unwrap(), &[]).unwrap();
    // A further graph is no snapshot, and its entry says which data it is about.
    ledger.charge_further(of(&other).unwrap(), &[]).unwrap();
    assert!(matches!(ledger.charge(of(&other).unwrap(), &[]), Err(LedgerError::OtherData { .. })));
    let report = ledger.report().unwrap();
    assert_eq!(report.lineage.as_deref(), Some("our friends"));
    assert_eq!(report.snapshots.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["tiny", "2027"]);
    let about: Vec<_> = report.entries.iter().map(|it| (it.data.as_deref(), it.snapshot.as_deref())).collect();
    let tiny = Some("tiny");
    assert_eq!(about, [(tiny, tiny), (tiny, Some("2027")), (tiny, tiny), (tiny, None)]);
    // Sums go over the whole lineage.
    assert_eq!(report.units[0].spent.to_string(), "4");
    assert!(matches!(ledger.charge(of(&later).unwrap(), &[]), Err(LedgerError::OverBudget { .. })));
}
