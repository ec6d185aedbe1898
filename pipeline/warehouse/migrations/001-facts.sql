-- One row per DAO that was ever fetched; other tables refer to its number.
CREATE TABLE daos (
  dao_number INTEGER PRIMARY KEY,
  space_id TEXT NOT NULL UNIQUE,
  -- Counts the fetches that were kept; a log remembers the last one that brought it.
  fetch_number INTEGER NOT NULL DEFAULT 0,
  complete_source_id TEXT,
  complete_fetched_at_ms INTEGER,
  CHECK ((complete_source_id IS NULL) = (complete_fetched_at_ms IS NULL))
) STRICT;

-- The newest attempt at each DAO, kept or not.
CREATE TABLE fetch_attempts (
  dao_number INTEGER PRIMARY KEY REFERENCES daos ON DELETE CASCADE,
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
  CHECK ((status = 'failed') = (error_code IS NOT NULL AND error_message IS NOT NULL))
) STRICT;

CREATE TABLE rejection_counts (
  dao_number INTEGER NOT NULL REFERENCES daos ON DELETE CASCADE,
  code TEXT NOT NULL,
  rows_count INTEGER NOT NULL CHECK (rows_count > 0),
  PRIMARY KEY (dao_number, code)
) STRICT, WITHOUT ROWID;

CREATE TABLE rejections (
  dao_number INTEGER NOT NULL REFERENCES daos ON DELETE CASCADE,
  place INTEGER NOT NULL,
  file TEXT NOT NULL,
  line INTEGER,
  code TEXT NOT NULL,
  message TEXT NOT NULL,
  PRIMARY KEY (dao_number, place)
) STRICT, WITHOUT ROWID;

-- Voters as bytes: 20 of an EVM address, 32 of a Starknet one. One tree serves lookup and uniqueness.
CREATE TABLE voters (
  address BLOB PRIMARY KEY CHECK (length(address) IN (20, 32)),
  voter_number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE spaces (
  dao_number INTEGER PRIMARY KEY REFERENCES daos ON DELETE CASCADE,
  source_id TEXT NOT NULL,
  name TEXT,
  is_proposing_gated INTEGER,
  has_fixed_period INTEGER,
  quorum REAL,
  admins_and_moderators_count INTEGER
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
  state TEXT,
  scores_state TEXT,
  scores_total REAL,
  votes_count INTEGER,
  strategies_number INTEGER REFERENCES strategies,
  is_shutter INTEGER NOT NULL CHECK (is_shutter IN (0, 1)),
  is_flagged INTEGER NOT NULL CHECK (is_flagged IN (0, 1)),
  is_deleted INTEGER NOT NULL CHECK (is_deleted IN (0, 1)),
  CHECK ((created_at_ms IS NULL) = (created_precision IS NULL)),
  CHECK ((start_at_ms IS NULL) = (start_precision IS NULL)),
  CHECK ((end_at_ms IS NULL) = (end_precision IS NULL)),
  UNIQUE (dao_number, proposal_id)
) STRICT;

-- All votes of one proposal in one row. A rowid table, because it fills overflow pages completely.
CREATE TABLE ballots (
  proposal_number INTEGER PRIMARY KEY REFERENCES proposals ON DELETE CASCADE,
  votes_count INTEGER NOT NULL CHECK (votes_count >= 0),
  packed BLOB NOT NULL
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

-- A token belongs to the DAO that was fetched, so that the same address on two chains cannot mix.
CREATE TABLE tokens (
  token_number INTEGER PRIMARY KEY,
  dao_number INTEGER NOT NULL REFERENCES daos ON DELETE CASCADE,
  address BLOB NOT NULL,
  UNIQUE (dao_number, address)
) STRICT;

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
