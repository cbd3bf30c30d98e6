-- From version 1, after the new columns and tables were made.
INSERT INTO snapshot (name, fingerprint) SELECT 'first', fingerprint FROM book WHERE fingerprint IS NOT NULL;
DROP TRIGGER the_data_set_stays;
ALTER TABLE book DROP COLUMN fingerprint;
PRAGMA user_version = 2;
