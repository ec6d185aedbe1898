-- Tables of ClickHouse for the export's facts: the input of the measures, no measured values.
-- Range: as in the export. Unit: times in milliseconds since the epoch.
-- Unknown: NULL if the source does not know a value.
-- Makes: spaces, voters, proposals, ballots, delegates, delegation_events, all empty.
-- On a cluster: create each of these on every shard (ON CLUSTER), with ReplicatedMergeTree instead of MergeTree, and for each a
-- Distributed(cluster, database, table, cityHash64(space_id)) to insert into. All rows of a DAO are then on one shard, where its
-- measures are computed from its rows only. voters has no DAO: every shard has all of it, as persons vote in many DAOs. README.md
-- lists what needs all shards.
CREATE OR REPLACE TABLE spaces (
  space_id String, category String, as_of_ms Int64, is_archive Bool,
  last_complete_fetch_ms Nullable(Int64), is_proposing_gated Nullable(Bool), has_fixed_period Nullable(Bool),
  admins_and_moderators_count Nullable(Int64), is_flagged Nullable(Bool), token_decimals Nullable(Int64),
  is_self_by_default Nullable(Bool)
) ENGINE = MergeTree ORDER BY space_id;

CREATE OR REPLACE TABLE voters (voter_id String, person_id String, is_labelled Bool) ENGINE = MergeTree ORDER BY voter_id;

CREATE OR REPLACE TABLE proposals (
  space_id String, proposal_id String, author_id Nullable(String), author_person_id Nullable(String),
  created_at_ms Nullable(Int64), created_precision Nullable(String),
  start_at_ms Nullable(Int64), start_precision Nullable(String),
  end_at_ms Nullable(Int64), end_precision Nullable(String),
  voting_type Nullable(String), choices_count Nullable(Int64), discussion Nullable(String),
  quorum Nullable(Float64), is_quorum_rejection Bool, quorum_power Nullable(Float64), state Nullable(String),
  scores_state Nullable(String), scores_total Nullable(Float64), votes_count Nullable(Int64),
  strategies_sha256 Nullable(String), is_shutter Bool, is_flagged Bool, is_deleted Bool, ballot_votes_count Nullable(Int64)
) ENGINE = MergeTree ORDER BY (space_id, proposal_id);

-- A partition for each of a thousand DAOs would be too many parts. With sixteen, one can be dropped and filled again.
CREATE OR REPLACE TABLE ballots (
  space_id String, proposal_id String, voter_id String, power Nullable(Float64), cast_at_ms Nullable(Int64),
  cast_precision Nullable(String), choice_number Int64, choice_kind String, choice Nullable(String),
  is_reason_given Nullable(Bool), is_outside_window Bool, is_choice_unreadable Bool
) ENGINE = MergeTree PARTITION BY cityHash64(space_id) % 16 ORDER BY (space_id, proposal_id, voter_id);

-- The latest listing of each DAO, as published.
CREATE OR REPLACE TABLE delegates (
  space_id String, address String, votes_human Float64, delegators_count Int64, as_of_ms Nullable(Int64)
) ENGINE = MergeTree ORDER BY (space_id, address);

-- Amounts in the token's smallest unit exceed 64 bits, and in extreme cases 128. insert.sql refuses more than 76 digits.
CREATE OR REPLACE TABLE delegation_events (
  space_id String, block_number Int64, log_index Int64, block_time_ms Nullable(Int64), kind String, delegator_id Nullable(String),
  delegate_id Nullable(String), from_id Nullable(String), to_id Nullable(String), after_votes Nullable(Int256), amount Nullable(Int256)
) ENGINE = MergeTree ORDER BY (space_id, block_number, log_index);
