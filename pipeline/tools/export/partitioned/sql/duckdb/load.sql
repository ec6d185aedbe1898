-- The export as tables: facts only, no measured values. Run it in the folder of the export (or set file_search_path).
-- Range: as in the export. Unit: times in milliseconds since the epoch, booleans as 1 and 0.
-- Unknown: NULL if the source does not know a value.
-- From: the Parquet files. Makes: version, setting, space, voter, proposal, choice, vote.
-- Each file is read once or twice: caching those of 30,000 DAOs took 4 GB.
SET enable_external_file_cache = false;

CREATE OR REPLACE TABLE setting AS SELECT 30 AS history_days;

CREATE OR REPLACE TABLE space AS
SELECT space_id, category, CAST(is_archive AS INTEGER) AS is_archive, last_complete_fetch_ms,
  CAST(is_proposing_gated AS INTEGER) AS is_gated, CAST(has_fixed_period AS INTEGER) AS has_fixed_period,
  admins_and_moderators_count AS guardians, COALESCE(CAST(is_flagged AS INTEGER), 0) AS is_flagged,
  CAST(is_self_by_default AS INTEGER) AS is_self_by_default
FROM read_parquet('spaces.parquet');

CREATE OR REPLACE TABLE version AS
SELECT DISTINCT CAST(as_of_ms AS BIGINT) AS as_of_ms FROM read_parquet('spaces.parquet');

-- Wallets by number, and the smallest number of each person: an entity is one voter. Labelled ones are never merged.
CREATE OR REPLACE TABLE voter AS
SELECT voter_no, voter_id, person_id, MIN(voter_no) OVER (PARTITION BY person_id) AS entity_no,
  CAST(is_labelled AS INTEGER) AS is_labelled
FROM (SELECT ROW_NUMBER() OVER (ORDER BY voter_id) AS voter_no, voter_id, person_id, is_labelled FROM read_parquet('voters.parquet')) AS numbered;

-- Proposals by (space, end, id), unknown ends first: a larger number of one space ended later.
CREATE OR REPLACE TABLE proposal AS
SELECT ROW_NUMBER() OVER (ORDER BY space_id, end_at_ms NULLS FIRST, proposal_id) AS proposal_no, space_id, proposal_id, author_person_id,
  created_at_ms AS created_ms, created_precision, start_at_ms AS start_ms, start_precision, end_at_ms AS end_ms, end_precision,
  voting_type, choices_count, discussion, quorum, CAST(is_quorum_rejection AS INTEGER) AS is_quorum_rejection, quorum_power,
  state, scores_state,
  scores_total, votes_count, strategies_sha256 AS strategies_key, CAST(is_shutter AS INTEGER) AS is_shutter,
  CAST(is_flagged AS INTEGER) AS is_flagged, CAST(is_deleted AS INTEGER) AS is_deleted,
  CASE WHEN ballot_votes_count IS NULL THEN 0 ELSE 1 END AS is_ballot_fetched
FROM read_parquet('proposals/*/*.parquet', hive_partitioning = false);

CREATE OR REPLACE TABLE choice AS
SELECT ROW_NUMBER() OVER (ORDER BY choice_kind, choice) AS choice_no, choice_kind, choice AS choice_text
FROM (SELECT DISTINCT choice_kind, choice FROM read_parquet('ballots/*/*.parquet', hive_partitioning = false)) AS seen;

-- A vote with only a known day has no time: measures based on times ignore it.
CREATE OR REPLACE TABLE vote AS
SELECT proposal.proposal_no, voter.voter_no, voter.entity_no, CASE WHEN cast_precision = 'second' THEN cast_at_ms END AS voted_ms,
  choice.choice_no, choice_number AS choice_index, power, CAST(is_reason_given AS INTEGER) AS has_reason,
  CAST(is_outside_window AS INTEGER) AS is_outside_window, CAST(is_choice_unreadable AS INTEGER) AS is_unreadable
FROM read_parquet('ballots/*/*.parquet', hive_partitioning = false) AS cast_vote
JOIN proposal ON proposal.space_id = cast_vote.space_id AND proposal.proposal_id = cast_vote.proposal_id
JOIN voter ON voter.voter_id = cast_vote.voter_id
JOIN choice ON choice.choice_kind = cast_vote.choice_kind AND choice.choice_text IS NOT DISTINCT FROM cast_vote.choice;
