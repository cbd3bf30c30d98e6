-- One book per private data set. Entries are added, never changed.
PRAGMA application_id = 0x7665696c; -- "veil"
PRAGMA user_version = 1;

CREATE TABLE book (
    created     TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    fingerprint TEXT -- of the data set, from the first charge on
);
INSERT INTO book DEFAULT VALUES;

CREATE TABLE budget (
    unit          TEXT PRIMARY KEY,
    epsilon_nanos INTEGER, -- NULL: no limit
    delta_units   INTEGER NOT NULL
);

CREATE TABLE entry (
    number           INTEGER PRIMARY KEY,
    charged          TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    release          TEXT NOT NULL,
    reproducible     INTEGER NOT NULL,
    unit             TEXT NOT NULL,
    epsilon_nanos    INTEGER, -- NULL: unbounded
    delta_units      INTEGER NOT NULL,
    guarantee        TEXT NOT NULL -- as in privacy.json
);

CREATE TRIGGER entries_stay_as_they_are BEFORE UPDATE ON entry
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entries_stay BEFORE DELETE ON entry
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER the_data_set_stays BEFORE UPDATE OF fingerprint ON book WHEN OLD.fingerprint IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'the ledger is bound to its data set'); END;
CREATE TRIGGER the_book_stays BEFORE DELETE ON book
BEGIN SELECT RAISE(ABORT, 'the ledger is bound to its data set'); END;
CREATE TRIGGER budgets_stay_as_they_are BEFORE UPDATE ON budget
BEGIN SELECT RAISE(ABORT, 'a budget is set once'); END;
CREATE TRIGGER budgets_stay BEFORE DELETE ON budget
BEGIN SELECT RAISE(ABORT, 'a budget is set once'); END;
