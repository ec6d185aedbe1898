-- Batch voting: votes within a minute of the same wallet's vote on an eligible proposal that is earlier by (end, id).
-- Range: is_batch and is_open 0 or 1. Unit: votes with power.
-- Unknown: is_open 1 if the vote or the other vote has no time.
-- From: proposal, valid_vote. Makes: batch_vote.
-- Another vote only matters if its proposal was still open, or had closed less than a minute before.
CREATE OR REPLACE TABLE batch_vote AS
WITH cast_vote AS (
  SELECT valid_vote.proposal_no, voter_no, voted_ms, end_ms, space_id
  FROM valid_vote
  JOIN proposal ON proposal.proposal_no = valid_vote.proposal_no
  WHERE is_deleted = 0 AND is_flagged = 0 AND end_ms IS NOT NULL AND COALESCE(state, '') NOT IN ('active', 'pending', 'cancelled')
    AND COALESCE(scores_state, 'final') = 'final'
),
beside AS (
  SELECT own.proposal_no, own.voter_no,
    MAX(CASE WHEN ABS(own.voted_ms - other.voted_ms) <= 60000 THEN 1 ELSE 0 END) AS is_near,
    MAX(CASE WHEN other.voted_ms IS NULL THEN 1 ELSE 0 END) AS is_untimed
  FROM cast_vote AS own
  JOIN cast_vote AS other ON other.voter_no = own.voter_no AND other.space_id = own.space_id
  WHERE other.proposal_no < own.proposal_no AND own.voted_ms IS NOT NULL AND other.end_ms >= own.voted_ms - 60000
  GROUP BY own.proposal_no, own.voter_no
)
SELECT cast_vote.proposal_no, cast_vote.voter_no, COALESCE(is_near, 0) AS is_batch,
  CASE WHEN voted_ms IS NULL THEN 1 WHEN COALESCE(is_near, 0) = 0 AND is_untimed = 1 THEN 1 ELSE 0 END AS is_open
FROM cast_vote
LEFT JOIN beside ON beside.proposal_no = cast_vote.proposal_no AND beside.voter_no = cast_vote.voter_no;
