-- The measures in SQL, a second opinion on pipeline/score. Files in order: schema, load (DuckDB reads files by itself),
-- choices-DIALECT, choices, ballots, coincidences, deliberation; then for each moment: frames, links, spread until
-- spread-left says 0, heads, concentration, batches, members, components, scores; and diagnostics of the last one.
-- Standard SQL but for files that name a dialect. No statement holds a semicolon inside a text.

-- The rows that upstream gives, as text and numbers. Times in seconds since the epoch.
CREATE TABLE space (
  space_id VARCHAR, is_gated INTEGER, has_fixed_period INTEGER, quorum DOUBLE, guardians INTEGER
);
CREATE TABLE proposal (
  proposal_id VARCHAR, space_id VARCHAR, author VARCHAR, created_s BIGINT, start_s BIGINT, end_s BIGINT,
  voting_type VARCHAR, choices_count INTEGER, discussion VARCHAR, quorum DOUBLE, is_quorum_rejection INTEGER,
  state VARCHAR, scores_state VARCHAR, scores_total DOUBLE, votes_count INTEGER, strategies VARCHAR,
  is_shutter INTEGER, is_flagged INTEGER
);
CREATE TABLE vote (
  vote_id VARCHAR, proposal_id VARCHAR, voter VARCHAR, created_s BIGINT, choice VARCHAR, power DOUBLE,
  has_reason INTEGER, is_final INTEGER
);
CREATE TABLE wallet (voter VARCHAR, entity_id VARCHAR);
-- One row: the moment that is scored as of.
CREATE TABLE moment (as_of_s DOUBLE);
