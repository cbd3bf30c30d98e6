-- Since version 2: what is under way, so that a run that ends the process is not begun first every time.
PRAGMA user_version = 2;

ALTER TABLE sweep ADD COLUMN seeds TEXT NOT NULL DEFAULT '[]';   -- JSON: those that were asked for, whatever the file says
ALTER TABLE sweep ADD COLUMN figures TEXT NOT NULL DEFAULT '[]'; -- JSON: what figures are called that runs may give

-- Runs that were begun and have not ended. One process at a time writes: what is under way when a process begins ended the one before.
CREATE TABLE begun (
    key       TEXT PRIMARY KEY,
    under_way INTEGER NOT NULL DEFAULT 1,
    deaths    INTEGER NOT NULL DEFAULT 0 -- of processes while it was under way
);
