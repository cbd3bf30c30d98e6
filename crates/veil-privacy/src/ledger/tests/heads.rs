//! Heads that are kept elsewhere: backups, head files and statements show a rollback.

use super::*;
use crate::guarantee::{Booking, Statement};
use crate::permit::Permit;

fn charge(ledger: &mut Ledger) -> Permit {
    ledger.charge(ask(vec![proven(Unit::Label, "1")]), &[]).unwrap()
}

fn statement(permit: &Permit, epsilon: &str) -> Statement {
    Statement {
        format: Statement::FORMAT,
        release: permit.release().to_string(),
        data: "tiny".to_owned(),
        reproducible: false,
        seed: None,
        booked: permit.booked(),
        ledger: permit.ledger(),
        declared: Default::default(),
        guarantees: vec![proven(Unit::Label, epsilon)],
        withheld: Vec::new(),
    }
}

#[test]
fn a_backup_put_back_in_place_lacks_later_heads_and_charges() {
    let mut book = book(&["label=3"]);
    let path = book.ledger.path().to_owned();
    let copy = path.with_file_name("copy.db");
    let early = charge(&mut book.ledger);
    let head = book.ledger.backup(&copy).unwrap();
    assert_eq!(Some(head), early.ledger());
    let beside = std::fs::read_to_string(head_beside(&copy)).unwrap();
    assert_eq!(beside.trim().parse(), Ok(head));
    assert!(matches!(book.ledger.backup(&copy), Err(LedgerError::Exists { .. })), "a copy is not overwritten");

    let late = charge(&mut book.ledger);
    let head = book.ledger.report().unwrap().head;
    let known = [("head.txt".to_owned(), head)];
    let statements = [&early, &late].map(|it| ("privacy.json".to_owned(), statement(it, "1")));
    let verified = book.ledger.verify(&known, &statements).unwrap();
    assert_eq!((verified.head, verified.heads, verified.statements), (head, 1, 2));

    // The copy adds up by itself: only what is known elsewhere shows that it is old.
    let mut old = Ledger::open(&copy).unwrap();
    old.verify(&[], &statements[..1]).unwrap();
    let refused = old.verify(&known, &[]).unwrap_err();
    assert!(matches!(refused, LedgerError::RolledBack { entries: 1, .. }), "{refused}");
    assert!(refused.to_string().contains("head.txt"), "{refused}");
    assert!(matches!(old.verify(&[], &statements), Err(LedgerError::RolledBack { .. })));
    // After another charge it has as many entries, and is another ledger all the same.
    charge(&mut old);
    assert!(matches!(old.verify(&known, &[]), Err(LedgerError::RolledBack { entries: 2, .. })));
}

#[test]
fn a_statement_that_promises_less_than_was_charged_is_noticed() {
    let mut book = book(&["label=3"]);
    let permit = charge(&mut book.ledger);
    let edited = [("edited".to_owned(), statement(&permit, "0.01"))];
    let refused = book.ledger.verify(&[], &edited).unwrap_err();
    assert!(refused.to_string().contains("no charge for label with ε = 0.01 by test"), "{refused}");
    let unbooked = Statement { booked: Booking::None, ledger: None, ..statement(&permit, "1") };
    assert!(matches!(book.ledger.verify(&[], &[("x".to_owned(), unbooked)]), Err(LedgerError::NotCharged { .. })));
}

