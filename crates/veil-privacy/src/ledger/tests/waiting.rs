//! A ledger that somebody else holds.

use std::sync::Mutex;
use std::time::Duration;

use super::*;

static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

#[test]
fn a_locked_ledger_says_who_holds_it_and_for_how_long() {
    let mut book = book(&["label=3"]);
    let busy = Connection::open(book.ledger.path()).unwrap();
    busy.execute_batch("BEGIN IMMEDIATE").unwrap();
    let notice: Notice = |waiting| TOLD.lock().unwrap().push(waiting.to_string());
    book.ledger.patience = Patience { limit: Duration::from_millis(1100), notice: Some(notice) };
    let refused = book.charge(vec![proven(Unit::Label, "1")]).unwrap_err();
    assert!(matches!(refused, LedgerError::Locked { .. }), "{refused}");
    assert!(refused.to_string().contains("still locked after 1 s; "), "{refused}");
    let told = TOLD.lock().unwrap().clone();
    assert!(told.len() == 1 && told[0].starts_with("waiting for "), "{told:?}");
    if cfg!(target_os = "linux") {
        let process = format!("process {} (", std::process::id());
        assert!(refused.to_string().contains(&process) && told[0].contains(&process), "{refused}\n{told:?}");
    }
    busy.execute_batch("ROLLBACK").unwrap();
    book.charge(vec![proven(Unit::Label, "1")]).unwrap();
}
