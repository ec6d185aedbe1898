-- A DAO may have several sources, such as a space of the hub and a governor on a chain, fetched by separate commands:
-- fetches are recorded for each DAO and source.
CREATE TABLE complete_fetches (
  dao_number INTEGER NOT NULL REFERENCES daos ON DELETE CASCADE,
  source_id TEXT NOT NULL,
  fetched_at_ms INTEGER NOT NULL,
  PRIMARY KEY (dao_number, source_id)
) STRICT, WITHOUT ROWID;

-- If a DAO had two sources, the time of the older fetch was not recorded and stays unknown.
INSERT INTO complete_fetches (dao_number, source_id, fetched_at_ms)
SELECT dao_number, complete_source_id, complete_fetched_at_ms FROM daos WHERE complete_source_id IS NOT NULL;

CREATE TABLE rejection_counts_by_source (
  dao_number INTEGER NOT NULL REFERENCES daos ON DELETE CASCADE,
  source_id TEXT NOT NULL,
  code TEXT NOT NULL,
  rows_count INTEGER NOT NULL CHECK (rows_count > 0),
  PRIMARY KEY (dao_number, source_id, code)
) STRICT, WITHOUT ROWID;

INSERT INTO rejection_counts_by_source (dao_number, source_id, code, rows_count)
SELECT dao_number, source_id, code, rows_count FROM rejection_counts JOIN fetch_attempts USING (dao_number);

CREATE TABLE rejections_by_source (
  dao_number INTEGER NOT NULL REFERENCES daos ON DELETE CASCADE,
  source_id TEXT NOT NULL,
  place INTEGER NOT NULL,
  file TEXT NOT NULL,
  line INTEGER,
  code TEXT NOT NULL,
  message TEXT NOT NULL,
  PRIMARY KEY (dao_number, source_id, place)
) STRICT, WITHOUT ROWID;

INSERT INTO rejections_by_source (dao_number, source_id, place, file, line, code, message)
SELECT dao_number, source_id, place, file, line, code, message FROM rejections JOIN fetch_attempts USING (dao_number);

-- The newest attempt at each DAO from each source, kept or not.
CREATE TABLE fetch_attempts_by_source (
  dao_number INTEGER NOT NULL REFERENCES daos ON DELETE CASCADE,
  source_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('complete', 'failed')),
  fetched_at_ms INTEGER NOT NULL,
  error_code TEXT,
  error_message TEXT,
  proposals_count INTEGER NOT NULL,
  ballots_count INTEGER NOT NULL,
  votes_count INTEGER NOT NULL,
  delegate_lists_count INTEGER NOT NULL,
  logs_count INTEGER NOT NULL,
  PRIMARY KEY (dao_number, source_id),
  CHECK ((status = 'failed') = (error_code IS NOT NULL AND error_message IS NOT NULL))
) STRICT, WITHOUT ROWID;

INSERT INTO fetch_attempts_by_source
  (dao_number, source_id, status, fetched_at_ms, error_code, error_message,
   proposals_count, ballots_count, votes_count, delegate_lists_count, logs_count)
SELECT dao_number, source_id, status, fetched_at_ms, error_code, error_message,
       proposals_count, ballots_count, votes_count, delegate_lists_count, logs_count
FROM fetch_attempts;

DROP TABLE rejection_counts;
ALTER TABLE rejection_counts_by_source RENAME TO rejection_counts;
DROP TABLE rejections;
ALTER TABLE rejections_by_source RENAME TO rejections;
DROP TABLE fetch_attempts;
ALTER TABLE fetch_attempts_by_source RENAME TO fetch_attempts;

CREATE TABLE daos_next (
  dao_number INTEGER PRIMARY KEY,
  space_id TEXT NOT NULL UNIQUE,
  -- Counts the fetches that were kept; a log that was put remembers the last one that brought it.
  fetch_number INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO daos_next (dao_number, space_id, fetch_number) SELECT dao_number, space_id, fetch_number FROM daos;
DROP TABLE daos;
ALTER TABLE daos_next RENAME TO daos;

-- A page may also contain a contract's logs.
ALTER TABLE fetch_pages RENAME COLUMN proposal_id TO series;

-- A token's events are stored in two ways that never mix: put with a fetch (kept_by is empty), or stored by a source
-- while it reads; readers see these up to the block that the source's last commit confirmed.
CREATE TABLE tokens_next (
  token_number INTEGER PRIMARY KEY,
  dao_number INTEGER NOT NULL REFERENCES daos ON DELETE CASCADE,
  address BLOB NOT NULL,
  kept_by TEXT NOT NULL DEFAULT '',
  confirmed_block INTEGER,
  CHECK (kept_by <> '' OR confirmed_block IS NULL),
  UNIQUE (dao_number, address, kept_by)
) STRICT;
INSERT INTO tokens_next (token_number, dao_number, address) SELECT token_number, dao_number, address FROM tokens;
DROP TABLE tokens;
ALTER TABLE tokens_next RENAME TO tokens;

-- Blocks up to which every event of a token is stored.
CREATE TABLE held_blocks (
  token_number INTEGER NOT NULL REFERENCES tokens ON DELETE CASCADE,
  block_number INTEGER NOT NULL,
  block_hash TEXT NOT NULL,
  PRIMARY KEY (token_number, block_number)
) STRICT, WITHOUT ROWID;

-- The last known name of an address; NULL means that it has none.
CREATE TABLE names (
  address BLOB PRIMARY KEY CHECK (length(address) IN (20, 32)),
  name TEXT CHECK (name <> ''),
  checked_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
