//! Which data a ledger is about.

use super::*;

#[test]
fn later_snapshots_are_charged_after_the_owner_added_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.db");
    let mut ledger = Ledger::create_for(&path, &["edge=4".parse().unwrap()], Some("our friends")).unwrap();
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

/// The columns and triggers of a ledger.
fn layout(connection: &Connection) -> Vec<String> {
    let text = |sql: &str| -> Vec<String> {
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let columns =
        |table: &str| text(&format!("SELECT '{table}.' || name || ' ' || type FROM pragma_table_info('{table}')"));
    let mut all = text("SELECT name FROM sqlite_master WHERE type IN ('table', 'trigger')");
    all.extend(["book", "budget", "entry", "snapshot"].into_iter().flat_map(columns));
    all.sort();
    all
}

#[test]
fn a_ledger_of_version_1_is_upgraded_and_forgets_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.db");
    let first = data(&[(0, 1)]);
    let old = Connection::open(&path).unwrap();
    old.execute_batch(include_str!("version_1.sql")).unwrap();
    let print = first.fingerprint().to_string();
    let json = serde_json::to_string(&proven(Unit::Edge, "1")).unwrap();
    old.execute("INSERT INTO budget VALUES ('edge', 3000000000, 0)", []).unwrap();
    old.execute("UPDATE book SET sealed = 1", []).unwrap();
    old.execute("UPDATE book SET fingerprint = ?1", [&print]).unwrap();
    let insert = "INSERT INTO entry (release, reproducible, unit, epsilon_nanos, delta_units, guarantee)
        VALUES ('ab', 0, 'edge', 1000000000, 0, ?1)";
    old.execute(insert, [&json]).unwrap();
    drop(old);
    let mut ledger = Ledger::open(&path).unwrap();
    let report = ledger.report().unwrap();
    assert_eq!(
        (report.snapshots[0].name.as_str(), report.snapshots[0].fingerprint.as_str()),
        ("first", print.as_str())
    );
    let entry = &report.entries[0];
    assert_eq!((entry.epsilon.to_string(), &entry.data, &entry.snapshot), ("1".to_owned(), &None, &None));
    ledger.charge(ask(vec![proven(Unit::Edge, "1")]), &[]).unwrap();
    let other = Request::new(&data(&[(1, 2)]), Coins::from_os().unwrap(), vec![proven(Unit::Edge, "1")]).unwrap();
    assert!(matches!(ledger.charge(other, &[]), Err(LedgerError::OtherData { .. })));
    drop(ledger);
    let mut again = Ledger::open(&path).unwrap();
    assert_eq!(again.report().unwrap().units[0].spent.to_string(), "2");
    assert_eq!(layout(&again.connection), layout(&book(&["edge=3"]).ledger.connection));
    again.connection.execute_batch("PRAGMA user_version = 3").unwrap();
    assert!(matches!(Ledger::open(&path), Err(LedgerError::NotALedger { .. })));
}
