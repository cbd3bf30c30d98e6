-- From version 1, whose ledgers were bound to one data set. Its entries do not say which data they are about.
ALTER TABLE book ADD COLUMN lineage TEXT;
ALTER TABLE entry ADD COLUMN data TEXT;
ALTER TABLE entry ADD COLUMN fingerprint TEXT;
