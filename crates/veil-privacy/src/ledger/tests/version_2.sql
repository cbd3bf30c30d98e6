-- One book per lineage of private data sets (snapshots.sql). Entries are added, never changed.
PRAGMA application_id = 0x7665696c; -- "veil"
PRAGMA user_version = 2;

CREATE TABLE book (
    created     TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    lineage     TEXT, -- the owner's name for all snapshots together
    sealed      INTEGER NOT NULL DEFAULT 0 -- 1 once the budgets are set
);
INSERT INTO book DEFAULT VALUES;

CREATE TABLE budget (
    unit          TEXT PRIMARY KEY,
    epsilon_nanos INTEGER CHECK (epsilon_nanos > 0), -- NULL: no limit
    delta_units   INTEGER NOT NULL CHECK (delta_units BETWEEN 0 AND 1000000000000000000)
);

CREATE TABLE entry (
    number           INTEGER PRIMARY KEY,
    charged          TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    release          TEXT NOT NULL,
    reproducible     INTEGER NOT NULL,
    unit             TEXT NOT NULL,
    epsilon_nanos    INTEGER CHECK (epsilon_nanos > 0), -- NULL: unbounded
    delta_units      INTEGER NOT NULL CHECK (delta_units BETWEEN 0 AND 1000000000000000000),
    guarantee        TEXT NOT NULL, -- as in privacy.json
    data             TEXT, -- name of the data set; NULL in entries of version 1
    fingerprint      TEXT -- of the data set; NULL in entries of version 1
);

-- REPLACE removes a row without asking the triggers of DELETE, so inserting over one is refused before it happens.
CREATE TRIGGER entries_are_not_replaced BEFORE INSERT ON entry
WHEN EXISTS (SELECT 1 FROM entry WHERE number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER budgets_are_set_once BEFORE INSERT ON budget WHEN (SELECT sealed FROM book)
BEGIN SELECT RAISE(ABORT, 'a budget is set once'); END;
CREATE TRIGGER there_is_one_book BEFORE INSERT ON book WHEN EXISTS (SELECT 1 FROM book)
BEGIN SELECT RAISE(ABORT, 'the ledger is bound to its data'); END;
CREATE TRIGGER the_book_stays_sealed BEFORE UPDATE OF sealed ON book WHEN OLD.sealed
BEGIN SELECT RAISE(ABORT, 'a budget is set once'); END;
CREATE TRIGGER entries_stay_as_they_are BEFORE UPDATE ON entry
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entries_stay BEFORE DELETE ON entry
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER the_book_stays BEFORE DELETE ON book
BEGIN SELECT RAISE(ABORT, 'the ledger is bound to its data'); END;
CREATE TRIGGER budgets_stay_as_they_are BEFORE UPDATE ON budget
BEGIN SELECT RAISE(ABORT, 'a budget is set once'); END;
CREATE TRIGGER budgets_stay BEFORE DELETE ON budget
BEGIN SELECT RAISE(ABORT, 'a budget is set once'); END;
-- The snapshots of the data that a ledger is about. They are added, never changed.
CREATE TABLE snapshot (
    number      INTEGER PRIMARY KEY,
    added       TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    name        TEXT NOT NULL UNIQUE,
    fingerprint TEXT NOT NULL UNIQUE
);

CREATE TRIGGER snapshots_are_not_replaced BEFORE INSERT ON snapshot
WHEN EXISTS (SELECT 1 FROM snapshot WHERE number = NEW.number OR name = NEW.name OR fingerprint = NEW.fingerprint)
BEGIN SELECT RAISE(ABORT, 'a snapshot is added once'); END;
CREATE TRIGGER snapshots_stay_as_they_are BEFORE UPDATE ON snapshot
BEGIN SELECT RAISE(ABORT, 'the ledger is bound to its data'); END;
CREATE TRIGGER snapshots_stay BEFORE DELETE ON snapshot
BEGIN SELECT RAISE(ABORT, 'the ledger is bound to its data'); END;
CREATE TRIGGER the_lineage_stays BEFORE UPDATE OF lineage ON book WHEN OLD.sealed
BEGIN SELECT RAISE(ABORT, 'the ledger is bound to its data'); END;
