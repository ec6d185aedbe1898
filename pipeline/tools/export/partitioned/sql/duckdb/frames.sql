-- Frames: which proposals may count for a DAO at a moment, and how much attention each drew.
-- Range: attention 0..1. Unit: proposals.
-- Unknown: a proposal whose power is unknown has an attention of 1.
-- From: proposal, ballot, moment, space. Makes: frame_of (the frame of every moment and DAO), frame, candidate, unit_scale, attended.
-- A frame changes only when a proposal ends or turns 730 days old: moments between two such changes share it.
CREATE OR REPLACE TABLE frame_of AS
SELECT moment_no, at_ms, space_id, DENSE_RANK() OVER (ORDER BY space_id, turns) AS frame_no
FROM (
  SELECT moment_no, at_ms, space.space_id,
    SUM(CASE WHEN end_ms <= at_ms THEN 1 ELSE 0 END + CASE WHEN end_ms <= at_ms - 730 * CAST(86400000 AS BIGINT) THEN 1 ELSE 0 END) AS turns
  FROM moment
  CROSS JOIN space
  LEFT JOIN proposal ON proposal.space_id = space.space_id
  GROUP BY moment_no, at_ms, space.space_id
) AS turned;

CREATE OR REPLACE TABLE frame AS
SELECT frame_no, space_id, MIN(at_ms) AS at_ms FROM frame_of GROUP BY frame_no, space_id;

-- Why a proposal does not count, and the power S cast on it: what its source declares, nothing if nobody voted, otherwise the
-- sum of its ballot.
CREATE OR REPLACE TABLE candidate AS
SELECT frame_no, frame.space_id, at_ms, proposal.proposal_no, end_ms, COALESCE(strategies_key, '') AS unit,
  COALESCE(scores_total, CASE WHEN votes_count = 0 AND is_ballot_fetched = 0 THEN 0 ELSE fetched_power END) AS power,
  CASE WHEN is_deleted = 1 THEN 'DELETED' WHEN is_flagged = 1 THEN 'FLAGGED' WHEN end_ms IS NULL THEN 'END_UNKNOWN'
    WHEN end_ms > at_ms THEN 'NOT_ENDED' WHEN state IN ('active', 'pending') THEN 'STATE_OPEN'
    WHEN state = 'cancelled' THEN 'CANCELLED' WHEN scores_state <> 'final' THEN 'NOT_FINAL'
    WHEN end_ms <= at_ms - 730 * CAST(86400000 AS BIGINT) THEN 'TOO_OLD' END AS verdict
FROM frame
JOIN proposal ON proposal.space_id = frame.space_id
LEFT JOIN ballot ON ballot.proposal_no = proposal.proposal_no;

-- Scale of a unit: the S-weighted median of its 50 largest S.
CREATE OR REPLACE TABLE unit_scale AS
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

CREATE OR REPLACE TABLE attended AS
SELECT frame_no, space_id, proposal_no, end_ms, unit, power, scale, attention
FROM (
  SELECT candidate.frame_no, candidate.space_id, candidate.proposal_no, candidate.end_ms, candidate.unit, candidate.power, unit_scale.scale,
    CASE WHEN power IS NULL THEN 1.0 WHEN scale IS NULL THEN 0.0 ELSE LEAST(1.0, (power / scale - 0.25) / 0.75) END AS attention
  FROM candidate
  LEFT JOIN unit_scale ON unit_scale.frame_no = candidate.frame_no AND unit_scale.unit = candidate.unit
  WHERE verdict IS NULL
) AS drawn
WHERE attention > 0;
