-- Loyalty: the capped power that the same voters have on a ballot and on earlier ones of the frame.
-- Range: marks 0..1, found 0..10. Unit: capped power, and attention of the earlier ballots.
-- Unknown: no row for the first ballot, or without known power.
-- From: member, ballot, distribution, passing. Makes: before (the ballots to compare with), overlap, loyalty.
-- Takes earlier ballots, latest first, until their attention is 10. The last one counts with the part that is still missing.
CREATE OR REPLACE TABLE before AS
WITH reached AS (
  SELECT member.frame_no, member.proposal_no, attention,
    SUM(attention) OVER (PARTITION BY member.frame_no ORDER BY member.proposal_no ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS so_far
  FROM member
  JOIN ballot ON ballot.proposal_no = member.proposal_no
  WHERE valid_power > 0
)
SELECT later.frame_no, later.proposal_no, earlier.proposal_no AS earlier_no,
  LEAST(earlier.attention, 10 - (later.so_far - later.attention - earlier.so_far)) AS counted
FROM reached AS later
JOIN reached AS earlier ON earlier.frame_no = later.frame_no
WHERE earlier.proposal_no < later.proposal_no AND later.so_far - later.attention - earlier.so_far < 10;

-- The left join helps the query plan: joined by voter first, the two are a thousand times larger.
-- Unmerged shares once for every pair (frame 0), merged ones for pairs of a frame in which one of the two is merged.
CREATE OR REPLACE TABLE overlap AS
WITH merged AS (SELECT DISTINCT frame_no, proposal_no FROM passing),
pair AS (
  SELECT DISTINCT 0 AS frame_no, proposal_no, earlier_no, 0 AS own_frame, 0 AS earlier_frame FROM before
  UNION ALL
  SELECT before.frame_no, before.proposal_no, earlier_no, COALESCE(own.frame_no, 0), COALESCE(earlier.frame_no, 0)
  FROM before
  LEFT JOIN merged AS own ON own.frame_no = before.frame_no AND own.proposal_no = before.proposal_no
  LEFT JOIN merged AS earlier ON earlier.frame_no = before.frame_no AND earlier.proposal_no = before.earlier_no
  WHERE own.frame_no IS NOT NULL OR earlier.frame_no IS NOT NULL
)
SELECT pair.frame_no, pair.proposal_no, pair.earlier_no, SUM(CASE WHEN there.capped IS NULL THEN 0.0 ELSE LEAST(here.capped, there.capped) END) AS common
FROM pair
JOIN distribution AS here ON here.frame_no = pair.own_frame AND here.proposal_no = pair.proposal_no
LEFT JOIN distribution AS there ON there.frame_no = pair.earlier_frame AND there.proposal_no = pair.earlier_no AND there.entity_no = here.entity_no
GROUP BY pair.frame_no, pair.proposal_no, pair.earlier_no;

CREATE OR REPLACE TABLE loyalty AS
WITH merged AS (SELECT DISTINCT frame_no, proposal_no FROM passing)
SELECT frame_no, proposal_no, found, LEAST(plain, joint) AS low, GREATEST(plain, joint) AS high
FROM (
  SELECT before.frame_no, before.proposal_no, SUM(counted) AS found,
    LEAST(1.0, SUM(counted * COALESCE(plain.common, 0.0)) / SUM(counted) / 0.5) AS plain,
    LEAST(1.0, SUM(counted * COALESCE(CASE WHEN own.frame_no IS NULL AND earlier.frame_no IS NULL THEN plain.common ELSE joint.common END, 0.0))
      / SUM(counted) / 0.5) AS joint
  FROM before
  LEFT JOIN overlap AS plain ON plain.frame_no = 0 AND plain.proposal_no = before.proposal_no AND plain.earlier_no = before.earlier_no
  LEFT JOIN overlap AS joint ON joint.frame_no = before.frame_no AND joint.proposal_no = before.proposal_no AND joint.earlier_no = before.earlier_no
  LEFT JOIN merged AS own ON own.frame_no = before.frame_no AND own.proposal_no = before.proposal_no
  LEFT JOIN merged AS earlier ON earlier.frame_no = before.frame_no AND earlier.proposal_no = before.earlier_no
  GROUP BY before.frame_no, before.proposal_no
) AS both_ways;
