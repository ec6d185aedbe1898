-- Batch voting (methodology §4): votes on a member while an earlier attended proposal was open too, and those of them within
-- a minute of the same voter's vote on such a one. Made for each day.
DROP TABLE IF EXISTS overlap;
CREATE TABLE overlap AS
SELECT member.proposal_no, earlier.proposal_no AS earlier_no, earlier.start_s, earlier.end_s
FROM member
JOIN held AS earlier ON earlier.space_id = member.space_id AND earlier.proposal_no < member.proposal_no
  AND earlier.end_s >= member.start_s AND earlier.start_s <= member.end_s;

DROP TABLE IF EXISTS batch;
CREATE TABLE batch AS
SELECT overlapping.proposal_no, overlapping_votes, COALESCE(batch_votes, 0) AS batch_votes
FROM (
  SELECT overlap.proposal_no, COUNT(DISTINCT counted.voter_no) AS overlapping_votes
  FROM overlap
  JOIN counted ON counted.proposal_no = overlap.proposal_no AND counted.created_s BETWEEN overlap.start_s AND overlap.end_s
  GROUP BY overlap.proposal_no
) AS overlapping
LEFT JOIN (
  SELECT overlap.proposal_no, COUNT(DISTINCT counted.voter_no) AS batch_votes
  FROM overlap
  JOIN counted ON counted.proposal_no = overlap.proposal_no AND counted.created_s BETWEEN overlap.start_s AND overlap.end_s
  JOIN counted AS other ON other.proposal_no = overlap.earlier_no AND other.voter_no = counted.voter_no
    AND other.created_s BETWEEN counted.created_s - 60 AND counted.created_s + 60
  GROUP BY overlap.proposal_no
) AS batched ON batched.proposal_no = overlapping.proposal_no;
