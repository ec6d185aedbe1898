-- A ballot that is not final lacks votes and is fetched again. Ballots from before this column came from archives.
ALTER TABLE ballots ADD COLUMN is_final INTEGER NOT NULL DEFAULT 1 CHECK (is_final IN (0, 1));

-- Pages of votes of uncommitted fetches, from which an interrupted fetch continues.
CREATE TABLE fetch_pages (
  dao_number INTEGER NOT NULL REFERENCES daos ON DELETE CASCADE,
  source_id TEXT NOT NULL,
  proposal_id TEXT NOT NULL,
  page INTEGER NOT NULL CHECK (page >= 0),
  packed BLOB NOT NULL,
  UNIQUE (dao_number, source_id, proposal_id, page)
) STRICT;

-- A source's own note from the last complete fetch of a DAO.
CREATE TABLE fetch_notes (
  dao_number INTEGER NOT NULL REFERENCES daos ON DELETE CASCADE,
  source_id TEXT NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (dao_number, source_id)
) STRICT, WITHOUT ROWID;
