-- One book per lineage of private data sets. Rows are added, never changed; the chain commits to all of them.
PRAGMA application_id = 0x7665696c; -- "veil"
PRAGMA user_version = 3;

CREATE TABLE budget (
    unit          TEXT PRIMARY KEY,
    epsilon_nanos INTEGER CHECK (epsilon_nanos > 0), -- NULL: no limit
    delta_units   INTEGER NOT NULL CHECK (delta_units BETWEEN 0 AND 1000000000000000000)
) STRICT;

-- One row, written after the budgets.
CREATE TABLE book (
    created   TEXT NOT NULL,
    lineage   TEXT, -- the owner's name for all snapshots together
    head_file TEXT, -- a file outside, to which every change writes the head
    salt      BLOB NOT NULL CHECK (length(salt) = 32) -- random; hides the data from readers of a head
) STRICT;

-- The snapshots of the data that the ledger is about.
CREATE TABLE snapshot (
    number      INTEGER PRIMARY KEY,
    added       TEXT NOT NULL,
    name        TEXT NOT NULL UNIQUE,
    fingerprint TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE entry (
    number        INTEGER PRIMARY KEY,
    charged       TEXT NOT NULL,
    release       TEXT NOT NULL,
    reproducible  INTEGER NOT NULL,
    unit          TEXT NOT NULL,
    epsilon_nanos INTEGER CHECK (epsilon_nanos > 0), -- NULL: unbounded
    delta_units   INTEGER NOT NULL CHECK (delta_units BETWEEN 0 AND 1000000000000000000),
    guarantee     TEXT NOT NULL, -- as in privacy.json
    data          TEXT, -- name of the data set; NULL in entries of version 1
    fingerprint   TEXT -- of the data set; NULL in entries of version 1
) STRICT;

-- One link for each snapshot and entry, in the order in which they were added.
CREATE TABLE chain (
    place  INTEGER PRIMARY KEY,
    kind   TEXT NOT NULL CHECK (kind IN ('snapshot', 'entry')),
    number INTEGER NOT NULL,
    link   BLOB NOT NULL CHECK (length(link) = 32)
) STRICT;

-- One row: how long the chain is, and where it ends.
CREATE TABLE head (
    snapshots INTEGER NOT NULL,
    entries   INTEGER NOT NULL,
    link      BLOB NOT NULL CHECK (length(link) = 32)
) STRICT;

-- REPLACE removes a row without asking the triggers of DELETE, so inserting over one is refused before it happens.
CREATE TRIGGER budgets_are_set_once BEFORE INSERT ON budget WHEN EXISTS (SELECT 1 FROM book)
BEGIN SELECT RAISE(ABORT, 'a budget is set once'); END;
CREATE TRIGGER budgets_stay_as_they_are BEFORE UPDATE ON budget
BEGIN SELECT RAISE(ABORT, 'a budget is set once'); END;
CREATE TRIGGER budgets_stay BEFORE DELETE ON budget
BEGIN SELECT RAISE(ABORT, 'a budget is set once'); END;
CREATE TRIGGER there_is_one_book BEFORE INSERT ON book WHEN EXISTS (SELECT 1 FROM book)
BEGIN SELECT RAISE(ABORT, 'the ledger is bound to its data'); END;
CREATE TRIGGER the_book_stays_as_it_is BEFORE UPDATE ON book
BEGIN SELECT RAISE(ABORT, 'the ledger is bound to its data'); END;
CREATE TRIGGER the_book_stays BEFORE DELETE ON book
BEGIN SELECT RAISE(ABORT, 'the ledger is bound to its data'); END;
CREATE TRIGGER snapshots_are_not_replaced BEFORE INSERT ON snapshot
WHEN EXISTS (SELECT 1 FROM snapshot WHERE number = NEW.number OR name = NEW.name OR fingerprint = NEW.fingerprint)
BEGIN SELECT RAISE(ABORT, 'a snapshot is added once'); END;
CREATE TRIGGER snapshots_stay_as_they_are BEFORE UPDATE ON snapshot
BEGIN SELECT RAISE(ABORT, 'the ledger is bound to its data'); END;
CREATE TRIGGER snapshots_stay BEFORE DELETE ON snapshot
BEGIN SELECT RAISE(ABORT, 'the ledger is bound to its data'); END;
CREATE TRIGGER entries_are_not_replaced BEFORE INSERT ON entry
WHEN EXISTS (SELECT 1 FROM entry WHERE number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entries_stay_as_they_are BEFORE UPDATE ON entry
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entries_stay BEFORE DELETE ON entry
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER links_are_not_replaced BEFORE INSERT ON chain
WHEN EXISTS (SELECT 1 FROM chain WHERE place = NEW.place)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER links_stay_as_they_are BEFORE UPDATE ON chain
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER links_stay BEFORE DELETE ON chain
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER there_is_one_head BEFORE INSERT ON head WHEN EXISTS (SELECT 1 FROM head)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER the_head_moves_forward BEFORE UPDATE ON head
WHEN NEW.snapshots + NEW.entries <= OLD.snapshots + OLD.entries
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER the_head_stays BEFORE DELETE ON head
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