#[test]
fn a_head_file_follows_every_change_and_refuses_an_older_copy() {
    let folder = tempfile::tempdir().unwrap();
    let (path, head_file) = (folder.path().join("book.db"), folder.path().join("elsewhere.head"));
    let budgets = ["label=3".parse().unwrap()];
    let create = |path: &Path| Ledger::create_for(path, &budgets, None, Some(&head_file));
    let mut ledger = create(&path).unwrap();
    assert!(create(&folder.path().join("second.db")).is_err(), "the head file belongs to another ledger");
    assert!(!folder.path().join("second.db").exists());
    let kept = || std::fs::read_to_string(&head_file).unwrap().parse::<Head>().unwrap();
    assert_eq!(kept(), ledger.report().unwrap().head);
    let permit = charge(&mut ledger);
    assert_eq!((Some(kept()), kept().entries), (permit.ledger(), 1));
    ledger.add_snapshot(&data(&[(2, 3)]), Some("later")).unwrap();
    assert_eq!((kept(), kept().entries), (ledger.report().unwrap().head, 1));

    // Interrupted between the commit and the head file: the file is behind, which is no rollback.
    let behind = std::fs::read(&head_file).unwrap();
    let old = std::fs::read(&path).unwrap();
    charge(&mut ledger);
    let ahead = std::fs::read(&head_file).unwrap();
    std::fs::write(&head_file, behind).unwrap();
    charge(&mut ledger);
    drop(ledger);

    // An older copy is put back.
    std::fs::write(&head_file, ahead).unwrap();
    std::fs::write(&path, old).unwrap();
    let mut ledger = Ledger::open(&path).unwrap();
    let refused = ledger.charge(ask(vec![proven(Unit::Label, "1")]), &[]).unwrap_err();
    assert!(matches!(refused, LedgerError::RolledBack { .. }), "{refused}");
    std::fs::remove_file(&head_file).unwrap();
    let refused = ledger.charge(ask(vec![proven(Unit::Label, "1")]), &[]).unwrap_err();
    assert!(matches!(refused, LedgerError::NoHead { .. }), "{refused}");
}

/// The fingerprint of the data is in the chain, and a head is published: whoever knows all but the
/// data, and every earlier head, must not be able to test a guess.
#[test]
fn a_head_depends_on_a_secret_of_the_ledger_in_every_link() {
    let mut books = [book(&["label=3"]), book(&["label=3"])];
    let [one, other] = books.each_mut().map(|book| book.ledger.read().unwrap().content);
    assert_ne!(one.founding.salt, other.founding.salt);
    let entry = content::Row {
        charged: String::new(),
        release: String::new(),
        reproducible: false,
        unit: Unit::Label,
        epsilon: Spent::Unbounded,
        delta: crate::Delta::ZERO,
        guarantee: String::new(),
        data: None,
        fingerprint: Some("the data".to_owned()),
    };
    let link = Link([7; 32]);
    assert_ne!(one.founding.after_entry(link, 1, &entry), other.founding.after_entry(link, 1, &entry));
    let snapshot = Snapshot { name: String::new(), added: String::new(), fingerprint: "the data".to_owned() };
    assert_ne!(one.founding.after_snapshot(link, 1, &snapshot), other.founding.after_snapshot(link, 1, &snapshot));
}

#[test]
fn heads_are_read_from_text() {
    let digits = "0123456789abcdef".repeat(4);
    let head: Head = format!(" 7:{digits}\n").parse().unwrap();
    assert_eq!((head.entries, head.to_string()), (7, format!("7:{digits}")));
    for wrong in ["", "7", "7:", ":00", &digits, &format!("x:{digits}"), &format!("7:{digits}0")] {
        assert!(wrong.parse::<Head>().is_err(), "{wrong}");
    }
}

/// What fails after the commit may have been charged, and the error says so and how to find out.
#[test]
fn a_charge_that_fails_after_its_commit_is_uncertain() {
    let folder = tempfile::tempdir().unwrap();
    let (path, head_file) = (folder.path().join("book.db"), folder.path().join("head"));
    let ledger = Ledger::create_for(&path, &["edge=9".parse().unwrap()], None, Some(&head_file)).unwrap();
    let request = ask(vec![proven(Unit::Edge, "1")]);
    let book = ledger.begin().unwrap();
    std::fs::rename(&head_file, folder.path().join("taken")).unwrap();
    let failed = charge::book_all(book, std::iter::once(&request), &[]).unwrap_err();
    assert!(failed.is_uncertain(), "{failed}");
    assert!(failed.to_string().ends_with("it is not known whether it was charged"), "{failed}");
    let (hint, path) = (failed.hint().unwrap(), path.display());
    let release = request.release.to_string();
    for part in ["restore the head file", &format!("verify {path}"), &format!("show {path}"), &release] {
        assert!(hint.contains(part), "{hint}");
    }
    std::fs::rename(folder.path().join("taken"), &head_file).unwrap();
    let mut ledger = ledger;
    assert_eq!(ledger.report().unwrap().entries[0].release, release);
}
