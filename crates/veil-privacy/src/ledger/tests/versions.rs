//! Ledgers of earlier versions: upgraded, and nothing forgotten.

use sha2::{Digest, Sha256};

use super::*;

struct Old {
    folder: tempfile::TempDir,
}

impl Old {
    /// A ledger of an earlier version with ε = 3 for edges and labels.
    fn new(schema: &str) -> Old {
        let old = Old { folder: tempfile::tempdir().unwrap() };
        old.sql(schema);
        old.sql("INSERT INTO budget VALUES ('edge', 3000000000, 0), ('label', 3000000000, 0)");
        old.sql("UPDATE book SET sealed = 1");
        old
    }

    fn version_1() -> Old {
        Old::new(include_str!("version_1.sql"))
    }

    fn version_2() -> Old {
        Old::new(include_str!("version_2.sql"))
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("book.db")
    }

    fn sql(&self, sql: &str) {
        Connection::open(self.path()).unwrap().execute_batch(sql).unwrap();
    }

    fn enter(&self, unit: &str, nanos: u64, reproducible: bool, guarantee: &str) {
        let insert = "INSERT INTO entry (release, reproducible, unit, epsilon_nanos, delta_units, guarantee)
            VALUES ('ab', ?1, ?2, ?3, 0, ?4)";
        let book = Connection::open(self.path()).unwrap();
        book.execute(insert, rusqlite::params![reproducible, unit, nanos, guarantee]).unwrap();
    }

    fn open(&self) -> Result<Ledger, LedgerError> {
        Ledger::open(&self.path())
    }
}

fn json(guarantee: &Guarantee) -> String {
    serde_json::to_string(guarantee).unwrap()
}

/// Every ledger stores this text, comments included, and is compared with it: another text is
/// another version.
#[test]
fn the_tables_of_this_version_stay_as_they_are() {
    let digest = Sha256::digest(include_str!("../schema.sql"));
    let pinned = "0f6e3569e571cd5aff78f21c8129408a7636858540e1d29e614fd956bf9612fa";
    assert_eq!((schema::VERSION, veil_graph::bytes::hex(&digest).as_str()), (3, pinned), "raise the version");
}

#[test]
fn a_ledger_of_version_1_is_upgraded_and_forgets_nothing() {
    let old = Old::version_1();
    let print = data(&[(0, 1)]).fingerprint().to_string();
    old.sql(&format!("UPDATE book SET fingerprint = '{print}'"));
    old.enter("edge", 1_000_000_000, false, &json(&proven(Unit::Edge, "1")));
    let mut ledger = old.open().unwrap();
    let report = ledger.report().unwrap();
    let Snapshot { name, fingerprint, .. } = &report.snapshots[0];
    assert_eq!((name.as_str(), fingerprint.as_str()), ("first", print.as_str()));
    let entry = &report.entries[0];
    assert_eq!((entry.epsilon.to_string(), &entry.data, &entry.snapshot), ("1".to_owned(), &None, &None));
    ledger.charge(ask(vec![proven(Unit::Edge, "1")]), &[]).unwrap();
    let other = Request::new(&data(&[(1, 2)]), Coins::from_os().unwrap(), vec![proven(Unit::Edge, "1")]).unwrap();
    assert!(matches!(ledger.charge(other, &[]), Err(LedgerError::OtherData { .. })));
    drop(ledger);
    assert_eq!(old.open().unwrap().report().unwrap().units[1].spent.to_string(), "2");
    old.sql("PRAGMA user_version = 4");
    assert!(matches!(old.open(), Err(LedgerError::NotALedger { .. })));
}

/// Version 0.1 wrote parameters and assumptions as texts, and booked the ε of seeded releases.
#[test]
fn a_ledger_of_version_2_is_upgraded_with_entries_in_all_formats() {
    let old = Old::version_2();
    old.sql("INSERT INTO snapshot (name, fingerprint) VALUES ('2026', 'ab'), ('2027', 'cd')");
    let text = r#"{"unit":"label","trust":"local","epsilon":0.5,"delta":0,"status":"proven","reproducible":false,
        "per_relationship":null,"mechanism":"randomised-response","parameters":"epsilon=0.5;values=7",
        "assumptions":["the number of classes is public"],"not_protected":[],"source":"a proof"}"#;
    old.enter("label", 500_000_000, false, text);
    let seeded = Guarantee { reproducible: true, ..proven(Unit::Edge, "1") };
    old.enter("edge", 1_000_000_000, true, &json(&seeded));
    let report = old.open().unwrap().report().unwrap();
    assert_eq!(report.snapshots.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["2026", "2027"]);
    let shown = serde_json::to_value(&report.entries[0]).unwrap();
    assert_eq!(shown["guarantee"]["parameters"], "epsilon=0.5;values=7");
    let spent: Vec<String> = report.units.iter().map(|it| it.spent.to_string()).collect();
    assert_eq!(spent, ["0.5", "unbounded"]);
    assert_eq!(report.head.entries, 2);
}

/// They have no chain, but some damage shows all the same: then nothing is upgraded.
#[test]
fn a_damaged_ledger_of_an_earlier_version_is_not_upgraded() {
    let one = |nanos| {
        let old = Old::version_2();
        old.enter("label", nanos, false, &json(&proven(Unit::Label, "1")));
        old
    };
    let patched = one(1);
    let gap = one(1_000_000_000);
    gap.enter("label", 1_000_000_000, false, &json(&proven(Unit::Label, "1")));
    gap.sql("DROP TRIGGER entries_stay; DELETE FROM entry WHERE number = 1");
    let cut = one(1_000_000_000);
    let bytes = std::fs::read(cut.path()).unwrap();
    std::fs::write(cut.path(), &bytes[..bytes.len() - 4096]).unwrap();
    for (old, says) in [(patched, "not those of its guarantee"), (gap, "rows are missing"), (cut, "SQLite reports")] {
        let before = std::fs::read(old.path()).unwrap();
        let refused = old.open().unwrap_err();
        assert!(matches!(refused, LedgerError::Damaged { .. }), "{refused}");
        assert!(refused.to_string().contains(says), "{refused}");
        assert_eq!(std::fs::read(old.path()).unwrap(), before, "{says}");
    }
}
