-- Frames: which proposals say how a DAO votes as of a moment, and how much attention each drew.
-- Range: attention 0..1, below a quarter of its unit's scale 0, at the scale and above 1. Unit: proposals.
-- Gap: a proposal whose power is unknown weighs 1; a DAO without members has no row in frame_sum.
-- From: proposal, ballot, moment, space. Makes: frame_of (the frame of every moment and DAO), frame, placed (every proposal
-- of every frame with its place), attended, member, missing, frame_sum.
-- A frame stays as it is until a proposal ends or turns 90, 180 or 730 days old: moments between two such turns share it.
CREATE OR REPLACE TABLE frame_of ENGINE = MergeTree ORDER BY (space_id, moment_no) AS
SELECT moment_no, at_ms, space_id, DENSE_RANK() OVER (ORDER BY space_id, turns) AS frame_no
FROM (
  SELECT moment_no, at_ms, space.space_id AS space_id,
    SUM(CASE WHEN end_ms <= at_ms THEN 1 ELSE 0 END + CASE WHEN end_ms <= at_ms - 90 * CAST(86400000 AS BIGINT) THEN 1 ELSE 0 END
      + CASE WHEN end_ms <= at_ms - 180 * CAST(86400000 AS BIGINT) THEN 1 ELSE 0 END
      + CASE WHEN end_ms <= at_ms - 730 * CAST(86400000 AS BIGINT) THEN 1 ELSE 0 END) AS turns
  FROM moment
  CROSS JOIN space
  LEFT JOIN proposal ON proposal.space_id = space.space_id
  GROUP BY moment_no, at_ms, space.space_id
) AS turned;

CREATE OR REPLACE TABLE frame ENGINE = MergeTree ORDER BY tuple() AS
SELECT frame_no, space_id, MIN(at_ms) AS at_ms FROM frame_of GROUP BY frame_no, space_id;

-- Why a proposal is not looked at, and the power S cast on it: what its source declares, nothing where nobody voted, else
-- what its ballot adds up to.
CREATE OR REPLACE TABLE candidate ENGINE = MergeTree ORDER BY (frame_no, proposal_no) AS
SELECT frame_no, frame.space_id AS space_id, at_ms, proposal.proposal_no AS proposal_no, start_ms, end_ms, votes_count,
  COALESCE(strategies_key, '') AS unit, COALESCE(counted_votes, 0) AS counted_votes,
  COALESCE(scores_total, CASE WHEN votes_count = 0 AND ballot.proposal_no IS NULL THEN 0 ELSE fetched_power END) AS power,
  CASE WHEN is_deleted = 1 THEN 'DELETED' WHEN is_flagged = 1 THEN 'FLAGGED' WHEN end_ms IS NULL THEN 'END_UNKNOWN'
    WHEN end_ms > at_ms THEN 'NOT_ENDED' WHEN state IN ('active', 'pending') THEN 'STATE_OPEN'
    WHEN state = 'cancelled' THEN 'CANCELLED' WHEN scores_state <> 'final' THEN 'NOT_FINAL'
    WHEN end_ms <= at_ms - 730 * CAST(86400000 AS BIGINT) THEN 'TOO_OLD' END AS verdict
FROM frame
JOIN proposal ON proposal.space_id = frame.space_id
LEFT JOIN ballot ON ballot.proposal_no = proposal.proposal_no;

