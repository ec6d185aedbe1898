-- Distributions of power, before and after merging voters that vote alike, with the marks they earn.
-- Range: marks 0..1, majority_voters from 1, shares 0..1. Unit: shares of one ballot's power.
-- Unknown: no row without known power.
-- From: voter_share, member, alike. Makes: passing, distribution (frame_no 0 unmerged, otherwise merged in that frame), power_mark.
-- Power is only passed on ballots on which both voted. Received power is passed on with the rest.
CREATE OR REPLACE TABLE passing AS
SELECT member.frame_no, member.proposal_no, given.entity_no, alike.receiver_no, given.share, alike.part
FROM alike
JOIN member ON member.frame_no = alike.frame_no
JOIN voter_share AS given ON given.proposal_no = member.proposal_no AND given.entity_no = alike.entity_no
JOIN voter_share AS taken ON taken.proposal_no = member.proposal_no AND taken.entity_no = alike.receiver_no;

CREATE OR REPLACE TABLE received AS
WITH RECURSIVE flow AS (
  SELECT frame_no, proposal_no, receiver_no, share * part AS amount FROM passing
  UNION ALL
  SELECT flow.frame_no, flow.proposal_no, passing.receiver_no, flow.amount * passing.part
  FROM flow
  JOIN passing ON passing.frame_no = flow.frame_no AND passing.proposal_no = flow.proposal_no AND passing.entity_no = flow.receiver_no
)
SELECT frame_no, proposal_no, receiver_no, SUM(amount) AS amount FROM flow GROUP BY frame_no, proposal_no, receiver_no;

CREATE OR REPLACE TABLE distribution AS
SELECT 0 AS frame_no, proposal_no, entity_no, share, capped FROM voter_share
UNION ALL
SELECT frame_no, proposal_no, entity_no, share, LEAST(share, 0.01) / SUM(LEAST(share, 0.01)) OVER (PARTITION BY frame_no, proposal_no)
FROM (
  SELECT merged.frame_no, merged.proposal_no, voter_share.entity_no,
    (voter_share.share + COALESCE(received.amount, 0.0)) * (1 - COALESCE(passing.part, 0.0)) AS share
  FROM (SELECT DISTINCT frame_no, proposal_no FROM passing) AS merged
  JOIN voter_share ON voter_share.proposal_no = merged.proposal_no
  LEFT JOIN received ON received.frame_no = merged.frame_no AND received.proposal_no = merged.proposal_no AND received.receiver_no = voter_share.entity_no
  LEFT JOIN passing ON passing.frame_no = merged.frame_no AND passing.proposal_no = merged.proposal_no AND passing.entity_no = voter_share.entity_no
) AS shared;

CREATE OR REPLACE TABLE power_mark AS
SELECT frame_no, proposal_no, top_share, majority_voters, whale_share, gini, 10000 * squares AS hhi_points,
  LEAST(1.0, GREATEST(0.0, LN(1 / (capped_squares * 3)) / LN(100.0 / 3))) AS breadth,
  LEAST(1.0, GREATEST(0.0, LN(1 / squares) / LN(50.0))) AS effective,
  LEAST(1.0, GREATEST(0.0, LN(2 * half_voters) / LN(50.0))) AS majority,
  LEAST(1.0, GREATEST(0.0, LN(1 / top_share) / LN(50.0))) AS top
FROM (
  SELECT frame_no, proposal_no, SUM(share * share) AS squares, SUM(capped * capped) AS capped_squares, MAX(share) AS top_share,
    SUM(CASE WHEN larger < 0.5 THEN LEAST(1.0, (0.5 - larger) / share) ELSE 0.0 END) AS half_voters,
    SUM(CASE WHEN larger <= 0.5 * (1 + 1e-9) THEN 1 ELSE 0 END) AS majority_voters,
    LEAST(1.0, SUM(CASE WHEN nth <= 4 THEN share ELSE 0.0 END)) AS whale_share,
    (COUNT(*) + 1.0) / COUNT(*) - 2 * SUM(nth * share) / (COUNT(*) * SUM(share)) AS gini
  FROM (
    SELECT frame_no, proposal_no, share, capped,
      COALESCE(SUM(share) OVER (PARTITION BY frame_no, proposal_no ORDER BY share DESC, entity_no ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0.0) AS larger,
      ROW_NUMBER() OVER (PARTITION BY frame_no, proposal_no ORDER BY share DESC, entity_no) AS nth
    FROM distribution
  ) AS descending
  GROUP BY frame_no, proposal_no
) AS summed;
