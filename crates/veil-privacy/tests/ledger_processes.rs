//! The ledger between processes: they never overspend together, and a killed one loses no entry.
//!
//! A test starts this very test binary again as another process, told by an environment variable
//! what to do.

#![allow(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests, too, may fail a test")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use veil_graph::{Dataset, Direction, Dropped, Graph};
use veil_privacy::{Budget, Coins, Delta, Guarantee, Ledger, LedgerError, Private, Request, Status, Trust, Unit};

const ROLE: &str = "VEIL_TEST_LEDGER_ROLE";
const BOOK: &str = "VEIL_TEST_LEDGER_BOOK";

fn charge(ledger: &mut Ledger) -> Result<(), LedgerError> {
    let graph = Graph::from_edges(3, &[(0, 1)], Direction::Undirected).unwrap().graph;
    let data = Private::seal(Dataset::new("tiny", graph, Dropped::default()));
    let guarantee = Guarantee {
        unit: Unit::Edge,
        trust: Trust::Central,
        epsilon: "0.1".parse().unwrap(),
        delta: Delta::ZERO,
        status: Status::Proven,
        reproducible: false,
        per_relationship: None,
        mechanism: "test".into(),
        parameters: Default::default(),
        assumptions: Vec::new(),
        not_protected: Vec::new(),
        source: String::new(),
    };
    let request = Request::new(&data, Coins::from_os().unwrap(), vec![guarantee]).unwrap();
    ledger.charge(request, &[]).map(drop)
}

/// Not a test of its own: what the other processes run.
#[test]
fn another_process() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let book = PathBuf::from(std::env::var(BOOK).unwrap());
    let mut ledger = Ledger::open(&book).unwrap();
    match role.as_str() {
        "charge until refused" => loop {
            match charge(&mut ledger) {
                Ok(()) => {}
                Err(LedgerError::OverBudget { .. }) => return,
                Err(other) => panic!("{other}"),
            }
        },
        "charge and hang" => {
            charge(&mut ledger).unwrap();
            std::fs::write(book.with_extension("charged"), "").unwrap();
            std::thread::sleep(Duration::from_secs(600));
        }
        other => panic!("{other:?}"),
    }
}

fn start(role: &str, book: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "another_process", "--quiet"])
        .env(ROLE, role)
        .env(BOOK, book)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn new_book(folder: &tempfile::TempDir, budget: &str) -> PathBuf {
    let path = folder.path().join("book.db");
    Ledger::create(&path, &[budget.parse::<Budget>().unwrap()]).unwrap();
    path
}

#[test]
fn processes_that_charge_at_once_spend_the_budget_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let book = new_book(&folder, "edge=4");
    let children: Vec<Child> = (0..6).map(|_| start("charge until refused", &book)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let report = Ledger::open(&book).unwrap().report().unwrap();
    assert_eq!(report.entries.len(), 40);
    assert_eq!(report.units[0].spent.to_string(), "4");
}

#[test]
fn a_process_killed_between_charge_and_release_loses_no_entry() {
    let folder = tempfile::tempdir().unwrap();
    let book = new_book(&folder, "edge=4");
    for round in 1..=3 {
        let mut child = start("charge and hang", &book);
        let (mark, begun) = (book.with_extension("charged"), Instant::now());
        while !mark.exists() {
            assert!(begun.elapsed() < Duration::from_secs(300), "the other process did not charge");
            std::thread::sleep(Duration::from_millis(5));
        }
        // On Unix this is SIGKILL, which no process can catch.
        child.kill().unwrap();
        child.wait().unwrap();
        std::fs::remove_file(mark).unwrap();
        let report = Ledger::open(&book).unwrap().report().unwrap();
        assert_eq!(report.entries.len(), round);
    }
}
