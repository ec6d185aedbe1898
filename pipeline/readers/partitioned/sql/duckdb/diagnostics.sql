-- Diagnostics of the version's frames: Gini, entropy and Banzhaf index of the heads' power. Reported, never scored.
-- Range: gini 0..1, entropy_bits from 0 (log2 n of n equal shares), banzhaf_top 0..1. Unit: shares of one proposal's power.
-- Gap: no row where no power is known, banzhaf_top NULL where more than 20 heads held power.
-- From: head_share, frame_of, moment, member, concentration. Makes: diagnosed (by proposal), diagnostic_median (by DAO and measure).
CREATE OR REPLACE TABLE ascending_share AS
SELECT head_share.frame_no, head_share.proposal_no, share,
  ROW_NUMBER() OVER (PARTITION BY head_share.frame_no, head_share.proposal_no ORDER BY share, head_no) AS nth,
  COUNT(*) OVER (PARTITION BY head_share.frame_no, head_share.proposal_no) AS heads
FROM head_share
JOIN frame_of ON frame_of.frame_no = head_share.frame_no
JOIN moment ON moment.moment_no = frame_of.moment_no
WHERE is_human = 1 AND is_current = 1 AND share IS NOT NULL;

-- Coalitions of the others of each head, in two halves so that a thousand sums each are enough: joint shares of all of them.
CREATE OR REPLACE TABLE coalition AS
WITH RECURSIVE other AS (
  SELECT proposal_no, head, share, CASE WHEN place <= FLOOR((heads - 1) / 2) THEN 1 ELSE 2 END AS half,
    CASE WHEN place <= FLOOR((heads - 1) / 2) THEN place ELSE place - FLOOR((heads - 1) / 2) END AS place
  FROM (
    SELECT one.proposal_no, one.nth AS head, one.heads, others.share, CASE WHEN others.nth > one.nth THEN others.nth - 1 ELSE others.nth END AS place
    FROM ascending_share AS one
    JOIN ascending_share AS others ON others.proposal_no = one.proposal_no
    WHERE one.heads <= 20 AND others.nth <> one.nth
  ) AS numbered
),
grown AS (
  SELECT proposal_no, nth AS head, half, 0 AS place, CAST(0 AS DOUBLE) AS joint
  FROM ascending_share
  CROSS JOIN (SELECT 1 AS half UNION ALL SELECT 2) AS halves
  WHERE heads <= 20
  UNION ALL
  SELECT grown.proposal_no, grown.head, grown.half, grown.place + 1, CASE WHEN joined = 1 THEN joint + share ELSE joint END
  FROM grown
  JOIN other ON other.proposal_no = grown.proposal_no AND other.head = grown.head AND other.half = grown.half AND other.place = grown.place + 1
  CROSS JOIN (SELECT 0 AS joined UNION ALL SELECT 1) AS ways
)
SELECT grown.proposal_no, grown.head, grown.half, grown.joint
FROM grown
JOIN (
  SELECT proposal_no, head, half, MAX(place) AS last_place FROM grown GROUP BY proposal_no, head, half
) AS whole ON whole.proposal_no = grown.proposal_no AND whole.head = grown.head AND whole.half = grown.half AND whole.last_place = grown.place;

-- Coalitions that a head turns from losing to winning: those that lose without it, less those that lose with it. Of each sum
-- of the one half, how many of the other fit under what is left, by one pass over both in order. Equal halves do not win.
CREATE OR REPLACE TABLE banzhaf AS
SELECT proposal_no, MAX(swings) / SUM(swings) AS banzhaf_top
FROM (
  SELECT proposal_no, head, CAST(SUM(CASE WHEN is_with = 0 THEN under ELSE -under END) AS DOUBLE) AS swings
  FROM (
    SELECT proposal_no, head, is_with, is_asked,
      SUM(1 - is_asked) OVER (PARTITION BY proposal_no, head, is_with ORDER BY joint, is_asked ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS under
    FROM (
      SELECT proposal_no, head, is_with, 0 AS is_asked, joint
      FROM coalition
      CROSS JOIN (SELECT 0 AS is_with UNION ALL SELECT 1) AS ways
      WHERE half = 2
      UNION ALL
      SELECT coalition.proposal_no, coalition.head, is_with, 1, 0.5 * (1 + 1e-9) - CASE WHEN is_with = 1 THEN own.share ELSE 0.0 END - joint
      FROM coalition
      CROSS JOIN (SELECT 0 AS is_with UNION ALL SELECT 1) AS ways
      JOIN ascending_share AS own ON own.proposal_no = coalition.proposal_no AND own.nth = coalition.head
      WHERE half = 1
    ) AS asked
  ) AS counted_up
  WHERE is_asked = 1
  GROUP BY proposal_no, head
) AS swung
GROUP BY proposal_no;

CREATE OR REPLACE TABLE diagnosed AS
SELECT spread.frame_no, spread.proposal_no, gini, entropy_bits, banzhaf_top
FROM (
  SELECT frame_no, proposal_no, 2 * SUM(nth * share) / (COUNT(*) * SUM(share)) - (COUNT(*) + 1) * 1.0 / COUNT(*) AS gini,
    GREATEST(0.0, SUM(CASE WHEN share > 0 THEN -share * LN(share) ELSE 0.0 END) / LN(2.0)) AS entropy_bits
  FROM ascending_share
  GROUP BY frame_no, proposal_no
) AS spread
LEFT JOIN banzhaf ON banzhaf.proposal_no = spread.proposal_no;

CREATE OR REPLACE TABLE diagnostic_median AS
SELECT space_id, measure, MIN(value) AS value, MAX(known) AS proposals
FROM (
  SELECT space_id, measure, value, COUNT(*) OVER (PARTITION BY space_id, measure) AS known, SUM(weight) OVER (PARTITION BY space_id, measure) AS total,
    SUM(weight) OVER (PARTITION BY space_id, measure ORDER BY value, weight ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS reached
  FROM (
    SELECT space_id, diagnosed.frame_no, 'gini' AS measure, gini AS value, attention AS weight
    FROM diagnosed JOIN member ON member.frame_no = diagnosed.frame_no AND member.proposal_no = diagnosed.proposal_no
    UNION ALL
    SELECT space_id, diagnosed.frame_no, 'entropy_bits', entropy_bits, attention
    FROM diagnosed JOIN member ON member.frame_no = diagnosed.frame_no AND member.proposal_no = diagnosed.proposal_no
    UNION ALL
    SELECT space_id, diagnosed.frame_no, 'banzhaf_top', banzhaf_top, attention
    FROM diagnosed JOIN member ON member.frame_no = diagnosed.frame_no AND member.proposal_no = diagnosed.proposal_no
    UNION ALL
    SELECT space_id, diagnosed.frame_no, 'hhi_points', 10000 / effective_voters, attention
    FROM diagnosed
    JOIN member ON member.frame_no = diagnosed.frame_no AND member.proposal_no = diagnosed.proposal_no
    JOIN concentration ON concentration.frame_no = diagnosed.frame_no AND concentration.proposal_no = diagnosed.proposal_no
  ) AS columns_of_members
  WHERE value IS NOT NULL
) AS inflow
WHERE reached >= total / 2 - total * 1e-12
GROUP BY space_id, measure;
