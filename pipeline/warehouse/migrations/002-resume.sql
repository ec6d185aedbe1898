-- A ballot of which votes are missing is asked for again; those from before this column came from archives.
ALTER TABLE ballots ADD COLUMN is_final INTEGER NOT NULL DEFAULT 1 CHECK (is_final IN (0, 1));

-- Pages of votes of fetches that have not committed yet: what an interrupted one goes on from.
CREATE TABLE fetch_pages (
  dao_number INTEGER NOT NULL REFERENCES daos ON DELETE CASCADE,
  source_id TEXT NOT NULL,
  proposal_id TEXT NOT NULL,
  page INTEGER NOT NULL CHECK (page >= 0),
  packed BLOB NOT NULL,
  UNIQUE (dao_number, source_id, proposal_id, page)
) STRICT;

-- What a source wrote down for itself when a DAO was last fetched whole.
CREATE TABLE fetch_notes (
  dao_number INTEGER NOT NULL REFERENCES daos ON DELETE CASCADE,
  source_id TEXT NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (dao_number, source_id)
) STRICT, WITHOUT ROWID;
