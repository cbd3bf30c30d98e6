//! A ledger that does not add up is refused by every reader.

use super::*;

/// A ledger without budget left: three times ε = 1 of `label=3`.
fn full() -> Book {
    let mut book = book(&["label=3"]);
    for _ in 0..3 {
        book.charge(vec![proven(Unit::Label, "1")]).unwrap();
    }
    book
}

/// Changes the file of a ledger as a stranger would: without triggers and checks.
fn tamper(book: &Book, sql: &str) {
    let connection = &book.ledger.connection;
    let mut names = connection.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").unwrap();
    let rows = names.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let triggers: Vec<(String, String)> = rows.map(Result::unwrap).collect();
    drop(names);
    connection.execute_batch("PRAGMA ignore_check_constraints = ON; BEGIN").unwrap();
    triggers.iter().for_each(|(name, _)| connection.execute_batch(&format!("DROP TRIGGER {name}")).unwrap());
    connection.execute_batch(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    triggers.iter().for_each(|(_, sql)| connection.execute_batch(sql).unwrap());
    connection.execute_batch("COMMIT").unwrap();
}

#[track_caller]
fn is_refused(mut book: Book, says: &str, what: &str) {
    let path = book.ledger.path().to_owned();
    let charge = || ask(vec![proven(Unit::Label, "1")]);
    let refusals = [
        book.ledger.charge(charge(), &[]).map(drop),
        book.ledger.charge_further(charge(), &[]).map(drop),
        book.ledger.report().map(drop),
        book.ledger.verify(&[], &[]).map(drop),
        book.ledger.backup(&path.with_extension("copy")).map(drop),
        book.ledger.add_snapshot(&data(&[(1, 2)]), Some("later")),
    ];
    for (at, refused) in refusals.into_iter().enumerate() {
        let refused = refused.expect_err(what);
        assert!(matches!(refused, LedgerError::Damaged { .. }), "{what}: {at}: {refused}");
        assert!(refused.to_string().contains(says), "{what}: {at}: {refused}");
        assert!(refused.hint().unwrap().contains("backup"));
    }
    assert!(!path.with_extension("copy").exists());
}

#[test]
fn any_changed_missing_or_added_row_is_noticed() {
    for (change, says) in [
        ("UPDATE entry SET epsilon_nanos = 1 WHERE number = 2", "entry 2: its amounts are not those of its guarantee"),
        ("UPDATE entry SET epsilon_nanos = NULL WHERE number = 2", "entry 2: its amounts"),
        (
            "UPDATE entry SET epsilon_nanos = 500000000, guarantee = replace(guarantee, '\"epsilon\":1', '\"epsilon\":0.5')",
            "entry 1 differs from its link",
        ),
        ("UPDATE entry SET unit = 'edge', guarantee = replace(guarantee, 'label', 'edge')", "entry 1 differs"),
        ("UPDATE entry SET unit = 'knot' WHERE number = 3", "entry 3"),
        ("UPDATE entry SET data = 'other' WHERE number = 3", "entry 3 differs"),
        ("UPDATE entry SET charged = '' WHERE number = 3", "entry 3 differs"),
        ("DELETE FROM entry WHERE number = 3", "entry 3: missing"),
        ("DELETE FROM entry WHERE number = 1", "rows are missing"),
        ("DELETE FROM entry", "entry 1: missing"),
        ("INSERT INTO entry SELECT 4, charged, release, reproducible, unit, epsilon_nanos, delta_units, guarantee, data,
            fingerprint FROM entry WHERE number = 3", "the number of entries is 4, but 3"),
        ("DELETE FROM entry WHERE number = 3; DELETE FROM chain WHERE place = 4", "the number of entries is 2, but 3"),
        (
            "DELETE FROM entry WHERE number = 3; DELETE FROM chain WHERE place = 4; UPDATE head SET entries = 2",
            "its chain does not end at its head",
        ),
        ("UPDATE chain SET link = zeroblob(32) WHERE place = 4", "entry 3 differs"),
        ("UPDATE head SET link = zeroblob(32)", "does not end at its head"),
        ("UPDATE head SET snapshots = 0", "snapshots"),
        ("DELETE FROM head", "head: 0 rows instead of one"),
        ("UPDATE budget SET epsilon_nanos = 9000000000", "snapshot 1 differs"),
        ("UPDATE budget SET epsilon_nanos = NULL", "snapshot 1 differs"),
        ("INSERT INTO budget VALUES ('edge', 1, 0)", "snapshot 1 differs"),
        ("DELETE FROM budget", "snapshot 1 differs"),
        ("UPDATE snapshot SET fingerprint = 'x'", "snapshot 1 differs"),
        ("DELETE FROM snapshot", "snapshot 1: missing"),
        ("UPDATE book SET lineage = 'x'", "snapshot 1 differs"),
        ("UPDATE book SET salt = zeroblob(32)", "snapshot 1 differs"),
        ("DELETE FROM book", "book: 0 rows instead of one"),
        ("CREATE TABLE more (x)", "its table or trigger more was changed"),
    ] {
        let book = full();
        tamper(&book, change);
        is_refused(book, says, change);
    }
}

#[test]
fn numbers_that_we_do_not_write_and_missing_triggers_are_noticed() {
    let book = full();
    tamper(&book, "UPDATE budget SET epsilon_nanos = 0");
    is_refused(book, "budget 1: 0·10⁻⁹ is no ε", "an ε of 0");
    let book = full();
    book.ledger.connection.execute_batch("DROP TRIGGER entries_stay").unwrap();
    is_refused(book, "its table or trigger entries_stay was changed", "a trigger");
}

/// The damage that started this: a file cut off after some page of a full ledger.
#[test]
fn a_ledger_that_was_cut_off_pays_for_nothing() {
    let book = full();
    let path = book.ledger.path().to_owned();
    let bytes = std::fs::read(&path).unwrap();
    for pages in 1..bytes.len() / 4096 {
        let cut = path.with_file_name(format!("cut{pages}.db"));
        std::fs::write(&cut, &bytes[..pages * 4096]).unwrap();
        let charged = Ledger::open(&cut).and_then(|mut it| it.charge(ask(vec![proven(Unit::Label, "1")]), &[]));
        assert!(matches!(charged, Err(LedgerError::Damaged { .. })), "{pages}: {charged:?}");
    }
}

/// `mv` or `rm` between the opening of a ledger and the end of its charge: no permit.
#[cfg(unix)]
#[test]
fn a_ledger_that_was_moved_replaced_or_removed_issues_no_permit() {
    let actions: [fn(&Path); 4] = [
        |path| std::fs::rename(path, path.with_extension("moved")).unwrap(),
        |path| std::fs::remove_file(path).unwrap(),
        |path| {
            std::fs::rename(path, path.with_extension("moved")).unwrap();
            Ledger::create(path, &["label=9".parse().unwrap()]).unwrap();
        },
        |path| {
            std::fs::copy(path, path.with_extension("copy")).unwrap();
            std::fs::rename(path.with_extension("copy"), path).unwrap();
        },
    ];
    for act in actions {
        let mut book = book(&["label=3"]);
        act(book.ledger.path());
        let refused = book.charge(vec![proven(Unit::Label, "1")]).unwrap_err();
        // SQLite notices these before anything is written.
        assert!(matches!(refused, LedgerError::Moved { .. }) && !refused.is_uncertain(), "{refused}");
    }
}

#[test]
fn drafts_of_killed_processes_are_removed_and_those_in_use_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let left_over = folder.path().join(".ledger-draft-abc123");
    let mine = folder.path().join(".ledger-backup");
    std::fs::write(&mine, "a copy of the owner's").unwrap();
    std::fs::write(&left_over, "half a ledger").unwrap();
    let in_use = file::DRAFTS.create(folder.path()).unwrap();
    assert!(!left_over.exists() && in_use.path().exists());
    std::fs::write(&left_over, "half a ledger").unwrap();
    let path = folder.path().join("book.db");
    Ledger::create(&path, &["edge=1".parse().unwrap()]).unwrap();
    assert!(!left_over.exists() && in_use.path().exists());
    std::fs::write(&left_over, "half a ledger").unwrap();
    Ledger::open(&path).unwrap();
    assert!(!left_over.exists() && in_use.path().exists() && mine.exists());
}
