-- Loads the export's Parquet files into the tables of create.sql.
-- Range: as in the export. Unit: as in the export. Unknown: NULL if the source does not know a value.
-- From: the Parquet files, by paths in the folder of the export (start clickhouse-local there, as a server reads below its
-- user_files). From a bucket: s3('https://…/ballots/*/*.parquet') instead of file('ballots/*/*.parquet').
-- Fills: spaces, voters, proposals, ballots, delegates, delegation_events.
INSERT INTO spaces
SELECT space_id, category, as_of_ms, is_archive, last_complete_fetch_ms, is_proposing_gated, has_fixed_period,
  admins_and_moderators_count, is_flagged, token_decimals, is_self_by_default
FROM file('spaces.parquet', Parquet);

INSERT INTO voters SELECT voter_id, person_id, is_labelled FROM file('voters.parquet', Parquet);

INSERT INTO proposals
SELECT space_id, proposal_id, author_id, author_person_id, created_at_ms, created_precision, start_at_ms, start_precision, end_at_ms,
  end_precision, voting_type, choices_count, discussion, quorum, is_quorum_rejection, quorum_power, state, scores_state, scores_total, votes_count,
  strategies_sha256, is_shutter, is_flagged, is_deleted, ballot_votes_count
FROM file('proposals/*/*.parquet', Parquet);

INSERT INTO ballots
SELECT space_id, proposal_id, voter_id, power, cast_at_ms, cast_precision, choice_number, choice_kind, choice, is_reason_given,
  is_outside_window, is_choice_unreadable
FROM file('ballots/*/*.parquet', Parquet);

INSERT INTO delegates
SELECT space_id, address, votes_human, delegators_count, as_of_ms
FROM file('delegates/*/*.parquet', Parquet);

INSERT INTO delegation_events
SELECT space_id, block_number, log_index, block_time_ms, kind, delegator_id, delegate_id, from_id, to_id, toInt256(after_votes),
  toInt256(amount)
FROM file('delegation_events/*/*.parquet', Parquet)
WHERE throwIf(GREATEST(LENGTH(COALESCE(after_votes, '')), LENGTH(COALESCE(amount, ''))) > 76, 'an amount of more than 76 digits') = 0;
