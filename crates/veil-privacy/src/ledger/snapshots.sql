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
