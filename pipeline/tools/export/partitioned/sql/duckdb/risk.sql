-- Governance risk: how easily a DAO could be captured or become inactive.
-- Range: risk 0..100, base and dominance likewise. Unit: risk points, each with a low end and a high end.
-- Unknown: no row without power on any ballot.
-- From: weighed, measured, voter_share, component, vitality. Makes: dominated, capture, activity (any DAO with a frame), risk.
CREATE OR REPLACE TABLE dominated AS
SELECT moment_no, space_id, SUM(weight) AS weight, SUM(weight * whale_share) AS whales, SUM(weight * (1 - (not_batch_low + not_batch_high) / 2)) AS batched,
  SUM(weight * LEAST(plain, joint)) AS low, SUM(weight * GREATEST(plain, joint)) AS high,
  MAX(CASE WHEN not_batch_low > 0 OR not_batch_high < 1 THEN 1 ELSE 0 END) AS is_any_timed
FROM (
  SELECT weighed.moment_no, weighed.space_id, weighed.weight * fetched_share AS weight, whale_share, not_batch_low, not_batch_high,
    LEAST(1.0, GREATEST(0.0, (top_share - 0.4) / 0.1)) AS plain, LEAST(1.0, GREATEST(0.0, (merged_top_share - 0.4) / 0.1)) AS joint
  FROM weighed
  JOIN measured ON measured.frame_no = weighed.frame_no AND measured.proposal_no = weighed.proposal_no
  WHERE top_share IS NOT NULL
) AS ballots
GROUP BY moment_no, space_id;

CREATE OR REPLACE TABLE capture AS
SELECT moment_no, space_id, MIN(majority_voters) AS majority_voters
FROM (
  SELECT weighed.moment_no, weighed.space_id, majority_voters,
    SUM(weighed.weight * fetched_share) OVER (PARTITION BY weighed.moment_no, weighed.space_id) AS total,
    SUM(weighed.weight * fetched_share) OVER (PARTITION BY weighed.moment_no, weighed.space_id ORDER BY majority_voters, weighed.proposal_no
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS reached
  FROM weighed
  JOIN measured ON measured.frame_no = weighed.frame_no AND measured.proposal_no = weighed.proposal_no
  WHERE top_share IS NOT NULL
) AS ordered
WHERE reached >= total / 2 - total * 1e-12
GROUP BY moment_no, space_id;

CREATE OR REPLACE TABLE risk AS
SELECT dominated.moment_no, dominated.space_id, majority_voters, 100 * whales / weight AS whale_control_pct,
  CASE WHEN is_any_timed = 1 THEN 100 * batched / weight END AS checkpoint_voting_pct,
  GREATEST(100 - 5 * (component.high + vitality.high), 75 * LEAST(1.0, 2 * dominated.low / weight)) AS low,
  GREATEST(100 - 5 * (component.point + vitality.point), 75 * LEAST(1.0, 2 * dominated.high / weight)) AS point,
  GREATEST(100 - 5 * (component.low + vitality.low), 75 * LEAST(1.0, 2 * dominated.high / weight)) AS high
FROM dominated
JOIN capture ON capture.moment_no = dominated.moment_no AND capture.space_id = dominated.space_id
JOIN component ON component.moment_no = dominated.moment_no AND component.space_id = dominated.space_id AND component.component = 'dei'
JOIN vitality ON vitality.moment_no = dominated.moment_no AND vitality.space_id = dominated.space_id;

-- Voters with at least a millionth of a known ballot of the last 90 days (NULL if none of that time is known), and the monthly attention of that time.
CREATE OR REPLACE TABLE activity AS
SELECT attended.moment_no, attended.space_id, COALESCE(active_voters, CASE WHEN recent = 0 THEN 0 END) AS active_voters, proposals_per_month
FROM (
  SELECT moment_no, space_id, SUM(CASE WHEN end_ms > at_ms - 90 * CAST(86400000 AS BIGINT) THEN attention ELSE 0.0 END) / 3 AS proposals_per_month,
    SUM(CASE WHEN end_ms > at_ms - 90 * CAST(86400000 AS BIGINT) THEN 1 ELSE 0 END) AS recent
  FROM weighed
  GROUP BY moment_no, space_id
) AS attended
LEFT JOIN (
  SELECT weighed.moment_no, weighed.space_id, COUNT(DISTINCT entity_no) AS active_voters
  FROM weighed
  JOIN voter_share ON voter_share.proposal_no = weighed.proposal_no
  WHERE end_ms > at_ms - 90 * CAST(86400000 AS BIGINT) AND share >= 1e-6
  GROUP BY weighed.moment_no, weighed.space_id
) AS active ON active.moment_no = attended.moment_no AND active.space_id = attended.space_id;
