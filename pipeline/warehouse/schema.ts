/** Raised with each change of the tables: a file of another version is refused. */
export const WAREHOUSE_VERSION = 16;

export const WAREHOUSE_TABLES = `
-- One row per DAO that was ever fetched; other tables refer to its number.
CREATE TABLE daos (
  dao_number INTEGER PRIMARY KEY,
  space_id TEXT NOT NULL UNIQUE,
  -- Counts the fetches that were kept; a log that was put remembers the last one that brought it.
  fetch_number INTEGER NOT NULL DEFAULT 0
) STRICT;

-- A DAO may have several sources, such as a space of the hub and a governor on a chain, fetched by separate commands:
-- fetches are recorded for each DAO and source. This is the newest attempt, kept or not.
CREATE TABLE fetch_attempts (
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

CREATE TABLE complete_fetches (
  dao_number INTEGER NOT NULL REFERENCES daos ON DELETE CASCADE,
  source_id TEXT NOT NULL,
  fetched_at_ms INTEGER NOT NULL,
  PRIMARY KEY (dao_number, source_id)
) STRICT, WITHOUT ROWID;

-- Counts by file, so that the counts of a ballot survive fetches that keep it.
CREATE TABLE rejection_counts (
  dao_number INTEGER NOT NULL REFERENCES daos ON DELETE CASCADE,
  source_id TEXT NOT NULL,
  file TEXT NOT NULL,
  code TEXT NOT NULL,
  rows_count INTEGER NOT NULL CHECK (rows_count > 0),
  PRIMARY KEY (dao_number, source_id, file, code)
) STRICT, WITHOUT ROWID;

CREATE TABLE rejections (
  dao_number INTEGER NOT NULL REFERENCES daos ON DELETE CASCADE,
  source_id TEXT NOT NULL,
  place INTEGER NOT NULL,
  file TEXT NOT NULL,
  line INTEGER,
  code TEXT NOT NULL,
  message TEXT NOT NULL,
  PRIMARY KEY (dao_number, source_id, place)
) STRICT, WITHOUT ROWID;

-- Pages of votes or of a contract's logs, of uncommitted fetches, from which an interrupted fetch continues.
CREATE TABLE fetch_pages (
  dao_number INTEGER NOT NULL REFERENCES daos ON DELETE CASCADE,
  source_id TEXT NOT NULL,
  series TEXT NOT NULL,
  page INTEGER NOT NULL CHECK (page >= 0),
  packed BLOB NOT NULL,
  UNIQUE (dao_number, source_id, series, page)
) STRICT;

-- A source's own note from the last complete fetch of a DAO.
CREATE TABLE fetch_notes (
  dao_number INTEGER NOT NULL REFERENCES daos ON DELETE CASCADE,
  source_id TEXT NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (dao_number, source_id)
) STRICT, WITHOUT ROWID;

-- Voters by number in blocks of 1,024, all full but the last: voters are never read singly, and a row with an index
-- entry for each took longer to write than all their votes.
CREATE TABLE voter_blocks (
  block_number INTEGER PRIMARY KEY CHECK (block_number >= 0),
  voters_count INTEGER NOT NULL CHECK (voters_count BETWEEN 1 AND 1024),
  packed BLOB NOT NULL
) STRICT;

CREATE TABLE spaces (
  dao_number INTEGER PRIMARY KEY REFERENCES daos ON DELETE CASCADE,
  source_id TEXT NOT NULL,
  name TEXT,
  is_proposing_gated INTEGER,
  has_fixed_period INTEGER,
  quorum REAL,
  admins_and_moderators_count INTEGER,
  -- How a hub marks a space; NULL for sources without marks.
  is_flagged INTEGER,
  is_hibernated INTEGER,
  is_verified INTEGER,
  website TEXT,
  forum TEXT
) STRICT;

-- Strategies are long and repeat on nearly every proposal of a space: each text is stored once.
CREATE TABLE strategies (
  strategies_number INTEGER PRIMARY KEY,
  strategies_key TEXT NOT NULL UNIQUE
) STRICT;

-- Two spaces may use the same proposal id (on-chain numbers).
CREATE TABLE proposals (
  proposal_number INTEGER PRIMARY KEY,
  dao_number INTEGER NOT NULL REFERENCES daos ON DELETE CASCADE,
  proposal_id TEXT NOT NULL,
  source_id TEXT NOT NULL,
  title TEXT,
  author TEXT,
  created_at_ms INTEGER,
  created_precision TEXT CHECK (created_precision IN ('second', 'day')),
  start_at_ms INTEGER,
  start_precision TEXT CHECK (start_precision IN ('second', 'day')),
  end_at_ms INTEGER,
  end_precision TEXT CHECK (end_precision IN ('second', 'day')),
  voting_type TEXT,
  choices_count INTEGER,
  discussion TEXT,
  quorum REAL,
  is_quorum_rejection INTEGER NOT NULL CHECK (is_quorum_rejection IN (0, 1)),
  -- The power that counts for the quorum; NULL if all power cast counts.
  quorum_power REAL,
  state TEXT,
  scores_state TEXT,
  scores_total REAL,
  votes_count INTEGER,
  strategies_number INTEGER REFERENCES strategies,
  is_shutter INTEGER NOT NULL CHECK (is_shutter IN (0, 1)),
  is_flagged INTEGER NOT NULL CHECK (is_flagged IN (0, 1)),
  is_deleted INTEGER NOT NULL CHECK (is_deleted IN (0, 1)),
  -- A text that changes when a hub changes the proposal or recounts its votes.
  revision TEXT,
  link TEXT,
  CHECK ((created_at_ms IS NULL) = (created_precision IS NULL)),
  CHECK ((start_at_ms IS NULL) = (start_precision IS NULL)),
  CHECK ((end_at_ms IS NULL) = (end_precision IS NULL)),
  UNIQUE (dao_number, proposal_id)
) STRICT;

-- All votes of one proposal in one row. A rowid table, because it fills overflow pages completely.
CREATE TABLE ballots (
  proposal_number INTEGER PRIMARY KEY REFERENCES proposals ON DELETE CASCADE,
  votes_count INTEGER NOT NULL CHECK (votes_count >= 0),
  packed BLOB NOT NULL,
  -- If not, it lacks votes and is fetched again.
  is_final INTEGER NOT NULL DEFAULT 1 CHECK (is_final IN (0, 1))
) STRICT;

CREATE TABLE delegate_lists (
  list_number INTEGER PRIMARY KEY,
  dao_number INTEGER NOT NULL REFERENCES daos ON DELETE CASCADE,
  date TEXT NOT NULL,
  as_of_ms INTEGER NOT NULL,
  is_complete INTEGER NOT NULL CHECK (is_complete IN (0, 1)),
  decimals INTEGER NOT NULL,
  fetched_at_ms INTEGER NOT NULL,
  packed BLOB NOT NULL,
  UNIQUE (dao_number, date)
) STRICT;

-- A token belongs to the DAO that was fetched, so that the same address on two chains cannot mix. Its events are
-- stored in two ways that never mix: put with a fetch (kept_by is empty), or stored by a source while it reads; readers
-- see these up to the block that the source's last commit confirmed.
CREATE TABLE tokens (
  token_number INTEGER PRIMARY KEY,
  dao_number INTEGER NOT NULL REFERENCES daos ON DELETE CASCADE,
  address BLOB NOT NULL,
  kept_by TEXT NOT NULL DEFAULT '',
  confirmed_block INTEGER,
  CHECK (kept_by <> '' OR confirmed_block IS NULL),
  UNIQUE (dao_number, address, kept_by)
) STRICT;

-- Blocks up to which every event of a token is stored.
CREATE TABLE held_blocks (
  token_number INTEGER NOT NULL REFERENCES tokens ON DELETE CASCADE,
  block_number INTEGER NOT NULL,
  block_hash TEXT NOT NULL,
  PRIMARY KEY (token_number, block_number)
) STRICT, WITHOUT ROWID;

-- When commits confirmed a token's events, and through which block's time, which may be an hour earlier: a day is
-- confirmed only if the block came after its end. Its data have the time of the first commit after it, and keep it
-- however often the chain is read again.
CREATE TABLE token_confirmations (
  token_number INTEGER NOT NULL REFERENCES tokens ON DELETE CASCADE,
  confirmed_at_ms INTEGER NOT NULL,
  through_ms INTEGER NOT NULL,
  PRIMARY KEY (token_number, confirmed_at_ms)
) STRICT, WITHOUT ROWID;

-- Amounts are decimal digits: a uint256 fits no number of SQLite.
CREATE TABLE delegation_events (
  token_number INTEGER NOT NULL REFERENCES tokens ON DELETE CASCADE,
  block_number INTEGER NOT NULL,
  log_index INTEGER NOT NULL,
  fetch_number INTEGER NOT NULL,
  block_time_ms INTEGER,
  kind TEXT NOT NULL CHECK (kind IN ('delegate-changed', 'votes-changed', 'transfer')),
  delegator BLOB,
  delegate BLOB,
  from_address BLOB,
  to_address BLOB,
  before_votes TEXT,
  after_votes TEXT,
  amount TEXT,
  PRIMARY KEY (token_number, block_number, log_index)
) STRICT, WITHOUT ROWID;

-- The last known name of an address; NULL means that it has none.
CREATE TABLE names (
  address BLOB PRIMARY KEY CHECK (length(address) IN (20, 32)),
  name TEXT CHECK (name <> ''),
  checked_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The points of past days of a DAO in one row, as they are read and written together. \`method_key\` identifies the
-- method and all its constants.
CREATE TABLE point_columns (
  space_id TEXT NOT NULL,
  method_key TEXT NOT NULL,
  packed BLOB NOT NULL,
  UNIQUE (space_id, method_key)
) STRICT;

-- The last visit of each DAO by a run that published; \`facts_key\` identifies all that its documents were made of. The
-- last two are of DAOs whose frame is empty until a moment, which may be infinite.
CREATE TABLE visits (
  space_id TEXT PRIMARY KEY,
  facts_key TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  scored_until_ms INTEGER NOT NULL,
  dormant_until_ms REAL,
  published TEXT,
  CHECK ((dormant_until_ms IS NULL) = (published IS NULL))
) STRICT, WITHOUT ROWID;
`;
