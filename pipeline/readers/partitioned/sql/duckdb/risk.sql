-- Governance risk: how easily could this DAO be captured, or fall asleep?
-- Range: 0..100, lower is better, never below the floors of dominance and smallness. Unit: risk points.
-- Gap: a component is one (COMPONENT_GAP), or nothing of the last 90 days' proposals was fetched (ACTIVE_VOTERS_UNKNOWN).
-- From: vitality, frame_of, measured, attended, median, dominated, heads_of. Makes: risk (by moment and DAO).
CREATE OR REPLACE TABLE risk AS
WITH batched AS (
  SELECT frame_no, CASE WHEN SUM(attention * timed_votes) = 0 THEN 0.0
    ELSE 100 * SUM(attention * batch_votes) / SUM(attention * timed_votes) END AS batch_voting_pct
  FROM measured
  GROUP BY frame_no
),
velocity AS (
  SELECT frame_no, SUM(CASE WHEN end_ms > at_ms - 90 * CAST(86400000 AS BIGINT) THEN attention ELSE 0.0 END) * 30 / 90 AS proposals_per_month
  FROM attended
  GROUP BY frame_no
),
known AS (
  SELECT vitality.moment_no, vitality.space_id, nothing, gvs_gap, dominated_share, active_heads, whales.value AS whale_share,
    nakamotos.value AS nakamoto, batch_voting_pct, COALESCE(proposals_per_month, 0.0) AS proposals_per_month,
    100 - 10 * (0.2 * hpr + 0.45 * dei + 0.15 * pdi + 0.2 * gpi) AS base
  FROM vitality
  LEFT JOIN dominated ON dominated.frame_no = vitality.frame_no
  LEFT JOIN heads_of ON heads_of.frame_no = vitality.frame_no
  LEFT JOIN batched ON batched.frame_no = vitality.frame_no
  LEFT JOIN velocity ON velocity.frame_no = vitality.frame_no
  LEFT JOIN median AS whales ON whales.frame_no = vitality.frame_no AND whales.measure = 'whale_share'
  LEFT JOIN median AS nakamotos ON nakamotos.frame_no = vitality.frame_no AND nakamotos.measure = 'nakamoto'
),
floored AS (
  SELECT *, 75 * CASE WHEN 2 * dominated_share > 1 THEN 1.0 ELSE 2 * dominated_share END AS dominance,
    50 * CASE WHEN active_heads <= 10 THEN 1.0 WHEN active_heads >= 20 THEN 0.0 ELSE (20 - active_heads) / 10.0 END AS smallness,
    CASE WHEN nothing IS NOT NULL THEN nothing WHEN gvs_gap IS NOT NULL THEN 'COMPONENT_GAP' WHEN dominated_share IS NULL THEN 'POWER_UNKNOWN'
      WHEN active_heads IS NULL THEN 'ACTIVE_VOTERS_UNKNOWN' END AS gap
  FROM known
)
SELECT moment_no, space_id, gap, active_heads AS active_voters,
  CASE WHEN gap IS NULL THEN CASE WHEN base >= dominance AND base >= smallness THEN base WHEN dominance >= smallness THEN dominance ELSE smallness END END AS risk_score,
  CASE WHEN gap IS NULL THEN base END AS base, CASE WHEN gap IS NULL THEN dominance END AS dominance_floor,
  CASE WHEN gap IS NULL THEN smallness END AS smallness_floor,
  CASE WHEN gap IS NULL THEN CASE WHEN nakamoto <= 1 THEN 'critical' WHEN nakamoto <= 3 THEN 'high' WHEN nakamoto <= 9 THEN 'moderate' ELSE 'low' END END AS governance_capture_risk,
  CASE WHEN gap IS NULL THEN 100 * whale_share END AS whale_control_pct,
  CASE WHEN gap IS NULL THEN proposals_per_month END AS proposals_per_month,
  CASE WHEN gap IS NULL THEN CASE WHEN proposals_per_month = 0 THEN 'dormant' WHEN proposals_per_month < 1 THEN 'low' WHEN proposals_per_month < 8 THEN 'moderate'
    WHEN proposals_per_month < 20 THEN 'high' ELSE 'very_high' END END AS proposal_velocity,
  CASE WHEN gap IS NULL THEN batch_voting_pct END AS checkpoint_voting_pct
FROM floored;