-- Scale of a unit: the S-weighted median of its 50 largest S.
CREATE OR REPLACE TABLE unit_scale ENGINE = MergeTree ORDER BY tuple() AS
SELECT frame_no, unit, MIN(power) AS scale
FROM (
  SELECT frame_no, unit, power, SUM(power) OVER (PARTITION BY frame_no, unit) AS total,
    SUM(power) OVER (PARTITION BY frame_no, unit ORDER BY power, proposal_no ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS reached
  FROM (
    SELECT frame_no, unit, power, proposal_no,
      ROW_NUMBER() OVER (PARTITION BY frame_no, unit ORDER BY power DESC, proposal_no) AS nth
    FROM candidate
    WHERE verdict IS NULL AND power > 0
  ) AS largest
  WHERE nth <= 50
) AS inflow
WHERE reached >= total / 2 - total * 1e-12
GROUP BY frame_no, unit;

CREATE OR REPLACE TABLE attended ENGINE = MergeTree ORDER BY (frame_no, proposal_no) AS
SELECT *
FROM (
  SELECT candidate.*,
    CASE WHEN power IS NULL THEN 1.0 WHEN scale IS NULL THEN 0.0 WHEN (power / scale - 0.25) / 0.75 > 1 THEN 1.0
      ELSE (power / scale - 0.25) / 0.75 END AS attention
  FROM candidate
  LEFT JOIN unit_scale ON unit_scale.frame_no = candidate.frame_no AND unit_scale.unit = candidate.unit
  WHERE verdict IS NULL
) AS weighed
WHERE attention > 0;

-- Members: all of the last 180 days with a ballot that counts, then older ones until the attention is 20, latest first.
CREATE OR REPLACE TABLE held ENGINE = MergeTree ORDER BY tuple() AS
SELECT attended.*, CASE WHEN end_ms <= at_ms - 180 * CAST(86400000 AS BIGINT) AND COALESCE(later, 0) >= 20 THEN 0 ELSE 1 END AS is_member
FROM (
  SELECT attended.*, SUM(attention) OVER (
    PARTITION BY frame_no ORDER BY proposal_no DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS later
  FROM attended
  WHERE counted_votes > 0
) AS attended;

-- A past moment is looked at for its gvs alone, and where no power is known there is none: its frame is left empty.
CREATE OR REPLACE TABLE member ENGINE = MergeTree ORDER BY (frame_no, proposal_no) AS
SELECT held.frame_no AS frame_no, space_id, at_ms, proposal_no, start_ms, end_ms, power, attention
FROM held
JOIN (
  SELECT frame_no FROM frame_of JOIN moment ON moment.moment_no = frame_of.moment_no WHERE is_current = 1
  UNION DISTINCT
  SELECT frame_no FROM held JOIN ballot ON ballot.proposal_no = held.proposal_no WHERE is_member = 1 AND powered_votes > 0
) AS worthwhile ON worthwhile.frame_no = held.frame_no
WHERE is_member = 1;

CREATE OR REPLACE TABLE frame_sum ENGINE = MergeTree ORDER BY tuple() AS
SELECT frame_no, COUNT(*) AS members, SUM(attention) AS attention_sum,
  SUM(attention) * SUM(attention) / SUM(attention * attention) AS effective_proposals, MIN(end_ms) AS oldest_ms
FROM member
GROUP BY frame_no;

CREATE OR REPLACE TABLE placed ENGINE = MergeTree ORDER BY tuple() AS
SELECT candidate.frame_no AS frame_no, candidate.space_id AS space_id, candidate.at_ms AS at_ms, candidate.proposal_no AS proposal_no, candidate.end_ms AS end_ms, candidate.power AS power,
  CASE WHEN candidate.verdict IS NULL THEN COALESCE(attended.attention, 0.0) END AS attention,
  CASE WHEN candidate.verdict IS NOT NULL THEN candidate.verdict WHEN attended.attention IS NULL THEN 'IGNORED' WHEN is_member = 1 THEN 'MEMBER'
    WHEN is_member = 0 THEN 'FRAME_FULL'
    WHEN candidate.votes_count = 0 OR (candidate.votes_count IS NULL AND COALESCE(candidate.power, 0) <= 0) THEN 'NO_VOTES'
    WHEN attention_sum >= 20 AND candidate.end_ms < oldest_ms THEN 'FRAME_FULL' ELSE 'BALLOT_MISSING' END AS place
FROM candidate
LEFT JOIN attended ON attended.frame_no = candidate.frame_no AND attended.proposal_no = candidate.proposal_no
LEFT JOIN held ON held.frame_no = candidate.frame_no AND held.proposal_no = candidate.proposal_no
LEFT JOIN frame_sum ON frame_sum.frame_no = candidate.frame_no;

CREATE OR REPLACE TABLE missing ENGINE = MergeTree ORDER BY tuple() AS
SELECT frame_no, space_id, proposal_no, attention FROM placed WHERE place = 'BALLOT_MISSING';
