-- Batch voting: votes on a member while an earlier attended proposal was open too, and those of them within a minute of the
-- same voter's vote on such a one.
-- Range: batch_votes 0..overlapping_votes. Unit: timed votes that count.
-- Gap: no row where no earlier proposal was open together with the member; 0 votes where nobody voted then.
-- From: member, held, counted. Makes: batch (by frame and proposal).
-- What was open together is the same in most frames: each set is counted once.
CREATE OR REPLACE TABLE overlap AS
SELECT member.frame_no, member.proposal_no, earlier.proposal_no AS earlier_no, earlier.start_ms, earlier.end_ms
FROM member
JOIN held AS earlier ON earlier.frame_no = member.frame_no
WHERE earlier.proposal_no < member.proposal_no AND earlier.start_ms IS NOT NULL AND earlier.start_ms <= member.end_ms
  AND (member.start_ms IS NULL OR earlier.end_ms >= member.start_ms);

CREATE OR REPLACE TABLE overlap_set AS
SELECT frame_no, proposal_no, MIN(frame_no) OVER (PARTITION BY proposal_no, together) AS first_no
FROM (
  SELECT frame_no, proposal_no, STRING_AGG(CAST(earlier_no AS VARCHAR), ',' ORDER BY earlier_no) AS together
  FROM overlap
  GROUP BY frame_no, proposal_no
) AS sets;

CREATE OR REPLACE TABLE overlapping_vote AS
SELECT overlap.frame_no, overlap.proposal_no, overlap.earlier_no, counted.voter_no, counted.voted_ms
FROM overlap
JOIN overlap_set ON overlap_set.frame_no = overlap.frame_no AND overlap_set.proposal_no = overlap.proposal_no
JOIN counted ON counted.proposal_no = overlap.proposal_no
WHERE overlap_set.first_no = overlap.frame_no AND counted.voted_ms BETWEEN overlap.start_ms AND overlap.end_ms;

CREATE OR REPLACE TABLE batch AS
WITH overlapping AS (
  SELECT frame_no, proposal_no, COUNT(DISTINCT voter_no) AS overlapping_votes FROM overlapping_vote GROUP BY frame_no, proposal_no
),
batched AS (
  SELECT overlapping_vote.frame_no, overlapping_vote.proposal_no, COUNT(DISTINCT overlapping_vote.voter_no) AS batch_votes
  FROM overlapping_vote
  JOIN counted AS other ON other.proposal_no = overlapping_vote.earlier_no AND other.voter_no = overlapping_vote.voter_no
  WHERE other.voted_ms BETWEEN overlapping_vote.voted_ms - 60000 AND overlapping_vote.voted_ms + 60000
  GROUP BY overlapping_vote.frame_no, overlapping_vote.proposal_no
)
SELECT overlap_set.frame_no, overlap_set.proposal_no, COALESCE(overlapping_votes, 0) AS overlapping_votes,
  COALESCE(batch_votes, 0) AS batch_votes
FROM overlap_set
LEFT JOIN overlapping ON overlapping.frame_no = overlap_set.first_no AND overlapping.proposal_no = overlap_set.proposal_no
LEFT JOIN batched ON batched.frame_no = overlap_set.first_no AND batched.proposal_no = overlap_set.proposal_no;
