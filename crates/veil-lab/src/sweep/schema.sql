-- What the runs of a sweep gave. Results are added as they finish; a plan says what they are called. This is version 1; what came later is
-- added by schema-2.sql, to old books as to new ones.
PRAGMA application_id = 0x76656962; -- "veib"
PRAGMA user_version = 1;

CREATE TABLE sweep (
    title   TEXT NOT NULL,
    file    TEXT NOT NULL, -- its text
    version TEXT NOT NULL  -- of the program that planned it
);

-- Every run that the file asks for, in order. Two of them may be the same run.
CREATE TABLE planned (
    position INTEGER PRIMARY KEY,
    "case"   TEXT NOT NULL,
    data     TEXT NOT NULL,
    point    TEXT NOT NULL, -- JSON
    seed     INTEGER NOT NULL,
    key      TEXT NOT NULL
);

CREATE TABLE result (
    key      TEXT PRIMARY KEY, -- SHA-256 of `about`
    about    TEXT NOT NULL,    -- JSON: all that decided it
    promises TEXT NOT NULL,    -- JSON
    error    TEXT,             -- NULL if it did not fail
    seconds  REAL NOT NULL,
    finished TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
);

CREATE TABLE figure (
    key   TEXT NOT NULL REFERENCES result (key) ON DELETE CASCADE,
    name  TEXT NOT NULL,
    value REAL NOT NULL,
    PRIMARY KEY (key, name)
) WITHOUT ROWID;
